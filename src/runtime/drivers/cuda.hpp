// Questions to CUDA's driver. The functions are passed in, so that tests can check the meaning of
// the answers without such a device. This header also finds the libraries of CUDA's toolkit, which
// users install.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/runtime/usm_kind.hpp"

// Types of cuda.h, declared as there and in the SYCL headers.
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

/// CUpointer_attribute; beside each member is the type that is written.
enum class pointer_attribute : int {
  memory_type = 2,     // unsigned int: memory_type
  is_managed = 8,      // unsigned int, or one byte: 0 or 1
  device_ordinal = 9,  // int: the device's number, which is its CUdevice
  is_legacy = 10,      // unsigned int, or one byte: 0 or 1; since CUDA 10.2
  range_start = 11,    // CUdeviceptr; since CUDA 10.2
  range_nbytes = 12    // size_t; since CUDA 10.2
};

/// CUmemorytype.
enum class memory_type : unsigned { host = 1, device = 2 };

/// CUevent_flags.
enum class event_flags : unsigned { disable_timing = 2 };

/// The driver's functions, each under the name that cuda.h's macros give to its current version.
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
  result (*enable_peer_access)(CUcontext, unsigned flags) = nullptr;  // cuCtxEnablePeerAccess
  result (*synchronize_context)() = nullptr;                          // cuCtxSynchronize
  result (*create_event)(CUevent*, event_flags) = nullptr;            // cuEventCreate
  result (*destroy_event)(CUevent) = nullptr;                         // cuEventDestroy_v2
  result (*record_event)(CUevent, CUstream) = nullptr;                // cuEventRecord
  // cuStreamWaitEvent
  result (*make_stream_wait)(CUstream, CUevent, unsigned flags) = nullptr;
  // cuMemcpyAsync
  result (*copy)(CUdeviceptr to, CUdeviceptr from, std::size_t nbytes, CUstream) = nullptr;
};

/// The functions of the driver that the SYCL runtime has loaded; none if it has not loaded it, or
/// one of them is missing.
std::optional<functions> find_functions() noexcept;
/// The functions of the driver for callers that have a CUDA device. Throws device_error if they are
/// missing.
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

/// Does as usm_driver::query: memory of a device that is not in the scope is unknown.
allocation_info query(const functions&, const scope&, const void* pointer) noexcept;

/// Whether the memory follows peer access, as memory of cuMemAlloc does. Memory of pools, and
/// memory that was mapped piece by piece, has an access of its own, which others set: it counts as
/// out of reach, since a kernel that is wrong about it ends all work of the process.
bool follows_peer_access(const functions&, const void* pointer) noexcept;

/// Lets kernels of a device use memory of a peer. It is no error if that is enabled already. Throws
/// device_error if there is no such device.
bool enable_peer_access(const functions&, CUdevice, CUdevice peer);

/// The number of the device that some memory belongs to; none if the driver does not know the
/// memory.
std::optional<CUdevice> device_number(const functions&, const void* pointer) noexcept;

// Makes a CUDA context the thread's current one. Some of the driver's functions work only with a
// current context.

class current_context {
 public:
  current_context(const functions& driver, CUcontext context) noexcept
      : driver_(driver), set_(driver.push_context(context) == success) {}
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;
  ~current_context() {
    if (set_) {
      CUcontext popped;
      driver_.pop_context(&popped);
    }
  }

  explicit operator bool() const noexcept { return set_; }

 private:
  const functions& driver_;
  bool set_;
};

/// A device's primary context, in which the SYCL runtime and CUDA's own runtime work, as the
/// thread's current one.
class current_primary_context {
 public:
  current_primary_context(const functions& driver, CUdevice device)
      : retained_(driver, device), current_(driver, retained_.context) {}

 private:
  struct retained {
    retained(const functions& from, CUdevice of) : driver(from), device(of) {
      require_success(driver.retain_primary_context(&context, device),
                      "cannot get the device's primary context");
    }
    retained(const retained&) = delete;
    retained& operator=(const retained&) = delete;
    ~retained() { driver.release_primary_context(device); }

    const functions& driver;
    CUdevice device;
    CUcontext context = nullptr;
  };

  retained retained_;
  current_context current_;
};

/// The stream of an in-order queue, for commands of which the SYCL runtime does not know; its
/// context is the thread's current one as long as this lives. Each command makes a new one: the
/// CUDA adapter (unified-runtime eb58ab8d) counts the question as a use of the stream, and
/// sycl::queue::wait() waits only for streams that were used.
class used_stream {
 public:
  /// Asks for the stream. Throws device_error with the driver's reason.
  explicit used_stream(const sycl::queue& in_order);
  CUstream get() const noexcept { return stream_; }

 private:
  current_primary_context current_;
  CUstream stream_;
};

/// Starts to copy bytes between two positions in USM. Throws device_error with the driver's reason.
void copy_on(CUstream, std::byte* to, const std::byte* from, std::size_t nbytes);

/// An event on a queue of a CUDA device that comes after the work that is now on another library's
/// stream of that device. Does not wait. The driver does not check the handle: a wrong one crashes.
/// Throws device_error with the driver's reason.
sycl::event follow_stream(const sycl::queue& queue, CUstream others);

/// Makes the next work on a stream of the current context wait for those of the events that are
/// CUDA's. The others are complete when a command that depends on them starts. Native commands need
/// this: the CUDA adapter (unified-runtime eb58ab8d) uses their events only to choose a stream, and
/// does not wait for them (docs/decisions.md, 22).
void hold_up(CUstream, const std::vector<sycl::event>& before);

/// Waits for everything that CUDA's own runtime, or the SYCL runtime, has on a device.
void wait_for_all_streams(const sycl::device&);

/// A major version of CUDA, the oldest devices that it has code for, and the folder that the Python
/// package of its compiler has in site-packages.
struct toolkit_version {
  int major;
  int oldest_capability;
  const char* nvrtc_folder;
};
/// The versions that are searched, the newest first.
inline constexpr toolkit_version toolkit_versions[] = {{13, 75, "nvidia/cu13/lib"},
                                                       {12, 50, "nvidia/cuda_nvrtc/lib"}};

/// The file of a library, such as "libnvrtc.so.13", in the Python package or else where the loader
/// finds it. In the second case the loader loads it for the whole of the process.
std::optional<std::filesystem::path> find_file(const std::string& name, const char* folder);

}  // namespace usmx::inline v1::detail::cuda
