// The devices of the machine: their names, the choice of one by a filter, the element types that
// they compute with, their memory; and why none is found.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/backend_types.hpp>
#include <sycl/device.hpp>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// All root devices, platform by platform, in the order in which dpctl lists them. The list is
/// empty if there are none. Throws fork_error in a forked child.
USMX_API std::vector<sycl::device> get_devices();

/// The device that the runtime's default selector chooses. Throws device_error, whose message says
/// why, when there is no device, and fork_error in a forked child.
USMX_API sycl::device default_device();

/// The score that the runtime's default selector gives to a device. The device of the highest score
/// is the default one, and a device of a negative score is never chosen. Throws fork_error in a
/// forked child.
USMX_API int default_selector_score(const sycl::device&);

/// The device that a sub-device is part of, or none for a root device. Throws fork_error in a
/// forked child.
USMX_API std::optional<sycl::device> parent_device(const sycl::device&);

/// Whether kernels of a device can use memory of kind 'device' of a peer, or also modify it
/// atomically. False for a device of another back end or of one without such access, where SYCL's
/// own function fails, and for the device itself. Throws fork_error in a forked child.
USMX_API bool can_access_peer(
    const sycl::device&, const sycl::device& peer,
    sycl::ext::oneapi::peer_access = sycl::ext::oneapi::peer_access::access_supported);
/// Lets kernels of a device use memory of kind 'device' of a peer. Throws value_error for a device
/// of another back end or of one without such access, and for the device itself; sycl::exception
/// when the runtime refuses; fork_error in a forked child.
USMX_API void enable_peer_access(const sycl::device&, const sycl::device& peer);
/// Ends what enable_peer_access() began. Throws the same, also if access is not enabled.
USMX_API void disable_peer_access(const sycl::device&, const sycl::device& peer);

/// The name of a back end in filter selectors: "opencl", "level_zero", "cuda", "hip", "all", ...,
/// or "unknown". The string lives for ever.
USMX_API std::string_view backend_name(sycl::backend);
/// The name of the device's type in filter selectors: "cpu", "gpu", "accelerator", ..., or
/// "unknown". The string lives for ever.
USMX_API std::string_view device_type_name(const sycl::device&);

/// Describes a device for messages: "Intel(R) ... [opencl:cpu:0]".
USMX_API std::string describe(const sycl::device&);

/// The device that a filter selector names. A filter is `backend:device_type:index` in lower case,
/// in this order. Parts may be left out or empty, but not all of them. Several filters that are
/// separated by commas are tried from left to right. The index counts the devices that fit the
/// other parts, so a number alone counts all devices. Without an index, the result is the fitting
/// device to which the runtime's default selector gives the highest score. Throws value_error when
/// the string does not follow this grammar, and device_error, whose message lists the devices, when
/// none fits.
USMX_API sycl::device select_device(std::string_view filter);

/// The complete filter selector of a root device, such as "opencl:cpu:0". Throws value_error for a
/// sub-device, which no filter can name.
USMX_API std::string filter_string(const sycl::device&);

// The element types that a device computes with. Memory of every device can hold all types, and
// copies convert them all. But usmx makes no new array of a type that kernels on the device cannot
// use.

/// The floating-point types that some devices do not have. All devices have the other types.
struct type_support {
  /// Whether the device computes with float16: the aspect fp16 of SYCL 2020.
  bool fp16 = true;
  /// Whether the device computes with float64 and complex128: the aspect fp64 of SYCL 2020.
  bool fp64 = true;
};

/// The types that a device supports. Throws fork_error in a forked child.
USMX_API type_support support_of(const sycl::device&);

/// Whether a device of that support computes with the type. Structured types count as supported.
constexpr bool is_supported(dtype type, type_support has) noexcept {
  switch (type.code()) {
    case type_code::float16:
      return has.fp16;
    case type_code::float64:
    case type_code::complex128:
      return has.fp64;
    default:
      return true;
  }
}

/// The type itself if the device supports it. Otherwise the result is complex64 for a complex type,
/// and float32 for a real one.
constexpr dtype nearest_supported(dtype type, type_support has) noexcept {
  if (is_supported(type, has)) {
    return type;
  }
  return type.kind() == 'c' ? type_code::complex64 : type_code::float32;
}

/// Throws value_error, whose message names the device and the type, unless the device computes with
/// the type.
USMX_API void require_supported(dtype type, const sycl::device&);

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

/// Says why no device is found and what to do, as text for people. It has the variables of the
/// environment that matter, whether the CPU driver exists, and the runtime's own message.
USMX_API std::string diagnose_missing_device();

// The SYCL runtimes that are loaded in this process. Two of them make the process crash.

/// Throws runtime_conflict, whose message has the paths of the libraries, while more than one SYCL
/// runtime is loaded. Code calls this before it uses a SYCL object that another library made: an
/// object of another runtime (libsycl of another major version) makes this one crash. The call
/// takes some 10 ns unless a library was loaded since the last one.
USMX_API void check_single_runtime();

}  // namespace usmx::inline v1
