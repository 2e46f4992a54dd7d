// Kernels of one expression for each element of arrays, which are broadcast together. usmx
// generates their source and compiles it for the types and the kind of layout of the arguments, at
// the first call with such ones. reduction_kernel.hpp has reductions.
//
//   const usmx::elementwise_kernel scale("T x, T a", "T out", "out = a * x");
//   const usmx::array z = scale(x, 2);
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
  /// statements of C++ that set the outputs. They may use the letters as types, `i`, the place of
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
  /// The same, with the event of the work on the outputs. May wait for that work where it is
  /// several commands.
  generated_result submit(std::span<const kernel_argument> inputs,
                          const generated_call_options& options = {},
                          const std::optional<std::vector<std::ptrdiff_t>>& shape = {}) const;

  struct implementation;

 private:
  friend class internal::elementwise_call;

  array only(std::vector<array> outputs) const;

  std::shared_ptr<const implementation> shared_;
};

}  // namespace usmx::inline v1
