"""Functions that are made of others: norms, ranks, inverses, powers, products."""

from __future__ import annotations

from math import inf, prod
from typing import TYPE_CHECKING

from usmx import _core
from usmx._compute.call import arrays_of, compute, written
from usmx._compute.products import matmul
from usmx._compute.reductions import reduce
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.creation import as_axis, as_integer
from usmx._container.host import numpy
from usmx._container.manipulation import stack
from usmx._container.numpy_names import diagonal as _diagonal
from usmx._container.patterns import eye
from usmx._core import (
    USMArray,
    broadcast_to,
    matrix_transpose,
    moveaxis,
    permute_dims,
    reshape,
    zeros,
)
from usmx.linalg._lapack import LinAlgError, as_arrays, as_computed, as_matrices, unchecked
from usmx.linalg._routines import inv, solve, svd, svdvals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from usmx._typing import Axes, DTypeLike, Producer


def _call(name, *operands):
    return compute(ROWS[name], operands)


def _reduce(name, x, axis=None, keepdims=False):
    return reduce(REDUCTIONS[name], x, axis, keepdims)


# ---- norms


def vector_norm(
    x: Producer,
    /,
    *,
    axis: Axes | None = None,
    keepdims: bool = False,
    ord: float = 2,
) -> USMArray:
    """Compute norms of vectors. Does not wait.

    Args:
        x: an array.
        axis: the axis or axes along which the vectors lie. By default all elements are one vector.
        keepdims: whether these axes stay, with 1 element.
        ord: inf for the largest absolute value, -inf for the smallest, 0 for the number of
            elements that are not 0, else p for the p-th root of the sum of the p-th powers.

    Returns:
        A new real USMArray.

    Raises:
        TypeError: no array, or structured elements.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.linalg.vector_norm(usmx.asarray([3.0, 4.0])))
        5.0
    """
    return _vector_norm("vector_norm", x, axis, keepdims, ord)


def _vector_norm(function, x, axis, keepdims, order):
    x = _as_inexact(function, x)
    if isinstance(order, str):
        raise ValueError(f"linalg.{function}: {order!r} is no norm of vectors")
    if order == 2 and x.dtype.kind == "f":
        is_vector = x.ndim == 1 and axis is None and not keepdims
        squares = _core._vecdot(x, x, -1) if is_vector else _reduce("sum", x * x, axis, keepdims)
        return _call("sqrt", squares)
    sizes = _call("abs", x)
    if order == inf:
        return _largest(sizes, axis, keepdims)
    if order == -inf:
        return _reduce("min", sizes, axis, keepdims)
    if order == 0:
        return _reduce("count_nonzero", sizes, axis, keepdims).astype(sizes.dtype)
    if order == 1:
        return _reduce("sum", sizes, axis, keepdims)
    if order == 2:
        return _call("sqrt", _reduce("sum", _call("multiply", sizes, sizes), axis, keepdims))
    powers = _reduce("sum", _call("pow", sizes, float(order)), axis, keepdims)
    return _call("pow", powers, 1.0 / order)


def _largest(sizes, axis, keepdims=False):
    """The maxima of sizes, which are not negative: 0 where there are none, as in NumPy."""
    return _reduce("max" if sizes.size else "sum", sizes, axis, keepdims)


def _as_inexact(function, x):
    """An array of real or complex numbers, of any precision."""
    if type(x) is not USMArray:
        (x,) = arrays_of(f"linalg.{function}", ("x",), (x,))
    if x.dtype.kind in "fc":
        return x
    return as_computed(function, "x", x)


def matrix_norm(x: Producer, /, *, keepdims: bool = False, ord: float | str = "fro") -> USMArray:
    """Compute a norm of each matrix of a stack.

    Does not wait, but for the norms of singular values (see `unchecked`).

    Args:
        x: matrices of shape (..., M, N).
        keepdims: whether the last two axes stay, with 1 element.
        ord: 'fro' for the root of the sum of the squares; 'nuc' for the sum of the singular
            values; 2 and -2 for the largest and the smallest of these; 1 and -1 for those of the
            sums of columns' absolute values, inf and -inf for those of rows'.

    Returns:
        A new real USMArray of shape (...).

    Raises:
        ValueError: another `ord`.
        LinAlgError: `x` has less than two dimensions, or singular values did not converge.
        TypeError: no array, or structured elements.

    Example:
        >>> print(usmx.linalg.matrix_norm(usmx.asarray([[3.0, 0.0], [0.0, 4.0]])))
        5.0
    """
    return _matrix_norm("matrix_norm", x, keepdims, ord)


