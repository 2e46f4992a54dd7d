"""Sorting, searching in sorted arrays, and sets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._compute.call import (
    comparable,
    compute,
    cpp,
    kernels,
    kind_of,
    local_of_parts,
    new_beside,
    new_cache,
    operands_of,
    preamble,
    rows_along,
)
from usmx._compute.promotion import WEAK, common_type, number_converter, require_plain
from usmx._compute.scans import accumulate, diff, scan
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.compute_follows_data import common_queue_of_arguments
from usmx._container.creation import as_lists, as_view, full
from usmx._container.host import numpy
from usmx._container.indexing import nonzero, take, with_axis
from usmx._container.manipulation import integers_of
from usmx._core import ElementwiseKernel, moveaxis, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import NumpyType, Operand, Producer

_BY_MERGING = ("sort_blocks", "merge"), ("sort_places", "merge_places")
_BY_DIGITS = ("count_digits", "move_digits"), ("count_placed_digits", "move_placed_digits")
_BY_ROWS = ("sort_row_by_digits",), ("sort_placed_row_by_digits",)
_OF_PLACES = ("with_places", "places_of")
_BLOCK = 32
_PART = {True: 4096, False: 16}  # that a work item merges, by whether the device is a CPU
_SHORTEST_BY_DIGITS = {True: 256, False: 4096}  # by whether the device is a CPU
_SHORTEST_PART = 4096
_LONGEST_BY_DIGITS = 2**32 - 1
_MOST_PARTS = 64
_ITEMS, _EACH, _BITS_OF_GROUPS = 256, 8, 8  # as in sort_groups.hpp
_KEYS = {
    "b": "W(a)", "u": "W(a)", "i": "(W(a) ^ TOP)",
    "f": "(isnan(a) ? W(-1) : a == X(0) ? TOP : BITS & TOP ? W(~BITS) : W(BITS | TOP))",
}  # fmt: skip


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
    return _sorted_as_asked(x, axis, kind, descending, False)


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
    return _sorted_as_asked(x, axis, kind, descending, True)


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
    view, along = with_axis(_view(x, wants_places), axis)
    _require_kind(kind, ("introselect",))
    size = view.shape[along]
    for k in integers_of("kth", kth):
        if view.size and not -size <= k < size:
            raise ValueError(f"kth must be within the {size} elements of the axis, found {k}")
    name = "argpartition" if wants_places else "partition"
    return _sorted(name, view, along, wants_places=wants_places)


def _sorted_as_asked(x, axis, kind, descending, wants_places):
    view = _view(x, wants_places)
    known = (
        "quicksort", "quick", "q", "heapsort", "heap", "h", "mergesort", "merge", "m", "stable", "s"
    )  # fmt: skip
    _require_kind(kind, known)
    view, along = with_axis(view, axis)
    name = "argsort" if wants_places else "sort"
    return _sorted(name, view, along, descending=descending, wants_places=wants_places)


def _view(x, wants_places):
    """The array; NumPy gives one without dimensions an axis for places, but not where it sorts."""
    view = as_lists("x", x)
    return view[None] if wants_places and view.ndim == 0 else view


def _require_kind(kind, known):
    """ValueError for what is no name of an algorithm. There is one for all names."""
    if kind is not None and kind not in known:
        raise ValueError(f"kind must be None or one of {', '.join(known)}, found {kind!r}")


def _sorted(function, x, axis, *, descending=False, wants_places=False):
    require_plain(function, x.dtype)
    rows = rows_along(x, axis)
    result = _core._dtype("i8") if wants_places else x.dtype
    made = new_beside(x, rows.shape, result)
    if rows.size and not _core._sort_on_host(rows, made, descending, wants_places):
        _launch(rows, made, descending, wants_places)
    return moveaxis(made, -1, axis)


def _launch(x, made, descending, wants_places):
    """The steps of sorting, each from one memory into another: the last one is `made`."""
    columns = x.shape[-1]
    by_groups = _has_groups_in_step(x)
    shortest = _SHORTEST_BY_DIGITS[not by_groups]
    by_digits = x.dtype.kind in _KEYS and shortest <= columns <= _LONGEST_BY_DIGITS
    source, names = "sort_groups.hpp", (*_BY_DIGITS, _OF_PLACES)
    if not (by_digits and by_groups):
        source, names = "sort.hpp", (*_BY_MERGING, *_BY_ROWS, *names, ("begin_digits",))
    found = kernels(
        source,
        [name for group in names for name in group],
        x._own_queue,
        **_macros(x.dtype, descending, columns),
    )
    by_rows = by_digits and not by_groups and columns < _SHORTEST_PART
    if by_rows:
        steps, sort_rows = 1, _sort_short_rows
    elif by_digits:
        bits = _BITS_OF_GROUPS if by_groups else _bits_of_digit(x.dtype, columns)
        steps = -(-8 * x.dtype.itemsize // bits)
        step_of = _step_of_groups if by_groups else _step_of_parts
        sort_rows = partial(_sort_digits, step_of=step_of)
    else:
        steps, sort_rows = 1, _sort_runs
        while _BLOCK << (steps - 1) < columns:
            steps += 1
    if wants_places:
        _, nbytes = _place_in(columns, x.dtype)
        memories = [new_beside(x, (x.size * nbytes,), "u1") for _ in range(2)]
    else:
        has_two = by_rows or steps > 1
        memories = [made, new_beside(x, made.shape if has_two else (0,), x.dtype)]
    last = sort_rows(found, x, memories[:: 1 if steps % 2 else -1], steps, wants_places)
    if wants_places:
        found["places_of"](x.size, None, last, made)


def _has_groups_in_step(x):
    """Whether work items of a group run at once, as those of GPUs do."""
    return not x._own_queue.sycl_device.is_cpu


def _place_in(columns, dtype):
    """The type of a place in a row, and the bytes of an element with its place."""
    is_short = columns <= _LONGEST_BY_DIGITS
    nbytes = 24 if dtype.itemsize == 16 else 8 if is_short and dtype.itemsize <= 4 else 16
    return ("uint32_t" if is_short else "long"), nbytes


def _macros(dtype, descending, columns):
    key = _KEYS.get(dtype.kind, "0")
    word = f"uint{8 * min(dtype.itemsize, 8)}_t"
    return {
        "X": cpp(dtype),
        "PLACE": _place_in(columns, dtype)[0],
        "IS_BEFORE": "comes_first(b, a)" if descending else "comes_first(a, b)",
        "W": word,
        "TOP": f"{word}({word}(1) << {8 * min(dtype.itemsize, 8) - 1})",
        "BITS": "__builtin_bit_cast(W, a)",
        "KEY": f"W(~{key})" if descending else key,
        "BITS_OF_DIGIT": str(_bits_of_digit(dtype, columns)),
    }


def _bits_of_digit(dtype, columns):
    """Fewer steps for wide types, as long as the counts are few and fit into the nearest cache."""
    return 8 if dtype.itemsize <= 2 or columns < _SHORTEST_PART else 11


def _sort_digits(found, x, memories, steps, wants_places, step_of):
    """Counts the digits of parts of the rows, and moves the elements to where they belong."""
    columns = x.shape[-1]
    count, move = (found[name] for name in _BY_DIGITS[wants_places])
    source = x
    if wants_places:
        source = memories[1]
        found["with_places"](x.size, None, x, source, columns)
    do_step = step_of(found, x)
    for step in range(steps):
        do_step(count, move, source, memories[0], step)
        source = memories[0]
        memories.reverse()
    return source


def _sort_short_rows(found, x, memories, _, wants_places):
    """A work item for each row, which goes between two memories as often as it has to."""
    columns = x.shape[-1]
    found[_BY_ROWS[wants_places][0]](x.size // columns, 1, x, *memories, columns)
    return memories[0]


def _step_of_parts(found, x):
    """A step by work items: each has a part of a row."""
    columns = x.shape[-1]
    rows = x.size // columns
    parts = max(min(_MOST_PARTS // rows, columns // _SHORTEST_PART), 1)
    bits = _bits_of_digit(x.dtype, columns)
    counts = new_beside(x, (rows * parts << bits,), "u4")

    def do_step(count, move, source, to, step):
        count(rows * parts, 1, source, counts, columns, parts, bits * step)
        found["begin_digits"](rows, None, counts, parts)
        move(rows * parts, 1, source, to, counts, columns, parts, bits * step)

    return do_step


def _step_of_groups(_, x):
    """A step by work groups: each has a block of a row."""
    columns = x.shape[-1]
    rows = x.size // columns
    blocks = -(-columns // (_ITEMS * _EACH))
    counts = new_beside(x, (rows, blocks << _BITS_OF_GROUPS), "u4")
    ends = new_beside(x, counts.shape, "u4")
    sum_up = scan(REDUCTIONS["sum"], counts, ends)
    items = rows * blocks * _ITEMS, _ITEMS

    def do_step(count, move, source, to, step):
        shift = _BITS_OF_GROUPS * step
        count(*items, source, counts, columns, blocks, shift)
        sum_up()
        move(*items, source, to, ends, columns, blocks, shift)

    return do_step


def _sort_runs(found, x, memories, steps, wants_places):
    """Sorts blocks, and merges runs of them."""
    sort_blocks, merge = (found[name] for name in _BY_MERGING[wants_places])
    columns = x.shape[-1]
    rows = x.size // columns
    blocks = -(-columns // _BLOCK)
    local = local_of_parts(x._own_queue)
    sort_blocks(rows * blocks, local, x, memories[0], columns, blocks, _BLOCK)
    for run in (_BLOCK << step for step in range(steps - 1)):
        length = min(_PART[x._own_queue.sycl_device.is_cpu], 2 * run)
        parts = -(-columns // length)
        merge(rows * parts, local, *memories, columns, parts, length, run)
        memories.reverse()
    return memories[0]


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
    if isinstance(values, _core.USMArray):
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
    arrays = [(name, each) for name, each in operands.items() if isinstance(each, _core.USMArray)]
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
    if not isinstance(searched, _core.USMArray):
        return compute(ROWS["not_equal" if invert else "equal"], (elements, searched))
    _require_common_queue("isin", {"x1": elements, "x2": searched})
    sorted_values = _sorted("isin", reshape(searched, -1), -1)
    found = f"!({_IS_IN})" if invert else _IS_IN
    return _search("isin", sorted_values, elements, ("bool", found))


# ---- sets


class UniqueAll(NamedTuple):
    """What `unique_all` finds."""

    values: USMArray
    indices: USMArray
    inverse_indices: USMArray
    counts: USMArray


class UniqueCounts(NamedTuple):
    """What `unique_counts` finds."""

    values: USMArray
    counts: USMArray


class UniqueInverse(NamedTuple):
    """What `unique_inverse` finds."""

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
    order = _sorted(function, flat, -1, wants_places=True)
    ordered = flat[order]
    is_first = _first_of_each(ordered)
    starts = nonzero(is_first)[0]
    ranks = accumulate("sum", is_first)
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
    ordered = _sorted("unique_counts", reshape(as_lists("x", x), -1), -1)
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
    ordered = _sorted("unique_values", reshape(as_view("x", x), -1), -1)
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
