"""usmx.memory: allocation, views, copies to and from the host, memset."""

import array
import ctypes
import mmap
import operator
import weakref

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS, KINDS, MEMORY_CLASSES, Producer, interface_of, sub_devices
from usmx.memory import MemoryUSMDevice, MemoryUSMHost, MemoryUSMShared, as_usm_memory


@pytest.fixture(params=KINDS)
def cls(request):
    return MEMORY_CLASSES[request.param]


# ---- allocation


@pytest.mark.parametrize("kind", KINDS)
def test_new_memory_has_its_size_and_kind(kind):
    memory = MEMORY_CLASSES[kind](100)
    assert memory.nbytes == memory.size == len(memory) == 100
    assert memory.get_usm_type() == kind
    assert memory.reference_obj is None
    assert memory.readonly is False
    assert dpctl.memory.as_usm_memory(memory).get_usm_type() == kind


def test_new_memory_is_on_usmx_own_queue(cls):
    memory = cls(8)
    assert memory.sycl_queue == usmx.empty(1).sycl_queue
    assert memory.sycl_context == memory.sycl_queue.sycl_context
    assert memory.sycl_device == memory.sycl_queue.sycl_device


def test_new_memory_is_on_the_queue_asked_for(cls):
    queue = usmx.SyclQueue()
    assert cls(8, queue=queue).sycl_queue == queue


@pytest.mark.parametrize("alignment", [1, 2, 8, 64, 256, 4096])
def test_address_is_a_multiple_of_the_alignment(cls, alignment):
    memories = [cls(24, alignment=alignment) for _ in range(4)]
    assert [memory._pointer % alignment for memory in memories] == [0] * 4


@pytest.mark.parametrize("alignment", [3, 6, 100])
def test_alignment_that_is_no_power_of_two_is_a_value_error(cls, alignment):
    with pytest.raises(ValueError, match=f"power of two, found {alignment}"):
        cls(8, alignment=alignment)


@pytest.mark.parametrize("alignment", [-1, 2**63, 2**64])
def test_alignment_that_is_no_size_is_a_value_error(cls, alignment):
    with pytest.raises(ValueError, match=f"alignment.*{alignment}"):
        cls(8, alignment=alignment)


@pytest.mark.parametrize("alignment", [2**32, 2**62])
def test_alignment_that_the_runtime_does_not_keep_is_an_allocation_error(cls, alignment):
    with pytest.raises(usmx.USMAllocationError, match=str(alignment)):
        cls(8, alignment=alignment)


@pytest.mark.parametrize(
    ("keyword", "value"),
    [("alignment", 1.0), ("alignment", "8"), ("alignment", None), ("copy", 1), ("copy", None)],
)
def test_option_of_another_type_is_a_type_error_that_names_it(cls, keyword, value):
    with pytest.raises(TypeError, match=f"'{keyword}' must be .*found {type(value).__name__}"):
        cls(8, **{keyword: value})


@pytest.mark.parametrize("nbytes", [0, -1, -(2**63), 2**63, 2**100])
def test_size_that_cannot_be_is_a_value_error_that_names_it(cls, nbytes):
    with pytest.raises(ValueError, match=str(nbytes)):
        cls(nbytes)


@pytest.mark.parametrize("nbytes", [1.0, "8", None, [8], (8,), b"8"])
def test_size_of_another_type_is_a_type_error_that_names_it(cls, nbytes):
    with pytest.raises(TypeError, match=type(nbytes).__name__):
        cls(nbytes)


@pytest.mark.parametrize("kind", KINDS)
def test_more_memory_than_there_is_is_an_allocation_error(kind):
    with pytest.raises(usmx.USMAllocationError) as caught:
        MEMORY_CLASSES[kind](2**60)
    text = str(caught.value)
    assert isinstance(caught.value, MemoryError)
    assert str(2**60) in text
    assert kind in text
    assert usmx.SyclDevice().name in text


@pytest.mark.parametrize("queue", [5, "cpu", object()])
def test_queue_of_another_type_is_a_type_error_that_names_it(cls, queue):
    with pytest.raises(TypeError, match=type(queue).__name__):
        cls(8, queue=queue)


