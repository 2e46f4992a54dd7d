"""`data` missing or None: the producer's own PEP 3118 buffer says where the bytes are.

It gives pointer, read-only flag and size, must be host-accessible USM of the context of `syclobj`,
and is held for as long as the view.
"""

import ctypes
import gc
import sys
import threading
import weakref

import dpctl
import dpctl.memory
import dpnp
import numpy as np
import pytest
import usmx
from helpers import MEMORY_CLASSES, interface_of, need_contexts_apart, sub_devices
from leaks import LIMIT, ROUNDS, failing, growth
from usmx.memory import MemoryUSMDevice, MemoryUSMShared, as_usm_memory

HOST_KINDS = ("shared", "host")
TAKE = {
    "from_usm_array_interface": usmx.from_usm_array_interface,
    "asarray": usmx.asarray,
    "as_usm_memory": as_usm_memory,
    "USMArray": lambda p: usmx.USMArray((1,), "u1", p),
}


class Buffer(np.ndarray):
    """A producer that has a buffer: NumPy's, of memory that NumPy does not know to be USM."""


def described(buffer, interface):
    producer = np.asarray(buffer).view(Buffer)
    producer.__sycl_usm_array_interface__ = interface
    return producer


def without_data(memory, buffer=None, **changes):
    """A producer of 3x4 doubles at the start of a memory object's buffer, or of another one."""
    interface = interface_of(memory, **changes)
    interface.pop("data", None)
    return described(memory if buffer is None else buffer, interface)


