"""The reductions of the table, as Python functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from usmx._compute.best import LONG_ROW, best_of_rows
from usmx._compute.call import (
    Traced,
    compute,
    cpp,
    new_cache,
    output,
    preamble,
    single,
    written,
)
from usmx._compute.promotion import (
    as_added,
    available,
    default_float,
    is_near,
    number_converter,
    part_type,
    require_plain,
    sum_type,
    values_type,
    widened,
)
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.creation import as_array, as_view, full_like
from usmx._container.host import numpy
from usmx._container.numpy_names import mask_beside
from usmx._core import ReductionKernel, _dtype, _reduction_function, broadcast_to

if TYPE_CHECKING:
    from typing import Any

    from usmx._compute.table import Reduction
    from usmx._core import SyclDevice, USMArray
    from usmx._typing import Axes, NumpyType, Producer

_kernels: dict[tuple[str, NumpyType, NumpyType, bool], ReductionKernel] = new_cache()

# Each row's function for few elements, which the host computes (docs/decisions.md, 135). It returns
# None, and has done nothing, where it does not.
_ON_HOST = {name: _reduction_function(name) for name in REDUCTIONS}


def reduce(
    row: Reduction,
    x: USMArray,
    axis: Axes | None = None,
    keepdims: bool = False,
    *,
    dtype: Any = None,
    out: USMArray | None = None,
    spread: tuple[Any, ...] = (),
    initial: Any = None,
    where: Any = True,
    asked: Any = None,
) -> USMArray:
    """Call the row's function. `spread` is the mean and so on.

    It computes in the type `dtype`, to which sums convert the elements. Without that, `out` makes
    it wider but never narrower. `initial` is joined to each result, and only elements where the
    mask `where` holds count. `asked` is an array with which the host does not compute, as is known.
    """
    if dtype is not None and row.types == "sum" and not isinstance(x, Traced):
        x = as_added(row.name, x, dtype)
    if where is not True or initial is not None:
        return _reduce_some(row, x, axis, keepdims, dtype, out, initial, where)
    if dtype is None and out is None and not spread and x is not asked:
        found = _ON_HOST[row.name](x, axis, keepdims)
        if found is not None:
            return found
    if isinstance(x, Traced):
        return x.reduced(row, axis, keepdims, dtype, out)
    device = x._own_queue.sycl_device
    result = computed_type(row, x.dtype, device, dtype, out)
    if out is not None and output(row.name, out).dtype != result:
        made = reduce(row, x, axis, keepdims, dtype=result, spread=spread)
        return written_or_wrapped(row.name, out, made)
    if out is None and row.name in ("argmax", "argmin") and x.size >= LONG_ROW:
        found = best_of_rows(row, x, axis, keepdims)
        if found is not None:
            return found
    key = (row.name, x.dtype, result, device.has_aspect_fp64)
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = _kernels[key] = make_kernel(row, x.dtype, result, device)
    return kernel(x, *spread, axis=axis, keepdims=keepdims, out=out)


def spread_of(
    row: Reduction,
    x: USMArray,
    axis: Axes | None,
    correction: float,
    keepdims: bool,
    *,
    dtype: Any = None,
    out: USMArray | None = None,
    where: Any = True,
    mean: Producer | None = None,
) -> USMArray:
    """Call one of the rows that need the mean first."""
    if where is True and dtype is None and out is None and mean is None:
        found = _ON_HOST[row.name](x, axis, keepdims, correction)
        if found is not None:
            return found
    if isinstance(x, Traced) and where is True:
        return x.reduced(row, axis, keepdims, dtype, out)
    if where is not True:
        spread = {"correction": correction, "mean": mean}
        return _reduce_some(row, x, axis, keepdims, dtype, out, None, where, **spread)
    device = x._own_queue.sycl_device
    result = computed_type(row, x.dtype, device, dtype, out)
    wide_type = _mean_type(x.dtype, result, device)
    if mean is None:
        has_fewer_digits = x.dtype.kind in "fc" and x.dtype != wide_type
        row_of_mean = _MEAN_IN_ITS_TYPE if has_fewer_digits else REDUCTIONS["mean"]
        center = reduce(row_of_mean, x, axis, True, dtype=wide_type)
    else:
        center = as_view("mean", mean).astype(wide_type, casting="same_kind", copy=False)
    spread = (center, number_converter(part_type(wide_type))(correction))
    return reduce(row, x, axis, keepdims, dtype=dtype, out=out, spread=spread)


# The mean in a type that has more digits than the elements have: sums need no more.
_MEAN_IN_ITS_TYPE = REDUCTIONS["mean"]._replace(name="wide_mean", value="A(x)", joins="A")


# ---- some of the elements

_JOINED = {
    "sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "any": "logical_or",
    "all": "logical_and",
}  # fmt: skip
_NEUTRAL = {"sum": 0, "prod": 1, "any": False, "all": True}


def _reduce_some(
    row, x, axis, keepdims, dtype, out, initial, where, correction=0, mean=None
):  # fmt: skip
    """The function of the elements where a mask holds, joined to an initial value."""
    if isinstance(x, Traced):
        raise TypeError(f"fuse: {row.name} takes no initial= and where=: usmx.where chooses")
    result = computed_type(row, x.dtype, x._own_queue.sycl_device, dtype, out)
    mask = None if where is True else broadcast_to(mask_beside(row.name, x, where), x.shape)
    if row.types in ("float", "real"):
        found = _mean_or_spread(row, x, axis, keepdims, result, mask, correction, mean)
    else:
        first = None if initial is None else number_converter(result)(initial)
        found = _joined(row, x, axis, keepdims, result, mask, first)
    return written_or_wrapped(row.name, out, found)


def _joined(row, x, axis, keepdims, result, mask, first):
    """Call a function that joins elements with each other, and then with `first`."""
    if mask is not None:
        neutral = _NEUTRAL.get(row.name, first)
        if neutral is None:
            raise ValueError(f"{row.name} of no elements has no value: where= needs initial=")
        x = compute(ROWS["where"], (mask, x, neutral))
    if x.size == 0 and first is not None:  # also -0.0, which 0 + -0.0 is not
        shape_of = reduce(REDUCTIONS["any"], x, axis, keepdims)
        return full_like(shape_of, first, result)
    found = reduce(row, x, axis, keepdims, dtype=None if row.types == "bool" else result)
    return found if first is None else compute(ROWS[_JOINED[row.name]], (found, first))


def _mean_or_spread(row, x, axis, keepdims, result, mask, correction, mean):
    """The mean of the elements where the mask holds, or how far they are from it."""
    is_mean, device = row.types == "float", x._own_queue.sycl_device
    wide_type = widened(result, device) if is_mean else _mean_type(x.dtype, result, device)

    def mean_of(each, wide_type, removed, keepdims):
        chosen = compute(ROWS["where"], (mask, each, 0))
        total = reduce(REDUCTIONS["sum"], chosen, axis, keepdims, dtype=wide_type)
        count = reduce(REDUCTIONS["count_nonzero"], mask, axis, keepdims).astype(
            part_type(wide_type)
        )
        if removed:
            count = compute(ROWS["maximum"], (count - removed, 0))
        return compute(ROWS["divide"], (total, count))

    if mean is None:
        found = mean_of(x, wide_type, 0, keepdims or not is_mean)
    else:
        found = as_view("mean", mean).astype(wide_type, casting="same_kind", copy=False)
    if not is_mean:
        distance = compute(ROWS["abs"], (x.astype(wide_type, copy=False) - found,))
        found = mean_of(distance * distance, part_type(wide_type), correction, keepdims)
        found = compute(ROWS["sqrt"], (found,)) if row.name == "std" else found
    return found.astype(result, copy=False)


def one_correction(name: str, correction: float, ddof: float) -> float:
    """The argument by either of its names."""
    if correction and ddof:
        raise ValueError(f"{name} takes correction or ddof, found both")
    return correction or ddof


def result_type_of(row: Reduction, of: NumpyType, device: SyclDevice, dtype: Any) -> NumpyType:
    """The type of the result for elements of a type: as asked for, or by the rule of the row."""
    require_plain(row.name, of)
    found = of
    if row.types in ("bool", "index"):
        found = numpy.dtype("?" if row.types == "bool" else "i8")
    elif row.types == "sum":
        found = sum_type(found)
    elif row.types in ("float", "real"):
        found = default_float(device) if found.kind in "biu" else found
        found = part_type(found) if row.types == "real" else found
    if dtype is None:
        return found
    asked = _dtype(dtype)
    is_free = row.types in ("sum", "float") or (row.types == "real" and asked.kind == "f")
    is_free = is_free and ((asked == of and row.types == "sum") or is_near(found, asked))
    if not is_free and asked != found:
        raise TypeError(f"{row.name} of elements of type {of} cannot be of type {asked}")
    return available(asked, device)


def computed_type(
    row: Reduction, of: NumpyType, device: SyclDevice, dtype: Any, out: USMArray | None
) -> NumpyType:
    """The type in which a call computes: the one asked for, or the row's for the elements.

    If none is asked for, the type of `out` makes it wider, but never narrower. Integers are the
    same in a narrower type, as they wrap around.
    """
    found = result_type_of(row, of, device, dtype)
    if out is None or dtype is not None or row.types not in ("sum", "float", "real"):
        return found
    into = output(row.name, out).dtype
    if found.kind in "iu" and into.kind in "biu":
        return result_type_of(row, of, device, into)
    if not numpy.can_cast(found, into, "same_kind"):
        return found
    wider = available(numpy.result_type(found, into), device)
    return part_type(wider) if row.types == "real" else wider


def written_or_wrapped(name: str, out: USMArray | None, made: USMArray) -> USMArray:
    """A result, copied to `out` if there is one. Integers of either sign wrap around."""
    if out is not None and {made.dtype.kind, output(name, out).dtype.kind} == {*"iu"}:
        made = made.astype(out.dtype)
    return written(name, out, made)


def joined_by(row: Reduction, kind: str) -> str:
    """The expression for values of a kind of types."""
    return row.joined.get(kind, row.joined.get("", ""))


def _mean_type(dtype, result, device):
    """The type of the mean from which elements deviate, and of the deviations."""
    return widened(dtype if dtype.kind == "c" else result, device)


def summed_type(values: NumpyType, device: SyclDevice) -> str:
    """The type of sums in a kernel: with more digits than the type in which they are computed."""
    wider = widened(values, device)
    is_widest = wider == values and values.kind in "fc"
    return f"compensated<{cpp(values)}>" if is_widest else cpp(wider)


def make_kernel(
    row: Reduction,
    dtype: NumpyType,
    result: NumpyType,
    device: SyclDevice,
    inputs: str = "",
    element: str = "x",
    more: str = "",
) -> ReductionKernel:
    """The kernel for elements of a type: those of an array, or an expression of other inputs.

    `more` comes after the preamble.
    """
    values = result if row.types == "same" else values_type(result)
    kind = dtype.kind if row.types in ("same", "index") else values.kind
    if kind not in row.joined and "" not in row.joined:
        raise TypeError(f"{row.name} is not defined for elements of type {dtype}")
    types = f"using X = {cpp(dtype)};\nusing A = {cpp(values)};\n"
    if row.types == "real":
        mean = _mean_type(dtype, result, device)
        inputs = f"{dtype} x, {mean} m, {part_type(mean)} correction"
        types += f"using M = {cpp(mean)};\n"
    if row.joins == "summed":
        types += f"using summed = {summed_type(values, device)};\n"
    elif row.joins != "A":
        types += "using greatest = best<X, 1>;\nusing smallest = best<X, -1>;\n"
    is_computed = row.types in ("sum", "float", "real")
    value = single(row.result, result) if is_computed else row.result
    return ReductionKernel(
        inputs or f"{dtype} x",
        f"{result} out",
        re.sub(r"\bx\b", single(element, dtype) if is_computed else element, row.value),
        joined_by(row, kind),
        f"out = {cpp(result)}({value})",
        row.identity,
        row.name,
        reduce_type=values.name if row.joins == "A" else row.joins,
        block_type="A" if row.joins == "summed" else None,
        preamble=f"{preamble()}\n{types}{more}",
    )


# ---- the functions

_DOCUMENT = """\
{summary}, along axes. Does not wait.
{note}
Args:
    x: an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    axis: an axis, or a tuple of axes. None means all.{more}
    out: where the result is written: an array of the result's shape, and of a type that can hold
        it. By default a new array.{correction}
    keepdims: whether the axes stay, with one element.{some}

