"""Sequences of samples: convolution, interpolation, differences, integrals, windows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from usmx._compute.call import cpp, new_cache, preamble
from usmx._compute.elementwise import conj, cos, isnan, sqrt
from usmx._compute.reductions import sum
from usmx._compute.sorting import argsort, searchsorted
from usmx._container.compute_follows_data import options_of
from usmx._container.creation import as_axis, as_integer, beside, ones
from usmx._container.host import numpy
from usmx._container.little import by_numpy
from usmx._container.manipulation import concat
from usmx._container.patterns import arange
from usmx._core import ElementwiseKernel, asarray, empty, reshape
from usmx._numpy.arguments import array_of, arrays_of, axes_of, floating, where
from usmx._numpy.elementwise import i0

if TYPE_CHECKING:
    from typing import Any, Literal, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import Operand

    _Mode = Literal["full", "same", "valid"]

_kernels: dict[Any, ElementwiseKernel] = new_cache()

# ---- convolution

# One work item sums up the products for one element: of a[first + i - m + 1 ...] and v.
_SUM_OF_PRODUCTS = """\
const int64_t last = first + i;
const int64_t from = last - m + 1 > 0 ? last - m + 1 : 0;
const int64_t end = last < n - 1 ? last : n - 1;
{wide} sum = {wide}(0);
for (int64_t j = from; j <= end; ++j) {{ sum = sum + {wide}(a[j]) * {wide}(v[j - last + m - 1]); }}
z = {result}(sum)"""


def _correlated(a, v, mode):
    """Sums of products of `v` with the elements of the longer array `a` beside each other."""
    n, m = a.size, v.size
    first, length = {
        "full": (0, n + m - 1),
        "same": ((m - 1) // 2, n),
        "valid": (m - 1, n - m + 1),
    }[mode]
    dtype = numpy.result_type(a.dtype, v.dtype)
    is_bool = dtype.kind == "b"
    wide = numpy.dtype("i8") if is_bool else dtype
    made = empty(length, wide, **options_of(a))
    kernel = _kernels.get(wide)
    if kernel is None:
        summed = "float" if wide == numpy.float16 else cpp(wide)
        kernel = _kernels[wide] = ElementwiseKernel(
            f"raw {wide} a, raw {wide} v, int64 n, int64 m, int64 first",
            f"{wide} z",
            _SUM_OF_PRODUCTS.format(wide=summed, result=cpp(wide)),
            "correlate",
            preamble=preamble(),
        )
    kernel(a.astype(wide), v.astype(wide), n, m, first, made)
    return made != 0 if is_bool else made


def _two_sequences(name, a, v, mode):
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"{name}: mode must be 'full', 'same' or 'valid', found {mode!r}")
    x, y = arrays_of(a, v)
    if x.ndim > 1 or y.ndim > 1:
        raise ValueError(f"{name}: expected one dimension, found shapes {x.shape} and {y.shape}")
    if not x.size or not y.size:
        raise ValueError(f"{name}: a sequence has no elements")
    return reshape(x, -1), reshape(y, -1)


@by_numpy(512)
def convolve(a: Operand, v: Operand, mode: _Mode = "full") -> USMArray:
    """Convolve two sequences. Does not wait.

    Args:
        a, v: arrays of one dimension; one may be lists.
        mode: 'full', all sums; 'same', as many as the longer sequence has; 'valid', those of whole
            overlaps.

    Raises:
        ValueError: a sequence has no elements or more than one dimension.

    Example:
        >>> print(usmx.convolve(usmx.asarray([1, 2, 3]), [0, 1]))
        [0 1 2 3]
    """
    x, y = _two_sequences("convolve", a, v, mode)
    x, y = (y, x) if y.size > x.size else (x, y)
    return _correlated(x, y[::-1], mode)


@by_numpy(512)
def correlate(a: Operand, v: Operand, mode: _Mode = "valid") -> USMArray:
    """Correlate two sequences: sums of products of `a` and of `v`, conjugated and moved.

    Does not wait.

    Args:
        a, v: arrays of one dimension; one may be lists.
        mode: 'full', 'same' or 'valid', as `convolve` takes it.

    Raises:
        ValueError: a sequence has no elements or more than one dimension.

    Example:
        >>> print(usmx.correlate(usmx.asarray([1, 2, 3]), [0, 1, 1]))
        [5]
    """
    x, y = _two_sequences("correlate", a, v, mode)
    y = conj(y) if y.dtype.kind == "c" else y
    return _correlated(y, x, mode)[::-1] if y.size > x.size else _correlated(x, y, mode)


# ---- interpolation


@by_numpy(2048, types="dl")
def interp(
    x: Operand,
    xp: Operand,
    fp: Operand,
    left: float | None = None,
    right: float | None = None,
    period: float | None = None,
) -> USMArray:
    """Interpolate a function between its values at points. Does not wait.

    Args:
        x: where the function is computed.
        xp: the points, which grow: an array of one dimension.
        fp: the values at the points.
        left: the value before the first point. By default that of the first point.
        right: the value after the last point. By default that of the last point.
        period: the period of the function; then the points are sorted first, and `left` and
            `right` do not count.

    Raises:
        ValueError: there are no points, or another number of values; the period is 0.

    Example:
        >>> print(usmx.interp(usmx.asarray([0.5, 9.0]), [0, 1, 2], [0, 10, 20]))
        [ 5. 20.]
    """
    at, points, values = arrays_of(x, xp, fp)
    if points.ndim != 1 or values.shape != points.shape or not points.size:
        raise ValueError(
            f"interp: expected as many points as values, found shapes {points.shape} and "
            f"{values.shape}"
        )
    at, points, values = floating(at), floating(points), floating(values)
    if period is not None:
        if period == 0:
            raise ValueError("interp: period must not be 0")
        period = math.fabs(period)
        at, points = at % period, points % period
        order = argsort(points)
        points, values = points[order], values[order]
        points = concat([points[-1:] - period, points, points[:1] + period])
        values = concat([values[-1:], values, values[:1]])
        left = right = None
    last = points.size - 1
    found = searchsorted(points, at, side="right") - 1
    low = where(found < 0, 0, where(found > last, last, found))
    high = where(low < last, low + 1, last)
    x0, x1, y0, y1 = points[low], points[high], values[low], values[high]
    slope = (y1 - y0) / where(x1 == x0, 1, x1 - x0)
    made = where(y0 == y1, y0, slope * (at - x0) + y0)
    made = where(isnan(made), where(y0 == y1, y0, slope * (at - x1) + y1), made)
    made = where(at == x0, y0, made)
    made = where(at < points[0], values[0] if left is None else left, made)
    made = where(at > points[last], values[last] if right is None else right, made)
    return where(isnan(at), at, made)


# ---- differences and integrals


def ediff1d(
    ary: Operand, to_end: Operand | None = None, to_begin: Operand | None = None
) -> USMArray:
    """Subtract each element from the next one, all in C order. Does not wait.

    Args:
        ary: an array.
        to_end: what comes after the differences.
        to_begin: what comes before the differences.

    Raises:
        TypeError: what comes before or after cannot be of the type of `ary`.

    Example:
        >>> print(usmx.ediff1d(usmx.asarray([1, 4, 9])))
        [3 5]
    """
    x = reshape(array_of(ary), -1)
    parts = [x[1:] - x[:-1]]
    for name, given, options in (("to_begin", to_begin, 0), ("to_end", to_end, 2)):
        if given is None:
            continue
        edge = reshape(beside(x, given), -1)
        if not numpy.can_cast(edge.dtype, x.dtype, "same_kind"):
            raise TypeError(f"ediff1d: {name} of type {edge.dtype} cannot be of type {x.dtype}")
        parts.insert(options, edge.astype(x.dtype))
    return concat(parts) if len(parts) > 1 else parts[0]


def gradient(
    f: Operand,
    *varargs: Any,
    axis: Any = None,
    edge_order: Literal[1, 2] = 1,
) -> Any:
    """Compute the derivative along axes, by differences of neighbours. Does not wait.

    Args:
        f: an array of values.
        varargs: the distances of samples: none; a number for all axes; or for each axis a number
            or an array of coordinates.
        axis: an axis, or a tuple of axes. None means all.
        edge_order: 1 or 2: how exact the derivatives at the edges are.

    Returns:
        A new USMArray; a tuple of one for each axis, if there are several.

    Raises:
        ValueError: there are too few samples, or a distance does not fit.
        TypeError: the number of distances does not fit.

    Example:
        >>> print(usmx.gradient(usmx.asarray([1.0, 2.0, 4.0])))
        [1.  1.5 2. ]
    """
    x = array_of(f)
    x = floating(x) if x.dtype.kind in "biu" else x
    axes = axes_of(axis, x.ndim)
    if len(varargs) == 0:
        spaces = (1.0,) * len(axes)
    elif len(varargs) == 1 and numpy.ndim(varargs[0]) == 0:
        spaces = varargs * len(axes)
    elif len(varargs) == len(axes):
        spaces = varargs
    else:
        raise TypeError("gradient: expected no distance, one, or one for each axis")
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, found {edge_order}")
    made = tuple(
        _derivative(x, space, each, edge_order) for space, each in zip(spaces, axes, strict=True)
    )
    return made if len(made) != 1 else made[0]


def _derivative(x, space, axis, edge_order):
    n = x.shape[axis]
    if n < edge_order + 1:
        raise ValueError(f"gradient: {edge_order + 1} samples are needed along axis {axis}")

    def part(start, stop):
        return (*(slice(None),) * axis, slice(start, stop))

    def at(k):
        return x[part(k, k + 1 if k != -1 else None)]

    steps = _steps(x, space, axis)
    made = empty(x.shape, x.dtype, **options_of(x))
    if n > 2:
        low, mid, high = x[part(None, -2)], x[part(1, -1)], x[part(2, None)]
        if isinstance(steps, float):
            made[part(1, -1)] = (high - low) / (2.0 * steps)
        else:
            shape = (*(1,) * axis, -1, *(1,) * (x.ndim - axis - 1))
            d1, d2 = reshape(steps[:-1], shape), reshape(steps[1:], shape)
            made[part(1, -1)] = (
                -(d2 / (d1 * (d1 + d2))) * low
                + ((d2 - d1) / (d1 * d2)) * mid
                + (d1 / (d2 * (d1 + d2))) * high
            )
    first = steps if isinstance(steps, float) else steps[0]
    last = steps if isinstance(steps, float) else steps[-1]
    if edge_order == 1:
        made[part(0, 1)] = (at(1) - at(0)) / first
        made[part(-1, None)] = (at(-1) - at(-2)) / last
        return made
    second = first if isinstance(steps, float) else steps[1]
    before = last if isinstance(steps, float) else steps[-2]
    made[part(0, 1)] = (
        at(0) * (-(2 * first + second) / (first * (first + second)))
        + at(1) * ((first + second) / (first * second))
        - at(2) * (first / (second * (first + second)))
    )
    made[part(-1, None)] = (
        at(-3) * (last / (before * (before + last)))
        - at(-2) * ((last + before) / (before * last))
        + at(-1) * ((2 * last + before) / (last * (before + last)))
    )
    return made


def _steps(x, space, axis):
    """The distance of all samples as a float, or an array of the distances."""
    if numpy.ndim(space) == 0:
        return float(space)
    points = beside(x, space)
    if points.ndim != 1 or points.size != x.shape[axis]:
        raise ValueError(
            f"gradient: coordinates must have shape {(x.shape[axis],)}, found {points.shape}"
        )
    points = floating(points)
    return points[1:] - points[:-1]


def trapezoid(
    y: Operand, x: Operand | None = None, dx: Any = 1.0, axis: SupportsIndex = -1
) -> USMArray:
    """Integrate along an axis by trapezoids. Does not wait.

    Args:
        y: the values.
        x: where they are: an array of one dimension or of the shape of `y`. By default they are
            `dx` apart.
        dx: the distance of the values.
        axis: the axis.

    Example:
        >>> print(usmx.trapezoid(usmx.asarray([1.0, 2.0, 3.0])))
        4.0
    """
    values = array_of(y)
    k = as_axis(axis, values.ndim)
    later = (*(slice(None),) * k, slice(1, None))
    earlier = (*(slice(None),) * k, slice(None, -1))
    width = dx
    if x is not None:
        points = beside(values, x)
        if points.ndim == 1:
            width = points[1:] - points[:-1]
            width = reshape(width, (*(1,) * k, -1, *(1,) * (values.ndim - k - 1)))
        else:
            j = as_axis(axis, points.ndim)
            before = (slice(None),) * j
            width = points[(*before, slice(1, None))] - points[(*before, slice(None, -1))]
    return sum(width * (values[later] + values[earlier]) / 2.0, axis=k)


# ---- windows


def _window(M, of):
    """The values of a function of 0, 1 and so on, and of the last number."""
    n = as_integer("M", int(M) if isinstance(M, float) and M.is_integer() else M)
    if n < 1:
        return empty(0)
    return ones(1) if n == 1 else of(floating(arange(n)), n - 1)


def bartlett(M: SupportsIndex) -> USMArray:
    """Make a triangular window, whose ends are 0. Does not wait.

    Args:
        M: the number of samples.

    Example:
        >>> print(usmx.bartlett(5))
        [0.  0.5 1.  0.5 0. ]
    """
    return _window(M, lambda k, last: where(k <= last / 2, 2 * k / last, 2 - 2 * k / last))


def hanning(M: SupportsIndex) -> USMArray:
    """Make a window that is one wave of the cosine, whose ends are 0. Does not wait.

    Args:
        M: the number of samples.

    Example:
        >>> print(usmx.hanning(5))
        [0.  0.5 1.  0.5 0. ]
    """
    return _window(M, lambda k, last: 0.5 + 0.5 * cos((2 * k - last) * (math.pi / last)))


def hamming(M: SupportsIndex) -> USMArray:
    """Make a window that is one wave of the cosine, whose ends are 0.08. Does not wait.

    Args:
        M: the number of samples.

    Example:
        >>> print(usmx.hamming(5))
        [0.08 0.54 1.   0.54 0.08]
    """
    return _window(M, lambda k, last: 0.54 + 0.46 * cos((2 * k - last) * (math.pi / last)))


def blackman(M: SupportsIndex) -> USMArray:
    """Make a window of three terms of cosines. Does not wait.

    Args:
        M: the number of samples.

    Example:
        >>> print(usmx.round(usmx.blackman(5), 2) + 0)
        [0.   0.34 1.   0.34 0.  ]
    """

    def of(k, last):
        x = (2 * k - last) * (math.pi / last)
        return 0.42 + 0.5 * cos(x) + 0.08 * cos(2 * x)

    return _window(M, of)


def kaiser(M: SupportsIndex, beta: float) -> USMArray:
    """Make a window of the Bessel function `i0`. Does not wait.

    Args:
        M: the number of samples.
        beta: the window's shape: 0 gives ones, 14 a narrow one.

    Example:
        >>> print(usmx.round(usmx.kaiser(5, 14), 4))
        [0.     0.1649 1.     0.1649 0.    ]
    """

    def of(k, last):
        away = (k - last / 2) / (last / 2)
        return i0(beta * sqrt(1 - away * away)) / i0(asarray(float(beta)))

    return _window(M, of)
