"""What NumPy's functions and ufuncs that compute do with arrays.

A ufunc that the table has calls its row. The arguments that change what is computed are refused,
and so are NumPy's arrays of one dimension or more, on either side of an operator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute import elementwise, products, reductions, scans, sorting
from usmx._compute.call import array_of, compute, is_operand
from usmx._compute.reductions import reduce
from usmx._compute.scans import accumulate
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.elsewhere import COMPUTE
from usmx._container.numpy_functions import FUNCTIONS, By, call_numpy_function
from usmx._core import USMArray

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["call_numpy_function", "call_ufunc"]

UFUNCS = {row.numpy: row for row in ROWS.values()}
_PRODUCTS: dict[str, Callable[..., USMArray]] = {
    "matmul": products.matmul,
    "vecdot": products.vecdot,
}
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
    "logical_or": "any",
}  # fmt: skip
# Arguments as NumPy has them by default.
_DEFAULTS = {"where": True, "dtype": None, "casting": "same_kind", "order": "K", "subok": True}


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``USMArray.__array_ufunc__`` does."""
    if not all(map(is_operand, inputs)):
        return NotImplemented
    name = ufunc.__name__
    outs = kwargs.pop("out", None)
    out = outs[0] if outs else None
    if method == "__call__" and (name in UFUNCS or name in _PRODUCTS or name == "divmod"):
        _require_defaults(name, kwargs)
        if name == "divmod":
            parts = zip(("floor_divide", "remainder"), outs or (None, None), strict=True)
            return tuple(compute(ROWS[part], inputs, into) for part, into in parts)
        if name in UFUNCS:
            return compute(UFUNCS[name], inputs, out)
        operands = [array_of(each, name, "an operand") for each in inputs]
        return products.written(out, _PRODUCTS[name](*operands))
    if method == "outer" and name in UFUNCS and len(inputs) == 2:
        _require_defaults(name, kwargs)
        first, second = (array_of(each, name, "an operand") for each in inputs)
        return compute(UFUNCS[name], (first[(..., *(None,) * second.ndim)], second), out)
    if method == "reduce" and name in _REDUCTIONS:
        options = {key: kwargs.pop(key) for key in ("dtype", "keepdims") if key in kwargs}
        axis = kwargs.pop("axis", 0)
        _require_defaults(name, kwargs)
        return reduce(
            REDUCTIONS[_REDUCTIONS[name]],
            array_of(*inputs, name, "an operand"),
            axis,
            out=out,
            **options,
        )
    if method == "accumulate" and name in ("add", "multiply"):
        axis, dtype = kwargs.pop("axis", 0), kwargs.pop("dtype", None)
        _require_defaults(name, kwargs)
        made = accumulate(_REDUCTIONS[name], array_of(*inputs, name, "an operand"), axis, dtype)
        return products.written(out, made)
    call = name if method == "__call__" else f"{name}.{method}"
    raise TypeError(f"numpy.{call}: {COMPUTE}")


def _require_defaults(name, kwargs):
    for key, value in kwargs.items():
        is_plain = value is None or isinstance(value, (bool, str))
        if not is_plain or key not in _DEFAULTS or value != _DEFAULTS[key]:
            raise TypeError(f"numpy.{name} of USMArrays takes out= alone, found {key}=")


# ---- functions


def _diff(a, n=1, axis=-1, **options):
    return scans.diff(a, n=n, axis=axis, **options)


_REDUCING = "axis dtype out keepdims"
FUNCTIONS.update(
    {
        "all": By(USMArray.all, "a", "axis out keepdims"),
        "amax": By(USMArray.max, "a", "axis out keepdims"),
        "amin": By(USMArray.min, "a", "axis out keepdims"),
        "any": By(USMArray.any, "a", "axis out keepdims"),
        "argmax": By(USMArray.argmax, "a", "axis out", "keepdims"),
        "argmin": By(USMArray.argmin, "a", "axis out", "keepdims"),
        "argsort": By(sorting.argsort, "a", "axis", "stable"),
        "around": By(USMArray.round, "a", "decimals out"),
        "clip": By(USMArray.clip, "a a_min a_max out", "", "min max"),
        "count_nonzero": By(reductions.count_nonzero, "a", "axis", "keepdims"),
        "cumprod": By(USMArray.cumprod, "a", "axis dtype"),
        "cumsum": By(USMArray.cumsum, "a", "axis dtype"),
        "cumulative_prod": By(scans.cumulative_prod, "x", "", "axis dtype include_initial"),
        "cumulative_sum": By(scans.cumulative_sum, "x", "", "axis dtype include_initial"),
        "diff": By(_diff, "a", "n axis prepend append"),
        "dot": By(USMArray.dot, "a b"),
        "isin": By(sorting.isin, "element test_elements", "", "invert"),
        "max": By(USMArray.max, "a", "axis out keepdims"),
        "mean": By(USMArray.mean, "a", _REDUCING),
        "min": By(USMArray.min, "a", "axis out keepdims"),
        "prod": By(USMArray.prod, "a", _REDUCING),
        "round": By(USMArray.round, "a", "decimals out"),
        "searchsorted": By(USMArray.searchsorted, "a v", "side sorter"),
        "sort": By(sorting.sort, "a", "axis", "stable"),
        "std": By(USMArray.std, "a", "axis dtype out ddof keepdims"),
        "sum": By(USMArray.sum, "a", _REDUCING),
        "tensordot": By(products.tensordot, "a b", "axes"),
        "trace": By(USMArray.trace, "a", "offset axis1 axis2"),
        "unique_all": By(sorting.unique_all, "x"),
        "unique_counts": By(sorting.unique_counts, "x"),
        "unique_inverse": By(sorting.unique_inverse, "x"),
        "unique_values": By(sorting.unique_values, "x"),
        "var": By(USMArray.var, "a", "axis dtype out ddof keepdims"),
        "where": By(elementwise.where, "condition x y"),
    }
)