Returns:
    `out`, or a new USMArray on the queue of `x` and of its kind. Its element type is {result}.

Raises:
    TypeError: the function is not defined for the type, or the result would change its kind in
        `out`{masks}.
    ValueError: an axis is named twice, `out` has another shape or is read-only{both}{empty}.
    numpy.exceptions.AxisError: there is no such axis.

Example:
    >>> print(usmx.{name}(usmx.asarray([[1, 2], [3, 4]]), {example}))
    {prints}
"""
_DTYPE = """
    dtype: the type of the result, to which the elements are converted first. It is that of `out`
        only if that is wider."""
_CORRECTION = """
    correction: what is taken from the number of elements before it divides the squares of the
        differences: 1 for a sample of a larger whole.
    ddof: NumPy's name of `correction`."""
_INITIAL = """
    initial: a number that is joined to each result, also to that of no elements."""
_MEAN = """
    mean: the mean along these axes, if it is known, as `keepdims` gives it."""
_WHERE = """
    where: an array of bools, or a number or lists, whose truth counts, that is broadcast to the
        shape of `x`: only elements where it holds count.{}"""
_FLOAT = "that of `x`,\n    or the default floating-point type for integers"
_RESULTS = {
    "same": "that of `x`",
    "sum": "that of `x`;\n    for bool and integers it is int64, or uint64 for unsigned ones",
    "float": _FLOAT,
    "real": f"{_FLOAT}, or the type of the parts of complex\n    numbers",
    "bool": "bool",
    "index": "int64",
}
_DIGITS = """
{}, the error is at most {} units of the last digits.
"""
_NOTES = {
    "max": "\nThe result is NaN if an element is.\n",
    "min": "\nThe result is NaN if an element is.\n",
    "sum": _DIGITS.format("However many numbers of one sign there are", 4),
    "mean": _DIGITS.format("However many numbers of one sign there are", 4),
    "var": _DIGITS.format("However large the mean of the elements is", 8),
    "std": _DIGITS.format("However large the mean of the elements is", 8),
    "argmax": "\nOf equal elements the first one counts, and a NaN counts more than any number.\n",
    "argmin": "\nOf equal elements the first one counts, and a NaN counts less than any number.\n",
}


