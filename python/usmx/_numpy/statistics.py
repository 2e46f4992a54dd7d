"""Order statistics, averages and correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.call import written
from usmx._compute.elementwise import clip, conj, divide, isnan, sqrt
from usmx._compute.products import matmul
from usmx._compute.reductions import count_nonzero, mean, sum
from usmx._compute.sorting import argsort, sort
from usmx._container.compute_follows_data import options_of
from usmx._container.host import numpy, on_host
from usmx._container.indexing import take_along_axis
from usmx._container.little import by_numpy
from usmx._container.manipulation import concat
from usmx._core import asarray, broadcast_to, moveaxis, reshape
from usmx._numpy.arguments import (
    array_of,
    arrays_of,
    axes_of,
    floating,
    rows_of,
    where,
    with_axes_kept,
)

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import Axes, DTypeLike, Operand

# ---- median and quantiles


def median(
    a: Operand,
    axis: Axes | None = None,
    out: USMArray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> USMArray:
    """Find the middle of the sorted elements, or the mean of the middle two. Does not wait.

    Args:
        overwrite_input: changes nothing.

    Returns:
        `out`, or a new USMArray. It is NaN where an element is.

    Example:
        >>> print(usmx.median(usmx.asarray([3, 1, 2, 10])))
        2.5
    """
    return _median("median", a, axis, out, keepdims, skips_nan=False)


def nanmedian(
    a: Operand,
    axis: Axes | None = None,
    out: USMArray | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> USMArray:
    """Find the median of the elements that are no NaN. Does not wait.

    Args:
        overwrite_input: changes nothing.

    Returns:
        `out`, or a new USMArray. It is NaN where there are no numbers.

    Example:
        >>> print(usmx.nanmedian(usmx.asarray([3, usmx.nan, 1])))
        2.0
    """
    return _median("nanmedian", a, axis, out, keepdims, skips_nan=True)


def _median(name, a, axis, out, keepdims, skips_nan):
    x = floating(array_of(a))
    rows, axes = rows_of(x, axis)
    if rows.shape[-1] == 0:
        made = mean(rows, axis=-1)  # NaN
    else:
        ordered = sort(rows, axis=-1)
        made = _middle_of(ordered, skips_nan)
    made = with_axes_kept(made, x.ndim, axes) if keepdims else made
    return written(name, out, made.astype(x.dtype, copy=False))


def _middle_of(ordered, skips_nan):
    """The median of sorted rows, at whose end NaN stand."""
    if not skips_nan or ordered.dtype.kind != "f":
        length = ordered.shape[-1]
        low, high = ordered[..., (length - 1) // 2], ordered[..., length // 2]
        found = where(low == high, low, mean(_pair(low, high), axis=-1))
        last = ordered[..., -1]
        return where(isnan(last), last, found)
    count = count_nonzero(~isnan(ordered), axis=-1)
    positions = _pair(clip((count - 1) // 2, 0, None), count // 2 * (count > 0))
    low_high = take_along_axis(ordered, positions, axis=-1)
    low, high = low_high[..., 0], low_high[..., 1]
    return where(low == high, low, mean(low_high, axis=-1))


def _pair(low, high):
    return concat([low[..., None], high[..., None]], axis=-1)


# The methods of R. J. Hyndman and Y. Fan (1996) that interpolate, by their two constants.
_INTERPOLATING = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "linear": (1, 1),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_AT_ELEMENTS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")
_OF_LINEAR = ("lower", "higher", "midpoint", "nearest")
_METHODS = (*_INTERPOLATING, *_AT_ELEMENTS, *_OF_LINEAR)


def quantile(
    a: Operand,
    q: Any,
    axis: Axes | None = None,
    out: USMArray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> USMArray:
    """Find the numbers below which given parts of the elements are.

    Waits if `q` is an array of a device.

    Args:
        q: the parts, from 0 to 1: a number or an array.
        overwrite_input: changes nothing.
        method: how it is found between two elements: one of NumPy's words, such as 'linear',
            'lower', 'higher', 'midpoint', 'nearest', 'hazen' or 'inverted_cdf'.

    Returns:
        `out`, or a new USMArray, whose first axes are those of `q`. It is NaN where an element is.

    Raises:
        ValueError: a part is not from 0 to 1, or there is no such method.
        TypeError: the elements are complex numbers.

    Example:
        >>> print(usmx.quantile(usmx.asarray([1, 2, 3, 4]), [0, 0.5]))
        [1.  2.5]
    """
    return _quantile("quantile", a, on_host(q), axis, out, method, keepdims, skips_nan=False)


def percentile(
    a: Operand,
    q: Any,
    axis: Axes | None = None,
    out: USMArray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> USMArray:
    """Find the numbers below which given percentages of the elements are. Waits as `quantile`.

    Args:
        q: the parts, from 0 to 100: a number or an array.
        overwrite_input: changes nothing.
        method: how it is found between two elements, as `quantile` takes it.

    Returns:
        `out`, or a new USMArray, whose first axes are those of `q`. It is NaN where an element is.

    Raises:
        ValueError: a part is not from 0 to 100, or there is no such method.

    Example:
        >>> print(usmx.percentile(usmx.asarray([1, 2, 3, 4]), 50))
        2.5
    """
    return _quantile("percentile", a, _hundredths(q), axis, out, method, keepdims, skips_nan=False)


def nanquantile(
    a: Operand,
    q: Any,
    axis: Axes | None = None,
    out: USMArray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> USMArray:
    """Find quantiles of the elements that are not NaN. Waits as `quantile` does.

    Args:
        q: the parts, from 0 to 1: a number or an array.
        overwrite_input: changes nothing.
        method: how it is found between two elements, as `quantile` takes it.

    Returns:
        `out`, or a new USMArray, whose first axes are those of `q`. It is NaN where there are no
        numbers.

    Raises:
        ValueError: a part is not from 0 to 1, or there is no such method.
        TypeError: the elements are complex numbers.

    Example:
        >>> print(usmx.nanquantile(usmx.asarray([1, usmx.nan, 3]), 0.5))
        2.0
    """
    return _quantile("nanquantile", a, on_host(q), axis, out, method, keepdims, skips_nan=True)


def nanpercentile(
    a: Operand,
    q: Any,
    axis: Axes | None = None,
    out: USMArray | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> USMArray:
    """Find percentiles of the elements that are not NaN. Waits as `quantile` does.

    Args:
        q: the parts, from 0 to 100: a number or an array.
        overwrite_input: changes nothing.
        method: how it is found between two elements, as `quantile` takes it.

    Returns:
        `out`, or a new USMArray, whose first axes are those of `q`. It is NaN where there are no
        numbers.

    Raises:
        ValueError: a part is not from 0 to 100, or there is no such method.

    Example:
        >>> print(usmx.nanpercentile(usmx.asarray([1, usmx.nan, 3]), 50))
        2.0
    """
    parts = _hundredths(q)
    return _quantile("nanpercentile", a, parts, axis, out, method, keepdims, skips_nan=True)


def _hundredths(q):
    return numpy.true_divide(on_host(q), 100)


def _quantile(name, a, q, axis, out, method, keepdims, skips_nan):
    if method not in _METHODS:
        raise ValueError(f"{name}: method must be one of {_METHODS}, found {method!r}")
    parts = numpy.asarray(q, float)
    if not ((parts >= 0) & (parts <= 1)).all():
        whole = "100" if "percentile" in name else "1"
        raise ValueError(f"{name}: q must be from 0 to {whole}, found {parts}")
    x = array_of(a)
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: the elements must be real numbers, found {x.dtype}")
    rows, axes = rows_of(x, axis)
    is_exact = method in ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
    rows = rows if is_exact else floating(rows)
    if rows.shape[-1] == 0:
        raise IndexError(f"{name}: there are no elements along axis {axis}")
    ordered = sort(rows, axis=-1)
    flat = parts.ravel()
    if skips_nan and ordered.dtype.kind == "f":
        found = _of_rows_with_nan(ordered, flat, method)
    else:
        found = _of_rows(ordered, flat, method)
    found = moveaxis(found, -1, 0)
    if keepdims:
        found = with_axes_kept(found, x.ndim, axes, 1)
    return written(name, out, reshape(found, (*parts.shape, *found.shape[1:])))


def _positions(n, q, method):
    """Two positions in sorted rows of `n` elements, and how far the quantile is between them."""
    if method in _INTERPOLATING:
        alpha, beta = _INTERPOLATING[method]
        at = n * q + (alpha + q * (1 - alpha - beta)) - 1
        if method == "linear":
            at = (n - 1) * q
    elif method in _OF_LINEAR:
        at = (n - 1) * q
    else:
        at = n * q - 1
    low = numpy.floor(at)
    between = at - low
    if method == "lower":
        between = between * 0
    elif method == "higher":
        between = (between > 0) * 1.0
    elif method == "midpoint":
        between = (between > 0) * 0.5
    elif method == "nearest":
        between = numpy.rint(at) - low  # in the middle the even one
    elif method == "inverted_cdf":
        between = (between > 0) * 1.0
    elif method == "averaged_inverted_cdf":
        between = (between > 0) * 0.5 + 0.5
    elif method == "closest_observation":
        low = numpy.floor(at - 0.5)
        is_low = ((at - 0.5 == low) & (numpy.remainder(low, 2) == 1)) * 1.0  # the even one
        low = low + 1 - is_low
        between = between * 0
    return low, between


def _of_rows(ordered, q, method):
    n = ordered.shape[-1]
    low, between = _positions(n, q, method)
    first = numpy.clip(low, 0, n - 1).astype("i8")
    second = numpy.clip(low + 1, 0, n - 1).astype("i8")
    options = options_of(ordered)
    found = ordered[..., asarray(first, **options)]
    if (between != 0).any():
        found = _between(found, ordered[..., asarray(second, **options)], between, options)
    if ordered.dtype.kind == "f":
        last = ordered[..., -1:]
        found = where(isnan(last), last, found)
    return found


def _between(low, high, part, options):
    """The number that is a part of the way from one to the other."""
    t = asarray(part, **options).astype(low.dtype if low.dtype.kind == "f" else None, copy=False)
    if low.dtype.kind in "biu":  # the part is 0 or 1
        return where(t > 0, high, low)
    step = high - low
    near = where(t >= 0.5, high - step * (1 - t), low + step * t)
    return where(low == high, low, near)


def _of_rows_with_nan(ordered, q, method):
    """The quantiles of the numbers in front of the NaN of each row."""
    count = count_nonzero(~isnan(ordered), axis=-1, keepdims=True)
    options = options_of(ordered)
    parts = asarray(q, **options).astype(ordered.dtype if ordered.dtype != "f2" else "f4")
    low, between = _positions(count.astype(parts.dtype), parts, method)
    last = clip(count - 1, 0, None)
    first = clip(low, 0, last).astype("i8")
    second = clip(low + 1, 0, last).astype("i8")
    start = take_along_axis(ordered, first, axis=-1)
    return _between(start, take_along_axis(ordered, second, axis=-1), between, options)


# ---- averages


def average(
    a: Operand,
    axis: Axes | None = None,
    weights: Operand | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Compute the weighted mean along axes. Waits only if there are weights.

    Args:
        weights: an array of the shape of `a`, or of the lengths of the axes. None: all are 1.
        returned: whether the sum of the weights is given, too.

    Returns:
        A new USMArray; or a tuple of it and of the sum of the weights.

    Raises:
        ZeroDivisionError: a sum of weights is 0.
        ValueError, TypeError: the shape of the weights does not fit.

    Example:
        >>> print(usmx.average(usmx.asarray([1.0, 2.0]), weights=[3, 1]))
        1.25
    """
    if weights is None:
        x = array_of(a)
        made = mean(x, axis=axis, keepdims=keepdims)
        total = made * 0 + x.size / max(made.size, 1)
        return (made, total) if returned else made
    x, factors = arrays_of(a, weights)
    factors = _weights_like(x, factors, axis)
    dtype = numpy.result_type(x.dtype, factors.dtype, "f4" if x.dtype.kind in "fc" else "f8")
    dtype = dtype if x.dtype.kind in "fc" else floating(x * factors).dtype
    total = sum(factors, axis=axis, dtype=dtype, keepdims=keepdims)
    if bool((total == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    made = sum(x.astype(dtype, copy=False) * factors, axis=axis, keepdims=keepdims) / total
    return (made, total) if returned else made


def _weights_like(x, weights, axis):
    """Weights of the shape of the array."""
    if weights.shape == x.shape:
        return weights
    if axis is None:
        raise TypeError("average: axis is needed where weights have another shape")
    axes = axes_of(axis, x.ndim)
    if weights.shape != tuple(x.shape[k] for k in axes):
        raise ValueError(
            f"average: weights must have shape {tuple(x.shape[k] for k in axes)}, found "
            f"{weights.shape}"
        )
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    shape = tuple(n if k in axes else 1 for k, n in enumerate(x.shape))
    return broadcast_to(reshape(weights.transpose(order), shape), x.shape)


def ptp(
    a: Operand,
    axis: Axes | None = None,
    out: USMArray | None = None,
    keepdims: bool = False,
) -> USMArray:
    """Find the distance from the least to the greatest element. Does not wait.

    Example:
        >>> print(usmx.ptp(usmx.asarray([3, 9, 4])))
        6
    """
    x = array_of(a)
    return written("ptp", out, x.max(axis, keepdims=keepdims) - x.min(axis, keepdims=keepdims))


# ---- correlations


def cov(
    m: Operand,
    y: Operand | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Operand | None = None,
    aweights: Operand | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> USMArray:
    """Estimate the covariance matrix of variables. Waits only if there are weights.

    Args:
        m: an array of at most 2 dimensions: a variable for each row.
        y: more variables.
        rowvar: whether the rows are the variables, and not the columns.
        bias: whether sums are divided by the number of observations, and not by one less.
        ddof: what is taken from that number; it counts more than `bias`.
        fweights: how often each observation occurred: integers.
        aweights: how much each observation counts.

    Raises:
        ValueError: the shapes do not fit, or a weight is negative.

    Example:
        >>> print(usmx.cov(usmx.asarray([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])))
        [[ 1. -1.]
         [-1.  1.]]
    """
    (x, *rest) = arrays_of(*(each for each in (m, y) if each is not None))
    given = numpy.result_type(x.dtype, *(each.dtype for each in rest))
    if dtype is None:
        dtype = floating(x.astype(given, copy=False)).dtype
        dtype = numpy.result_type(dtype, "f4")
        dtype = (
            numpy.result_type(dtype, "f8") if x._own_queue.sycl_device.has_aspect_fp64 else dtype
        )
    rows = [_variables(each, dtype, rowvar) for each in (x, *rest)]
    table = concat(rows, axis=0) if rest else rows[0]
    removed = (0 if bias else 1) if ddof is None else ddof
    weights, count = _weights_of_observations(table, fweights, aweights, removed)
    if weights is None:
        centred = table - mean(table, axis=1, keepdims=True)
        weighted = centred
    else:
        total = sum(weights)
        centred = table - (sum(table * weights, axis=1) / total)[:, None]
        weighted = centred * weights
    second = conj(weighted) if weighted.dtype.kind == "c" else weighted
    made = matmul(centred, second.T)
    made = made * divide(1.0, count) if weights is not None else _over(made, count)
    return made[0, 0] if made.shape == (1, 1) else made


def _over(made, count):
    return made / count if count > 0 else made * numpy.inf


def _variables(x, dtype, rowvar):
    """A row for each variable."""
    if x.ndim > 2:
        raise ValueError(f"cov: expected at most 2 dimensions, found shape {x.shape}")
    x = x.astype(dtype, copy=False)
    if x.ndim < 2:
        return reshape(x, (1, -1))
    return x if rowvar or x.shape[0] == 1 else x.T


def _weights_of_observations(table, fweights, aweights, removed):
    """The weight of each observation, or None; and what sums of products are divided by."""
    n = table.shape[1]
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        each = asarray(given, **options_of(table)) if not hasattr(given, "sycl_queue") else given
        if each.shape != (n,):
            raise ValueError(f"cov: {name} must have shape {(n,)}, found {each.shape}")
        if bool((each < 0).any()):
            raise ValueError(f"cov: {name} cannot be negative")
        weights = each if weights is None else weights * each
    if weights is None:
        return None, n - removed
    kind = table.dtype if table.dtype.kind == "f" else table.real.dtype
    weights = weights.astype(kind)
    total = sum(weights)
    if removed == 0:
        return weights, total
    if aweights is None:
        return weights, total - removed
    factors = asarray(on_host(aweights), kind, **options_of(table))
    return weights, total - removed * sum(weights * factors) / total


def corrcoef(
    x: Operand, y: Operand | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> USMArray:
    """Compute the correlation coefficients of variables. Does not wait.

    Args:
        x: an array of at most 2 dimensions: a variable for each row.
        y: more variables.
        rowvar: whether the rows are the variables, and not the columns.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> print(usmx.corrcoef(usmx.asarray([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])))
        [[ 1. -1.]
         [-1.  1.]]
    """
    found = cov(x, y, rowvar, dtype=dtype)
    if found.ndim == 0:
        return found / found
    spread = sqrt(found.diagonal().real if found.dtype.kind == "c" else found.diagonal())
    made = found / spread[:, None] / spread[None, :]
    if made.dtype.kind != "c":
        return clip(made, -1, 1)
    made.real[...] = clip(made.real, -1, 1)
    made.imag[...] = clip(made.imag, -1, 1)
    return made


# ---- orders


@by_numpy(2048)
def lexsort(keys: Any, axis: int = -1) -> USMArray:
    """Find the indices that sort by several keys, the last of which counts most. Does not wait.

    Args:
        keys: arrays of one shape, or an array whose first axis is that of the keys.

    Example:
        >>> print(usmx.lexsort((usmx.asarray([3, 1, 2]), [0, 1, 0])))
        [2 0 1]
    """
    rows = arrays_of(*keys)
    if not rows:
        raise TypeError("lexsort needs at least one key")
    order = argsort(rows[0], axis=axis, stable=True)
    for row in rows[1:]:
        again = argsort(take_along_axis(row, order, axis=axis), axis=axis, stable=True)
        order = take_along_axis(order, again, axis=axis)
    return order


def sort_complex(a: Operand) -> USMArray:
    """Sort numbers by their real parts, and equal ones by their imaginary parts.

    Does not wait.

    Returns:
        A new USMArray of a complex type.

    Example:
        >>> print(usmx.sort_complex(usmx.asarray([3 + 1j, 1, 3])))
        [1.+0.j 3.+0.j 3.+1.j]
    """
    x = array_of(a)
    wide = "c16" if x._own_queue.sycl_device.has_aspect_fp64 else "c8"
    narrow = (x.dtype.kind in "biu" and x.dtype.itemsize <= 2) or x.dtype.char in "ef"
    return sort(x.astype(x.dtype if x.dtype.kind == "c" else "c8" if narrow else wide))
