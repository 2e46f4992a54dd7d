"""Counting: how many elements there are of a value, or in a bin."""

from __future__ import annotations

import builtins
import os
from typing import TYPE_CHECKING

from usmx._compute.at import apply_at
from usmx._compute.call import new_cache
from usmx._compute.reductions import sum
from usmx._compute.sorting import searchsorted
from usmx._compute.table import ROWS
from usmx._container.compute_follows_data import options_of
from usmx._container.creation import as_integer
from usmx._container.host import numpy, on_host
from usmx._container.little import by_numpy
from usmx._core import ElementwiseKernel, USMArray, _host_may_view, asarray, reshape, zeros
from usmx._numpy.arguments import array_of, arrays_of, is_text, where

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import Operand

_kernels: dict[str, ElementwiseKernel] = new_cache()


# How many elements NumPy's one thread counts sooner than kernels do, which search: on two cores it
# took half of their time for 400,000.
_MOST_BY_NUMPY = 1 << (20 if len(os.sched_getaffinity(0)) <= 4 else 16)


def _counted(positions: USMArray, length: int) -> USMArray:
    """How often each position from 0 on occurs. Sums of integers do not depend on their order."""
    kernel = _kernels.get("count")
    if kernel is None:
        kernel = _kernels["count"] = ElementwiseKernel(
            "int64 k", "raw int64 bins", "usmx::atomic_add(bins[k], int64_t(1))", "count"
        )
    counts = zeros(length, "i8", **options_of(positions))
    if positions.size:
        kernel(reshape(positions, -1), counts)
    return counts


def _weighted(positions: USMArray, weights: USMArray, length: int) -> USMArray:
    """The sum of the weights of each position, added in the order of the elements.

    In memory that the host reaches NumPy adds float64 in that order, too, and sorts nothing.
    """
    if weights.dtype == "f8" and _host_may_view(positions) and _host_may_view(weights):
        found = numpy.bincount(
            numpy.asarray(positions).ravel(), numpy.asarray(weights).ravel(), length
        )
        return asarray(found, **options_of(positions))
    sums = zeros(length, weights.dtype, **options_of(positions))
    if positions.size:
        apply_at(ROWS["add"], sums, reshape(positions, -1), reshape(weights, -1))
    return sums


@by_numpy(_MOST_BY_NUMPY)
def bincount(
    x: Operand, /, weights: Operand | None = None, minlength: SupportsIndex = 0
) -> USMArray:
    """Count how often each integer from 0 on occurs. Waits.

    Args:
        x: an array of one dimension of integers that are not negative.
        weights: how much each element counts: an array of its shape. By default 1.
        minlength: the least length of the result.

    Returns:
        A new USMArray of int64, or of the default floating-point type with weights.

    Raises:
        ValueError: an element is negative, or a shape does not fit.
        TypeError: the elements are no integers.

    Example:
        >>> print(usmx.bincount(usmx.asarray([0, 1, 1, 3])))
        [1 2 0 1]
    """
    numbers = array_of(x)
    least = as_integer("minlength", minlength)
    if least < 0:
        raise ValueError(f"bincount: minlength must not be negative, found {least}")
    if numbers.ndim != 1:
        raise ValueError(f"bincount: x must have one dimension, found shape {numbers.shape}")
    if numbers.size == 0:
        numbers = numbers.astype("i8")
    if numbers.dtype.kind not in "biu":
        raise TypeError(f"bincount: x must be of integers, found {numbers.dtype}")
    numbers = numbers.astype("i8", copy=False)
    length = least
    if numbers.size:
        if int(numbers.min()) < 0:
            raise ValueError("bincount: x must have no negative elements")
        length = max(least, int(numbers.max()) + 1)
    if weights is None:
        return _counted(numbers, length)
    factors = arrays_of(numbers, weights)[1]
    if factors.shape != numbers.shape:
        raise ValueError(
            f"bincount: weights must have shape {numbers.shape}, found {factors.shape}"
        )
    if not numbers.size:  # of which NumPy's counts are integers, with weights, too
        return _counted(numbers, length)
    return _weighted(numbers, factors.astype(_sum_type(numbers), casting="safe"), length)


