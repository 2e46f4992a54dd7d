// Bytes between ordinary host memory and a device with memory of its own. The driver takes ordinary
// memory at a quarter of the speed of memory of kind `host`, so they go by way of that, in pieces:
// the host is at work on one while the device is at work on the other. Private to the library.
#pragma once

#include <cstddef>

#include <sycl/queue.hpp>

namespace usmx::inline v1::detail {

// Both wait. False, and nothing was done, where there is no memory of kind `host`.

bool upload_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                      const sycl::queue&);
bool download_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                        const sycl::queue&);

}  // namespace usmx::inline v1::detail
