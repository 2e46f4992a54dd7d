#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "elements/dtype.hpp"
#include "support/arguments.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/dpctl.hpp"
#include "user_kernels/generated_kernels.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

using py_reduction = py_generated<reduction_kernel>;

/// Reads `axis`: None for all axes, one axis or a tuple of axes.
reduction_axes axes_argument(nb::handle axis, nb::handle keepdims) {
  reduction_axes axes{.axes = std::nullopt, .are_kept = flag_argument("keepdims", keepdims)};
  if (!axis.is_none()) {
    const counts given = PyIndex_Check(axis.ptr()) ? counts("axis", nb::make_tuple(axis).ptr())
                                                   : counts("axis", axis.ptr());
    axes.axes.emplace(given.span().begin(), given.span().end());
  }
  return axes;
}

started_call start_reduction(nb::handle object, nb::args given, nb::handle axis,
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

nb::object reduce(nb::handle object, nb::args given, nb::handle axis, nb::handle keepdims,
                  nb::handle out, nb::handle type, nb::handle queue, nb::handle after) {
  return start_reduction(object, given, axis, keepdims, out, type, queue, after).outputs;
}

nb::object submit_reduction(nb::handle object, nb::args given, nb::handle axis, nb::handle keepdims,
                            nb::handle out, nb::handle type, nb::handle queue, nb::handle after) {
  return start_reduction(object, given, axis, keepdims, out, type, queue, after).with_event();
}

}  // namespace

void bind_reduction(nb::module_& m) {
  nb::class_<py_reduction> cls(
      m, "ReductionKernel", nb::is_weak_referenceable(),
      "A kernel that puts the elements of arrays together, along some axes or all.");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<py_reduction> self, nb::handle inputs, nb::handle outputs,
            nb::handle map, nb::handle reduce_two, nb::handle post_map, nb::handle identity,
            nb::handle name, nb::handle type, nb::handle preamble, nb::handle options,
            nb::handle debug) {
           initialize(self, [&] {
             require_usable_process();
             generation_texts written{
                 {{"in_params", std::string(to_text("in_params", inputs.ptr()))},
                  {"out_params", std::string(to_text("out_params", outputs.ptr()))},
                  {"map_expr", std::string(to_text("map_expr", map.ptr()))},
                  {"reduce_expr", std::string(to_text("reduce_expr", reduce_two.ptr()))},
                  {"post_map_expr", std::string(to_text("post_map_expr", post_map.ptr()))},
                  {"identity", identity_argument(identity)},
                  {"reduce_type", text_or_none("reduce_type", type)}},
                 generation_arguments(name, preamble, options, debug)};
             const auto& texts = written.texts;
             reduction_kernel made(texts[0].second, texts[1].second,
                                   {texts[2].second, texts[3].second, texts[4].second,
                                    texts[5].second, texts[6].second},
                                   written.options);
             return py_reduction(std::move(made), std::move(written));
           });
         },
         nb::arg("in_params").none(), nb::arg("out_params").none(), nb::arg("map_expr").none(),
         nb::arg("reduce_expr").none(), nb::arg("post_map_expr").none(), nb::arg("identity").none(),
         nb::arg("name").none() = "reduce", nb::kw_only(),
         nb::arg("reduce_type").none() = nb::none(), nb::arg("preamble").none() = "",
         nb::arg("options") = nb::make_tuple(), nb::arg("debug").none() = false,
         nb::sig(
             "def __init__(self, in_params: str, out_params: str, map_expr: str, reduce_expr: "
             "str, post_map_expr: str, identity: str | complex | None, name: str = 'reduce', *, "
             "reduce_type: str | None = None, preamble: str = '', options: Sequence[str] = (), "
             "debug: bool = False) -> None"),
         R"(Take the parameters and the expressions. Compiles nothing yet.

For each result, the expression `map_expr` of the inputs' elements is reduced by `reduce_expr`. The
source is generated and compiled for the types and the kind of layout of the arguments, at the first
call with such ones. Arrays may have any layout: operands are not copied.

