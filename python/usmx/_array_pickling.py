"""How arrays are pickled and copied: subclasses keep their class and attributes.

docs/concepts.md says what is shared and what is copied.
"""

from copy import deepcopy
from pickle import PickleBuffer

from usmx._core import USMArray, _Memory, _new_array
from usmx._host import _numpy
from usmx._pickling import device_name, queue_on, set_state
from usmx.memory import as_usm_memory


def reduce_array(array, protocol):
    """What pickle writes for an array. A sub-device has no filter string: ValueError."""
    device = device_name(array, "an array")
    packed = array if array.flags.forc else array.copy()
    content = _content(as_usm_memory(packed))
    arguments = (
        type(array),
        PickleBuffer(content) if protocol >= 5 else bytes(content),
        array.dtype.str if array.dtype.names is None else array.dtype,
        array.shape,
        _order(array),
        array.usm_type,
        device,
        not array.flags.writable,
    )
    state = array.__getstate__()
    return (restore_array, arguments) if state is None else (restore_array, arguments, state)


def restore_array(cls, content, dtype, shape, order, usm_type, device, readonly):
    """The array that `reduce_array` described.

    In new memory, on usmx's own queue of that device; or in the memory behind `content`, when that
    is such memory already.
    """
    queue = queue_on(device, cls)
    buffer = memoryview(content)
    memory = _memory_behind(buffer, usm_type, queue.sycl_device, _numpy().dtype(dtype).alignment)
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
    return _instance(cls, array.readonly() if readonly else array)


def copy_array(array, memo):
    """For copy.copy (`memo` is None) and copy.deepcopy."""
    duplicate = _instance(type(array), array.copy(order="K"))
    if memo is not None:
        memo[id(array)] = duplicate
    state = array.__getstate__()
    if state is not None:
        set_state(duplicate, state if memo is None else deepcopy(state, memo))
    return duplicate


def _order(array):
    return "F" if array.flags.fnc else "C"


def _content(memory):
    """The bytes: the memory itself where the host may read it."""
    return memory.tobytes() if memory.get_usm_type() == "device" else memory


def _memory_behind(buffer, usm_type, device, alignment):
    """The memory object or array that gives `buffer`, if all of it and what was pickled."""
    owner = buffer.obj
    if not (isinstance(owner, (_Memory, USMArray)) and buffer.contiguous):
        return None
    memory = as_usm_memory(owner)
    fits = memory.nbytes == buffer.nbytes > 0 and memory._pointer % alignment == 0
    is_such = memory.get_usm_type() == usm_type and memory.sycl_device == device
    return memory if fits and is_such else None


def _instance(cls, array):
    """`array` as one of that class, whose own constructor, unknown here, is not called."""
    if cls is USMArray:
        return array
    made = cls.__new__(cls)
    USMArray.__init__(made, array.shape, array.dtype, array, array.strides, array.offset)
    return made
