// The arguments of one call of a generated kernel, as the kernel takes them. Not installed.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {

namespace detail {
class kernel_family;
class view_checks;
struct typed_arguments;
}  // namespace detail

namespace internal {

/// The common part of calls of element-wise kernels and of reductions. It refers to the kernel and
/// to the arguments.
class USMX_API generated_call {
 public:
  generated_call(const generated_call&) = delete;
  generated_call& operator=(const generated_call&) = delete;

  /// Whether no array was given for an output.
  bool lacks_output(std::size_t output) const;
  /// The type that an array for this output must have. Its shape and its order are those of
  /// `output_layout()`.
  dtype output_type(std::size_t output) const;
  const layout& output_layout() const noexcept { return output_layout_; }
  /// The kind of memory for outputs: device memory if an input has it, else shared if one has that,
  /// else host memory.
  usm_kind output_kind() const;
  /// That array.
  void set_output(std::size_t output, const array& made);

  /// One event for those of a run. May wait.
  USMX_API static sycl::event event_of(const std::vector<sycl::event>& run, const sycl::queue&);

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
  /// Arrays that are given and that the loop goes through: inputs, or outputs as well.
  std::vector<const array*> operands(bool with_outputs) const;
  /// The shape that arrays have together, by the rule of broadcasting. Throws value_error.
  std::vector<std::ptrdiff_t> common_shape(std::span<const array* const>) const;
  /// For argument k, an array, as the compiled kernel's parameter `place`: throws type_error or
  /// value_error where the preamble's structure has another size than the array's elements, or
  /// needs another alignment. Other arguments were checked before.
  void require_structure(std::size_t k, const kernel_signature& compiled, std::size_t place) const;
  /// A letter for each raw array: what its kernel is generated for.
  std::string raw_forms() const;
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

}  // namespace internal

}  // namespace usmx::inline v1
