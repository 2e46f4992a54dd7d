// A call of a generated kernel: its arguments, checked, broadcast, and as loops in their simplest
// form, for element-wise kernels and for reductions. Not installed.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "generated_kernels/loop_form.hpp"
#include "layout/loops.hpp"
#include "memory/pending_work.hpp"
#include "user_kernels/kernel_code.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

using loop_dimension = strided_dimension<max_operands>;
using operand_loop = strided_loop<max_operands>;

/// An array of a loop: its strides as multiples of `item` bytes, which an element has.
struct loop_operand {
  std::span<const std::ptrdiff_t> strides;
  std::ptrdiff_t item;
  bool is_read;  // so that tiles can help
};

/// The most dimensions of a loop in a kernel; more are loops on the host.
inline constexpr std::size_t max_kernel_loop_dimensions = 8;

/// The step of an operand with elements of `item` bytes: any except those of tiles.
step step_of(const loop_dimension& columns, std::size_t operand, std::ptrdiff_t item) noexcept;

/// The form for a loop of these operands. Brings the dimension that tiles have as rows in front of
/// the last one.
loop_form choose_form(operand_loop& loop, std::span<const loop_operand> operands,
                      std::size_t batch);

/// Throws value_error or read_only_error, with the argument's index, unless the array is aligned as
/// its parameter asks, and may be written if it is.
void require_suitable(const kernel_signature&, std::size_t index, const array&);

/// Throws value_error, with the argument's index, for an array whose memory the kernel cannot use.
void require_in_reach(const kernel_signature&, std::size_t index, const array&, const kernel_home&);

/// Throws value_error, with the argument's index, for an array of another shape.
void require_shape(const kernel_signature&, std::size_t index, const array&,
                   std::span<const std::ptrdiff_t> shape);

/// The shape that arrays have together, by the rule of broadcasting. Throws value_error, which
/// begins with the function's name.
std::vector<std::ptrdiff_t> common_shape(std::string_view function,
                                         std::span<const array* const> arrays);
/// The one that these shapes have together.
std::vector<std::ptrdiff_t> common_shape(std::string_view function,
                                         std::span<const std::span<const std::ptrdiff_t>> shapes);

/// The kind of memory for a result: device memory if an array has it, else shared if one has that,
/// else host memory. Device memory where there is no array.
usm_kind common_kind(std::span<const array* const> arrays);

/// The layout of a new result: the axes lie in memory as those of all arrays of its shape do; where
/// these differ, in C order.
layout common_layout(std::span<const array* const> arrays, std::span<const std::ptrdiff_t> shape);

/// The array itself, or its elements repeated. Throws value_error if that is not possible.
array broadcast_to(const array&, std::span<const std::ptrdiff_t> shape);

/// Whether elements share bytes: the array has fewer bytes than its elements would have.
bool is_crowded(const array_view&);

array new_like(const array&);

/// The work of a call, some of which may have no event yet.
using started_work = std::vector<pending_event>;
std::vector<sycl::event> events_of(const started_work&);

/// An output that is computed in new memory, and then copied to the array that was given for it.
struct separate_output {
  array given;
  array made;
};
/// Copies the contents of outputs to their new memory: a kernel may read outputs, and need not
/// write all of them.
void copy_to_separate(std::span<const separate_output>);
/// Copies the new memory to the outputs, in their order. Adds the events of the copies.
void copy_from_separate(std::span<const separate_output>, started_work&);

/// A loop as a kernel gets it, as in source.cpp: the extents of the dimensions, and the strides of
/// the operands, dimension by dimension, in bytes.
using packed_loop = std::array<std::int64_t, max_kernel_loop_dimensions * (1 + max_operands)>;

/// The loop with as many dimensions as the kernel has: the first ones may have extent 1.
packed_loop packed(std::span<const loop_dimension>, std::size_t operand_count,
                   std::size_t kernel_dimensions);

std::ptrdiff_t items_of(std::span<const loop_dimension>) noexcept;

