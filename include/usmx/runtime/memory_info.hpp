// The size of a device's memory, and how much of it is free.
#pragma once

#include <cstddef>

#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The memory of a device, in bytes.
struct memory_info {
  /// Bytes that no process uses.
  std::size_t free;
  /// All bytes.
  std::size_t total;
};

/// The memory of a device. The free memory of a CPU is what Linux calls available. Throws
/// value_error for any other device that does not tell how much is free.
USMX_API memory_info get_memory_info(const sycl::device&);

}  // namespace usmx::inline v1
