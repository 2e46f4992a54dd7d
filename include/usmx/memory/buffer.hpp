// The memory of arrays, and how it is freed. usmx allocates a buffer, or adopts memory of a native
// library together with its deleter. A buffer knows on which queues others may work on its bytes.
// usmx finds its own unfinished work by address, through whatever buffer it was enqueued. Arrays
// share a buffer through std::shared_ptr. A buffer has no shape and no element type:
// array/array_view.hpp has these.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/release_action.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

namespace internal {

struct buffer_access;
struct new_buffer;

}  // namespace internal

namespace detail {

/// Whether there may be unfinished work on any of these bytes that usmx enqueued or was told of.
USMX_API bool may_have_pending_work(const void* first, std::size_t nbytes) noexcept;

}  // namespace detail

/// Owns a range of USM bytes. It can be moved, not copied. The bytes are freed exactly once, by
/// whatever allocated them, and only after all work on them that usmx knows or must expect. The
/// destructor never waits. If there may be such work, a later call of usmx frees the bytes. If only
/// usmx's own work or recorded work is unfinished, memory of a pool may serve another buffer on the
/// same queue before that, if all that is done with that buffer comes after this work. A later call
/// frees the bytes also if the thread has never called usmx: it may belong to the runtime, and must
/// not call it. synchronize() waits for the work and frees all of them. In a forked child, the
/// destructor leaks the memory.
class USMX_API buffer {
  /// Properties that never change. They are private, so only buffer itself can call the
  /// constructor.
  struct traits {
    bool readonly;
    /// Whether the queue is one of usmx's cached queues, which others have only if usmx gave it
    /// out.
    bool queue_is_ours;
    /// Whether the release action frees memory. Then it must come after all work, not only after
    /// the work that usmx has recorded.
    bool owns;
    /// Whether usmx allocated the memory: nobody else frees or adopts these bytes.
    bool is_new = false;
    /// Whether the memory is a pool's, which takes it back before the recorded work has finished.
    bool is_pooled = false;
  };

 public:
  /// New memory of `nbytes` bytes from the current resource for that kind on the queue's context
  /// and device. An alignment of 0, in bytes, is the resource's choice. If there is no memory left,
  /// this gives back what pools keep, then waits for work that holds memory, and tries again.
  /// Throws allocation_error, whose message has bytes, kind and device, when that fails, too.
  /// Throws value_error when `nbytes` is 0, the kind is unknown, or the alignment is neither 0 nor
  /// a power of two. Throws fork_error in a forked child. Waits for the oldest work if more memory
  /// than pending_limit() waits for work to finish.
  [[nodiscard]] static buffer allocate(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                                       std::size_t alignment = 0);
  /// Allocates as allocate(nbytes, kind, queue), with the arguments in the order that makers of
  /// arrays have, from the current resource of a kind, or from a certain resource:
  /// `allocate(nbytes, queue, resource)`. Throws value_error also when the resource is or stands on
  /// a pool of another context or device.
  [[nodiscard]] static buffer allocate(std::size_t nbytes, const sycl::queue& queue,
                                       const placement& where, std::size_t alignment = 0);

  /// New memory like that of allocate(), in a buffer that arrays can share. usmx finds this buffer
  /// by the address of its bytes, so an import of the memory keeps the buffer alive. Waits and
  /// throws as allocate().
  [[nodiscard]] static std::shared_ptr<buffer> allocate_shared(std::size_t nbytes, usm_kind kind,
                                                               const sycl::queue& queue,
                                                               std::size_t alignment = 0);
  /// Allocates as allocate_shared(nbytes, kind, queue), with the arguments in the order that makers
  /// of arrays have, from the current resource of a kind, or from a certain resource.
  [[nodiscard]] static std::shared_ptr<buffer> allocate_shared(std::size_t nbytes,
                                                               const sycl::queue& queue,
                                                               const placement& where,
                                                               std::size_t alignment = 0);

  /// Takes over the bytes [pointer, pointer + nbytes) of a native library. `deleter(pointer)` runs
  /// exactly once, even if this throws. It may run on any thread and must not throw. Throws
  /// value_error unless `nbytes` > 0, all bytes are inside one USM allocation of the queue's
  /// context, and the queue's device or its parent owns them.
  template <class Deleter>
    requires std::is_invocable_v<Deleter&, void*>
  [[nodiscard]] static buffer adopt(void* pointer, std::size_t nbytes, const sycl::queue& queue,
                                    Deleter deleter) {
    return adopt(pointer, nbytes, queue, detail::release_action::of(pointer, std::move(deleter)));
  }
  /// Takes over bytes of a native library, with an action in place of the deleter.
  [[nodiscard]] static buffer adopt(void* pointer, std::size_t nbytes, const sycl::queue& queue,
                                    detail::release_action release);

