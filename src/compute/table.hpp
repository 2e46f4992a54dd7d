// The table of the element-wise functions, of which compute/table.inc is the text, and the sources
// that kernels of mathematics begin with. Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// The type of a function's results.
enum class result_rule {
  same,      ///< The common type of the operands.
  floating,  ///< The common type, where integers become the default floating-point type.
  real,      ///< The common type, where complex numbers become the type of their parts.
  truth,     ///< bool.
};

/// An element-wise function.
struct function_row {
  std::string_view name;
  /// The names of the operands, with spaces between them.
  std::string_view operands;
  std::string_view summary;
  result_rule result;
  /// The arguments of an example, and what a call with them prints.
  std::string_view arguments;
  std::string_view prints;
  /// Special cases, in words.
  std::string_view note = {};
  /// The largest errors, in units in the last place, for real and for complex numbers; 0: as
  /// NumPy's. tools/measure_accuracy.py measures them; they hold for every vector unit of CPUs, and
  /// on CUDA.
  std::array<double, 2> errors = {};
  /// NumPy's function, if it has another name.
  std::string_view numpy = {};
  /// Whether float16 computes in float16.
  bool in_half = false;
  /// Whether integers are compared as they are, and numbers may be outside of the type.
  bool compares = false;
  /// Whether only the truth of operands counts, so that numbers may be outside of the type.
  bool is_logical = false;
  /// How many operands in front decide, and take no part in promotion.
  int conditions = 0;
  /// Whether a kernel, which has it in vectors, soon beats a loop of the host for real numbers.
  bool is_vectorized_in_kernels = false;
  /// The expressions, one for each class, in the order of `classes`; empty if the function is not
  /// defined.
  std::array<std::string_view, 5> expressions = {};

  static constexpr std::string_view classes = "biufc";

  /// The expression for a class, which is a type's kind; empty if there is none.
  constexpr std::string_view expression(char kind) const noexcept {
    const std::size_t found = classes.find(kind);
    return found == classes.npos ? std::string_view() : expressions[found];
  }
  constexpr std::size_t operand_count() const noexcept {
    std::size_t count = 1;
    for (const char each : operands) {
      count += each == ' ' ? 1 : 0;
    }
    return count;
  }
};

// The initializer of a row, of what USMX_FUNCTION says.
#define USMX_FUNCTION_ROW(function, names, words, rule, call, shown, ...) \
  {.name = #function,                                                     \
   .operands = names,                                                     \
   .summary = words,                                                      \
   .result = result_rule::rule,                                           \
   .arguments = call,                                                     \
   .prints = shown __VA_OPT__(, ) __VA_ARGS__}

/// All rows, in the order of the table.
USMX_API std::span<const function_row> function_rows() noexcept;

/// The row of a function. Throws value_error if there is none of that name.
USMX_API const function_row& function_named(std::string_view name);

/// The text of a file of compute/device. Throws value_error if there is none of that name.
USMX_API std::string_view device_text(std::string_view name);

}  // namespace usmx::inline v1::internal
