// Orders usmx's work on a queue after other libraries' work on CUDA's streams. Private to the
// library.
#pragma once

#include <vector>

#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "runtime/drivers/cuda.hpp"

namespace usmx::inline v1::detail::cuda {

/// An event on a queue of a CUDA device that comes after the work that is now on another library's
/// stream of that device. Does not wait. The driver does not check the handle: a wrong one crashes.
/// Throws device_error with the driver's reason.
sycl::event follow_stream(const sycl::queue& queue, CUstream others);

/// Makes the next work on a stream of the current context wait for those of the events that are
/// CUDA's; the others are complete when a command that depends on them starts. For native commands:
/// the CUDA adapter (unified-runtime eb58ab8d) uses their events only to choose a stream, and does
/// not wait for them (docs/decisions.md, 22).
void hold_up(CUstream, const std::vector<sycl::event>& before);

/// Waits for everything that CUDA's own runtime, or the SYCL runtime, has on a device.
void wait_for_all_streams(const sycl::device&);

}  // namespace usmx::inline v1::detail::cuda
