#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "elements/dtype_argument.hpp"
#include "exchange/producers.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/dpctl_objects.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

/// A kernel that Python generated for one form of the loop.
struct generated_kernel {
  std::string form;
  nb::object kernel;  // a usmx.Kernel
};

/// What is known for arguments of certain types. Others may be added meanwhile, so that it stays
/// where it is.
struct typed_kernels {
  std::string key;
  kernel_signature signature;
  std::vector<dtype> types;  // one for each parameter
  std::list<generated_kernel> generated;
};

/// What the base class of usmx.ElementwiseKernel holds. The interpreter lock guards it.
struct py_elementwise {
  std::string name;
  std::vector<std::string> parameters;
  std::size_t input_count;
  bool uses_index;
  std::list<typed_kernels> typed;

  std::size_t output_count() const noexcept { return parameters.size() - input_count; }
};

// ---- arguments

/// The arguments of one call, one for each parameter, and what they refer to.
class call_arguments {
 public:
  call_arguments(const py_elementwise& kernel, std::span<PyObject* const> given, nb::handle out)
      : kernel_(kernel), objects_(kernel.parameters.size(), nullptr) {
    const std::size_t most = kernel.parameters.size();
    if (given.size() != kernel.input_count && given.size() != most) {
      throw type_error(detail::message(kernel.name, " takes ", kernel.input_count, " inputs",
                                       ", and may be followed by ", kernel.output_count(),
                                       " outputs, found ", given.size(), " arguments"));
    }
    std::ranges::copy(given, objects_.begin());
    if (!out.is_none()) {
      if (given.size() == most) {
        throw type_error(kernel.name + ": the outputs are given twice, by position and by out=");
      }
      take_outputs(out);
    }
    all_.reserve(most);
    for (std::size_t k = 0; k < most; ++k) {
      all_.push_back(argument(k));
    }
  }

  /// Numbers and arrays; an output that is not given is "unsuitable".
  std::span<const kernel_argument> all() const noexcept { return all_; }
  const array* array_at(std::size_t k) const noexcept {
    const auto* found = std::get_if<const array*>(&all_[k].value());
    return found == nullptr ? nullptr : *found;
  }
  /// Arrays that are given, inputs and outputs.
  std::span<const array* const> arrays() const noexcept { return arrays_; }
  /// What was given at that place; null for an output that was not.
  PyObject* object_at(std::size_t k) const noexcept { return objects_[k]; }
  bool has_outputs() const noexcept {
    return std::any_of(objects_.begin() + static_cast<std::ptrdiff_t>(kernel_.input_count),
                       objects_.end(), [](PyObject* each) { return each != nullptr; });
  }

  /// The output for a place where none was given.
  void set_output(std::size_t k, const array& made) { all_[k] = kernel_argument(made); }

 private:
  /// One array, or a tuple of arrays and None.
  void take_outputs(nb::handle out) {
    const std::size_t count = kernel_.output_count();
    if (!PyTuple_Check(out.ptr())) {
      if (count != 1) {
        throw type_error(detail::message("out must be a tuple of ", count, " arrays, found an ",
                                         "object of type ", type_name(out.ptr())));
      }
      objects_[kernel_.input_count] = out.ptr();
      return;
    }
    if (nb::len(out) != count) {
      throw value_error(detail::message("out must be a tuple of ", count, " arrays, found ",
                                        nb::len(out)));
    }
    for (std::size_t k = 0; k < count; ++k) {
      PyObject* const item = PyTuple_GET_ITEM(out.ptr(), static_cast<Py_ssize_t>(k));
      objects_[kernel_.input_count + k] = item == Py_None ? nullptr : item;
    }
  }

