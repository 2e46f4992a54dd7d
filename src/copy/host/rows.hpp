// Copies on the host whose sides have their smallest steps in the same dimension. No SYCL here.
#pragma once

#include <cstddef>

#include "copy/host.hpp"
#include "copy/host/index_space.hpp"
#include "copy/plan.hpp"

namespace usmx::inline v1::detail {

/// Copies `row` at each index of `outer`; items have `itemsize` bytes in the destination.
void copy_rows(const copy_plan&, const index_space& outer, const copy_dimension& row,
               std::size_t itemsize, const host_thresholds&) noexcept;

}  // namespace usmx::inline v1::detail
