"""`pad`: arrays with a border."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.comparison import on_host
from usmx._container.creation import as_view
from usmx._container.host import _numpy
from usmx._container.indexing import take
from usmx._core import asarray

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import OrderCF, Producer

# Whose borders repeat elements, and are selected by indices.
_REPEATING = ("edge", "reflect", "symmetric", "wrap")


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
    view = as_view("array", array)
    widths = _widths(pad_width, view.ndim)
    order: OrderCF = "F" if view.flags.fnc else "C"
    numpy = _numpy()
    if not callable(mode):
        numpy.pad(numpy.zeros(1, "u1"), 0, mode, **dict.fromkeys(kwargs, 1))  # knows the options
    if mode in _REPEATING and kwargs.get("reflect_type", "even") == "even":
        return _repeated(view, widths, mode, order, kwargs)
    if mode not in ("constant", "empty"):
        border = numpy.pad(on_host(view), widths, mode, **kwargs)
        return asarray(border, usm_type=view.usm_type, sycl_queue=view._own_queue, order=order)
    shape = [n + before + after for n, (before, after) in zip(view.shape, widths, strict=True)]
    result = _core._new_like(view, shape, order)
    inside = [slice(b, b + n) for n, (b, _) in zip(view.shape, widths, strict=True)]
    result[tuple(inside)] = view
    if mode == "constant":
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
    """Axis by axis, at the places that NumPy gives for the places themselves."""
    numpy = _numpy()
    result = view
    for axis, width in enumerate(widths):
        if width.any():
            places = numpy.pad(numpy.arange(view.shape[axis]), width, mode, **options)
            result = take(result, places, axis)
    return _core.copy(result, order) if result is view or order == "F" else result


def _widths(pad_width: Any, ndim: int) -> Any:
    """How many elements come before and after those of each axis."""
    numpy = _numpy()
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = width if isinstance(width, tuple) else (width, width)
        pad_width = pairs
    found = on_host(pad_width)
    if found.dtype.kind not in "iu" and found.size + ndim > 0:
        raise TypeError(f"pad_width must be integers, found elements of {found.dtype}")
    if (found < 0).any():
        raise ValueError(f"pad_width must not be negative, found {pad_width}")
    return numpy.broadcast_to(found, (ndim, 2)).astype(numpy.intp)
