// usmx.Kernel, usmx.local_memory and what calls generated kernels: kernels that users write.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "internals.hpp"
#include "support/errors.hpp"
#include "support/nanobind.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/kernels/compile.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::bindings {

/// The contents of a usmx.local_memory(dtype, n).
struct py_local_memory {
  held_dtype type;
  std::size_t count;
};

/// The arguments of a compilation as lists: pairs of `defines` and of `headers`, and `options`.
nb::object compile_arguments(nb::handle defines, nb::handle headers, nb::handle options);

/// The argument for an object that no kernel takes.
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

/// A kernel with one parameter, a number.
const kernel_signature& value_signature();

/// A number of Python's or NumPy's as an argument; none for any other object, and for an integer of
/// more than 64 bits.
std::optional<kernel_argument::number> number_argument(PyObject* object);

/// The queue of a kernel's arrays, which are among its arguments, as usmx's own queue; null if
/// there are no arrays. Throws ExecutionPlacementError, which names the arguments by their
/// positions, for two queues.
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
  /// Ends the line. The caller holds the interpreter lock.
  ~progress_line();

  /// Shows the time that has passed. The caller does not hold the interpreter lock. An exception
  /// that Python raises ends the compilation: it may be a Ctrl-C.
  void show(std::chrono::seconds passed);

 private:
  void tell(std::chrono::seconds passed) const;

  const std::vector<std::string>& names_;
  bool is_shown_ = false;
};

/// Raises a CompileError.
[[noreturn]] void raise_compile_error(const compile_error&);

/// Gives Python's warnings for the compiler's. The caller holds the interpreter lock.
void warn_of(const std::vector<diagnostic>&);

// The common parts of ElementwiseKernel and ReductionKernel: the arguments of a call, its outputs
// and its run.

/// The arguments of a constructor by their names: texts, and options.
struct generation_texts {
  std::vector<std::pair<const char*, std::string>> texts;
  generation_options options;

  /// The keywords that the constructor takes.
  nb::dict keywords() const;
};

/// A generated kernel as Python's objects hold it.
template <class Kernel>
struct py_generated {
  py_generated(Kernel made, generation_texts from)
      : kernel(std::move(made)), written(std::move(from)), names{kernel.name()} {}

  Kernel kernel;
  generation_texts written;
  std::vector<std::string> names;  // the one, as a progress_line takes it
};

/// The arguments of one call, and what they refer to.
class call_arguments {
 public:
  /// Takes the arguments of a call. Throws type_error for outputs that are given twice.
  template <class Kernel>
  call_arguments(const Kernel& kernel, nb::args given, nb::handle out)
      : call_arguments(kernel.name(), kernel.input_count(), kernel.output_count(), given, out) {}

  /// The arguments for internal::generated_call.
  std::span<const kernel_argument> all() const noexcept { return all_; }
  /// The queue of the call: `queue`, else that of the arrays, else the default queue. Throws
  /// ExecutionPlacementError for two queues of arrays.
  sycl::queue queue(nb::handle queue) const;
  /// The outputs as Python's objects. Those that the call lacks are made.
  std::vector<nb::object> outputs(internal::generated_call&, const sycl::queue&) const;

 private:
  call_arguments(const std::string& name, std::size_t input_count, std::size_t output_count,
                 nb::args given, nb::handle out);
  void take_outputs(const std::string& name, nb::handle out);
  kernel_argument argument(PyObject* object, bool may_be_number);

  std::string name_;  // of the kernel
  std::size_t output_count_;
  std::vector<PyObject*> outputs_;  // null for one that was not given
  std::vector<kernel_argument> all_;
  std::vector<std::unique_ptr<array>> imported_;  // they stay where they are
};

/// The arguments that the constructors of both classes have.
generation_options generation_arguments(nb::handle name, nb::handle preamble, nb::handle options,
                                        nb::handle debug);

/// The outputs of a call, one object or a tuple of several, and the events of the work on them.
struct started_call {
  nb::object outputs;
  detail::started_work events;
  sycl::queue queue;

  /// The result of submit(): the outputs and one event.
  nb::tuple with_event() const {
    const sycl::event done = [&] {
      const without_interpreter_lock unlocked;
      return internal::generated_call::event_of(events, queue);
    }();
    return nb::make_tuple(outputs, event_object(done));
  }
};

/// Runs a call of a generated kernel without the interpreter lock, after these events. Returns the
/// events of the work on its outputs. `names` is the kernel's name. Raises CompileError.
template <class Call>
detail::started_work run_call(const std::vector<std::string>& names, Call& call,
                              const sycl::queue& queue, std::vector<sycl::event> after) {
  progress_line line(names);
  generated_call_options how;
  how.after = std::move(after);
  how.progress = [&](std::chrono::seconds passed) { line.show(passed); };
  how.warned = [](const std::vector<diagnostic>& said) {
    const with_interpreter_lock locked;
    warn_of(said);
  };
  try {
    return launching(names.front(), [&] {
      const without_interpreter_lock unlocked;
      return call.run(queue, how);
    });
  } catch (const compile_error& failed) {
    raise_compile_error(failed);
  }
}

/// Runs a call of a kernel of Python's objects.
template <class Kernel, class Call>
started_call run(const py_generated<Kernel>& self, Call& call, const call_arguments& arguments,
                 const sycl::queue& queue, std::vector<sycl::event> after) {
  const std::vector<nb::object> outputs = arguments.outputs(call, queue);
  detail::started_work events = run_call(self.names, call, queue, std::move(after));
  if (outputs.size() == 1) {
    return {outputs.front(), std::move(events), queue};
  }
  nb::list all;
  for (const nb::object& each : outputs) {
    all.append(each);
  }
  return {nb::tuple(all), std::move(events), queue};
}

}  // namespace usmx::bindings