  /// Takes over memory without a check: the caller has called check_access(), or `nbytes` is 0.
  /// Buffers made from a read-only buffer must not be written to. If `frees` is true, `release`
  /// frees the memory, so it runs after all work that others may have submitted. Otherwise
  /// `release` lets an owner go, which itself frees the memory after this work.
  [[nodiscard]] static std::shared_ptr<buffer> adopt_checked(void* pointer, std::size_t nbytes,
                                                             usm_kind kind, sycl::queue queue,
                                                             detail::release_action release,
                                                             bool readonly = false,
                                                             bool frees = false);

  /// A part of another buffer: `nbytes` bytes from `first` on, which must be inside of `whole`. The
  /// part keeps the memory alive and shares what is known about it, such as the queues of others.
  /// `release` runs, too, when this part and all parts of it are gone. Where the part lies is not
  /// checked. Throws value_error when `whole` is null.
  [[nodiscard]] static buffer part_of(std::shared_ptr<buffer> whole, std::byte* first,
                                      std::size_t nbytes, bool readonly,
                                      detail::release_action release);

  /// A part of another buffer on another queue of the same context: `nbytes` bytes from `first` on,
  /// which must be inside of `whole`. As long as the part lives, others may work on the memory
  /// through its queue too: waiting for either buffer waits for both queues, and so does freeing
  /// the memory. When the part is gone, the next wait is the last one for its queue. `release`
  /// runs, too, when this part and all parts of it are gone. Throws value_error when `whole` is
  /// null or the queue belongs to another context.
  [[nodiscard]] static buffer part_on_queue(std::shared_ptr<buffer> whole, std::byte* first,
                                            std::size_t nbytes, const sycl::queue& queue,
                                            bool readonly, detail::release_action release);
  /// All bytes of another buffer on another queue of the same context. As long as the result lives,
  /// others may work on the memory through either queue. Throws value_error when `whole` is null or
  /// the queue belongs to another context.
  [[nodiscard]] static buffer on_queue(std::shared_ptr<buffer> whole, const sycl::queue& queue);
  /// All bytes of another buffer, for a consumer that is not told a queue, as of DLPack. As long as
  /// the result lives, others may work on the memory through its queue and through the one that
  /// dpctl and dpnp keep for its device, once they are loaded. Throws value_error when `whole` is
  /// null.
  [[nodiscard]] static buffer lent_out(std::shared_ptr<buffer> whole);

  /// Moves a buffer. The other one has no bytes then, and must not be used.
  buffer(buffer&&) noexcept;
  /// Lets the bytes of this buffer go, and moves the other one here. The other one has no bytes
  /// then, and must not be used.
  buffer& operator=(buffer&&) noexcept;
  /// Lets the bytes go without waiting. The class comment says when they are freed.
  ~buffer();

  /// The first byte.
  std::byte* data() const noexcept { return data_; }
  /// Number of bytes.
  std::size_t nbytes() const noexcept { return nbytes_; }
  /// The kind of memory.
  usm_kind kind() const noexcept { return kind_; }
  /// Whether the bytes must not be written to.
  bool readonly() const noexcept { return traits_.readonly; }
  /// The queue of the bytes, which also gives the device and the context. It is the one that others
  /// see: work that is submitted there finds dpctl's and dpnp's default arrays of that device on
  /// the same queue, once dpctl is loaded. Exposes the bytes.
  const sycl::queue& queue() const;
  /// The context of the queue. The reference is valid as long as the buffer.
  const sycl::context& context() const;
  /// Whether all bytes [first, first + nbytes) belong to this buffer.
  bool holds(const void* first, std::size_t nbytes) const noexcept;
  /// Whether this is `memory` or a part of it, and keeps nothing else alive: no release action but
  /// that of `memory` will run.
  bool keeps_only(const buffer& memory) const noexcept {
    return &root() == &memory && !(whole_ && release_);
  }
  /// The foreign owner that the release action names, or null. A part without a release action has
  /// the owner of the whole.
  detail::foreign_owner* foreign_owner() const noexcept {
    return release_ || !whole_ ? release_.owner() : whole_->release_.owner();
  }

  /// The state of the release action (of a part without one: that of the whole), if `action` is
  /// what runs; else null.
  void* release_state(detail::release_action::function action) const noexcept {
    return release_ || !whole_ ? release_.state_of(action) : whole_->release_.state_of(action);
  }

