// Which element types a device computes with. Memory can hold all of them, and copies convert them
// all, on any device; new arrays are not made of those that its kernels could not use. Next:
// memory_resource.hpp.
#pragma once

#include <sycl/device.hpp>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// The floating-point numbers that not every device has; the other types are everywhere.
struct type_support {
  bool fp16 = true;
  bool fp64 = true;
};

USMX_API type_support support_of(const sycl::device&);

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

/// The type itself where it is supported, else the single-precision type of its kind.
constexpr dtype nearest_supported(dtype type, type_support has) noexcept {
  if (is_supported(type, has)) {
    return type;
  }
  return type.kind() == 'c' ? type_code::complex64 : type_code::float32;
}

/// Throws value_error naming device and type unless the device computes with the type.
USMX_API void require_supported(dtype type, const sycl::device&);

}  // namespace usmx::inline v1