def _array(x):
    return x if isinstance(x, Traced) else as_array("x", x)


def function_of(row: Reduction) -> Any:
    """The function of a row, which is also the method of arrays."""
    on_host = _ON_HOST[row.name]  # asked here first: the calls below take longer than it does

    def total(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        if dtype is out is initial is None and where is True:
            found = on_host(x, axis, keepdims)
            if found is not None:
                return found
        more = {"dtype": dtype, "out": out, "initial": initial, "where": where}
        return reduce(row, _array(x), axis, keepdims, asked=x, **more)

    def mean(x, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
        if dtype is out is None and where is True:
            found = on_host(x, axis, keepdims)
            if found is not None:
                return found
        more = {"dtype": dtype, "out": out, "where": where}
        return reduce(row, _array(x), axis, keepdims, asked=x, **more)

    def spread(
        x, /, axis=None, dtype=None, out=None, ddof=0.0, keepdims=False, *, where=True, mean=None,
        correction=0.0,
    ):  # fmt: skip
        taken = one_correction(row.name, correction, ddof)
        more = {"dtype": dtype, "out": out, "where": where, "mean": mean}
        return spread_of(row, _array(x), axis, taken, keepdims, **more)

    def extreme(x, /, axis=None, out=None, keepdims=False, initial=None, where=True):
        if out is initial is None and where is True:
            found = on_host(x, axis, keepdims)
            if found is not None:
                return found
        more = {"out": out, "initial": initial, "where": where}
        return reduce(row, _array(x), axis, keepdims, asked=x, **more)

    def truth(x, /, axis=None, out=None, keepdims=False, *, where=True):
        if out is None and where is True:
            found = on_host(x, axis, keepdims)
            if found is not None:
                return found
        return reduce(row, _array(x), axis, keepdims, asked=x, out=out, where=where)

    def place(x, /, axis=None, out=None, keepdims=False):
        return reduce(row, _array(x), axis, keepdims, out=out)

    of_types = {
        "sum": total, "float": mean, "real": spread, "same": extreme, "bool": truth, "index": place,
    }  # fmt: skip
    function = of_types[row.types]
    is_spread, has_dtype = row.types == "real", row.types in ("sum", "float", "real")
    has_initial, has_where = row.types in ("sum", "same"), row.types != "index"
    function.__name__ = function.__qualname__ = row.name
    function.__annotations__ = {
        "x": "Producer",
        "axis": "Axes | None",
        **({"dtype": "DTypeLike | None"} if has_dtype else {}),
        "out": "USMArray | None",
        "keepdims": "bool",
        **({"initial": "complex | None"} if has_initial else {}),
        **({"where": "ArrayLike | Producer"} if has_where else {}),
        **(
            {"correction": "float", "ddof": "float", "mean": "Producer | None"} if is_spread else {}
        ),
        "return": "USMArray",
    }
    needs = " It needs `initial`." if row.types == "same" else ""
    more_values = (
        ", both `correction` and `ddof` are given" * is_spread
        + ", or `where` is given without `initial`" * bool(needs)
    )
    function.__doc__ = _DOCUMENT.format(
        name=row.name,
        summary=row.summary,
        note=_NOTES.get(row.name, ""),
        more=_DTYPE * has_dtype,
        correction=_CORRECTION * is_spread,
        some=_INITIAL * has_initial + _WHERE.format(needs) * has_where + _MEAN * is_spread,
        result=_RESULTS[row.types],
        both=more_values,
        empty="" if row.identity else ", or there are no elements",
        masks=", or `where` has elements of another type than bool" * has_where,
        example=row.example[0],
        prints=row.example[1],
    )
    return function


__all__ = list(REDUCTIONS)
globals().update({name: function_of(row) for name, row in REDUCTIONS.items()})
