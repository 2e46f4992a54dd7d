// Kernels whose source usmx generates: of one expression for each element of arrays, and
// reductions, which put elements together. Their options and results come first.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/kernels/compile.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {

/// The options of a generated kernel besides its expressions.
struct generation_options {
  /// An identifier, for messages.
  std::string name = "kernel";
  /// C++ that comes before the kernel, such as functions that it uses.
  std::string preamble = {};
  /// Options for the compiler, as compile_options has them.
  std::vector<std::string> options = {};
  /// Whether each index of a raw array is checked. Each call then waits for the kernel, and throws
  /// index_error with the first bad index. Bad indices reach no array.
  bool debug = false;
};

/// The result of submit() of a generated kernel.
struct generated_result {
  /// The outputs, as call() returns them.
  std::vector<array> outputs;
  /// Complete when the outputs are.
  sycl::event done;
};

/// The options of one call of a generated kernel.
struct generated_call_options {
  /// An array for each output, or none for a new one. Empty: all are new.
  std::vector<std::optional<array>> outputs = {};
  /// @cond
  [[no_unique_address]] detail::not_out out = {};
  /// @endcond
  /// The type that stands for type variables that no array names.
  std::optional<dtype> type = {};
  /// The queue of the call; null for the queue of the arrays, else the default queue.
  const sycl::queue* queue = nullptr;
  /// Events that it comes after, besides the work on the arrays.
  std::vector<sycl::event> after = {};
  /// A function as in compile_options, for the sources that the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
  /// A function for the compiler's warnings, if the call compiles a source and there are some. It
  /// is called under no lock. An exception of it ends the call, which then runs nothing.
  std::function<void(const std::vector<diagnostic>&)> warned = {};
};

// Kernels of one expression for each element of arrays, which are broadcast together. usmx
// generates their source and compiles it for the types and the kind of layout of the arguments, at
// the first call with such ones.
//
//   const usmx::elementwise_kernel scale("T x, T a", "T out", "out = a * x");
//   const usmx::array z = scale(x, 2);

namespace internal {
class elementwise_call;
}

/// An element-wise kernel. Copies share it, and what it has compiled. Thread-safe.
class USMX_API elementwise_kernel {
 public:
  /// `inputs` and `outputs` are pairs of type and name, such as "T x, float32 y, raw T table". A
  /// type is a name of dtype::name(), or one letter that stands for any type, the same one wherever
  /// it is used, or a structure of the preamble, which stands for a structured type of its size.
  /// The operation indexes raw arrays by itself: `table[k]` is the k-th element in C
  /// order, `table(i, j)` and `table.extent(0)` are those of a usmx::view. `operation` are
  /// statements of C++ that set the outputs. They may use the letters as types, `i`, the index of
  /// the element in C order, and what usmx/kernel.hpp has. Throws value_error for parameters that
  /// are not written so, of which two have one name, or without outputs. Compiles nothing.
  elementwise_kernel(std::string_view inputs, std::string_view outputs, std::string operation,
                     generation_options options = {});
  // No moves: an object that was moved from would have nothing to call.
  elementwise_kernel(const elementwise_kernel&) = default;
  elementwise_kernel& operator=(const elementwise_kernel&) = default;

  /// The name that was given.
  const std::string& name() const noexcept;
  /// How many inputs there are.
  std::size_t input_count() const noexcept;
  /// How many outputs there are.
  std::size_t output_count() const noexcept;

  /// Computes one output, which is a new array: `call()` with arrays of any layout and numbers.
  /// Throws type_error if there are several outputs.
  template <class... Arguments>
  array operator()(const Arguments&... arguments) const {
    const std::array<kernel_argument, sizeof...(Arguments)> all{kernel_argument(arguments)...};
    return only(call(all));
  }
  /// Computes the outputs, and returns them, as given or as new arrays. An argument for each input
  /// is an array of any layout or a number that its parameter's type can hold; arrays are broadcast
  /// together. An array for each output may follow the inputs, instead of those of the options. New
  /// outputs have the kind of memory of which one input is, first device, then shared memory, and
  /// the order of axes in memory that all inputs of their shape have, else C order. An output may
  /// be an input; one that overlaps inputs otherwise is computed in new memory first, and so is a
  /// raw output that overlaps other arguments at all. Raw outputs must be given. `shape` is that of
  /// the outputs where no argument but raw ones is an array.
  ///
  /// Waits as submit() does, for memory that others may work on, and for the compiler. Throws
  /// type_error if an argument is of another kind or element type, or a type variable stands for
  /// two types or none; value_error if shapes do not suit, a number does not fit, an output is
  /// read-only, or the arrays are on two queues; compile_error if the source cannot be compiled for
  /// these types.
  std::vector<array> call(std::span<const kernel_argument> inputs,
                          const generated_call_options& options = {},
                          const std::optional<std::vector<std::ptrdiff_t>>& shape = {}) const;
  /// Computes the outputs as call() does, and returns them with the event of the work on them. May
  /// wait for that work where it is several commands.
  generated_result submit(std::span<const kernel_argument> inputs,
                          const generated_call_options& options = {},
                          const std::optional<std::vector<std::ptrdiff_t>>& shape = {}) const;

