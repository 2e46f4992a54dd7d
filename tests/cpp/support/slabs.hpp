// The pools of the SYCL runtime, out of which it cuts small allocations on some back ends.
#pragma once

#include <cstddef>

#include "support/device_test.hpp"

namespace support {

/// More bytes than those pools have for an allocation: once freed, they are nobody's.
inline constexpr std::size_t beyond_runtime_pools = std::size_t{64} << 20;

/// Whether what lies around a small allocation of the SYCL runtime is memory as well: other chunks
/// of one slab, which may be free.
inline bool runtime_cuts_slabs(const sycl::queue& queue) {
  constexpr std::size_t chunk = 1024;
  const runtime_block block(chunk, usmx::usm_kind::device, queue);
  const auto is_known = [&](const std::byte* pointer) {
    return sycl::get_pointer_type(pointer, queue.get_context()) != sycl::usm::alloc::unknown;
  };
  return is_known(block.data() - 1) || is_known(block.data() + chunk);
}

}  // namespace support
