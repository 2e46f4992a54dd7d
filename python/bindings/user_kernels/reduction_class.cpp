#include <algorithm>
#include <array>
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
#include "usmx/layout/axes.hpp"

namespace usmx::bindings {
namespace {

/// What the base class of usmx.ReductionKernel holds.
struct py_reduction {
  kernel_family family;
  bool has_identity;
};

using axis_flags = std::array<bool, max_ndim>;

/// None for all axes, one axis or a tuple of axes.
axis_flags reduced_axes(nb::handle axis, std::size_t ndim) {
  axis_flags reduced{};
  if (axis.is_none()) {
    std::fill_n(reduced.begin(), ndim, true);
    return reduced;
  }
  const counts given = PyIndex_Check(axis.ptr()) ? counts("axis", nb::make_tuple(axis).ptr())
                                                 : counts("axis", axis.ptr());
  for (const std::ptrdiff_t each : given.span()) {
    const auto at = static_cast<std::size_t>(normalized_axis(each, static_cast<int>(ndim)));
    if (reduced[at]) {
      throw value_error(detail::message("axis must not have an axis twice, found ", each));
    }
    reduced[at] = true;
  }
  return reduced;
}

counts result_shape(const internal::reduction_axes& axes) {
  std::array<std::ptrdiff_t, max_ndim> extents;
  std::size_t ndim = 0;
  for (std::size_t k = 0; k < axes.shape.size(); ++k) {
    if (!axes.reduced[k] || axes.are_kept) {
      extents[ndim++] = axes.reduced[k] ? 1 : axes.shape[k];
    }
  }
  return counts(std::span(extents).first(ndim));
}

void require_elements(const py_reduction& kernel, const internal::reduction_axes& axes) {
  for (std::size_t k = 0; k < axes.shape.size(); ++k) {
    if (axes.reduced[k] && axes.shape[k] == 0 && !kernel.has_identity) {
      throw value_error(detail::message(kernel.family.name,
                                        " has no identity: expected axes with elements, found ",
                                        "shape ", tuple_text(axes.shape)));
    }
  }
}

void run_reduction(nb::handle self, const std::string& name, typed_kernels& typed,
                   const call_arguments& arguments, const internal::reduction_axes& axes,
                   const sycl::queue& queue, std::span<const sycl::event> after) {
  const internal::reduction_call call(typed.signature, arguments.all(), axes, typed.types.back());
  const nb::handle kernels = kernels_for(self, typed, call.form());
  const usmx::kernel make_parts = compiled_kernel(nb::object(kernels[0]), queue);
  const usmx::kernel put_together = compiled_kernel(nb::object(kernels[1]), queue);
  launching(name, [&] {
    const without_interpreter_lock unlocked;
    call.launch(make_parts, put_together, queue, after);
  });
}

nb::object reduce(nb::handle self, nb::args given, nb::handle axis, nb::handle keepdims,
                  nb::handle out, nb::handle type, nb::handle queue, nb::handle after) {
  require_usable_process();
  look_for_peers();
  auto& kernel = ready_instance<py_reduction>(self.ptr());
  PyObject* const* first = reinterpret_cast<PyTupleObject*>(given.ptr())->ob_item;
  call_arguments arguments(kernel.family, {first, given.size()}, out);
  if (arguments.inputs().empty()) {
    throw type_error(kernel.family.name + ": at least one input must be an array");
  }
  const std::vector<sycl::event> events = events_argument(after);
  const sycl::queue where = call_queue(queue, arguments);
  typed_kernels& typed = typed_for(self, kernel.family, arguments, type);
  const counts shape = common_shape(kernel.family, arguments.inputs());
  const axis_flags reduced = reduced_axes(axis, shape.span().size());
  const internal::reduction_axes axes{shape.span(), std::span(reduced).first(shape.span().size()),
                                      flag_argument("keepdims", keepdims)};
  require_elements(kernel, axes);
  const counts results = result_shape(axes);
  const std::vector<nb::object> outputs =
      outputs_of(kernel.family, arguments, typed, layout::c_order(results.span()), where);
  if (std::ranges::find(results.span(), 0) == results.span().end()) {
    run_reduction(self, kernel.family.name, typed, arguments, axes, where, events);
  }
  return as_result(outputs);
}

}  // namespace

void bind_reduction(nb::module_& m) {
  nb::class_<py_reduction> cls(m, "_ReductionKernel", nb::is_weak_referenceable(),
                               "What ReductionKernel does for each call.");
  cls.def(
         "__init__",
         [](nb::pointer_and_handle<py_reduction> self, std::string name,
            std::vector<std::string> parameters, std::size_t input_count, bool has_identity) {
           initialize(self, [&] {
             require_usable_process();
             return py_reduction{{std::move(name), std::move(parameters), input_count, {}},
                                 has_identity};
           });
         },
         nb::arg("name"), nb::arg("parameters"), nb::arg("input_count"), nb::arg("has_identity"),
         nb::sig("def __init__(self, name: str, parameters: list[str], input_count: int, "
                 "has_identity: bool) -> None"),
         "Of names in the order of the parameters, inputs first.")
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
    ExecutionPlacementError: the arrays are on different queues, and `queue` is None.
    CompileError: the source cannot be compiled for these types.)");
}

}  // namespace usmx::bindings
