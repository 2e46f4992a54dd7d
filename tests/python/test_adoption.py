"""usmx.memory.from_pointer: memory that a native library allocated, and who frees it.

And get_usm_type, which says what any pointer is.
"""

import ctypes
import functools
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
from helpers import (
    KINDS,
    MEMORY_CLASSES,
    Producer,
    make_capsule,
    need_contexts_apart,
    output_of,
    sub_devices,
)
from leaks import LIMIT, ROUNDS, failing, growth
from usmx.memory import MemoryUSMShared, as_usm_memory, from_pointer, get_usm_type


class Native:
    """64 bytes as a native library has them: only the runtime knows them, and the address is all."""

    def __init__(self, kind="shared"):
        self.memory = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")(64)
        self.memory.copy_from_host(np.arange(64, dtype="u1"))
        self.pointer = self.memory._pointer
        self.queue = self.memory.sycl_queue
        self.freed = []

    def free(self, pointer):
        self.freed.append(pointer)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def native():
    return Native()


# ---- what is made


def test_memory_has_the_kind_and_the_bytes_behind_the_pointer(kind):
    native = Native(kind)
    memory = from_pointer(native.pointer, 64, native.queue, owner=native)
    assert type(memory) is MEMORY_CLASSES[kind]
    assert (memory._pointer, memory.nbytes, memory.readonly) == (native.pointer, 64, False)
    assert memory.tobytes() == bytes(range(64))
    memory.memset(5)
    assert native.memory.tobytes() == b"\x05" * 64


def test_memory_may_be_a_part_of_an_allocation(kind):
    native = Native(kind)
    memory = from_pointer(native.pointer + 8, 16, native.queue, owner=native)
    assert memory.tobytes() == bytes(range(8, 24))


@pytest.mark.parametrize(
    "form",
    [
        lambda queue: queue,
        lambda queue: usmx.SyclQueue(queue._get_capsule()),
        lambda queue: queue.sycl_context,
        lambda queue: usmx.SyclContext(queue.sycl_context._get_capsule()),
        lambda queue: queue._get_capsule(),
        lambda queue: queue.sycl_context._get_capsule(),
        lambda queue: queue.sycl_device.filter_string,
    ],
    ids=[
        "queue",
        "usmx queue",
        "context",
        "usmx context",
        "queue capsule",
        "context capsule",
        "filter",
    ],
)
def test_context_may_be_given_in_every_form(native, form):
    memory = from_pointer(native.pointer, 64, form(native.queue), owner=native)
    assert usmx.SyclContext(native.queue.sycl_context._get_capsule()) == memory.sycl_context
    assert memory.tobytes() == bytes(range(64))


def test_memory_is_on_the_queue_that_is_given(native):
    queue = usmx.SyclQueue()
    assert from_pointer(native.pointer, 64, queue, owner=native).sycl_queue == queue


def test_pointer_and_size_may_be_any_integers(native):
    memory = from_pointer(np.uint64(native.pointer), np.int8(64), native.queue, owner=native)
    assert memory.nbytes == 64


def test_arrays_dpctl_and_dpnp_take_the_memory(kind):
    native = Native(kind)
    memory = from_pointer(native.pointer, 64, native.queue, owner=native)
    array = usmx.USMArray((2, 4), "f8", memory)
    assert array.base is memory
    assert dpctl.memory.as_usm_memory(memory)._pointer == native.pointer
    assert dpnp.tensor.asnumpy(dpnp.tensor.asarray(array)).tobytes() == bytes(range(64))


def test_read_only_memory_is_read_only_all_the_way(native):
    memory = from_pointer(native.pointer, 64, native.queue, owner=native, readonly=True)
    assert memory.readonly
    assert memory.__sycl_usm_array_interface__["data"] == (native.pointer, True)
    assert usmx.asarray(memory).flags.writable is False
    assert memoryview(memory).readonly
    for write in (memory.memset, lambda: memory.copy_from_host(b"a")):
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert memory.tobytes() == bytes(range(64))


# ---- owners that are kept alive


def test_owner_lives_exactly_as_long_as_the_memory(kind):
    native = Native(kind)
    memory = from_pointer(native.pointer, 64, native.queue, owner=native)
    reference = weakref.ref(native)
    assert memory.reference_obj is native
    del native
    view = usmx.asarray(memory)[8:]
    del memory
    gc.collect()
    assert usmx.asnumpy(view)[0] == 8
    assert reference() is view.base.reference_obj
    del view
    gc.collect()
    assert reference() is None


def capsule_with_destructor(called):
    """A capsule as daal4py makes them, whose destructor frees the library's memory."""
    prototype = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
    destructor = prototype(lambda _: called.append(True))
    capsule = make_capsule("memory of a library")
    ctypes.pythonapi.PyCapsule_SetDestructor.argtypes = (ctypes.py_object, prototype)
    ctypes.pythonapi.PyCapsule_SetDestructor(capsule, destructor)
    return capsule, destructor


