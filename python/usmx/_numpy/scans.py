"""Cumulative sums and products by NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._numpy.arguments import array_of

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import DTypeLike, Operand


def cumsum(
    a: Operand,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
) -> USMArray:
    """Compute cumulative sums. Does not wait.

    Args:
        axis: the axis. None: the elements are taken in C order.

    Example:
        >>> print(usmx.cumsum(usmx.asarray([[1, 2], [3, 4]])))
        [ 1  3  6 10]
    """
    x: Any = array_of(a)
    return x.cumsum(axis, dtype, out)


def cumprod(
    a: Operand,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: USMArray | None = None,
) -> USMArray:
    """Compute cumulative products. Does not wait.

    Args:
        axis: the axis. None: the elements are taken in C order.

    Example:
        >>> print(usmx.cumprod(usmx.asarray([[1, 2], [3, 4]])))
        [ 1  2  6 24]
    """
    x: Any = array_of(a)
    return x.cumprod(axis, dtype, out)
