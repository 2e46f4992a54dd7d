// The kernels' own functions, compiled for the host: their names are those of the standard library.
// Each source that includes them is compiled without contraction, as kernels are.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace usmx::inline v1::internal::host {
namespace {

using namespace std;
#ifndef __clang__  // g++ lacks one builtin of clang's
#define __is_signed(T) (std::is_signed_v<T>)
#endif
#include "compute/device/device_functions.hpp"
#undef __is_signed

}  // namespace
}  // namespace usmx::inline v1::internal::host
