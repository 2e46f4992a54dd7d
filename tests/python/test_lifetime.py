"""Who keeps whom alive, and that everything is let go: exactly once, from any thread, every time."""

import gc
import sys
import threading
import time
import weakref

import dpctl.memory
import dpnp
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, Producer, interface_of, output_of


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


class Counted(Producer):
    """A producer that counts how often one of its kind went."""

    gone = 0

    def __del__(self):
        type(self).gone += 1


@pytest.fixture
def counted():
    class Fresh(Counted):
        gone = 0

    return Fresh


def described(cls, kind="shared", nbytes=96):
    memory = MEMORY_CLASSES[kind](nbytes)
    return cls(interface_of(memory), memory)


# ---- what a view keeps alive

HOLDERS = {
    "array": lambda p: usmx.asarray(p),
    "slice": lambda p: usmx.asarray(p)[1:, ::2],
    "element": lambda p: usmx.asarray(p)[0, 0],
    "transposed": lambda p: usmx.asarray(p).T,
    "readonly": lambda p: usmx.asarray(p).readonly(),
    "base": lambda p: usmx.asarray(p).base,
    "flags": lambda p: usmx.asarray(p).flags,
    "memory": lambda p: usmx.memory.as_usm_memory(p),
    "memory of a view": lambda p: usmx.memory.as_usm_memory(usmx.asarray(p)[1:]),
    "memory class": lambda p: usmx.memory.MemoryUSMShared(p),
    "constructor": lambda p: usmx.USMArray((2,), "f8", p),
    "array of memory": lambda p: usmx.USMArray((2,), "f8", usmx.memory.as_usm_memory(p)),
    "chain": lambda p: usmx.asarray(usmx.memory.as_usm_memory(usmx.asarray(p)[1:]))[8:],
    "numpy": lambda p: np.asarray(usmx.asarray(p)),
    "numpy of memory": lambda p: np.asarray(usmx.memory.as_usm_memory(p)),
    "memoryview": lambda p: memoryview(usmx.asarray(p)[::2]),
    "dpnp": lambda p: dpnp.tensor.asarray(usmx.asarray(p)),
    "dpctl": lambda p: dpctl.memory.as_usm_memory(usmx.asarray(p)),
    "back from dpnp": lambda p: usmx.asarray(dpnp.tensor.asarray(usmx.asarray(p))),
}


@pytest.mark.slow
@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_producer_lives_exactly_as_long_as_what_was_made_of_it(counted, hold):
    producer = described(counted)
    holder = hold(producer)
    reference = weakref.ref(producer)
    del producer
    gc.collect()
    assert reference() is not None
    assert counted.gone == 0
    del holder
    gc.collect()
    assert reference() is None
    assert counted.gone == 1


LETTING_GO = {
    "asnumpy": lambda p: usmx.asnumpy(p),
    "copy": lambda p: usmx.asarray(p, copy=True),
    "other type": lambda p: usmx.asarray(p, "f4"),
    "copied memory": lambda p: usmx.memory.MemoryUSMHost(p, copy=True),
    "bytes": lambda p: usmx.memory.as_usm_memory(p).tobytes(),
    "queue": lambda p: usmx.asarray(p).sycl_queue,
    "dictionary": lambda p: usmx.asarray(p).__sycl_usm_array_interface__,
    "text": lambda p: repr(usmx.asarray(p)),
    "numbers": lambda p: (usmx.asarray(p).shape, usmx.asarray(p).base._pointer),
}


@pytest.mark.parametrize("take", LETTING_GO.values(), ids=LETTING_GO)
def test_producer_is_let_go_by_what_has_no_part_of_its_memory(counted, take):
    producer = described(counted)
    taken = take(producer)
    del producer
    gc.collect()
    assert counted.gone == 1
    assert taken is not None


