// Memory that must not be let go where its last user is gone: work on it may still be running, or
// the thread may be one of the runtime's own, which must neither wait nor call the runtime. It
// stays here until a thread of somebody's own finds its work finished. Blocks of pools with work of
// usmx's own alone are waiting_blocks; the functions below look after both. Private to the library.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "tracking/access_history.hpp"
#include "usmx/memory/release_action.hpp"

namespace usmx::inline v1::detail {

struct deferred_release {
  /// The pending work on these bytes comes before the release; an empty range for none.
  byte_range range{};
  /// Nobody reaches these bytes any more: that work is forgotten with them. Not so where several
  /// buffers may have adopted the same bytes.
  bool memory_ends = false;
  sycl::queue queue;
  /// Others may have submitted work to these that comes before the release, too.
  std::vector<sycl::queue> other_queues{};
  release_action release;
};

/// Keeps something alive until it runs.
release_action holding(std::shared_ptr<const void> kept);

/// Calls nothing of the runtime, and allocates nothing but for more than a thousand blocks between
/// two looks at the list: one for which there is no memory then is leaked.
void release_later(deferred_release block) noexcept;

/// Releases some of what has finished in the meantime. Takes no longer where very much waits, and
/// nothing that goes on for long keeps the rest from being found. Never waits.
void release_finished() noexcept;

/// The same with all that has finished.
void release_all_finished() noexcept;

/// Where more bytes wait than pending_limit() allows, or very many blocks wait for out-of-order
/// queues that others have, waits for the oldest and releases them. To be called without a lock.
void limit_deferred();

/// Waits for all of it and releases it.
void release_all();

/// Bytes whose release is still to come.
std::size_t deferred_nbytes() noexcept;

}  // namespace usmx::inline v1::detail
