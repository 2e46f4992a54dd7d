"""Read-only is honoured: no write, and no writable buffer, leaves a read-only view."""

import dpctl.memory
import dpnp
import numpy as np
import pytest
import usmx
from helpers import (
    DENSITY,
    HOST_KINDS,
    KINDS,
    MEMORY_CLASSES,
    WRITABLE,
    Producer,
    interface_of,
    output_of,
    producer_of,
    requested_buffer,
)
from usmx.memory import MemoryUSMShared, as_usm_memory


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def readonly_producer(kind="shared", nbytes=96):
    memory = MEMORY_CLASSES[kind](nbytes)
    memory.memset(1)
    return producer_of(memory, data=(memory._pointer, True))


def derived(view):
    """What can be made of a view without a copy."""
    yield view
    yield view[...]
    yield view[1:, ::-1]
    yield view[0, 0]
    yield view.T
    yield view.mT
    yield view.real
    yield view.readonly()
    yield usmx.asarray(view)
    yield usmx.from_usm_array_interface(view)
    yield usmx.from_usm_array_interface(Producer(view.__sycl_usm_array_interface__, view))
    yield usmx.USMArray((2,), "f8", view)
    yield usmx.USMArray((2,), "f8", as_usm_memory(view))
    yield usmx.asarray(as_usm_memory(view))


def test_readonly_gives_a_view_and_leaves_the_array(kind):
    array = usmx.empty((3, 4), usm_type=kind)
    view = array.readonly()
    assert view.flags.writable is view.flags.writeable is view.flags["W"] is False
    assert array.flags.writable
    assert view.base is array.base
    assert view._pointer == array._pointer
    assert view.readonly().flags.writable is False


def test_everything_derived_from_a_readonly_view_is_readonly(kind):
    view = usmx.zeros((3, 4), usm_type=kind).readonly()
    for each in derived(view):
        assert each.flags.writable is False
        assert each.__sycl_usm_array_interface__["data"][1] is True


def test_everything_derived_from_a_readonly_producer_is_readonly(kind):
    view = usmx.asarray(readonly_producer(kind))
    for each in derived(view):
        assert each.flags.writable is False
        assert each.__sycl_usm_array_interface__["data"][1] is True


def test_everything_derived_from_a_writable_array_is_writable(kind):
    for each in derived(usmx.zeros((3, 4), usm_type=kind)):
        if each.dtype == np.float64 and not each.flags.writable:
            assert each.size == 12  # only the one that readonly() gave
    assert usmx.zeros((3, 4), usm_type=kind)[1:].flags.writable


def test_components_of_readonly_complex_elements_are_readonly(kind):
    view = usmx.zeros((3, 4), "c8", usm_type=kind).readonly()
    assert view.real.flags.writable is False
    assert view.imag.flags.writable is False


def test_copy_of_a_readonly_array_is_writable(kind):
    view = usmx.zeros((3, 4), usm_type=kind).readonly()
    assert usmx.asarray(view, copy=True).flags.writable
    assert usmx.asnumpy(view).flags.writeable
    memory = as_usm_memory(view)
    assert type(memory)(memory, copy=True).readonly is False
    assert usmx.USMArray((2,), buffer=view, buffer_ctor_kwargs={"copy": True}).flags.writable


@pytest.mark.parametrize("name", ["writable", "writeable"])
def test_flag_can_be_cleared_but_never_set_again(name):
    array = usmx.empty((3, 4))
    before = array[1:]
    setattr(array.flags, name, True)
    assert array.flags.writable
    setattr(array.flags, name, False)
    assert array.flags.writable is False
    assert array[1:].flags.writable is False
    assert before.flags.writable
    with pytest.raises(ValueError, match="read-only"):
        setattr(array.flags, name, True)
    setattr(array.flags, name, False)
    assert array.flags.writable is False


@pytest.mark.parametrize("key", ["WRITABLE", "WRITEABLE", "W"])
def test_flag_can_be_cleared_by_key(key):
    array = usmx.empty(3)
    array.flags[key] = False
    assert array.flags[key] is False
    with pytest.raises(ValueError, match="read-only"):
        array.flags[key] = True


def test_readonly_array_of_a_readonly_producer_cannot_be_made_writable():
    view = usmx.asarray(readonly_producer())
    with pytest.raises(ValueError, match="read-only"):
        view.flags.writable = True


# ---- memory


@pytest.mark.parametrize(
    "write",
    [
        lambda memory: memory.memset(0),
        lambda memory: memory.copy_from_host(bytes(8)),
        lambda memory: memory.copy_from_host(b""),
        lambda memory: memory.copy_from_device(MemoryUSMShared(8)),
    ],
    ids=["memset", "copy_from_host", "nothing", "copy_from_device"],
)
@pytest.mark.parametrize(
    "make",
    [as_usm_memory, lambda p: as_usm_memory(usmx.asarray(p)), lambda p: usmx.asarray(p).base],
    ids=["of the producer", "of an array", "base"],
)
def test_readonly_memory_cannot_be_written(kind, make, write):
    memory = make(readonly_producer(kind))
    assert memory.readonly is True
    with pytest.raises(ValueError, match="read-only"):
        write(memory)
    assert memory.tobytes() == b"\x01" * 96