def test_many_views_of_one_producer_release_it_once(counted):
    producer = described(counted)
    before = sys.getrefcount(producer)
    views = [usmx.asarray(producer) for _ in range(100)]
    assert sys.getrefcount(producer) == before + 100
    del producer
    while views:
        assert counted.gone == 0
        views.pop()
    assert counted.gone == 1


def test_view_keeps_the_producer_and_not_its_dictionary(counted):
    memory = MEMORY_CLASSES["shared"](96)

    class Dictionary(dict):
        pass

    dictionary = Dictionary(interface_of(memory))
    producer = counted(dictionary, memory)
    view = usmx.asarray(producer)
    producer.__sycl_usm_array_interface__ = None
    reference = weakref.ref(dictionary)
    del dictionary
    assert reference() is None
    assert view.base.reference_obj is producer


def test_memory_reports_the_producer_as_reference_obj(kind):
    producer = described(Producer, kind)
    assert usmx.asarray(producer).base.reference_obj is producer
    assert usmx.asarray(producer)[1:].base.reference_obj is producer
    assert usmx.memory.as_usm_memory(producer).reference_obj is producer
    assert MEMORY_CLASSES[kind](producer).reference_obj is producer
    assert usmx.empty(3, usm_type=kind).base.reference_obj is None


def test_base_is_one_object_for_all_views_while_somebody_holds_it(kind):
    array = usmx.asarray(described(Producer, kind))
    base = array.base
    assert array[1:].base is array.T.base is array.readonly().base is base
    identity = base._pointer
    del base
    assert array.base is array[1:].base
    assert array.base._pointer == identity


def test_base_outlives_its_array(kind):
    array = usmx.zeros((3, 4), usm_type=kind)
    base = array.base
    del array
    base.memset(3)
    assert base.tobytes() == b"\x03" * 96
    assert usmx.asarray(base).base is base


def test_memory_object_of_a_constructor_stays_the_base(kind):
    memory = MEMORY_CLASSES[kind](96)
    array = usmx.USMArray((3, 4), buffer=memory)
    reference = weakref.ref(memory)
    del memory
    assert reference() is array[1:].base
    view = array[1:]
    del array
    assert view.base is reference()
    del view
    assert reference() is None


def test_import_takes_exactly_one_reference():
    producer = described(Producer)
    before = sys.getrefcount(producer)
    view = usmx.asarray(producer)
    assert sys.getrefcount(producer) == before + 1
    part = view[1:]
    assert sys.getrefcount(producer) == before + 1
    del view, part
    assert sys.getrefcount(producer) == before


# ---- memory objects that are asked for while they end

ROUTES_TO_BASE = {
    "base": lambda a: a.base,
    "usm_data": lambda a: a.usm_data,
    "slice": lambda a: a[1:].base,
    "transposed": lambda a: a.T.base,
    "readonly": lambda a: a.readonly().base,
    "imported": lambda a: usmx.asarray(a).base,
}


def disturb():
    """Use the space of objects that went again."""
    made = [usmx.empty(5, usm_type=kind).base for kind in KINDS for _ in range(200)]
    assert all(base.nbytes == 40 for base in made)


@pytest.mark.parametrize("route", ROUTES_TO_BASE.values(), ids=ROUTES_TO_BASE)
def test_base_asked_in_a_weak_references_callback_is_another_object(kind, route):
    array = usmx.ones((3, 4), usm_type=kind)
    seen = []
    base = array.base
    references = [weakref.ref(base, lambda _: seen.append(route(array))) for _ in range(3)]
    del base
    disturb()
    assert len(seen) == 3
    assert seen[0] is seen[1] is seen[2] is array.base
    assert all(reference() is None for reference in references)
    assert seen[0].nbytes == 96
    assert seen[0].tobytes() == usmx.asnumpy(array).tobytes()
    del seen[:]
    disturb()
    assert array.base.nbytes == 96


def test_base_asked_in_a_callback_and_dropped_there_leaves_no_trace():
    array = usmx.zeros((3, 4))
    for _ in range(300):
        base = array.base
        reference = weakref.ref(base, lambda _: array.base.nbytes)
        del base
        disturb()
        assert reference() is None
        kept = array.base
        assert array[1:].base is kept
        assert kept.nbytes == 96
        del kept


