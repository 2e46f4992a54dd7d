// What others do on CUDA's streams, and what usmx does on a queue after it. Private to the library.
#pragma once

#include <vector>

#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "runtime/drivers/cuda.hpp"

namespace usmx::inline v1::detail::cuda {

/// An event on a queue of a CUDA device that comes after what is on somebody's stream of that
/// device now. Waits for nothing. The driver believes the handle: who makes one up crashes. Throws
/// device_error with the driver's reason.
sycl::event follow_stream(const sycl::queue& queue, CUstream others);

/// Makes what comes next on a stream of the current context wait for those of the events that are
/// CUDA's; the others are complete by the time that a command which depends on them starts. For
/// native commands: the CUDA adapter (unified-runtime eb58ab8d) takes the events that one depends
/// on for a hint which stream to choose, and does not wait for them.
void hold_up(CUstream, const std::vector<sycl::event>& before);

/// Waits for everything that CUDA's own runtime, or the SYCL runtime, has on a device.
void wait_for_all_streams(const sycl::device&);

}  // namespace usmx::inline v1::detail::cuda
