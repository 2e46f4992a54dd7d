"""Arguments of a generator's methods: types, shapes and arrays."""

from __future__ import annotations

from usmx._compute.call import output
from usmx._compute.promotion import default_float
from usmx._container.creation import as_integer
from usmx._container.host import numpy
from usmx._core import _dtype, _queue_argument, empty
from usmx._text import short_repr


def array_for(function, size, dtype, out, device, usm_type, sycl_queue):
    """The array that is filled, of the given shape."""
    shape = None if size is None else shape_of(function, size)
    if out is None:
        queue = _queue_argument(sycl_queue, device)
        return empty(shape or (), dtype, device=device, usm_type=usm_type, sycl_queue=queue)
    if shape not in (None, out.shape):
        raise ValueError(f"{function}: out must have shape {shape}, found {out.shape}")
    return out


def require_writable(function, array):
    """Refuse an array before numbers are drawn for it."""
    if not array.flags.writeable:
        raise ValueError(
            f"{function}: the array must be one that can be written, found a read-only one"
        )


def shape_of(function, size):
    """The extents that an integer, or a tuple or list of integers, stands for."""
    extents = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if any(isinstance(each, bool) for each in extents):
        raise TypeError(f"{function}: size must be an integer or a tuple of integers, found {size}")
    shape = tuple(as_integer(f"{function}: size", each) for each in extents)
    if min(shape, default=0) < 0:
        raise ValueError(f"{function}: size must not be negative, found {size}")
    return shape


def float_type(function, dtype, out, device, sycl_queue):
    """The element type of real numbers."""
    expected = "float32 or float64"
    wanted = None if dtype is None else element_type(function, dtype, expected)
    if out is not None:
        found = output(function, out).dtype
        if wanted not in (None, found):
            raise TypeError(f"{function}: out must be of type {wanted}, found {found}")
        wanted = found
    elif wanted is None:
        wanted = default_float(_queue_argument(sycl_queue, device).sycl_device)
    if wanted not in (numpy.float32, numpy.float64):
        raise TypeError(f"{function}: dtype must be {expected}, found {wanted}")
    return wanted


def element_type(function, dtype, expected):
    try:
        return _dtype(dtype)
    except ValueError:
        text = f"{function}: dtype must be {expected}, found {short_repr(dtype)}"
        raise TypeError(text) from None


def floats_for(function, size, dtype, out, device, usm_type, sycl_queue):
    wanted = float_type(function, dtype, out, device, sycl_queue)
    return array_for(function, size, wanted, out, device, usm_type, sycl_queue)


def real_number(function, name, value):
    """A Python float. Texts are no numbers, although float() reads them."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{function}: {name} must be a number, found {short_repr(value)}") from None
    except OverflowError:
        text = f"{function}: {name} must be in the range of float64, found {short_repr(value)}"
        raise OverflowError(text) from None


def in_type(dtype, value):
    """The value as that type has it; infinite where it is beyond the type."""
    if dtype == numpy.float64:
        return value
    with numpy.errstate(over="ignore"):
        return float(dtype.type(value))