def _sum_type(x):
    from usmx._compute.promotion import default_float

    return default_float(x._own_queue.sycl_device)


@by_numpy(2048)
def digitize(x: Operand, bins: Operand, right: bool = False) -> USMArray:
    """Find the bin in which each element is. Waits, to look at the order of the edges.

    Args:
        bins: the edges: an array of one dimension that grows or falls.
        right: whether a bin has its right edge, and not its left one.

    Returns:
        A new USMArray of int64: the index of the edge that follows.

    Raises:
        ValueError: the edges are in no order.

    Example:
        >>> print(usmx.digitize(usmx.asarray([0.5, 2.5]), [0, 1, 2]))
        [1 3]
    """
    numbers, edges = arrays_of(x, bins)
    if edges.ndim != 1:
        raise ValueError(f"digitize: bins must have one dimension, found shape {edges.shape}")
    # As in NumPy: the first edge that differs decides, and NaN is in no order with others.
    differing = edges[edges != edges[0]] if edges.size else edges
    grows = edges.size < 2 or differing.size == 0 or bool(edges[0] < differing[0])
    is_broken = edges[1:] < edges[:-1] if grows else edges[1:] > edges[:-1]
    if bool(is_broken.any()):
        raise ValueError("digitize: bins must grow or fall")
    side: Any = "left" if right else "right"
    if grows:
        return searchsorted(edges, numbers, side=side)
    return edges.size - searchsorted(edges[::-1], numbers, side=side)


def histogram_bin_edges(
    a: Operand, bins: Any = 10, range: Any = None, weights: Operand | None = None
) -> USMArray:
    """Find the edges of the bins of `histogram`. Waits.

    Args:
        bins: how many bins, or their edges, or the name of a rule of NumPy's, such as 'auto'.
        range: the first and the last edge. By default the least and the greatest element.
        weights: an array of the shape of `a`, with which no rule is allowed.

    Raises:
        ValueError: the range or the edges are no numbers in order.

    Example:
        >>> print(usmx.histogram_bin_edges(usmx.asarray([0.0, 4.0]), 2))
        [0. 2. 4.]
    """
    x = array_of(a)
    return asarray(_edges_on_host(x, bins, range, weights), **options_of(x))


def _edges_on_host(x, bins, range, weights=None):
    """The edges as NumPy finds them, of the ends of the elements alone unless there is a rule."""
    if is_text(bins):
        return numpy.histogram_bin_edges(
            on_host(x), bins, range, None if weights is None else on_host(weights)
        )
    if not numpy.isscalar(bins):
        bins = on_host(bins)
        return numpy.histogram_bin_edges(numpy.zeros(0), bins, range)
    if x.size == 0:
        ends = numpy.zeros(0, x.dtype)
    else:
        ends = numpy.array([x.min().item(), x.max().item()], x.dtype)
    return numpy.histogram_bin_edges(ends, bins, range)


@by_numpy(_MOST_BY_NUMPY)
def histogram(
    a: Operand,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand | None = None,
) -> tuple[USMArray, USMArray]:
    """Count the elements in each bin. Waits.

    Args:
        bins: how many bins, or their edges, or the name of a rule of NumPy's, such as 'auto'.
        range: the first and the last edge. By default the least and the greatest element.
        density: whether the counts are divided by their sum and by the widths of the bins.
        weights: how much each element counts: an array of the shape of `a`.

    Returns:
        The counts, and the edges, of which there is one more. The last bin has both of its edges.

    Raises:
        ValueError: the range or the edges are no numbers in order, or a shape does not fit.

    Example:
        >>> counts, edges = usmx.histogram(usmx.asarray([1, 2, 2, 4]), 3)
        >>> print(counts, edges)
        [1 2 1] [1. 2. 3. 4.]
    """
    x = array_of(a)
    factors = None if weights is None else arrays_of(x, weights)[1]
    counts, (edges,) = _in_bins(
        "histogram", [x], [_edges_on_host(x, bins, range, weights)], factors
    )
    made = asarray(edges, **options_of(x))
    if density:
        widths = asarray(numpy.diff(edges), **options_of(x))
        return counts / widths / sum(counts), made
    return counts, made