def test_base_asked_in_the_callback_of_the_one_before_ends_too():
    array = usmx.zeros((3, 4))
    sizes = []

    def ask_again(_):
        if len(sizes) < 20:
            base = array.base
            sizes.append(base.nbytes)
            references.append(weakref.ref(base, ask_again))

    base = array.base
    references = [weakref.ref(base, ask_again)]
    del base
    disturb()
    assert sizes == [96] * 20
    assert all(reference() is None for reference in references)


def test_queues_asked_in_a_callback_are_whole():
    array = usmx.zeros((3, 4))
    queue = array.sycl_queue
    base = array.base
    seen = []

    def ask(_):
        seen.extend([array.sycl_queue, array.__sycl_usm_array_interface__["syclobj"]])

    references = [weakref.ref(base, ask), weakref.ref(array[1:], ask)]
    del base
    disturb()
    assert len(references) == 2
    assert len(seen) == 4
    assert all(found == queue for found in seen)


def test_base_asked_while_a_cycle_that_holds_it_is_collected():
    class Holder:
        def __init__(self, base):
            self.base = base
            self.me = self

        def __del__(self):
            seen.append(array.base)

    array = usmx.zeros((3, 4))
    seen = []
    for _ in range(20):
        holder = Holder(array.base)
        references = [
            weakref.ref(kept, lambda _: seen.append(array.base)) for kept in (holder, holder.base)
        ]
        del holder
        gc.collect()
        disturb()
        assert len(seen) == 3
        assert {base.nbytes for base in seen} == {96}
        assert all(base is array.base for base in seen[1:])
        assert references[0]() is None
        seen.clear()


def test_memory_object_that_its_finalizer_revives_stays_the_base():
    class Reviving(usmx.memory.MemoryUSMShared):
        __slots__ = ()

        def __del__(self):
            seen.append(array.base)

    array = usmx.zeros((3, 4), usm_type="shared")
    seen = []
    base = array.base
    base.__class__ = Reviving
    identity = id(base)
    del base
    disturb()
    assert [id(base) for base in seen] == [identity]
    assert array.base is seen[0]
    assert array.base.nbytes == 96
    del seen[:]
    disturb()
    assert seen == []  # Python finalizes an object once
    assert array.base.nbytes == 96


@pytest.mark.slow
def test_base_asked_by_threads_while_it_ends():
    array = usmx.zeros((3, 4))
    wrong = []
    done = threading.Event()

    def ask():
        while not done.is_set():
            if array.base.nbytes != 96 or usmx.empty(5).base.nbytes != 40:
                wrong.append(True)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        base = array.base
        # The lock is let go in the middle of the object's end
        reference = weakref.ref(base, lambda _: time.sleep(0.0002))
        del base
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert reference is not None


# ---- objects whose space is used again


RECYCLED = {
    "array": lambda: usmx.empty(3),
    "memory": lambda: usmx.memory.MemoryUSMShared(8),
    "view": lambda: usmx.empty((4, 5))[1],
}


@pytest.mark.parametrize("make", RECYCLED.values(), ids=RECYCLED)
def test_weak_references_to_objects_that_went_never_reach_those_made_after_them(make):
    gone = [make() for _ in range(300)]
    references = [weakref.ref(item) for item in gone]
    del gone
    fresh = [make() for _ in range(300)]
    assert all(reference() is None for reference in references)
    assert len({id(item) for item in fresh}) == 300
    assert all(weakref.getweakrefcount(item) == 0 for item in fresh)


def test_array_made_after_a_failed_constructor_and_a_subclass_is_whole():
    class Named(usmx.USMArray):
        pass

    for k in range(300):
        with pytest.raises(ValueError, match="shape"):
            usmx.USMArray((-1,))
        named = Named((k + 1,))
        named.text = "of this one"
        del named
        array = usmx.USMArray((k + 1,), "i4")
        assert type(array) is usmx.USMArray
        assert array.shape == (k + 1,)
        assert not hasattr(array, "text")


