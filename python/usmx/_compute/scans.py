"""Cumulative sums and products, and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._compute.call import (
    compute,
    cpp,
    kernels,
    local_of_parts,
    new_beside,
    rows_along,
)
from usmx._compute.promotion import values_type, widened
from usmx._compute.reductions import computed_type, joined_by, written_or_wrapped
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.creation import as_axis, as_integer, as_lists
from usmx._container.manipulation import concat
from usmx._core import asarray, broadcast_to, moveaxis, reshape

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import DTypeLike, Operand, Producer

_NAMES = ("part_totals", "earlier_totals", "running_totals")
_ITEMS = 256  # of a group, as in scan_groups.hpp


class _Way(NamedTuple):
    """How rows are shared out: by work items of a CPU, or by groups of other devices."""

    source: str
    items: int  # for a part
    most_parts: int
    shortest_part: int


_BY_ITEMS = _Way("scan.hpp", 1, most_parts=256, shortest_part=512)
_BY_GROUPS = _Way("scan_groups.hpp", _ITEMS, most_parts=2048, shortest_part=8 * _ITEMS)


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
            uint64 for unsigned ones. It is that of `out` only if that is wider.
        include_initial: whether the result begins with a 0, and so is longer by one.
        out: where the result is written: an array of its shape, to whose type it can be cast
            without a change of kind. By default a new array.

    Returns:
        `out`, or a new USMArray on the queue of `x` and of its kind.

    Raises:
        ValueError: `axis` is missing or has several axes, or `out` has another shape.
        TypeError: `axis` is no integer; or the elements cannot be cast to `dtype`, or to the type
            of `out`, without a change of kind.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.cumulative_sum(usmx.asarray([1, 2, 3])))
        [1 3 6]
    """
    return accumulate("sum", as_lists("x", x), single_axis(axis), dtype, include_initial, out)


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
            uint64 for unsigned ones. It is that of `out` only if that is wider.
        include_initial: whether the result begins with a 1, and so is longer by one.
        out: where the result is written: an array of its shape, to whose type it can be cast
            without a change of kind. By default a new array.

    Returns:
        `out`, or a new USMArray on the queue of `x` and of its kind.

    Raises:
        ValueError: `axis` is missing or has several axes, or `out` has another shape.
        TypeError: `axis` is no integer; or the elements cannot be cast to `dtype`, or to the type
            of `out`, without a change of kind.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.cumulative_prod(usmx.asarray([1, 2, 3])))
        [1 2 6]
    """
    return accumulate("prod", as_lists("x", x), single_axis(axis), dtype, include_initial, out)


def single_axis(axis: Any) -> Any:
    """The axis that a tuple of one stands for, as in NumPy."""
    if not isinstance(axis, tuple):
        return axis
    if len(axis) != 1:
        raise ValueError(f"cumulative sums and products have one axis, found {axis}")
    return axis[0]


def accumulate(
    name: str,
    x: USMArray,
    axis: Any = None,
    dtype: Any = None,
    include_initial: bool = False,
    out: USMArray | None = None,
) -> USMArray:
    """The results of a reduction of the table so far."""
    if axis is None and x.ndim > 1:
        raise ValueError(f"cumulative_{name}: axis is needed for an array of {x.ndim} dimensions")
    x = x if x.ndim else reshape(x, 1)
    axis = 0 if axis is None else as_axis(axis, x.ndim)
    rows = rows_along(x, axis)
    row = REDUCTIONS[name]
    result = computed_type(row, x.dtype, x._own_queue.sycl_device, dtype, out)
    lead = int(include_initial)
    columns = rows.shape[-1]
    made = new_beside(x, (*rows.shape[:-1], columns + lead), result)
    if columns == 0:
        made[...] = 0 if name == "sum" else 1
    elif made.size and not _core._scan_on_host(name, rows, made, lead):
        scan(row, rows, made, lead)()
    return written_or_wrapped(f"cumulative_{name}", out, moveaxis(made, -1, axis))


def scan(row: Any, x: USMArray, made: USMArray, lead: int = 0) -> Callable[[], None]:
    """What starts the kernels that write the results so far of rows in C order."""
    queue = x._own_queue
    columns = x.shape[-1]
    way = _way_for(row, x, made)
    values = values_type(made.dtype)
    if row.name == "sum" and values == made.dtype:  # float16 has few digits to lose
        values = widened(values, queue.sycl_device)
    kernels_of = kernels(
        way.source,
        _NAMES,
        queue,
        X=cpp(x.dtype),
        A=cpp(values),
        R=cpp(made.dtype),
        START=row.identity,
        JOIN=joined_by(row, values.kind),
        IS_SUM=str(int(row.name == "sum" and values.kind != "b")),
    )
    part_totals, earlier_totals, running_totals = (kernels_of[name] for name in _NAMES)
    rows = x.size // columns
    length = max(way.shortest_part, -(-columns // max(way.most_parts // rows, 1)))
    parts = -(-columns // length)
    totals = new_beside(x, (rows, parts), values)
    local = way.items if way.items > 1 else local_of_parts(queue)
    of_parts, of_rows = (way.items * rows * parts, local), (way.items * rows, local)

    def start():
        if parts > 1:
            part_totals(*of_parts, x, totals, parts, columns, length)
            earlier_totals(*of_rows, totals, parts)
        running_totals(*of_parts, x, made, totals, parts, columns, length, lead)

    return start


def _way_for(row, x, made):
    if x.shape[-1] < _ITEMS or x._own_queue.sycl_device.is_cpu:
        return _BY_ITEMS
    # OpenCL's CPU compiler, on which groups are tested, makes wrong numbers of this one.
    return _BY_ITEMS if row.name == "prod" and made.dtype.kind == "c" else _BY_GROUPS


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
    view = as_lists("x", x)
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
    """What comes before or after an array: nothing, an array, or a number along the axis."""
    if part is None:
        return []
    view = _core._as_array(part)
    if view is None:
        view = asarray(part, usm_type=x.usm_type, sycl_queue=x._own_queue)
    return [broadcast_to(view, shape) if view.ndim == 0 else view]
