#include "container/shapes.hpp"

#include <utility>

#include "container/making.hpp"
#include "elements/dtype_argument.hpp"
#include "exchange/producers.hpp"
#include "internals.hpp"
#include "objects/new_memory.hpp"
#include "support/arguments.hpp"
#include "support/hooks.hpp"
#include "usmx/array/reinterpreted.hpp"
#include "usmx/layout/axes.hpp"
#include "usmx/layout/element_order.hpp"

namespace usmx::bindings {
namespace {

/// A USMArray, or a view of what another producer describes.
class array_argument {
 public:
  array_argument(const char* what, nb::handle object) : held_(array_or_view(object)) {
    if (!held_.is_valid()) {
      throw_wrong_type(what, "an object with __sycl_usm_array_interface__ (usmx.asarray makes one)",
                       object.ptr());
    }
  }
  const py_array& operator*() const noexcept { return *nb::inst_ptr<py_array>(held_); }
  const py_array* operator->() const noexcept { return &**this; }

 private:
  nb::object held_;
};

/// A view of the same elements in the same memory object.
nb::object view_of(const py_array& a, layout where) {
  return to_python(internal::with_layout(a.value, std::move(where)), a.base);
}

/// One axis, or any sequence of them.
counts axes_argument(const char* what, nb::handle axes) {
  constexpr const char* expected = "an integer or a tuple of integers";
  if (PyIndex_Check(axes.ptr()) && !PySequence_Check(axes.ptr())) {
    const nb::tuple one = nb::make_tuple(axes);
    return counts(what, one.ptr());
  }
  if (PyTuple_Check(axes.ptr()) || PyList_Check(axes.ptr())) {
    return counts(what, axes.ptr());
  }
  if (PyUnicode_Check(axes.ptr()) || PyBytes_Check(axes.ptr()) || !PySequence_Check(axes.ptr())) {
    throw_wrong_type(what, expected, axes.ptr());
  }
  return counts(what, checked(PySequence_Tuple(axes.ptr())).ptr());
}

// ---- views; None for an axis argument stands for all axes

nb::object permuted(nb::handle x, nb::handle axes) {
  const array_argument a("X", x);
  return view_of(*a, permuted_axes(a->value.layout(), axes_argument("axes", axes).span()));
}

nb::object moved(nb::handle x, nb::handle source, nb::handle destination) {
  const array_argument a("X", x);
  return view_of(*a, moved_axes(a->value.layout(), axes_argument("source", source).span(),
                                axes_argument("destination", destination).span()));
}

nb::object swapped(nb::handle x, nb::handle axis1, nb::handle axis2) {
  constexpr const char* expected = "an integer";
  const array_argument a("X", x);
  return view_of(*a, swapped_axes(a->value.layout(), to_count("axis1", expected, axis1.ptr()),
                                  to_count("axis2", expected, axis2.ptr())));
}

nb::object matrix_transpose(nb::handle x) {
  const array_argument a("x", x);
  return view_of(*a, matrix_transposed(a->value.layout()));
}

nb::object flip(nb::handle x, nb::handle axis) {
  const array_argument a("X", x);
  return view_of(*a, axis.is_none()
                         ? flipped(a->value.layout())
                         : flipped(a->value.layout(), axes_argument("axis", axis).span()));
}

nb::object squeeze(nb::handle x, nb::handle axis) {
  const array_argument a("X", x);
  return view_of(*a, axis.is_none()
                         ? squeezed(a->value.layout())
                         : squeezed(a->value.layout(), axes_argument("axis", axis).span()));
}

nb::object expand(nb::handle x, nb::handle axis) {
  const array_argument a("X", x);
  return view_of(*a, expanded(a->value.layout(), axes_argument("axis", axis).span()));
}

/// Read-only, as in NumPy: one element may stand in several places.
nb::object broadcast_to(nb::handle x, nb::handle shape) {
  const array_argument a("X", x);
  layout where = broadcast(a->value.layout(), shape_argument(shape).span());
  return to_python(internal::with_layout(a->value, std::move(where)).as_readonly(), a->base);
}

nb::object reshape_view(nb::handle x, nb::handle shape, nb::handle order) {
  const array_argument a("X", x);
  counts extents = shape_argument(shape);
  resolve_extent(extents.span(), a->value.size());
  auto where = order_argument(order, c_or_f) == element_order::f
                   ? reshaped_f_order(a->value.layout(), extents.span())
                   : reshaped(a->value.layout(), extents.span());
  return where ? view_of(*a, *std::move(where)) : nb::none();
}

nb::object new_like(nb::handle x, nb::handle shape, nb::handle order) {
  const array_argument a("prototype", x);
  const element_order letter = order_argument(order, c_or_f);
  layout where = shape.is_none() ? compact(a->value.shape(), letter)
                                 : compact(shape_argument(shape).span(), letter);
  return to_python(make_array(std::move(where), a->value.type(), internal::private_queue(a->value),
                              a->value.kind(), first_use::in_order));
}

// ---- methods

nb::object view(nb::handle self, nb::handle dtype_object) {
  const array_argument a("self", self);
  return to_python(
      dtype_object.is_none() ? a->value : reinterpreted(a->value, dtype_argument(dtype_object)),
      a->base);
}

/// What a method takes as `*items`: one tuple or list of them, or each by itself.
nb::handle unpacked(const nb::args& items) {
  return items.size() == 1 ? nb::handle(items[0]) : nb::handle(items);
}

nb::object transpose(nb::handle self, const nb::args& axes) {
  const array_argument a("self", self);
  const nb::handle order = unpacked(axes);
  const bool reversed = axes.size() == 0 || order.is_none();
  return reversed ? view_of(*a, transposed(a->value.layout())) : permuted(self, order);
}

/// A copy is made in Python; a view is not worth that detour.
nb::object reshape(nb::handle self, nb::handle shape, nb::handle order, nb::handle copy) {
  if (copy.is_none()) {
    nb::object view = reshape_view(self, shape, order);
    if (!view.is_none()) {
      return view;
    }
  }
  return hooks::reshape(self, shape, nb::arg("order") = order, nb::arg("copy") = copy);
}

/// What ravel and flatten reshape, and in which order: 'A' and 'K' depend on the array's own.
std::pair<nb::object, nb::str> flattened_as(nb::handle self, nb::handle order) {
  const array_argument a("self", self);
  const layout& where = a->value.layout();
  const element_order letter = resolved(order_argument(order, any_order), where);
  if (letter == element_order::keep) {
    return {view_of(*a, with_axes_as_in_memory(where)), nb::str("C")};
  }
  return {nb::borrow(self), nb::str(letter == element_order::f ? "F" : "C")};
}

/// As NumPy's, contiguous: also of one dimension.
nb::object ravel(nb::handle self, nb::handle order) {
  const auto [array, letter] = flattened_as(self, order);
  nb::object flat = reshape(array, nb::int_(-1), letter, nb::none());
  const array_argument made("self", flat);
  return made->value.layout().is_c_contiguous()
             ? flat
             : to_python(copy_of(made->value, made->value.type(), made->value.kind(),
                                 internal::private_queue(made->value), element_order::c));
}

nb::object flatten(nb::handle self, nb::handle order) {
  const auto [array, letter] = flattened_as(self, order);
  return reshape(array, nb::int_(-1), letter, nb::bool_(true));
}

}  // namespace

void bind_shapes(nb::module_& m) {
  m.def("_permuted", &permuted, nb::arg("X").none(), nb::arg("axes").none(),
        nb::sig("def _permuted(X: object, axes: object) -> USMArray"));
  m.def("_moved", &moved, nb::arg("X").none(), nb::arg("source").none(),
        nb::arg("destination").none(),
        nb::sig("def _moved(X: object, source: object, destination: object) -> USMArray"));
  m.def("_swapped", &swapped, nb::arg("X").none(), nb::arg("axis1").none(), nb::arg("axis2").none(),
        nb::sig("def _swapped(X: object, axis1: object, axis2: object) -> USMArray"));
  m.def("_matrix_transposed", &matrix_transpose, nb::arg("x").none(),
        nb::sig("def _matrix_transposed(x: object) -> USMArray"));
  m.def("_flipped", &flip, nb::arg("X").none(), nb::arg("axis").none(),
        nb::sig("def _flipped(X: object, axis: object) -> USMArray"));
  m.def("_squeezed", &squeeze, nb::arg("X").none(), nb::arg("axis").none(),
        nb::sig("def _squeezed(X: object, axis: object) -> USMArray"));
  m.def("_expanded", &expand, nb::arg("X").none(), nb::arg("axis").none(),
        nb::sig("def _expanded(X: object, axis: object) -> USMArray"));
  m.def("_broadcast", &broadcast_to, nb::arg("X").none(), nb::arg("shape").none(),
        nb::sig("def _broadcast(X: object, shape: object) -> USMArray"));
  m.def("_reshaped", &reshape_view, nb::arg("X").none(), nb::arg("shape").none(),
        nb::arg("order").none(),
        nb::sig("def _reshaped(X: object, shape: object, order: object) -> USMArray | None"),
        "None when only a copy could have that shape.");
  m.def("_new_like", &new_like, nb::arg("prototype").none(), nb::arg("shape").none(),
        nb::arg("order").none(),
        nb::sig("def _new_like(prototype: object, shape: object, order: object) -> USMArray"),
        "New memory of the same kind, queue and element type. A shape of None is the same too.");
  m.def(
      "_normalized_axis",
      [](nb::handle axis, int ndim) {
        return normalized_axis(to_count("axis", "an integer", axis.ptr()), ndim);
      },
      nb::arg("axis").none(), nb::arg("ndim"),
      nb::sig("def _normalized_axis(axis: object, ndim: int) -> int"));
}

void bind_shape_methods(nb::class_<py_array>& cls) {
  cls.def("view", &view, nb::arg("dtype") = nb::none(),
          nb::sig("def view(self, dtype: object = None) -> USMArray"),
          R"(Read the same bytes as elements of another type, by a view. Does not wait.

If the item size changes, the last dimension changes, and it must be contiguous.

Args:
    dtype: the element type. None keeps it.

Returns:
    A view of the array.

Raises:
    ValueError: the bytes of the last dimension, another stride or the offset are no whole number of new
        elements, or the new type needs another alignment.

Example:
    >>> usmx.zeros(3, dtype='f8').view('u4').shape
    (6,))")
      .def(
          "reshape",
          [](nb::handle self, const nb::args& shape, nb::handle order, nb::handle copy) {
            return reshape(self, unpacked(shape), order, copy);
          },
          nb::arg("shape").none(), nb::arg("order").none() = "C", nb::arg("copy") = nb::none(),
          nb::sig("def reshape(self, *shape: typing.Any, order: str = 'C', copy: bool | None = "
                  "None) -> USMArray"),
          R"(Give the elements another shape: by a view where possible, else by a copy. Waits for the copy.

Args:
    shape: one tuple or several integers. One of them may be -1: it is computed from the others.
    order: 'C': the last index varies fastest, in both shapes. 'F': the first one does.
    copy: True: always copy. None: copy where there can be no view. False: never copy.

Returns:
    A view, or a new array that is contiguous in `order`.

Raises:
    ValueError: the sizes differ, or ``copy=False`` cannot be met.

Example:
    >>> usmx.arange(6).reshape(2, -1).shape
    (2, 3))")
      .def(
          "ravel", &ravel, nb::arg("order").none() = "C",
          nb::sig("def ravel(self, order: str = 'C') -> USMArray"),
          R"(Give all elements one contiguous dimension: by a view where possible, else by a copy. Waits for the copy.

Args:
    order: 'C': the last index varies fastest in memory. 'F': the first one does. 'A': 'F' if the
        array is Fortran- and not C-contiguous, else 'C'. 'K': as they
        lie in memory.

Returns:
    A view, or a new array.

Example:
    >>> print(usmx.asarray([[1, 2], [3, 4]]).ravel('F'))
    [1 3 2 4])")
      .def("flatten", &flatten, nb::arg("order").none() = "C",
           nb::sig("def flatten(self, order: str = 'C') -> USMArray"),
           R"(Copy all elements into an array of one dimension. Waits.

Args:
    order: 'C': the last index varies fastest in memory. 'F': the first one does. 'A': 'F' if the
        array is Fortran- and not C-contiguous, else 'C'. 'K': as they
        lie in memory.

Returns:
    A new array.

Example:
    >>> print(usmx.asarray([[1, 2], [3, 4]]).flatten())
    [1 2 3 4])")
      .def("transpose", &transpose, nb::arg("axes").none(),
           nb::sig("def transpose(self, *axes: typing.Any) -> USMArray"),
           R"(Reorder the dimensions, by a view. Does not wait.

Args:
    axes: one tuple or several integers; without them the order is reversed.

Returns:
    A view of the array.

Raises:
    ValueError: an axis is named twice, or not at all, or does not exist.

Example:
    >>> usmx.zeros((2, 3, 4)).transpose().shape
    (4, 3, 2))")
      .def("squeeze", &squeeze, nb::arg("axis") = nb::none(),
           nb::sig("def squeeze(self, axis: int | typing.Sequence[int] | None = None) -> USMArray"),
           R"(Leave out axes of size 1, by a view. Does not wait.

Args:
    axis: which axes: an integer or a tuple. None means all axes of size 1.

Returns:
    A view of the array.

Raises:
    ValueError: one of `axis` has another size, or does not exist.

Example:
    >>> usmx.zeros((1, 3)).squeeze().shape
    (3,))")
      .def("swapaxes", &swapped, nb::arg("axis1").none(), nb::arg("axis2").none(),
           nb::sig("def swapaxes(self, axis1: int, axis2: int) -> USMArray"),
           R"(Swap two axes, by a view. Does not wait.

Args:
    axis1, axis2: integers.

Returns:
    A view of the array.

Raises:
    ValueError: an axis does not exist.

Example:
    >>> usmx.zeros((2, 3)).swapaxes(0, 1).shape
    (3, 2))");
}

}  // namespace usmx::bindings
