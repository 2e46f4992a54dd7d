// The unfinished work that usmx has enqueued, by the addresses that it reads and writes: whoever
// reaches some bytes, through whatever array, memory object, import or queue, finds the work on
// them. Thread-safe. Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "layout/byte_range.hpp"
#include "tracking/access_history.hpp"

namespace usmx::inline v1::detail {

/// The bytes [first, first + nbytes).
inline byte_range range_of(const void* first, std::size_t nbytes) noexcept {
  return bytes_from(static_cast<const std::byte*>(first), 0, static_cast<std::ptrdiff_t>(nbytes));
}

/// What new work on some bytes must come after.
struct earlier_work {
  std::vector<sycl::event> events;
  /// Names the moment at which it was asked for.
  std::uint64_t seen = 0;
};

/// Whether there is any unfinished work at all. While there is none this is all that an access
/// costs.
bool has_pending_work() noexcept;

/// Without those events that have completed. Asks the runtime.
earlier_work pending_work_before(byte_range, access);

/// Whether all work on these bytes has completed; then it is forgotten. Asks the runtime up to the
/// first event that has not.
bool is_work_finished(byte_range);

/// Announces work that was enqueued on `queue` after all of `earlier`. Throws, having waited for
/// it, when there is no memory to keep it.
void add_pending_work(byte_range, access, const sycl::event& done, const earlier_work& earlier,
                      const sycl::queue& queue);

/// Waits for everything that such an access must come after. A signal may interrupt the wait.
void wait_for_pending_work(byte_range, access);

/// Forgets all work on these bytes, whose memory ends. Without memory for that it stays known: new
/// work at the same addresses then comes after it.
void forget_pending_work(byte_range) noexcept;

/// Waits for all of it.
void wait_for_all_pending_work();

}  // namespace usmx::inline v1::detail