def test_destructor_of_a_capsule_runs_once_when_the_last_view_goes(native):
    called = []
    capsule, destructor = capsule_with_destructor(called)
    memory = from_pointer(native.pointer, 64, native.queue, owner=capsule)
    assert memory.reference_obj is capsule
    del capsule
    array = usmx.asarray(memory)
    del memory
    gc.collect()
    assert called == []
    del array
    assert called == [True]
    assert destructor is not None


def test_refused_owner_is_let_go(native):
    owner = Producer({})
    before = sys.getrefcount(owner)
    with pytest.raises(ValueError, match="'nbytes'"):
        from_pointer(native.pointer, 0, native.queue, owner=owner)
    assert sys.getrefcount(owner) == before


def test_callable_owner_is_kept_and_not_called(native):
    free = native.free
    memory = from_pointer(native.pointer, 64, native.queue, owner=free)
    assert memory.reference_obj is free
    del memory
    assert native.freed == []


def test_class_as_an_owner_is_kept_and_not_called(native):
    class Owner:
        def __init__(self):
            raise AssertionError

    memory = from_pointer(native.pointer, 64, native.queue, owner=Owner)
    assert memory.reference_obj is Owner
    del memory


# ---- deleters


def test_owner_outlives_the_deleters_call(kind):
    native = Native(kind)
    seen = []
    reference = weakref.ref(native)
    memory = from_pointer(
        native.pointer,
        64,
        native.queue,
        owner=native,
        deleter=lambda pointer: seen.append((pointer, reference())),
    )
    assert memory.reference_obj is native
    pointer = native.pointer
    del native
    gc.collect()
    view = usmx.asarray(memory)[8:]
    del memory
    assert seen == []
    assert view.base.reference_obj is reference()
    del view
    assert [freed for freed, _ in seen] == [pointer]
    assert seen[0][1] is reference()
    seen.clear()
    assert reference() is None


def test_callable_is_called_once_with_the_pointer_when_the_last_view_goes(kind):
    native = Native(kind)
    memory = from_pointer(native.pointer, 64, native.queue, deleter=native.free)
    part = usmx.asarray(memory)[8:]
    other = as_usm_memory(part)
    del memory, part
    gc.collect()
    assert native.freed == []
    del other
    assert native.freed == [native.pointer]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda f: f,
        lambda f: lambda p: f(p),
        functools.partial,
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p),
    ],
    ids=["method", "function", "partial", "ctypes"],
)
def test_any_callable_will_do(native, wrap):
    memory = from_pointer(native.pointer, 64, native.queue, deleter=wrap(native.free))
    assert memory.reference_obj is None
    del memory
    assert native.freed == [native.pointer]


def test_callable_may_run_on_another_thread(native):
    views = [usmx.asarray(from_pointer(native.pointer, 64, native.queue, deleter=native.free))]
    ran_on = []
    views.append(
        from_pointer(
            native.pointer, 8, native.queue, deleter=lambda _: ran_on.append(threading.get_ident())
        )
    )
    thread = threading.Thread(target=views.clear)
    thread.start()
    identity = thread.ident
    thread.join()
    assert native.freed == [native.pointer]
    assert ran_on == [identity]


def test_callable_may_use_usmx(native):
    sizes = []

    def free(pointer):
        sizes.append(usmx.zeros(10).size)
        sizes.append(from_pointer(pointer, 8, native.queue, owner=native).nbytes)

    memory = from_pointer(native.pointer, 64, native.queue, deleter=free)
    del memory
    assert sizes == [10, 8]


def test_what_a_callable_raises_is_reported_and_does_no_harm(native, monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda u: reported.append((u.exc_value, u.object)))
    error = KeyError("mine")

    def free(_):
        raise error

    memory = from_pointer(native.pointer, 64, native.queue, deleter=free)
    del memory
    assert reported == [(error, free)]


def test_callable_that_fails_does_not_hide_why_adopting_failed(native, monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda u: reported.append(u.exc_type))

    def free(_):
        raise KeyError

    with pytest.raises(ValueError, match="'nbytes' must be positive, found 0"):
        from_pointer(native.pointer, 0, native.queue, deleter=free)
    assert reported == [KeyError]


def test_exception_on_its_way_gets_past_a_callable(native):
    def fail():
        memory = from_pointer(native.pointer, 64, native.queue, deleter=native.free)
        raise IndexError(memory.nbytes)

    with pytest.raises(IndexError):
        fail()
    gc.collect()
    assert native.freed == [native.pointer]


