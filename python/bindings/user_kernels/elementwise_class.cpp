#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "elements/dtype.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/dpctl.hpp"
#include "user_kernels/generated_kernels.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

using py_elementwise = py_generated<elementwise_kernel>;

std::optional<std::vector<std::ptrdiff_t>> size_of(nb::handle size) {
  if (size.is_none()) {
    return std::nullopt;
  }
  const counts extents = shape_argument(size);
  return std::vector<std::ptrdiff_t>(extents.span().begin(), extents.span().end());
}

started_call start_elementwise(nb::handle object, nb::args given, nb::handle out, nb::handle type,
                               nb::handle size, nb::handle queue, nb::handle after) {
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

nb::object compute(nb::handle object, nb::args given, nb::handle out, nb::handle type,
                   nb::handle size, nb::handle queue, nb::handle after) {
  return start_elementwise(object, given, out, type, size, queue, after).outputs;
}

nb::object submit_elementwise(nb::handle object, nb::args given, nb::handle out, nb::handle type,
                              nb::handle size, nb::handle queue, nb::handle after) {
  return start_elementwise(object, given, out, type, size, queue, after).with_event();
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  nb::class_<py_elementwise> cls(
      m, "ElementwiseKernel", nb::is_weak_referenceable(),
      "A kernel of one expression for each element of arrays, which are broadcast together.");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<py_elementwise> self, nb::handle inputs, nb::handle outputs,
            nb::handle operation, nb::handle name, nb::handle preamble, nb::handle options,
            nb::handle debug) {
           initialize(self, [&] {
             require_usable_process();
             generation_texts written{
                 {{"in_params", std::string(to_text("in_params", inputs.ptr()))},
                  {"out_params", std::string(to_text("out_params", outputs.ptr()))},
                  {"operation", std::string(to_text("operation", operation.ptr()))}},
                 generation_arguments(name, preamble, options, debug)};
             const auto& texts = written.texts;
             elementwise_kernel made(texts[0].second, texts[1].second, texts[2].second,
                                     written.options);
             return py_elementwise(std::move(made), std::move(written));
           });
         },
         nb::arg("in_params").none(), nb::arg("out_params").none(), nb::arg("operation").none(),
         nb::arg("name").none() = "kernel", nb::kw_only(), nb::arg("preamble").none() = "",
         nb::arg("options") = nb::make_tuple(), nb::arg("debug").none() = false,
         nb::sig("def __init__(self, in_params: str, out_params: str, operation: str, name: str = "
                 "'kernel', *, preamble: str = '', options: Sequence[str] = (), debug: bool = "
                 "False) -> None"),
         R"(Take the parameters and the operation. Compiles nothing yet.

The source is generated and compiled for the types and the kind of layout of the arguments, at the
first call with such ones. Arrays may have any layout: operands are not copied.

Args:
    in_params: the inputs, as ``'T x, float32 y, raw T table'``: types and names. A type is a name such
        as 'float32', or one letter that stands for any type, the same one wherever it is used. The
        operation indexes raw arrays by itself, and they are not broadcast.
    out_params: the outputs, in the same form. Raw ones must be given to each call.
    operation: statements of C++ that set the outputs. They may use the letters as types, ``i``, the
        place of the element in C order, and the functions of <usmx/kernel.hpp>. Of a raw array,
        ``table[k]`` is the k-th element in C order, ``table(i, j)`` and ``table.extent(0)`` are those
        of a ``usmx::view``.
    name: for messages.
    preamble: C++ that comes before the kernel, such as functions that it uses.
    options: for the compiler: of the SYCL runtime, such as '-ffast-math', or for CUDA devices of
        NVIDIA, such as '--use_fast_math'.
    debug: whether each index of a raw array is checked. Each call then waits for the kernel, and raises
        an IndexError that names the first bad index. Bad indices reach no array.

Raises:
    TypeError: a parameter is no string.
    ValueError: parameters are not written so, two have one name, or there is no output.

Example:
    >>> scale = usmx.ElementwiseKernel('T x, T a', 'T out', 'out = a * x', 'scale')
    >>> x = usmx.arange(4, dtype='f4')
    >>> print(scale(x, 2))
    [0. 2. 4. 6.]
    >>> print(scale(x[::-1], x, out=x))
    [0. 2. 2. 0.])")
      .def(
          "__call__", &compute, nb::arg("args"), nb::arg("out").none() = nb::none(),
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
    size: the shape of the outputs, where no argument is an array, or raw ones alone.
    queue: where it runs. None: on the queue of the arrays, else on the default queue.
    after: events that it comes after, too.

Returns:
    The output, as given or a new USMArray; a tuple for several.

Raises:
    TypeError: too few or too many arguments, or one is of another kind or element type; a type
        variable stands for two types, or for none.
    ValueError: shapes do not suit, `size` is missing or another one, a number does not fit, an output is read-only.
    IndexError: an index of a raw array was out of bounds, if the kernel was made with `debug`.
    ExecutionPlacementError: the arrays are on different queues, and `queue` is None.
    CompileError: the source cannot be compiled for these types.)")
      .def("submit", &submit_elementwise, nb::arg("args"), nb::arg("out").none() = nb::none(),
           nb::arg("dtype").none() = nb::none(), nb::arg("size").none() = nb::none(),
           nb::arg("queue").none() = nb::none(), nb::arg("after") = nb::make_tuple(),
           nb::sig("def submit(self, *args: object, out: object = None, dtype: DTypeLike | None = "
                   "None, size: Shape | None = None, queue: QueueLike | None = None, after: "
                   "Sequence[object] = ()) -> tuple[Any, SyclEvent]"),
           R"(Compute the outputs as a call does, and give the event of the work on them, too.

Args:
    args: as of a call.
    out: as of a call.
    dtype: as of a call.
    size: as of a call.
    queue: as of a call.
    after: as of a call.

Returns:
    What a call returns, and a SyclEvent, which is complete when the outputs are.

Raises:
    TypeError: as a call does, like the other errors.

Example:
    >>> twice = usmx.ElementwiseKernel('T x', 'T y', 'y = 2 * x')
    >>> y, event = twice.submit(usmx.ones(3))
    >>> z, event = twice.submit(y, after=[event])
    >>> event.wait()
    >>> print(z)
    [4. 4. 4.])")
      .def_prop_ro(
          "name", [](const py_elementwise& self) { return self.kernel.name(); },
          "The name that was given.")
      .def_prop_ro(
          "_written", [](const py_elementwise& self) { return self.written.keywords(); },
          "The arguments of the constructor.")
      .def("__repr__", [](const py_elementwise& self) {
        return "<usmx.ElementwiseKernel " + self.kernel.name() + ">";
      });
}

}  // namespace usmx::bindings
