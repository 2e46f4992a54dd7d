// Running a copy on the host, over memory that it may touch: on as many threads as its size is
// worth, past the caches when it is larger than they are. No SYCL here.
#pragma once

#include <cstddef>

#include "copy/plan.hpp"

namespace usmx::inline v1::detail {

/// From how many bytes of the destination on something pays; measured in docs/copy-engine.md.
struct host_thresholds {
  /// More than one thread.
  std::size_t parallel = std::size_t{1} << 20;
  /// What a thread takes at a time.
  std::size_t task = std::size_t{256} << 10;
  /// Stores that do not go through the caches.
  std::size_t streaming = std::size_t{16} << 20;
};

/// Source and destination do not overlap.
void copy_on_host(const copy_plan& plan, const host_thresholds& thresholds = {}) noexcept;

}  // namespace usmx::inline v1::detail