def test_callable_runs_at_the_end_of_the_process():
    code = """
import usmx
memory = usmx.memory.MemoryUSMShared(64)
print(memory._pointer)
kept = usmx.asarray(usmx.memory.from_pointer(memory._pointer, 64, memory.sycl_queue, deleter=print))
"""
    pointer, printed = output_of(code).split()
    assert pointer == printed


# ---- what is refused; a callable has been called then

REFUSED = {
    "size of zero": ({"nbytes": 0}, ValueError, "'nbytes' must be positive, found 0"),
    "negative size": ({"nbytes": -8}, ValueError, "'nbytes' must be positive, found -8"),
    "size of another type": ({"nbytes": 8.0}, TypeError, "'nbytes' must be .*found float"),
    "no size": ({"nbytes": None}, TypeError, "'nbytes' must be .*found NoneType"),
    "enormous size": ({"nbytes": 2**64}, ValueError, f"'nbytes' .*{2**64}"),
    "size past the address space": ({"nbytes": 2**63 - 1}, ValueError, "."),
    "size past the allocation": ({"nbytes": 65}, ValueError, "not all inside .*64 bytes"),
    "null pointer": ({"pointer": 0}, ValueError, "'pointer' must point to memory, found a null"),
    "pointer to nothing": (
        {"pointer": 16},
        ValueError,
        "pointer 0x10 is not USM memory of context",
    ),
    "context of another type": ({"syclobj": 5}, TypeError, "'syclobj' must be .*found int"),
    "no context": ({"syclobj": None}, TypeError, "'syclobj' must be .*found NoneType"),
    "absent device": ({"syclobj": "cuda:gpu:77"}, usmx.SyclDeviceCreationError, "cuda:gpu:77"),
    "foreign capsule": ({"syclobj": make_capsule("other")}, ValueError, "'other'"),
}


