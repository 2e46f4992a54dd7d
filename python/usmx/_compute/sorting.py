"""Sorting, searching in sorted arrays, and sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._compute.call import beyond_integers, comparable, compute, operands_of
from usmx._compute.promotion import number_converter
from usmx._compute.table import ROWS
from usmx._container.creation import as_array
from usmx._container.host import numpy
from usmx._container.indexing import with_axis
from usmx._container.little import numpys
from usmx._container.manipulation import integers_of
from usmx._core import USMArray, asarray

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, SupportsIndex

    from usmx._typing import Operand, Producer

# NumPy searches that many sooner than a kernel starts, for values of types that both compare alike.
_MOST_BY_NUMPY = 16384
_TYPES_OF_NUMPY = "bBhHiIlqefd"
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
        x = as_array("x", x)
        _require_kind(kind, _KINDS)
    return _core._sort(
        "sort", x if type(x) is USMArray else as_array("x", x), axis, bool(descending)
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
        x = as_array("x", x)
        _require_kind(kind, _KINDS)
    return _core._sort(
        "argsort", x if type(x) is USMArray else as_array("x", x), axis, bool(descending), True
    )


def partition(
    a: Producer,
    kth: SupportsIndex | Sequence[SupportsIndex],
    axis: SupportsIndex | None = -1,
    kind: str | None = None,
) -> USMArray:
    """Put elements of an axis where sorting puts them, in a new array. Does not wait.

    All elements are sorted, which is more than NumPy promises.

    Args:
        a: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        kth: the indices at which there is what sorting puts there, with nothing greater before it
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
    """Find the indices that put elements of an axis where sorting puts them. Does not wait.

    All elements are sorted, which is more than NumPy promises.

    Args:
        a: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        kth: the indices at which there is what sorting puts there, with nothing greater before it
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


def _partitioned(x, kth, axis, kind, wants_indices):
    x = as_array("x", x)
    view, along = with_axis(x[None] if wants_indices and x.ndim == 0 else x, axis)
    _require_kind(kind, ("introselect",))
    size = view.shape[along]
    for k in integers_of("kth", kth):
        if view.size and not -size <= k < size:
            raise ValueError(f"kth must be within the {size} elements of the axis, found {k}")
    name = "argpartition" if wants_indices else "partition"
    return _core._sort(name, view, along, False, wants_indices)


def _require_kind(kind, known):
    """ValueError for what is no name of an algorithm. There is one for all names."""
    if kind is not None and kind not in known:
        raise ValueError(f"kind must be None or one of {', '.join(known)}, found {kind!r}")


# ---- searching


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
    # Arrays alone: what type a number of Python's has NumPy chooses in another way.
    if sorter is None and type(x1) is type(x2) is USMArray and x1.ndim == 1:
        found = numpys("searchsorted", _MOST_BY_NUMPY, (x1, x2, side), {}, _TYPES_OF_NUMPY)
        if found is not None and side in ("left", "right"):
            return found
    view = as_array("x1", x1)
    if not isinstance(side, str) or side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', found {side!r}")
    try:
        values = (
            x2 if type(x2) is USMArray else operands_of("searchsorted", ("x1", "x2"), (view, x2))[1]
        )
    except OverflowError:
        beyond = beyond_integers((view, x2))
        if beyond is None:
            raise
        return _searchsorted_beyond(view, beyond, side, sorter)
    indices = None if sorter is None else as_array("sorter", sorter)
    is_right = side == "right"
    found = _core._searchsorted(view, values, is_right, indices)
    if found is None:
        values = _searchable(values, view.dtype)
        return _core._searchsorted(view, values, is_right, indices)
    return found


def _searchsorted_beyond(view, beyond, side, sorter):
    """`searchsorted` of a list of which some integers belong before or behind all elements."""
    _, inside, signs = beyond
    found = searchsorted(view, inside, side, sorter)
    sign = asarray(signs, usm_type=view.usm_type, sycl_queue=view._own_queue)
    ends = compute(ROWS["where"], (sign > 0, view.shape[0], 0))
    return compute(ROWS["where"], (sign == 0, found, ends))


def _searchable(number, dtype):
    """A number that an array's type lacks, as the library takes it."""
    try:
        return number_converter(dtype)(number) if dtype.kind in "fc" else comparable(number)
    except OverflowError:
        return comparable(number)


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
    try:
        elements, searched = operands_of("isin", ("x1", "x2"), (x1, x2))
    except OverflowError:
        beyond = beyond_integers((x1, x2))
        if beyond is None:
            raise
        return _isin_beyond(x1, x2, beyond, invert)
    _require_kind(kind, ("sort", "table"))
    if not isinstance(searched, USMArray):
        return compute(ROWS["not_equal" if invert else "equal"], (elements, searched))
    found = _core._isin(elements, searched, bool(invert))
    if found is None:
        elements = _searchable(elements, searched.dtype)
        return _core._isin(elements, searched, bool(invert))
    return found


def _isin_beyond(x1, x2, beyond, invert):
    """`isin` beside a list of which some integers are in no array."""
    is_second, inside, signs = beyond
    if is_second:
        return isin(x1, numpy.asarray(inside)[signs == 0].tolist(), invert=invert)
    outside = asarray(signs, usm_type=x2.usm_type, sycl_queue=x2._own_queue) != 0
    return compute(ROWS["where"], (outside, bool(invert), isin(inside, x2, invert=invert)))


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
    return UniqueAll(*_core._unique("unique_all", as_array("x", x), True))


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
    return UniqueCounts(*_core._unique("unique_counts", as_array("x", x), wants_counts=True))


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
    return UniqueInverse(*_core._unique("unique_inverse", as_array("x", x), wants_inverse=True))


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
    return _core._unique("unique_values", as_array("x", x))[0]
