"""Calls of special functions, which are the library's (src/compute/special.cpp)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from usmx._compute.call import operands_of, written
from usmx._compute.promotion import WEAK, common_type, default_float, number_converter
from usmx._core import USMArray, _is_special, _special

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import Operand


def special(name: str, out: Any, *operands: Operand) -> USMArray:
    """The function of arrays and numbers, which are broadcast together."""
    label = f"special.{name}"
    names = ("x",) if len(operands) == 1 else ("x1", "x2", "x3")[: len(operands)]
    found = operands_of(label, names, operands)
    first = next(each for each in found if isinstance(each, USMArray))
    device = first._own_queue.sycl_device
    kinds = [each.dtype if isinstance(each, USMArray) else type(each) for each in found]
    dtype = common_type(kinds, device)
    if dtype.kind in "biu":
        dtype = default_float(device)
    if dtype.kind != "f":
        raise TypeError(f"{label} is defined for real numbers, found {dtype}")
    converted = [
        each.astype(dtype, copy=False)
        if isinstance(each, USMArray)
        else number_converter(dtype)(each)
        if type(each) in WEAK
        else each.astype(dtype)
        for each in found
    ]
    return written(label, out, _special(name, dtype, tuple(converted)))


def function_of(ufunc: Any) -> str | None:
    """The name of a ufunc of SciPy's that there is a kernel for."""
    name = ufunc.__name__
    scipys = sys.modules.get("scipy.special._ufuncs")
    return name if _is_special(name) and getattr(scipys, name, None) is ufunc else None
