"""Products of arrays by NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._compute import products
from usmx._compute.call import written
from usmx._compute.elementwise import conj
from usmx._container.creation import as_axis
from usmx._container.manipulation import broadcast_arrays, stack
from usmx._core import USMArray, moveaxis, reshape
from usmx._numpy.arguments import array_of, arrays_of

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import DTypeLike, Operand


def dot(a: Operand, b: Operand, out: USMArray | None = None) -> USMArray:
    """Multiply vectors or matrices; numbers multiply each element. Does not wait.

    With more than two dimensions it is a sum over the last axis of `a` and the second-to-last
    axis of `b`.

    Args:
        a, b: arrays; one may be a number or lists.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> print(usmx.dot(usmx.asarray([1, 2]), [3, 4]))
        11
    """
    if out is None:
        found = _core._dot(a, b)
        if found is not None:
            return found
    x, y = arrays_of(a, b)
    return products.dot(x, y, out)


def inner(a: Operand, b: Operand, /) -> USMArray:
    """Sum products over the last axes. Does not wait.

    Args:
        a, b: arrays; one may be a number or lists.

    Raises:
        ValueError: the last axes differ in length.

    Example:
        >>> print(usmx.inner(usmx.asarray([[1, 2], [3, 4]]), [1, 1]))
        [3 7]
    """
    x: Any = a
    y: Any = b
    if products.are_matrices(x, y) and x.shape[-1] == y.shape[-1]:
        return _core._matmul(x, y.mT if y.ndim == 2 else y)
    x, y = arrays_of(a, b)
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    return products.tensordot(x, y, axes=([-1], [-1]))


def outer(a: Operand, b: Operand, out: USMArray | None = None) -> USMArray:
    """Multiply each element with each of another array. Does not wait.

    Args:
        a, b: arrays, whose elements are taken in C order; one may be lists.

    Returns:
        `out`, or a new USMArray of shape ``(a.size, b.size)``.

    Example:
        >>> print(usmx.outer(usmx.asarray([1, 2]), [3, 4]))
        [[3 4]
         [6 8]]
    """
    x, y = arrays_of(a, b)
    return written("outer", out, reshape(x, (-1, 1)) * reshape(y, -1))


def vdot(a: Operand, b: Operand, /) -> USMArray:
    """Sum the products of all elements, those of `a` conjugated. Does not wait.

    Args:
        a, b: arrays, whose elements are taken in C order; one may be lists.

    Raises:
        ValueError: the numbers of elements differ.

    Example:
        >>> print(usmx.vdot(usmx.asarray([1j, 2]), [1j, 3]))
        (7+0j)
    """
    x, y = (reshape(each, -1) for each in arrays_of(a, b))
    if x.size != y.size:
        raise ValueError(f"vdot: expected as many elements, found {x.size} and {y.size}")
    return products.vecdot(x, y)


def matvec(x1: Operand, x2: Operand, /) -> USMArray:
    """Multiply matrices with vectors: of shapes ``(..., m, n)`` and ``(..., n)``. Does not wait.

    Example:
        >>> print(usmx.matvec(usmx.asarray([[1, 2], [3, 4]]), [1, 1]))
        [3 7]
    """
    x, y = arrays_of(x1, x2)
    return products.matmul(x, y[..., None])[..., 0]


def vecmat(x1: Operand, x2: Operand, /) -> USMArray:
    """Multiply conjugated vectors with matrices: ``(..., n)`` and ``(..., n, m)``.

    Does not wait.

    Example:
        >>> print(usmx.vecmat(usmx.asarray([1, 1]), [[1, 2], [3, 4]]))
        [4 6]
    """
    x, y = arrays_of(x1, x2)
    x = conj(x) if x.dtype.kind == "c" else x
    return products.matmul(x[..., None, :], y)[..., 0, :]


def trace(
    a: Operand,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
) -> USMArray:
    """Add up the elements of a diagonal. Does not wait.

    Args:
        offset: the diagonal: positive ones are above the main diagonal.
        axis1, axis2: the axes of the matrices.
        dtype: the type of the sum.

    Example:
        >>> print(usmx.trace(usmx.asarray([[1, 2], [3, 4]])))
        5
    """
    x: Any = array_of(a)
    return x.trace(offset, axis1, axis2, dtype, out)


def cross(
    a: Operand,
    b: Operand,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> USMArray:
    """Compute the cross product of vectors in 2 or 3 dimensions. Does not wait.

    Args:
        a, b: arrays of vectors; one may be lists.
        axisa, axisb, axisc: the axis of the vectors in `a`, in `b` and in the result.
        axis: one axis for all three.

    Returns:
        A new USMArray of vectors in 3 dimensions. If both have 2, the third part alone, without
        the axis.

    Raises:
        ValueError: vectors have neither 2 nor 3 parts.

    Example:
        >>> print(usmx.cross(usmx.asarray([1, 0, 0]), [0, 1, 0]))
        [0 0 1]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = arrays_of(a, b)
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    if x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise ValueError(
            f"cross: vectors must have 2 or 3 parts, found {x.shape[-1]} and {y.shape[-1]}"
        )
    x0, x1, y0, y1 = x[..., 0], x[..., 1], y[..., 0], y[..., 1]
    third = x0 * y1 - x1 * y0
    if x.shape[-1] == y.shape[-1] == 2:
        return third
    x2 = x[..., 2] if x.shape[-1] == 3 else x0 * 0
    y2 = y[..., 2] if y.shape[-1] == 3 else y0 * 0
    parts = broadcast_arrays(x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, third)
    made = stack(parts, axis=-1)
    return moveaxis(made, -1, as_axis(axisc, made.ndim))
