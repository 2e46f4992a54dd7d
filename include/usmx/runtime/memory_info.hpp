// How much memory a device has, and how much of it is free.
#pragma once

#include <cstddef>

#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// In bytes, of all processes together.
struct memory_info {
  std::size_t free;
  std::size_t total;
};

/// Throws value_error for a device that does not tell what is free. A CPU's is what Linux says is
/// available.
USMX_API memory_info get_memory_info(const sycl::device&);

}  // namespace usmx::inline v1
