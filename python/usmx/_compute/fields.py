"""Comparisons of structured arrays: two elements are equal if all of their fields are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.call import compute, written
from usmx._compute.reductions import reduce
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.types import are_alike, innermost_fields

if TYPE_CHECKING:
    from typing import Any

    from usmx._compute.table import Row
    from usmx._core import USMArray


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
