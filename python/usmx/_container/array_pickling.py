"""How arrays are pickled and copied: subclasses keep their class and attributes.

docs/concepts.md says what is shared and what is copied.
"""

from usmx._core import as_usm_memory
from usmx._memory_pickling import content_of, device_name, with_state_of
from usmx._unpickling import instance_of_array, restore_array


def reduce_array(array, protocol):
    """What pickle writes for an array. A sub-device has no filter string: ValueError."""
    device = device_name(array, "an array")
    packed = array if array.flags.forc else array.copy()
    arguments = (
        type(array),
        content_of(as_usm_memory(packed), protocol),
        array.dtype.str if array.dtype.names is None else array.dtype,
        array.shape,
        _order(array),
        array.usm_type,
        device,
        not array.flags.writable,
    )
    state = array.__getstate__()
    return (restore_array, arguments) if state is None else (restore_array, arguments, state)


def copy_array(array, memo):
    """For copy.copy (`memo` is None) and copy.deepcopy."""
    duplicate = instance_of_array(type(array), array.copy(order="K"))
    return with_state_of(array, duplicate, memo)


def _order(array):
    return "F" if array.flags.fnc else "C"
