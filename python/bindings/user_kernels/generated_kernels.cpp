#include "user_kernels/user_kernels.hpp"

#include <optional>

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {

nb::dict generation_texts::keywords() const {
  nb::dict all;
  for (const auto& [name, text] : texts) {
    all[name] = text;
  }
  all["name"] = options.name;
  all["preamble"] = options.preamble;
  all["options"] = nb::tuple(nb::cast(options.options));
  all["debug"] = options.debug;
  return all;
}

call_arguments::call_arguments(const std::string& name, std::size_t input_count,
                               std::size_t output_count, nb::args given, nb::handle out)
    : name_(name), output_count_(output_count), outputs_(output_count, nullptr) {
  const std::size_t count = given.size();
  all_.reserve(input_count + output_count);
  for (std::size_t k = 0; k < count; ++k) {
    PyObject* const object = PyTuple_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(k));
    all_.push_back(argument(object, k < input_count));
    if (k >= input_count && k - input_count < output_count) {
      outputs_[k - input_count] = object;
    }
  }
  if (!out.is_none()) {
    if (count == input_count + output_count) {
      throw type_error(name + ": the outputs are given twice, by position and by out=");
    }
    if (count == input_count) {  // else the library says how many there must be
      take_outputs(name, out);
    }
  }
}

/// Takes outputs: one array, or a tuple of arrays and None.
void call_arguments::take_outputs(const std::string& name, nb::handle out) {
  if (!PyTuple_Check(out.ptr())) {
    if (output_count_ != 1) {
      throw type_error(detail::message(name, ": out must be a tuple of ", output_count_,
                                       " arrays, found an object of type ", type_name(out.ptr())));
    }
    outputs_[0] = out.ptr();
  } else if (nb::len(out) != output_count_) {
    throw value_error(detail::message(name, ": out must be a tuple of ", output_count_,
                                      " arrays, found ", nb::len(out)));
  } else {
    for (std::size_t k = 0; k < output_count_; ++k) {
      PyObject* const item = PyTuple_GET_ITEM(out.ptr(), static_cast<Py_ssize_t>(k));
      outputs_[k] = item == Py_None ? nullptr : item;
    }
  }
  for (PyObject* each : outputs_) {
    all_.push_back(each == nullptr ? kernel_argument(kernel_argument::unsuitable{})
                                   : argument(each, false));
  }
}

kernel_argument call_arguments::argument(PyObject* object, bool may_be_number) {
  if (const array* own = as_array(object)) {
    return *own;
  }
  if (!PyFloat_Check(object) && !PyLong_Check(object)) {
    if (std::optional<array> found = array_of_other_producer(object)) {
      imported_.push_back(std::make_unique<array>(*std::move(found)));
      return *imported_.back();
    }
  }
  if (may_be_number) {
    const launch_arguments number({&object, 1}, value_signature());
    if (number.all()[0].is_number()) {
      return number.all()[0];
    }
  }
  return unsuitable(object);
}

sycl::queue call_arguments::queue(nb::handle queue) const {
  const sycl::queue* common = queue.is_none() ? queue_of_all(name_, all_) : nullptr;
  return internal::presented_queue(common != nullptr ? *common : queue_argument(queue, nb::none()));
}

std::vector<nb::object> call_arguments::outputs(internal::generated_call& call,
                                                const sycl::queue& queue) const {
  std::vector<nb::object> all;
  for (std::size_t k = 0; k < output_count_; ++k) {
    if (outputs_[k] != nullptr) {
      all.push_back(nb::borrow(outputs_[k]));
      continue;
    }
    all.push_back(to_python(make_array(call.output_layout(), call.output_type(k), queue,
                                       call.output_kind(), internal::first_use::in_order)));
    call.set_output(k, *as_array(all.back().ptr()));
  }
  return all;
}

generation_options generation_arguments(nb::handle name, nb::handle preamble, nb::handle options,
                                        nb::handle debug) {
  const nb::object parts = compile_arguments(nb::none(), nb::none(), options);
  return {std::string(to_text("name", name.ptr())),
          std::string(to_text("preamble", preamble.ptr())),
          nb::cast<std::vector<std::string>>(parts[2]), flag_argument("debug", debug)};
}

