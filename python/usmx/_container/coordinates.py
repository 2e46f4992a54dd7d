"""Arrays of indices: of grids, diagonals and triangles, and of positions in C order.

What needs arithmetic, `unravel_index` and `ravel_multi_index`, NumPy computes on the host.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import options_of
from usmx._container.creation import as_integer, as_view, of_dimensions, ones
from usmx._container.flat import FlatIterator, coordinates_of, repeated
from usmx._container.host import numpy, on_host, signed
from usmx._container.indexing import nonzero
from usmx._container.manipulation import integers_of
from usmx._container.numpy_names import diagonal
from usmx._container.patterns import arange, tril, triu
from usmx._core import USMArray, _as_array, asarray, reshape

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import (
        ArrayLike,
        DeviceLike,
        DTypeLike,
        OrderCF,
        Producer,
        QueueLike,
        Shape,
        UsmType,
    )

# ---- grids


def ix_(*args: ArrayLike | Producer) -> tuple[USMArray, ...]:
    """View sequences as an open grid, which selects a part of an array along each axis.

    Waits for bools, whose indices are looked up.

    Args:
        args: arrays or sequences of one dimension: of integers, or of bools, which stand for the
            indices of those that are true. What is on the host is copied to the queue of the
            arrays.

    Returns:
        A tuple of arrays: number k is `args[k]` along axis k, and has size 1 along the others.

    Raises:
        ValueError: an argument has other than 1 dimension.

    Example:
        >>> a = usmx.arange(12).reshape(3, 4)
        >>> print(a[usmx.ix_([0, 2], [1, 3])])
        [[ 1  3]
         [ 9 11]]
    """
    options = options_of(*(view for view in map(_as_array, args) if view is not None))
    grids = []
    for k, arg in enumerate(args):
        view = _as_array(arg)
        if view is None:
            numbers = numpy.asarray(arg)
            is_untyped = numbers is not arg and numbers.size == 0
            view = asarray(numbers.astype("i8") if is_untyped else numbers, **options)
        if view.ndim != 1:
            raise ValueError(f"ix_: arguments must have 1 dimension, found shape {view.shape}")
        if view.dtype == bool:
            (view,) = nonzero(view)
        grids.append(reshape(view, (1,) * k + (-1,) + (1,) * (len(args) - k - 1)))
    return tuple(grids)


def indices(
    dimensions: Shape,
    dtype: DTypeLike = int,
    sparse: bool = False,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> Any:
    """Make the indices of a grid. Waits.

    Args:
        dimensions: the shape of the grid, also as an iterator.
        dtype: the element type.
        sparse: whether each array has size 1 along the axes of the others.
        device: where the arrays are: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the arrays.

    Returns:
        A USMArray of shape ``(len(dimensions), *dimensions)``; with `sparse` a tuple of arrays, one
        for each axis.

    Raises:
        ValueError: a size is negative, or the device lacks the type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.indices((2, 2)))
        [[[0 0]
          [1 1]]
        <BLANKLINE>
         [[0 1]
          [0 1]]]
    """
    if isinstance(dimensions, Iterator):  # which may have no end
        dimensions = tuple(islice(dimensions, _core._max_ndim + 1))
    shape = integers_of("dimensions", dimensions)
    queue = _core._queue_argument(sycl_queue, device)
    options: dict[str, Any] = {"device": device, "usm_type": usm_type, "sycl_queue": queue}
    each = [
        reshape(arange(n, dtype=dtype, **options), (1,) * k + (n,) + (1,) * (len(shape) - k - 1))
        for k, n in enumerate(shape)
    ]
    if sparse:
        return tuple(each)
    result = _core.empty((len(shape), *shape), dtype, **options)
    for k, along in enumerate(each):
        result[k] = along
    return result


# ---- positions in C order


def unravel_index(indices: Any, shape: Shape, order: OrderCF | None = "C") -> tuple[Any, ...]:
    """Find the indices of elements from their positions in an order. Waits.

    Args:
        indices: positions: an integer, or an array or nested lists of integers.
        shape: the shape of the array whose elements they are.
        order: 'C' or 'F': the order in which the positions count.

    Returns:
        A tuple with an array for each axis, on the queue of `indices` and of its kind. Of lists and
        NumPy arrays, NumPy arrays; of an integer, integers.

    Raises:
        ValueError: a position is outside of the shape.
        TypeError: `indices` has other elements than integers.

    Example:
        >>> [int(k) for k in usmx.unravel_index(5, (2, 3))]
        [1, 2]
    """
    found = numpy.unravel_index(on_host(indices), integers_of("shape", shape), _letter(order))
    view = _as_array(indices)
    return found if view is None else tuple(asarray(part, **options_of(view)) for part in found)


def ravel_multi_index(
    multi_index: Any, dims: Shape, mode: Any = "raise", order: OrderCF | None = "C"
) -> Any:
    """Find the positions of elements in an order from their indices. Waits.

    Args:
        multi_index: a tuple with an array of integers for each axis, or an array of them.
        dims: the shape of the array whose elements they are.
        mode: what becomes of an index outside of its axis: 'raise', 'wrap' or 'clip', or a tuple
            with one of them for each axis.
        order: 'C' or 'F': the order in which the positions count.

    Returns:
        An array on the queue of the arrays and of their kind. Of what is on the host, what NumPy
        makes of it.

    Raises:
        ValueError: an index is outside of its axis.
        TypeError: an index is no integer.

    Example:
        >>> int(usmx.ravel_multi_index((1, 2), (2, 3)))
        5
    """
    parts = multi_index if isinstance(multi_index, (tuple, list)) else [multi_index]
    views = [view for view in map(_as_array, parts) if view is not None]
    on_the_host = (
        tuple(signed(on_host(each), ValueError) for each in multi_index)
        if isinstance(multi_index, (tuple, list))
        else signed(on_host(multi_index), ValueError)
    )
    found = numpy.ravel_multi_index(on_the_host, integers_of("dims", dims), mode, _letter(order))
    return asarray(found, **options_of(*views)) if views else found


# ---- diagonals and triangles


def fill_diagonal(a: Producer, val: Any, wrap: bool = False) -> None:
    """Set the elements of the main diagonal. Waits.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 2
            dimensions. It is written to. More than 2 must be of one size.
        val: a number, or an array whose elements are used in C order: too few are used again from
            the start.
        wrap: whether, of a matrix with more rows than columns, the diagonal begins again below the
            first one, with a row between.

    Raises:
        ValueError: `a` has fewer than 2 dimensions, or more of different sizes; or it is read-only.

    Example:
        >>> a = usmx.zeros((3, 3), dtype='i4')
        >>> usmx.fill_diagonal(a, 4)
        >>> print(a)
        [[4 0 0]
         [0 4 0]
         [0 0 4]]
    """
    view = of_dimensions("fill_diagonal", a, 2)
    if view.ndim > 2 and len(set(view.shape)) > 1:
        raise ValueError(
            f"fill_diagonal: more than 2 dimensions must be of one size, found {view.shape}"
        )
    targets = [_diagonal_of(view)] if not wrap or view.ndim > 2 else _wrapped_diagonals(view)
    values = repeated(val, sum(target.size for target in targets), view.dtype)
    done = 0
    for target in targets:
        if values.ndim:
            target[...] = values[done : done + target.size].reshape(target.shape)
        else:
            target[...] = values
        done += target.size


def _diagonal_of(view):
    """The elements whose indices are the same along all axes, as a view."""
    return USMArray(
        min(view.shape), view.dtype, buffer=view, strides=(sum(view.strides),), offset=view.offset
    )


def _wrapped_diagonals(matrix):
    """The diagonals of square blocks that lie one below the other, with a row between."""
    rows, columns = matrix.shape
    whole = rows // (columns + 1)
    blocks = reshape(matrix[: whole * (columns + 1)], (whole, columns + 1, columns), copy=False)
    return [diagonal(blocks, 0, 1, 2), _diagonal_of(matrix[whole * (columns + 1) :])]


def diag_indices(
    n: SupportsIndex,
    ndim: SupportsIndex = 2,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> tuple[USMArray, ...]:
    """Make the indices of the main diagonal of an array whose axes have one size. Waits.

    Args:
        n: the size of each axis.
        ndim: the number of axes.
        device: where the arrays are: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the arrays.

    Returns:
        A tuple of `ndim` times one array.

    Example:
        >>> a = usmx.zeros((2, 2), dtype='i4')
        >>> a[usmx.diag_indices(2)] = 1
        >>> print(a)
        [[1 0]
         [0 1]]
    """
    along = arange(as_integer("n", n), device=device, usm_type=usm_type, sycl_queue=sycl_queue)
    return (along,) * as_integer("ndim", ndim)


def diag_indices_from(arr: Producer) -> tuple[USMArray, ...]:
    """Make the indices of the main diagonal of an array. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 2
            dimensions of one size.

    Returns:
        A tuple of one array for each axis, on the queue of `arr` and of its kind.

    Raises:
        ValueError: `arr` has fewer than 2 dimensions, or they have different sizes.

    Example:
        >>> print(usmx.diag_indices_from(usmx.zeros((2, 2)))[0])
        [0 1]
    """
    view = of_dimensions("diag_indices_from", arr, 2)
    if len(set(view.shape)) > 1:
        raise ValueError(
            f"diag_indices_from: the dimensions must be of one size, found {view.shape}"
        )
    return diag_indices(view.shape[0], view.ndim, **options_of(view))


def tril_indices(
    n: SupportsIndex,
    k: SupportsIndex = 0,
    m: SupportsIndex | None = None,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> tuple[USMArray, ...]:
    """Make the indices of the elements on and below a diagonal of a matrix. Waits.

    Args:
        n: the number of rows.
        k: the diagonal: 0 for the main one, positive above it, negative below it.
        m: the number of columns. By default `n`.
        device: where the arrays are: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the arrays.

    Returns:
        A tuple of two arrays: the indices of the rows, and those of the columns.

    Example:
        >>> print(usmx.tril_indices(2)[1])
        [0 0 1]
    """
    options: dict[str, Any] = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    return nonzero(tril(_matrix_of_true(n, m, options), k))


def tril_indices_from(arr: Producer, k: SupportsIndex = 0) -> tuple[USMArray, ...]:
    """Make the indices of the elements on and below a diagonal of a matrix. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of 2 dimensions.
        k: the diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
        A tuple of two arrays on the queue of `arr` and of its kind: the indices of the rows, and
        those of the columns.

    Raises:
        ValueError: `arr` has other than 2 dimensions.

    Example:
        >>> print(usmx.tril_indices_from(usmx.zeros((2, 2)))[1])
        [0 0 1]
    """
    view = _matrix(arr)
    rows, columns = view.shape
    return tril_indices(rows, k, columns, **options_of(view))


def triu_indices(
    n: SupportsIndex,
    k: SupportsIndex = 0,
    m: SupportsIndex | None = None,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> tuple[USMArray, ...]:
    """Make the indices of the elements on and above a diagonal of a matrix. Waits.

    Args:
        n: the number of rows.
        k: the diagonal: 0 for the main one, positive above it, negative below it.
        m: the number of columns. By default `n`.
        device: where the arrays are: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the arrays.

    Returns:
        A tuple of two arrays: the indices of the rows, and those of the columns.

    Example:
        >>> print(usmx.triu_indices(2)[1])
        [0 1 1]
    """
    options: dict[str, Any] = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    return nonzero(triu(_matrix_of_true(n, m, options), k))


def triu_indices_from(arr: Producer, k: SupportsIndex = 0) -> tuple[USMArray, ...]:
    """Make the indices of the elements on and above a diagonal of a matrix. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of 2 dimensions.
        k: the diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
        A tuple of two arrays on the queue of `arr` and of its kind: the indices of the rows, and
        those of the columns.

    Raises:
        ValueError: `arr` has other than 2 dimensions.

    Example:
        >>> print(usmx.triu_indices_from(usmx.zeros((2, 2)))[1])
        [0 1 1]
    """
    view = _matrix(arr)
    rows, columns = view.shape
    return triu_indices(rows, k, columns, **options_of(view))


# ---- iteration


class ndindex:
    """The indices of an array of a shape, one after the other, in C order.

    Args:
        shape: the sizes of the axes: integers, or a tuple of them.

    Raises:
        ValueError: a size is negative.
        TypeError: a size is no integer.

    Example:
        >>> list(usmx.ndindex(2, 2))
        [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, *shape: Any) -> None:
        given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        extents = integers_of("shape", given)
        if any(extent < 0 for extent in extents):
            raise ValueError(f"sizes must not be negative, found {extents}")
        self._shape = extents
        self._positions = iter(range(math.prod(extents)))

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return self

    def __next__(self) -> tuple[int, ...]:
        return coordinates_of(next(self._positions), self._shape)


class ndenumerate:
    """The indices and the elements of an array, one after the other, in C order.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``. Each element is a
            copy, like those of ``arr.flat``.

    Raises:
        TypeError: `arr` is no producer.

    Example:
        >>> [(index, int(x)) for index, x in usmx.ndenumerate(usmx.asarray([[7, 8]]))]
        [((0, 0), 7), ((0, 1), 8)]
    """

    def __init__(self, arr: Producer) -> None:
        self._flat = FlatIterator(as_view("arr", arr))

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], USMArray]]:
        return self

    def __next__(self) -> tuple[tuple[int, ...], USMArray]:
        return self._flat.coords, next(self._flat)


# ---- arguments


def _matrix_of_true(n, m, options):
    """An array of n rows and m columns; of n, if m is None."""
    shape = as_integer("n", n), as_integer("n" if m is None else "m", n if m is None else m)
    return ones(shape, bool, **options)


def _matrix(arr):
    view = as_view("arr", arr)
    if view.ndim != 2:
        raise ValueError(f"arr must have 2 dimensions, found shape {view.shape}")
    return view


def _letter(order):
    return "C" if order is None else order.upper() if isinstance(order, str) else order
