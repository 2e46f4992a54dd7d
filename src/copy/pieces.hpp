// Staging in pieces: copies bytes between ordinary host memory and a device with memory of
// its own. The driver copies ordinary memory at a quarter of the speed of memory of kind `host`, so
// the bytes go through some pieces of such memory: the host works on one while the device works on
// the others. Private to the library.
#pragma once

#include <cstddef>

#include <sycl/queue.hpp>

namespace usmx::inline v1::detail {

// Both wait. They return false, with nothing done, if there is no memory of kind `host`.

bool upload_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                      const sycl::queue&);
bool download_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                        const sycl::queue&);

}  // namespace usmx::inline v1::detail