  /// Tells usmx about work on these bytes that may be unfinished, and may write them. The memory
  /// outlives the work, and everything that usmx does with the bytes from then on comes after it.
  /// Does not wait. Throws fork_error in a forked child.
  void record_write(const sycl::event& event);
  /// Tells usmx about work that may write the bytes [first, first + nbytes), as record_write() of
  /// all bytes does.
  void record_write(const sycl::event& event, const std::byte* first, std::size_t nbytes);
  /// Tells usmx about work that only reads these bytes: what usmx reads from then on does not come
  /// after it, what usmx writes does. The memory outlives the work. Does not wait. Throws
  /// fork_error in a forked child.
  void record_read(const sycl::event& event);
  /// Tells usmx about work that only reads the bytes [first, first + nbytes).
  void record_read(const sycl::event& event, const std::byte* first, std::size_t nbytes);
  /// Does as record_write().
  void record(const sycl::event& event) { record_write(event); }
  /// Does as record_write().
  void record(const sycl::event& event, const std::byte* first, std::size_t nbytes) {
    record_write(event, first, nbytes);
  }
  /// Tells usmx that others know these bytes, and may submit work to the queue (the one that others
  /// see in its place, if it is one of usmx's cached queues) without recording it: as long as this
  /// part of the memory lives, or the memory if this is no part.
  void expose() const noexcept;
  /// Waits for usmx's work and the recorded work on these bytes. If others may have submitted work,
  /// this waits for all work of the queues that they may use, too. It does not call the runtime if
  /// there can be no work, because the memory or its queue never left usmx.
  void wait();
  /// Waits for usmx's work and the recorded work on the bytes [first, first + nbytes), and as
  /// wait() for the work that others may have submitted.
  void wait(const std::byte* first, std::size_t nbytes);
  /// Waits for all work of the queues through which others may work on the memory, and not for the
  /// work on the bytes that usmx knows of. Does not call the runtime if there are no such queues.
  void wait_for_others();
  /// Whether wait() may have to wait. If this is false, wait() returns without a call of the
  /// runtime.
  bool may_be_busy() const noexcept {
    return others_may_work() || detail::may_have_pending_work(data_, nbytes_);
  }
  /// Whether others may have submitted work that they did not record.
  bool others_may_work() const noexcept { return root().may_have_others_work(); }
  /// The queues to which others may have submitted work that they did not record.
  std::vector<sycl::queue> others_queues() const;

  /// The constructor of the functions above: no other code can name the type of the last parameter.
  buffer(std::byte* data, std::size_t nbytes, usm_kind kind, sycl::queue queue,
         detail::release_action release, traits known) noexcept;

 private:
  friend struct internal::new_buffer;
  friend struct internal::buffer_access;

  /// The buffer that knows who else works on the memory: the whole of a part, or this one.
  const buffer& root() const noexcept { return whole_ ? *whole_ : *this; }
  buffer& root() noexcept { return whole_ ? *whole_ : *this; }
  /// The ways in which others may work through a queue. Each permits more than the one before it.
  enum class lease_kind : std::uint8_t {
    none,
    events,          ///< A partner that reads the events of usmx's work, and gives his own.
    queue,           ///< Somebody of whom nothing is known.
    queue_and_peers  ///< As queue, and through the peers' queue beside it.
  };
  /// The parts that have leased the memory in one way, for one queue.
  struct lease {
    sycl::queue queue;
    bool queue_is_ours;
    lease_kind kind;
    /// The number of these parts.
    std::size_t holders;
    /// The number of parts that there have ever been: it tells whether one has begun meanwhile.
    std::uint64_t begun;
  };
  bool may_have_others_work() const noexcept;
  void begin_lease(lease_kind) const;
  void end_lease() noexcept;
  void move_to(const sycl::queue&);
  void add_holder(const buffer& part, lease_kind);
  void remove_holder(const buffer& part, lease_kind) noexcept;
  void note_leases() noexcept;
  std::vector<lease> ended_leases() const;
  void forget(const std::vector<lease>& ended);
  void let_go() noexcept;

  std::byte* data_;
  std::size_t nbytes_;
  usm_kind kind_;
  traits traits_;
  mutable std::atomic<bool> exposed_ = false;
  sycl::queue queue_;
  mutable std::atomic<const sycl::context*> context_ = nullptr;
  detail::release_action release_;
  std::shared_ptr<buffer> whole_;
  /// The lease that a part has of the buffer of which it is a part.
  mutable std::atomic<lease_kind> leased_ = lease_kind::none;
  /// The queues that have leased the memory: only usmx's own, or others too. A buffer that is a
  /// part does not use this.
  enum class leased_queues : std::uint8_t { none, ours, others };
  std::atomic<leased_queues> leased_queues_ = leased_queues::none;
  mutable std::mutex leases_mutex_;
  std::vector<lease> leases_;
};

/// Waits until all work has finished that anybody submitted to cached queues (and to those that
/// others see in their place), that usmx enqueued, or that usmx was told of. Then frees all memory
/// that waited for it. At exit usmx waits by itself. Throws fork_error in a forked child.
USMX_API void synchronize();

/// Waits for events, and frees memory that waited for them, such as the host memory of a copy.
/// Throws fork_error in a forked child.
USMX_API void wait_for_events(const std::vector<sycl::event>&);

}  // namespace usmx::inline v1