def _smallest(sizes, axis):
    return _reduce("min", sizes, axis)


def _total(sizes, axis):
    return _reduce("sum", sizes, axis)


_OF_SINGULAR_VALUES = {"nuc": _total, 2: _largest, -2: _smallest}
_OF_SUMS = {1: (-2, _largest), -1: (-2, _smallest), inf: (-1, _largest), -inf: (-1, _smallest)}


def _matrix_norm(function, x, keepdims, order):
    x = _as_inexact(function, x)
    if x.ndim < 2:
        raise LinAlgError(
            f"linalg.{function}: x must have at least 2 dimensions, found shape {x.shape}"
        )
    if order in ("fro", "f", None):
        return _vector_norm(function, x, (-2, -1), keepdims, 2)
    if order in _OF_SINGULAR_VALUES:
        found = _OF_SINGULAR_VALUES[order](svdvals(x), -1)
        return found[..., None, None] if keepdims else found
    if order not in _OF_SUMS:
        raise ValueError(f"linalg.{function}: {order!r} is no norm of matrices")
    summed, norm_of = _OF_SUMS[order]
    sums = _reduce("sum", _call("abs", x), summed, keepdims=True)
    found = norm_of(sums, (-2, -1))
    return found[..., None, None] if keepdims else found


def norm(
    x: Producer,
    ord: float | str | None = None,
    axis: Axes | None = None,
    keepdims: bool = False,
) -> USMArray:
    """Compute a norm of vectors or of matrices: NumPy's function for `vector_norm`, `matrix_norm`.

    Does not wait, but for the norms of singular values (see `unchecked`).

    Args:
        x: an array; without `axis` it has one or two dimensions, unless `ord` is None.
        ord: which norm, by default the root of the sum of the squares.
        axis: the axis of vectors, or the two of matrices.
        keepdims: whether these axes stay, with 1 element.

    Returns:
        A new real USMArray.

    Raises:
        ValueError: another `ord`, or a number of axes that is not 1 or 2.
        TypeError: no array, or structured elements.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.linalg.norm(usmx.asarray([3.0, 4.0])))
        5.0
    """
    array: USMArray = _as_inexact("norm", x)
    if axis is None:
        if ord is None:
            return _vector_norm("norm", array, None, keepdims, 2)
        axis = tuple(range(array.ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(as_axis(each, array.ndim) for each in given)
    if len(axes) == 1:
        return _vector_norm("norm", array, axes, keepdims, 2 if ord is None else ord)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"linalg.norm: expected 1 or 2 axes of {array.ndim}, found {axis}")
    found = _matrix_norm("norm", moveaxis(array, axes, (-2, -1)), keepdims, ord)
    return moveaxis(found, (-2, -1), axes) if keepdims else found


def cond(x: Producer, p: float | str | None = None) -> USMArray:
    """Compute the condition number of each matrix of a stack. Waits (see `unchecked`).

    Args:
        x: matrices of shape (..., M, N), which are square unless `p` is None, 2 or -2.
        p: the norm, as `ord` of `matrix_norm`. None means 2.

    Returns:
        A new real USMArray of shape (...): the norm of the matrix times that of its inverse. It is
        inf for a singular matrix.

    Raises:
        LinAlgError: the matrices are empty or not square.
        ValueError: no such norm.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.cond(usmx.asarray([[3.0, 0.0], [0.0, 6.0]])))
        2.0
    """
    x = as_matrices("cond", x, square=p not in (None, 2, -2))
    if x.size == 0 and 0 in x.shape[-2:]:
        raise LinAlgError("linalg.cond: a matrix without elements has no condition number")
    with unchecked():  # of NaN, and of what has no inverse, the norms are NaN
        if p in (None, 2, -2):
            values = svdvals(x)
            first, last = (-1, 0) if p == -2 else (0, -1)
            found = _call("divide", values[..., first], values[..., last])
        else:
            norms = [_matrix_norm("cond", each, False, p) for each in (x, inv(x))]
            found = _call("multiply", *norms)
    has_nan = _reduce("any", _call("isnan", x), (-2, -1))
    is_lost = _call("logical_and", _call("isnan", found), _call("logical_not", has_nan))
    return _call("where", is_lost, inf, found)


# ---- ranks and inverses


def matrix_rank(
    x: Producer,
    /,
    tol: Any = None,
    hermitian: bool = False,
    *,
    rtol: Any = None,
) -> USMArray:
    """Compute the rank of each matrix of a stack. Waits (see `unchecked`).

    Args:
        x: matrices of shape (..., M, N); the rank of a vector or a number is 1, but that of
            zeros is 0.
        tol: NumPy's: singular values above it count.
        hermitian: NumPy's; whether the matrices are Hermitian, which takes less time.
        rtol: singular values above `rtol` times the largest one count: a number, or an array of
            shape (...). By default the precision of the type times max(M, N).

    Returns:
        A new USMArray of integers, of shape (...).

    Raises:
        LinAlgError: singular values did not converge.
        ValueError: both `tol` and `rtol`.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.matrix_rank(usmx.ones((3, 3))))
        1
    """
    _require_one("matrix_rank", tol=tol, rtol=rtol)
    x = as_computed("matrix_rank", "x", x)
    if x.ndim < 2:
        return _reduce("any", x).astype("int64")
    values = svd(x, compute_uv=False, hermitian=hermitian)
    if values.shape[-1] == 0:
        return zeros(x.shape[:-2], "int64", usm_type=x.usm_type, sycl_queue=x._own_queue)
    least = _least(x, values, rtol) if tol is None else _beside(tol)
    return _reduce("count_nonzero", _call("greater", values, least), -1)


def pinv(
    x: Producer, /, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> USMArray:
    """Compute the pseudo-inverse of each matrix of a stack. Waits (see `unchecked`).

    Args:
        x: matrices of shape (..., M, N).
        rcond: NumPy's name for `rtol`.
        hermitian: NumPy's; whether the matrices are Hermitian, which takes less time.
        rtol: singular values of at most `rtol` times the largest one count as 0: a number, or an
            array of shape (...). By default the precision of the type times max(M, N).

    Returns:
        A new USMArray of shape (..., N, M).

    Raises:
        LinAlgError: `x` has less than two dimensions, or singular values did not converge.
        ValueError: both `rcond` and `rtol`.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.pinv(usmx.asarray([[2.0, 0.0], [0.0, 0.0]])))
        [[0.5 0. ]
         [0.  0. ]]
    """
    _require_one("pinv", rtol=rtol, rcond=rcond)
    x = as_matrices("pinv", x)
    if x.size == 0:
        shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
        return zeros(shape, x.dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)
    u, values, vh = svd(x, full_matrices=False, hermitian=hermitian)
    is_kept = _call("greater", values, _least(x, values, rcond if rtol is None else rtol))
    inverses = _call("where", is_kept, _call("reciprocal", values), 0.0)
    rows = _call("multiply", inverses[..., None], _call("conj", matrix_transpose(u)))
    return matmul(_call("conj", matrix_transpose(vh)), rows)


def _require_one(function, **limits):
    if all(limit is not None for limit in limits.values()):
        first, second = limits
        raise ValueError(f"linalg.{function}: `{first}` and `{second}` can't be both set.")


def _least(x, values, rtol):
    """The limits above which singular values count, of shape (..., 1)."""
    if rtol is None:
        rtol = float(numpy.finfo(values.dtype).eps) * max(x.shape[-2:])
    return _call("multiply", values[..., :1], _beside(rtol))


def _beside(tolerance):
    """A tolerance for each matrix, beside its singular values."""
    return tolerance[..., None] if getattr(tolerance, "ndim", 0) else tolerance


def tensorinv(a: Producer, ind: int = 2) -> USMArray:
    """Invert an array for `tensordot`: NumPy's function. Waits (see `unchecked`).

    Args:
        a: an array of shape ``(*p, *q)``, where p and q have the same product.
        ind: the number of dimensions of p.

    Returns:
        A new USMArray of shape ``(*q, *p)``: ``tensordot(tensorinv(a), a, ind)`` is a unit tensor.

    Raises:
        LinAlgError: it is singular, or not square.
        ValueError: `ind` is less than 1.

    Example:
        >>> print(usmx.linalg.tensorinv(usmx.eye(4).reshape(4, 2, 2), ind=1).shape)
        (2, 2, 4)
    """
    a = as_computed("tensorinv", "a", a)
    if ind < 1:
        raise ValueError(f"linalg.tensorinv: ind must be at least 1, found {ind}")
    last, first = a.shape[ind:], a.shape[:ind]
    return reshape(inv(reshape(a, (prod(first), prod(last)))), (*last, *first))


def tensorsolve(a: Producer, b: Producer, axes: Sequence[SupportsIndex] | None = None) -> USMArray:
    """Solve ``tensordot(a, x, x.ndim) = b``: NumPy's function. Waits (see `unchecked`).

    Args:
        a: an array of shape ``(*b.shape, *q)``, where both parts have the same product.
        b: an array.
        axes: axes of `a` that are moved to the end first.

    Returns:
        A new USMArray of shape q.

    Raises:
        LinAlgError: `a` is singular, or not square.

    Example:
        >>> a = usmx.eye(4).reshape(2, 2, 4)
        >>> print(usmx.linalg.tensorsolve(a, usmx.ones((2, 2))))
        [1. 1. 1. 1.]
    """
    a, b = as_arrays("tensorsolve", ("a", "b"), (a, b))
    a, b = as_computed("tensorsolve", "a", a), as_computed("tensorsolve", "b", b)
    if axes is not None:
        moved = [as_axis(axis, a.ndim) for axis in axes]
        a = permute_dims(a, (*(k for k in range(a.ndim) if k not in moved), *moved))
    rest = a.shape[b.ndim :]
    if a.shape[: b.ndim] != b.shape and a.size != prod(rest) ** 2:
        raise LinAlgError(f"linalg.tensorsolve: shapes do not fit, found {a.shape} and {b.shape}")
    size = prod(rest)
    if a.size != size**2:
        raise LinAlgError(f"linalg.tensorsolve: a must be square, found shape {a.shape}")
    return reshape(solve(reshape(a, (size, size)), reshape(b, (-1,))), rest)


# ---- powers and products


def matrix_power(x: Producer, n: SupportsIndex, /) -> USMArray:
    """Raise each matrix of a stack to an integer power.

    Does not wait, but for negative powers (see `unchecked`).

    Args:
        x: square matrices, of shape (..., N, N).
        n: an integer; a negative one counts for the inverse.

    Returns:
        A new USMArray of the same shape.

    Raises:
        LinAlgError: a matrix is not square, or has no inverse.
        TypeError: no array, or `n` is no integer.

    Example:
        >>> print(usmx.linalg.matrix_power(usmx.asarray([[1, 1], [0, 1]]), 3))
        [[1 3]
         [0 1]]
    """
    (x,) = arrays_of("linalg.matrix_power", ("x",), (x,))
    power = as_integer("n", n)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise LinAlgError(f"linalg.matrix_power: x must be square matrices, found shape {x.shape}")
    if power == 0:
        unit = eye(x.shape[-1], dtype=x.dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)
        return broadcast_to(unit, x.shape).copy()
    if power < 0:
        x, power = inv(x), -power
    made: Any = None
    while True:
        if power & 1:
            made = x if made is None else matmul(made, x)
        power >>= 1
        if not power:
            return made.copy() if made is x else made
        x = matmul(x, x)


def multi_dot(arrays: Sequence[Producer], *, out: USMArray | None = None) -> USMArray:
    """Multiply matrices in the order that takes the fewest operations: NumPy's function.

    Does not wait.

    Args:
        arrays: two arrays or more of two dimensions. The first and the last one may be vectors.
        out: an array of the result's shape, to which it is copied.

    Returns:
        A new USMArray, or `out`.

    Raises:
        ValueError: the shapes do not fit, or fewer than two arrays.
        LinAlgError: an array of other dimensions.

    Example:
        >>> a = usmx.ones((2, 2))
        >>> print(usmx.linalg.multi_dot([a, a, a]))
        [[4. 4.]
         [4. 4.]]
    """
    found = arrays_of("linalg.multi_dot", [f"arrays[{k}]" for k in range(len(arrays))], arrays)
    if len(found) < 2:
        raise ValueError(f"linalg.multi_dot: expected 2 arrays or more, found {len(found)}")
    is_row, is_column = found[0].ndim == 1, found[-1].ndim == 1
    found[0] = found[0][None] if is_row else found[0]
    found[-1] = found[-1][:, None] if is_column else found[-1]
    if any(x.ndim != 2 for x in found):
        raise LinAlgError("linalg.multi_dot: expected matrices")
    made = _multiplied(found, _best_splits([x.shape for x in found]), 0, len(found) - 1)
    made = made[0] if is_row else made
    return written("linalg.multi_dot", out, made[..., 0] if is_column else made)


def _best_splits(shapes):
    """After which matrix a product of the matrices first to last is split."""
    extents = [shape[0] for shape in shapes] + [shapes[-1][1]]
    costs = {(k, k): 0 for k in range(len(shapes))}
    splits = {}
    for length in range(1, len(shapes)):
        for first in range(len(shapes) - length):
            last = first + length
            cost, splits[first, last] = min(
                (
                    costs[first, k]
                    + costs[k + 1, last]
                    + extents[first] * extents[k + 1] * extents[last + 1],
                    k,
                )
                for k in range(first, last)
            )
            costs[first, last] = cost
    return splits


def _multiplied(arrays, splits, first, last):
    if first == last:
        return arrays[first]
    middle = splits[first, last]
    return matmul(
        _multiplied(arrays, splits, first, middle), _multiplied(arrays, splits, middle + 1, last)
    )


def outer(x1: Producer, x2: Producer, /) -> USMArray:
    """Multiply each element of a vector by each of another one. Does not wait.

    Args:
        x1, x2: arrays of one dimension.

    Returns:
        A new USMArray of shape (N, M).

    Raises:
        ValueError: an array has not one dimension.
        TypeError: no array, or structured elements.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> print(usmx.linalg.outer(usmx.asarray([1, 2]), usmx.asarray([3, 4])))
        [[3 4]
         [6 8]]
    """
    first, second = arrays_of("linalg.outer", ("x1", "x2"), (x1, x2))
    if first.ndim != 1 or second.ndim != 1:
        raise ValueError(
            f"linalg.outer: expected vectors, found shapes {first.shape} and {second.shape}"
        )
    return _call("multiply", first[:, None], second)


def cross(x1: Producer, x2: Producer, /, *, axis: SupportsIndex = -1) -> USMArray:
    """Compute the cross products of vectors of three elements. Does not wait.

    Args:
        x1, x2: arrays that have 3 elements along the axis; the other axes are broadcast.
        axis: an integer. A negative one counts from the end.

    Returns:
        A new USMArray of the common shape.

    Raises:
        ValueError: the shapes do not fit.
        TypeError: no array, or structured elements.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> print(usmx.linalg.cross(usmx.asarray([1, 0, 0]), usmx.asarray([0, 1, 0])))
        [0 0 1]
    """
    arrays = arrays_of("linalg.cross", ("x1", "x2"), (x1, x2))
    a, b = (moveaxis(x, as_axis(axis, x.ndim), -1) for x in arrays)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(
            "linalg.cross: input arrays must be (arrays of) 3-dimensional vectors, found shapes "
            f"{arrays[0].shape} and {arrays[1].shape}"
        )
    parts = [
        _call(
            "subtract",
            _call("multiply", a[..., k - 2], b[..., k - 1]),
            _call("multiply", a[..., k - 1], b[..., k - 2]),
        )
        for k in range(3)
    ]
    made = stack(parts, axis=-1)
    return moveaxis(made, -1, as_axis(axis, made.ndim))


def diagonal(x: Producer, /, *, offset: SupportsIndex = 0) -> USMArray:
    """View a diagonal of each matrix of a stack. Does not wait.

    Args:
        x: matrices of shape (..., M, N).
        offset: which one: 0 for the main one, positive above it, negative below it.

    Returns:
        A view of `x`, whose last axis is the diagonal.

    Raises:
        ValueError: `x` has less than two dimensions.

    Example:
        >>> print(usmx.linalg.diagonal(usmx.asarray([[1, 2], [3, 4]])))
        [1 4]
    """
    return _diagonal(x, offset, -2, -1)


def trace(x: Producer, /, *, offset: SupportsIndex = 0, dtype: DTypeLike | None = None) -> USMArray:
    """Add up a diagonal of each matrix of a stack. Does not wait.

    Args:
        x: matrices of shape (..., M, N).
        offset: which diagonal: 0 for the main one, positive above it, negative below it.
        dtype: the type in which they are added up. By default that of `usmx.sum`.

    Returns:
        A new USMArray of shape (...).

    Raises:
        ValueError: `x` has less than two dimensions.

    Example:
        >>> print(usmx.linalg.trace(usmx.asarray([[1, 2], [3, 4]])))
        5
    """
    return reduce(REDUCTIONS["sum"], diagonal(x, offset=offset), -1, dtype=dtype)