def _in_bins(name, columns, edges, weights):
    """Counts of points, each coordinate of which is in a column, in the bins of these edges."""
    flat = [reshape(column, -1) for column in columns]
    options = options_of(flat[0])
    position: Any = 0
    is_in: Any = True
    for column, edge in zip(flat, edges, strict=True):
        found = asarray(edge, **options)
        k = searchsorted(found, column, side="right") - 1
        k = where(column == edge[-1].item(), edge.size - 2, k)
        is_in = (k >= 0) & (k < edge.size - 1) & (column == column) & is_in
        position = position * (edge.size - 1) + k
    length = 1
    for edge in edges:
        length *= edge.size - 1
    position = where(is_in, position, length)  # of points outside, in an element that is cut off
    if weights is None:
        counts = _counted(position, length + 1)[:length]
    else:
        if weights.shape != columns[0].shape:
            raise ValueError(
                f"{name}: weights must have shape {columns[0].shape}, found {weights.shape}"
            )
        kind = "i8" if weights.dtype.kind in "b" else weights.dtype
        counts = _weighted(position, weights.astype(kind, copy=False), length + 1)[:length]
    return reshape(counts, tuple(edge.size - 1 for edge in edges)), edges


def histogram2d(
    x: Operand,
    y: Operand,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand | None = None,
) -> tuple[USMArray, USMArray, USMArray]:
    """Count points of a plane in each bin. Waits.

    Args:
        x, y: the coordinates of the points: arrays of one dimension.
        bins: how many bins, or their edges; or a list of both for the two coordinates.
        range: for each coordinate the first and the last edge.
        density: whether the counts are divided by their sum and by the areas of the bins.
        weights: how much each point counts.

    Returns:
        The counts, and the edges of both coordinates.

    Raises:
        ValueError: the edges are no numbers in order, or a shape does not fit.

    Example:
        >>> counts, _, _ = usmx.histogram2d(usmx.asarray([0, 0, 1]), usmx.asarray([0, 1, 1]), 2)
        >>> print(counts)
        [[1. 1.]
         [0. 1.]]
    """
    try:
        count = len(bins)
    except TypeError:
        count = 1
    if count not in (1, 2):
        bins = [bins, bins]
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand | None = None,
) -> tuple[USMArray, tuple[USMArray, ...]]:
    """Count points of a space in each bin. Waits.

    Args:
        sample: an array of shape ``(points, coordinates)``, or a list of an array for each
            coordinate.
        bins: how many bins, or a list of the number or the edges for each coordinate.
        range: for each coordinate the first and the last edge.
        density: whether the counts are divided by their sum and by the volumes of the bins.
        weights: how much each point counts.

    Returns:
        The counts, and the edges of each coordinate.

    Raises:
        ValueError: the edges are no numbers in order, or a shape does not fit.

    Example:
        >>> counts, edges = usmx.histogramdd(usmx.asarray([[0.0, 0.0], [1.0, 1.0]]), 2)
        >>> print(counts)
        [[1. 0.]
         [0. 1.]]
    """
    if isinstance(sample, (list, tuple)):
        columns = arrays_of(*sample)
    else:
        points = array_of(sample)
        points = points[:, None] if points.ndim == 1 else points
        columns = [points[:, k] for k in builtins.range(points.shape[1])]
    each = [bins] * len(columns) if numpy.isscalar(bins) else list(bins)
    if len(each) != len(columns):
        raise ValueError(
            f"histogramdd: expected bins for {len(columns)} coordinates, found {len(each)}"
        )
    ranges = [None] * len(columns) if range is None else list(range)
    edges = [_edges_on_host(*given) for given in zip(columns, each, ranges, strict=True)]
    factors = None if weights is None else arrays_of(columns[0], weights)[1]
    counts, _ = _in_bins("histogramdd", columns, edges, factors)
    kind = _sum_type(counts)
    counts = counts.astype(kind, copy=False)
    options = options_of(counts)
    if density:
        counts = counts / sum(counts)
        for k, edge in enumerate(edges):
            widths = asarray(numpy.diff(edge), kind, **options)
            counts = counts / widths[(slice(None), *(None,) * (len(edges) - k - 1))]
    return counts, tuple(asarray(edge, **options) for edge in edges)
