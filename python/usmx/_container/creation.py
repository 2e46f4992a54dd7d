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
    """A new array whose elements are not set.

    Args:
        shape: an integer or a tuple of integers.
        dtype: element type: a typestr, a name, a NumPy dtype or scalar type, a Python type. By
            default float64, or float32 on a device without it.
        order: 'C' or 'F'.
        device: a filter string, SyclDevice, SyclQueue or Device; by default the default device.
        usm_type: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array; by default usmx's own queue of the device.

    Raises:
        ValueError, TypeError: an argument is not one of these, or the device lacks the type.
        USMAllocationError: there is no such memory (a MemoryError).
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
    """A new array of zeros; arguments and errors as in `empty`. Waits until it is filled."""
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
    """A new array of ones; arguments and errors as in `empty`. Waits until it is filled."""
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
    """A new array of one value. Waits until it is filled.

    Args:
        shape, order, device, usm_type, sycl_queue: as in `empty`; where `fill_value` is an array,
            by default its kind of memory and queue.
        fill_value: a number, or any array (a producer of ``__sycl_usm_array_interface__``, a NumPy
            array) that can be broadcast to `shape`.
        dtype: element type; by default that of `asarray(fill_value)`.

    Raises:
        OverflowError: a Python integer does not fit the element type.
        ValueError, TypeError, USMAllocationError: as in `empty`.
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
    """A new array of the shape of another one, whose elements are not set.

    Args:
        x: a USMArray or any producer of ``__sycl_usm_array_interface__``.
        dtype, device, usm_type, sycl_queue: as in `empty`; by default those of `x`.
        order: 'C', 'F', 'A' (F if `x` is Fortran- and not C-contiguous, else C) or 'K' (compact,
            its axes in memory in the order of those of `x`).

    Raises:
        ValueError, TypeError, USMAllocationError: as in `empty`.
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
    """A new array of zeros; arguments and errors as in `empty_like`. Waits until it is filled."""
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
    """A new array of ones; arguments and errors as in `empty_like`. Waits until it is filled."""
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
    """A new array of one value, or of an array that can be broadcast to the shape of `x`.

    Arguments and errors as in `empty_like` and `full`; the element type is by default that of `x`.
    Waits until it is filled.
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
    """`obj` as a USMArray.

    A producer of ``__sycl_usm_array_interface__``, or of ``__cuda_array_interface__`` on a device
    that the SYCL runtime has, becomes a view of its memory, unless another argument demands a
    copy. Everything else is copied into new memory: NumPy arrays and scalars,
    objects with a buffer, Python numbers, and nested lists or tuples of all of these, producers
    included. What has both the interface and a buffer counts as a producer. Waits for copies.

    Args:
        obj: what to convert.
        dtype: as in `empty`; None keeps what `obj` has, as NumPy would find it (of host data on a
            device without float64 or float16: float32).
        device, sycl_queue, usm_type: as in `empty`; None keeps what `obj` has. New memory for host
            data is of kind 'device'; for a list with producers, on their common queue and of the
            kind `get_coerced_usm_type` gives.
        copy: True: always; None: when needed, and of all that is not a producer; False: never,
            ValueError when needed. A NumPy array that is a view of USM then gives that memory.
        order: 'C', 'F', 'A' (F if `obj` is Fortran- and not C-contiguous, else C) or 'K' (as it
            is; in copies compact, the axes in memory in the order of those of `obj`).

    Raises:
        ValueError: `copy=False` cannot be met, `obj` breaks a rule of the exchange, or a list is
            ragged.
        ExecutionPlacementError: arrays of a list are on different queues, and none was asked for.
        TypeError: `obj` cannot be an array.
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
    """The array of an object with ``__dlpack__``.

    Unified shared memory becomes a view, which keeps what the producer handed over. It is on the
    producer's ``sycl_queue`` where there is one, else on the queue that usmx has for the device.
    Memory of a CUDA device comes after the work on the producer's stream. Elsewhere DLPack names no
    queue: finish work on others before usmx is to see it. Ordinary host memory is
    copied, into memory of kind 'device'. Waits for copies.

    Args:
        x: what to take: arrays of dpnp, NumPy and others.
        device: as in `empty`; by default where the memory is, and the default device for a copy of
            host memory.
        copy: as in `asarray`.

    Raises:
        BufferError: the memory is neither of these, its elements are of no type that usmx has, or
            the producer does not hand it over.
        ValueError: `copy=False` cannot be met, or what is handed over breaks a rule of the
            exchange.
        TypeError: `x` has no ``__dlpack__``.
    """
    return _core._from_dlpack(x, device, copy)


if not TYPE_CHECKING:  # the same functions, but for their time
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
    """A new array with a copy of a NumPy array; other arguments as in `empty`. Waits."""
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
    """A new array with a copy of a column of Arrow's, in one chunk or several. Waits.

    Args:
        column: an object with ``__arrow_c_array__``, ``__arrow_c_stream__`` or
            ``__arrow_c_device_array__``: arrays of pyarrow, series of polars, pandas and others.
        device, usm_type, sycl_queue: as in `empty`.

    Raises:
        BufferError: values are missing (null), are no integers or floating-point numbers, or are
            not in host memory.
        ValueError: what is handed over breaks a rule of Arrow's.
        TypeError: `column` has none of these methods.
    """
    return _core._from_arrow(column, device, usm_type, sycl_queue)


def asnumpy(usm_ary: Producer, *, out: NumpyArray | None = None) -> NumpyArray:
    """A NumPy array with a copy of the elements; only these are moved. Waits.

    Args:
        usm_ary: a USMArray or any producer of ``__sycl_usm_array_interface__``.
        out: where the elements go: a writable NumPy array of the same shape and element type,
            whatever its strides. None: a new one, whose axes lie in memory in the order of those of
            `usm_ary`, as in NumPy's order 'K'.

    Raises:
        ValueError: `out` has another shape or element type, or is read-only.
        TypeError: `usm_ary` is no producer, or `out` no NumPy array.
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
    """The same as `asnumpy`."""
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