def test_size_may_be_any_integer_object(cls):
    assert cls(np.int16(12)).nbytes == 12


# ---- copies to and from the host


def test_bytes_come_back_as_they_went_in(cls):
    memory = cls(16)
    memory.copy_from_host(bytes(range(16)))
    assert memory.tobytes() == bytes(memory) == bytes(range(16))
    assert type(memory.tobytes()) is bytes


def test_copy_to_host_makes_a_numpy_array_of_bytes(cls):
    memory = cls(4)
    memory.copy_from_host(b"\x01\x02\x03\x04")
    copied = memory.copy_to_host()
    assert copied.dtype == np.uint8
    assert copied.tolist() == [1, 2, 3, 4]
    copied[0] = 9
    assert memory.tobytes()[0] == 1


@pytest.mark.parametrize(
    "target",
    [bytearray(8), np.empty(1, "f8"), np.empty((2, 2), "i2", order="F"), memoryview(bytearray(8))],
    ids=["bytearray", "f8", "fortran", "memoryview"],
)
def test_copy_to_host_fills_and_returns_the_given_buffer(cls, target):
    memory = cls(8)
    memory.copy_from_host(b"abcdefgh")
    assert memory.copy_to_host(target) is target
    assert memoryview(target).tobytes(order="A") == b"abcdefgh"


def test_copy_to_host_leaves_the_rest_of_a_longer_buffer(cls):
    memory = cls(2)
    memory.copy_from_host(b"ab")
    assert memory.copy_to_host(bytearray(b"....")) == b"ab.."


def test_copy_to_host_refuses_a_buffer_that_is_too_small(cls):
    target = bytearray(b"...")
    with pytest.raises(ValueError, match="at least 4 bytes, found 3"):
        cls(4).copy_to_host(target)
    assert target == b"..."


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (bytes(8), BufferError),
        (np.empty(8, "u1")[::2], ValueError),
        ("text", TypeError),
        ([0] * 8, TypeError),
    ],
    ids=["read-only", "strided", "str", "list"],
)
def test_copy_to_host_refuses_what_it_cannot_fill(cls, target, error):
    with pytest.raises((error, BufferError)):
        cls(4).copy_to_host(target)


@pytest.mark.parametrize(
    "source",
    [
        b"abcdefgh",
        bytearray(b"abcdefgh"),
        np.frombuffer(b"abcdefgh", "f8"),
        np.frombuffer(b"abcdefgh", "i2").reshape(2, 2).T,
        memoryview(b"abcdefgh"),
    ],
    ids=["bytes", "bytearray", "f8", "fortran", "memoryview"],
)
def test_copy_from_host_takes_any_contiguous_buffer(cls, source):
    memory = cls(8)
    assert memory.copy_from_host(source) is None
    assert memory.tobytes() == b"abcdefgh"


FORMATS = {
    "text": np.array(["ab", "cd"]),
    "dates": np.array(["2020-01-01", "2021-01-01"], "M8[D]"),
    "structured": np.zeros(2, "i4,f8"),
    "field named O": np.zeros(2, [("Offset", "i4"), ("O", "f8")]),
    "foreign byte order": np.arange(4, dtype=">f4"),
    "half": np.arange(4, dtype="f2"),
    "long double": np.arange(2, dtype="g"),
    "array.array": array.array("d", [1, 2]),
    "ctypes": (ctypes.c_int * 4)(1, 2, 3, 4),
    "mmap": mmap.mmap(-1, 16),
    "cast memoryview": memoryview(bytearray(range(16))).cast("d"),
    "no elements": np.zeros((0, 3)),
    "0-d": np.array(5.0),
    "fortran": np.asfortranarray(np.arange(6, dtype="i4").reshape(2, 3)),
}


@pytest.mark.parametrize("buffer", FORMATS.values(), ids=FORMATS)
def test_buffers_of_every_format_go_in_and_come_out(cls, buffer):
    content = memoryview(np.asarray(buffer).tobytes("A"))
    memory = cls(max(len(content), 1))
    memory.copy_from_host(buffer)
    assert memory.tobytes()[: len(content)] == content
    if len(content) > 0:
        target = memoryview(bytearray(len(content)))
        assert memory.copy_to_host(target) is target
        assert target == content


