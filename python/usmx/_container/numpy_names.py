"""Functions that NumPy has and the array API has under another name, or not at all.

Each is made of usmx's own: views wherever the elements can stay where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_integer, as_view
from usmx._container.host import _numpy
from usmx._container.manipulation import checked_list, concat, require_few_views
from usmx._container.types import can_cast
from usmx._core import USMArray, _as_array, asarray, broadcast_to, flip, moveaxis, reshape, swapaxes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from usmx._typing import ArrayLike, Casting, DeviceLike, DTypeLike, Producer, QueueLike, UsmType

# ---- at least so many dimensions


def atleast_1d(x: Producer, /) -> USMArray:
    """View an array with at least 1 dimension. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A view of `x`; a 0-d array has shape ``(1,)``.

    Example:
        >>> usmx.atleast_1d(usmx.asarray(3)).shape
        (1,)
    """
    view = as_view("x", x)
    return view if view.ndim else reshape(view, 1)


def atleast_2d(x: Producer, /) -> USMArray:
    """View an array with at least 2 dimensions; new ones come first. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A view of `x`.

    Example:
        >>> usmx.atleast_2d(usmx.arange(3)).shape
        (1, 3)
    """
    view = atleast_1d(x)
    return view if view.ndim > 1 else view[None]


def atleast_3d(x: Producer, /) -> USMArray:
    """View an array with at least 3 dimensions. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A view of `x`. Shape ``(n,)`` becomes ``(1, n, 1)``, and ``(m, n)`` becomes ``(m, n, 1)``.

    Example:
        >>> usmx.atleast_3d(usmx.arange(3)).shape
        (1, 3, 1)
    """
    view = atleast_2d(x)
    return view if view.ndim > 2 else view[..., None]


# ---- joining and splitting


def hstack(arrays: Sequence[Producer], /) -> USMArray:
    """Join arrays side by side, in a new array. Waits.

    Arrays of at most one dimension are joined along axis 0, others along axis 1.

    Args:
        arrays: a list or tuple of arrays on one queue.

    Returns:
        A new C-contiguous USMArray on their queue, as `concat` makes it.

    Raises:
        ValueError: there are no arrays, or the shapes differ in another axis.
        ExecutionPlacementError: the queues differ.
        TypeError: `arrays` is no list or tuple, or an element is no producer.

    Example:
        >>> print(usmx.hstack([usmx.arange(2), usmx.arange(3)]))
        [0 1 0 1 2]
    """
    views = [atleast_1d(array) for array in checked_list(arrays)]
    return concat(views, axis=min(views[0].ndim - 1, 1))


def vstack(arrays: Sequence[Producer], /) -> USMArray:
    """Join arrays as rows, in a new array. Waits.

    Args:
        arrays: a list or tuple of arrays on one queue. One of fewer than two dimensions is a row.

    Returns:
        A new C-contiguous USMArray on their queue, as `concat` makes it along axis 0.

    Raises:
        ValueError: there are no arrays, or the shapes differ in another axis.
        ExecutionPlacementError: the queues differ.
        TypeError: `arrays` is no list or tuple, or an element is no producer.

    Example:
        >>> print(usmx.vstack([usmx.arange(2), usmx.arange(2)]))
        [[0 1]
         [0 1]]
    """
    return concat([atleast_2d(array) for array in checked_list(arrays)], axis=0)


def dstack(arrays: Sequence[Producer], /) -> USMArray:
    """Join arrays along the third axis, in a new array. Waits.

    Args:
        arrays: a list or tuple of arrays on one queue, each taken as `atleast_3d` gives it.

    Returns:
        A new C-contiguous USMArray on their queue, as `concat` makes it along axis 2.

    Raises:
        ValueError: there are no arrays, or the shapes differ in another axis.
        ExecutionPlacementError: the queues differ.
        TypeError: `arrays` is no list or tuple, or an element is no producer.

    Example:
        >>> usmx.dstack([usmx.zeros((2, 3)), usmx.zeros((2, 3))]).shape
        (2, 3, 2)
    """
    return concat([atleast_3d(array) for array in checked_list(arrays)], axis=2)


def split(
    x: Producer,
    indices_or_sections: SupportsIndex | Sequence[SupportsIndex],
    /,
    axis: SupportsIndex = 0,
) -> list[USMArray]:
    """Split an array along an axis, by views. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices_or_sections: the number of equal parts, or the indices before which `x` is cut.
        axis: an integer.

    Returns:
        A list of views of `x`.

    Raises:
        ValueError: the axis cannot be split into so many equal parts; `array_split` can.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> [part.tolist() for part in usmx.split(usmx.arange(4), 2)]
        [[0, 1], [2, 3]]
    """
    view, along = _with_axis(x, axis)
    size = view.shape[along]
    if hasattr(indices_or_sections, "__index__") and size % _section_count(indices_or_sections):
        raise ValueError(
            f"split: an axis of size {size} has no {indices_or_sections} equal parts; "
            "usmx.array_split makes parts of different sizes"
        )
    return array_split(view, indices_or_sections, along)


def array_split(
    x: Producer,
    indices_or_sections: SupportsIndex | Sequence[SupportsIndex],
    /,
    axis: SupportsIndex = 0,
) -> list[USMArray]:
    """Split an array along an axis into parts of nearly the same size, by views. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices_or_sections: the number of parts, of which the first ones are longer by one, or the
            indices before which `x` is cut.
        axis: an integer.

    Returns:
        A list of views of `x`.

    Raises:
        ValueError: the number of parts is not positive.
        TypeError: an index is no integer.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> [part.tolist() for part in usmx.array_split(usmx.arange(3), 2)]
        [[0, 1], [2]]
    """
    view, along = _with_axis(x, axis)
    cuts = _cuts(indices_or_sections, view.shape[along])
    before = (slice(None),) * along
    starts, stops = [0, *cuts], [*cuts, view.shape[along]]
    return [view[(*before, slice(i, k))] for i, k in zip(starts, stops, strict=True)]


# ---- turning, diagonals


def rot90(x: Producer, /, k: SupportsIndex = 1, axes: Sequence[SupportsIndex] = (0, 1)) -> USMArray:
    """Rotate an array by 90 degrees in the plane of two axes, by a view. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        k: how many times, from the first of `axes` towards the second. It may be negative.
        axes: two different axes.

    Returns:
        A view of `x`.

    Raises:
        ValueError: `axes` are not two different axes.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.rot90(usmx.asarray([[1, 2], [3, 4]])))
        [[2 4]
         [1 3]]
    """
    view = as_view("x", x)
    plane = [_core._normalized_axis(axis, view.ndim) for axis in axes]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"axes must be two different axes, found {tuple(axes)}")
    turns = as_integer("k", k) % 4
    if turns == 2:
        return flip(view, axis=tuple(plane))
    if turns == 1:
        return swapaxes(flip(view, axis=plane[1]), *plane)
    return flip(swapaxes(view, *plane), axis=plane[1]) if turns else view


def diagonal(
    x: Producer, /, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> USMArray:
    """View a diagonal of an array. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 2
            dimensions.
        offset: which diagonal: 0 for the main one, positive above it, negative below it.
        axis1, axis2: the axes of the matrices of which the diagonals are taken.

    Returns:
        A view of `x` without the two axes, and with a last one for the diagonal. It is writable if
        `x` is; NumPy's is not.

    Raises:
        ValueError: `x` has fewer than 2 dimensions, or the axes are the same.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.diagonal(usmx.asarray([[1, 2], [3, 4]])))
        [1 4]
    """
    view = as_view("x", x)
    if view.ndim < 2:
        raise ValueError(f"diagonal: x must have at least 2 dimensions, found shape {view.shape}")
    rows, columns = (_core._normalized_axis(axis, view.ndim) for axis in (axis1, axis2))
    if rows == columns:
        raise ValueError(f"diagonal: axis1 and axis2 must be different, found {axis1} and {axis2}")
    offset = as_integer("offset", offset)
    view = moveaxis(view, (rows, columns), (-2, -1))
    matrix = view[..., -offset:, :] if offset < 0 else view[..., offset:]
    return USMArray(
        (*matrix.shape[:-2], min(matrix.shape[-2:])),
        matrix.dtype,
        buffer=matrix,
        strides=(*matrix.strides[:-2], sum(matrix.strides[-2:])),
        offset=matrix.offset,
    )


def diag(x: Producer, /, k: SupportsIndex = 0) -> USMArray:
    """View a diagonal of a matrix, or copy a vector to the diagonal of a new matrix of zeros.

    Waits for the copy, if there is one.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of 1 or 2
            dimensions.
        k: the diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
        Of a matrix, a view of one dimension; of a vector, a new square matrix.

    Raises:
        ValueError: `x` has neither 1 nor 2 dimensions.

    Example:
        >>> print(usmx.diag(usmx.asarray([1, 2])))
        [[1 0]
         [0 2]]
    """
    view = as_view("x", x)
    if view.ndim == 2:
        return diagonal(view, k)
    if view.ndim != 1:
        raise ValueError(f"diag: x must have 1 or 2 dimensions, found shape {view.shape}")
    size = view.shape[0] + abs(as_integer("k", k))
    result = _core.zeros(
        (size, size), view.dtype, usm_type=view.usm_type, sycl_queue=view._own_queue
    )
    diagonal(result, k)[...] = view
    return result


# ---- parts, copies


def real(x: Producer, /) -> USMArray:
    """View the real parts of the elements. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A view of `x`; `x` itself if its type is real.

    Example:
        >>> print(usmx.real(usmx.asarray([1 + 2j])))
        [1.]
    """
    return as_view("x", x).real


def imag(x: Producer, /) -> USMArray:
    """View the imaginary parts of the elements.

    Waits if the type is real, for the zeros.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A view of `x`; read-only zeros if its type is real.

    Example:
        >>> print(usmx.imag(usmx.asarray([1 + 2j])))
        [2.]
    """
    return as_view("x", x).imag


def copyto(
    dst: Producer,
    src: Any,
    /,
    casting: Casting = "same_kind",
    where: ArrayLike | Producer | None = None,
) -> None:
    """Copy values into an array, with NumPy's rules of casting. Waits.

    Args:
        dst: a USMArray or any other producer of ``__sycl_usm_array_interface__``. It is written to.
        src: an array that can be broadcast to the shape of `dst`, or a scalar.
        casting: which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
        where: bools that can be broadcast to the shape of `dst`: which elements are set. None means
            all.

    Raises:
        TypeError: `casting` does not allow the conversion, or `where` has elements of another type
            than bool.
        OverflowError: a Python integer does not fit the element type.
        ValueError: `dst` is read-only, the shapes do not fit, or there is no such casting.

    Example:
        >>> a = usmx.zeros(3)
        >>> usmx.copyto(a, [1, 2, 3], where=usmx.asarray([True, False, True]))
        >>> print(a)
        [1. 0. 3.]
    """
    view = as_view("dst", dst)
    source = _copied("copyto", view, src, casting)
    if where is None:
        view[...] = source
        return
    mask = broadcast_to(_mask_beside(view, where), view.shape)
    while source.ndim > view.ndim and source.shape[0] == 1:  # as in an assignment
        source = source[0]
    view[mask] = broadcast_to(source, view.shape)[mask] if isinstance(source, USMArray) else source


def _copied(caller, view, src, casting):
    """What `casting` allows to be copied into `view`: an array, or an element of its type."""
    numpy = _numpy()
    array = _as_array(src)
    if array is None and numpy.ndim(src) == 0 and view.dtype.names is None:
        item = numpy.zeros((), view.dtype)
        numpy.copyto(item, src, casting)  # the value, the errors and the warnings are NumPy's
        return item
    if array is None:
        array = asarray(src, sycl_queue=view._own_queue)
    # Not of the array: its device says what it can compute, and not what a copy may convert.
    if not can_cast(array.dtype, view.dtype, casting=casting):
        raise TypeError(
            f"{caller}: elements of type {array.dtype} cannot be cast to {view.dtype} with "
            f"casting={casting!r}"
        )
    return array


def _mask_beside(view, where):
    """The array of bools that says which elements are set. NumPy too makes bools of lists alone."""
    mask = _as_array(where)
    if mask is None:
        numbers = _numpy().asarray(where, None if hasattr(where, "dtype") else bool)
        mask = asarray(numbers, sycl_queue=view._own_queue)
    if mask.dtype != bool:
        raise TypeError(f"copyto: where must be bools, found elements of type {mask.dtype}")
    return mask


def ascontiguousarray(
    x: ArrayLike | Producer,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a C-contiguous array of at least 1 dimension. Waits for the copy, if there is one.

    Args:
        x: what `asarray` takes.
        dtype: the element type. None keeps that of `x`.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array.

    Returns:
        A USMArray; a view of `x` if `x` is already as it should be.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> usmx.ascontiguousarray(usmx.zeros((2, 3)).T).flags.c_contiguous
        True
    """
    made = asarray(x, dtype, device=device, usm_type=usm_type, sycl_queue=sycl_queue, order="C")
    return atleast_1d(made)


