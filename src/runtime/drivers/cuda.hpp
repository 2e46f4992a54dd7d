// Questions to CUDA's driver. The functions are passed in, so that tests can check the meaning of
// the answers without such a device.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "usmx/runtime/allocation_info.hpp"

// As the SYCL headers and cuda.h declare them.
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef struct CUevent_st* CUevent;
typedef struct CUstream_st* CUstream;
typedef unsigned long long CUdeviceptr;

namespace usmx::inline v1::detail::cuda {

// The few declarations of cuda.h that are needed, as the reference has them: "CUDA Driver API",
// sections Primary Context, Context, Memory, Unified Addressing, Stream and Event Management. On
// x86-64 Linux its calling convention is the usual one, and enumerations are as wide as an int.

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

/// CUevent_flags.
enum class event_flags : unsigned { disable_timing = 2 };

/// Each under the name that cuda.h's macros give to the current version of the function.
struct functions {
  // cuPointerGetAttributes
  result (*get_attributes)(unsigned count, pointer_attribute*, void** values,
                           CUdeviceptr) = nullptr;
  // cuMemGetAddressRange_v2
  result (*get_address_range)(CUdeviceptr* base, std::size_t* nbytes, CUdeviceptr) = nullptr;
  result (*retain_primary_context)(CUcontext*, CUdevice) = nullptr;  // cuDevicePrimaryCtxRetain
  result (*release_primary_context)(CUdevice) = nullptr;             // cuDevicePrimaryCtxRelease_v2
  result (*push_context)(CUcontext) = nullptr;                       // cuCtxPushCurrent_v2
  result (*pop_context)(CUcontext* popped) = nullptr;                // cuCtxPopCurrent_v2
  result (*synchronize_context)() = nullptr;                         // cuCtxSynchronize
  result (*create_event)(CUevent*, event_flags) = nullptr;           // cuEventCreate
  result (*destroy_event)(CUevent) = nullptr;                        // cuEventDestroy_v2
  result (*record_event)(CUevent, CUstream) = nullptr;               // cuEventRecord
  // cuStreamWaitEvent
  result (*make_stream_wait)(CUstream, CUevent, unsigned flags) = nullptr;

  bool complete() const noexcept {
    return get_attributes != nullptr && get_address_range != nullptr &&
           retain_primary_context != nullptr && release_primary_context != nullptr &&
           push_context != nullptr && pop_context != nullptr && synchronize_context != nullptr &&
           create_event != nullptr && destroy_event != nullptr && record_event != nullptr &&
           make_stream_wait != nullptr;
  }
};

/// The functions of the driver that the SYCL runtime has loaded; none if it has not loaded it, or
/// one of them is missing.
std::optional<functions> find_functions() noexcept;
/// The same for callers that have a CUDA device. Throws device_error if there are none.
const functions& required_functions();

/// Throws device_error, which says what did not work and the driver's reason, unless the driver
/// says success.
void require_success(result, const char* what);

/// A context of the SYCL runtime in this driver's terms: some devices, and the primary context of
/// any of them, since addresses are unified.
struct scope {
  CUcontext primary;
  std::span<const CUdevice> devices;
};

/// As usm_driver::query: memory of a device that is not in the scope is unknown there.
allocation_info query(const functions&, const scope&, const void* pointer) noexcept;

/// The number of the device that some memory belongs to; none if the driver does not know the
/// memory.
std::optional<CUdevice> device_number(const functions&, const void* pointer) noexcept;

}  // namespace usmx::inline v1::detail::cuda