CLASSES = {
    "array": (usmx.USMArray, ((2,),)),
    "memory": (usmx.memory.MemoryUSMShared, (8,)),
}


@pytest.mark.parametrize(("cls", "arguments"), CLASSES.values(), ids=CLASSES)
def test_object_is_not_initialized_twice(cls, arguments):
    made = cls(*arguments)
    nbytes = made.nbytes
    with (
        pytest.warns(RuntimeWarning, match="already-initialized"),
        pytest.raises(TypeError, match="^expected (USMArray|MemoryUSMShared)|__init__"),
    ):
        made.__init__(*arguments)
    assert made.nbytes == nbytes


@pytest.mark.parametrize(("cls", "arguments"), CLASSES.values(), ids=CLASSES)
def test_object_that_is_initialized_while_its_initializer_runs_stays_as_it_is(cls, arguments):
    class Again:
        def __index__(self):
            made.__init__(*arguments)
            return 5

    made = cls.__new__(cls)
    with pytest.raises(RuntimeError, match=f"{cls.__name__}.__init__ ran twice"):
        made.__init__(Again())
    assert made.nbytes == cls(*arguments).nbytes


# ---- nothing is kept by what failed

BAD = {
    "version": {"version": 2},
    "shape": {"shape": (3, 5)},
    "typestr": {"typestr": ">f8"},
    "data": {"data": (16, False)},
    "strides": {"strides": (1, 2, 3)},
    "offset": {"offset": "x"},
    "syclobj": {"syclobj": 5},
}


@pytest.mark.parametrize("changes", BAD.values(), ids=BAD)
def test_refused_producer_is_let_go(counted, changes):
    memory = MEMORY_CLASSES["shared"](96)
    producer = counted(interface_of(memory, **changes), memory)
    before = sys.getrefcount(producer)
    for take in (usmx.asarray, usmx.memory.as_usm_memory, usmx.memory.MemoryUSMShared):
        with pytest.raises((ValueError, TypeError)):
            take(producer)
    gc.collect()
    assert sys.getrefcount(producer) == before
    del producer
    assert counted.gone == 1


def test_producer_of_an_array_that_does_not_fit_is_let_go(counted):
    producer = described(counted)
    with pytest.raises(ValueError, match="needs bytes"):
        usmx.USMArray((100,), "f8", producer)
    del producer
    gc.collect()
    assert counted.gone == 1


# ---- threads


def test_view_may_be_released_by_another_thread(counted):
    views = [usmx.asarray(described(counted)) for _ in range(50)]
    thread = threading.Thread(target=views.clear)
    thread.start()
    thread.join()
    # A thread that never used usmx could be one of the runtime's, which must not free: it defers
    usmx.synchronize()
    assert counted.gone == 50


def test_view_may_be_made_and_released_by_many_threads(counted, kind):
    shared = described(counted, kind)
    failures = []

    def work():
        try:
            for _ in range(200):
                view = usmx.asarray(shared)[1:]
                assert view.base.reference_obj is shared
                assert usmx.asarray(described(counted, kind)).size == 12
                usmx.zeros(10, usm_type=kind).base.memset(1)
        except BaseException as error:
            failures.append(error)

    before = sys.getrefcount(shared)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert counted.gone == 4 * 200
    assert sys.getrefcount(shared) == before


def test_producer_may_use_usmx_while_it_goes():
    class Busy(Producer):
        def __del__(self):
            usmx.asarray(self.owner)
            usmx.empty(3)

    view = usmx.asarray(described(Busy))
    del view
    assert usmx.zeros(3, usm_type="shared").size == 3


