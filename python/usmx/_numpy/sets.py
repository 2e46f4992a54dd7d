"""Arrays as sets: the different elements, and what two arrays have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.elementwise import isnan
from usmx._compute.reductions import any as any_of
from usmx._compute.scans import cumulative_sum, diff
from usmx._compute.sorting import argsort, isin, sort
from usmx._container.compute_follows_data import options_of
from usmx._container.creation import as_axis
from usmx._container.indexing import nonzero
from usmx._container.little import by_numpy
from usmx._container.manipulation import concat
from usmx._core import asarray, empty, moveaxis, reshape
from usmx._numpy.arguments import array_of, arrays_of
from usmx._numpy.statistics import lexsort

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import Operand


@by_numpy(2048)
def unique(
    ar: Operand,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Find the different elements, sorted. Waits.

    Args:
        ar: an array.
        return_index: whether the index of the first one of each is given.
        return_inverse: whether the indices that make `ar` of the result are given.
        return_counts: whether it is given how often each occurs.
        axis: the axis whose parts are compared. None: the elements are, in C order.
        equal_nan: whether one NaN equals another.
        sorted: changes nothing: they are sorted in any case.

    Returns:
        A new USMArray, or a tuple of it and what else was asked for.

    Example:
        >>> values, counts = usmx.unique(usmx.asarray([3, 1, 3]), return_counts=True)
        >>> print(values, counts)
        [1 3] [1 2]
    """
    x = array_of(ar)
    if axis is None:
        inverse_shape: Any = x.shape
        flat = reshape(x, -1)
        has_order = return_index or return_inverse
        order: Any = argsort(flat, stable=True) if has_order else None
        ordered = flat[order] if has_order else sort(flat)
        is_first = _is_new(ordered, equal_nan)
    else:
        moved = moveaxis(x, as_axis(axis, x.ndim), 0)
        inverse_shape = (moved.shape[0],)
        order, is_first = _order_of_rows(moved)
        ordered = moved[order]
    starts = nonzero(is_first)[0]
    values = ordered[starts]
    found: list[Any] = [values if axis is None else moveaxis(values, 0, as_axis(axis, x.ndim))]
    if return_index:
        found.append(order[starts])
    if return_inverse:
        inverse = empty(order.shape, "i8", **options_of(x))
        inverse[order] = cumulative_sum(is_first.astype("i8")) - 1
        found.append(reshape(inverse, inverse_shape))
    if return_counts:
        end = asarray([is_first.size], "i8", **options_of(x))
        found.append(diff(starts, append=end))
    return found[0] if len(found) == 1 else tuple(found)


def _is_new(ordered, equal_nan):
    """Whether each sorted element differs from the one before."""
    changes = ordered[1:] != ordered[:-1]
    if equal_nan and ordered.dtype.kind in "fc":
        changes = changes & ~(isnan(ordered[1:]) & isnan(ordered[:-1]))
    first = asarray([True] * min(ordered.shape[0], 1), bool, **options_of(ordered))
    return concat([first, changes])


def _order_of_rows(x):
    """The indices that sort parts by their elements, and whether each differs from the last.

    As in NumPy, parts with NaN are never alike.
    """
    rows = (
        reshape(x, (x.shape[0], -1)) if x.size else empty((x.shape[0], 0), x.dtype, **options_of(x))
    )
    columns = rows.shape[1]
    if not columns or not rows.shape[0]:
        order = argsort(empty(rows.shape[0], "i8", **options_of(x)) * 0, stable=True)
        return order, order < min(1, rows.shape[0])
    order = lexsort([rows[:, k] for k in range(columns - 1, -1, -1)])
    ordered = rows[order]
    changes = any_of(ordered[1:] != ordered[:-1], axis=1)
    return order, concat([asarray([True], bool, **options_of(x)), changes])


def union1d(ar1: Operand, ar2: Operand) -> USMArray:
    """Find the different elements of two arrays together, sorted. Waits.

    Args:
        ar1, ar2: arrays; one may be lists.

    Example:
        >>> print(usmx.union1d(usmx.asarray([3, 1]), [1, 2]))
        [1 2 3]
    """
    return unique(concat([reshape(x, -1) for x in arrays_of(ar1, ar2)]))  # type: ignore[no-any-return]


def intersect1d(
    ar1: Operand, ar2: Operand, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Find the different elements that both arrays have, sorted. Waits.

    Args:
        ar1, ar2: arrays; one may be lists.
        assume_unique: whether no array has an element twice.
        return_indices: whether the index of the first one of each in both arrays is given.

    Returns:
        A new USMArray, or a tuple of it and of the indices in `ar1` and `ar2`.

    Example:
        >>> print(usmx.intersect1d(usmx.asarray([3, 1, 2]), [1, 2]))
        [1 2]
    """
    x, y = (reshape(each, -1) for each in arrays_of(ar1, ar2))
    if assume_unique:
        first, second = (argsort(each, stable=True) for each in (x, y))
        a, b = x[first], y[second]
    else:
        a, first = unique(x, return_index=True)
        b, second = unique(y, return_index=True)
    in_both = isin(a, b)
    common = a[in_both]
    if not return_indices:
        return common.astype(concat([x[:0], y[:0]]).dtype, copy=False)
    return common, first[in_both], second[isin(b, a)]


def setdiff1d(ar1: Operand, ar2: Operand, assume_unique: bool = False) -> USMArray:
    """Find the different elements of an array that another one lacks, sorted. Waits.

    Args:
        ar1, ar2: arrays; one may be lists.
        assume_unique: whether no array has an element twice; then the order of `ar1` stays.

    Example:
        >>> print(usmx.setdiff1d(usmx.asarray([3, 1, 2]), [1]))
        [2 3]
    """
    x, y = (reshape(each, -1) for each in arrays_of(ar1, ar2))
    x = x if assume_unique else unique(x)
    return x[isin(x, y, invert=True)]


def setxor1d(ar1: Operand, ar2: Operand, assume_unique: bool = False) -> USMArray:
    """Find the different elements that only one of two arrays has, sorted. Waits.

    Args:
        ar1, ar2: arrays; one may be lists.
        assume_unique: whether no array has an element twice.

    Example:
        >>> print(usmx.setxor1d(usmx.asarray([3, 1, 2]), [1, 4]))
        [2 3 4]
    """
    x, y = (reshape(each, -1) for each in arrays_of(ar1, ar2))
    if not assume_unique:
        x, y = unique(x), unique(y)
    both = sort(concat([x, y]))  # compared in the type of the result, in which elements can merge
    is_new = _is_new(both, equal_nan=False)
    end = asarray([True] * min(both.shape[0], 1), bool, **options_of(both))
    return both[is_new & concat([is_new[1:], end])]  # the next one is new: it occurs once
