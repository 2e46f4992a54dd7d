// Calls of special functions, whose types the caller has found. Not installed.
#pragma once

#include <span>
#include <string_view>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

/// Whether there is a special function of that name.
USMX_API bool is_special_function(std::string_view name) noexcept;

/// Calls a special function for operands of a floating-point type: arrays of it, and numbers.
/// Throws value_error for another name, type_error for another number of operands.
USMX_API array special_of(std::string_view name, dtype, std::span<const kernel_argument> operands,
                          const generated_call_options& how);

}  // namespace usmx::inline v1::internal
