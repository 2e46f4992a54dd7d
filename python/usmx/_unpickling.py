"""Functions that pickles call to make arrays and memory objects again.

Pickles name this module and its functions, so these must keep their names and places.
What pickles are made of: _pickling.py.
"""

import os
import warnings
from pickle import PickleBuffer

from usmx._core import (
    MemoryUSMDevice,
    MemoryUSMHost,
    MemoryUSMShared,
    SyclDeviceCreationError,
    USMArray,
    _dtype,
    _get_devices,
    _Memory,
    _new_array,
    _queue_argument,
    as_usm_memory,
)
from usmx._stand_ins import or_stand_in

_KINDS = {MemoryUSMDevice: "device", MemoryUSMShared: "shared", MemoryUSMHost: "host"}


@or_stand_in
def restore_array(cls, content, dtype, shape, order, usm_type, device, readonly):
    """The array that `reduce_array` described.

    In new memory, on the queue that is kept for that device; or in the memory behind `content`,
    when that is such memory already.
    """
    queue = _queue_on(device, cls)
    buffer = memoryview(content)
    memory = _memory_behind(buffer, usm_type, queue.sycl_device, _dtype(dtype).alignment)
    if memory is not None:
        array = USMArray(shape, dtype, memory, order=order)
        readonly = readonly or buffer.readonly
    else:
        array = _new_array(shape, dtype, usm_type, queue, None, order, False)
        if buffer.nbytes != array.nbytes:
            raise ValueError(
                f"buffer of a {cls.__name__}: expected {array.nbytes} bytes, found {buffer.nbytes}"
            )
        array.base.copy_from_host(PickleBuffer(buffer).raw())
    return instance_of_array(cls, array.readonly() if readonly else array)


@or_stand_in
def restore_memory(cls, content, device, readonly):
    """The memory that `reduce_memory` described.

    On the queue that is kept for that device; or the memory behind `content`, when that is such
    memory already.
    """
    queue = _queue_on(device, cls)
    buffer = memoryview(content)
    kind = _kind_class(cls)
    behind = _memory_behind(buffer, _KINDS[kind], queue.sycl_device, alignment=1)
    if behind is None and not readonly:
        memory = new_memory(cls, buffer.nbytes, queue)
        memory.copy_from_host(PickleBuffer(buffer).raw())
        return memory
    if behind is None:
        behind = new_memory(kind, buffer.nbytes, queue)
        behind.copy_from_host(PickleBuffer(buffer).raw())
    bytes_of = USMArray(buffer.nbytes, "u1", behind)
    return _instance_of_memory(
        cls, bytes_of.readonly() if readonly or buffer.readonly else bytes_of
    )


def instance_of_array(cls, array):
    """`array` as one of that class, whose own constructor, unknown here, is not called."""
    if cls is USMArray:
        return array
    made = cls.__new__(cls)
    USMArray.__init__(made, array.shape, array.dtype, array, array.strides, array.offset)
    return made


def new_memory(cls, nbytes, queue):
    """Memory of its own, which the constructors make of at least one byte."""
    if nbytes > 0:
        return _instance_of_memory(cls, nbytes, queue=queue)
    kind = _kind_class(cls)(1, queue=queue).get_usm_type()
    return _instance_of_memory(cls, _new_array(0, "u1", kind, queue, None, "C", zeroed=False))


@or_stand_in
def restore_device(cls, filter_string, uuid):
    """The device that was pickled under that filter string.

    Filter strings count devices, so another machine may have another device under the same one:
    where devices have uuids, that of the same uuid is found, or none. Of the back ends that have
    it, the pickled one is preferred.
    """
    found = [device for device in _get_devices() if _is_device(device, filter_string, uuid)]
    if not found:
        named = f"with uuid {uuid.hex()}" if uuid is not None else "without a uuid"
        there = ", ".join(device.filter_string for device in _get_devices()) or "none"
        raise SyclDeviceCreationError(
            f"{cls.__name__} was pickled as device {filter_string!r} {named}, which does not exist "
            f"here; there are: {there}"
        )
    return cls(max(found, key=lambda device: _likeness(device.filter_string, filter_string)))


def _likeness(found, wanted):
    """How much of a filter string fits: several back ends may have a device, with one uuid."""
    return (found == wanted) + (found.split(":")[0] == wanted.split(":")[0])


def _is_device(device, filter_string, uuid):
    if uuid is None or device.uuid is None:
        return device.uuid == uuid and device.filter_string == filter_string
    return device.uuid == uuid


@or_stand_in
def restore_queue(cls, device, properties, is_kept):
    """A new queue on that device; or the one that usmx keeps for it."""
    return cls(_queue_argument(None, device)) if is_kept else cls(device, property=properties)


@or_stand_in
def restore_place(cls, queue):
    """The Device of that queue."""
    return cls.create_device(queue)


@or_stand_in
def restore_kernel(cls, keywords):
    """A kernel of the same source, which is compiled here, or found in the cache."""
    return cls(**keywords)


def _queue_on(device, cls):
    """Find the queue that is kept for the device that an instance of `cls` was pickled on.

    Where there is no such device, for the one that the environment names for that case, or for the
    default device, with a warning (docs/decisions.md, 104).
    """
    try:
        return _queue_argument(None, device)
    except SyclDeviceCreationError:
        if place := os.environ.get("USMX_UNPICKLE_ON"):
            return _queue_argument(None, place)
    instead = _queue_argument(None, None)
    warnings.warn(
        f"{cls.__name__} was pickled on device {device!r}, which does not exist here: it is put on "
        f"the default device, {instead.sycl_device.filter_string}. USMX_UNPICKLE_ON in the "
        "environment, such as USMX_UNPICKLE_ON=cpu, names a device for this case",
        RuntimeWarning,
        stacklevel=4,
    )
    return instead


def _memory_behind(buffer, usm_type, device, alignment):
    """The memory object or array that gives `buffer`, if all of it and what was pickled."""
    owner = buffer.obj
    if not (isinstance(owner, (_Memory, USMArray)) and buffer.contiguous):
        return None
    memory = as_usm_memory(owner)
    fits = memory.nbytes == buffer.nbytes > 0 and memory._pointer % alignment == 0
    is_such = memory.get_usm_type() == usm_type and memory._own_queue.sycl_device == device
    return memory if fits and is_such else None


def _instance_of_memory(cls, *arguments, **keywords):
    """An instance whose own constructor, of which nothing is known, is not called."""
    kind = _kind_class(cls)
    memory = kind.__new__(cls)
    kind.__init__(memory, *arguments, **keywords)
    return memory


def _kind_class(cls):
    return next(kind for kind in _KINDS if issubclass(cls, kind))