def frombuffer(
    buffer: Any,
    dtype: DTypeLike = "f8",
    count: SupportsIndex = -1,
    offset: SupportsIndex = 0,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType = "device",
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Copy the bytes of an object of the host into a new array of one dimension. Waits.

    Args:
        buffer: an object with the buffer protocol, such as bytes or a memoryview.
        dtype: the element type of the bytes.
        count: how many elements; -1 means all.
        offset: how many bytes to skip first.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array.

    Returns:
        A USMArray in new memory. NumPy's function makes a view instead.

    Raises:
        ValueError: the bytes are no whole number of elements, or there are too few.
        TypeError: `buffer` has no buffer.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.frombuffer(bytes([1, 2, 3]), 'u1'))
        [1 2 3]
    """
    numbers = _numpy().frombuffer(buffer, dtype, count, offset)
    return asarray(numbers, device=device, usm_type=usm_type, sycl_queue=sycl_queue)


# ---- arguments


def _with_axis(x, axis):
    view = as_view("x", x)
    return view, _core._normalized_axis(axis, view.ndim)


def _section_count(sections):
    count = as_integer("indices_or_sections", sections)
    if count < 1:
        raise ValueError(f"the number of parts must be positive, found {count}")
    return count


def _cuts(indices_or_sections, size):
    """The indices before which an axis of this size is cut."""
    if not hasattr(indices_or_sections, "__index__"):
        return [as_integer("an index of indices_or_sections", cut) for cut in indices_or_sections]
    count = _section_count(indices_or_sections)
    require_few_views(count)
    length, longer = divmod(size, count)
    return [length * k + min(k, longer) for k in range(1, count)]
