"""What pickles call to make arrays and memory objects again.

Pickles name this module and its functions, so these must keep their names and places.
What pickles are made of: _memory_pickling.py and _container/array_pickling.py.
"""

from pickle import PickleBuffer

from usmx._core import (
    MemoryUSMDevice,
    MemoryUSMHost,
    MemoryUSMShared,
    SyclDeviceCreationError,
    USMArray,
    _dtype,
    _Memory,
    _new_array,
    _queue_argument,
    as_usm_memory,
)

_KINDS = (MemoryUSMDevice, MemoryUSMShared, MemoryUSMHost)


def restore_array(cls, content, dtype, shape, order, usm_type, device, readonly):
    """The array that `reduce_array` described.

    In new memory, on usmx's own queue of that device; or in the memory behind `content`, when that
    is such memory already.
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


def restore_memory(cls, content, device, readonly):
    """The memory that `reduce_memory` described, on usmx's own queue of that device."""
    queue = _queue_on(device, cls)
    if not readonly:
        memory = new_memory(cls, len(content), queue)
        memory.copy_from_host(content)
        return memory
    owner = new_memory(_kind_class(cls), len(content), queue)
    owner.copy_from_host(content)
    return _instance_of_memory(cls, USMArray(len(content), "u1", owner).readonly())


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


def _queue_on(device, cls):
    """Find usmx's own queue of the device that an instance of `cls` was pickled on."""
    try:
        return _queue_argument(None, device)
    except SyclDeviceCreationError as error:
        raise SyclDeviceCreationError(
            f"{cls.__name__} was pickled on device {device!r}, which does not exist here: {error}"
        ) from error


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
