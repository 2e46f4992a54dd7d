"""Making arrays of values and of host data. NumPy is imported when it is first needed.

Those that are called most often, such as `asarray` and `empty`, are in C++.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.host import (
    arrays_in,
    in_native_order,
    is_plain,
    numpy,
    require_plain,
    stacked,
    view_of_numpy,
)
from usmx._core import USMArray, _as_array, _fill, _new_array, asarray, empty_like
from usmx._text import short_repr

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import (
        ArrayLike,
        DeviceLike,
        DTypeLike,
        Operand,
        OrderCF,
        OrderCFAK,
        QueueLike,
        Shape,
        UsmType,
    )


def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: OrderCF | None = "C",
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of ones. Waits until it is filled.

    Args:
        shape: the shape: an integer or a tuple of integers.
        dtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python type.
            By default float64, or float32 on a device without float64.
        order: 'C', where the last index varies fastest in memory, or 'F', where the first one does.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.ones(3, dtype='i4'))
        [1 1 1]
    """
    result = _new_array(shape, dtype, usm_type, sycl_queue, device, order, False)
    _fill(result, 1)
    return result


def full(
    shape: Shape,
    fill_value: object,
    dtype: DTypeLike | None = None,
    order: OrderCF | None = "C",
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of one value. Waits until it is filled.

    Args:
        shape: the shape: an integer or a tuple of integers.
        fill_value: a number, or an array that can be broadcast to `shape`: a producer of
            ``__sycl_usm_array_interface__`` or a NumPy array.
        dtype: the element type. By default that of ``asarray(fill_value)``.
        order: 'C', where the last index varies fastest in memory, or 'F', where the first one does.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device. By
            default the default device, or the queue of `fill_value` if that is an array in USM.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of
            `fill_value` if that is an array in USM.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device, or
            that of `fill_value` if that is an array in USM.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        OverflowError: a Python integer does not fit the element type.
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.full((2, 2), 7))
        [[7 7]
         [7 7]]
    """
    values = _as_values(fill_value)
    if isinstance(values, USMArray):
        usm_type = values.usm_type if usm_type is None else usm_type
        if sycl_queue is None and device is None:
            sycl_queue = values._own_queue
    natural = _scalar_type(values, fill_value) if dtype is None else None
    result = _new_array(shape, dtype, usm_type, sycl_queue, device, order, False, natural or "f8")
    _set_all(result, values)
    return result


def ones_like(
    x: Operand,
    /,
    dtype: DTypeLike | None = None,
    order: OrderCFAK | None = "K",
    *,
    shape: Shape | None = None,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of ones of the shape of another one.

    Waits until it is filled.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        dtype: the element type. By default that of `x`.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `x` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `x` lie in memory.
        shape: another shape: an integer or a tuple of integers. 'K' keeps the order of the axes if
            there are as many as `x` has, and is 'C' otherwise.
        device: where the new array is: a filter string, a SyclDevice, a SyclQueue or a Device. By
            default on the queue of `x`.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of `x`.
        sycl_queue: the queue of the new array. By default that of `x`.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.ones_like(usmx.zeros(3)))
        [1. 1. 1.]
    """
    where: dict[str, Any] = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    result = empty_like(x, dtype, order, shape=shape, **where)
    _fill(result, 1)
    return result


def full_like(
    x: Operand,
    /,
    fill_value: object,
    dtype: DTypeLike | None = None,
    order: OrderCFAK | None = "K",
    *,
    shape: Shape | None = None,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of one value and of the shape of another array.

    Waits until it is filled.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        fill_value: a number, or an array that can be broadcast to the shape of the result: a
            producer of ``__sycl_usm_array_interface__`` or a NumPy array.
        dtype: the element type. By default that of `x`.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `x` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `x` lie in memory.
        shape: another shape: an integer or a tuple of integers. 'K' keeps the order of the axes if
            there are as many as `x` has, and is 'C' otherwise.
        device: where the new array is: a filter string, a SyclDevice, a SyclQueue or a Device. By
            default on the queue of `x`.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of `x`.
        sycl_queue: the queue of the new array. By default that of `x`.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        OverflowError: a Python integer does not fit the element type.
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.full_like(usmx.zeros(3), 7))
        [7. 7. 7.]
    """
    where: dict[str, Any] = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    result = empty_like(x, dtype, order, shape=shape, **where)
    _set_all(result, _as_values(fill_value))
    return result


def from_numpy(
    np_ary: ArrayLike,
    /,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Copy a NumPy array into new unified shared memory. Waits.

    Args:
        np_ary: a NumPy array.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

    Returns:
        A USMArray of the same shape and element type.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.from_numpy(np.array([1.5, 2.5])))
        [1.5 2.5]
    """
    if not isinstance(np_ary, numpy.ndarray):
        raise TypeError(f"np_ary must be a NumPy array, found {type(np_ary).__name__}")
    return _from_host(np_ary, None, device, usm_type, sycl_queue, "K")