@pytest.mark.parametrize(
    "buffer", [b for b in FORMATS.values() if isinstance(b, np.ndarray) and b.size > 0], ids=str
)
def test_arrays_of_every_format_are_filled(cls, buffer):
    memory = cls(buffer.nbytes)
    memory.copy_from_host(buffer)
    target = np.empty_like(buffer)
    memory.copy_to_host(target)
    assert target.tobytes("A") == buffer.tobytes("A")


def test_copy_to_host_does_not_write_over_python_objects(cls):
    for target in (np.array([1, "a", None]), np.zeros(2, [("x", "i8"), ("y", object)])):
        before = target.tolist()
        with pytest.raises(ValueError, match="Python objects"):
            cls(8).copy_to_host(target)
        assert target.tolist() == before


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_source_and_destination_may_overlap(kind):
    memory = MEMORY_CLASSES[kind](10)
    front = as_usm_memory(usmx.USMArray((8,), "u1", memory))
    back = as_usm_memory(usmx.USMArray((8,), "u1", memory, offset=2))
    for move in (
        lambda: back.copy_from_host(memoryview(memory)[:8]),
        lambda: back.copy_from_device(front),
        lambda: front.copy_to_host(memoryview(memory)[2:]),
    ):
        memory.copy_from_host(bytes(range(10)))
        move()
        assert list(memory.tobytes()) == [0, 1, 0, 1, 2, 3, 4, 5, 6, 7]


def test_copy_from_host_leaves_the_rest_of_longer_memory(cls):
    memory = cls(4)
    memory.memset(ord("."))
    memory.copy_from_host(b"ab")
    assert memory.tobytes() == b"ab.."


def test_copy_from_host_refuses_a_source_that_is_too_long(cls):
    memory = cls(4)
    memory.memset(7)
    with pytest.raises(ValueError, match="at most 4 bytes, found 5"):
        memory.copy_from_host(b"abcde")
    assert memory.tobytes() == b"\x07" * 4


@pytest.mark.parametrize(
    ("source", "error"),
    [(np.zeros(8, "u1")[::2], ValueError), ("text", TypeError), (5, TypeError)],
    ids=["strided", "str", "int"],
)
def test_copy_from_host_refuses_what_is_no_contiguous_buffer(cls, source, error):
    with pytest.raises((error, BufferError)):
        cls(8).copy_from_host(source)


@pytest.mark.parametrize("source_kind", KINDS)
def test_copy_from_device_takes_every_kind(cls, source_kind):
    source = MEMORY_CLASSES[source_kind](4)
    source.copy_from_host(b"abcd")
    memory = cls(6)
    memory.memset(ord("."))
    assert memory.copy_from_device(source) is None
    assert memory.tobytes() == b"abcd.."


def test_copy_from_device_takes_the_bytes_that_an_array_touches(cls):
    array = usmx.asarray(np.arange(8, dtype="u1"))
    memory = cls(8)
    memory.memset(255)
    memory.copy_from_device(array[5:1:-2])
    assert list(memory.tobytes()) == [3, 4, 5, 255, 255, 255, 255, 255]


def test_copy_from_device_refuses_a_source_that_is_too_long(cls):
    with pytest.raises(ValueError, match="at most 4 bytes, found 5"):
        cls(4).copy_from_device(MemoryUSMShared(5))


def test_copy_from_device_refuses_what_is_no_producer(cls):
    with pytest.raises(TypeError, match="bytes"):
        cls(4).copy_from_device(b"abcd")


def test_memset_sets_every_byte(cls):
    memory = cls(1000)
    assert memory.memset(171) is None
    assert memory.tobytes() == b"\xab" * 1000
    memory.memset()
    assert memory.tobytes() == bytes(1000)


@pytest.mark.parametrize("value", [-1, 256, 2**31, -(2**40), 2**70])
def test_memset_refuses_what_is_no_byte(cls, value):
    with pytest.raises(ValueError, match=str(value)):
        cls(4).memset(value)


@pytest.mark.parametrize("value", [1.5, "a", None])
def test_memset_refuses_what_is_no_integer(cls, value):
    with pytest.raises(TypeError, match="'val' must be .* found"):
        cls(4).memset(value)