@pytest.mark.parametrize("properties", [[], ["in_order"]], ids=["out of order", "in order"])
def test_memory_that_others_have_is_let_go_without_a_submission(kind, properties):
    """A submission may wait in the runtime for work that needs the interpreter lock (docs/decisions.md, 189).

    A later call submits what is needed, without that lock; the fixture of all tests fails where it is held.
    """
    queue = usmx.SyclQueue(dpctl.SyclQueue(property=properties)._get_capsule())
    pool = usmx.memory.PoolResource(usmx.memory.PlainResource(kind))
    with usmx.memory.using_memory_resource(pool):
        array = usmx.ones(4, usm_type=kind, sycl_queue=queue)
        dpctl.memory.as_usm_memory(array)  # from now on dpctl may work there
        del array
    usmx.synchronize()
    assert pool.used_bytes() == 0


# ---- at the end of the process


PRODUCERS = {
    # The class leads to the module, the module to the views, and they to the producers: a cycle
    "class": """
class Producer:
    def __init__(self, a):
        self.a = a
        self.__sycl_usm_array_interface__ = a.__sycl_usm_array_interface__
""",
    "no class": """
from types import SimpleNamespace
def Producer(a):
    return SimpleNamespace(__sycl_usm_array_interface__=a.__sycl_usm_array_interface__, a=a)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize(("producer", "warnings"), [("class", None), ("no class", "1")])
def test_process_ends_in_silence_with_views_everywhere(producer, warnings):
    code = """
import threading, usmx, numpy as np, dpnp
PRODUCER
kept = [usmx.asarray(Producer(usmx.zeros(5, usm_type=kind))) for kind in ("device", "shared", "host")]
views = [np.asarray(a) for a in kept[1:]], dpnp.tensor.asarray(kept[0]), usmx.asarray(dpnp.zeros(5))
queue = usmx.SyclQueue(); capsule = queue._get_capsule(); base = kept[0].base; flags = kept[1].flags
thread = threading.Thread(target=lambda: kept.append(usmx.zeros(3)[1:])); thread.start(); thread.join()
print(len(kept))
"""
    code = code.replace("PRODUCER", PRODUCERS[producer])
    assert output_of(code, USMX_LEAK_WARNINGS=warnings) == "4"


def test_producers_are_let_go_at_the_end_of_the_process():
    code = """
import usmx
from types import SimpleNamespace
apart = {}  # a class of this module would be part of a cycle
exec('''
import os
class Farewell:
    def __del__(self, write=os.write): write(1, b"gone")
''', apart)
array = usmx.zeros(5)
view = usmx.asarray(
    SimpleNamespace(
        __sycl_usm_array_interface__=array.__sycl_usm_array_interface__,
        array=array,
        farewell=apart["Farewell"](),
    )
)
"""
    assert output_of(code) == "gone"


EXHAUSTED_HEAP = """
import ctypes
import resource
import usmx

host = usmx.memory.MemoryUSMHost(8)
shared = usmx.memory.MemoryUSMShared(8)
device = usmx.memory.MemoryUSMDevice(8)
array = usmx.USMArray(1, buffer=device)
queue = usmx.SyclQueue()

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = (ctypes.c_size_t,)
libc.free.argtypes = (ctypes.c_void_p,)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))

def take_all(last=None):
    # Each block holds the address of the one before.
    for size in (1 << 20, 1 << 16, 1 << 12, 1 << 10, 600):
        while True:
            block = libc.malloc(size)
            if block is None:
                break
            ctypes.c_void_p.from_address(block).value = last
            last = block
    return last

taken = take_all()
{let_go}
while taken is not None:
    before = ctypes.c_void_p.from_address(taken).value
    libc.free(taken)
    taken = before
print("alive")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "let_go", ["del array", "del host", "del shared", "del array, device", "del queue"]
)
def test_first_object_of_a_class_is_let_go_when_the_heap_is_exhausted(let_go):
    if usmx.SyclDevice().backend == "level_zero":
        pytest.skip("the SYCL runtime's Level Zero adapters end a process that has no heap")
    assert output_of(EXHAUSTED_HEAP.format(let_go=let_go)) == "alive"