def new_memory(origin, kind, nbytes=96):
    module = usmx.memory if origin == "usmx" else dpctl.memory
    memory = getattr(module, f"MemoryUSM{kind.capitalize()}")(nbytes)
    memory.copy_from_host(np.arange(nbytes // 8, dtype="f8").view("u1"))
    return memory


@pytest.fixture(params=["usmx", "dpctl"])
def origin(request):
    return request.param


@pytest.fixture(params=HOST_KINDS)
def memory(request, origin):
    return new_memory(origin, request.param)


@pytest.fixture(params=TAKE.values(), ids=TAKE)
def take(request):
    return request.param


# ---- what is accepted


@pytest.mark.parametrize("given", ["missing", "None"])
def test_buffer_takes_the_place_of_data(memory, given):
    producer = without_data(memory)
    if given == "None":
        producer.__sycl_usm_array_interface__["data"] = None
    view = usmx.from_usm_array_interface(producer)
    assert view._pointer == memory._pointer
    assert view.usm_type == memory.get_usm_type()
    assert usmx.asnumpy(view).tolist() == np.arange(12.0).reshape(3, 4).tolist()


def test_view_is_of_the_bytes_of_the_buffer_itself(memory):
    view = usmx.asarray(without_data(memory))
    np.asarray(view)[2, 3] = -1
    assert np.frombuffer(memory, "f8")[11] == -1


def test_every_way_to_import_takes_the_buffer(memory, take):
    assert take(without_data(memory))._pointer == memory._pointer


def test_memory_of_the_producer_is_what_its_elements_span(memory):
    taken = as_usm_memory(without_data(memory, shape=(2, 2), strides=(-4, 1), offset=5))
    assert (taken._pointer, taken.nbytes) == (memory._pointer + 8, 48)
    assert type(taken) is MEMORY_CLASSES[memory.get_usm_type()]


def test_elements_count_from_the_start_of_the_buffer(memory):
    part = np.frombuffer(memory, "f8")[2:]
    view = usmx.asarray(without_data(memory, part, shape=(2, 3), strides=(3, -1), offset=2))
    assert usmx.asnumpy(view).tolist() == [[4, 3, 2], [7, 6, 5]]


@pytest.mark.parametrize(
    "buffer",
    [
        lambda flat: flat.view("f8"),
        lambda flat: flat.view("i2").reshape(4, 12),
        lambda flat: flat.reshape(8, 12).T,
        lambda flat: flat.view("i4,f4"),
        lambda flat: flat.view("M8[s]"),
        lambda flat: flat.view("S3"),
    ],
    ids=["doubles", "matrix", "fortran", "structured", "dates", "text"],
)
def test_buffer_may_have_any_format_and_either_order(memory, buffer):
    view = usmx.asarray(without_data(memory, buffer(np.frombuffer(memory, "u1"))))
    assert (view.shape, view._pointer) == ((3, 4), memory._pointer)


@pytest.mark.parametrize(
    "syclobj",
    [
        lambda queue: queue,
        lambda queue: queue.sycl_context,
        lambda queue: queue._get_capsule(),
        lambda queue: queue.sycl_context._get_capsule(),
        lambda queue: usmx.SyclDevice().filter_string,
    ],
    ids=["queue", "context", "queue capsule", "context capsule", "filter string"],
)
def test_syclobj_may_have_every_form(memory, syclobj):
    view = usmx.asarray(without_data(memory, syclobj=syclobj(memory.sycl_queue)))
    assert view.usm_type == memory.get_usm_type()


def test_subclass_of_a_memory_class_may_leave_data_out():
    class Bare(MemoryUSMShared):
        @property
        def __sycl_usm_array_interface__(self):
            interface = super().__sycl_usm_array_interface__
            del interface["data"]
            return interface

    bare = Bare(16)
    assert usmx.asarray(bare)._pointer == bare._pointer
    assert usmx.asarray(bare).base.reference_obj is bare


def test_consumers_take_what_is_made_of_it(memory):
    view = usmx.asarray(without_data(memory))
    assert dpctl.memory.as_usm_memory(view)._pointer == memory._pointer
    assert dpnp.tensor.asnumpy(dpnp.tensor.asarray(view)).tolist() == usmx.asnumpy(view).tolist()


def test_data_that_is_there_is_used_and_no_buffer():
    shared = new_memory("usmx", "shared")
    other = new_memory("usmx", "shared")
    producer = without_data(shared)
    producer.__sycl_usm_array_interface__["data"] = (other._pointer, False)
    assert usmx.asarray(producer)._pointer == other._pointer


def test_no_elements_need_a_buffer_of_any_memory():
    memory = new_memory("usmx", "shared")
    view = usmx.asarray(without_data(memory, np.zeros(3), shape=(0, 4)))
    assert (view.shape, view.size) == ((0, 4), 0)


# ---- read-only


def test_read_only_buffer_gives_a_read_only_view(memory):
    buffer = np.frombuffer(memory, "u1")
    buffer.flags.writeable = False
    producer = without_data(memory, buffer)
    assert usmx.asarray(producer).flags.writable is False
    taken = as_usm_memory(producer)
    assert taken.readonly
    with pytest.raises(ValueError, match="read-only"):
        taken.memset(0)


def test_writable_buffer_gives_a_writable_view(memory):
    assert usmx.asarray(without_data(memory)).flags.writable


# ---- what is refused


def test_producer_without_a_buffer_is_a_value_error_that_says_so(take):
    class Bare:
        __sycl_usm_array_interface__ = interface_of(MemoryUSMShared(96))

    del Bare.__sycl_usm_array_interface__["data"]
    with pytest.raises(ValueError, match=r"'data' must be .*Bare has no buffer"):
        take(Bare())


def test_buffer_that_is_not_given_is_a_value_error_with_the_reason(take):
    memory = MemoryUSMShared(192)
    strided = without_data(memory, np.frombuffer(memory, "f8")[::2])
    with pytest.raises(
        ValueError, match="'data' is missing or None, and Buffer gives no contig"
    ) as e:
        take(strided)
    assert isinstance(e.value.__cause__, ValueError)


@pytest.mark.usefixtures("strict_host")
def test_device_memory_gives_no_buffer(take):
    class Bare(MemoryUSMDevice):
        @property
        def __sycl_usm_array_interface__(self):
            return {**super().__sycl_usm_array_interface__, "data": None}

    with pytest.raises(ValueError, match="'data' is missing or None, and Bare gives no") as caught:
        take(Bare(8))
    assert isinstance(caught.value.__cause__, TypeError)


def test_buffer_of_host_memory_is_a_value_error_that_says_so(take):
    memory = MemoryUSMShared(96)
    for buffer in (np.zeros(12), np.frombuffer(bytes(96), "u1")):
        with pytest.raises(ValueError, match="host-accessible USM .*found no USM at 0x"):
            take(without_data(memory, buffer))


def test_buffer_of_device_memory_is_a_value_error_that_says_so(origin, take):
    memory = new_memory(origin, "device")
    lent = (ctypes.c_char * 96).from_address(memory._pointer)
    with pytest.raises(ValueError, match="host-accessible USM .*found device memory at 0x"):
        take(without_data(memory, np.frombuffer(lent, "u1")))


def test_buffer_of_another_context_is_a_value_error(memory, take):
    need_contexts_apart()
    parts = sub_devices()
    elsewhere = dpctl.SyclContext(parts[0])
    with pytest.raises(ValueError, match="host-accessible USM .*found no USM at 0x"):
        take(without_data(memory, syclobj=elsewhere))


@pytest.mark.parametrize(
    ("changes", "first", "last"),
    [
        ({"shape": (3, 5)}, 0, 119),
        ({"offset": 1}, 8, 103),
        ({"offset": -1}, -8, 87),
        ({"offset": 12}, 96, 191),
        ({"offset": 2**59}, 2**62, 2**62 + 95),
        ({"strides": (-4, 1)}, -64, 31),
        ({"strides": (8, 1)}, 0, 159),
    ],
)
def test_elements_outside_of_the_buffer_are_a_value_error_with_the_bytes(
    take, changes, first, last
):
    memory = MemoryUSMShared(960)
    middle = np.frombuffer(memory, "u1")[480:576]
    with pytest.raises(ValueError, match="lie in the buffer") as caught:
        take(without_data(memory, middle, **changes))
    assert f"its 96, found bytes {first} to {last} " in str(caught.value)


def test_empty_buffer_has_no_room_for_elements(take):
    memory = MemoryUSMShared(96)
    with pytest.raises(ValueError, match="'data'"):
        take(without_data(memory, np.frombuffer(memory, "u1")[:0]))


def test_buffer_must_be_aligned_for_the_elements():
    memory = MemoryUSMShared(128)
    with pytest.raises(ValueError, match="aligned to 8"):
        usmx.asarray(without_data(memory, np.frombuffer(memory, "u1")[1:97]))


def test_other_errors_of_the_dictionary_stay_the_same(memory):
    with pytest.raises(ValueError, match="'typestr'"):
        usmx.asarray(without_data(memory, typestr=">f8"))
    with pytest.raises(TypeError, match="'syclobj'"):
        usmx.asarray(without_data(memory, syclobj=5))


# ---- lifetime


def test_view_holds_producer_and_buffer_until_it_goes(memory):
    producer = without_data(memory)
    before = sys.getrefcount(producer)
    view = usmx.asarray(producer)
    part = view[1:]
    assert sys.getrefcount(producer) == before + 2  # the producer, and its buffer
    assert view.base.reference_obj is producer
    del view
    assert sys.getrefcount(producer) == before + 2
    del part
    assert sys.getrefcount(producer) == before


def test_producer_lives_exactly_as_long_as_the_view():
    producer = without_data(MemoryUSMShared(96))
    view = usmx.asarray(producer)
    reference = weakref.ref(producer)
    del producer
    gc.collect()
    assert usmx.asnumpy(view).shape == (3, 4)
    assert reference() is view.base.reference_obj
    del view
    gc.collect()
    assert reference() is None


def test_memory_that_is_lent_as_a_buffer_cannot_go_before_the_view():
    memory = MemoryUSMShared(96)
    reference = weakref.ref(memory)
    view = usmx.asarray(without_data(memory))
    del memory
    gc.collect()
    assert reference() is not None
    del view
    gc.collect()
    assert reference() is None


def test_refused_producer_gets_its_buffer_back():
    producer = without_data(MemoryUSMShared(96), shape=(3, 5))
    before = sys.getrefcount(producer)
    for take in TAKE.values():
        with pytest.raises(ValueError, match="lie in the buffer"):
            take(producer)
    gc.collect()
    assert sys.getrefcount(producer) == before


def test_view_may_be_released_by_another_thread():
    producer = without_data(MemoryUSMShared(96))
    before = sys.getrefcount(producer)
    views = [usmx.asarray(producer) for _ in range(50)]
    thread = threading.Thread(target=views.clear)
    thread.start()
    thread.join()
    assert sys.getrefcount(producer) == before


def test_memory_that_was_never_constructed_has_no_buffer():
    class Unfinished(MemoryUSMShared):
        def __init__(self):
            """Never constructs what would lend the buffer."""

        @property
        def __sycl_usm_array_interface__(self):
            return interface_of(MemoryUSMShared(96), data=None)

    with pytest.raises(ValueError, match="Unfinished gives no contiguous buffer"):
        usmx.asarray(Unfinished())


def leak_cases():
    memory = MemoryUSMShared(96)
    good = without_data(memory)
    outside = without_data(memory, shape=(3, 5))
    host = without_data(memory, np.zeros(12))
    strided = without_data(memory, np.frombuffer(memory, "f8")[::2])

    class Bare:
        __sycl_usm_array_interface__ = good.__sycl_usm_array_interface__

    bare = Bare()
    return {
        "import": lambda: usmx.asarray(good),
        "memory": lambda: as_usm_memory(good),
        "outside": failing(lambda: usmx.asarray(outside)),
        "no USM": failing(lambda: usmx.asarray(host)),
        "refused": failing(lambda: usmx.asarray(strided)),
        "no buffer": failing(lambda: usmx.asarray(bare)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["import", "memory", "outside", "no USM", "refused", "no buffer"])
def test_nothing_is_left_behind(name):
    assert growth(leak_cases()[name], ROUNDS) < LIMIT
