// The unfinished work that usmx has enqueued, by the addresses that it reads and writes. Any access
// to some bytes finds the work on them, whichever array, memory object, import or queue it comes
// through. Thread-safe. Private to the library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "layout/layout.hpp"
#include "memory/access_history.hpp"

namespace usmx::inline v1::detail {

/// The bytes [first, first + nbytes).
inline byte_range range_of(const void* first, std::size_t nbytes) noexcept {
  return bytes_from(static_cast<const std::byte*>(first), 0, static_cast<std::ptrdiff_t>(nbytes));
}

/// The event of some work. Once it is known to be complete, the runtime is not asked again, on
/// whatever bytes the work is: each question costs 1.3 µs on CUDA.
class pending_event {
 public:
  /// If there is no memory, waits for the work, and throws.
  pending_event(const sycl::event& event);

  const sycl::event& event() const noexcept { return shared_->event; }
  bool is_complete() const;

 private:
  struct state {
    explicit state(sycl::event of) : event(std::move(of)) {}

    sycl::event event;
    std::atomic<bool> is_complete = false;
  };
  std::shared_ptr<state> shared_;
};

/// The pending work on some bytes, which new work there must come after.
struct earlier_work {
  std::vector<sycl::event> events;
  /// The moment at which pending_work_before() was called.
  std::uint64_t seen = 0;
};

/// The fast path: whether there is any unfinished work at all. While there is none, an access costs
/// only this.
bool has_pending_work() noexcept;

/// The work that such an access must come after, without events that are complete: unless they are
/// few, and to ask the runtime costs more than to come after them.
earlier_work pending_work_before(byte_range, access);

/// Whether all work on these bytes is complete. If so, it is forgotten. Asks the runtime about one
/// event after the other, up to the first that is not complete.
bool is_work_finished(byte_range);

/// Adds work that was enqueued on `queue` after all of `earlier`. If there is no memory to keep it,
/// waits for the work, and throws.
void add_pending_work(byte_range, access, const pending_event& done, const earlier_work& earlier,
                      const sycl::queue& queue);

/// One event that is complete when all of these are, which are of the context; a complete one for
/// none. Waits for them where no barrier may come after them.
sycl::event event_of_all(const std::vector<sycl::event>&, const sycl::context&);

/// Waits for everything that such an access must come after. A signal may interrupt the wait.
void wait_for_pending_work(byte_range, access);

/// Forgets all work on these bytes, whose memory ends. If that needs memory and there is none, the
/// work stays known, and new work at the same addresses comes after it.
void forget_pending_work(byte_range) noexcept;

/// Waits for all unfinished work.
void wait_for_all_pending_work();

}  // namespace usmx::inline v1::detail
