// Runs a copy on the host, over memory that the host may touch: on as many threads as pay for its
// size, and with streaming stores if it is larger than the caches. No SYCL here.
#pragma once

#include <cstddef>

#include "copy/plan.hpp"

namespace usmx::inline v1::detail {

/// The numbers of bytes of the destination from which on a method pays; measured in
/// docs/copy-engine.md.
struct host_thresholds {
  /// More than one thread.
  std::size_t parallel = std::size_t{1} << 20;
  /// The work that a thread takes at a time.
  std::size_t task = std::size_t{256} << 10;
  /// Streaming stores, which bypass the caches.
  std::size_t streaming = std::size_t{16} << 20;
};

/// Source and destination do not overlap.
void copy_on_host(const copy_plan& plan, const host_thresholds& thresholds = {}) noexcept;

}  // namespace usmx::inline v1::detail
