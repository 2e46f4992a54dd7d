// Calls of the element-wise functions: the types of a call, the kernel's source, and the kernels
// that were called. Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compute/promotion.hpp"
#include "compute/table.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::internal {

/// No function has more operands.
inline constexpr std::size_t max_function_operands = 3;

/// The types of a call.
struct elementwise_types {
  /// The types of the kernel's inputs, for which a number becomes an element.
  std::array<type_code, max_function_operands> inputs;
  /// The type in which the function computes: float for float16.
  type_code computed;
  type_code result;
};

/// Throws type_error unless the function has so many operands.
void require_operands(const function_row&, std::size_t count);

/// The types for operands of these kinds on a device of that support. Throws type_error if the
/// function is not defined for them, or has not so many operands.
USMX_API elementwise_types types_of(const function_row&, std::span<const operand_kind>,
                                    type_support);

/// Whether the inputs are integers that are compared as they are, without a common type.
bool compares_as_they_are(const function_row&, const elementwise_types&) noexcept;

/// The statements of the kernel, which set the variable `out` of type `written`.
USMX_API std::string operation_of(const function_row&, const elementwise_types&, type_code written,
                                  std::string_view out = "out");

/// The kernel language's name of a plain type: one word, so that it can be called.
USMX_API std::string_view language_name(dtype) noexcept;

/// All that a call of a function does for operands of certain kinds.
struct elementwise_plan {
  elementwise_types types;
  elementwise_kernel kernel;
};

/// The plan for operands of these kinds, whose result is written in the type `into`, by default its
/// own; it is made once, and kept while it is among the last `max_plans` that were used. Throws as
/// types_of() does, and type_error if the result cannot be in that type.
USMX_API std::shared_ptr<const elementwise_plan> plan_for(const function_row&,
                                                          std::span<const operand_kind>,
                                                          std::optional<type_code> into,
                                                          type_support);
inline constexpr std::size_t max_plans = 1024;

/// How many plans are kept.
std::size_t plan_count();

}  // namespace usmx::inline v1::internal
