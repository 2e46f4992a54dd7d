#include "container/container.hpp"

#include <array>
#include <utility>

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "usmx/array/reinterpreted.hpp"

namespace usmx::bindings {
namespace {

/// A view of the same elements in the same memory object.
nb::object view_of(const py_array& a, layout where) { return to_python(a, std::move(where)); }

/// The axes of an argument: one axis, or any sequence of them.
counts axes_argument(const char* what, nb::handle axes) {
  constexpr const char* expected = "an integer or a tuple of integers";
  const auto one_axis = [&] { return counts(what, nb::make_tuple(axes).ptr()); };
  if (PyIndex_Check(axes.ptr()) && !PySequence_Check(axes.ptr())) {
    return one_axis();
  }
  if (PyTuple_Check(axes.ptr()) || PyList_Check(axes.ptr())) {
    return counts(what, axes.ptr());
  }
  if (PyUnicode_Check(axes.ptr()) || PyBytes_Check(axes.ptr()) || !PySequence_Check(axes.ptr())) {
    throw_wrong_type(what, expected, axes.ptr());
  }
  if (PyIndex_Check(axes.ptr()) && PySequence_Size(axes.ptr()) < 0) {  // an array of no dimensions
    PyErr_Clear();
    return one_axis();
  }
  return counts(what, checked(run_python([&] { return PySequence_Tuple(axes.ptr()); })).ptr());
}

// ---- views; None for an axis argument stands for all axes

/// Permutes the axes, and reverses them for None.
nb::object permuted(nb::handle x, nb::handle axes) {
  const elements_argument a("X", x);
  return view_of(*a, axes.is_none()
                         ? transposed(a->value.layout())
                         : permuted_axes(a->value.layout(), axes_argument("axes", axes).span()));
}

nb::object moved(nb::handle x, nb::handle source, nb::handle destination) {
  const elements_argument a("X", x);
  return view_of(*a, moved_axes(a->value.layout(), axes_argument("source", source).span(),
                                axes_argument("destination", destination).span()));
}

nb::object swapped(nb::handle x, nb::handle axis1, nb::handle axis2) {
  constexpr const char* expected = "an integer";
  const elements_argument a("X", x);
  return view_of(*a, swapped_axes(a->value.layout(), to_count("axis1", expected, axis1.ptr()),
                                  to_count("axis2", expected, axis2.ptr())));
}

nb::object matrix_transpose(nb::handle x) {
  const elements_argument a("x", x);
  return view_of(*a, matrix_transposed(a->value.layout()));
}

nb::object flip(nb::handle x, nb::handle axis) {
  const elements_argument a("X", x);
  return view_of(*a, axis.is_none()
                         ? flipped(a->value.layout())
                         : flipped(a->value.layout(), axes_argument("axis", axis).span()));
}

nb::object squeeze(nb::handle x, nb::handle axis) {
  const elements_argument a("X", x);
  return view_of(*a, axis.is_none()
                         ? squeezed(a->value.layout())
                         : squeezed(a->value.layout(), axes_argument("axis", axis).span()));
}

nb::object expand(nb::handle x, nb::handle axis) {
  const elements_argument a("X", x);
  return view_of(*a, expanded(a->value.layout(), axes_argument("axis", axis).span()));
}

/// Broadcasts an array. The result is read-only, as in NumPy: one element may have several indices.
nb::object broadcast_to(nb::handle x, nb::handle shape) {
  const elements_argument a("X", x);
  layout where = broadcast(a->value.layout(), shape_argument(shape).span());
  return to_python(*a, internal::with_layout(a->value, std::move(where)).as_readonly());
}

std::optional<layout> layout_in_shape(const layout& where, std::span<const std::ptrdiff_t> shape,
                                      element_order order) {
  return order == element_order::f ? reshaped_f_order(where, shape) : reshaped(where, shape);
}

/// Gives the array another shape, by a view if possible and else by a copy. One extent of `shape`
/// may be -1.
nb::object in_shape(const py_array& a, std::span<std::ptrdiff_t> shape, element_order order,
                    copying wanted) {
  resolve_extent(shape, a.value.size());
  if (wanted != copying::always) {
    if (auto where = layout_in_shape(a.value.layout(), shape, order)) {
      return view_of(a, *std::move(where));
    }
  }
  if (wanted == copying::never) {
    throw value_error(
        detail::message("copy=False cannot be met: an array of shape ", tuple_text(a.value.shape()),
                        " and strides ", tuple_text(a.value.strides()), " has no view of shape ",
                        tuple_text(shape), " in ", static_cast<char>(order), " order"));
  }
  const array packed =
      copy_of(a.value, a.value.type(), a.value.kind(), internal::private_queue(a.value), order);
  return to_python(internal::with_layout(packed, *layout_in_shape(packed.layout(), shape, order)));
}

nb::object reshape(nb::handle x, nb::handle shape, nb::handle order, nb::handle copy) {
  const copying wanted = copy_argument(copy);
  const elements_argument a("X", x);
  const element_order letter = order_argument(order, c_f_or_a, element_order::c);
  return in_shape(*a, shape_argument(shape).span(), resolved(letter, a->value.layout()), wanted);
}

nb::object new_like(nb::handle x, nb::handle shape, nb::handle order) {
  const array_argument a("prototype", x);
  const element_order letter = order_argument(order, c_or_f, element_order::c);
  layout where = shape.is_none() ? compact(a->value.shape(), letter)
                                 : compact(shape_argument(shape).span(), letter);
  return to_python(make_array(std::move(where), a->value.type(), internal::private_queue(a->value),
                              a->value.kind(), first_use::in_order));
}

// ---- methods

nb::object view(nb::handle self, nb::handle dtype_object) {
  const array_argument a("self", self);
  return to_python(*a, dtype_object.is_none()
                           ? array(a->value)
                           : reinterpreted(a->value, dtype_argument(dtype_object)));
}

/// The items that a method takes as `*items`: one tuple or list of them, or each by itself.
nb::handle unpacked(const nb::args& items) {
  return items.size() == 1 ? nb::handle(items[0]) : nb::handle(items);
}

nb::object transpose(nb::handle self, const nb::args& axes) {
  return permuted(self, axes.size() == 0 ? nb::handle(Py_None) : unpacked(axes));
}

nb::object reshape_method(nb::handle self, const nb::args& shape, nb::handle order,
                          nb::handle copy) {
  return reshape(self, unpacked(shape), order, copy);
}

/// Gives the array one dimension, in an order that may depend on the array's own.
nb::object flattened(const py_array& a, nb::handle order, copying wanted) {
  const layout& where = a.value.layout();
  const element_order letter = resolved(order_argument(order, any_order, element_order::c), where);
  std::array<std::ptrdiff_t, 1> all{-1};
  return letter == element_order::keep
             ? in_shape(py_array(a, with_axes_as_in_memory(where)), all, element_order::c, wanted)
             : in_shape(a, all, letter, wanted);
}

/// Makes the result contiguous as NumPy's ravel does, also for an array of one dimension.
nb::object ravel(nb::handle self, nb::handle order) {
  const array_argument a("self", self);
  nb::object flat = flattened(*a, order, copying::if_needed);
  const array& made = *as_array(flat.ptr());
  return made.layout().is_c_contiguous()
             ? flat
             : to_python(copy_of(made, made.type(), made.kind(), internal::private_queue(made),
                                 element_order::c));
}

nb::object flatten(nb::handle self, nb::handle order) {
  const array_argument a("self", self);
  return flattened(*a, order, copying::always);
}

}  // namespace

void bind_shapes(nb::module_& m) {
  declare<
      "def reshape(X: Operand, /, shape: Shape, order: OrderCFA | None = 'C', *, copy: bool | None "
      "= None) -> USMArray">(m, &reshape);
  declare<"def permute_dims(X: Operand, /, axes: Axes | None = None) -> USMArray">(m, &permuted);
  declare<"def moveaxis(X: Operand, /, source: Axes, destination: Axes) -> USMArray">(m, &moved);
  declare<"def swapaxes(X: Operand, axis1: SupportsIndex, axis2: SupportsIndex) -> USMArray">(
      m, &swapped);
  declare<"def matrix_transpose(x: Operand) -> USMArray">(m, &matrix_transpose);
  declare<"def flip(X: Operand, /, axis: Axes | None = None) -> USMArray">(m, &flip);
  declare<"def squeeze(X: Operand, /, axis: Axes | None = None) -> USMArray">(m, &squeeze);
  declare<"def expand_dims(X: Operand, /, axis: Axes = 0) -> USMArray">(m, &expand);
  declare<"def broadcast_to(X: Operand, /, shape: Shape) -> USMArray">(m, &broadcast_to);
  declare<"def _new_like(prototype: object, shape: object, order: object) -> USMArray">(
      m, &new_like,
      "New memory of the same kind, queue and element type. A shape of None is the same too.");
  declare<"def _normalized_axis(axis: object, ndim: int) -> int">(m, [](nb::handle axis, int ndim) {
    return normalized_axis(to_count("axis", "an integer", axis.ptr()), ndim);
  });
}

void bind_shape_methods(nb::class_<py_array>& cls) {
  declare<"def view(self, dtype: object = None) -> USMArray">(cls, &view);
  declare<
      "def reshape(self, *shape: typing.Any, order: OrderCFA | None = 'C', copy: bool | None = "
      "None) -> USMArray">(cls, &reshape_method);
  declare<"def ravel(self, order: OrderCFAK | None = 'C') -> USMArray">(cls, &ravel);
  declare<"def flatten(self, order: OrderCFAK | None = 'C') -> USMArray">(cls, &flatten);
  declare<"def transpose(self, *axes: typing.Any) -> USMArray">(cls, &transpose);
  declare<"def squeeze(self, axis: int | typing.Sequence[int] | None = None) -> USMArray">(
      cls, &squeeze);
  declare<"def swapaxes(self, axis1: int, axis2: int) -> USMArray">(cls, &swapped);
}

}  // namespace usmx::bindings
