"""Making arrays, from nothing and from other objects. NumPy is imported when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.host import PLAIN, _numpy, require_plain
from usmx._container.nested import arrays_in, stacked
from usmx._container.numpy_views import view_of_numpy
from usmx._core import USMArray, _as_array, _fill, _new_array, _new_array_like

if TYPE_CHECKING:
    from usmx._typing import (
        ArrayLike,
        ArrowColumn,
        DeviceLike,
        DLPackProducer,
        DTypeLike,
        NumpyArray,
        OrderCF,
        OrderCFAK,
        Producer,
        QueueLike,
        Shape,
        UsmType,
    )


def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    order: OrderCF = "C",
    device: DeviceLike | None = None,
    usm_type: UsmType = "device",
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array whose elements are not set. Does not wait.

    Args:
        shape: the shape: an integer or a tuple of integers.
        dtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python type.
            By default float64, or float32 on a device without float64.
        order: 'C', where the last index varies fastest in memory, or 'F', where the first one does.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> usmx.empty((2, 3), dtype='f4').shape
        (2, 3)
    """
    return _new_array(shape, dtype, usm_type, sycl_queue, device, order, False)


def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    order: OrderCF = "C",
    device: DeviceLike | None = None,
    usm_type: UsmType = "device",
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of zeros. Waits until it is filled.

    Args:
        shape: the shape: an integer or a tuple of integers.
        dtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python type.
            By default float64, or float32 on a device without float64.
        order: 'C', where the last index varies fastest in memory, or 'F', where the first one does.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.zeros(3))
        [0. 0. 0.]
    """
    return _new_array(shape, dtype, usm_type, sycl_queue, device, order, True)


def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    order: OrderCF = "C",
    device: DeviceLike | None = None,
    usm_type: UsmType = "device",
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
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
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
    *,
    order: OrderCF = "C",
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
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default 'device', or that of
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
    usm_type = "device" if usm_type is None else usm_type
    natural = _scalar_type(values) if dtype is None else None
    result = _new_array(shape, dtype, usm_type, sycl_queue, device, order, False, natural or "f8")
    _set_all(result, values)
    return result


def empty_like(
    x: Producer,
    /,
    *,
    dtype: DTypeLike | None = None,
    order: OrderCFAK = "K",
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of the shape of another one, whose elements are not set.

    Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        dtype: the element type. By default that of `x`.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `x` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `x` lie in memory.
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
        >>> usmx.empty_like(usmx.zeros((2, 3), dtype='f4')).dtype
        dtype('float32')
    """
    return _new_array_like(as_view("x", x), dtype, usm_type, sycl_queue, device, order, False)


