#include "container/container.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "elements/dtype.hpp"
#include "exchange/import.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "usmx/array/reinterpreted.hpp"
#include "usmx/layout/axes.hpp"
#include "usmx/layout/element_order.hpp"

namespace usmx::bindings {
namespace {

/// A view of the same elements in the same memory object.
nb::object view_of(const py_array& a, layout where) { return to_python(a, std::move(where)); }

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
  return to_python(*a, internal::with_layout(a->value, std::move(where)).as_readonly());
}

std::optional<layout> layout_in_shape(const layout& where, std::span<const std::ptrdiff_t> shape,
                                      element_order order) {
  return order == element_order::f ? reshaped_f_order(where, shape) : reshaped(where, shape);
}

/// By a view where possible, else by a copy; one of `shape` may be -1.
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
  const array_argument a("X", x);
  return in_shape(*a, shape_argument(shape).span(), order_argument(order, c_or_f), wanted);
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
  return to_python(*a, dtype_object.is_none()
                           ? array(a->value)
                           : reinterpreted(a->value, dtype_argument(dtype_object)));
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

nb::object reshape_method(nb::handle self, const nb::args& shape, nb::handle order,
                          nb::handle copy) {
  return reshape(self, unpacked(shape), order, copy);
}

/// In one dimension, in an order that may depend on the array's own.
nb::object flattened(const py_array& a, nb::handle order, copying wanted) {
  const layout& where = a.value.layout();
  const element_order letter = resolved(order_argument(order, any_order), where);
  std::array<std::ptrdiff_t, 1> all{-1};
  return letter == element_order::keep
             ? in_shape(py_array(a, with_axes_as_in_memory(where)), all, element_order::c, wanted)
             : in_shape(a, all, letter, wanted);
}

/// As NumPy's, contiguous: also of one dimension.
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
  m.def("reshape", &reshape, nb::arg().none(), nb::arg("shape").none(), nb::kw_only(),
        nb::arg("order").none() = "C", nb::arg("copy") = nb::none(),
        nb::sig("def reshape(X: Producer, /, shape: Shape, *, order: OrderCF = 'C', copy: bool | "
                "None = None) -> USMArray"),
        R"(Give the elements of `X` another shape: by a view where possible, else by a copy.

Waits for the copy, if there is one.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    shape: an integer or a tuple of integers. One of them may be -1: it is computed from the
        others.
    order: 'C': the last index varies fastest, in `X` and in the result. 'F': the first one
        does.
    copy: True: always copy. None: copy where there can be no view. False: never copy.

Returns:
    A view of `X`, or a new array that is contiguous in `order`, on the same queue and of the
    same kind.

Raises:
    ValueError: the sizes differ, or ``copy=False`` cannot be met.

Example:
    >>> usmx.reshape(usmx.arange(6), (2, -1)).shape
    (2, 3))");
  m.def("permute_dims", &permuted, nb::arg().none(), nb::arg("axes").none(),
        nb::sig("def permute_dims(X: Producer, /, axes: Axes) -> USMArray"),
        R"(Reorder the dimensions of an array, by a view. Does not wait.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    axes: dimension k of the result is dimension ``axes[k]`` of `X`. Each dimension must be
        named once.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.
    ValueError: a dimension is named twice, or not at all.

Example:
    >>> usmx.permute_dims(usmx.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3))");
  m.def("moveaxis", &moved, nb::arg().none(), nb::arg().none(), nb::arg().none(),
        nb::sig("def moveaxis(X: Producer, source: Axes, destination: Axes, /) -> USMArray"),
        R"(Move axes of an array to other places, by a view. Does not wait.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    source: the axes to move: an integer or a tuple.
    destination: their new places: an integer or a tuple of the same length. The other axes keep
        their order.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.
    ValueError: `source` and `destination` differ in length, or name an axis twice.

Example:
    >>> usmx.moveaxis(usmx.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2))");
  m.def(
      "swapaxes", &swapped, nb::arg("X").none(), nb::arg("axis1").none(), nb::arg("axis2").none(),
      nb::sig("def swapaxes(X: Producer, axis1: SupportsIndex, axis2: SupportsIndex) -> USMArray"),
      R"(Swap two axes of an array, by a view. Does not wait.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    axis1, axis2: integers.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.

Example:
    >>> usmx.swapaxes(usmx.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2))");
  m.def("matrix_transpose", &matrix_transpose, nb::arg("x").none(),
        nb::sig("def matrix_transpose(x: Producer) -> USMArray"),
        R"(Swap the last two dimensions of an array, by a view. Does not wait.

Args:
    x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

Returns:
    A view of `x`: a USMArray that shares and keeps its memory.

Raises:
    ValueError: `x` has fewer than 2 dimensions.

Example:
    >>> usmx.matrix_transpose(usmx.zeros((2, 3, 4))).shape
    (2, 4, 3))");
  m.def("flip", &flip, nb::arg().none(), nb::kw_only(), nb::arg("axis") = nb::none(),
        nb::sig("def flip(X: Producer, /, *, axis: Axes | None = None) -> USMArray"),
        R"(Reverse the order of the elements along axes, by a view. Does not wait.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    axis: an integer or a tuple of integers. None means all axes.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.

Example:
    >>> print(usmx.flip(usmx.arange(3)))
    [2 1 0])");
  m.def("squeeze", &squeeze, nb::arg().none(), nb::arg("axis") = nb::none(),
        nb::sig("def squeeze(X: Producer, /, axis: Axes | None = None) -> USMArray"),
        R"(Leave out axes of size 1, by a view. Does not wait.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    axis: which axes: an integer or a tuple. None means all axes of size 1.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.
    ValueError: one of `axis` has another size.

Example:
    >>> usmx.squeeze(usmx.zeros((1, 3, 1))).shape
    (3,))");
  m.def("expand_dims", &expand, nb::arg().none(), nb::kw_only(), nb::arg("axis").none() = 0,
        nb::sig("def expand_dims(X: Producer, /, *, axis: Axes = 0) -> USMArray"),
        R"(Insert axes of size 1, by a view. Does not wait.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    axis: where in the result the new axes are: an integer or a tuple.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.

Example:
    >>> usmx.expand_dims(usmx.zeros(3), axis=0).shape
    (1, 3))");
  m.def("broadcast_to", &broadcast_to, nb::arg().none(), nb::arg("shape").none(),
        nb::sig("def broadcast_to(X: Producer, /, shape: Shape) -> USMArray"),
        R"(Repeat an array to a shape, by a view. Does not wait.

The view is read-only, since one element may stand in several places. NumPy does the same,
dpnp.tensor does not.

Args:
    X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    shape: an integer or a tuple of integers.

Returns:
    A read-only view of `X`.

Raises:
    ValueError: the shapes are not compatible.

Example:
    >>> print(usmx.broadcast_to(usmx.arange(3), (2, 3)))
    [[0 1 2]
     [0 1 2]])");
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
          "reshape", &reshape_method, nb::arg("shape").none(), nb::arg("order").none() = "C",
          nb::arg("copy") = nb::none(),
          nb::sig("def reshape(self, *shape: typing.Any, order: OrderCF = 'C', copy: bool | None = "
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
          nb::sig("def ravel(self, order: OrderCFAK = 'C') -> USMArray"),
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
           nb::sig("def flatten(self, order: OrderCFAK = 'C') -> USMArray"),
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
