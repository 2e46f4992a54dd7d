"""Products of matrices and vectors."""

from __future__ import annotations

import atexit
from functools import cache
from math import prod
from os import getpid
from typing import TYPE_CHECKING, SupportsIndex

from usmx import _core
from usmx._compute.call import (
    arrays_of,
    compute,
    converted_to,
    cpp,
    kernels,
    new_cache,
    operands_of,
    preamble,
    single,
    written,
)
from usmx._compute.promotion import common_type, require_plain, values_type
from usmx._compute.reductions import joined_by, reduce, summed_type
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.creation import as_axis, as_integer
from usmx._container.host import numpy
from usmx._container.manipulation import common_shape
from usmx._container.types import astype
from usmx._core import (
    ReductionKernel,
    USMArray,
    broadcast_to,
    empty,
    moveaxis,
    permute_dims,
    reshape,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from usmx._typing import Casting, Producer

_ITEMS, _TILE = 16, 64  # of a group along both axes, and what they make, as in product.hpp
_MOST_ON_HOST = 16384  # elements of a sum
_MOST_BATCHES = 65535  # that a launch on a CUDA device may have
_JOINS = {"b": "c || (a && b)", "iu": "wrapping_add(c, wrapping_multiply(a, b))", "fc": "c + a * b"}


def matmul(
    x1: Producer,
    x2: Producer,
    /,
    *,
    out: USMArray | None = None,
    casting: Casting = "same_kind",
    axes: Sequence[SupportsIndex | Sequence[SupportsIndex]] | None = None,
) -> USMArray:
    """Multiply matrices: ``x1 @ x2``. Does not wait.

    Args:
        x1, x2: arrays of one dimension or more. The last two are those of matrices, and the others
            are broadcast together. A vector stands for a row on the left, for a column on the
            right, and that dimension is not in the result.
        out: where the result is written: an array of the result's shape. By default a new array.
        casting: how the result may be converted to the type of `out`, in NumPy's words: 'no',
            'equiv', 'safe', 'same_kind' or 'unsafe'.
        axes: which axes are those of the matrices: two of `x1`, two of `x2`, and two of the result;
            one for a vector, and for the result of a vector and a matrix. By default the last ones.

    Returns:
        `out`, or a new USMArray on the queue of the operands, of the type to which these are
        promoted.

    Raises:
        ValueError: the shapes do not fit, an operand has no dimensions, or `axes` are not those of
            three arrays.
        TypeError: an operand is no array, or its elements are structures.
        ExecutionPlacementError: the queues differ.
        numpy.exceptions.AxisError: there is no such axis, or not as many as are needed.

    Example:
        >>> a = usmx.asarray([[1, 2], [3, 4]])
        >>> print(usmx.matmul(a, a))
        [[ 7 10]
         [15 22]]
    """
    if out is None and axes is None:
        found = _core._product(x1, x2)
        if found is not None:
            return found
    first, second = arrays_of("matmul", ("x1", "x2"), (x1, x2))
    made = (
        _product_of_last_axes(first, second)
        if axes is None
        else _product_along(first, second, axes)
    )
    return converted_to("matmul", out, made, casting)


def _product_along(first, second, axes):
    """The product of matrices that lie along these axes."""
    if len(axes) != 3:
        raise ValueError(f"matmul: axes must be those of three arrays, found {axes}")
    left, right, into = map(_as_axes, axes)
    made = _product_of_last_axes(_with_last("x1", first, left), _with_last("x2", second, right))
    last = len(left) + len(right) - 2
    if len(into) != last:
        raise numpy.exceptions.AxisError(
            f"matmul: expected {last} axes of the result, found {axes[2]}"
        )
    return moveaxis(made, range(-last, 0), into) if last else made


def _with_last(name, x, axes):
    if len(axes) != min(x.ndim, 2):
        raise numpy.exceptions.AxisError(
            f"matmul: expected {min(x.ndim, 2)} axes of {name}, found {tuple(axes)}"
        )
    return moveaxis(x, axes, range(-len(axes), 0))


def _product_of_last_axes(first, second):
    if not first.ndim or not second.ndim:
        raise ValueError("matmul: operands must have a dimension, found one without")
    shapes = first.shape, second.shape
    is_row, is_column = first.ndim == 1, second.ndim == 1
    first = first[None] if is_row else first
    second = second[:, None] if is_column else second
    if first.shape[-1] != second.shape[-2]:
        raise ValueError(
            f"matmul: shapes must agree in the dimension that is summed, found {shapes[0]} and "
            f"{shapes[1]}"
        )
    made = _product(first, second)
    made = made[..., 0, :] if is_row else made
    return made[..., 0] if is_column else made


def _product(x1, x2):
    """The products of matrices, whose shapes fit."""
    common = _common_type("matmul", x1, x2)
    queue = common_queue([x1, x2])
    shape = common_shape([x1.shape[:-2], x2.shape[:-2]])
    made = empty(
        (*shape, x1.shape[-2], x2.shape[-1]),
        common,
        usm_type=common_usm_type([x1, x2]),
        sycl_queue=queue,
    )
    if made.size == 0 or x1.shape[-1] == 0:
        made[...] = 0
        return made
    operands = [
        reshape(
            broadcast_to(astype(x, common, copy=False), (*shape, *x.shape[-2:])),
            (-1, *x.shape[-2:]),
        )
        for x in (x1, x2)
    ]
    z = reshape(made, (-1, *made.shape[-2:]))
    if (
        _core._multiply_on_host(*operands, z, False)
        or _core._start_product(*operands, z)
        or _core._multiply_on_host(*operands, z, True)
    ):
        wait_at_exit()
        return made
    values = values_type(common)
    join = next(text for kinds, text in _JOINS.items() if common.kind in kinds)
    product = kernels(
        "product.hpp", ["product"], queue, X=cpp(common), A=cpp(values), R=cpp(common), JOIN=join
    )["product"]
    items = [-(-extent // _TILE) * _ITEMS for extent in z.shape[1:]]
    for first in range(0, z.shape[0], _MOST_BATCHES):
        batch = slice(first, first + _MOST_BATCHES)
        product(
            (z[batch].shape[0], *items),
            (1, _ITEMS, _ITEMS),
            *(x[batch] for x in operands),
            z[batch],
        )
    return made


@cache
def wait_at_exit():
    """Wait for products before the exit handlers of C, of which the library's own come first."""
    own = getpid()  # a forked child has nothing to wait for
    atexit.register(lambda: _core.synchronize() if getpid() == own else None)


def _common_type(name, x1, x2):
    for x in (x1, x2):
        require_plain(name, x.dtype)
    return common_type([x1.dtype, x2.dtype], x1._own_queue.sycl_device)


def _as_axes(of_one):
    return (of_one,) if _is_integer(of_one) else of_one


def _is_integer(value):
    """Whether it stands for an integer; an array of NumPy's with a dimension does not."""
    return type(value) is int or (
        isinstance(value, SupportsIndex) and not getattr(value, "ndim", 0)
    )


def tensordot(
    x1: Producer,
    x2: Producer,
    /,
    axes: SupportsIndex | Sequence[SupportsIndex | Sequence[SupportsIndex]] = 2,
) -> USMArray:
    """Add up the products of two arrays along axes of both. Does not wait.

    Args:
        x1, x2: arrays: USMArrays or other producers of ``__sycl_usm_array_interface__``.
        axes: how many of the last axes of `x1` and of the first ones of `x2`; or the axes of `x1`
            and those of `x2`, as two sequences of the same length or as two integers.

    Returns:
        A new USMArray on the queue of the operands, of the type to which these are promoted. Its
        axes are the others of `x1`, and then those of `x2`.

    Raises:
        ValueError: the shapes or the numbers of axes do not fit.
        TypeError: an operand is no array, or its elements are structures.
        ExecutionPlacementError: the queues differ.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> a = usmx.asarray([[1, 2], [3, 4]])
        >>> print(usmx.tensordot(a, a))
        30
    """
    first, second = arrays_of("tensordot", ("x1", "x2"), (x1, x2))
    if _is_integer(axes):
        count = as_integer("axes", axes)
        if not 0 <= count <= min(first.ndim, second.ndim):
            raise ValueError(
                f"tensordot: expected 0 to {min(first.ndim, second.ndim)} axes, found {count}"
            )
        if count == 1:
            found = _core._product(first, second)
            if found is not None:
                return found
        axes = (range(first.ndim - count, first.ndim), range(count))
    summed = [
        [_core._normalized_axis(axis, x.ndim) for axis in of_one]
        for x, of_one in zip((first, second), _axes_of_both(axes), strict=True)
    ]
    if any(len(set(of_one)) < len(of_one) for of_one in summed):
        raise ValueError(f"tensordot: an axis can be summed only once, found {axes}")
    extents = [
        [x.shape[axis] for axis in of_one]
        for x, of_one in zip((first, second), summed, strict=True)
    ]
    if extents[0] != extents[1]:
        raise ValueError(
            f"tensordot: the axes that are summed must have the same extents, found {extents[0]} "
            f"and {extents[1]}"
        )
    kept = [
        [axis for axis in range(x.ndim) if axis not in of_one]
        for x, of_one in zip((first, second), summed, strict=True)
    ]
    depth = prod(extents[0])
    shapes = [
        [x.shape[axis] for axis in of_one] for x, of_one in zip((first, second), kept, strict=True)
    ]
    rows = reshape(permute_dims(first, (*kept[0], *summed[0])), (prod(shapes[0]), depth))
    columns = reshape(permute_dims(second, (*summed[1], *kept[1])), (depth, prod(shapes[1])))
    made = _core._product(rows, columns)
    made = _product(rows, columns) if made is None else made
    return reshape(made, (*shapes[0], *shapes[1]))


def dot(x1: Any, x2: Any, out: USMArray | None = None) -> USMArray:
    """NumPy's `dot`: numbers multiply, of two arrays the last axis of the first one is summed."""
    return written("dot", out, _dot(x1, x2))


def _dot(x1, x2):
    found = _core._product(x1, x2)
    if found is not None:
        return found
    first, second = operands_of("dot", ("a", "b"), (x1, x2))
    arrays = [each for each in (first, second) if isinstance(each, USMArray)]
    if len(arrays) < 2 or not all(each.ndim for each in arrays):
        return compute(ROWS["multiply"], (first, second))
    if first.ndim <= 2 and second.ndim <= 2:
        return matmul(first, second)
    return tensordot(first, second, axes=([-1], [-min(second.ndim, 2)]))


def kron(a: Producer, b: Producer) -> USMArray:
    """Compute the Kronecker product of two arrays. Does not wait.

    Args:
        a, b: arrays. The one of fewer dimensions gets others in front.

    Returns:
        A new USMArray, of the type to which the operands are promoted: blocks of `b`, each times
        an element of `a`. Each extent is the product of those of the operands.

    Raises:
        TypeError: an operand is no array, or its elements are structures.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> print(usmx.kron(usmx.eye(2, dtype="i4"), usmx.asarray([[1, 2]])))
        [[1 2 0 0]
         [0 0 1 2]]
    """
    first, second = arrays_of("kron", ("a", "b"), (a, b))
    ndim = max(first.ndim, second.ndim)
    shapes = [(1,) * (ndim - x.ndim) + x.shape for x in (first, second)]
    blocks = reshape(first, tuple(each for extent in shapes[0] for each in (extent, 1)))
    inner = reshape(second, tuple(each for extent in shapes[1] for each in (1, extent)))
    made = compute(ROWS["multiply"], (blocks, inner))
    return reshape(made, tuple(x * y for x, y in zip(*shapes, strict=True)))


def _axes_of_both(axes):
    try:
        left, right = axes
    except (TypeError, ValueError) as wrong:  # no sequence; not of two
        text = f"tensordot: axes must be an integer, or the axes of both arrays, found {axes!r}"
        raise type(wrong)(text) from None
    return _as_axes(left), _as_axes(right)


_vecdots: dict[Any, ReductionKernel] = new_cache()


def vecdot(x1: Producer, x2: Producer, /, *, axis: SupportsIndex = -1) -> USMArray:
    """Add up the products of the elements of two arrays along an axis. Does not wait.

    Args:
        x1, x2: arrays, which are broadcast together, but for the axis. Of complex numbers the
            conjugates of `x1` count.
        axis: an integer. A negative one counts from the end of each array.

    Returns:
        A new USMArray on the queue of the operands, of the type to which these are promoted.

    Raises:
        ValueError: the shapes do not fit.
        TypeError: an operand is no array, or its elements are structures.
        ExecutionPlacementError: the queues differ.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.vecdot(usmx.asarray([1, 2]), usmx.asarray([3, 4])))
        11
    """
    found = _little_vecdot(x1, x2) if axis == -1 else None
    if found is not None:
        return found
    arrays = arrays_of("vecdot", ("x1", "x2"), (x1, x2))
    first, second = (moveaxis(x, as_axis(axis, x.ndim), -1) for x in arrays)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(
            f"vecdot: the axis must have the same extent in both, found {first.shape[-1]} and "
            f"{second.shape[-1]}"
        )
    common = _common_type("vecdot", first, second)
    device = first._own_queue.sycl_device
    key = (first.dtype, second.dtype, common, device.has_aspect_fp64)
    kernel = _vecdots.get(key)
    if kernel is None:
        kernel = _vecdots[key] = _make_vecdot(first.dtype, second.dtype, common, device)
    return kernel(first, second, axis=-1)


def _little_vecdot(x1, x2):
    """The products of vectors of one type, by the host, with the bits of the kernel, or None."""
    if type(x1) is not USMArray or type(x2) is not USMArray or x1.ndim != 1 or x2.ndim != 1:
        return None
    if x1.size != x2.size or not 0 < x1.size <= _MOST_ON_HOST or x1.dtype != x2.dtype:
        return None
    kind = x1.dtype.kind
    if kind in "biu":
        return _core._product(x1, x2)
    if kind != "f":
        return None
    # Its sums have more digits than their addends, as those of the kernel.
    return reduce(REDUCTIONS["sum"], compute(ROWS["multiply"], (x1, x2)))


def _make_vecdot(first, second, common, device):
    values = values_type(common)
    summed = summed_type(values, device)
    join = joined_by(REDUCTIONS["any" if common.kind == "b" else "sum"], common.kind)
    product = {"b": "A(x) && A(y)", "c": "conj(A(x)) * A(y)", "f": "A(x) * A(y)"}
    return ReductionKernel(
        f"{first} x, {second} y",
        f"{common} out",
        product.get(common.kind, "wrapping_multiply(A(x), A(y))"),
        join,
        f"out = {cpp(common)}({single('rounded(a)', common)})",
        0,
        "vecdot",
        reduce_type="summed",
        block_type="A",
        preamble=f"{preamble()}using A = {cpp(values)};\nusing summed = {summed};\n",
    )
