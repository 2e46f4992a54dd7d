"""Making arrays, from nothing and from other objects. NumPy is imported when it is first needed."""

from usmx import _core
from usmx._core import _as_array

_MISSING_NUMPY = "usmx: NumPy is needed to convert objects of the host"


def empty(shape, dtype="f8", *, order="C", device=None, usm_type="device", sycl_queue=None):
    """A new array whose elements are not set.

    Args:
        shape: an integer or a tuple of integers.
        dtype: element type: a typestr, a name, a NumPy dtype or scalar type.
        order: 'C' or 'F'.
        device: a filter string, SyclDevice or SyclQueue; by default the default device.
        usm_type: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the array; by default usmx's own queue of the device.

    Raises:
        ValueError, TypeError: an argument is not one of these.
        USMAllocationError: there is no such memory (a MemoryError).
    """
    return _core._new_array(shape, _or_float(dtype), usm_type, sycl_queue, device, order, False)


def zeros(shape, dtype="f8", *, order="C", device=None, usm_type="device", sycl_queue=None):
    """A new array of zeros; arguments and errors as in `empty`. Waits until it is filled."""
    return _core._new_array(shape, _or_float(dtype), usm_type, sycl_queue, device, order, True)


def asarray(obj, dtype=None, *, device=None, copy=None, usm_type=None, sycl_queue=None, order="K"):
    """`obj` as a USMArray.

    A producer of ``__sycl_usm_array_interface__`` becomes a view of its memory, unless another
    argument demands a copy. Everything else (NumPy arrays, buffers, scalars, nested lists) is
    copied into new memory, of kind 'device' unless `usm_type` says otherwise.

    Args:
        obj: what to convert.
        dtype, usm_type, sycl_queue, device: as in `empty`; None keeps what `obj` has.
        copy: True: always; None: when needed; False: never, ValueError when needed.
        order: 'C', 'F', 'A' (F if `obj` is Fortran-contiguous, else C) or 'K' (as it is).

    Raises:
        ValueError: `copy=False` cannot be met, or `obj` breaks a rule of the exchange.
        TypeError: `obj` cannot be an array.
    """
    view = _as_array(obj)
    if (
        view is not None
        and dtype is device is copy is usm_type is sycl_queue is None
        and order == "K"
    ):
        return view
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be 'C', 'F', 'A' or 'K', found {order!r}")
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"copy must be True, False or None, found {copy!r}")
    if view is None:
        return _from_host(obj, dtype, device, copy, usm_type, sycl_queue, order)
    reason = _reason_to_copy(view, dtype, device, copy, usm_type, sycl_queue, order)
    if reason is None:
        return view
    if copy is False:
        raise ValueError(f"copy=False cannot be met: {reason}")
    if sycl_queue is None and device is None:
        sycl_queue = view.sycl_queue
    return _from_host(
        asnumpy(view), dtype, device, None, usm_type or view.usm_type, sycl_queue, order
    )


def asnumpy(usm_ary):
    """A new NumPy array with a copy of the elements; only these are moved. Waits.

    Args:
        usm_ary: a USMArray or any producer of ``__sycl_usm_array_interface__``.
    """
    view = _as_array(usm_ary)
    if view is None:
        raise TypeError(
            "usm_ary must be an object with __sycl_usm_array_interface__, "
            f"found {type(usm_ary).__name__}"
        )
    order = "F" if view.flags.fnc else "C"
    result = _numpy().empty(view.shape, view.dtype, order=order)
    _core._copy_to_host(view, result)
    return result


def _or_float(dtype):
    return "f8" if dtype is None else dtype


def _numpy():
    try:
        import numpy
    except ImportError as error:
        raise ImportError(_MISSING_NUMPY) from error
    return numpy


def _refuse_structured_cast(found, wanted):
    """NumPy would convert field by field, by position, or spread one value over all fields."""
    wanted = _numpy().dtype(wanted)
    if found != wanted and (found.names is not None or wanted.names is not None):
        raise TypeError(
            f"structured elements are not converted: expected dtype {found}, found {wanted}"
        )


def _reason_to_copy(view, dtype, device, copy, usm_type, sycl_queue, order):
    """Why `view` is not what was asked for; None when it is."""
    if copy:
        return "a copy was asked for"
    if dtype is not None and _numpy().dtype(dtype) != view.dtype:
        return f"the element type is {view.dtype}, not {_numpy().dtype(dtype)}"
    if usm_type is not None and usm_type != view.usm_type:
        return f"the memory is of kind '{view.usm_type}', not '{usm_type}'"
    if sycl_queue is not None or device is not None:
        wanted = _core._queue_argument(sycl_queue, device)
        same = wanted.sycl_context == view.sycl_context and wanted.sycl_device == view.sycl_device
        if not same or (sycl_queue is not None and wanted != view.sycl_queue):
            return f"the array is on {view.sycl_queue!r}, not {wanted!r}"
    if order == "C" and not view.flags.c_contiguous:
        return "the array is not C-contiguous"
    if order == "F" and not view.flags.f_contiguous:
        return "the array is not Fortran-contiguous"
    return None


def _from_host(obj, dtype, device, copy, usm_type, sycl_queue, order):
    """New memory with a copy of anything that NumPy can make an array of."""
    if copy is False:
        raise ValueError(
            f"copy=False cannot be met: a {type(obj).__name__} is not unified shared memory"
        )
    numpy = _numpy()
    if dtype is not None and isinstance(obj, numpy.ndarray):
        _refuse_structured_cast(obj.dtype, dtype)
    source = numpy.asarray(obj, dtype=dtype)
    fortran = order == "F" or (order in "AK" and source.flags.fnc)
    result = _core._new_array(
        source.shape,
        source.dtype,
        usm_type or "device",
        sycl_queue,
        device,
        "F" if fortran else "C",
        False,
    )
    if any(stride % source.itemsize for stride in source.strides):
        source = numpy.ascontiguousarray(source)
    _core._copy_from_host(result, source)
    return result