  struct implementation;

 private:
  friend class internal::elementwise_call;

  array only(std::vector<array> outputs) const;

  std::shared_ptr<const implementation> shared_;
};

// Kernels that put the elements of arrays together, along some axes or all. usmx generates their
// source and compiles it for the types and the kind of layout of the arguments, at the first call
// with such ones.
//
//   const usmx::reduction_kernel norm("T x", "T y", {.map = "x * x", .reduce = "a + b",
//                                                    .post_map = "y = sqrt(a)", .identity = "0"});
//   const usmx::array lengths = norm.along(1, x);

namespace internal {
class reduction_call;
}

/// The expressions of a reduction, in C++.
struct reduction_expressions {
  /// An expression of the inputs, of `i`, the index of the element among those of its result in C
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
  /// The type in which `reduce` puts eight values together at a time, before they join a value of
  /// `type`, which is made from it: a sum in more digits than its values have then converts one
  /// value of eight. Written as `type` is. Empty: each value is made one of `type` at once.
  std::string block_type = {};
};

/// The axes that a reduction goes along: one as a number, several in braces or in a range of
/// integers, or all. Negative axes count from the end.
class axes_argument {
 public:
  /// All axes.
  axes_argument(std::nullopt_t) noexcept {}
  /// These axes: `1`, `{0, 1}`. Throws overflow_error for one that does not fit std::ptrdiff_t.
  template <std::integral... Axes>
    requires(sizeof...(Axes) > 0 && (... && !std::same_as<Axes, bool>))
  axes_argument(Axes... axes) : axes_(std::vector{checked(axes)...}) {}
  /// These axes.
  axes_argument(std::vector<std::ptrdiff_t> axes) noexcept : axes_(std::move(axes)) {}
  /// The axes of a range of integers. Throws overflow_error for one that does not fit
  /// std::ptrdiff_t.
  template <detail::sized_range_of_integers Axes>
  axes_argument(const Axes& axes) : axes_(std::in_place) {
    for (const auto axis : axes) {
      axes_->push_back(checked(axis));
    }
  }

  /// The axes, or none for all.
  const std::optional<std::vector<std::ptrdiff_t>>& value() const noexcept { return axes_; }

 private:
  template <class Axis>
  static std::ptrdiff_t checked(Axis axis) {
    if (!std::in_range<std::ptrdiff_t>(axis)) {
      throw overflow_error(detail::message("axis ", axis, " does not fit ptrdiff_t"));
    }
    return static_cast<std::ptrdiff_t>(axis);
  }

  std::optional<std::vector<std::ptrdiff_t>> axes_;
};

/// The axes of a reduction, and whether they stay: `{.axes = 1, .are_kept = true}`.
struct reduction_axes {
  /// @cond
  [[no_unique_address]] detail::named_members_follow members = detail::named_members_follow();
  /// @endcond
  /// The axes that are reduced.
  axes_argument axes = std::nullopt;
  /// Whether the reduced axes stay, with one element.
  bool are_kept = false;
};

namespace detail {

/// The names that other libraries have for the members of reduction_axes.
struct reduction_spellings {
  [[no_unique_address]] named_members_follow members = named_members_follow();
  any_argument axis = {};
  any_argument axes = {};
  any_argument dim = {};
  any_argument are_kept = {};
  any_argument keepdims = {};
  any_argument keepdim = {};
  any_argument correction = {};
  any_argument ddof = {};
  any_argument type = {};
  any_argument dtype = {};
  any_argument outputs = {};
  any_argument out = {};
};

}  // namespace detail

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
  /// Reduces along these axes: `along(1, x)` or `along({0, 1}, x)`.
  template <class... Arguments>
  array along(const axes_argument& axes, const Arguments&... arguments) const {
    return along(reduction_axes{.axes = axes}, arguments...);
  }
  /// Computes the outputs, and returns them, as given or as new arrays in C order. Arguments are as
  /// for elementwise_kernel, outputs after the inputs too, and one that is not raw is an array. An
  /// output may overlap inputs and other outputs, of which the last one counts. Waits and throws as
  /// elementwise_kernel::call() does, and throws axis_error for an axis that there is not,
  /// value_error for one that is given twice, for a reduction of no elements without an identity,
  /// and for more than 8 kept or reduced dimensions once neighbours are joined.
  std::vector<array> call(std::span<const kernel_argument> inputs, const reduction_axes& axes = {},
                          const generated_call_options& options = {}) const;
  /// Computes the outputs as call() does, and returns them with the event of the work on them.
  generated_result submit(std::span<const kernel_argument> inputs, const reduction_axes& axes = {},
                          const generated_call_options& options = {}) const;

  struct implementation;

 private:
  friend class internal::reduction_call;

  array only(std::vector<array> outputs) const;

  std::shared_ptr<const implementation> shared_;
};

}  // namespace usmx::inline v1