def no_producer(name: str, obj: object) -> TypeError:
    """The error that an object is no producer of USM arrays, in the words of the library."""
    return TypeError(
        f"{name} must be an object with __sycl_usm_array_interface__ (usmx.asarray makes one), "
        f"found {type(obj).__name__}"
    )


def as_view(name: str, obj: object) -> USMArray:
    """The USMArray of a producer. TypeError naming the argument for any other object."""
    view = _as_array(obj)
    if view is None:
        raise no_producer(name, obj)
    return view


def as_array(name: str, obj: object) -> USMArray:
    """The USMArray of a producer, or a new one of a number, a range or nested lists."""
    view = _as_array(obj)
    if view is not None:
        return view
    if isinstance(obj, (list, tuple, range, int, float, complex, numpy.generic)):
        return asarray(obj)
    raise no_producer(name, obj)


def beside(array: USMArray, obj: object) -> USMArray:
    """The USMArray of anything: what is on the host is copied to where `array` is."""
    view = _as_array(obj)
    if view is not None:
        return view
    return asarray(obj, usm_type=array.usm_type, sycl_queue=array._own_queue)


def of_dimensions(caller: str, obj: object, least: int) -> USMArray:
    """The USMArray of a producer. ValueError naming the caller for too few dimensions."""
    view = as_array("the array", obj)
    if view.ndim < least:
        raise ValueError(f"{caller} needs at least {least} dimensions, found shape {view.shape}")
    return view


def as_integer(name: str, value: Any) -> int:
    """A Python integer. TypeError naming the argument for what is no integer."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, found {short_repr(value)}") from None


def as_axis(axis: Any, ndim: int) -> int:
    """The axis, counted from the front. TypeError for a bool, which is no axis in NumPy either."""
    if isinstance(axis, bool):
        raise TypeError(f"'axis' must be an integer, found {axis}")
    return _core._normalized_axis(axis, ndim)


# ---- values to fill with


def _as_values(fill_value):
    """Python's own number as it is, anything else as a USMArray or a NumPy array."""
    if type(fill_value) in (bool, int, float, complex):  # np.float64 is a float
        return fill_value
    view = _as_array(fill_value)
    return numpy.asarray(fill_value) if view is None else view


_NATURAL = {bool: "?", float: "f8", complex: "c16"}


def _scalar_type(values, fill_value):
    """The element type that an array of these values has by itself."""
    if type(values) in _NATURAL:
        return _NATURAL[type(values)]
    if isinstance(values, USMArray):
        return values.dtype
    return require_plain(numpy.asarray(values), fill_value).dtype


def _set_all(result, values):
    """`values`, repeated to the shape of `result`."""
    if isinstance(values, USMArray):
        _core._copy(values, result)
    elif getattr(values, "ndim", 0) == 0:
        if type(values) is int and result.dtype == bool:
            numpy.int64(values)  # NumPy's error: it would make an integer of 64 bits first
        _fill(result, values)
    else:
        _core._copy_from_host(result, numpy.broadcast_to(values, result.shape))


# ---- from the host


def array_of_host_object(obj, dtype, device, copy, usm_type, sycl_queue, order):
    """Make the array that `asarray` gives for an object that is no producer: by NumPy."""
    if copy is False:
        view = view_of_numpy(obj)
        if view is None:
            raise ValueError(
                f"copy=False cannot be met: {type(obj).__name__} is not unified shared memory"
            )
        return _core._as_asked(view, dtype, usm_type, sycl_queue, device, order, copy)
    if isinstance(obj, (list, tuple)):
        arrays = arrays_in(obj)
        if arrays:
            return stacked(obj, arrays, dtype, device, usm_type, sycl_queue, order)
    return _from_host(obj, dtype, device, usm_type, sycl_queue, order)


def _from_host(obj, dtype, device, usm_type, sycl_queue, order):
    """New memory with a copy of anything that NumPy can make an array of."""
    source = obj if isinstance(obj, numpy.ndarray) else numpy.asarray(obj, dtype)
    if dtype is None:
        source = require_plain(source, obj)
    elif source.dtype.names is None and not is_plain(source.dtype):
        source = source.astype(_core._dtype(dtype))  # strings, longdouble, ...
    else:
        source = in_native_order(source)
    result = _core._new_array_for(source, dtype, usm_type, sycl_queue, device, order)
    _core._copy_from_host(result, source)
    return result
