"""Positions of elements, calls for parts of arrays, and attributes as functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.creation import as_axis, as_view, beside
from usmx._container.host import numpy
from usmx._container.indexing import nonzero
from usmx._container.insertion import resize
from usmx._container.manipulation import stack
from usmx._core import _as_array, moveaxis, reshape, zeros_like
from usmx._numpy.arguments import array_of, axes_of, where

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import Axes, Operand, OrderCFAK


def shape(a: Any) -> tuple[int, ...]:
    """Give the shape of an array, or of what NumPy makes an array of. Does not wait.

    Example:
        >>> usmx.shape(usmx.ones((2, 3)))
        (2, 3)
    """
    view = _as_array(a)
    return tuple(numpy.shape(a)) if view is None else view.shape


def ndim(a: Any) -> int:
    """Give the number of dimensions. Does not wait.

    Example:
        >>> usmx.ndim(usmx.ones((2, 3)))
        2
    """
    return len(shape(a))


def size(a: Any, axis: Axes | None = None) -> int:
    """Give the number of elements, or the product of lengths of axes. Does not wait.

    Example:
        >>> usmx.size(usmx.ones((2, 3)), 1)
        3
    """
    lengths = shape(a)
    found = 1
    for each in axes_of(axis, len(lengths)):
        found *= lengths[each]
    return found


def ravel(a: Operand, order: OrderCFAK = "C") -> USMArray:
    """Give the elements as one dimension: a view where it can be. Does not wait.

    Args:
        order: the order in which the elements are taken.

    Example:
        >>> print(usmx.ravel(usmx.asarray([[1, 2], [3, 4]])))
        [1 2 3 4]
    """
    return array_of(a).ravel(order)


def argwhere(a: Operand) -> USMArray:
    """Find the indices of the elements that are not zero: a row for each. Waits.

    Example:
        >>> print(usmx.argwhere(usmx.asarray([[0, 1], [2, 0]])))
        [[0 1]
         [1 0]]
    """
    x = array_of(a)
    if x.ndim == 0:
        return argwhere(reshape(x, 1))[:, :0]
    return stack(nonzero(x), axis=1)


def flatnonzero(a: Operand) -> USMArray:
    """Find the indices of the elements that are not zero, in C order. Waits.

    Example:
        >>> print(usmx.flatnonzero(usmx.asarray([[0, 1], [2, 0]])))
        [1 2]
    """
    return nonzero(reshape(array_of(a), -1))[0]


def putmask(a: USMArray, mask: Operand, values: Operand) -> None:
    """Set the elements where a mask holds. Does not wait.

    Args:
        a: the array that is changed.
        mask: an array of the shape of `a`.
        values: values, each for the element of its own number; they are repeated.

    Raises:
        ValueError: the mask has another shape.

    Example:
        >>> a = usmx.arange(4)
        >>> usmx.putmask(a, a > 1, [7, 8])
        >>> print(a)
        [0 1 7 8]
    """
    a = as_view("a", a)
    holds = beside(a, mask)
    if holds.size != a.size:
        raise ValueError(f"putmask: mask must have shape {a.shape}, found {holds.shape}")
    given = beside(a, values)
    if given.size:
        a[...] = where(reshape(holds, a.shape) != 0, resize(given, a.shape).astype(a.dtype), a)


def piecewise(x: Operand, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> USMArray:
    """Compute each element by the function whose condition holds there. Waits.

    Args:
        x: an array.
        condlist: conditions: arrays of bools of the shape of `x`, or one. The last one that holds
            counts.
        funclist: a function or a number for each condition; one more is for all other elements.
        args, kw: what else the functions get.

    Returns:
        A new USMArray of the type of `x`.

    Raises:
        ValueError: the numbers of conditions and of functions do not fit.

    Example:
        >>> x = usmx.asarray([-2.0, 3.0])
        >>> print(usmx.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 0]))
        [2. 0.]
    """
    numbers = array_of(x)
    conditions = _conditions(numbers, condlist)
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for each in conditions[1:]:
            rest = rest | each
        conditions.append(~rest)
    if len(funclist) != len(conditions):
        raise ValueError(
            f"piecewise: expected {len(conditions)} or {len(conditions) + 1} functions, found "
            f"{len(funclist)}"
        )
    made = zeros_like(numbers)
    for holds, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            made[holds] = function
            continue
        chosen = numbers[holds]
        if chosen.size:
            made[holds] = function(chosen, *args, **kw)
    return made


def _conditions(x, given):
    """A condition of the shape of the array for each of the list, or for the one that is given."""
    is_one = _as_array(given) is not None and array_of(given).ndim == x.ndim
    if not is_one and isinstance(given, (list, tuple)) and given:
        is_one = numpy.ndim(given[0]) == 0 and _as_array(given[0]) is None and x.ndim > 0
    return [beside(x, each) != 0 for each in ([given] if is_one else given)]


def apply_along_axis(
    func1d: Callable[..., Any],
    axis: SupportsIndex,
    arr: Operand,
    *args: Any,
    **kwargs: Any,
) -> USMArray:
    """Call a function for each row along an axis. It gets arrays of the device.

    It waits as the function does. Functions that take an axis themselves are much faster.

    Args:
        func1d: a function of an array of one dimension; it gives a number or an array.
        axis: the axis.
        arr: an array.
        args, kwargs: what else the function gets.

    Returns:
        A new USMArray, in which the axes of the function's results are in the place of `axis`.

    Raises:
        ValueError: there is no row.

    Example:
        >>> print(usmx.apply_along_axis(usmx.sum, 1, usmx.asarray([[1, 2], [3, 4]])))
        [3 7]
    """
    x = array_of(arr)
    where = as_axis(axis, x.ndim)
    moved = moveaxis(x, where, -1)
    outer_shape = moved.shape[:-1]
    rows = reshape(moved, (-1, moved.shape[-1])) if x.size else moved
    if x.size == 0 and 0 in outer_shape:
        raise ValueError("apply_along_axis: there is no row to call the function for")
    parts = [beside(x, func1d(rows[k], *args, **kwargs)) for k in range(rows.shape[0])]
    made = stack(parts)
    inner = made.shape[1:]
    made = reshape(made, (*outer_shape, *inner))
    source = tuple(range(len(outer_shape), made.ndim))
    return moveaxis(made, source, tuple(where + k for k in range(len(inner))))


def apply_over_axes(func: Callable[[Any, Any], Any], a: Operand, axes: Axes) -> USMArray:
    """Call a function of an array and an axis for one axis after the other.

    It waits as the function does.

    Args:
        func: a function, whose result has as many dimensions or one fewer.
        axes: an axis, or several.

    Raises:
        ValueError: a result has another number of dimensions.

    Example:
        >>> print(usmx.apply_over_axes(usmx.sum, usmx.ones((2, 3)), (0, 1)))
        [[6.]]
    """
    x = array_of(a)
    for axis in numpy.atleast_1d(axes):
        where = as_axis(int(axis), x.ndim)
        found = beside(x, func(x, where))
        if found.ndim == x.ndim - 1:
            found = found[(*(slice(None),) * where, None)]
        if found.ndim != x.ndim:
            raise ValueError(
                f"apply_over_axes: the result must have {x.ndim} dimensions, found {found.ndim}"
            )
        x = found
    return x
