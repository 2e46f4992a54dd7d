"""NumPy's functions and ufuncs that compute, for arrays.

A ufunc that the table has calls its row. Options that usmx does not have are refused.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING

from numpy import ndarray, ufunc

from usmx._compute import elementwise, products, reductions, scans, sorting
from usmx._compute.at import apply_at
from usmx._compute.call import (
    BY_UFUNC,
    CALLS,
    Traced,
    arrays_in_type,
    arrays_of,
    compute,
    converted_to,
    in_type,
    is_operand,
    operands_of,
)
from usmx._compute.einsum import einsum
from usmx._compute.elementwise import written_where
from usmx._compute.reductions import one_correction, reduce, spread_of
from usmx._compute.scans import accumulate, single_axis
from usmx._compute.special import function_of, special
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._compute.ufuncs import ASSOCIATIVE, REDUCED, Methods
from usmx._container import numpy_functions
from usmx._container.elsewhere import own_function
from usmx._container.host import numpy
from usmx._container.manipulation import broadcast_arrays
from usmx._container.numpy_functions import FUNCTIONS, By, on_the_host
from usmx._container.numpy_names import mask_beside
from usmx._container.patterns import linspace, meshgrid
from usmx._core import (
    USMArray,
    _as_array,
    _host_may_view,
    _ways_to_host,
    asarray,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from usmx._typing import Casting

# ---- NumPy's functions that leave out NaN, which libraries call by `__array_function__`


def _filled(x, value):
    """The elements, and a value in the place of each NaN."""
    return compute(ROWS["where"], (compute(ROWS["isnan"], (x,)), value, x))


def _numbers(name, x, where):
    """Which elements count: those that are no NaN, and where `where` holds."""
    if x.dtype.kind not in "fc":
        return where
    mask = compute(ROWS["logical_not"], (compute(ROWS["isnan"], (x,)),))
    return mask if where is True else mask & mask_beside(name, x, where)


def _count(x, axis, keepdims):
    return reduce(REDUCTIONS["count_nonzero"], _numbers("", x, True), axis, keepdims)


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
    where = _numbers("nanmean", a, where)
    return reduce(REDUCTIONS["mean"], a, axis, keepdims, dtype=dtype, out=out, where=where)


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
    return _spread("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


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
    return _spread("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def _spread(name, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    removed = one_correction(f"nan{name}", correction, ddof)
    mask = _numbers(f"nan{name}", a, where)
    options = {"dtype": dtype, "out": out, "where": mask, "mean": mean}
    found = spread_of(REDUCTIONS[name], a, axis, removed, keepdims, **options)
    if a.dtype.kind not in "fc":
        return found
    count = reduce(REDUCTIONS["count_nonzero"], mask, axis, keepdims)
    is_any = compute(ROWS["greater"], (count, removed))
    return compute(ROWS["where"], (is_any, found, math.nan), out)


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


def _index(name: str, worst: float):
    def function(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> USMArray:
        x = _filled(a, worst) if a.dtype.kind in "fc" else a
        return reduce(REDUCTIONS[name], x, axis, keepdims, out=out)

    return function


nansum = _total("sum", 0)
nanprod = _total("prod", 1)
nanmax = _extreme("max", -math.inf)
nanmin = _extreme("min", math.inf)
nanargmax = _index("argmax", -math.inf)
nanargmin = _index("argmin", math.inf)


def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> USMArray:
    """The cumulative sums of the numbers."""
    return _filled(a, 0).cumsum(axis, dtype, out)


# ---- ufuncs

UFUNCS = {row.numpy: row for row in ROWS.values()}
BY_UFUNC.update(
    (getattr(numpy, name), CALLS[row.name])
    for name, row in UFUNCS.items()
    if isinstance(getattr(numpy, name, None), ufunc)
)
_PRODUCTS: dict[str, Callable[..., USMArray]] = {
    "matmul": products.matmul,
    "vecdot": products.vecdot,
}
# Arguments as NumPy has them by default.
_DEFAULTS = {"where": True, "dtype": None, "casting": "same_kind", "order": "K", "subok": True}


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer ``USMArray.__array_ufunc__``."""
    name = ufunc.__name__
    if method == "at" and name in UFUNCS and isinstance(inputs[0], USMArray):
        _require_defaults(name, kwargs)
        return apply_at(UFUNCS[name], *inputs)
    if not all(map(is_operand, inputs)):
        return NotImplemented
    outs = kwargs.pop("out", None)
    names, way = _WAYS.get(method, ((), _call))
    if name in names:
        return way(name, inputs, outs or (None,), kwargs)
    special_name = function_of(ufunc) if method == "__call__" and not kwargs else None
    if special_name is not None and all(map(_is_real, inputs)):
        return special(special_name, *(outs or (None,)), *inputs)
    own = _own_of(ufunc, method, outs, kwargs)
    if own is not None:
        if any(isinstance(each, Traced) for each in inputs):
            raise TypeError(f"fuse: numpy.{name} is no function of the table, and cannot be traced")
        return own(*inputs, **kwargs, **({"out": outs[0]} if outs else {}))
    if not all(map(_is_near, (*inputs, *(outs or ()), *kwargs.values()))):
        call = name if method == "__call__" else f"{name}.{method}"
        own = own_function(call, ufunc)
        text = f"numpy.{call}: usmx does not compute it{f', use {own}' if own else ''}"
        raise TypeError(f"{text}; for NumPy, {_ways_to_host}")
    if outs:
        kwargs["out"] = outs
    return on_the_host(getattr(ufunc, method), inputs, kwargs)


