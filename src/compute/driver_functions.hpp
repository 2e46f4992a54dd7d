// The mathematics of Intel's OpenCL driver for CPUs, which kernels call there: the host may call
// it, too, and has the same bits. Not installed.
#pragma once

#include <cstddef>
#include <string_view>

namespace usmx::inline v1::internal {

/// The function of one number for each type.
template <class T>
using driver_function = T (*)(T);

/// The driver's function, such as "sin". Null where the driver has loaded no library of functions
/// for the processor, which it does with the first kernel that calls one, or more than one.
template <class T>
driver_function<T> find_driver_function(std::string_view name);
template <>
driver_function<float> find_driver_function<float>(std::string_view name);
template <>
driver_function<double> find_driver_function<double>(std::string_view name);

}  // namespace usmx::inline v1::internal
