"""The element-wise functions, as Python functions of the table's rows."""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING

from usmx._compute.call import (
    CALLS,
    OF_STRUCTURES,
    Traced,
    compute,
    converted_to,
    general,
    in_type,
    is_operand,
    output,
    require_castable,
    written,
)
from usmx._compute.reductions import reduce
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._compute.ufuncs import give_methods
from usmx._container.creation import as_array, as_integer
from usmx._container.indexing import nonzero
from usmx._container.numpy_names import copyto, mask_beside
from usmx._container.types import are_alike, iinfo, innermost_fields
from usmx._core import broadcast_to
from usmx._text import short_repr

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._compute.table import Row
    from usmx._core import USMArray
    from usmx._typing import Operand, Producer

_ONE = """\
    x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``. A number is
        copied to the current queue."""
_TWO = """\
    x1, x2: arrays, which are broadcast together: USMArrays or other producers of
        ``__sycl_usm_array_interface__``. One of them may be a number, or an array of NumPy's or
        a list, which is copied. Both may be numbers, which are copied to the current queue if
        there is no array."""
_RESULTS = {
    "same": "the type to which the operands are promoted",
    "float": "the type to which\n"
    "    the operands are promoted, or the default floating-point type for integers",
    "real": "the same type, or that of the parts for complex numbers",
    "bool": "bool",
}
_DOCUMENT = """\
Compute for each element: {summary}. Does not wait.
{note}
Args:
{operands}
    out: where the result is written: an array of the result's shape, or a tuple of one. By default
        a new array.
    where: a mask that is broadcast to the result's shape: elements of `out` stay as they are where
        it does not hold. Without `out`, all are computed.
    dtype: the type to which arrays are converted first. None where the result is bool.
    casting: which conversions are allowed, to `dtype` and of the result to the type of `out`, in
        NumPy's words: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

Returns:
    `out`, or a new USMArray on the queue of the operands. Its element type is {result}.

Raises:
    TypeError: the function is not defined for a type, an operand is of another kind, an operand
        cannot be cast to `dtype`, or the result to the type of `out`.
    ValueError: the shapes do not fit, or `out` is read-only.
    ExecutionPlacementError: the queues differ.

Example:
    >>> print(usmx.{name}({example}))
    {prints}
"""


def _function_of(row: Row):
    call = CALLS[row.name]

    def unary(x, /, out=None, *, where=True, dtype=None, casting="same_kind"):
        if where is True and dtype is None and casting == "same_kind":
            found = call(x, out)
            return general(row, (x,), out) if found is None else found
        operands = (x,) if dtype is None else in_type(row, (x,), dtype, casting)
        if where is not True:
            return written_where(row.name, out, compute(row, operands), where, casting)
        if casting != "same_kind":
            return converted_to(row.name, out, compute(row, operands), casting)
        return compute(row, operands, out)

    def binary(x1, x2, /, out=None, *, where=True, dtype=None, casting="same_kind"):
        if where is True and dtype is None and casting == "same_kind":
            found = call(x1, x2, out)
            return general(row, (x1, x2), out) if found is None else found
        operands = (x1, x2) if dtype is None else in_type(row, (x1, x2), dtype, casting)
        if where is not True:
            return written_where(row.name, out, compute(row, operands), where, casting)
        if casting != "same_kind":
            return converted_to(row.name, out, compute(row, operands), casting)
        return compute(row, operands, out)

    function = unary if len(row.operands) == 1 else binary
    function.__name__ = function.__qualname__ = row.name
    function.__annotations__ = dict.fromkeys(row.operands, "Operand") | {
        "out": "USMArray | None",
        "where": "Any",
        "dtype": "DTypeLike | None",
        "casting": "Casting",
        "return": "USMArray",
    }
    function.__doc__ = _DOCUMENT.format(
        name=row.name,
        summary=row.summary,
        note=f"\n{row.note}\n" if row.note else "",
        operands=_ONE if len(row.operands) == 1 else _TWO,
        result=_RESULTS[row.result],
        example=re.sub(r"\[.*?\]", r"usmx.asarray(\g<0>)", row.example[0]),
        prints=row.example[1],
    )
    give_methods(function, row)
    return function


