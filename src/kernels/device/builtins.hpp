// Instructions that the two compilers, the SYCL runtime's and NVIDIA's, have under different names.
// Device code.
#pragma once

#include <cstdint>

namespace usmx::inline v1::kernels {

#ifdef __CUDACC_RTC__

/// element = the larger one, in one step for all work items of the device
inline void atomic_max(std::uint32_t* element, std::uint32_t value) { atomicMax(element, value); }
inline int count_of_bits(std::uint64_t bits) { return __popcll(bits); }
/// The number of zeros below the lowest bit that is set; there is one.
inline int lowest_bit(std::uint64_t bits) { return __ffsll(static_cast<long long>(bits)) - 1; }

#else

inline void atomic_max(std::uint32_t* element, std::uint32_t value) {
  __scoped_atomic_fetch_max(element, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
inline int count_of_bits(std::uint64_t bits) { return __builtin_popcountll(bits); }
inline int lowest_bit(std::uint64_t bits) { return __builtin_ctzll(bits); }

#endif

}  // namespace usmx::inline v1::kernels
