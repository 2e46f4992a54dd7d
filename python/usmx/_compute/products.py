"""Products of matrices and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from usmx import _core
from usmx._compute.call import arrays_of, compute, converted_to, operands_of, written
from usmx._compute.table import ROWS
from usmx._container.creation import as_integer, beside
from usmx._container.host import numpy
from usmx._core import USMArray, moveaxis, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from usmx._typing import Casting, Producer


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
        found = _core._matmul(x1, x2)
        if found is not None:
            return found
    first, second = arrays_of("matmul", ("x1", "x2"), (x1, x2))
    made = _core._matmul(first, second) if axes is None else _product_along(first, second, axes)
    return converted_to("matmul", out, made, casting)


def _product_along(first, second, axes):
    """The product of matrices that lie along these axes."""
    if len(axes) != 3:
        raise ValueError(f"matmul: axes must be those of three arrays, found {axes}")
    left, right, into = map(_as_axes, axes)
    made = _core._matmul(_with_last("x1", first, left), _with_last("x2", second, right))
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


def _as_axes(of_one):
    return (of_one,) if _is_integer(of_one) else of_one


def _is_integer(value):
    """Whether it stands for an integer; an array of NumPy's with a dimension does not."""
    return hasattr(value, "__index__") and not getattr(value, "ndim", 0)


def are_matrices(x1: Any, x2: Any) -> bool:
    """Whether both are arrays of one or two dimensions."""
    return type(x1) is type(x2) is USMArray and 0 < x1.ndim <= 2 and 0 < x2.ndim <= 2


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
    if type(x1) is USMArray and type(x2) is USMArray:
        first, second = x1, x2
    else:
        first, second = arrays_of("tensordot", ("x1", "x2"), (x1, x2))
    if _is_integer(axes):
        count = as_integer("axes", axes)
        if not 0 <= count <= min(first.ndim, second.ndim):
            raise ValueError(
                f"tensordot: expected 0 to {min(first.ndim, second.ndim)} axes, found {count}"
            )
        axes = (range(first.ndim - count, first.ndim), range(count))
    of_first, of_second = _axes_of_both(axes)
    return _core._tensordot(
        first,
        second,
        [as_integer("axes", axis) for axis in of_first],
        [as_integer("axes", axis) for axis in of_second],
    )


def dot(x1: Any, x2: Any, out: USMArray | None = None) -> USMArray:
    """NumPy's `dot`: numbers multiply, of two arrays the last axis of the first one is summed."""
    return written("dot", out, _dot(x1, x2))


def _dot(x1, x2):
    if are_matrices(x1, x2):
        return _core._dot(x1, x2)
    first, second = operands_of("dot", ("a", "b"), (x1, x2))
    arrays = [each for each in (first, second) if isinstance(each, USMArray)]
    if len(arrays) < 2 or not all(each.ndim for each in arrays):
        return compute(ROWS["multiply"], (first, second))
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
    operands = operands_of("kron", ("a", "b"), (a, b))
    like = next(each for each in operands if type(each) is USMArray)
    first, second = (beside(like, each) for each in operands)
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
    if type(x1) is not USMArray or type(x2) is not USMArray:
        x1, x2 = arrays_of("vecdot", ("x1", "x2"), (x1, x2))
    return _core._vecdot(x1, x2, axis)