def written_where(name: str, out: Any, made: Any, where: Any, casting: Any) -> Any:
    """A result of which elements count where a mask holds. NumPy leaves others as they are."""
    if isinstance(made, Traced):
        raise TypeError(f"fuse: {name} takes no where=: usmx.where chooses")
    if out is None:
        broadcast_to(mask_beside(name, made, where), made.shape)
        return made
    (out,) = out if type(out) is tuple and len(out) == 1 else (out,)
    require_castable(name, made.dtype, output(name, out).dtype, casting)
    copyto(out, made, casting, where)
    return out


__all__ = list(ROWS)
globals().update({name: _function_of(row) for name, row in ROWS.items() if len(row.operands) < 3})


def round(x: Operand, /, decimals: SupportsIndex = 0, out: USMArray | None = None) -> USMArray:
    """Round each element to the nearest number of so many decimals. Does not wait.

    In the middle between two numbers it takes the even one.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        decimals: how many digits stay behind the point; a negative count rounds to tens and so on.
        out: where the result is written: an array of the result's shape, to whose type the
            result's can be cast without a change of kind. By default a new array.

    Returns:
        `out`, or a new USMArray on the queue of `x`, of its element type.

    Raises:
        TypeError: `x` has bool elements or structures, or the result cannot be cast to `out`.
        ValueError: the shapes do not fit, or `out` is read-only.
        OverflowError: `decimals` does not fit into 32 bits.

    Example:
        >>> print(usmx.round(usmx.asarray([0.5, 1.25, 1.5]), 1))
        [0.5 1.2 1.5]
    """
    return round_to(x if isinstance(x, Traced) else as_array("x", x), decimals, out)


def clip(
    x: Producer,
    /,
    min: Operand | None = None,
    max: Operand | None = None,
    *,
    out: USMArray | None = None,
    a_min: Operand | None = None,
    a_max: Operand | None = None,
) -> USMArray:
    """Limit each element to a range. Does not wait.

    Args:
        x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        min: the smallest value, a number or an array. None: there is none.
        max: the largest value, a number or an array. None: there is none. It counts where it is
            less than `min`.
        out: where the result is written: an array of the result's shape, to whose type the
            result's can be cast without a change of kind. By default a new array.
        a_min, a_max: other names of `min` and `max`, which NumPy has.

    Returns:
        `out`, or a new USMArray on the queue of the operands, of the type to which these are
        promoted. An element is NaN if it, `min` or `max` is.

    Raises:
        TypeError: the function is not defined for a type, or an operand is of another kind.
        ValueError: the shapes do not fit, `out` is read-only, or names of both kinds are used.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> print(usmx.clip(usmx.asarray([1, 5, 9]), 2, 6))
        [2 5 6]
    """
    view = x if isinstance(x, Traced) else as_array("x", x)
    if a_min is not None or a_max is not None:
        if min is not None or max is not None:
            raise ValueError("clip takes min and max, or a_min and a_max, found both")
        min, max = a_min, a_max
    low, high = _within(view, "min", min), _within(view, "max", max)
    if low is None and high is None:
        return compute(ROWS["maximum"], (view, view), out)
    if high is None:
        return compute(ROWS["maximum"], (view, low), out)
    if low is None:
        return compute(ROWS["minimum"], (view, high), out)
    return compute(ROWS["clip"], (view, low, high), out)


def _within(x, name, bound):
    """The bound as the type of `x` has it: a Python integer outside of it is the nearest one."""
    if bound is not None and not is_operand(bound):
        raise TypeError(
            f"clip: {name} must be a USMArray, a number or a list of numbers, found "
            f"{short_repr(bound)}; usmx.asarray makes arrays"
        )
    if type(bound) is not int or x.dtype.kind not in "iu":
        return bound
    limits = iinfo(x.dtype)
    return sorted((limits.min, bound, limits.max))[1]


