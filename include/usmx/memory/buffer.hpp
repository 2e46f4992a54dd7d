// The bytes behind arrays and who frees them: allocated by usmx, or adopted from a native library
// together with its deleter. A buffer also knows on which queues others may work on its bytes; the
// work that usmx has enqueued is known by address, whatever buffer it was reached through. Arrays
// share a buffer through std::shared_ptr. Shapes and types come later: array/array_view.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/release_action.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

namespace detail {

/// Whether any of these bytes has unfinished work that usmx enqueued or was told of.
USMX_API bool may_have_pending_work(const void* first, std::size_t nbytes) noexcept;

}  // namespace detail

/// Owns USM bytes: move-only. Freed exactly once, by whoever allocated them, and not before the
/// work on them that usmx knows or must expect is complete. Letting go never waits: where there may
/// be such work, or the thread has never called usmx (it may be one of the runtime's own, which
/// must not call the runtime), the bytes are freed by a later call on another thread; synchronize()
/// frees all.
class USMX_API buffer {
  /// What does not change over the life of a buffer. Private, and with it the constructor.
  struct traits {
    bool readonly;
    /// One of usmx's cached queues, which nobody else has unless it was handed out.
    bool queue_is_ours;
    /// Letting go frees memory: all work must have finished, not only what usmx has recorded.
    bool owns;
  };

 public:
  /// New memory from the runtime. nbytes > 0; alignment 0 or a power of two (value_error).
  /// Throws allocation_error with bytes, kind and device.
  static buffer allocate(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                         std::size_t alignment = 0);

  /// The same, shared: imports of this memory find it and hold it, whoever hands them the address.
  static std::shared_ptr<buffer> allocate_shared(std::size_t nbytes, usm_kind kind,
                                                 const sycl::queue& queue,
                                                 std::size_t alignment = 0);

  /// Takes over [pointer, pointer + nbytes) of a native library, nbytes > 0, all inside one USM
  /// allocation of the queue's context (value_error). `deleter(pointer)` runs exactly once, also
  /// when adopting fails; it may run on any thread and must not throw.
  template <class Deleter>
    requires std::is_invocable_v<Deleter&, void*>
  static buffer adopt(void* pointer, std::size_t nbytes, const sycl::queue& queue,
                      Deleter deleter) {
    return adopt(pointer, nbytes, queue, detail::release_action::of(pointer, std::move(deleter)));
  }
  static buffer adopt(void* pointer, std::size_t nbytes, const sycl::queue& queue,
                      detail::release_action release);

  /// The same for memory that check_access has vouched for already, or with nbytes == 0 for none.
  /// Nothing that is made from a read-only buffer may be written to. `frees`: the action frees the
  /// memory, and comes after the work that others may have submitted; otherwise it lets an owner go
  /// that does so.
  static std::shared_ptr<buffer> adopt_checked(void* pointer, std::size_t nbytes, usm_kind kind,
                                               sycl::queue queue, detail::release_action release,
                                               bool readonly = false, bool frees = false);

  /// Some bytes of another buffer, whose memory they keep alive; others who know the one know the
  /// other. `release` runs in addition when this part and all parts of it are gone.
  static buffer part_of(std::shared_ptr<buffer> whole, std::byte* first, std::size_t nbytes,
                        bool readonly, detail::release_action release);

  /// The same on another queue of their context, on which others may work from then on: waiting for
  /// either buffer waits for both queues, and so does freeing the memory. Throws value_error when
  /// the queue is of another context.
  static buffer part_on_queue(std::shared_ptr<buffer> whole, std::byte* first, std::size_t nbytes,
                              const sycl::queue& queue, bool readonly,
                              detail::release_action release);
  /// All bytes of another buffer, so.
  static buffer on_queue(std::shared_ptr<buffer> whole, const sycl::queue& queue);

  buffer(buffer&&) noexcept;
  buffer& operator=(buffer&&) noexcept;
  ~buffer();

  std::byte* data() const noexcept { return data_; }
  std::size_t nbytes() const noexcept { return nbytes_; }
  usm_kind kind() const noexcept { return kind_; }
  bool readonly() const noexcept { return traits_.readonly; }
  /// Where usmx works on these bytes; gives device and context.
  const sycl::queue& queue() const noexcept { return queue_; }
  /// The context of that queue, valid as long as this buffer: made when somebody first asks.
  const sycl::context& context() const;
  /// Whether all of [first, first + nbytes) is among these bytes.
  bool holds(const void* first, std::size_t nbytes) const noexcept;
  /// Whether this is `memory` or a part of it, and no release action besides its own is to run.
  bool keeps_only(const buffer& memory) const noexcept {
    return &root() == &memory && !(whole_ && release_);
  }
  /// The owner that the release action of adopted bytes, or of a part, names, and for a part
  /// without an action that of the whole; else null.
  detail::foreign_owner* foreign_owner() const noexcept {
    return release_ || !whole_ ? release_.owner() : whole_->release_.owner();
  }

  /// Announces work on these bytes, or on some of them, that is not finished. The memory outlives
  /// it, and whatever usmx does with those bytes from then on comes after it.
  void record(const sycl::event& event);
  void record(const sycl::event& event, const std::byte* first, std::size_t nbytes);
  /// From now on others know these bytes, and may submit work to the queue that nobody records.
  void expose() noexcept { root().exposed_.store(true, std::memory_order_relaxed); }
  /// Waits for the work of usmx and the recorded work on these bytes, or on some of them, and,
  /// where others may have submitted work, for the queues on which they may. Free of runtime calls
  /// when there can be none: the memory or its queue never left usmx.
  void wait();
  void wait(const std::byte* first, std::size_t nbytes);
  /// False when wait() would certainly return without a runtime call.
  bool may_be_busy() const noexcept {
    return others_may_work() || detail::may_have_pending_work(data_, nbytes_);
  }
  /// Whether others may have submitted work that nobody has recorded.
  bool others_may_work() const noexcept { return root().may_have_others_work(); }
  /// The queues on which they may have.
  std::vector<sycl::queue> others_queues() const;

  /// What the functions above make buffers by.
  buffer(std::byte* data, std::size_t nbytes, usm_kind kind, sycl::queue queue,
         detail::release_action release, traits known) noexcept;

 private:
  /// What knows who else works on the memory: the buffer this one is a part of, or itself.
  const buffer& root() const noexcept { return whole_ ? *whole_ : *this; }
  buffer& root() noexcept { return whole_ ? *whole_ : *this; }
  bool may_have_others_work() const noexcept;
  void let_others_work_on(const sycl::queue&);
  void wait_for_others() const;
  void let_go() noexcept;

  std::byte* data_;
  std::size_t nbytes_;
  usm_kind kind_;
  traits traits_;
  std::atomic<bool> exposed_ = false;
  sycl::queue queue_;
  mutable std::atomic<const sycl::context*> context_ = nullptr;
  detail::release_action release_;
  std::shared_ptr<buffer> whole_;
  /// The queues of on_queue(), queue_ aside.
  std::atomic<bool> is_on_other_queues_ = false;
  mutable std::mutex other_queues_mutex_;
  std::vector<sycl::queue> other_queues_;
};

}  // namespace usmx::inline v1