Args:
    in_params: the inputs, as ``'T x, float32 y, raw T table'``: types and names. A type is a name such
        as 'float32', or one letter that stands for any type, the same one wherever it is used. The
        expression indexes raw arrays by itself, as in an ElementwiseKernel, and they are not reduced.
    out_params: the outputs, in the same form; none is raw.
    map_expr: an expression of C++ of the inputs, and of ``i``, the place of the element among those of
        its result in C order, and ``n``, their number.
    reduce_expr: an expression of ``a`` and ``b`` that puts two values together. The order of the
        values must not matter.
    post_map_expr: statements that set the outputs from ``a``. Inputs that are numbers or raw, and
        ``n``, are there, too.
    identity: an expression or a number for the result of no elements. Empty or None: there is none.
    name: for messages.
    reduce_type: the type of ``a`` and ``b``: a name of a type, a letter of the parameters, or a
        structure of the preamble. None: that of the first output.
    preamble: C++ that comes before the kernels, such as functions that they use.
    options: for the compiler: of the SYCL runtime, such as '-ffast-math', or for CUDA devices of
        NVIDIA, such as '--use_fast_math'.
    debug: whether each index of a raw array is checked. Each call then waits for the kernel, and raises
        an IndexError that names the first bad index. Bad indices reach no array.

Raises:
    TypeError: a parameter is no string.
    ValueError: parameters are not written so, two have one name, or there is no output.

Example:
    >>> norm = usmx.ReductionKernel(
    ...     'T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm')
    >>> x = usmx.asarray([[3.0, 4.0], [6.0, 8.0]])
    >>> print(norm(x, axis=1))
    [ 5. 10.]
    >>> norm(x[:, 0], keepdims=True).shape
    (1,))")
      .def("__call__", &reduce, nb::arg("args"), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdims") = false, nb::arg("out").none() = nb::none(),
           nb::arg("dtype").none() = nb::none(), nb::arg("queue").none() = nb::none(),
           nb::arg("after") = nb::make_tuple(),
           nb::sig("def __call__(self, *args: object, axis: int | tuple[int, ...] | None = None, "
                   "keepdims: bool = False, out: object = None, dtype: DTypeLike | None = None, "
                   "queue: QueueLike | None = None, after: Sequence[object] = ()) -> Any"),
           R"(Compute the outputs. Does not wait, but for memory that other packages may work on.

For one shape and device, elements are always put together in the same order.

Args:
    args: one for each input, and none or one for each output. Inputs are arrays of any layout, which
        are broadcast together, and numbers that their parameter's type can hold; one is an array.
        An array is a USMArray or another producer of ``__sycl_usm_array_interface__``.
    axis: the axis, or a tuple of axes, that is reduced; negative ones count from the end. None: all.
    keepdims: whether the reduced axes stay, with one element.
    out: the array for the output, or a tuple of arrays and None for several. It may overlap inputs.
        None: new arrays in C order, of the kind of memory that get_coerced_usm_type gives.
    dtype: the type that stands for type variables that no array names.
    queue: where it runs. None: on the queue of the arrays.
    after: events that it comes after, too.

Returns:
    The output, as given or a new USMArray; a tuple for several.

Raises:
    TypeError: too few or too many arguments, or one is of another kind or element type; a type
        variable stands for two types, or for none.
    ValueError: shapes do not suit, an axis is given twice, nothing is reduced and there is no
        identity, a number does not fit, an output is read-only.
    AxisError: there is no such axis.
    IndexError: an index of a raw array was out of bounds, if the kernel was made with `debug`.
    ExecutionPlacementError: the arrays are on different queues, and `queue` is None.
    CompileError: the source cannot be compiled for these types.)")
      .def("submit", &submit_reduction, nb::arg("args"), nb::arg("axis").none() = nb::none(),
           nb::arg("keepdims") = false, nb::arg("out").none() = nb::none(),
           nb::arg("dtype").none() = nb::none(), nb::arg("queue").none() = nb::none(),
           nb::arg("after") = nb::make_tuple(),
           nb::sig("def submit(self, *args: object, axis: int | tuple[int, ...] | None = None, "
                   "keepdims: bool = False, out: object = None, dtype: DTypeLike | None = None, "
                   "queue: QueueLike | None = None, after: Sequence[object] = ()) -> tuple[Any, "
                   "SyclEvent]"),
           R"(Compute the outputs as a call does, and give the event of the work on them, too.

Args:
    args: as of a call.
    axis: as of a call.
    keepdims: as of a call.
    out: as of a call.
    dtype: as of a call.
    queue: as of a call.
    after: as of a call.

Returns:
    What a call returns, and a SyclEvent, which is complete when the outputs are.

Raises:
    TypeError: as a call does, like the other errors.

Example:
    >>> total = usmx.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', 0)
    >>> y, event = total.submit(usmx.ones(3))
    >>> event.wait()
    >>> print(y)
    3.0)")
      .def_prop_ro(
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
