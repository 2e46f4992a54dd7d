// How a kernel is declared, and the position of its work item, for either compiler: the SYCL
// runtime's, or NVIDIA's for CUDA devices. Device code.
#pragma once

#include <cstdint>

#ifdef __CUDACC_RTC__

#define USMX_KERNEL extern "C" __global__ void
#define USMX_SHARED_CODE inline
// Before a loop whose reads are to be started together.
#ifndef USMX_UNROLLED
#define USMX_UNROLLED _Pragma("unroll 4")
#endif
// Before a loop over an array of a work item's own: only constant indices leave it in registers.
#ifndef USMX_FULLY_UNROLLED
#define USMX_FULLY_UNROLLED _Pragma("unroll")
#endif
// Before a loop with divisions, whose copies would make most of the kernels' code.
#ifndef USMX_NOT_UNROLLED
#define USMX_NOT_UNROLLED _Pragma("unroll 1")
#endif

namespace usmx::inline v1::kernels {

/// Position of the work group; dimension 2 is the innermost, CUDA's x.
template <int Dimension>
inline std::int64_t group_id() {
  return Dimension == 2 ? blockIdx.x : Dimension == 1 ? blockIdx.y : blockIdx.z;
}
/// Position in the work group, which has one work item in dimension 0.
template <int Dimension>
inline std::int64_t local_id() {
  return Dimension == 2 ? threadIdx.x : threadIdx.y;
}
template <int Dimension>
inline std::int64_t local_range() {
  return Dimension == 2 ? blockDim.x : blockDim.y;
}

}  // namespace usmx::inline v1::kernels

#else

#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

// A run-time loop is less code to build.
#define USMX_FULLY_UNROLLED
#define USMX_NOT_UNROLLED

// The host finds them by their plain names.
#define USMX_KERNEL                             \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY( \
      sycl::ext::oneapi::experimental::nd_range_kernel<3>) void

// Marks code that is not inlined: one copy for all kernels halves the time that a driver takes to
// build them.
#define USMX_SHARED_CODE __attribute__((noinline))

namespace usmx::inline v1::kernels {

template <int Dimension>
inline std::int64_t group_id() {
  return static_cast<std::int64_t>(
      sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_group(Dimension));
}
template <int Dimension>
inline std::int64_t local_id() {
  return static_cast<std::int64_t>(
      sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_local_id(Dimension));
}
template <int Dimension>
inline std::int64_t local_range() {
  return static_cast<std::int64_t>(
      sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_local_range(Dimension));
}

}  // namespace usmx::inline v1::kernels

#endif

namespace usmx::inline v1::kernels {

// Instructions that the two compilers, the SYCL runtime's and NVIDIA's, have under different names.

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

// The element types of kernels that copy elements unchanged: 1, 2, 4, 8 or 16 bytes, aligned to
// their size, those of 16 bytes to 8.

using item_1 = std::uint8_t;
using item_2 = std::uint16_t;
using item_4 = std::uint32_t;
using item_8 = std::uint64_t;
struct item_16 {
  std::uint64_t low;
  std::uint64_t high;
};

}  // namespace usmx::inline v1::kernels
