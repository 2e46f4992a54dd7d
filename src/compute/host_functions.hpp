// The kernels' own functions, compiled for the host: what kernels call by name, and what the device
// has as builtins. Each source that includes them is compiled without contraction, as kernels are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "compute/driver_functions.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::internal::host {
namespace {

// ---- builtins that every processor rounds alike

#define USMX_BUILTIN(name)           \
  template <class T>                 \
  inline T __spirv_ocl_##name(T x) { \
    return std::name(x);             \
  }
USMX_BUILTIN(fabs)
USMX_BUILTIN(sqrt)
USMX_BUILTIN(floor)
USMX_BUILTIN(ceil)
USMX_BUILTIN(trunc)
USMX_BUILTIN(round)
USMX_BUILTIN(rint)
USMX_BUILTIN(logb)
#undef USMX_BUILTIN
#define USMX_BUILTIN(name)                \
  template <class T>                      \
  inline T __spirv_ocl_##name(T x, T y) { \
    return std::name(x, y);               \
  }
USMX_BUILTIN(fmod)
USMX_BUILTIN(remainder)
USMX_BUILTIN(fmin)
USMX_BUILTIN(fmax)
USMX_BUILTIN(fdim)
#undef USMX_BUILTIN
template <class T>
inline T __spirv_ocl_fma(T x, T y, T z) {
  return std::fma(x, y, z);
}
template <class T>
inline T __spirv_ocl_ldexp(T x, int n) {
  return std::ldexp(x, n);
}
template <class T>
inline int __spirv_ocl_ilogb(T x) {
  return std::ilogb(x);
}

// ---- the driver's: only where its library is known to be there

template <class Names>
constexpr std::size_t index_in(const Names& names, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}
#define USMX_BUILTIN(name)                                                  \
  template <class T>                                                        \
  inline T __spirv_ocl_##name(T x) {                                        \
    constexpr std::size_t index = index_in(driver_functions_of_one, #name); \
    return find_driver_library<T>()->of_one[index].of_one(x);               \
  }
USMX_BUILTIN(sin)
USMX_BUILTIN(cos)
USMX_BUILTIN(tan)
USMX_BUILTIN(exp)
USMX_BUILTIN(exp2)
USMX_BUILTIN(expm1)
USMX_BUILTIN(log)
USMX_BUILTIN(log2)
USMX_BUILTIN(log10)
USMX_BUILTIN(log1p)
USMX_BUILTIN(sinh)
USMX_BUILTIN(cosh)
USMX_BUILTIN(asin)
USMX_BUILTIN(acos)
USMX_BUILTIN(atan)
USMX_BUILTIN(asinh)
USMX_BUILTIN(acosh)
USMX_BUILTIN(atanh)
#undef USMX_BUILTIN
#define USMX_BUILTIN(name)                                                  \
  template <class T>                                                        \
  inline T __spirv_ocl_##name(T x, T y) {                                   \
    constexpr std::size_t index = index_in(driver_functions_of_two, #name); \
    return find_driver_library<T>()->of_two[index].of_two(x, y);            \
  }
USMX_BUILTIN(pow)
USMX_BUILTIN(atan2)
USMX_BUILTIN(hypot)
#undef USMX_BUILTIN

// ---- builtins that no row of the table calls

#define USMX_BUILTIN(name) \
  template <class T>       \
  T __spirv_ocl_##name(T x);
USMX_BUILTIN(rsqrt)
USMX_BUILTIN(exp10)
USMX_BUILTIN(sinpi)
USMX_BUILTIN(cospi)
USMX_BUILTIN(erf)
USMX_BUILTIN(erfc)
USMX_BUILTIN(tgamma)
USMX_BUILTIN(lgamma)
#undef USMX_BUILTIN

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
// The builtins of clang's for devices: g++ lacks two of them, takes the third in no signature, and
// its library makes names of them that clang then has not.
#define __is_signed(T) (std::is_signed_v<T>)
#define __is_integral(T) (std::is_integral_v<T>)
#define __is_same(T, U) (std::is_same_v<T, U>)
#if defined(__clang__) && __clang_major__ < 15  // which lacks the type; no row computes in it here
struct no_half {
  no_half() = default;
  constexpr explicit no_half(float) {}
};
#define _Float16 no_half
#endif
#include <usmx/kernel_complex.hpp>
#undef _Float16
using namespace usmx;
#include "compute/device/device_functions.hpp"
#undef __is_same
#undef __is_integral
#undef __is_signed
#pragma GCC diagnostic pop

/// The type of such elements in arrays.
template <class C>
constexpr dtype type_of() {
  if constexpr (std::is_same_v<C, complex<float>>) {
    return complex64;
  } else if constexpr (std::is_same_v<C, complex<double>>) {
    return complex128;
  } else {
    return dtype::of<C>();
  }
}

}  // namespace
}  // namespace usmx::inline v1::internal::host
