// Kernels that put the elements of arrays together, along some axes or all. usmx generates their
// source and compiles it for the types and the kind of layout of the arguments, at the first call
// with such ones. elementwise_kernel.hpp has kernels without reductions.
//
//   const usmx::reduction_kernel norm("T x", "T y", {.map = "x * x", .reduce = "a + b",
//                                                    .post_map = "y = sqrt(a)", .identity = "0"});
//   const usmx::array lengths = norm.along({.axes = {{1}}}, x);
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_call.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {

namespace internal {
class reduction_call;
}

/// The expressions of a reduction, in C++.
struct reduction_expressions {
  /// An expression of the inputs, of `i`, the place of the element among those of its result in C
  /// order, and of `n`, their number.
  std::string map;
  /// An expression of `a` and `b` that puts two values together. Their order must not matter.
  std::string reduce;
  /// Statements that set the outputs from `a`, inputs that are numbers or raw, and `n`.
  std::string post_map;
  /// An expression for the result of no elements. Empty: there is none.
  std::string identity = {};
  /// The type of `a` and `b`: the name of a type, a letter of the parameters, or a structure of the
  /// preamble. Empty: that of the first output.
  std::string type = {};
};

/// The axes of a reduction.
struct reduction_axes {
  /// The axes that are reduced; negative ones count from the end. None: all.
  std::optional<std::vector<std::ptrdiff_t>> axes = {};
  /// Whether the reduced axes stay, with one element.
  bool are_kept = false;
};

/// A reduction. For one shape and device it puts elements together in the same order each time.
/// Copies share it, and what it has compiled. Thread-safe.
class USMX_API reduction_kernel {
 public:
  /// The parameters are written as for elementwise_kernel. Throws value_error for those that are
  /// not, of which two have one name or one is called `a` or `b`, for none that are outputs, and
  /// for raw outputs. Compiles nothing.
  reduction_kernel(std::string_view inputs, std::string_view outputs,
                   reduction_expressions expressions, generation_options options = {});
  // No moves: an object that was moved from would have nothing to call.
  reduction_kernel(const reduction_kernel&) = default;
  reduction_kernel& operator=(const reduction_kernel&) = default;

  /// The name that was given.
  const std::string& name() const noexcept;
  /// How many inputs there are.
  std::size_t input_count() const noexcept;
  /// How many outputs there are.
  std::size_t output_count() const noexcept;

  /// Reduces all axes to one output, a new array without dimensions. Throws type_error if there are
  /// several outputs.
  template <class... Arguments>
  array operator()(const Arguments&... arguments) const {
    return along({}, arguments...);
  }
  /// Reduces these axes to one output, a new array.
  template <class... Arguments>
  array along(const reduction_axes& axes, const Arguments&... arguments) const {
    const std::array<kernel_argument, sizeof...(Arguments)> all{kernel_argument(arguments)...};
    return only(call(all, axes));
  }
  /// Computes the outputs, and returns them, as given or as new arrays in C order. Arguments are as
  /// for elementwise_kernel, outputs after the inputs too, and one that is not raw is an array. An
  /// output may overlap inputs and other outputs, of which the last one counts. Waits and throws as
  /// elementwise_kernel::call() does, and throws axis_error for an axis that there is not,
  /// value_error for one that is given twice, for a reduction of no elements without an identity,
  /// and for more than 8 kept or reduced dimensions once neighbours are joined.
  std::vector<array> call(std::span<const kernel_argument> inputs, const reduction_axes& axes = {},
                          const generated_call_options& options = {}) const;
  /// The same, with the event of the work on the outputs.
  generated_result submit(std::span<const kernel_argument> inputs, const reduction_axes& axes = {},
                          const generated_call_options& options = {}) const;

  struct implementation;

 private:
  friend class internal::reduction_call;

  array only(std::vector<array> outputs) const;

  std::shared_ptr<const implementation> shared_;
};

}  // namespace usmx::inline v1
