"""Cumulative sums and products, and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._compute.call import compute, output
from usmx._compute.promotion import as_added
from usmx._compute.table import ROWS
from usmx._container.creation import as_array, as_integer
from usmx._container.manipulation import concat
from usmx._core import USMArray, asarray, broadcast_to

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import DTypeLike, Operand, Producer


def cumulative_sum(
    x: Producer,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    out: USMArray | None = None,
) -> USMArray:
    """Add up the elements before each one and itself, along an axis. Does not wait.

    Sums of float32 and complex64 are rounded once, on devices that have float64. The error of
    others may grow with the number of elements, as in NumPy.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        axis: an integer, or a tuple of one. It may be None only if `x` has one dimension.
        dtype: the type of the result. By default that of `x`; for bool and integers it is int64, or
            uint64 for unsigned ones. It is that of `out` only if that is wider. Elements of
            another kind are converted first.
        include_initial: whether the result begins with a 0, and so is longer by one.
        out: where the result is written: an array of its shape, to whose type it can be cast
            without a change of kind. By default a new array.

    Returns:
        `out`, or a new USMArray on the queue of `x` and of its kind.

    Raises:
        ValueError: `axis` is missing or has several axes, or `out` has another shape.
        TypeError: `axis` is no integer; or the elements cannot be cast to the type of `out`
            without a change of kind.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.cumulative_sum(usmx.asarray([1, 2, 3])))
        [1 3 6]
    """
    view = x if type(x) is USMArray else as_array("x", x)
    along = single_axis(axis) if type(axis) is tuple else axis
    into = None if out is None else output("sum", out)
    view = view if dtype is None else as_added("sum", view, dtype)
    return _core._accumulate(True, view, along, dtype, bool(include_initial), into)


def cumulative_prod(
    x: Producer,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    out: USMArray | None = None,
) -> USMArray:
    """Multiply the elements before each one and itself, along an axis. Does not wait.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        axis: an integer, or a tuple of one. It may be None only if `x` has one dimension.
        dtype: the type of the result. By default that of `x`; for bool and integers it is int64, or
            uint64 for unsigned ones. It is that of `out` only if that is wider. Elements of
            another kind are converted first.
        include_initial: whether the result begins with a 1, and so is longer by one.
        out: where the result is written: an array of its shape, to whose type it can be cast
            without a change of kind. By default a new array.

    Returns:
        `out`, or a new USMArray on the queue of `x` and of its kind.

    Raises:
        ValueError: `axis` is missing or has several axes, or `out` has another shape.
        TypeError: `axis` is no integer; or the elements cannot be cast to the type of `out`
            without a change of kind.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.cumulative_prod(usmx.asarray([1, 2, 3])))
        [1 2 6]
    """
    view = x if type(x) is USMArray else as_array("x", x)
    along = single_axis(axis) if type(axis) is tuple else axis
    into = None if out is None else output("prod", out)
    view = view if dtype is None else as_added("prod", view, dtype)
    return _core._accumulate(False, view, along, dtype, bool(include_initial), into)


def single_axis(axis: Any) -> Any:
    """The axis that a tuple of one stands for, as in NumPy."""
    if not isinstance(axis, tuple):
        return axis
    if len(axis) != 1:
        raise ValueError(f"cumulative sums and products have one axis, found {axis}")
    return axis[0]


def accumulate(name: str, x: USMArray, axis: Any, dtype: Any, out: USMArray | None) -> USMArray:
    """The sums ("sum") or products ("prod") of the elements so far."""
    into = None if out is None else output(name, out)
    x = x if dtype is None else as_added(name, x, dtype)
    return _core._accumulate(name == "sum", x, axis, dtype, False, into)


def diff(
    x: Producer,
    /,
    n: SupportsIndex = 1,
    axis: SupportsIndex = -1,
    prepend: Operand | None = None,
    append: Operand | None = None,
) -> USMArray:
    """Subtract each element from the next one, along an axis. Does not wait.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        n: how many times.
        axis: an integer.
        prepend: an array whose elements come before those of `x` along the axis, or a number.
        append: an array whose elements come after them, or a number.

    Returns:
        A new USMArray on the queue of `x`, shorter by `n` along the axis. Of bool it says whether
        elements differ.

    Raises:
        ValueError: `n` is negative, or the shapes do not fit.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.diff(usmx.asarray([1, 4, 9])))
        [3 5]
    """
    view = as_array("x", x)
    times = as_integer("n", n)
    if times < 0:
        raise ValueError(f"diff: n must not be negative, found {times}")
    before = (slice(None),) * _core._normalized_axis(axis, view.ndim)
    if times == 0:
        return view
    edge = (*view.shape[: len(before)], 1, *view.shape[len(before) + 1 :])
    parts = [_edge(part, edge, view) for part in (prepend, append)]
    parts = [*parts[0], view, *parts[1]]
    view = concat(parts, axis=len(before)) if len(parts) > 1 else view
    row = ROWS["not_equal" if view.dtype.kind == "b" else "subtract"]
    for _ in range(min(times, view.shape[len(before)])):  # an axis without elements stays so
        later, earlier = view[(*before, slice(1, None))], view[(*before, slice(None, -1))]
        view = compute(row, (later, earlier))
    return view


def _edge(part, shape, x):
    """The elements before or after an array: none, an array, or a number along the axis."""
    if part is None:
        return []
    view = _core._as_array(part)
    if view is None:
        view = asarray(part, usm_type=x.usm_type, sycl_queue=x._own_queue)
    return [broadcast_to(view, shape) if view.ndim == 0 else view]