  kernel_argument argument(std::size_t k) {
    PyObject* const object = objects_[k];
    if (object == nullptr) {
      return kernel_argument(kernel_argument::unsuitable{"nothing"});
    }
    if (const array* own = as_array(object)) {
      arrays_.push_back(own);
      return *own;
    }
    const bool is_input = k < kernel_.input_count;
    if (!PyFloat_Check(object) && !PyLong_Check(object)) {
      if (std::optional<array> found = array_of_other_producer(object)) {
        imported_.push_back(std::make_unique<array>(*std::move(found)));
        arrays_.push_back(imported_.back().get());
        return *imported_.back();
      }
    }
    if (is_input) {
      static const kernel_signature value{
          "", {{parameter_form::value, type_code::float64, 8, 8, "double"}}, 0};
      const launch_arguments number({&object, 1}, value);
      if (std::holds_alternative<kernel_argument::number>(number.all()[0].value())) {
        return number.all()[0];
      }
    }
    throw type_error(detail::message(
        kernel_.name, ": argument '", kernel_.parameters[k], "' must be ",
        is_input ? "an array in USM or a number" : "an array in USM", ", found an object of type ",
        type_name(object)));
  }

  const py_elementwise& kernel_;
  std::vector<PyObject*> objects_;
  std::vector<kernel_argument> all_;
  std::vector<const array*> arrays_;
  std::vector<std::unique_ptr<array>> imported_;  // they stay where they are
};

// ---- types

/// Numbers of Python have no type of their own, but a kind.
constexpr const char* number_types[] = {"bool", "int64", "uint64", "float64"};

/// What tells arguments apart that need different kernels.
std::string key_of(const call_arguments& arguments, std::optional<dtype> wanted) {
  std::string key;
  for (std::size_t k = 0; k < arguments.all().size(); ++k) {
    if (const array* a = arguments.array_at(k)) {
      key += static_cast<char>('A' + static_cast<int>(a->type().code()));
    } else {
      const auto& value = arguments.all()[k].value();
      const auto* number = std::get_if<kernel_argument::number>(&value);
      key += number == nullptr ? '-' : static_cast<char>('0' + number->index());
    }
  }
  if (wanted) {
    key += static_cast<char>('A' + static_cast<int>(wanted->code()));
  }
  return key;
}

/// Asks Python for the type of each parameter.
typed_kernels choose_types(nb::handle self, const py_elementwise& kernel,
                           const call_arguments& arguments, std::optional<dtype> wanted,
                           std::string key) {
  nb::list found;
  for (std::size_t k = 0; k < arguments.all().size(); ++k) {
    if (const array* a = arguments.array_at(k)) {
      found.append(nb::make_tuple(std::string(a->type().name()), true));
    } else if (const auto* number =
                   std::get_if<kernel_argument::number>(&arguments.all()[k].value())) {
      found.append(nb::make_tuple(number_types[number->index()], false));
    } else {
      found.append(nb::none());
    }
  }
  const nb::object chosen = self.attr("_choose_types")(
      found, wanted ? nb::object(nb::str(std::string(wanted->name()).c_str())) : nb::none());
  typed_kernels made{std::move(key), {kernel.name, {}, 0}, {}, {}};
  for (std::size_t k = 0; k < arguments.all().size(); ++k) {
    const dtype type = dtype_argument(chosen[k][0]);
    const bool is_input = k < kernel.input_count;
    const parameter_form form = !is_input                ? parameter_form::pointer
                                : arguments.array_at(k) ? parameter_form::const_pointer
                                                        : parameter_form::value;
    made.types.push_back(type);
    made.signature.parameters.push_back({form, type.code(), type.itemsize(), type.alignment(),
                                         nb::cast<std::string>(chosen[k][1])});
  }
  return made;
}

typed_kernels& typed_for(nb::handle self, py_elementwise& kernel, const call_arguments& arguments,
                         std::optional<dtype> wanted) {
  std::string key = key_of(arguments, wanted);
  const auto found = std::ranges::find(kernel.typed, key, &typed_kernels::key);
  if (found != kernel.typed.end()) {
    return *found;
  }
  kernel.typed.push_back(choose_types(self, kernel, arguments, wanted, std::move(key)));
  return kernel.typed.back();
}

nb::handle kernel_for(nb::handle self, typed_kernels& typed, const std::string& form) {
  const auto found = std::ranges::find(typed.generated, form, &generated_kernel::form);
  if (found != typed.generated.end()) {
    return found->kernel;
  }
  nb::list types;
  for (std::size_t k = 0; k < typed.types.size(); ++k) {
    types.append(nb::make_tuple(typed.signature.parameters[k].type_name,
                                typed.signature.parameters[k].form != parameter_form::value));
  }
  typed.generated.push_back({form, self.attr("_generate")(types, form)});
  return typed.generated.back().kernel;
}

