"""Sorting, searching in sorted arrays, and sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._compute.call import (
    comparable,
    compute,
    cpp,
    kind_of,
    new_beside,
    new_cache,
    operands_of,
    preamble,
)
from usmx._compute.promotion import WEAK, common_type, number_converter, require_plain
from usmx._compute.scans import accumulate, diff
from usmx._compute.table import ROWS
from usmx._container.compute_follows_data import common_queue_of_arguments
from usmx._container.creation import as_lists, as_view, full
from usmx._container.host import numpy
from usmx._container.indexing import nonzero, take, with_axis
from usmx._container.manipulation import integers_of
from usmx._core import ElementwiseKernel, USMArray, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, SupportsIndex

    from usmx._typing import NumpyType, Operand, Producer

_KINDS = (
    "quicksort", "quick", "q", "heapsort", "heap", "h", "mergesort", "merge", "m", "stable", "s"
)  # fmt: skip


def sort(
    x: Producer,
    /,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> USMArray:
    """Sort the elements along an axis, in a new array. Does not wait.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        axis: an integer. None treats `x` as if it had one dimension, in C order.
        kind: one of NumPy's names: None, 'quicksort', 'heapsort', 'mergesort' or 'stable'. It
            changes nothing.
        descending: whether the greatest element comes first. NaN is greater than all numbers.
        stable: whether equal elements keep their order; they do in any case.

    Returns:
        A new USMArray on the queue of `x` and of its kind.

    Raises:
        TypeError: the elements are structures.
        ValueError: `kind` is another word.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.sort(usmx.asarray([3, 1, 2])))
        [1 2 3]
    """
    if kind is not None:
        x = as_lists("x", x)
        _require_kind(kind, _KINDS)
    return _core._sort(
        "sort", x if type(x) is USMArray else as_lists("x", x), axis, bool(descending)
    )


def argsort(
    x: Producer,
    /,
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> USMArray:
    """Find the indices that sort the elements along an axis. Does not wait.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        axis: an integer. None treats `x` as if it had one dimension, in C order.
        kind: one of NumPy's names: None, 'quicksort', 'heapsort', 'mergesort' or 'stable'. It
            changes nothing.
        descending: whether the greatest element comes first. NaN is greater than all numbers.
        stable: whether equal elements keep their order; they do in any case.

    Returns:
        A new USMArray of int64 on the queue of `x` and of its kind.

    Raises:
        TypeError: the elements are structures.
        ValueError: `kind` is another word.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.argsort(usmx.asarray([3, 1, 2])))
        [1 2 0]
    """
    if kind is not None:
        x = as_lists("x", x)
        _require_kind(kind, _KINDS)
    return _core._sort(
        "argsort", x if type(x) is USMArray else as_lists("x", x), axis, bool(descending), True
    )


def partition(
    a: Producer,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
) -> USMArray:
    """Put elements of an axis at their sorted places, in a new array. Does not wait.

    All elements are sorted, which is more than NumPy promises.

    Args:
        a: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        kth: the places at which there is what sorting puts there, with nothing greater before it
            and nothing less after it: an integer, or several. Negative ones count from the end.
        axis: an integer. None treats `a` as if it had one dimension, in C order.
        kind: None or 'introselect'. It changes nothing.

    Returns:
        A new USMArray on the queue of `a` and of its kind.

    Raises:
        TypeError: the elements are structures, or `kth` has no integers.
        ValueError: an element of `kth` is outside of the axis, or `kind` is another word.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.partition(usmx.asarray([3, 1, 2]), 1))
        [1 2 3]
    """
    return _partitioned(a, kth, axis, kind, False)


def argpartition(
    a: Producer,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
) -> USMArray:
    """Find the indices that put elements of an axis at their sorted places. Does not wait.

    All elements are sorted, which is more than NumPy promises.

    Args:
        a: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        kth: the places at which there is what sorting puts there, with nothing greater before it
            and nothing less after it: an integer, or several. Negative ones count from the end.
        axis: an integer. None treats `a` as if it had one dimension, in C order.
        kind: None or 'introselect'. It changes nothing.

    Returns:
        A new USMArray of int64 on the queue of `a` and of its kind.

    Raises:
        TypeError: the elements are structures, or `kth` has no integers.
        ValueError: an element of `kth` is outside of the axis, or `kind` is another word.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.argpartition(usmx.asarray([3, 1, 2]), 1))
        [1 2 0]
    """
    return _partitioned(a, kth, axis, kind, True)


def _partitioned(x, kth, axis, kind, wants_places):
    x = as_lists("x", x)
    view, along = with_axis(x[None] if wants_places and x.ndim == 0 else x, axis)
    _require_kind(kind, ("introselect",))
    size = view.shape[along]
    for k in integers_of("kth", kth):
        if view.size and not -size <= k < size:
            raise ValueError(f"kth must be within the {size} elements of the axis, found {k}")
    name = "argpartition" if wants_places else "partition"
    return _core._sort(name, view, along, False, wants_places)


def _require_kind(kind, known):
    """ValueError for what is no name of an algorithm. There is one for all names."""
    if kind is not None and kind not in known:
        raise ValueError(f"kind must be None or one of {', '.join(known)}, found {kind!r}")


# ---- searching

_SEARCH = """
/// The number of elements before the value, or before the first element after it.
template <class Sorted>
inline long place_in(const Sorted& sorted, V value, bool is_right) {
  long low = 0;
  long high = sorted.size();
  while (low < high) {
    const long middle = low + (high - low) / 2;
    const E element = ELEMENT(sorted[middle]);
    if (is_right ? !IS_BEFORE(value, element) : IS_BEFORE(element, value)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
"""
_IS_IN = "place < sorted.size() && IS_SAME(ELEMENT(sorted[place]), value)"
_searches: dict[Any, tuple[ElementwiseKernel, NumpyType]] = new_cache()


def _search(function, sorted_values, values, out, *, is_right=False):
    """An element-wise kernel of the values, of which `out` is the result: (type, expression).

    In the expression `place` is what `searchsorted` finds, and `value` the value.
    """
    device = sorted_values._own_queue.sycl_device
    kinds = [sorted_values.dtype, kind_of(values)]
    key = (*kinds, function, out, is_right, device)
    found = _searches.get(key)
    if found is None:
        for kind in kinds:
            if not isinstance(kind, type):
                require_plain(function, kind)
        common = common_type(kinds, device)
        is_weak = isinstance(kinds[1], type) and kinds[1] in WEAK
        own = common if is_weak else numpy.dtype(kinds[1])
        found = _searches[key] = (_search_kernel(kinds[0], own, common, *key[2:5]), own)
    kernel, own = found
    if isinstance(values, USMArray):
        return kernel(sorted_values, values)
    try:
        values = number_converter(own)(values)
    except OverflowError:  # an integer that is before or after all of the type
        return _search(function, sorted_values, comparable(values), out, is_right=is_right)
    return kernel(sorted_values, values, size=())


def _search_kernel(sorted_type, values_type, common, function, out, is_right):
    types = [sorted_type, values_type]
    if all(each.kind in "biu" for each in types):  # each in its own type: no other holds them all
        compared, before, same = types, "is_less", "is_same(a, b)"
    else:
        compared, before, same = [common, common], "comes_first", "((a) == (b))"
    element, value = map(_searched_as, compared)
    of_element, of_value = (
        f"{name}(float(a))" if each == numpy.float16 else f"{name}(a)"
        for name, each in zip("EV", types, strict=True)
    )
    macros = {
        "ELEMENT(a)": of_element, "VALUE(a)": of_value, "IS_BEFORE": before, "IS_SAME(a, b)": same,
    }  # fmt: skip
    defined = "".join(f"#define {name} {text}\n" for name, text in macros.items())
    return ElementwiseKernel(
        f"raw {sorted_type} sorted, {values_type} given",
        f"{out[0]} out",
        "const V value = VALUE(given);\n"
        f"const long place = place_in(sorted, value, {'true' if is_right else 'false'});\n"
        f"out = {out[1]}",
        function,
        preamble=f"{preamble()}using E = {element};\nusing V = {value};\n{defined}{_SEARCH}",
    )


def _searched_as(dtype):
    """A bool as the byte 0 or 1: vectors of compared bools are wrong on CPUs (docs/limits.md)."""
    return "uint8_t" if dtype.kind == "b" else cpp(dtype)


def searchsorted(
    x1: Producer,
    x2: Operand,
    /,
    side: Literal["left", "right"] = "left",
    sorter: Producer | None = None,
) -> USMArray:
    """Find where values would have to be inserted into a sorted array. Waits for a `sorter`.

    Integers of any two types are compared exactly.

    Args:
        x1: a sorted array of one dimension.
        x2: an array of values, a list, or a number.
        side: 'left': before the elements that equal a value; 'right': after them.
        sorter: indices that sort `x1`, where that is not sorted. Negative ones count from the end.

    Returns:
        A new USMArray of int64, of the shape of `x2`, on the queue of the arrays.

    Raises:
        ValueError: `x1` or `sorter` has other dimensions, or `side` is another word.
        IndexError: an index of `sorter` is outside of `x1`.
        TypeError: the elements are structures, or `sorter` has no integers.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> print(usmx.searchsorted(usmx.asarray([1, 3, 5]), usmx.asarray([0, 3, 9])))
        [0 1 3]
    """
    view = as_lists("x1", x1)
    if not isinstance(side, str) or side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', found {side!r}")
    if view.ndim != 1:
        raise ValueError(f"x1 must have 1 dimension, found {view.ndim}")
    _, values = operands_of("searchsorted", ("x1", "x2"), (view, x2))
    indices = None if sorter is None else _sorter(as_view("sorter", sorter), view)
    _require_common_queue("searchsorted", {"x1": view, "x2": values, "sorter": indices})
    if indices is not None:
        view = take(view, indices)
    if view.dtype == bool:  # a copy, in which true is the byte 1
        view = compute(ROWS["not_equal"], (view, False))
    return _search("searchsorted", view, values, ("int64", "place"), is_right=side == "right")


def _sorter(sorter, x):
    if sorter.dtype.kind not in "iu":
        raise TypeError(f"sorter must be of integers, found {sorter.dtype}")
    if sorter.shape != x.shape:
        raise ValueError(f"sorter must have the shape of x1, {x.shape}, found {sorter.shape}")
    return sorter


def _require_common_queue(function, operands):
    arrays = [(name, each) for name, each in operands.items() if isinstance(each, USMArray)]
    common_queue_of_arguments(function, arrays)


def isin(
    x1: Operand,
    x2: Operand,
    /,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Literal["sort", "table"] | None = None,
) -> USMArray:
    """Say for each element whether another array has an equal one. Does not wait.

    Args:
        x1: an array of elements, or a number.
        x2: the array that is searched, a list, or a number. One of both is an array.
        assume_unique: whether no element occurs twice, which makes nothing faster.
        invert: whether the result says that there is none.
        kind: None, 'sort' or 'table', as in NumPy. It changes nothing.

    Returns:
        A new USMArray of bool, of the shape of `x1`, on the queue of the arrays. A NaN equals
        nothing.

    Raises:
        TypeError: the elements are structures, or none of both is an array.
        ValueError: `kind` is another word.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> print(usmx.isin(usmx.asarray([1, 2, 3]), usmx.asarray([3, 1])))
        [ True False  True]
    """
    elements, searched = operands_of("isin", ("x1", "x2"), (x1, x2))
    _require_kind(kind, ("sort", "table"))
    if not isinstance(searched, USMArray):
        return compute(ROWS["not_equal" if invert else "equal"], (elements, searched))
    _require_common_queue("isin", {"x1": elements, "x2": searched})
    sorted_values = _core._sort("isin", searched, None)
    found = f"!({_IS_IN})" if invert else _IS_IN
    return _search("isin", sorted_values, elements, ("bool", found))


# ---- sets


class UniqueAll(NamedTuple):
    """Results of `unique_all`."""

    values: USMArray
    indices: USMArray
    inverse_indices: USMArray
    counts: USMArray


class UniqueCounts(NamedTuple):
    """Results of `unique_counts`."""

    values: USMArray
    counts: USMArray


class UniqueInverse(NamedTuple):
    """Results of `unique_inverse`."""

    values: USMArray
    inverse_indices: USMArray


def unique_all(x: Producer, /) -> UniqueAll:
    """Find the different elements, where each is, and how often. Waits.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A named tuple: `values`, sorted; `indices`, the first one of each; `inverse_indices`, of the
        shape of `x`, which make `x` of the values; `counts`. Each NaN is a value of its own.

    Raises:
        TypeError: the elements are structures.

    Example:
        >>> found = usmx.unique_all(usmx.asarray([3, 1, 3]))
        >>> print(found.values, found.indices, found.inverse_indices, found.counts)
        [1 3] [1 0] [1 0 1] [1 2]
    """
    return _unique_all("unique_all", x)


def _unique_all(function, x):
    view = as_lists("x", x)
    flat = reshape(view, -1)
    order = _core._sort(function, flat, -1, False, True)
    ordered = flat[order]
    is_first = _first_of_each(ordered)
    starts = nonzero(is_first)[0]
    ranks = accumulate("sum", is_first, 0, None, None)
    inverse = new_beside(flat, flat.shape, ranks.dtype)
    inverse[order] = ranks - 1
    counts = diff(starts, append=full_beside(starts, flat.size))
    return UniqueAll(ordered[starts], order[starts], reshape(inverse, view.shape), counts)


def unique_counts(x: Producer, /) -> UniqueCounts:
    """Find the different elements, and how often each occurs. Waits.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A named tuple: `values`, sorted; `counts`. Each NaN is a value of its own.

    Raises:
        TypeError: the elements are structures.

    Example:
        >>> print(usmx.unique_counts(usmx.asarray([3, 1, 3])).counts)
        [1 2]
    """
    ordered = _core._sort("unique_counts", as_lists("x", x), None)
    starts = nonzero(_first_of_each(ordered))[0]
    counts = diff(starts, append=full_beside(starts, ordered.size))
    return UniqueCounts(ordered[starts], counts)


def unique_inverse(x: Producer, /) -> UniqueInverse:
    """Find the different elements, and which of them each element is. Waits.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A named tuple: `values`, sorted; `inverse_indices`, of the shape of `x`, which make `x` of
        the values. Each NaN is a value of its own.

    Raises:
        TypeError: the elements are structures.

    Example:
        >>> print(usmx.unique_inverse(usmx.asarray([3, 1, 3])).inverse_indices)
        [1 0 1]
    """
    found = _unique_all("unique_inverse", x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Producer, /) -> USMArray:
    """Find the different elements, sorted. Waits.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A new USMArray of one dimension on the queue of `x`. Each NaN is a value of its own.

    Raises:
        TypeError: the elements are structures.

    Example:
        >>> print(usmx.unique_values(usmx.asarray([3, 1, 3])))
        [1 3]
    """
    ordered = _core._sort("unique_values", as_view("x", x), None)
    return ordered[_first_of_each(ordered)]


def _first_of_each(ordered):
    """Which elements of a sorted array differ from the one before."""
    is_first = new_beside(ordered, ordered.shape, "?")
    if ordered.size:
        is_first[0] = True
        compute(ROWS["not_equal"], (ordered[1:], ordered[:-1]), is_first[1:])
    return is_first


def full_beside(x: USMArray, value: int) -> USMArray:
    """An array of one element, of the type, queue and kind of another one."""
    return full(1, value, x.dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)