@pytest.mark.parametrize(("changes", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_refusal_says_why_and_calls_the_callable_once(native, changes, error, message):
    arguments = {"pointer": native.pointer, "nbytes": 64, "syclobj": native.queue} | changes
    with pytest.raises(error, match=message):
        from_pointer(**arguments, deleter=native.free)
    assert native.freed == [arguments["pointer"]]


def test_host_memory_is_refused(native):
    host = np.zeros(64, "u1")
    with pytest.raises(ValueError, match="is not USM memory of context"):
        from_pointer(host.ctypes.data, 64, native.queue, owner=host)


def test_memory_of_another_context_is_refused(native):
    need_contexts_apart()
    part = sub_devices()[0]
    with pytest.raises(ValueError, match="is not USM memory of context"):
        from_pointer(native.pointer, 64, dpctl.SyclContext(part), owner=native)


def test_freed_memory_is_refused():
    memory = MemoryUSMShared(64)
    pointer, queue = memory._pointer, memory.sycl_queue
    del memory
    with pytest.raises(ValueError, match="is not USM memory of context"):
        from_pointer(pointer, 64, queue, owner=())


@pytest.mark.parametrize("pointer", [-1, 2**64, -(2**70)])
def test_pointer_that_is_no_address_is_a_value_error(native, pointer):
    with pytest.raises(
        ValueError, match=f"'pointer' must be an address of 64 bits, found {pointer}"
    ):
        from_pointer(pointer, 64, native.queue, deleter=native.free)
    assert native.freed == []


@pytest.mark.parametrize("pointer", [1.0, "16", None, b"16", ctypes.c_void_p(16)])
def test_pointer_of_another_type_is_a_type_error(native, pointer):
    with pytest.raises(TypeError, match=f"'pointer' must be .*found {type(pointer).__name__}"):
        from_pointer(pointer, 64, native.queue, deleter=native.free)
    assert native.freed == []


@pytest.mark.parametrize("arguments", [{}, {"owner": None}, {"owner": None, "deleter": None}])
def test_memory_of_nobody_is_a_type_error(native, arguments):
    with pytest.raises(TypeError, match="an 'owner' .*'deleter' .*found neither"):
        from_pointer(native.pointer, 64, native.queue, **arguments)


@pytest.mark.parametrize("deleter", [5, "free", object(), ()])
def test_deleter_that_cannot_be_called_is_a_type_error(native, deleter):
    before = sys.getrefcount(native)
    with pytest.raises(TypeError, match=f"'deleter' must be .*found {type(deleter).__name__}"):
        from_pointer(native.pointer, 64, native.queue, owner=native, deleter=deleter)
    assert sys.getrefcount(native) == before


def test_owner_and_deleter_are_given_by_name(native):
    with pytest.raises(TypeError, match="^expected from_pointer"):
        from_pointer(native.pointer, 64, native.queue, native)


# ---- get_usm_type


def test_type_of_a_pointer_is_that_of_its_context(kind):
    native = Native(kind)
    for syclobj in (native.queue, native.queue.sycl_context, usmx.SyclDevice().filter_string):
        assert get_usm_type(native.pointer, syclobj) == kind
        assert get_usm_type(native.pointer + 63, syclobj) == kind


@pytest.mark.parametrize("pointer", [0, 1, 16, 2**47, 2**64 - 1])
def test_type_of_what_is_no_usm_is_unknown(native, pointer):
    assert get_usm_type(pointer, native.queue) == "unknown"
    assert get_usm_type(np.zeros(8).ctypes.data, native.queue) == "unknown"


def test_type_of_a_producer_is_that_of_its_memory(kind):
    native = Native(kind)
    for producer in (native.memory, MEMORY_CLASSES[kind](8), usmx.empty(3, usm_type=kind)):
        assert get_usm_type(producer) == kind
        assert get_usm_type(producer, native.queue) == kind


@pytest.mark.parametrize("origin", ["usmx", "dpctl"])
def test_type_in_another_context_is_unknown(kind, origin):
    need_contexts_apart()
    memory = MEMORY_CLASSES[kind](8) if origin == "usmx" else Native(kind).memory
    part = sub_devices()[0]
    for syclobj in (dpctl.SyclContext(part), dpctl.SyclQueue(dpctl.SyclContext(part), part)):
        assert get_usm_type(memory, syclobj) == "unknown"
        assert get_usm_type(memory._pointer, syclobj) == "unknown"
        assert as_usm_memory(memory).get_usm_type(syclobj) == "unknown"


def test_memory_object_says_its_type_in_any_context(kind):
    memory = MEMORY_CLASSES[kind](8)
    number = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")(8).get_usm_type_enum()
    assert memory.get_usm_type_enum() == number
    device = usmx.SyclDevice().filter_string
    for syclobj in (None, memory.sycl_queue, memory.sycl_context, dpctl.SyclQueue(), device):
        assert memory.get_usm_type(syclobj) == memory.get_usm_type(syclobj=syclobj) == kind
        assert memory.get_usm_type_enum(syclobj) == number


def test_type_of_an_address_needs_a_context(native):
    with pytest.raises(TypeError, match="'syclobj' must say in which context"):
        get_usm_type(native.pointer)


@pytest.mark.parametrize("found", [1.0, "16", None, b"16", object()])
def test_type_of_what_is_neither_address_nor_producer_is_a_type_error(native, found):
    with pytest.raises(TypeError, match=f"'obj' must be .*found {type(found).__name__}"):
        get_usm_type(found, native.queue)


@pytest.mark.parametrize("syclobj", [5, object(), 1.0])
def test_context_of_another_type_is_a_type_error(native, syclobj):
    for ask in (
        lambda: get_usm_type(native.pointer, syclobj),
        lambda: MemoryUSMShared(8).get_usm_type(syclobj),
        lambda: MemoryUSMShared(8).get_usm_type_enum(syclobj),
    ):
        with pytest.raises(TypeError, match=f"'syclobj' must be .*found {type(syclobj).__name__}"):
            ask()


# ---- leaks


def leak_cases():
    native = Native()
    pointer, queue = native.pointer, native.queue

    def free(pointer):
        assert pointer in (native.pointer, 0, 16)

    def refused(error=ValueError, **changes):
        arguments = {"pointer": pointer, "nbytes": 64, "syclobj": queue} | changes
        return failing(lambda: from_pointer(**arguments, deleter=free), error)

    cases = {name: refused(error, **changes) for name, (changes, error, _) in REFUSED.items()}
    return cases | {
        "kept": lambda: from_pointer(pointer, 64, queue, owner=native),
        "called": lambda: from_pointer(pointer, 64, queue, deleter=free),
        "arrays": lambda: usmx.asarray(from_pointer(pointer, 64, queue, deleter=free)),
        "kept and called": lambda: from_pointer(pointer, 64, queue, owner=native, deleter=free),
        "no owner": failing(lambda: from_pointer(pointer, 64, queue), TypeError),
        "no callable": failing(
            lambda: from_pointer(pointer, 64, queue, owner=native, deleter=5), TypeError
        ),
        "no address": failing(lambda: from_pointer(-1, 64, queue, deleter=free), ValueError),
        "type": lambda: get_usm_type(pointer, queue),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "kept",
        "called",
        "arrays",
        "kept and called",
        "no owner",
        "no callable",
        "no address",
        "type",
        *REFUSED,
    ],
)
def test_nothing_is_left_behind(name):
    rounds = ROUNDS // 3 * 2 if name == "absent device" else ROUNDS  # that one lists all devices
    assert growth(leak_cases()[name], rounds) < LIMIT