# ---- views


def test_view_of_memory_is_of_the_same_bytes(cls):
    memory = cls(8)
    memory.memset(0)
    view = cls(memory)
    assert view._pointer == memory._pointer
    assert view.nbytes == 8
    assert view.sycl_queue == memory.sycl_queue
    assert view.reference_obj is None  # as dpctl: the bytes are held, not the object
    view.memset(5)
    assert memory.tobytes() == b"\x05" * 8


@pytest.mark.parametrize("kind", KINDS)
def test_as_usm_memory_has_the_class_of_the_kind(kind):
    array = usmx.empty(3, usm_type=kind)
    memory = as_usm_memory(array)
    assert type(memory) is MEMORY_CLASSES[kind]
    assert memory.reference_obj is None
    assert (memory._pointer, memory.nbytes) == (array._pointer, array.nbytes)


@pytest.mark.parametrize(
    ("key", "lowest", "nbytes"),
    [
        (np.s_[:], 0, 96),
        (np.s_[1], 4, 32),
        (np.s_[:, 1:3], 1, 80),
        (np.s_[::-1, ::-1], 0, 96),
        (np.s_[1:, ::-2], 5, 56),
        (np.s_[2, 3], 11, 8),
    ],
)
@pytest.mark.parametrize("make", [as_usm_memory, MemoryUSMShared], ids=["as_usm_memory", "class"])
def test_memory_of_an_array_is_what_its_elements_span(make, key, lowest, nbytes):
    array = usmx.empty((3, 4), usm_type="shared")
    memory = make(array[key])
    assert memory._pointer == array._pointer + 8 * lowest
    assert memory.nbytes == nbytes


@pytest.mark.parametrize("make", [as_usm_memory, MemoryUSMDevice], ids=["as_usm_memory", "class"])
def test_memory_of_no_elements_has_no_bytes(make):
    assert make(usmx.empty((3, 0))).nbytes == 0
    null = Producer({**interface_of(MemoryUSMDevice(8)), "shape": (0,), "data": (0, False)})
    assert make(null).nbytes == 0
    assert make(null).tobytes() == b""