def _own_of(ufunc, method, outs, kwargs):
    """The function of usmx's that is no row of the table, or the method of one; else None.

    NumPy's own goes on where a function takes no such argument, and where it would go from element
    to element, which is quicker in memory that the host reaches.
    """
    name = ufunc.__name__
    if method == "__call__":
        is_given = not kwargs and (not outs or ufunc.nout == 1)
        return getattr(_numpy_room(), name) if is_given and _is_made(ufunc, name) else None
    is_given = method in ("reduce", "accumulate") and kwargs.keys() <= {"axis", "dtype", "keepdims"}
    if is_given and name in UFUNCS and name in ASSOCIATIVE:
        return getattr(Methods(UFUNCS[name]), method)
    return None


def _divmod(inputs, outs, kwargs):
    casting: Casting = kwargs.pop("casting", "same_kind")
    inputs = _in_the_type_asked_for("divmod", inputs, kwargs, casting)
    _require_defaults("divmod", kwargs)
    # Both before the first is written: an output may be an operand.
    made = [compute(ROWS[name], inputs) for name in ("floor_divide", "remainder")]
    outs = outs if len(outs) == 2 else (None, None)
    return tuple(
        converted_to("divmod", out, each, casting) for out, each in zip(outs, made, strict=True)
    )


def _in_the_type_asked_for(name, inputs, kwargs, casting):
    dtype = kwargs.pop("dtype", None)
    if dtype is None:
        return inputs
    if name in UFUNCS:
        return in_type(UFUNCS[name], inputs, dtype, casting)
    return arrays_in_type(name, ("x1", "x2"), inputs, dtype, casting)


def _call(name, inputs, outs, kwargs):
    if name == "divmod":
        return _divmod(inputs, outs, kwargs)
    where = kwargs.pop("where", True) if name in UFUNCS else True
    casting: Casting = kwargs.pop("casting", "same_kind")
    inputs = _in_the_type_asked_for(name, inputs, kwargs, casting)
    axes = {"axes": kwargs.pop("axes")} if name == "matmul" and "axes" in kwargs else {}
    _require_defaults(name, kwargs)
    (out,) = outs
    if where is not True:
        return written_where(name, out, compute(UFUNCS[name], inputs), where, casting)
    if name in UFUNCS and casting == "same_kind":
        return compute(UFUNCS[name], inputs, out)
    made = compute(UFUNCS[name], inputs) if name in UFUNCS else _PRODUCTS[name](*inputs, **axes)
    return converted_to(name, out, made, casting)


def _outer(name, inputs, outs, kwargs):
    _require_defaults(name, kwargs)
    operands = operands_of(name, ("x1", "x2"), inputs)
    beside = next(each for each in operands if isinstance(each, USMArray))
    # NumPy makes arrays of numbers, whose type counts as an array's.
    first, second = (_as_array_beside(beside, each) for each in operands)
    return compute(UFUNCS[name], (first[(..., *(None,) * second.ndim)], second), *outs)


