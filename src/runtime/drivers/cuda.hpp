// What is asked of CUDA's driver, apart from where its functions come from: so the answers' meaning
// can be tested where there is no such device.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "usmx/runtime/allocation_info.hpp"

// As the SYCL headers and cuda.h declare them.
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef unsigned long long CUdeviceptr;

namespace usmx::detail::cuda {

// The few declarations of cuda.h that are needed, as the reference has them: "CUDA Driver API",
// sections Primary Context, Context, Memory and Unified Addressing. On x86-64 Linux its calling
// convention is the usual one, and enumerations are as wide as an int.

/// CUresult.
using result = int;
inline constexpr result success = 0;  // CUDA_SUCCESS

/// CUpointer_attribute; beside each the type that is written.
enum class pointer_attribute : int {
  memory_type = 2,     // unsigned int: memory_type
  is_managed = 8,      // unsigned int, or one byte: 0 or 1
  device_ordinal = 9,  // int: the device's number, which is its CUdevice
  range_start = 11,    // CUdeviceptr; since CUDA 10.2
  range_nbytes = 12    // size_t; since CUDA 10.2
};

/// CUmemorytype.
enum class memory_type : unsigned { host = 1, device = 2 };

/// Each under the name that cuda.h's macros give to the current version of the function.
struct functions {
  result (*get_attributes)(unsigned count, pointer_attribute*, void** values,
                           CUdeviceptr);  // cuPointerGetAttributes
  result (*get_address_range)(CUdeviceptr* base, std::size_t* nbytes,
                              CUdeviceptr);                // cuMemGetAddressRange_v2
  result (*retain_primary_context)(CUcontext*, CUdevice);  // cuDevicePrimaryCtxRetain
  result (*release_primary_context)(CUdevice);             // cuDevicePrimaryCtxRelease_v2
  result (*push_context)(CUcontext);                       // cuCtxPushCurrent_v2
  result (*pop_context)(CUcontext* popped);                // cuCtxPopCurrent_v2
};

/// In the driver that the SYCL runtime has loaded; none where it has not, or lacks one of them.
std::optional<functions> find_functions() noexcept;

/// What contexts of the SYCL runtime are to this driver: some devices, and the primary context of
/// any of them, since addresses are unified.
struct scope {
  CUcontext primary;
  std::span<const CUdevice> devices;
};

/// As usm_driver::query: memory of a device that is not in the scope is unknown there.
allocation_info query(const functions&, const scope&, const void* pointer) noexcept;

}  // namespace usmx::detail::cuda