// ---- shape, queue and outputs

/// The shape that all have together, by the rule of broadcasting.
counts common_shape(const py_elementwise& kernel, const call_arguments& arguments) {
  std::array<std::ptrdiff_t, max_ndim> extents;
  std::size_t ndim = 0;
  for (const array* a : arguments.arrays()) {
    ndim = std::max(ndim, a->shape().size());
  }
  std::fill_n(extents.begin(), ndim, 1);
  for (const array* a : arguments.arrays()) {
    const std::span<const std::ptrdiff_t> shape = a->shape();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      std::ptrdiff_t& extent = extents[ndim - shape.size() + k];
      if (shape[k] != 1 && extent != 1 && shape[k] != extent) {
        std::string shapes;
        for (const array* each : arguments.arrays()) {
          shapes += (shapes.empty() ? "" : ", ") + tuple_text(each->shape());
        }
        throw value_error(detail::message(
            kernel.name, ": arguments must have shapes that can be broadcast together, found ",
            shapes));
      }
      extent = shape[k] != 1 ? shape[k] : extent;
    }
  }
  return counts(std::span(extents).first(ndim));
}

const sycl::queue* common_queue(std::span<const array* const> arrays) {
  if (arrays.empty()) {
    return nullptr;
  }
  const sycl::queue& first = internal::private_queue(*arrays.front());
  const auto is_elsewhere = [&](const array* a) { return internal::private_queue(*a) != first; };
  if (std::ranges::any_of(arrays, is_elsewhere)) {
    nb::list all;
    for (const array* a : arrays) {
      all.append(to_python(*a));
    }
    hooks::common_queue(all);
  }
  return &first;
}

/// As get_coerced_usm_type().
usm_kind common_kind(std::span<const array* const> arrays) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    if (std::ranges::find(arrays, kind, &array::kind) != arrays.end()) {
      return kind;
    }
  }
  return usm_kind::device;
}

/// Fortran order if all arrays of the result's shape have it, and not C order as well.
element_order common_order(std::span<const array* const> arrays,
                           std::span<const std::ptrdiff_t> shape) {
  bool is_f = false;
  for (const array* a : arrays) {
    if (std::ranges::equal(a->shape(), shape)) {
      if (resolved(element_order::any, a->layout()) != element_order::f) {
        return element_order::c;
      }
      is_f = true;
    }
  }
  return is_f ? element_order::f : element_order::c;
}

/// The outputs as Python's objects; those that were not given are made.
std::vector<nb::object> outputs_of(const py_elementwise& kernel, call_arguments& arguments,
                                   const typed_kernels& typed,
                                   std::span<const std::ptrdiff_t> shape,
                                   const sycl::queue& queue) {
  std::vector<nb::object> outputs;
  for (std::size_t k = kernel.input_count; k < kernel.parameters.size(); ++k) {
    if (PyObject* const given = arguments.object_at(k)) {
      outputs.push_back(nb::borrow(given));
      continue;
    }
    outputs.push_back(
        to_python(make_array(compact(shape, common_order(arguments.arrays(), shape)),
                             typed.types[k], queue, common_kind(arguments.arrays()),
                             internal::first_use::in_order)));
    arguments.set_output(k, *as_array(outputs.back().ptr()));
  }
  return outputs;
}

// ---- the call

std::vector<sycl::event> events_of(nb::handle after) {
  std::vector<sycl::event> events;
  if (PyTuple_Check(after.ptr()) && nb::len(after) == 0) {
    return events;
  }
  const nb::object all = snapshot("after", "a tuple or list of events", after.ptr());
  for (nb::handle each : all) {
    events.push_back(event_argument("an event of after", each));
  }
  return events;
}

void run(nb::handle self, const py_elementwise& kernel, typed_kernels& typed,
         const call_arguments& arguments, std::span<const std::ptrdiff_t> shape,
         const sycl::queue& queue, std::span<const sycl::event> after) {
  // Only new memory for outputs that overlap inputs is waited for.
  std::optional<internal::elementwise_call> call;
  if (arguments.has_outputs()) {
    const without_interpreter_lock unlocked;
    call.emplace(typed.signature, arguments.all(), shape, kernel.uses_index);
  } else {
    call.emplace(typed.signature, arguments.all(), shape, kernel.uses_index);
  }
  const usmx::kernel generated = compiled_kernel(kernel_for(self, typed, call->form()), queue);
  const without_interpreter_lock unlocked;
  call->launch(generated, queue, after);
}