def test_memory_of_a_readonly_array_is_readonly_and_the_arrays_own_is_not(kind):
    array = usmx.zeros(3, usm_type=kind)
    memory = as_usm_memory(array.readonly())
    assert memory.readonly is True
    assert as_usm_memory(memory).readonly is True
    assert MEMORY_CLASSES[kind](memory).readonly is True
    assert array.base.readonly is False


def test_readonly_memory_says_so(kind):
    memory = as_usm_memory(readonly_producer(kind))
    assert memory.__sycl_usm_array_interface__["data"] == (memory._pointer, True)
    assert "read-only" in repr(memory)


# ---- buffers


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_readonly_view_gives_only_readonly_buffers(kind):
    for each in derived(usmx.zeros((3, 4), usm_type=kind).readonly()):
        assert memoryview(each).readonly is True
        assert np.asarray(each).flags.writeable is False
        with pytest.raises(BufferError, match="read-only"), requested_buffer(each, WRITABLE):
            pass


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_readonly_memory_gives_only_readonly_buffers(kind):
    memory = as_usm_memory(readonly_producer(kind))
    assert memoryview(memory).readonly is True
    assert np.asarray(memory).flags.writeable is False
    with pytest.raises(ValueError, match="writeable|WRITEABLE"):
        np.asarray(memory).flags.writeable = True
    with pytest.raises(BufferError, match="read-only"), requested_buffer(memory, WRITABLE):
        pass


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_buffer_taken_before_the_flag_was_cleared_stays_as_it_was(kind):
    array = usmx.zeros(3, usm_type=kind)
    view = np.asarray(array)
    array.flags.writable = False
    assert view.flags.writeable
    assert np.asarray(array).flags.writeable is False


# ---- whose flag is believed


@pytest.mark.parametrize("kind", KINDS)
def test_dpctls_memory_is_writable_although_it_says_otherwise(kind):
    memory = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")(16)
    assert memory.__sycl_usm_array_interface__["data"][1] is True
    for take in (usmx.asarray, usmx.from_usm_array_interface):
        assert take(memory).flags.writable
    assert as_usm_memory(memory).readonly is False
    as_usm_memory(memory).memset(3)
    assert memory.tobytes() == b"\x03" * 16


def test_subclass_of_dpctls_memory_is_writable_unless_it_describes_itself():
    class Plain(dpctl.memory.MemoryUSMShared):
        pass

    class Describing(dpctl.memory.MemoryUSMShared):
        @property
        def __sycl_usm_array_interface__(self):
            return super().__sycl_usm_array_interface__

    assert usmx.asarray(Plain(16)).flags.writable
    assert usmx.asarray(Describing(16)).flags.writable is False


def test_dictionary_of_dpctls_memory_in_other_hands_is_believed():
    memory = dpctl.memory.MemoryUSMShared(16)
    producer = Producer(memory.__sycl_usm_array_interface__, memory)
    assert usmx.asarray(producer).flags.writable is False


def test_dpnps_flag_is_believed():
    array = dpnp.zeros(4, usm_type="shared")
    assert usmx.asarray(array).flags.writable
    array.flags.writable = False
    view = usmx.asarray(array)
    assert view.flags.writable is False
    assert np.asarray(view).flags.writeable is False


def test_usmx_own_memory_says_the_truth():
    memory = MemoryUSMShared(96)
    assert usmx.asarray(Producer(memory.__sycl_usm_array_interface__, memory)).flags.writable
    assert usmx.asarray(Producer(interface_of(memory), memory)).flags.writable


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(128, 128), (2,) * 14], ids=["2 dimensions", "14 dimensions"])
@pytest.mark.parametrize("read", ["a.copy()", "a[..., ::2].copy()", "usmx.asnumpy(a)"])
def test_array_may_become_read_only_while_threads_read_it(shape, read):
    # In a process of its own: what goes wrong here may end it
    code = f"""
import sys, threading, time, usmx
sys.setswitchinterval(1e-6)
a = usmx.ones({shape}, usm_type="shared")
# Who reads waits for the queue first, without the interpreter lock
known = a.__sycl_usm_array_interface__, a.sycl_queue._get_capsule()
flags = a.flags
done = threading.Event()
def work():
    while not done.is_set():
        {read}
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
end = time.monotonic() + {2 * DENSITY}
while time.monotonic() < end:
    for _ in range(1000):
        flags.writable = False
done.set()
for thread in threads:
    thread.join()
print(a.flags.writable, a.shape, usmx.asnumpy(a).sum())
"""
    assert output_of(code) == f"False {shape} 16384.0"


def test_array_that_became_read_only_leaves_views_made_before_writable(kind):
    array = usmx.zeros((3, 4), usm_type=kind)
    before = array[1:]
    array.flags.writable = False
    after = array[1:]
    before[...] = 1
    with pytest.raises(ValueError, match="read-only"):
        after[...] = 2
    assert (array.flags.writable, before.flags.writable) == (False, True)
    assert usmx.asnumpy(array).tolist() == [[0] * 4, [1] * 4, [1] * 4]
