"""Reductions that leave NaN out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute import numpy_protocol
from usmx._compute.elementwise import isnan
from usmx._compute.elementwise import where as choose
from usmx._compute.scans import accumulate
from usmx._core import reshape
from usmx._numpy.arguments import array_of

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import Axes, DTypeLike, Operand


def nansum(
    a: Operand,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> USMArray:
    """Add up the elements that are no NaN. Does not wait.

    Example:
        >>> print(usmx.nansum(usmx.asarray([2, usmx.nan, 3])))
        5.0
    """
    return numpy_protocol.nansum(array_of(a), axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Operand,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> USMArray:
    """Multiply the elements that are no NaN. Does not wait.

    Example:
        >>> print(usmx.nanprod(usmx.asarray([2, usmx.nan, 3])))
        6.0
    """
    return numpy_protocol.nanprod(array_of(a), axis, dtype, out, keepdims, initial, where)


def nanmax(
    a: Operand,
    axis: Axes | None = None,
    out: USMArray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> USMArray:
    """Find the greatest element that is no NaN. Does not wait.

    The result is NaN if there is none.

    Example:
        >>> print(usmx.nanmax(usmx.asarray([2, usmx.nan, 3])))
        3.0
    """
    return numpy_protocol.nanmax(array_of(a), axis, out, keepdims, initial, where)


def nanmin(
    a: Operand,
    axis: Axes | None = None,
    out: USMArray | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> USMArray:
    """Find the smallest element that is no NaN. Does not wait.

    The result is NaN if there is none.

    Example:
        >>> print(usmx.nanmin(usmx.asarray([2, usmx.nan, 3])))
        2.0
    """
    return numpy_protocol.nanmin(array_of(a), axis, out, keepdims, initial, where)


def nanargmax(
    a: Operand,
    axis: SupportsIndex | None = None,
    out: USMArray | None = None,
    *,
    keepdims: bool = False,
) -> USMArray:
    """Find the index of the greatest element that is no NaN. Does not wait.

    It is 0 if there is none.

    Example:
        >>> print(usmx.nanargmax(usmx.asarray([usmx.nan, 2, 3])))
        2
    """
    return numpy_protocol.nanargmax(array_of(a), axis, out, keepdims)


def nanargmin(
    a: Operand,
    axis: SupportsIndex | None = None,
    out: USMArray | None = None,
    *,
    keepdims: bool = False,
) -> USMArray:
    """Find the index of the smallest element that is no NaN. Does not wait.

    It is 0 if there is none.

    Example:
        >>> print(usmx.nanargmin(usmx.asarray([usmx.nan, 2, 3])))
        1
    """
    return numpy_protocol.nanargmin(array_of(a), axis, out, keepdims)


def nanmean(
    a: Operand,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> USMArray:
    """Find the mean of the elements that are no NaN. Does not wait.

    Example:
        >>> print(usmx.nanmean(usmx.asarray([2, usmx.nan, 3])))
        2.5
    """
    return numpy_protocol.nanmean(array_of(a), axis, dtype, out, keepdims, where=where)


def nanvar(
    a: Operand,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0,
) -> USMArray:
    """Find the variance of the elements that are no NaN. Does not wait.

    Example:
        >>> print(usmx.nanvar(usmx.asarray([2, usmx.nan, 4])))
        1.0
    """
    options: dict[str, Any] = {"where": where, "mean": mean, "correction": correction}
    return numpy_protocol.nanvar(array_of(a), axis, dtype, out, ddof, keepdims, **options)


def nanstd(
    a: Operand,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0,
) -> USMArray:
    """Find the standard deviation of the elements that are no NaN. Does not wait.

    Example:
        >>> print(usmx.nanstd(usmx.asarray([2, usmx.nan, 4])))
        1.0
    """
    options: dict[str, Any] = {"where": where, "mean": mean, "correction": correction}
    return numpy_protocol.nanstd(array_of(a), axis, dtype, out, ddof, keepdims, **options)


def nancumsum(
    a: Operand,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
) -> USMArray:
    """Compute cumulative sums of the elements that are no NaN. Does not wait.

    Args:
        axis: the axis. None: the elements are taken in C order.

    Example:
        >>> print(usmx.nancumsum(usmx.asarray([2, usmx.nan, 3])))
        [2. 2. 5.]
    """
    return _so_far("sum", a, axis, dtype, out, 0)


def nancumprod(
    a: Operand,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
) -> USMArray:
    """Compute cumulative products of the elements that are no NaN. Does not wait.

    Args:
        axis: the axis. None: the elements are taken in C order.

    Example:
        >>> print(usmx.nancumprod(usmx.asarray([2, usmx.nan, 3])))
        [2. 2. 6.]
    """
    return _so_far("prod", a, axis, dtype, out, 1)


def _so_far(name, a, axis, dtype, out, neutral):
    x = array_of(a)
    x = choose(isnan(x), neutral, x) if x.dtype.kind in "fc" else x
    return accumulate(name, x if axis is not None else reshape(x, -1), axis, dtype, out)
