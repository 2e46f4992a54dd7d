// Draws from distributions into arrays, for generators of C++ and of Python. Not installed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

/// Whether the numbers of a distribution are integers, which are int64. Throws value_error for
/// another name.
USMX_API bool draws_integers(std::string_view distribution);

/// Fills an array with the numbers of a seed from number `first` on, which are computed in the type
/// `real`. Parameters are numbers or arrays of the shape of `out`.
USMX_API void draw(std::string_view distribution, dtype real, std::uint64_t key,
                   std::uint64_t first, std::span<const kernel_argument> parameters,
                   const array& out, const std::function<void(std::chrono::seconds)>& progress);

}  // namespace usmx::inline v1::internal