def _as_array_beside(beside, operand):
    if isinstance(operand, USMArray):
        return operand
    return asarray(operand, usm_type=beside.usm_type, sycl_queue=beside._own_queue)


def _reduce(name, inputs, outs, kwargs):
    named = ("dtype", "keepdims", "initial", "where")
    options = {key: kwargs.pop(key) for key in named if key in kwargs}
    axis = kwargs.pop("axis", 0)
    _require_defaults(name, kwargs)
    (x,) = arrays_of(name, ("x",), inputs)
    (out,) = outs
    return reduce(REDUCTIONS[REDUCED[name]], x, axis, out=out, **options)


def _accumulate(name, inputs, outs, kwargs):
    axis, dtype = kwargs.pop("axis", 0), kwargs.pop("dtype", None)
    _require_defaults(name, kwargs)
    (x,) = arrays_of(name, ("x",), inputs)
    (out,) = outs
    return accumulate(REDUCED[name], x, single_axis(axis), dtype, out)


# How a method of ufuncs is computed, and for which of them.
_WAYS: dict[str, tuple[Collection[str], Callable[..., Any]]] = {
    "__call__": ({*UFUNCS, *_PRODUCTS, "divmod"}, _call),
    "outer": (UFUNCS, _outer),
    "reduce": (REDUCED, _reduce),
    "accumulate": (("add", "multiply"), _accumulate),
}


def _is_real(operand):
    return getattr(operand, "dtype", numpy.dtype("f8")).kind in "biuf" and not isinstance(
        operand, complex
    )


def _is_near(operand):
    """Whether the host reaches it, or it is no array."""
    if isinstance(operand, USMArray):
        return _host_may_view(operand)
    return not isinstance(operand, Traced) and _as_array(operand) is None


def _require_defaults(name, kwargs):
    for key, value in kwargs.items():
        is_plain = value is None or isinstance(value, (bool, str))
        if not is_plain or key not in _DEFAULTS or value != _DEFAULTS[key]:
            raise TypeError(f"numpy.{name} of USMArrays takes out= and dtype=, found {key}=")


# ---- functions


_REDUCING = "axis dtype out keepdims"
_SPREADING = "axis dtype out ddof keepdims"
FUNCTIONS.update(
    {
        "all": By(USMArray.all, "a", "axis out keepdims", "where"),
        "amax": By(USMArray.max, "a", "axis out keepdims initial where"),
        "amin": By(USMArray.min, "a", "axis out keepdims initial where"),
        "any": By(USMArray.any, "a", "axis out keepdims", "where"),
        "argmax": By(USMArray.argmax, "a", "axis out", "keepdims"),
        "argmin": By(USMArray.argmin, "a", "axis out", "keepdims"),
        "argpartition": By(sorting.argpartition, "a kth", "axis kind"),
        "argsort": By(sorting.argsort, "a", "axis kind", "stable"),
        "around": By(USMArray.round, "a", "decimals out"),
        "count_nonzero": By(reductions.count_nonzero, "a", "axis", "keepdims"),
        "cumprod": By(USMArray.cumprod, "a", "axis dtype out"),
        "cumsum": By(USMArray.cumsum, "a", "axis dtype out"),
        "cumulative_prod": By(scans.cumulative_prod, "x", "", "axis dtype out include_initial"),
        "cumulative_sum": By(scans.cumulative_sum, "x", "", "axis dtype out include_initial"),
        "diff": By(scans.diff, "a", "n axis prepend append"),
        "max": By(USMArray.max, "a", "axis out keepdims initial where"),
        "mean": By(USMArray.mean, "a", _REDUCING, "where"),
        "min": By(USMArray.min, "a", "axis out keepdims initial where"),
        "nanargmax": By(nanargmax, "a", "axis out", "keepdims"),
        "nanargmin": By(nanargmin, "a", "axis out", "keepdims"),
        "nancumsum": By(nancumsum, "a", "axis dtype out"),
        "nanmax": By(nanmax, "a", "axis out keepdims initial where"),
        "nanmean": By(nanmean, "a", _REDUCING, "where"),
        "nanmin": By(nanmin, "a", "axis out keepdims initial where"),
        "nanprod": By(nanprod, "a", f"{_REDUCING} initial where"),
        "nanstd": By(nanstd, "a", _SPREADING, "where mean correction"),
        "nansum": By(nansum, "a", f"{_REDUCING} initial where"),
        "nanvar": By(nanvar, "a", _SPREADING, "where mean correction"),
        "partition": By(sorting.partition, "a kth", "axis kind"),
        "prod": By(USMArray.prod, "a", f"{_REDUCING} initial where"),
        "round": By(USMArray.round, "a", "decimals out"),
        "sort": By(sorting.sort, "a", "axis kind", "stable"),
        "std": By(reductions.std, "a", _SPREADING, "where mean correction"),
        "sum": By(USMArray.sum, "a", f"{_REDUCING} initial where"),
        "trace": By(USMArray.trace, "a", "offset axis1 axis2 dtype out"),
        "unique_all": By(sorting.unique_all, "x"),
        "unique_counts": By(sorting.unique_counts, "x"),
        "unique_inverse": By(sorting.unique_inverse, "x"),
        "unique_values": By(sorting.unique_values, "x"),
        "var": By(reductions.var, "a", _SPREADING, "where mean correction"),
    }
)


