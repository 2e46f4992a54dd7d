"""NumPy's functions that leave out NaN, which libraries call by `__array_function__`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from usmx._compute.call import compute, written
from usmx._compute.reductions import one_correction, reduce, var
from usmx._compute.table import REDUCTIONS, ROWS

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray


def _filled(x, value):
    """The elements, and a value in the place of each NaN."""
    return compute(ROWS["where"], (compute(ROWS["isnan"], (x,)), value, x))


def _count(x, axis, keepdims, where=True):
    is_number = compute(ROWS["logical_not"], (compute(ROWS["isnan"], (x,)),))
    return reduce(REDUCTIONS["sum"], is_number, axis, keepdims, where=where)


def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> USMArray:
    """The mean of the numbers; NaN if there are none."""
    if dtype is None and a.dtype == "f2":
        return _by_float32(nanmean, out, a, axis, keepdims=keepdims, where=where)
    total = nansum(a, axis, dtype, keepdims=keepdims, where=where)
    return compute(ROWS["divide"], (total, _as(total, _count(a, axis, keepdims, where))), out)


def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0,
) -> USMArray:
    """The variance of the numbers; NaN if there are not more than `ddof`."""
    given: dict[str, Any] = {"ddof": ddof, "correction": correction, "keepdims": keepdims}
    given |= {"where": where, "mean": mean}
    if a.dtype.kind not in "fc":
        return var(a, axis, dtype=dtype, out=out, **given)
    if dtype is None and a.dtype == "f2":
        return _by_float32(nanvar, out, a, axis, **given)
    center = nanmean(a, axis, dtype, keepdims=True, where=where) if mean is None else mean
    distance = compute(ROWS["abs"], (a - center,))
    total = nansum(distance * distance, axis, dtype, keepdims=keepdims, where=where)
    count = _count(a, axis, keepdims, where) - one_correction("nanvar", correction, ddof)
    found = compute(ROWS["divide"], (total, _as(total, count)))
    return compute(ROWS["where"], (compute(ROWS["greater"], (count, 0)), found, math.nan), out)


def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0,
) -> USMArray:
    """The standard deviation of the numbers."""
    given: dict[str, Any] = {"where": where, "mean": mean, "correction": correction}
    return compute(ROWS["sqrt"], (nanvar(a, axis, dtype, None, ddof, keepdims, **given),), out)


def _by_float32(function, out, a, axis, **options):
    """float16 cannot hold counts above 65504, nor many a sum."""
    return written(function.__name__, out, function(a.astype("f4"), axis, **options).astype("f2"))


def _as(x, other):
    """A count in the type of `x`, which a division keeps; of an integer as it is."""
    return other.astype(x.dtype) if x.dtype.kind in "fc" else other


def _total(name: str, neutral: int):
    def function(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> USMArray:
        given: dict[str, Any] = {"dtype": dtype, "out": out, "initial": initial, "where": where}
        return reduce(REDUCTIONS[name], _filled(a, neutral), axis, keepdims, **given)

    return function


def _extreme(name: str, worst: float):
    def function(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> USMArray:
        given: dict[str, Any] = {"initial": initial, "where": where}
        has_nan = a.dtype.kind in "fc"
        x = _filled(a, worst) if has_nan else a
        if not has_nan or initial is not None:  # which is the result if there are no numbers
            return reduce(REDUCTIONS[name], x, axis, keepdims, out=out, **given)
        found = reduce(REDUCTIONS[name], x, axis, keepdims, **given)
        return compute(ROWS["where"], (_count(a, axis, keepdims), found, math.nan), out)

    return function


def _place(name: str, worst: float):
    def function(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> USMArray:
        x = _filled(a, worst) if a.dtype.kind in "fc" else a
        return reduce(REDUCTIONS[name], x, axis, keepdims, out=out)

    return function


nansum = _total("sum", 0)
nanprod = _total("prod", 1)
nanmax = _extreme("max", -math.inf)
nanmin = _extreme("min", math.inf)
nanargmax = _place("argmax", -math.inf)
nanargmin = _place("argmin", math.inf)


def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> USMArray:
    """The sums of the numbers so far."""
    return _filled(a, 0).cumsum(axis, dtype, out)
