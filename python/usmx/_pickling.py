"""How arrays and memory objects are pickled and copied: subclasses keep their class and attributes.

docs/concepts.md says what is shared and what is copied.
"""

from copy import deepcopy
from pickle import PickleBuffer

from usmx._core import MemoryUSMHost, _give_back_surplus, as_usm_memory
from usmx._unpickling import instance_of_array, new_memory, restore_array, restore_memory


def reduce_array(array, protocol):
    """The parts that pickle writes for an array. A sub-device has no filter string: ValueError."""
    device = device_name(array, "an array")
    packed = array if array.flags.forc else array.copy()
    arguments = (
        type(array),
        content_of(as_usm_memory(packed), protocol),
        array.dtype.str if array.dtype.names is None else array.dtype,
        array.shape,
        "F" if array.flags.fnc else "C",
        array.usm_type,
        device,
        not array.flags.writable,
    )
    state = array.__getstate__()
    return (restore_array, arguments) if state is None else (restore_array, arguments, state)


def copy_array(array, memo):
    """Copy an array: for copy.copy (`memo` is None) and copy.deepcopy."""
    duplicate = instance_of_array(type(array), array.copy(order="K"))
    return with_state_of(array, duplicate, memo)


def reduce_memory(memory, protocol):
    """The parts that pickle writes for memory. A sub-device has no filter string: ValueError."""
    device = device_name(memory, "memory")
    state = memory.__getstate__()
    arguments = (type(memory), content_of(memory, protocol), device, memory.readonly)
    return (restore_memory, arguments) if state is None else (restore_memory, arguments, state)


def content_of(memory, protocol):
    """The bytes, as pickle's protocol has them: from 5 on as a buffer, without a copy if possible.

    Device memory is copied to host memory of the pool, which is there already if anything of this
    size was pickled before. In a fresh bytes object, each page would first have to be made. It is
    taken where the pool finds no memory: an error would hang Dask (docs/decisions.md, 112).

    The pools give back what is free beyond their limits (docs/decisions.md, 105).
    """
    _give_back_surplus()
    if protocol < 5:
        return memory.tobytes()
    if memory.get_usm_type() != "device":
        return PickleBuffer(memory)
    if memory.nbytes == 0:
        return PickleBuffer(b"")
    try:
        return PickleBuffer(MemoryUSMHost(memory, queue=memory._own_queue, copy=True))
    except MemoryError:
        return PickleBuffer(memory.tobytes())


def copy_memory(memory, memo):
    """Copy a memory object: for copy.copy (`memo` is None) and copy.deepcopy."""
    duplicate = new_memory(type(memory), memory.nbytes, memory._own_queue)
    duplicate._copy_own_bytes(memory)
    return with_state_of(memory, duplicate, memo)


def device_name(pickled, what):
    """The filter string of the device. A sub-device has none: ValueError."""
    try:
        return pickled._own_queue.sycl_device.filter_string
    except ValueError as error:
        raise ValueError(f"{what} on a sub-device cannot be pickled: {pickled!r}") from error


def with_state_of(original, duplicate, memo):
    """The duplicate, with what a subclass has added to the original; `memo` as in `copy_memory`."""
    if memo is not None:
        memo[id(original)] = duplicate
    state = original.__getstate__()
    if state is not None:
        _set_state(duplicate, state if memo is None else deepcopy(state, memo))
    return duplicate


def _set_state(instance, state):
    """Set the state of an object as pickle does."""
    if hasattr(instance, "__setstate__"):
        instance.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    if attributes:
        instance.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(instance, name, value)
