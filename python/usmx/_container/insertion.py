"""Arrays of another size: elements added, left out, or repeated; borders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import common_queue
from usmx._container.creation import as_array
from usmx._container.flat import set_flat
from usmx._container.host import host_value, numpy, on_host, signed
from usmx._container.indexing import along_axis, nonzero, take, with_axis
from usmx._container.little import by_numpy, numpys
from usmx._container.manipulation import concat, integers_of
from usmx._core import USMArray, _as_array, asarray, moveaxis

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import ArrayLike, Axes, OrderCF, Producer, Shape


def append(arr: ArrayLike | Producer, values: Any, axis: SupportsIndex | None = None) -> USMArray:
    """Join an array and further values, in a new array. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``; a number or lists
            are copied to the current queue.
        values: an array whose shape differs in `axis` only; lists and numbers are copied to the
            queue of `arr`.
        axis: an integer. None joins the elements in one dimension.

    Returns:
        A new C-contiguous USMArray on the queue of `arr`, as `concat` makes it.

    Raises:
        ValueError: the shapes differ.
        ExecutionPlacementError: the queues differ.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.append(usmx.arange(3), [7, 8]))
        [0 1 2 7 8]
    """
    if type(arr) is not USMArray or type(values) is not USMArray:
        made = numpys("append", 2048, (arr, values, axis), {})
        if made is not None:
            return made
    return concat((as_array("arr", arr), values), axis)


@by_numpy(2048)
def delete(arr: ArrayLike | Producer, obj: Any, axis: SupportsIndex | None = None) -> USMArray:
    """Leave out what stands at some indices along an axis, in a new array. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``; a number or lists
            are copied to the current queue.
        obj: the indices: an integer, a slice, or an array of integers or bools.
        axis: an integer. None treats `arr` as if it had one dimension, in C order.

    Returns:
        A new C-contiguous USMArray on the queue of `arr` and of its kind.

    Raises:
        IndexError: an index is outside of the axis, or no integer.
        ValueError: there are not as many bools as indices.
        ExecutionPlacementError: the queues differ.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.delete(usmx.arange(5), [1, 3]))
        [0 2 4]
    """
    view, along = with_axis(as_array("arr", arr), axis)
    kept = numpy.delete(numpy.arange(view.shape[along]), _indices(view, obj))
    return take(view, kept, along)


@by_numpy(2048)
def insert(arr: Producer, obj: Any, values: Any, axis: SupportsIndex | None = None) -> USMArray:
    """Add values before some indices along an axis, in a new array. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        obj: the indices before which values are added, counted in `arr`: an integer, a slice, or an
            array of integers, or of bools.
        values: what is added, converted to the type of `arr`: an array, a number or nested lists.
            For several indices they are broadcast to what stands there in the result; for one, they
            are as many as `values` has along the axis.
        axis: an integer. None treats `arr` as if it had one dimension, in C order.

    Returns:
        A new C-contiguous USMArray on the queue of `arr` and of its kind.

    Raises:
        IndexError: an index is outside of the axis, or no integer.
        ValueError: the shapes do not fit.
        ExecutionPlacementError: the queues differ.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.insert(usmx.arange(3), 1, [7, 8]))
        [0 7 8 1 2]
    """
    view, along = with_axis(as_array("arr", arr), axis)
    positions = numpy.arange(view.shape[along])
    before = _indices(view, obj)
    before = positions[before] if isinstance(before, slice) else numpy.asarray(before)
    if before.dtype == bool:
        before = numpy.flatnonzero(before)
    _require_positions(before, len(positions))
    added: Any = _as_array(values)
    if added is None:
        added = host_value(values, view.dtype)
    else:
        common_queue([view, added])
    if before.size == 1:
        added = added.reshape((1,) * (view.ndim - added.ndim) + added.shape)
        if before.ndim == 0:  # the first axis of the values lies along the axis
            added = added.transpose((*range(1, along + 1), 0, *range(along + 1, added.ndim)))
        before, count = before.item(), added.shape[along]
    else:
        count = before.size
    # In the place of value number k stands k - count, and elsewhere the position in `arr`.
    marks = numpy.insert(positions, before, numpy.arange(-count, 0))
    slots = numpy.empty(count, numpy.intp)
    slots[marks[marks < 0] + count] = numpy.flatnonzero(marks < 0)
    shape = (*view.shape[:along], len(marks), *view.shape[along + 1 :])
    result = _core._new_like(view, shape, "C")
    result[along_axis(along, numpy.flatnonzero(marks >= 0))] = view
    result[along_axis(along, slots)] = added
    return result


def resize(a: ArrayLike | Producer, new_shape: Shape) -> USMArray:
    """Make a new array of another shape: the elements in C order, repeated or cut. Waits.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``; a number or lists
            are copied to the current queue. Without elements, it is taken for zeros.
        new_shape: the shape: an integer or a tuple of integers.

    Returns:
        A new C-contiguous USMArray on the queue of `a` and of its kind.

    Raises:
        ValueError: a size is negative.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.resize(usmx.arange(3), (2, 4)))
        [[0 1 2 0]
         [1 2 0 1]]
    """
    view = as_array("a", a)
    shape = integers_of("new_shape", new_shape)
    if view.size == 0:
        return _core.zeros_like(view, order="C", shape=shape)
    result = _core._new_like(view, shape, "C")
    set_flat(result, slice(None), view)
    return result


def trim_zeros(filt: Producer, trim: str = "fb", axis: Axes | None = None) -> USMArray:
    """View an array without the zeros at its ends. Waits, to look for them.

    Args:
        filt: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        trim: 'f' for the front, 'b' for the back, or both.
        axis: along which axes: an integer or a tuple. None means all.

    Returns:
        A view of `filt`: the smallest box that has all elements that are not zero.

    Raises:
        ValueError: `trim` has other letters, or an axis is named twice.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.trim_zeros(usmx.asarray([0, 0, 1, 2, 0])))
        [1 2]
    """
    view = as_array("filt", filt)
    ends = trim.lower()
    if not ends or set(ends) - {"f", "b"}:
        raise ValueError(f"trim must be 'f', 'b' or 'fb', found {trim!r}")
    wanted = range(view.ndim) if axis is None else integers_of("axis", axis)
    axes = [_core._normalized_axis(k, view.ndim) for k in wanted]
    if len(set(axes)) < len(axes):
        raise ValueError(f"an axis must be named once, found {axis}")
    key = [slice(None)] * view.ndim
    for k in axes:
        positions = nonzero(moveaxis(view, k, 0))[0]  # in C order: the first is the least
        start, stop = (int(positions[0]), int(positions[-1]) + 1) if positions.size else (0, 0)
        key[k] = slice(start if "f" in ends else None, stop if "b" in ends or not stop else None)
    return view[tuple(key)]


# ---- arguments


def _indices(view, obj):
    """Indices of a view, on the host. Nothing is an empty list or tuple of integers."""
    if isinstance(obj, slice):
        return obj
    if (given := _as_array(obj)) is not None:
        common_queue([view, given])
    found = signed(on_host(obj if given is None else given))
    is_nothing = found.size == 0 and isinstance(obj, (list, tuple))
    return found.astype(numpy.intp) if is_nothing else found


def _require_positions(before, size):
    """NumPy checks one index alone, and writes several ones of which one is outside somewhere."""
    outside = before[(before < -size) | (before > size)]
    if outside.size:
        raise IndexError(
            f"index {outside.flat[0]} is out of bounds for insert before one of {size} elements"
        )


# ---- borders

# Whose borders repeat elements, and are selected by indices.
_REPEATING = ("edge", "reflect", "symmetric", "wrap")
_MODES = (
    *_REPEATING, "constant", "empty", "linear_ramp", "maximum", "mean", "median", "minimum"
)  # fmt: skip


def pad(array: Producer, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> USMArray:
    """Put a border around an array, in a new array. Waits.

    Modes that compute ('linear_ramp', 'maximum', 'mean', 'median', 'minimum', a ``reflect_type`` of
    'odd', and functions) are NumPy's, on a copy of the elements on the host. The others work on the
    device.

    Args:
        array: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        pad_width: how wide the border is: an integer; a pair, before and after; a pair for each
            axis; or a dictionary from axes to integers and pairs.
        mode: 'constant', 'edge', 'empty', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum',
            'reflect', 'symmetric', 'wrap', or a function, with the meanings of ``numpy.pad``.
        kwargs: the options of the mode: ``constant_values``, ``end_values``, ``reflect_type``,
            ``stat_length``, or those of the function.

    Returns:
        A new USMArray on the queue of `array`, of its kind, and in Fortran order if `array` is.

    Raises:
        ValueError: there is no such mode or option, a width is negative, an axis without elements
            would have to be repeated, or NaN would have to be an integer.
        OverflowError: the type of `array` does not have a constant value.
        TypeError: a width is no integer.

    Example:
        >>> print(usmx.pad(usmx.arange(3), (1, 2), 'edge'))
        [0 0 1 2 2 2]
    """
    view = as_array("array", array)
    widths = _widths(pad_width, view.ndim)
    order: OrderCF = "F" if view.flags.fnc else "C"
    is_zero = mode == "constant" and not kwargs and not view.dtype.names
    if not is_zero and not callable(mode) and (kwargs or mode not in _MODES):
        numpy.pad(numpy.zeros(1, "u1"), 0, mode, **dict.fromkeys(kwargs, 1))  # knows the options
    if mode in _REPEATING and kwargs.get("reflect_type", "even") == "even":
        return _repeated(view, widths, mode, order, kwargs)
    if mode not in ("constant", "empty"):
        border = numpy.pad(on_host(view), widths, mode, **kwargs)
        return asarray(border, usm_type=view.usm_type, sycl_queue=view._own_queue, order=order)
    pairs = widths.tolist()
    shape = [n + before + after for n, (before, after) in zip(view.shape, pairs, strict=True)]
    result = _core._new_like(view, shape, order)
    inside = [slice(b, b + n) for n, (b, _) in zip(view.shape, pairs, strict=True)]
    if is_zero:
        result.fill(0)
    result[tuple(inside)] = view
    if mode == "constant" and not is_zero:
        values = numpy.broadcast_to(on_host(kwargs.get("constant_values", 0)), (view.ndim, 2))
        for axis, (first, last) in enumerate(values):  # one that does not fit is an error
            edge = [slice(None)] * axis + inside[axis:]  # with the corners of the axes before
            edge[axis] = slice(inside[axis].start)
            result[tuple(edge)] = first
            edge[axis] = slice(inside[axis].stop, None)
            result[tuple(edge)] = last
    return result


def _repeated(
    view: USMArray, widths: Any, mode: str, order: OrderCF, options: dict[str, Any]
) -> USMArray:
    """Axis by axis: the borders are parts of what is between them, with the corners so far."""
    pairs = widths.tolist()
    shape = [n + before + after for n, (before, after) in zip(view.shape, pairs, strict=True)]
    result = _core._new_like(view, shape, order)
    key: list[Any] = [slice(b, b + n) for n, (b, _) in zip(view.shape, pairs, strict=True)]
    result[tuple(key)] = view
    for axis, (n, pair) in enumerate(zip(view.shape, pairs, strict=True)):
        inside = result[tuple(key)]
        key[axis] = slice(None)
        if not any(pair):
            continue
        ends = _border(mode, n, *pair) or _positions(mode, n, pair, options)
        before, after = ((slice(None),) * axis + (each,) for each in ends)
        part = result[tuple(key)]
        for side, end in ((slice(pair[0]), before), (slice(pair[0] + n, None), after)):
            part[(slice(None),) * axis + (side,)] = inside[end]
    return result


def _border(mode, n, before, after):
    """The slices of an axis that are its borders; None where these are more than one slice."""
    most = max(before, after)
    if n == 0 or (mode != "edge" and most > n - (mode == "reflect")):
        return None
    if mode == "edge":
        return slice(1), slice(n - 1, None)
    if mode == "wrap":
        return slice(n - before, None), slice(after)
    first, last = (1, n - 1) if mode == "reflect" else (0, n)
    return _backwards(first, first + before), _backwards(last - after, last)


def _backwards(begin, end):
    return slice(end - 1, begin - 1 if begin > 0 else None, -1) if end > begin else slice(0)


def _positions(mode, n, pair, options):
    """The positions on an axis of its borders, as NumPy gives them for the positions themselves."""
    found = numpy.pad(numpy.arange(n), pair, mode, **options)
    return found[: pair[0]], found[pair[0] + n :]


def _widths(pad_width: Any, ndim: int) -> Any:
    """How many elements come before and after those of each axis."""
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = width if isinstance(width, tuple) else (width, width)
        pad_width = pairs
    if type(pad_width) is int and 0 <= pad_width < 1 << 62:
        return numpy.full((ndim, 2), pad_width)
    found = on_host(pad_width)
    if found.dtype.kind not in "iu" and found.size + ndim > 0:
        raise TypeError(f"pad_width must be integers, found elements of {found.dtype}")
    if (found < 0).any():
        raise ValueError(f"pad_width must not be negative, found {pad_width}")
    return numpy.broadcast_to(found, (ndim, 2)).astype(numpy.intp)
