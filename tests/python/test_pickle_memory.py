"""Memory objects are pickled with kind, bytes, device and read-only flag, and copied on their queue."""

import copy
import pickle
import subprocess
import sys

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, Producer, interface_of, names_in, sub_devices
from leaks import LIMIT, ROUNDS, growth
from usmx.memory import MemoryUSMDevice, MemoryUSMHost, MemoryUSMShared, as_usm_memory

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


class Labelled(MemoryUSMHost):
    """A subclass with attributes and another constructor."""

    def __init__(self, label):
        super().__init__(len(label))
        self.label = [label]
        self.copy_from_host(label)


class Halved(MemoryUSMShared):
    """A subclass that describes itself otherwise."""

    @property
    def __sycl_usm_array_interface__(self):
        return {**super().__sycl_usm_array_interface__, "shape": (self.nbytes // 2,)}


class Slotted(MemoryUSMDevice):
    __slots__ = ("label",)


class Stateful(MemoryUSMDevice):
    def __getstate__(self):
        return [self.label]

    def __setstate__(self, state):
        self.label = f"restored {state[0]}"


@pytest.fixture(params=KINDS)
def cls(request):
    return MEMORY_CLASSES[request.param]


@pytest.fixture
def memory(cls):
    made = cls(16)
    made.copy_from_host(bytes(range(16)))
    return made


def pickled(memory, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(memory, protocol))


def sub_device_queue():
    part = sub_devices()[0]
    return usmx.SyclQueue(dpctl.SyclQueue(dpctl.SyclContext(part), part)._get_capsule())


# ---- pickle


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_memory_comes_back_with_its_kind_and_bytes(cls, memory, protocol):
    restored = pickled(memory, protocol)
    assert type(restored) is cls
    assert restored.tobytes() == bytes(range(16))
    assert restored._pointer != memory._pointer
    assert restored.reference_obj is None
    assert restored.readonly is False
    assert dpctl.memory.as_usm_memory(restored).get_usm_type() == memory.get_usm_type()


def test_pickles_name_only_what_stays_where_it_is(cls, memory):
    expected = {"usmx._unpickling.restore_memory", f"usmx.memory.{cls.__name__}"}
    assert names_in(pickle.dumps(memory, 5)) == expected


def test_memory_comes_back_on_usmx_own_queue_of_its_device(cls):
    restored = pickled(cls(8, queue=usmx.SyclQueue()))
    assert restored.sycl_queue == cls(8).sycl_queue
    assert restored.sycl_device == cls(8).sycl_device


def test_memory_comes_back_in_another_process(memory):
    code = "import pickle, sys; m = pickle.load(sys.stdin.buffer); print(m.get_usm_type(), *m.tobytes())"
    result = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(memory), capture_output=True, check=True
    )
    assert result.stdout.decode().split() == [memory.get_usm_type(), *map(str, range(16))]


def test_restored_memory_can_be_written(memory):
    restored = pickled(memory)
    restored.memset(7)
    assert restored.tobytes() == b"\x07" * 16
    assert memory.tobytes() == bytes(range(16))


def test_read_only_memory_stays_read_only(cls, memory):
    view = as_usm_memory(Producer(interface_of(memory, shape=(2,), data=(memory._pointer, True))))
    restored = pickled(view)
    assert type(restored) is cls
    assert restored.readonly
    assert restored.tobytes() == bytes(range(16))
    with pytest.raises(ValueError, match="read-only"):
        restored.memset(0)


def test_memory_without_bytes_comes_back_without_bytes(cls):
    empty = as_usm_memory(usmx.empty((3, 0), usm_type=cls(1).get_usm_type()))
    restored = pickled(empty)
    assert (type(restored), restored.nbytes, restored.tobytes()) == (cls, 0, b"")


def test_view_of_a_part_is_pickled_alone(cls, memory):
    part = as_usm_memory(usmx.USMArray((4,), "u1", memory, offset=8))
    restored = pickled(part)
    assert restored.tobytes() == bytes(range(8, 12))
    assert restored.reference_obj is None


def test_subclass_keeps_its_class_and_attributes():
    restored = pickled(Labelled(b"mine"))
    assert type(restored) is Labelled
    assert restored.label == [b"mine"]
    assert restored.tobytes() == b"mine"


def test_subclass_keeps_its_slots():
    memory = Slotted(4)
    memory.label = "mine"
    assert pickled(memory).label == copy.copy(memory).label == "mine"


def test_subclass_may_say_what_its_state_is():
    memory = Stateful(4)
    memory.label = "mine"
    for made in (pickled(memory), copy.copy(memory), copy.deepcopy(memory)):
        assert made.label == "restored mine"


def test_subclass_that_describes_itself_otherwise_keeps_all_of_its_bytes():
    memory = Halved(8)
    memory.copy_from_host(b"abcdefgh")
    for restored in (pickled(memory), copy.copy(memory), copy.deepcopy(memory)):
        assert type(restored) is Halved
        assert restored.tobytes() == b"abcdefgh"
        assert usmx.asarray(restored).shape == (4,)


def pickled_elsewhere(memory):
    """What a process would have written whose device this one lacks."""
    here = usmx.SyclDevice().filter_string
    return pickle.dumps(memory, 0).replace(here.encode(), b"cuda:gpu:77")


def test_device_that_is_absent_on_loading_is_the_default_one_with_a_warning(cls, memory):
    here = usmx.SyclDevice().filter_string
    with pytest.warns(RuntimeWarning, match="USMX_UNPICKLE_ON in the environment") as caught:
        restored = pickle.loads(pickled_elsewhere(memory))
    for word in (cls.__name__, "'cuda:gpu:77'", here):
        assert word in str(caught[0].message)
    assert caught[0].filename == __file__
    assert (type(restored), restored.tobytes()) == (cls, bytes(range(16)))
    assert restored.sycl_queue == cls(1).sycl_queue


@pytest.mark.filterwarnings("error")
def test_device_that_is_absent_is_the_one_that_the_environment_names(cls, memory, monkeypatch):
    monkeypatch.setenv("USMX_UNPICKLE_ON", usmx.SyclDevice().filter_string)
    restored = pickle.loads(pickled_elsewhere(memory))
    assert (type(restored), restored.tobytes()) == (cls, bytes(range(16)))


def test_device_that_the_environment_names_has_to_exist(memory, monkeypatch):
    monkeypatch.setenv("USMX_UNPICKLE_ON", "cuda:gpu:78")
    with pytest.warns(RuntimeWarning, match="cuda:gpu:78"):
        restored = pickle.loads(pickled_elsewhere(memory))
    with pytest.raises(usmx.SyclDeviceCreationError, match="cuda:gpu:78"):
        restored.tobytes()


def test_protocol_5_takes_the_bytes_out_of_the_stream(cls):
    memory = cls(1 << 20)
    memory.memset(7)
    buffers = []
    stream = pickle.dumps(memory, 5, buffer_callback=buffers.append)
    assert len(stream) < 1000
    restored = pickle.loads(stream, buffers=[bytes(buffers[0])])
    assert type(restored) is cls
    assert restored.tobytes() == memory.tobytes()
    assert restored._pointer != memory._pointer


@pytest.mark.parametrize("kind", KINDS[1:])
def test_received_memory_of_that_kind_is_used_as_it_is(kind):
    memory = MEMORY_CLASSES[kind](64)
    buffers = []
    stream = pickle.dumps(memory, 5, buffer_callback=buffers.append)
    restored = pickle.loads(stream, buffers=buffers)
    assert (type(restored), restored._pointer) == (type(memory), memory._pointer)
    assert not restored.readonly
    assert pickle.loads(stream, buffers=[memoryview(memory).toreadonly()]).readonly


def test_memory_on_a_sub_device_is_a_value_error(cls):
    memory = cls(8, queue=sub_device_queue())
    with pytest.raises(ValueError, match="memory on a sub-device cannot be pickled"):
        pickle.dumps(memory)


def test_memory_of_a_dpctl_object_is_pickled_as_usmx_memory():
    foreign = dpctl.memory.MemoryUSMShared(4)
    foreign.copy_from_host(np.frombuffer(b"abcd", "u1"))
    restored = pickled(as_usm_memory(foreign))
    assert (type(restored), restored.tobytes()) == (MemoryUSMShared, b"abcd")


def test_memory_pickled_by_dpctl_is_taken_by_usmx(memory):
    theirs = pickle.loads(pickle.dumps(dpctl.memory.as_usm_memory(memory)))
    assert as_usm_memory(theirs).tobytes() == bytes(range(16))


# ---- copy.copy and copy.deepcopy


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_is_new_memory_of_the_same_kind_on_the_same_queue(cls, make):
    memory = cls(4, queue=usmx.SyclQueue())
    memory.copy_from_host(b"abcd")
    made = make(memory)
    memory.memset(0)
    assert type(made) is cls
    assert made.tobytes() == b"abcd"
    assert made.sycl_queue == memory.sycl_queue
    assert made.reference_obj is None


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_on_a_sub_device_stays_there(cls, make):
    memory = cls(4, queue=sub_device_queue())
    assert make(memory).sycl_queue == memory.sycl_queue


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_of_read_only_memory_is_writable(make):
    view = as_usm_memory(usmx.asarray(np.arange(4.0)).readonly())
    assert view.readonly
    assert make(view).readonly is False


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_of_no_bytes_has_no_bytes(make):
    assert make(as_usm_memory(usmx.empty(0))).nbytes == 0


def test_shallow_copy_shares_the_attributes_of_a_subclass_and_a_deep_one_does_not():
    memory = Labelled(b"mine")
    assert copy.copy(memory).label is memory.label
    deep = copy.deepcopy(memory)
    assert deep.label == memory.label
    assert deep.label is not memory.label


def test_deep_copy_copies_each_object_once():
    memory = Labelled(b"mine")
    memory.itself = memory
    deep = copy.deepcopy([memory, memory])
    assert deep[0] is deep[1]
    assert deep[0].itself is deep[0]
    assert deep[0] is not memory
    for each in (memory, deep[0]):
        del each.itself  # a cycle that Python's collector does not see


@pytest.mark.slow
@pytest.mark.parametrize("make", [pickled, copy.copy, copy.deepcopy])
def test_nothing_is_left_behind(make):
    memory = Labelled(b"mine")
    assert growth(lambda: make(memory), ROUNDS // 3 * 2) < LIMIT