@pytest.mark.parametrize("producer", [5, None, b"abc", np.zeros(3), object()])
def test_as_usm_memory_refuses_what_is_no_producer(producer):
    with pytest.raises(TypeError, match=type(producer).__name__):
        as_usm_memory(producer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_view_must_be_of_the_kind_of_its_class(kind, other):
    source = MEMORY_CLASSES[other](8)
    if kind == other:
        assert MEMORY_CLASSES[kind](source)._pointer == source._pointer
    else:
        with pytest.raises(ValueError, match=f"expected {kind} memory, found {other} memory"):
            MEMORY_CLASSES[kind](source)


@pytest.mark.parametrize("source_kind", KINDS)
def test_copy_of_a_producer_is_new_memory_of_its_class(cls, source_kind):
    source = MEMORY_CLASSES[source_kind](8)
    source.copy_from_host(b"abcdefgh")
    copied = cls(source, copy=True, alignment=128)
    source.memset(0)
    assert type(copied) is cls
    assert copied.tobytes() == b"abcdefgh"
    assert copied.reference_obj is None
    assert copied._pointer % 128 == 0


@pytest.mark.parametrize("source_kind", KINDS)
@pytest.mark.parametrize("origin", [usmx.memory, dpctl.memory], ids=["usmx", "dpctl"])
def test_bytes_go_from_context_to_context(cls, source_kind, origin):
    part = sub_devices()[0]
    theirs = dpctl.SyclQueue(dpctl.SyclContext(part), part)
    queue = usmx.SyclQueue(theirs._get_capsule())
    source = getattr(origin, f"MemoryUSM{source_kind.capitalize()}")(
        8, queue=theirs if origin is dpctl.memory else queue
    )
    source.copy_from_host(np.frombuffer(b"abcdefgh", "u1"))
    memory = cls(8)
    memory.copy_from_device(source)
    assert memory.tobytes() == b"abcdefgh"
    copied = cls(source, copy=True)
    assert queue.sycl_context == copied.sycl_context
    back = cls(source, copy=True, queue=usmx.SyclQueue())
    assert back.sycl_context == usmx.SyclContext()
    assert copied.tobytes() == back.tobytes() == b"abcdefgh"


def test_copy_of_no_bytes_is_a_value_error(cls):
    with pytest.raises(ValueError, match="at least one byte"):
        cls(usmx.empty(0), copy=True)


def test_view_on_another_queue_needs_a_copy(cls):
    source = cls(8)
    queue = usmx.SyclQueue()
    with pytest.raises(ValueError, match="queue"):
        cls(source, queue=queue)
    assert cls(source, queue=source.sycl_queue)._pointer == source._pointer
    assert cls(source, queue=queue, copy=True).sycl_queue == queue


def test_view_does_not_realign(cls):
    source = cls(256, alignment=64)
    misaligned = usmx.USMArray((8,), "u1", source, offset=8)
    with pytest.raises(ValueError, match="aligned to 64"):
        cls(misaligned, alignment=64)
    assert cls(source, alignment=64)._pointer == source._pointer


# ---- as Python objects


def test_memory_can_be_subclassed(cls):
    class Labelled(cls):
        def __init__(self, nbytes, label):
            super().__init__(nbytes)
            self.label = label

    memory = Labelled(16, "mine")
    assert memory.label == "mine"
    assert memory.nbytes == 16
    assert usmx.USMArray((2,), buffer=memory).base is memory


def test_memory_of_a_subclass_that_never_constructed_it_is_refused(cls):
    class Unfinished(cls):
        def __init__(self):
            pass

    for use in (len, usmx.asarray, as_usm_memory, memoryview, cls):
        with pytest.raises(TypeError, match=r"super\(\).__init__\(\)"):
            use(Unfinished())


def test_subclass_may_describe_itself_otherwise(cls):
    class Half(cls):
        @property
        def __sycl_usm_array_interface__(self):
            return {**super().__sycl_usm_array_interface__, "shape": (self.nbytes // 2,)}

    assert as_usm_memory(Half(16)).nbytes == 8
    assert usmx.asarray(Half(16)).shape == (8,)
    assert usmx.USMArray((8,), "u1", Half(16)).base.nbytes == 8
    with pytest.raises(ValueError, match="9"):
        usmx.USMArray((9,), "u1", Half(16))


def test_memory_can_be_referenced_weakly(cls):
    memory = cls(8)
    reference = weakref.ref(memory)
    assert reference() is memory
    del memory
    assert reference() is None


def test_names_of_dpctl_are_all_there(cls):
    theirs = getattr(dpctl.memory, cls.__name__)
    missing = {name for name in dir(theirs) if name != "__pyx_vtable__"} - set(dir(cls))
    assert missing - {"__setstate__", "__setstate_cython__", "__reduce_cython__"} == set()
    assert set(dpctl.memory.__all__) <= set(usmx.memory.__all__)


def test_queue_and_context_have_dpctls_short_names(cls):
    memory = cls(8, queue=usmx.SyclQueue())
    assert memory._queue == memory.sycl_queue
    assert memory._context == memory.sycl_context


def test_repr_says_kind_size_and_device(cls):
    text = repr(cls(1234))
    assert cls(1).get_usm_type() in text
    assert "1234 bytes" in text
    assert usmx.SyclDevice().filter_string in text
    assert "read-only" not in text


@pytest.mark.parametrize("name", ["nbytes", "readonly", "_pointer", "reference_obj", "sycl_queue"])
def test_attributes_cannot_be_set(cls, name):
    with pytest.raises(AttributeError):
        setattr(cls(8), name, None)


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_bytes_are_a_writable_buffer_of_the_host(kind):
    memory = MEMORY_CLASSES[kind](4)
    view = memoryview(memory)
    assert (view.format, view.nbytes, view.readonly) == ("B", 4, False)
    view[:] = b"abcd"
    assert memory.tobytes() == b"abcd"
    assert np.asarray(memory).__array_interface__["data"][0] == memory._pointer


def test_memory_is_no_sequence_of_bytes():
    with pytest.raises(TypeError):
        operator.getitem(MemoryUSMHost(4), 0)
