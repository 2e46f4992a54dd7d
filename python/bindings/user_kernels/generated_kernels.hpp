// What kernels that Python generates have in common: their arguments, and what has been generated
// for arguments of which types and layouts.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "internals.hpp"
#include "support/arguments.hpp"
#include "support/nanobind.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::bindings {

/// Kernels that Python generated for one form of the loops.
struct generated_kernels {
  std::string form;
  nb::object kernels;  // a list of usmx.Kernel
};

/// What is known for arguments of certain types. Others may be added meanwhile, so that it stays
/// where it is.
struct typed_kernels {
  std::string key;
  kernel_signature signature;
  std::vector<dtype> types;  // of each parameter, and after them of what else Python chooses
  std::list<generated_kernels> generated;
};

/// What generates kernels. The interpreter lock guards it.
struct kernel_family {
  std::string name;
  std::vector<std::string> parameters;  // inputs first
  std::size_t input_count;
  std::list<typed_kernels> typed;

  std::size_t output_count() const noexcept { return parameters.size() - input_count; }
};

/// The arguments of one call, one for each parameter, and what they refer to.
class call_arguments {
 public:
  /// Throws type_error for too few or too many, and for what is no array and no number.
  call_arguments(const kernel_family&, std::span<PyObject* const> given, nb::handle out);

  /// Numbers and arrays; an output that is not given is "unsuitable".
  std::span<const kernel_argument> all() const noexcept { return all_; }
  const array* array_at(std::size_t k) const noexcept {
    const auto* found = std::get_if<const array*>(&all_[k].value());
    return found == nullptr ? nullptr : *found;
  }
  /// Arrays that are given: inputs, and then outputs.
  std::span<const array* const> arrays() const noexcept { return arrays_; }
  std::span<const array* const> inputs() const noexcept {
    return arrays().first(input_array_count_);
  }
  bool has_outputs() const noexcept { return arrays_.size() > input_array_count_; }
  /// What was given at that place; null for an output that was not.
  PyObject* object_at(std::size_t k) const noexcept { return objects_[k]; }

  /// The output for a place where none was given.
  void set_output(std::size_t k, const array& made) { all_[k] = kernel_argument(made); }

 private:
  void take_outputs(nb::handle out);
  kernel_argument argument(std::size_t k);

  const kernel_family& family_;
  std::vector<PyObject*> objects_;
  std::vector<kernel_argument> all_;
  std::vector<const array*> arrays_;
  std::size_t input_array_count_ = 0;
  std::vector<std::unique_ptr<array>> imported_;  // they stay where they are
};

/// What is known for arguments of these types: `self._choose_types` chooses those that are not.
typed_kernels& typed_for(nb::handle self, kernel_family&, const call_arguments&, nb::handle dtype);

/// The kernels for one form, which `self._generate` makes.
nb::handle kernels_for(nb::handle self, typed_kernels&, const std::string& form);

/// The shape that these arrays have together, by the rule of broadcasting.
counts common_shape(const kernel_family&, std::span<const array* const>);

/// Where it runs: `queue`, else where the arrays are, else the default queue.
/// ExecutionPlacementError for two.
sycl::queue call_queue(nb::handle queue, const call_arguments&);

/// As get_coerced_usm_type().
usm_kind common_kind(std::span<const array* const>);

/// The outputs as Python's objects; those that were not given are made, with that layout.
std::vector<nb::object> outputs_of(const kernel_family&, call_arguments&, const typed_kernels&,
                                   const layout&, const sycl::queue&);

/// One object, or a tuple of several.
nb::object as_result(const std::vector<nb::object>& outputs);

}  // namespace usmx::bindings
