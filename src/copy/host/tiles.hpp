// Copies on the host whose sides have their smallest steps in different dimensions: tile by tile,
// each of which fits into the first-level cache. No SYCL here.
#pragma once

#include <cstddef>

#include "copy/host.hpp"
#include "copy/host/index_space.hpp"
#include "copy/plan.hpp"

namespace usmx::inline v1::detail {

/// Copies the plane of two dimensions at each index of `outer`: `across`, where the source has its
/// smallest step, and `along`, where the destination has it. Items have `itemsize` bytes in the
/// destination.
void copy_tiles(const copy_plan&, const index_space& outer, const copy_dimension& across,
                const copy_dimension& along, std::size_t itemsize, const host_thresholds&) noexcept;

}  // namespace usmx::inline v1::detail
