// The element types that a device computes with. Memory of every device can hold all types, and
// copies convert them all. But usmx makes no new array of a type that kernels on the device cannot
// use.
#pragma once

#include <sycl/device.hpp>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

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

}  // namespace usmx::inline v1
