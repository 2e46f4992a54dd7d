// The mathematics of Intel's OpenCL driver for CPUs, which kernels call there: the host may call
// it, too, and has the same bits. Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace usmx::inline v1::internal {

/// The functions of one number that kernels leave to the driver, and those of two.
inline constexpr std::array<std::string_view, 18> driver_functions_of_one{
    "sin",   "cos",  "tan",  "exp",  "exp2", "expm1", "log",   "log2",  "log10",
    "log1p", "sinh", "cosh", "asin", "acos", "atan",  "asinh", "acosh", "atanh"};
inline constexpr std::array<std::string_view, 3> driver_functions_of_two{"pow", "atan2", "hypot"};

/// A function of the driver, for float or double.
template <class T>
struct driver_function {
  /// The function for single numbers.
  union {
    T (*of_one)(T);
    T (*of_two)(T, T);
  };
  /// The function for a vector of numbers, which is as long as the processor's.
  const void* of_vectors;
};

/// All of them.
template <class T>
struct driver_library {
  std::array<driver_function<T>, driver_functions_of_one.size()> of_one;
  std::array<driver_function<T>, driver_functions_of_two.size()> of_two;
  /// Whether the driver compiles kernels for a processor that multiplies and adds with one
  /// rounding.
  bool has_fma;
  /// Calls a function for rows of numbers. The results may be written over an operand.
  void (*run_of_one)(const driver_function<T>&, const T* a, T* results, std::ptrdiff_t count);
  void (*run_of_two)(const driver_function<T>&, const T* a, const T* b, T* results,
                     std::ptrdiff_t count);
};

/// Finds a function; null if the driver has loaded no library of functions for the processor, which
/// it does with the first kernel that calls one, or more than one.
template <class T>
const driver_library<T>* find_driver_library();
template <>
const driver_library<float>* find_driver_library<float>();
template <>
const driver_library<double>* find_driver_library<double>();

}  // namespace usmx::inline v1::internal
