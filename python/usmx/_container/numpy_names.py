"""Functions that NumPy has and the array API has under another name, or not at all.

Each is made of usmx's own: views wherever the elements can stay where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_array, as_integer, as_view, of_dimensions
from usmx._container.host import numpy, on_host
from usmx._container.indexing import assign_where
from usmx._container.manipulation import integers_of
from usmx._container.types import can_cast
from usmx._core import USMArray, _as_array, asarray, flip, moveaxis, reshape, swapaxes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from usmx._typing import (
        ArrayLike,
        Casting,
        DeviceLike,
        DTypeLike,
        Operand,
        OrderCFAK,
        Producer,
        QueueLike,
        UsmType,
    )

# ---- at least so many dimensions


def atleast_1d(*arys: ArrayLike | Producer) -> Any:
    """View arrays with at least 1 dimension. Does not wait.

    Args:
        arys: arrays; each is a USMArray or any other producer of ``__sycl_usm_array_interface__``;
            a number or lists are copied to the current queue.

    Returns:
        A view of the array; a 0-d array has shape ``(1,)``. A tuple of views if there are several.

    Example:
        >>> usmx.atleast_1d(usmx.asarray(3)).shape
        (1,)
    """
    return _one_or_all(_with_one, arys)


def atleast_2d(*arys: ArrayLike | Producer) -> Any:
    """View arrays with at least 2 dimensions; new ones come first. Does not wait.

    Args:
        arys: arrays; each is a USMArray or any other producer of ``__sycl_usm_array_interface__``;
            a number or lists are copied to the current queue.

    Returns:
        A view of the array. A tuple of views if there are several.

    Example:
        >>> usmx.atleast_2d(usmx.arange(3)).shape
        (1, 3)
    """
    return _one_or_all(_with_two, arys)


def atleast_3d(*arys: ArrayLike | Producer) -> Any:
    """View arrays with at least 3 dimensions. Does not wait.

    Args:
        arys: arrays; each is a USMArray or any other producer of ``__sycl_usm_array_interface__``;
            a number or lists are copied to the current queue.

    Returns:
        A view of the array. Shape ``(n,)`` becomes ``(1, n, 1)``, and ``(m, n)`` becomes
        ``(m, n, 1)``. A tuple of views if there are several.

    Example:
        >>> usmx.atleast_3d(usmx.arange(3)).shape
        (1, 3, 1)
    """
    return _one_or_all(_with_three, arys)


def _one_or_all(view, arrays):
    found = tuple(view(as_array(f"array {k}", array)) for k, array in enumerate(arrays))
    return found[0] if len(found) == 1 else found


def _with_one(x):
    return x if x.ndim else reshape(x, 1)


def _with_two(x):
    return x if x.ndim > 1 else _with_one(x)[None]


def _with_three(x):
    return x if x.ndim > 2 else _with_two(x)[..., None]


# ---- turning, diagonals


def rot90(m: Operand, k: SupportsIndex = 1, axes: Sequence[SupportsIndex] = (0, 1)) -> USMArray:
    """Rotate an array by 90 degrees in the plane of two axes, by a view. Does not wait.

    Args:
        m: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        k: how many times, from the first of `axes` towards the second. It may be negative.
        axes: two different axes.

    Returns:
        A view of `m`.

    Raises:
        ValueError: `axes` are not two different axes.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.rot90(usmx.asarray([[1, 2], [3, 4]])))
        [[2 4]
         [1 3]]
    """
    view = as_array("m", m)
    plane = [_core._normalized_axis(axis, view.ndim) for axis in integers_of("axes", axes)]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"axes must be two different axes, found {axes}")
    turns = as_integer("k", k) % 4
    if turns == 2:
        return flip(view, axis=tuple(plane))
    if turns == 1:
        return swapaxes(flip(view, axis=plane[1]), *plane)
    return flip(swapaxes(view, *plane), axis=plane[1]) if turns else view


def fliplr(m: Operand) -> USMArray:
    """Reverse the order of the columns, by a view. Does not wait.

    Args:
        m: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 2
            dimensions.

    Returns:
        A view of `m`, reversed along axis 1.

    Raises:
        ValueError: `m` has fewer than 2 dimensions.

    Example:
        >>> print(usmx.fliplr(usmx.asarray([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]
    """
    return flip(of_dimensions("fliplr", m, 2), axis=1)


def flipud(m: Operand) -> USMArray:
    """Reverse the order of the rows, by a view. Does not wait.

    Args:
        m: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 1
            dimension.

    Returns:
        A view of `m`, reversed along axis 0.

    Raises:
        ValueError: `m` has no dimensions.

    Example:
        >>> print(usmx.flipud(usmx.arange(3)))
        [2 1 0]
    """
    return flip(of_dimensions("flipud", m, 1), axis=0)


def rollaxis(a: Producer, axis: SupportsIndex, start: SupportsIndex = 0) -> USMArray:
    """Move an axis before another one, by a view. Does not wait.

    `moveaxis` says where the axis comes to be, which is easier to read.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        axis: the axis to move.
        start: the axis before which it comes to be. The number of dimensions stands for the end.

    Returns:
        A view of `a`.

    Raises:
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> usmx.rollaxis(usmx.zeros((2, 3, 4)), 2).shape
        (4, 2, 3)
    """
    view = as_view("a", a)
    moved = _core._normalized_axis(axis, view.ndim)
    before = as_integer("start", start)
    before = _core._normalized_axis(before, view.ndim + (before >= 0))
    return moveaxis(view, moved, before - 1 if moved < before else before)


def diagonal(
    a: Producer, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> USMArray:
    """View a diagonal of an array. Does not wait.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 2
            dimensions.
        offset: which diagonal: 0 for the main one, positive above it, negative below it.
        axis1, axis2: the axes of the matrices of which the diagonals are taken.

    Returns:
        A view of `a` without the two axes, and with a last one for the diagonal. It is writable if
        `a` is; NumPy's is not.

    Raises:
        ValueError: `a` has fewer than 2 dimensions, or the axes are the same.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.diagonal(usmx.asarray([[1, 2], [3, 4]])))
        [1 4]
    """
    view = as_array("a", a)
    if view.ndim < 2:
        raise ValueError(f"diagonal: x must have at least 2 dimensions, found shape {view.shape}")
    rows, columns = (
        _core._normalized_axis(as_integer(name, axis), view.ndim)
        for name, axis in (("axis1", axis1), ("axis2", axis2))
    )
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


def diag(v: ArrayLike | Producer, k: SupportsIndex = 0) -> USMArray:
    """View a diagonal of a matrix, or copy a vector to the diagonal of a new matrix of zeros.

    Waits for the copy, if there is one.

    Args:
        v: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of 1 or 2
            dimensions; lists are copied to the current queue.
        k: the diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
        Of a matrix, a view of one dimension; of a vector, a new square matrix.

    Raises:
        ValueError: `v` has neither 1 nor 2 dimensions.

    Example:
        >>> print(usmx.diag(usmx.asarray([1, 2])))
        [[1 0]
         [0 2]]
    """
    view = as_array("v", v)
    if view.ndim == 2:
        return diagonal(view, as_integer("k", k))
    if view.ndim != 1:
        raise ValueError(f"diag: v must have 1 or 2 dimensions, found shape {view.shape}")
    size = view.shape[0] + abs(as_integer("k", k))
    result = _core.zeros(
        (size, size), view.dtype, usm_type=view.usm_type, sycl_queue=view._own_queue
    )
    diagonal(result, k)[...] = view
    return result


# ---- parts, copies


def real(val: ArrayLike | Producer) -> USMArray:
    """View the real parts of the elements. Does not wait.

    Args:
        val: a USMArray or any other producer of ``__sycl_usm_array_interface__``; a number or lists
            are copied to the current queue.

    Returns:
        A view of `val`; `val` itself if its type is real.

    Example:
        >>> print(usmx.real(usmx.asarray([1 + 2j])))
        [1.]
    """
    return as_array("val", val).real


def imag(val: ArrayLike | Producer) -> USMArray:
    """View the imaginary parts of the elements.

    Waits if the type is real, for the zeros.

    Args:
        val: a USMArray or any other producer of ``__sycl_usm_array_interface__``; a number or lists
            are copied to the current queue.

    Returns:
        A view of `val`; read-only zeros if its type is real.

    Example:
        >>> print(usmx.imag(usmx.asarray([1 + 2j])))
        [2.]
    """
    return as_array("val", val).imag


def copyto(
    dst: Producer,
    src: Any,
    casting: Casting = "same_kind",
    where: ArrayLike | Producer | None = None,
) -> None:
    """Copy values into an array, with NumPy's rules of casting. Waits.

    Args:
        dst: a USMArray or any other producer of ``__sycl_usm_array_interface__``, or a NumPy array.
            It is written to.
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
    if isinstance(dst, numpy.ndarray):
        mask = True if where is None else on_host(where)
        numpy.copyto(dst, on_host(src), casting=casting, where=mask)
        return
    view = as_view("dst", dst)
    source = _copied("copyto", view, src, casting)
    if where is None:
        view[...] = source
        return
    while source.ndim > view.ndim and source.shape[0] == 1:  # as in an assignment
        source = source[0]
    assign_where(view, mask_beside("copyto", view, where), source)


def _copied(caller, view, src, casting):
    """The source as `casting` allows it to be copied into `view`: an array, or one element."""
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


def mask_beside(function: str, view: USMArray, where: Any) -> USMArray:
    """The array of bools that says which elements are set. NumPy too makes bools of lists alone."""
    mask: USMArray | None = _as_array(where)
    if mask is None:
        numbers = numpy.asarray(where, None if hasattr(where, "dtype") else bool)
        mask = asarray(numbers, usm_type=view.usm_type, sycl_queue=view._own_queue)
    if mask.dtype != bool:
        raise TypeError(f"{function}: where must be bools, found elements of type {mask.dtype}")
    return mask


def ascontiguousarray(
    a: ArrayLike | Producer,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a C-contiguous array of at least 1 dimension. Waits for the copy, if there is one.

    Args:
        a: what `asarray` takes.
        dtype: the element type. None keeps that of `a`.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array.

    Returns:
        A USMArray; a view of `a` if `a` is already as it should be.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> usmx.ascontiguousarray(usmx.zeros((2, 3)).T).flags.c_contiguous
        True
    """
    made = asarray(a, dtype, "C", device=device, usm_type=usm_type, sycl_queue=sycl_queue)
    return _with_one(made)


def asfortranarray(
    a: ArrayLike | Producer,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a Fortran-contiguous array of at least 1 dimension. Waits for the copy, if there is one.

    Args:
        a: what `asarray` takes.
        dtype: the element type. None keeps that of `a`.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array.

    Returns:
        A USMArray; a view of `a` if `a` is already as it should be.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> usmx.asfortranarray(usmx.zeros((2, 3))).flags.f_contiguous
        True
    """
    made = asarray(a, dtype, "F", device=device, usm_type=usm_type, sycl_queue=sycl_queue)
    return _with_one(made)


def require(
    a: ArrayLike | Producer,
    dtype: DTypeLike | None = None,
    requirements: str | Sequence[str] | None = None,
) -> USMArray:
    """Make an array that meets requirements. Waits for the copy, if there is one.

    Args:
        a: what `asarray` takes.
        dtype: the element type. None keeps that of `a`.
        requirements: 'C' or 'F' for the order of the elements, 'W' for an array that can be
            written, 'O' for one that is no view, 'A' and 'E', which every array meets; or several
            of them, in a string or a sequence. NumPy's longer names mean the same.

    Returns:
        `a` or a view of it if it is as it should be, else a copy.

    Raises:
        ValueError: 'C' and 'F' are both required.
        KeyError: there is no such requirement.

    Example:
        >>> usmx.require(usmx.zeros((2, 3)).T, requirements='C').flags.c_contiguous
        True
    """
    wanted = {_REQUIREMENTS[name.upper()] for name in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError("the order of the elements cannot be both 'C' and 'F'")
    order: OrderCFAK = "F" if "F" in wanted else "C" if "C" in wanted else "K"
    made = asarray(a, dtype, order)
    is_met = ("W" not in wanted or made.flags.writable) and (
        "O" not in wanted or made._owned_nbytes
    )
    return made if is_met else _core.copy(made, order)


# Requirements by NumPy's names.
_REQUIREMENTS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "C"),
    **dict.fromkeys(("F", "F_CONTIGUOUS", "FORTRAN"), "F"),
    **dict.fromkeys(("W", "WRITEABLE", "WRITABLE"), "W"),
    **dict.fromkeys(("O", "OWNDATA"), "O"),
    **dict.fromkeys(("A", "ALIGNED", "E", "ENSUREARRAY"), "A"),
}


def frombuffer(
    buffer: Any,
    dtype: DTypeLike = "f8",
    count: SupportsIndex = -1,
    offset: SupportsIndex = 0,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Copy the bytes of an object of the host into a new array of one dimension. Waits.

    Args:
        buffer: an object with the buffer protocol, such as bytes or a memoryview.
        dtype: the element type of the bytes.
        count: how many elements; -1 means all.
        offset: how many bytes to skip first.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
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
    numbers = numpy.frombuffer(buffer, dtype, count, offset)
    return asarray(numbers, device=device, usm_type=usm_type, sycl_queue=sycl_queue)