def zeros_like(
    x: Producer,
    /,
    *,
    dtype: DTypeLike | None = None,
    order: OrderCFAK = "K",
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of zeros of the shape of another one.

    Waits until it is filled.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        dtype: the element type. By default that of `x`.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `x` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `x` lie in memory.
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
        >>> print(usmx.zeros_like(usmx.ones(3)))
        [0. 0. 0.]
    """
    return _new_array_like(as_view("x", x), dtype, usm_type, sycl_queue, device, order, True)


def ones_like(
    x: Producer,
    /,
    *,
    dtype: DTypeLike | None = None,
    order: OrderCFAK = "K",
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
    result = empty_like(
        x, dtype=dtype, order=order, device=device, usm_type=usm_type, sycl_queue=sycl_queue
    )
    _fill(result, 1)
    return result


def full_like(
    x: Producer,
    /,
    fill_value: object,
    *,
    dtype: DTypeLike | None = None,
    order: OrderCFAK = "K",
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a new array of one value and of the shape of another array.

    Waits until it is filled.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        fill_value: a number, or an array that can be broadcast to the shape of `x`: a producer of
            ``__sycl_usm_array_interface__`` or a NumPy array.
        dtype: the element type. By default that of `x`.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `x` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `x` lie in memory.
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
    result = empty_like(
        x, dtype=dtype, order=order, device=device, usm_type=usm_type, sycl_queue=sycl_queue
    )
    _set_all(result, _as_values(fill_value))
    return result


def asarray(
    obj: object,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    copy: bool | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
    order: OrderCFAK = "K",
) -> USMArray:
    """Make a USMArray of `obj`: a view where `obj` is in unified shared memory, else a copy.

    A producer of ``__sycl_usm_array_interface__``, or of ``__cuda_array_interface__`` on a device
    that the SYCL runtime has, becomes a view of its memory, unless another argument demands a copy.
    The view keeps the producer alive. Everything else is copied into new memory: NumPy arrays and
    scalars, objects with a buffer, Python numbers, and nested lists or tuples of all of these,
    producers included. An object with both the interface and a buffer counts as a producer. The
    function waits for its copies. The name and the arguments are those of the array API and of
    dpnp.tensor.

    Args:
        obj: what to convert.
        dtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python type.
            None keeps the type that `obj` has, as NumPy would find it; for host data on a device
            without float64 or float16 it is float32.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device. None
            keeps the place of a producer, and means the default device for host data.
        copy: True: always copy. None: copy if needed, and everything that is no producer. False:
            never copy; a NumPy array that is a view of USM then gives that memory.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. None keeps that of a producer,
            and means 'device' for host data. For a list with producers it is what
            `get_coerced_usm_type` gives.
        sycl_queue: the queue of the array. None keeps that of a producer, or the common queue of
            the producers in a list, and means the queue that usmx keeps for the device otherwise.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `obj` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `obj` lie in memory.

    Returns:
        A USMArray.

    Raises:
        ValueError: ``copy=False`` cannot be met, `obj` breaks a rule of the exchange, or a list is
            ragged.
        ExecutionPlacementError: arrays of a list are on different queues, and none was asked for.
        TypeError: `obj` cannot be an array.

    Example:
        >>> a = usmx.asarray([[1, 2], [3, 4]], usm_type='shared')
        >>> usmx.asarray(a) is a
        True
        >>> print(usmx.asarray(a, dtype='f4'))
        [[1. 2.]
         [3. 4.]]
    """
    view = _as_array(obj)
    if (
        view is not None
        and dtype is device is copy is usm_type is sycl_queue is None
        and order == "K"
    ):
        return view
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"copy must be True, False or None, found {copy!r}")
    if view is None and copy is False:
        view = view_of_numpy(obj)
        if view is None:
            raise ValueError(
                f"copy=False cannot be met: a {type(obj).__name__} is not unified shared memory"
            )
    if view is not None:
        return _core._as_asked(view, dtype, usm_type, sycl_queue, device, order, copy)
    if isinstance(obj, (list, tuple)):
        arrays = arrays_in(obj)
        if arrays:
            return stacked(obj, arrays, dtype, device, usm_type, sycl_queue, order)
    return _from_host(obj, dtype, device, usm_type, sycl_queue, order)


def from_dlpack(
    x: DLPackProducer, /, *, device: DeviceLike | None = None, copy: bool | None = None
) -> USMArray:
    """Take the array of an object with ``__dlpack__``.

    Unified shared memory becomes a view, which keeps alive what the producer gave. The view
    is on the producer's ``sycl_queue`` if it has one, else on the queue that usmx has for the
    device. Memory of a CUDA device comes after the work on the producer's stream. For other devices
    DLPack names no queue: finish work on other queues before you call this function. Ordinary host
    memory is copied into memory of kind 'device', and the function waits for the copy. The protocol
    is that of https://dmlc.github.io/dlpack, the arguments are those of the array API.

    Args:
        x: an object with ``__dlpack__``: an array of dpnp, NumPy and others.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device. By
            default where the memory is, and the default device for a copy of host memory.
        copy: True: always copy. None: copy host memory only. False: never copy.

    Returns:
        A USMArray.

    Raises:
        BufferError: usmx cannot use this kind of memory or element type, or the producer does not
            export the memory.
        ValueError: ``copy=False`` cannot be met, or what the producer gave breaks a rule of the
            exchange.
        TypeError: `x` has no ``__dlpack__``.

    Example:
        >>> print(usmx.from_dlpack(np.arange(3.0)))
        [0. 1. 2.]
    """
    return _core._from_dlpack(x, device, copy)


if not TYPE_CHECKING:  # the same functions, but faster
    asarray = _core._with_shortcut(asarray)
    empty = _core._with_shortcut(empty)
    from_dlpack = _core._with_shortcut(from_dlpack)
    zeros = _core._with_shortcut(zeros)


def from_numpy(
    np_ary: ArrayLike,
    /,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType = "device",
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Copy a NumPy array into new unified shared memory. Waits.

    Args:
        np_ary: a NumPy array.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
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
    if not isinstance(np_ary, _numpy().ndarray):
        raise TypeError(f"np_ary must be a NumPy array, found {type(np_ary).__name__}")
    return _from_host(np_ary, None, device, usm_type, sycl_queue, "K")


def from_arrow(
    column: ArrowColumn,
    /,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType = "device",
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Copy a column of Arrow's, in one chunk or several, into a new array. Waits.

    The protocol is Arrow's C data interface. It does not say how long buffers are: usmx checks the
    length of a column in USM, and of an object that tells the sizes of its ``buffers()``, as
    pyarrow's do. Any other object must be right about its length.

    Args:
        column: an object with ``__arrow_c_array__``, ``__arrow_c_stream__`` or
            ``__arrow_c_device_array__``: an array of pyarrow, a series of polars or pandas, and
            others.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

    Returns:
        A USMArray of one dimension.

    Raises:
        BufferError: values are missing (null), are no integers or floating-point numbers, or are
            not in host memory.
        ValueError: what the object gave breaks a rule of Arrow's, or the column is longer than its
            memory.
        TypeError: `column` has none of these methods.

    Example:
        >>> import pyarrow
        >>> print(usmx.from_arrow(pyarrow.array([1, 2, 3])))
        [1 2 3]
    """
    return _core._from_arrow(column, device, usm_type, sycl_queue)


def asnumpy(usm_ary: Producer, *, out: NumpyArray | None = None) -> NumpyArray:
    """Copy the elements of an array into a NumPy array. Waits.

    Only the elements are moved, not the allocation around them.

    Args:
        usm_ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        out: where the elements go: a writable NumPy array of the same shape and element type, with
            any strides. None makes a new one, whose axes lie in memory in the order of those of
            `usm_ary`, as with NumPy's order 'K'.

    Returns:
        `out`, or the new NumPy array, which owns its memory.

    Raises:
        ValueError: `out` has another shape or element type, or is read-only.
        TypeError: `usm_ary` is no producer, or `out` is no NumPy array.

    Example:
        >>> usmx.asnumpy(usmx.arange(3))
        array([0, 1, 2])
    """
    view = as_view("usm_ary", usm_ary)
    if out is None:
        out = _core._new_host_array(view)
    else:
        _require_same(view, out)
    _core._copy_to_host(view, out)
    return out


def _require_same(view, out):
    if not isinstance(out, _numpy().ndarray):
        raise TypeError(f"out must be a NumPy array, found {type(out).__name__}")
    if (out.shape, out.dtype) != (view.shape, view.dtype):
        raise ValueError(
            f"out must have shape {view.shape} and elements of {view.dtype}, found shape "
            f"{out.shape} and {out.dtype}"
        )
    if not out.flags.writeable:
        raise ValueError("out must be writable, found a read-only NumPy array")


def to_numpy(usm_ary: Producer, /) -> NumpyArray:
    """Copy the elements of an array into a new NumPy array. Waits.

    This is `asnumpy` under the name that dpctl uses, without `out`.

    Args:
        usm_ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A NumPy array, which owns its memory.

    Raises:
        TypeError: `usm_ary` is no producer.

    Example:
        >>> usmx.to_numpy(usmx.arange(3))
        array([0, 1, 2])
    """
    return asnumpy(usm_ary)


def as_view(name: str, obj: object) -> USMArray:
    """The USMArray of a producer. TypeError naming the argument for any other object."""
    view = _as_array(obj)
    if view is None:
        raise TypeError(
            f"{name} must be an object with __sycl_usm_array_interface__ (usmx.asarray makes one), "
            f"found {type(obj).__name__}"
        )
    return view


# ---- values to fill with


def _as_values(fill_value):
    """A number as it is, anything else as a USMArray or a NumPy array."""
    if isinstance(fill_value, (bool, int, float, complex)):
        return fill_value
    view = _as_array(fill_value)
    return _numpy().asarray(fill_value) if view is None else view


def _scalar_type(values):
    """The element type that an array of these values has by itself."""
    if isinstance(values, USMArray):
        return values.dtype
    return require_plain(_numpy().asarray(values), values).dtype


def _set_all(result, values):
    """`values`, repeated to the shape of `result`."""
    if isinstance(values, USMArray):
        _core._copy(values, result)
    elif getattr(values, "ndim", 0) == 0:
        _fill(result, values)
    else:
        _core._copy_from_host(result, _numpy().broadcast_to(values, result.shape))


# ---- from the host


def _from_host(obj, dtype, device, usm_type, sycl_queue, order):
    """New memory with a copy of anything that NumPy can make an array of."""
    numpy = _numpy()
    source = obj if isinstance(obj, numpy.ndarray) else numpy.asarray(obj, dtype)
    if dtype is None:
        require_plain(source, obj)
    elif source.dtype.names is None and not (source.dtype.char in PLAIN and source.dtype.isnative):
        source = source.astype(_core._dtype(dtype))  # strings, foreign byte order, ...
    usm_type = "device" if usm_type is None else usm_type
    result = _core._new_array_for(source, dtype, usm_type, sycl_queue, device, order)
    _core._copy_from_host(result, source)
    return result
