#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "objects/array.hpp"
#include "support/errors.hpp"
#include "sycl_objects/peers_queues.hpp"
#include "user_kernels/generated_kernels.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

/// What the base class of usmx.ElementwiseKernel holds.
struct py_elementwise {
  kernel_family family;
  bool uses_index;
};

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

void run_elementwise(nb::handle self, const py_elementwise& kernel, typed_kernels& typed,
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
  const usmx::kernel generated =
      compiled_kernel(nb::object(kernels_for(self, typed, call->form())[0]), queue);
  launching(kernel.family.name, [&] {
    const without_interpreter_lock unlocked;
    call->launch(generated, queue, after);
  });
}

nb::object compute(nb::handle self, nb::args given, nb::handle out, nb::handle type,
                   nb::handle size, nb::handle queue, nb::handle after) {
  require_usable_process();
  look_for_peers();
  auto& kernel = ready_instance<py_elementwise>(self.ptr());
  PyObject* const* first = reinterpret_cast<PyTupleObject*>(given.ptr())->ob_item;
  call_arguments arguments(kernel.family, {first, given.size()}, out);
  const std::vector<sycl::event> events = events_argument(after);
  const sycl::queue where = call_queue(queue, arguments);
  typed_kernels& typed = typed_for(self, kernel.family, arguments, type);
  const std::span<const array* const> arrays = arguments.arrays();
  const counts shape = !size.is_none() && arrays.empty() ? shape_argument(size)
                                                         : common_shape(kernel.family, arrays);
  const std::vector<nb::object> outputs =
      outputs_of(kernel.family, arguments, typed,
                 compact(shape.span(), common_order(arrays, shape.span())), where);
  if (std::ranges::find(shape.span(), 0) == shape.span().end()) {
    run_elementwise(self, kernel, typed, arguments, shape.span(), where, events);
  }
  return as_result(outputs);
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
             return py_elementwise{{std::move(name), std::move(parameters), input_count, {}},
                                   uses_index};
           });
         },
         nb::arg("name"), nb::arg("parameters"), nb::arg("input_count"), nb::arg("uses_index"),
         nb::sig("def __init__(self, name: str, parameters: list[str], input_count: int, "
                 "uses_index: bool) -> None"),
         "Of names in the order of the parameters, inputs first.")
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
