// usmx.Kernel, usmx.local_memory and what calls generated kernels: kernels that users write.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "internals.hpp"
#include "support/nanobind.hpp"
#include "usmx/user_kernels/compile.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::bindings {

/// The contents of a usmx.local_memory(dtype, n).
struct py_local_memory {
  held_dtype type;
  std::size_t count;
};

/// The argument for an object of which a kernel can make nothing.
kernel_argument unsuitable(PyObject* object);

/// The arguments of one launch, and what they refer to.
class launch_arguments {
 public:
  /// Takes the arguments from `arguments[0]` on, for these parameters.
  launch_arguments(std::span<PyObject* const> arguments, const kernel_signature&);

  std::span<const kernel_argument> all() const noexcept { return all_; }

 private:
  kernel_argument argument_for(const kernel_parameter&, PyObject* object);
  kernel_argument value_of(const kernel_parameter&, PyObject* object);
  kernel_argument value_in_buffer(const kernel_parameter&, PyObject* object);

  std::vector<kernel_argument> all_;
  // The arrays and buffers that were made for arguments. They stay where they are.
  std::vector<std::unique_ptr<array>> imported_;
  std::vector<std::unique_ptr<held_buffer>> buffers_;
};

/// usmx's own queue of a kernel's arrays, which stand among its arguments; null if there are none.
/// ExecutionPlacementError for two, which names the arguments by their places.
const sycl::queue* queue_of_all(const std::string& kernel, std::span<const kernel_argument>);

/// The events of an argument `after`.
std::vector<sycl::event> events_argument(nb::handle after);

/// Kernel, local_memory and _compile_kernels.
void bind_user_kernels(nb::module_& m);
/// ElementwiseKernel.
void bind_elementwise(nb::module_& m);
/// ReductionKernel.
void bind_reduction(nb::module_& m);

// Reports of a compilation to Python: its progress, its warnings and its errors.

/// Tells the user that a compilation takes long. It refers to the names.
class progress_line {
 public:
  explicit progress_line(const std::vector<std::string>& names) : names_(names) {}
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  /// With the interpreter lock.
  ~progress_line();

  /// Without the interpreter lock. What Python raises ends the compilation: it may be a Ctrl-C.
  void show(std::chrono::seconds passed);

 private:
  void tell(std::chrono::seconds passed) const;

  const std::vector<std::string>& names_;
  bool is_shown_ = false;
};

/// Raises a CompileError.
[[noreturn]] void raise_compile_error(const compile_error&);

/// Python's warnings for the compiler's. To be called with the interpreter lock.
void warn_of(const std::vector<diagnostic>&);

}  // namespace usmx::bindings
