"""How memory objects are pickled and copied: subclasses keep their class and attributes.

Arrays: _array_pickling.py.
"""

from copy import deepcopy

from usmx._core import (
    MemoryUSMDevice,
    MemoryUSMHost,
    MemoryUSMShared,
    SyclDeviceCreationError,
    USMArray,
    _new_array,
    _queue_argument,
)

_KINDS = (MemoryUSMDevice, MemoryUSMShared, MemoryUSMHost)


def reduce_memory(memory):
    """What pickle writes for a memory object. A sub-device has no filter string: ValueError."""
    device = device_name(memory, "memory")
    state = memory.__getstate__()
    arguments = (type(memory), memory.tobytes(), device, memory.readonly)
    return (restore_memory, arguments) if state is None else (restore_memory, arguments, state)


def restore_memory(cls, content, device, readonly):
    """The memory that `reduce_memory` described, on usmx's own queue of that device."""
    queue = queue_on(device, cls)
    if not readonly:
        memory = _new_memory(cls, len(content), queue)
        memory.copy_from_host(content)
        return memory
    owner = _new_memory(_kind_class(cls), len(content), queue)
    owner.copy_from_host(content)
    return _instance(cls, USMArray(len(content), "u1", owner).readonly())


def copy_memory(memory, memo):
    """For copy.copy (`memo` is None) and copy.deepcopy."""
    duplicate = _new_memory(type(memory), memory.nbytes, memory.sycl_queue)
    duplicate._copy_own_bytes(memory)
    if memo is not None:
        memo[id(memory)] = duplicate
    state = memory.__getstate__()
    if state is not None:
        set_state(duplicate, state if memo is None else deepcopy(state, memo))
    return duplicate


def device_name(pickled, what):
    """The filter string of the device. A sub-device has none: ValueError."""
    try:
        return pickled.sycl_device.filter_string
    except ValueError as error:
        raise ValueError(f"{what} on a sub-device cannot be pickled: {pickled!r}") from error


def queue_on(device, cls):
    """Find usmx's own queue of the device that an instance of `cls` was pickled on."""
    try:
        return _queue_argument(None, device)
    except SyclDeviceCreationError as error:
        raise SyclDeviceCreationError(
            f"{cls.__name__} was pickled on device {device!r}, which is not here: {error}"
        ) from error


def set_state(instance, state):
    """What pickle does with the state of an object."""
    if hasattr(instance, "__setstate__"):
        instance.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    if attributes:
        instance.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(instance, name, value)


def _new_memory(cls, nbytes, queue):
    """Memory of its own, which the constructors make of at least one byte."""
    if nbytes > 0:
        return _instance(cls, nbytes, queue=queue)
    kind = _kind_class(cls)(1, queue=queue).get_usm_type()
    return _instance(cls, _new_array(0, "u1", kind, queue, None, "C", zeroed=False))


def _instance(cls, *arguments, **keywords):
    """An instance whose own constructor, of which nothing is known, is not called."""
    kind = _kind_class(cls)
    memory = kind.__new__(cls)
    kind.__init__(memory, *arguments, **keywords)
    return memory


def _kind_class(cls):
    return next(kind for kind in _KINDS if issubclass(cls, kind))