def where(condition: Operand, x: Operand | None = None, y: Operand | None = None, /) -> Any:
    """Select elements of `x` where a condition is not zero, and of `y` elsewhere.

    Does not wait, unless `x` and `y` are left out. The arrays are broadcast together.

    Args:
        condition: a USMArray or any other producer of ``__sycl_usm_array_interface__``; or a bool,
            if `x` or `y` is an array.
        x, y: arrays on the queue of `condition`, or numbers. Without both, the result is
            ``nonzero(condition)``.

    Returns:
        A new USMArray on the queue of the arrays. Its element type is the `result_type` of `x` and
        `y`, and its kind of memory is the one that `get_coerced_usm_type` gives.

    Raises:
        ValueError: only one of `x` and `y` is given, or the shapes are not compatible.
        ExecutionPlacementError: the queues differ.
        OverflowError: a Python integer does not fit into the type.
        TypeError: `condition` is no array, or `x` or `y` is neither array nor number.

    Example:
        >>> print(usmx.where(usmx.asarray([True, False]), usmx.asarray([1, 2]), 0))
        [1 0]
    """
    if x is None and y is None:
        return nonzero(as_array("condition", condition))
    if x is None or y is None:
        raise ValueError("where: expected both x and y, or neither, found one of them")
    return compute(ROWS["where"], (condition, x, y))


def round_to(x: USMArray, decimals: SupportsIndex, out: USMArray | None) -> USMArray:
    """The elements rounded to so many decimals, as NumPy rounds: scaled by a power of 10."""
    digits = as_integer("decimals", decimals)
    if not -(2**31) <= digits < 2**31:
        raise OverflowError(f"decimals must be an int of 32 bits, found {digits}")
    row = ROWS["round"]
    if digits == 0 or (digits > 0 and x.dtype.kind in "iu"):
        return compute(row, (x,), out)
    if digits < -19 and x.dtype.kind in "iu":  # more digits than any integer has
        return compute(ROWS["multiply"], (x, 0), out)
    power = 10 ** (digits if digits > 0 else -digits) if -309 < digits < 309 else inf
    up, down = ("multiply", "divide") if digits > 0 else ("divide", "multiply")
    rounded = compute(row, (compute(ROWS[up], (x, power)),))
    scaled = compute(ROWS[down], (rounded, power))
    if x.dtype.kind in "iu":
        scaled = scaled.astype(x.dtype)
    return scaled if out is None else compute(ROWS["positive"], (scaled,), out)


# ---- structured arrays: two elements are equal if all of their fields are


def compare_fields(row: Row, x1: USMArray, x2: USMArray, out: USMArray | None) -> USMArray:
    """The result of `equal` or `not_equal`. TypeError unless the fields have the same names."""
    if x1.dtype.names != x2.dtype.names or not are_alike(x1.dtype, x2.dtype):
        raise TypeError(
            f"{row.name}: expected structured elements with the same fields, found {x1.dtype} and "
            f"{x2.dtype}"
        )
    ndim = max(x1.ndim, x2.ndim)
    aligned = (x[(None,) * (ndim - x.ndim)] for x in (x1, x2))
    try:
        pairs = list(zip(*map(innermost_fields, aligned), strict=True))
    except ValueError as unaligned:
        raise TypeError(f"{row.name}: {unaligned}; NumPy has usmx.asnumpy(a)") from None
    joined, of_subarray = ("and", "all") if row.name == "equal" else ("or", "any")
    result: Any = None
    for first, second in pairs:
        found = compute(row, (first, second))
        if found.ndim > ndim:  # those of an array in the element
            found = reduce(REDUCTIONS[of_subarray], found, tuple(range(ndim, found.ndim)))
        result = found if result is None else compute(ROWS[f"logical_{joined}"], (result, found))
    return written(row.name, out, result)


OF_STRUCTURES.update(equal=compare_fields, not_equal=compare_fields)