nb::object call(nb::handle self, nb::args given, nb::handle out, nb::handle type, nb::handle size,
                nb::handle queue, nb::handle after) {
  require_usable_process();
  look_for_peers();
  auto& kernel = ready_instance<py_elementwise>(self.ptr());
  PyObject* const* first = reinterpret_cast<PyTupleObject*>(given.ptr())->ob_item;
  call_arguments arguments(kernel, {first, given.size()}, out);
  const std::vector<sycl::event> events = events_of(after);
  const sycl::queue* common = queue.is_none() ? common_queue(arguments.arrays()) : nullptr;
  const sycl::queue where = internal::presented_queue(
      common != nullptr ? *common : queue_argument(queue, nb::none()));
  typed_kernels& typed = typed_for(
      self, kernel, arguments,
      type.is_none() ? std::nullopt : std::optional(dtype_argument(type)));
  const counts shape = !size.is_none() && arguments.arrays().empty()
                           ? shape_argument(size)
                           : common_shape(kernel, arguments);
  const std::vector<nb::object> outputs =
      outputs_of(kernel, arguments, typed, shape.span(), where);
  if (std::ranges::find(shape.span(), 0) == shape.span().end()) {
    run(self, kernel, typed, arguments, shape.span(), where, events);
  }
  if (outputs.size() == 1) {
    return outputs.front();
  }
  nb::list all;
  for (const nb::object& each : outputs) {
    all.append(each);
  }
  return nb::tuple(all);
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  nb::class_<py_elementwise> cls(m, "_ElementwiseKernel", nb::is_weak_referenceable(),
                                 "What ElementwiseKernel does for each call.");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<py_elementwise> self, std::string name,
            std::vector<std::string> parameters, std::size_t input_count, bool uses_index) {
           initialize(self, [&] {
             require_usable_process();
             return py_elementwise{std::move(name), std::move(parameters), input_count, uses_index,
                                   {}};
           });
         },
         nb::arg("name"), nb::arg("parameters"), nb::arg("input_count"), nb::arg("uses_index"),
         nb::sig("def __init__(self, name: str, parameters: list[str], input_count: int, "
                 "uses_index: bool) -> None"),
         "Of names in the order of the parameters, inputs first.")
      .def(
          "__call__", &call, nb::arg("args"), nb::arg("out").none() = nb::none(),
          nb::arg("dtype").none() = nb::none(), nb::arg("size").none() = nb::none(),
          nb::arg("queue").none() = nb::none(), nb::arg("after") = nb::make_tuple(),
          nb::sig("def __call__(self, *args: object, out: object = None, dtype: DTypeLike | None = "
                  "None, size: Shape | None = None, queue: QueueLike | None = None, after: "
                  "Sequence[object] = ()) -> Any"),
          R"(Compute the outputs. Does not wait, but for memory that other packages may work on.

Args:
    args: one for each input, and none or one for each output. Inputs are arrays of any layout, which
        are broadcast together, and numbers that their parameter's type can hold. An array is a
        USMArray or another producer of ``__sycl_usm_array_interface__``.
    out: the array for the output, or a tuple of arrays and None for several. Its elements may be
        those of an input. None: new arrays, of the kind of memory that get_coerced_usm_type gives,
        in Fortran order if all inputs of their shape have it, else in C order.
    dtype: the type that stands for type variables that no array names.
    size: the shape of the outputs, where no argument is an array.
    queue: where it runs. None: on the queue of the arrays, else on the default queue.
    after: events that it comes after, too.

Returns:
    The output, as given or a new USMArray; a tuple for several.

Raises:
    TypeError: too few or too many arguments, or one is of another kind or element type; a type
        variable stands for two types, or for none.
    ValueError: shapes do not suit, a number does not fit, an output is read-only.
    ExecutionPlacementError: the arrays are on different queues, and `queue` is None.
    CompileError: the source cannot be compiled for these types.)");
}

}  // namespace usmx::bindings