inline std::size_t rounded_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {

namespace detail {
class kernel_family;
struct reduction_loops;
class view_checks;
struct passed_parameter;
struct typed_arguments;
}  // namespace detail

namespace internal {

/// The common part of calls of element-wise kernels and of reductions. It refers to the kernel and
/// to the arguments.
class USMX_API generated_call {
 public:
  generated_call(const generated_call&) = delete;
  generated_call& operator=(const generated_call&) = delete;

  bool lacks_output(std::size_t output) const;
  /// The type that an array for this output must have. Its shape and its order are those of
  /// `output_layout()`.
  dtype output_type(std::size_t output) const;
  const layout& output_layout() const noexcept { return output_layout_; }
  /// The kind of memory for outputs: device memory if an input has it, else shared if one has that,
  /// else host memory.
  usm_kind output_kind() const;
  /// Sets an output to an array that was made for it.
  void set_output(std::size_t output, const array& made);

  /// Makes one event of those of a run. May wait.
  USMX_API static sycl::event event_of(const detail::started_work& run, const sycl::queue&);

 protected:
  /// Takes an argument for each input, and none or one for each output; an unsuitable one without a
  /// text is an output to be made. Throws type_error for too few or too many, for an argument that
  /// is no array and no number, and for types that do not suit (detail::choose_types).
  generated_call(const detail::kernel_family&, std::span<const kernel_argument>,
                 std::optional<dtype> wanted);
  ~generated_call();

  const array* array_at(std::size_t k) const noexcept;
  bool is_raw(std::size_t k) const;
  bool is_output(std::size_t k) const;
  /// The arrays that are given and that the loop goes through: inputs, or outputs as well.
  std::vector<const array*> operands(bool with_outputs) const;
  /// Checks argument k, an array, as the compiled kernel's parameter `index`: throws type_error or
  /// value_error if the preamble's structure has another size than the array's elements, or needs
  /// another alignment. Other arguments were checked before.
  void require_structure(std::size_t k, const kernel_signature& compiled, std::size_t index) const;
  bool has_raw_arrays() const;
  /// A bit for each parameter: whether it is a raw array in C order (detail::call_form).
  std::uint32_t raw_in_c_order() const;
  /// The report of bad indices, if there are raw arrays and the kernel checks them.
  std::optional<detail::view_checks> index_checks(const sycl::queue&) const;

  const detail::kernel_family& family_;
  std::vector<kernel_argument> arguments_;  // one for each parameter
  std::shared_ptr<const detail::typed_arguments> typed_;
  layout output_layout_;

 private:
  void check_kinds() const;
  void set_raw_arrays();

  std::deque<array> own_;  // what arguments refer to
};

/// A call of an element-wise kernel. An output that overlaps another argument, other than element
/// by element, is computed in new memory first, and so is a raw output that overlaps another
/// argument at all.
class USMX_API elementwise_call : public generated_call {
 public:
  /// Takes the arguments of elementwise_kernel::call(); outputs may follow the inputs. `shape` is
  /// empty if the arguments give it. Throws as call() does. Makes and changes nothing.
  elementwise_call(const elementwise_kernel&, std::span<const kernel_argument>,
                   std::optional<dtype> wanted,
                   const std::optional<std::vector<std::ptrdiff_t>>& shape);
  ~elementwise_call();

  /// Runs the kernel on a queue, after the events and the work on the arrays. No output is lacking.
  /// It uses those options that are not arguments of the call. Returns the events of all work on
  /// the outputs.
  detail::started_work run(const sycl::queue&, const generated_call_options&);

 private:
  struct plan;

  void separate_raw_outputs();
  plan make_plan(const sycl::device&) const;
  held_kernels generated_for(const plan&, const sycl::queue&, const generated_call_options&) const;
  detail::started_work launch(const plan&, const usmx::kernel&, const sycl::queue&,
                              std::span<const sycl::event> after) const;

  const elementwise_kernel::implementation& kernel_;
  std::vector<detail::separate_output> separated_;  // raw ones
};

/// A call of a reduction. The first kernel makes parts of each result, of elements that are always
/// the same ones for one shape, and the second one puts the parts together, in their order.
class USMX_API reduction_call : public generated_call {
 public:
  /// Takes the arguments of reduction_kernel::call(); outputs may follow the inputs. Throws as
  /// call() does. Makes and changes nothing.
  reduction_call(const reduction_kernel&, std::span<const kernel_argument>, const reduction_axes&,
                 std::optional<dtype> wanted);
  ~reduction_call();

  /// Runs the kernels on a queue, after the events and the work on the arrays. No output is
  /// lacking. It uses those options that are not arguments of the call. Returns the events of all
  /// work on the outputs.
  detail::started_work run(const sycl::queue&, const generated_call_options&);

 private:
  struct plan;

  plan make_plan(const sycl::device&) const;
  bool writes_what_it_reads(const detail::reduction_loops&) const;
  std::vector<detail::passed_parameter> passed_to_first(const plan&) const;
  std::vector<detail::passed_parameter> passed_to_end(const plan&) const;
  void add_outputs(const plan&, const usmx::kernel&, std::vector<detail::argument_bytes>&,
                   std::vector<detail::array_use>&) const;
  detail::pending_event launch_first(const plan&, const usmx::kernel&, const sycl::queue&,
                                     std::span<const sycl::event> after) const;
  detail::pending_event launch_end(const plan&, const usmx::kernel&, const sycl::queue&,
                                   std::span<const sycl::event> after) const;

  const reduction_kernel::implementation& kernel_;
  std::vector<std::ptrdiff_t> shape_;  // that inputs are broadcast to
  std::vector<char> reduced_;          // for each axis whether it is
  bool are_kept_;
};

}  // namespace internal

}  // namespace usmx::inline v1