def _einsum(name, args, kwargs):
    return einsum(*args, **kwargs)


def _einsum_path(name, args, kwargs):
    """The path that NumPy finds for arrays of the same shapes that have no elements."""
    shapes = [
        numpy.broadcast_to(numpy.empty((), each.dtype), each.shape)
        if isinstance(each, USMArray)
        else each
        for each in args
    ]
    return numpy.einsum_path(*shapes, **kwargs)


def _broadcast_arrays(name, args, kwargs):
    kwargs.pop("subok", None)  # results are plain arrays
    return broadcast_arrays(*args, **kwargs)


def _meshgrid(name, args, kwargs):
    return meshgrid(*args, **{"copy": True, **kwargs})


# Those of operands, among which arrays of NumPy's may be.
_OF_OPERANDS: dict[str, Callable[..., Any]] = {
    "broadcast_arrays": _broadcast_arrays,
    "clip": By(USMArray.clip, "a a_min a_max out", "", "min max"),
    "dot": By(USMArray.dot, "a b out"),
    "einsum": _einsum,
    "einsum_path": _einsum_path,
    "isin": By(sorting.isin, "element test_elements", "assume_unique invert", "kind"),
    "kron": By(products.kron, "a b"),
    "linspace": By(linspace, "start stop", "num endpoint retstep dtype axis", "device"),
    "meshgrid": _meshgrid,
    "searchsorted": By(USMArray.searchsorted, "a v", "side sorter"),
    "tensordot": By(products.tensordot, "a b", "axes"),
    "where": By(elementwise.where, "condition x y"),
}
FUNCTIONS.update(_OF_OPERANDS)


def call_numpy_function(
    asked: USMArray, function: Any, classes: Any, args: Any, kwargs: Any
) -> Any:
    """Answer ``USMArray.__array_function__``."""
    name = numpy_functions.name_of(function)
    extension, _, own_name = name.rpartition(".")
    if extension in ("linalg", "fft") and _takes_all(classes):
        module = import_module(f"usmx.{extension}")
        if own_name in module.__all__:
            return getattr(module, own_name)(*args, **kwargs)
    if name in _OF_OPERANDS and _takes_all(classes):
        return _OF_OPERANDS[name](name, args, kwargs)
    if _is_of_the_numpy_room(function, name) and _takes_all(classes):
        return getattr(_numpy_room(), name)(*args, **kwargs)
    return numpy_functions.call_numpy_function(asked, function, classes, args, kwargs)


def _is_of_the_numpy_room(function, name):
    """Whether usmx has it under NumPy's name, with NumPy's arguments."""
    is_dispatched = hasattr(function, "_implementation")  # not so np.array(..., like=array)
    if not is_dispatched or name in FUNCTIONS or name in numpy_functions.OF_ATTRIBUTES:
        return False
    return _is_made(function, name)


def _is_made(function, name):
    """Whether the room has NumPy's function of that name, and not another's."""
    names = import_module("usmx._numpy.names")
    is_numpys = getattr(numpy, name, None) is function
    return is_numpys and (name in names.MODULES or name in names.ALIASES)


def _numpy_room():
    return import_module("usmx._numpy")


def _takes_all(classes):
    """Whether the arrays are usmx's and NumPy's."""
    return all(issubclass(cls, (USMArray, ndarray)) for cls in classes)
