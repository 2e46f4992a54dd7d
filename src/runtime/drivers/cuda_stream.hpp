// What others do on CUDA's streams, and what usmx does on a queue after it. Private to the library.
#pragma once

#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "runtime/drivers/cuda.hpp"

namespace usmx::detail::cuda {

/// An event on a queue of a CUDA device that comes after what is on somebody's stream of that
/// device now. Waits for nothing. The driver believes the handle: who makes one up crashes. Throws
/// device_error with the driver's reason.
sycl::event follow_stream(const sycl::queue& queue, CUstream others);

/// Waits for everything that CUDA's own runtime, or the SYCL runtime, has on a device.
void wait_for_all_streams(const sycl::device&);

}  // namespace usmx::detail::cuda
