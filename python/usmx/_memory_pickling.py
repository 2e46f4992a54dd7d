"""How memory objects are pickled and copied: subclasses keep their class and attributes.

Arrays: _container/array_pickling.py.
"""

from copy import deepcopy

from usmx._unpickling import new_memory, restore_memory


def reduce_memory(memory):
    """What pickle writes for a memory object. A sub-device has no filter string: ValueError."""
    device = device_name(memory, "memory")
    state = memory.__getstate__()
    arguments = (type(memory), memory.tobytes(), device, memory.readonly)
    return (restore_memory, arguments) if state is None else (restore_memory, arguments, state)


def copy_memory(memory, memo):
    """For copy.copy (`memo` is None) and copy.deepcopy."""
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
    """What pickle does with the state of an object."""
    if hasattr(instance, "__setstate__"):
        instance.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    if attributes:
        instance.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(instance, name, value)
