// Element types of results: NumPy's promotion, with weak numbers. Not installed.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

/// All that promotion asks of an operand: the type of an array's elements. A number of the program
/// is weak: it takes the type of the arrays, if that is of its kind, and has bool, int64, float64
/// or complex128 here.
struct operand_kind {
  type_code type;
  bool is_weak;

  friend bool operator==(const operand_kind&, const operand_kind&) = default;
};

/// Whether elements are integers or bools.
inline bool is_whole(dtype type) noexcept {
  return type.kind() == 'b' || type.kind() == 'i' || type.kind() == 'u';
}

/// The smallest type that has the values of both; of 64-bit integers with and without a sign
/// float64. Precondition: both are plain.
USMX_API dtype promoted(dtype, dtype);

/// The type that all of them are promoted to, NumPy's result_type. Precondition: there is one at
/// least, and all are plain.
USMX_API dtype common_type(std::span<const operand_kind>);

/// Whether NumPy's casting 'same_kind' allows the conversion. Precondition: both are plain.
USMX_API bool is_same_kind(dtype from, dtype to) noexcept;

/// The type of a complex number's parts; another type itself.
USMX_API dtype real_part_type(dtype) noexcept;

/// The type that a call was asked to compute in, as near as the device has it; the result would be
/// of type `found`. Throws type_error, which begins with the function's name, unless it is of the
/// same kind or a higher one, another integer, or the elements' own.
dtype asked_type(std::string_view function, dtype of, dtype found, dtype asked, type_support);

/// The kind of an operand. None if it is neither an array nor a number.
std::optional<operand_kind> operand(const kernel_argument&);

/// Whether a type has the number; false for an integer that an integer type lacks.
bool has_integer(dtype, const kernel_argument::number&);

/// Whether a type has the number's value; false also for a finite number that becomes infinite.
USMX_API bool has_value(dtype, const kernel_argument::number&);

/// A number as elements of this type have it. Floating-point numbers that are too large become
/// infinite. Throws value_error, which begins with the function's name, for an integer that the
/// type lacks, and type_error for a number of a higher kind. Precondition: the type is plain.
USMX_API kernel_argument::number converted_number(std::string_view function,
                                                  const kernel_argument::number&, dtype);

}  // namespace usmx::inline v1::internal