namespace {

using py_elementwise = py_generated<elementwise_kernel>;

std::optional<std::vector<std::ptrdiff_t>> size_of(nb::handle size) {
  if (size.is_none()) {
    return std::nullopt;
  }
  const counts extents = shape_argument(size);
  return std::vector<std::ptrdiff_t>(extents.span().begin(), extents.span().end());
}

started_call start_elementwise(nb::handle_t<py_elementwise> object, nb::args given, nb::handle out,
                               nb::handle type, nb::handle size, nb::handle queue,
                               nb::handle after) {
  require_usable_process();
  look_for_peers();
  const auto& self = ready_instance<py_elementwise>(object.ptr());
  const call_arguments arguments(self.kernel, given, out);
  std::vector<sycl::event> events = events_argument(after);
  const sycl::queue where = arguments.queue(queue);
  internal::elementwise_call call(
      self.kernel, arguments.all(),
      type.is_none() ? std::nullopt : std::optional(dtype_argument(type)), size_of(size));
  return run(self, call, arguments, where, std::move(events));
}

nb::object compute(nb::handle_t<py_elementwise> object, nb::args given, nb::handle out,
                   nb::handle type, nb::handle size, nb::handle queue, nb::handle after) {
  return start_elementwise(object, given, out, type, size, queue, after).outputs;
}

nb::object submit_elementwise(nb::handle_t<py_elementwise> object, nb::args given, nb::handle out,
                              nb::handle type, nb::handle size, nb::handle queue,
                              nb::handle after) {
  return start_elementwise(object, given, out, type, size, queue, after).with_event();
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  nb::class_<py_elementwise> cls(
      m, "ElementwiseKernel", nb::is_weak_referenceable(),
      "A kernel of one expression for each element of arrays, which are broadcast together.");
  declare<
      "def __init__(self, in_params: str, out_params: str, operation: str, name: str = 'kernel', "
      "*, preamble: str = '', options: Sequence[str] = (), debug: bool = False) -> None">(
      cls,
      init_by(+[](nb::handle inputs, nb::handle outputs, nb::handle operation, nb::handle name,
                  nb::handle preamble, nb::handle options, nb::handle debug) {
        require_usable_process();
        generation_texts written{
            {{"in_params", std::string(to_text("in_params", inputs.ptr()))},
             {"out_params", std::string(to_text("out_params", outputs.ptr()))},
             {"operation", std::string(to_text("operation", operation.ptr()))}},
            generation_arguments(name, preamble, options, debug)};
        const auto& texts = written.texts;
        elementwise_kernel made(texts[0].second, texts[1].second, texts[2].second, written.options);
        return py_elementwise(std::move(made), std::move(written));
      }),
      docstring("ElementwiseKernel.__init__"));
  declare<
      "def __call__(self, *args: object, out: object = None, dtype: DTypeLike | None = None, size: "
      "Shape | None = None, queue: QueueLike | None = None, after: Sequence[object] = ()) -> "
      "USMArray">(cls, &compute, docstring("ElementwiseKernel.__call__"));
  declare<
      "def submit(self, *args: object, out: object = None, dtype: DTypeLike | None = None, size: "
      "Shape | None = None, queue: QueueLike | None = None, after: Sequence[object] = ()) -> "
      "tuple[Any, SyclEvent]">(cls, &submit_elementwise);
  cls.def_prop_ro(
         "name", [](const py_elementwise& self) { return self.kernel.name(); },
         "The name that was given.")
      .def_prop_ro(
          "_written", [](const py_elementwise& self) { return self.written.keywords(); },
          "The arguments of the constructor.")
      .def("__repr__", [](const py_elementwise& self) {
        return "<usmx.ElementwiseKernel " + self.kernel.name() + ">";
      });
}

namespace {

using py_reduction = py_generated<reduction_kernel>;

/// Reads `axis`: None for all axes, one axis or a tuple of axes.
reduction_axes axes_argument(nb::handle axis, nb::handle keepdims) {
  reduction_axes axes{.axes = std::nullopt, .are_kept = flag_argument("keepdims", keepdims)};
  if (PyBool_Check(axis.ptr())) {  // which NumPy refuses as well
    throw_wrong_type("axis", "an integer or a tuple of integers", axis.ptr());
  }
  if (!axis.is_none()) {
    const counts given = PyIndex_Check(axis.ptr()) ? counts("axis", nb::make_tuple(axis).ptr())
                                                   : counts("axis", axis.ptr());
    axes.axes = given.span();
  }
  return axes;
}

started_call start_reduction(nb::handle_t<py_reduction> object, nb::args given, nb::handle axis,
                             nb::handle keepdims, nb::handle out, nb::handle type, nb::handle queue,
                             nb::handle after) {
  require_usable_process();
  look_for_peers();
  const auto& self = ready_instance<py_reduction>(object.ptr());
  const call_arguments arguments(self.kernel, given, out);
  std::vector<sycl::event> events = events_argument(after);
  const sycl::queue where = arguments.queue(queue);
  internal::reduction_call call(
      self.kernel, arguments.all(), axes_argument(axis, keepdims),
      type.is_none() ? std::nullopt : std::optional(dtype_argument(type)));
  return run(self, call, arguments, where, std::move(events));
}

/// A text, or None for an empty one.
std::string text_or_none(const char* what, nb::handle text) {
  return text.is_none() ? std::string() : std::string(to_text(what, text.ptr()));
}

/// A text, or a number written out.
std::string identity_argument(nb::handle identity) {
  const nb::object text = hooks::identity_text(identity);
  return std::string(to_text("identity", text.ptr()));
}

nb::object reduce(nb::handle_t<py_reduction> object, nb::args given, nb::handle axis,
                  nb::handle keepdims, nb::handle out, nb::handle type, nb::handle queue,
                  nb::handle after) {
  return start_reduction(object, given, axis, keepdims, out, type, queue, after).outputs;
}

nb::object submit_reduction(nb::handle_t<py_reduction> object, nb::args given, nb::handle axis,
                            nb::handle keepdims, nb::handle out, nb::handle type, nb::handle queue,
                            nb::handle after) {
  return start_reduction(object, given, axis, keepdims, out, type, queue, after).with_event();
}

}  // namespace

void bind_reduction(nb::module_& m) {
  nb::class_<py_reduction> cls(
      m, "ReductionKernel", nb::is_weak_referenceable(),
      "A kernel that puts the elements of arrays together, along some axes or all.");
  declare<
      "def __init__(self, in_params: str, out_params: str, map_expr: str, reduce_expr: str, "
      "post_map_expr: str, identity: str | complex | None, name: str = 'reduce', *, reduce_type: "
      "str | None = None, block_type: str | None = None, preamble: str = '', options: "
      "Sequence[str] = (), debug: bool = False) -> None">(
      cls,
      init_by(+[](nb::handle inputs, nb::handle outputs, nb::handle map, nb::handle reduce_two,
                  nb::handle post_map, nb::handle identity, nb::handle name, nb::handle type,
                  nb::handle block_type, nb::handle preamble, nb::handle options,
                  nb::handle debug) {
        require_usable_process();
        generation_texts written{
            {{"in_params", std::string(to_text("in_params", inputs.ptr()))},
             {"out_params", std::string(to_text("out_params", outputs.ptr()))},
             {"map_expr", std::string(to_text("map_expr", map.ptr()))},
             {"reduce_expr", std::string(to_text("reduce_expr", reduce_two.ptr()))},
             {"post_map_expr", std::string(to_text("post_map_expr", post_map.ptr()))},
             {"identity", identity_argument(identity)},
             {"reduce_type", text_or_none("reduce_type", type)},
             {"block_type", text_or_none("block_type", block_type)}},
            generation_arguments(name, preamble, options, debug)};
        const auto& texts = written.texts;
        reduction_kernel made(texts[0].second, texts[1].second,
                              {texts[2].second, texts[3].second, texts[4].second, texts[5].second,
                               texts[6].second, texts[7].second},
                              written.options);
        return py_reduction(std::move(made), std::move(written));
      }),
      docstring("ReductionKernel.__init__"));
  declare<
      "def __call__(self, *args: object, axis: int | tuple[int, ...] | None = None, keepdims: bool "
      "= False, out: object = None, dtype: DTypeLike | None = None, queue: QueueLike | None = "
      "None, after: Sequence[object] = ()) -> USMArray">(cls, &reduce,
                                                         docstring("ReductionKernel.__call__"));
  declare<
      "def submit(self, *args: object, axis: int | tuple[int, ...] | None = None, keepdims: bool = "
      "False, out: object = None, dtype: DTypeLike | None = None, queue: QueueLike | None = None, "
      "after: Sequence[object] = ()) -> tuple[Any, SyclEvent]">(cls, &submit_reduction);
  cls.def_prop_ro(
         "name", [](const py_reduction& self) { return self.kernel.name(); },
         "The name that was given.")
      .def_prop_ro(
          "_written", [](const py_reduction& self) { return self.written.keywords(); },
          "The arguments of the constructor.")
      .def("__repr__", [](const py_reduction& self) {
        return "<usmx.ReductionKernel " + self.kernel.name() + ">";
      });
}

}  // namespace usmx::bindings
