"""The places of the greatest and smallest elements of long rows, on CPUs.

Apart from the reductions, whose names `max` and `min` are not Python's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.call import cpp, kernels, new_beside
from usmx._container.creation import as_axis
from usmx._core import _dtype, moveaxis, reshape

if TYPE_CHECKING:
    from typing import Any

    from usmx._compute.table import Reduction
    from usmx._core import USMArray

LONG_ROW = 4096
_MOST_PARTS = 64


def best_of_rows(row: Reduction, x: USMArray, axis: Any, keepdims: bool) -> USMArray | None:
    """The result of `argmax` or `argmin`; None for what the general reduction does as well."""
    queue = x._own_queue
    is_whole = axis is None and x.flags.c_contiguous
    device = queue.sycl_device
    sub_group = 4 if x.dtype.itemsize < 4 else 16
    if not device.is_cpu or sub_group not in device.sub_group_sizes or x.dtype.kind not in "biuf":
        return None
    if not is_whole and (isinstance(axis, (tuple, list)) or axis is None):
        return None
    axis = None if axis is None else as_axis(axis, x.ndim)
    rows = reshape(x, (1, -1)) if is_whole else moveaxis(x, axis, -1)
    columns = rows.shape[-1]
    if columns < LONG_ROW or not rows.flags.c_contiguous:
        return None
    better = "(a > b)" if row.name == "argmax" else "(a < b)"
    if x.dtype.kind == "b":
        rows = rows.view("u1")  # there are no vectors of bool, and any byte but 0 is true
        better = "(a != 0) & (b == 0)" if row.name == "argmax" else "(a == 0) & (b != 0)"
    nan = "false"
    if x.dtype.kind == "f":
        nan = "(a != a)"
        better = f"({better} | {nan})"
    names = ("best_of_parts", "best_of_rows")
    macros = {
        "X": cpp(rows.dtype),
        "IS_BETTER": f"({better})",
        "IS_NAN": nan,
        "SUB_GROUP": str(sub_group),
    }
    found = kernels("best.hpp", names, queue, **macros)
    count = rows.size // columns
    parts = max(min(_MOST_PARTS // count, columns // LONG_ROW), 1)
    places = new_beside(x, (count * parts,), _dtype("i8"))
    made = new_beside(x, rows.shape[:-1], _dtype("i8"))
    found["best_of_parts"](count * parts, 1, rows, places, columns, parts)
    found["best_of_rows"](count, 1, rows, places, made, columns, parts)
    if is_whole:
        return reshape(made, (1,) * x.ndim if keepdims else ())
    return moveaxis(made[..., None], -1, axis) if keepdims else made
