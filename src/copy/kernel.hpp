// Runs copies and fills by device kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "copy/plan.hpp"
#include "kernels/device/selection.hpp"
#include "kernels/store.hpp"

namespace usmx::inline v1::detail {

/// Enqueues the copy on a queue whose device reaches both sides, after `pending`, and returns the
/// event of its end. None, with nothing enqueued, if no kernel can do it: there is none for the
/// device, or elements that are to be converted are not aligned as their types require. Source and
/// destination do not overlap.
std::optional<sycl::event> copy_by_kernel(const copy_plan&, sycl::queue,
                                          const std::vector<sycl::event>& pending = {});

/// Sets the destination's elements to the bytes at `element`, as many as its type has. The plan's
/// source is not used. None as above, and for structured types of other sizes than 1, 2, 4, 8
/// or 16.
std::optional<sycl::event> fill_by_kernel(const copy_plan&, const std::byte* element, sycl::queue,
                                          const std::vector<sycl::event>& pending = {});

/// Runs that add to each of the plan's destinations, which are 64-bit integers, the place that the
/// rule makes of its source, an integer, or set it to that, and set `outside` to 1 if a source lies
/// outside of its axis. To be run one after the other. None if the integers are not aligned as
/// their types require.
std::optional<std::vector<kernel_run>> places_by_kernel(const copy_plan&,
                                                        const kernels::place_rule&,
                                                        std::uint32_t* outside, device_kernels&);

/// As copy_by_kernel with the kernels of `from`, so that tests can run kernels that the device
/// would not get.
std::optional<sycl::event> copy_by_kernel_of(device_kernels& from, const copy_plan&, sycl::queue,
                                             bool use_fp64,
                                             const std::vector<sycl::event>& pending);

}  // namespace usmx::inline v1::detail
