"""Sixteen threads at once, in everything that is shared: results stay right, and nobody waits for ever."""

import contextlib
import functools
import gc
import itertools
import pickle
import queue
import sys
import threading
import time
import weakref

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, Producer, examples, interface_of, producer_of

THREADS = 16
ROUNDS = 200
PATIENCE = 100  # seconds until threads that have not ended count as dead-locked

NUMBERS = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def switch_threads_often():
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def run_in_threads(*works):
    """Each work with a number that no other thread has, in a thread of its own, all at once."""
    failures = []
    start = threading.Barrier(len(works))

    def run(work, number):
        try:
            start.wait(PATIENCE)
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [
        threading.Thread(target=run, args=(work, number), daemon=True)
        for number, work in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "dead-lock"
    if failures:
        raise failures[0]


@contextlib.contextmanager
def collecting_garbage():
    """Another thread that does nothing else, but lets the others run in between."""
    enough = threading.Event()

    def collect():
        while not enough.wait(0.002):
            gc.collect()

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()


# ---- what a thread does, given the one array that all of them share, and its number


def imports(shared, number):
    producer = producer_of(MEMORY_CLASSES["shared"](96), shape=(number + 1,), typestr="<i4")
    view = usmx.asarray(producer)
    assert view.shape == (number + 1,)
    assert view.base.reference_obj is producer
    assert usmx.asarray(Producer(shared.__sycl_usm_array_interface__, shared)).shape == (3, 4)


def imports_of_dpctl(shared, number):
    memory = dpctl.memory.MemoryUSMDevice(number + 1)
    view = usmx.asarray(memory)
    assert view.nbytes == number + 1
    assert view._pointer == memory._pointer


def refusals(shared, number):
    producer = producer_of(shared.base, shape=(13 + number,))
    with pytest.raises(ValueError, match=f"{(13 + number) * 8 - 96}|not all inside"):
        usmx.asarray(producer)
    with pytest.raises(TypeError, match="syclobj"):
        usmx.asarray(producer_of(shared.base, syclobj=number))


def slices(shared, number):
    row, column = number % 3, number % 4
    assert float(usmx.asnumpy(shared[row, column])) == NUMBERS[row, column]
    view = shared[::-1, column:][row]
    assert np.array_equal(view, NUMBERS[::-1, column:][row])
    assert view.base is shared.base


def hand_outs(shared, number):
    interface = shared.__sycl_usm_array_interface__
    assert interface["data"] == (shared._pointer, False)
    assert interface["syclobj"] == shared.sycl_queue
    # Without dpctl's copies: they submit to the queue while others wait for it (docs/decisions.md, 17).
    theirs = dpctl.memory.as_usm_memory(shared)
    assert (theirs._pointer, theirs.nbytes) == (shared._pointer, shared.nbytes)


def buffers(shared, number):
    assert np.asarray(shared).sum() == NUMBERS.sum()
    assert memoryview(shared.base).nbytes == 96


def allocations(shared, number):
    blocks = [MEMORY_CLASSES[kind](100 * number + 1) for kind in KINDS]
    for block in blocks:
        block.memset(number)
    assert all(block.tobytes() == bytes([number]) * (100 * number + 1) for block in blocks)
    assert len({block._pointer for block in blocks}) == len(KINDS)


def copies(shared, number):
    memory = MEMORY_CLASSES[KINDS[number % 3]](96)
    memory.copy_from_device(shared)
    assert np.array_equal(memory.copy_to_host().view("f8"), NUMBERS.ravel())
    own = np.full(12, number, "f8")
    memory.copy_from_host(own)
    assert memory.tobytes() == own.tobytes()
    assert (usmx.asnumpy(usmx.asarray(own)) == number).all()


def waits(shared, number):
    shared.wait()
    shared.sycl_queue.wait()
    usmx.synchronize()


def capsules(shared, number):
    for own, theirs in ((usmx.SyclQueue, dpctl.SyclQueue), (usmx.SyclContext, dpctl.SyclContext)):
        first = shared.sycl_queue if own is usmx.SyclQueue else shared.sycl_context
        assert own(theirs(first._get_capsule())._get_capsule()) == first


def contexts_of_their_own(shared, number):
    device = dpctl.SyclDevice()
    memory = dpctl.memory.MemoryUSMShared(
        96, queue=dpctl.SyclQueue(dpctl.SyclContext([device]), device)
    )
    view = usmx.asarray(producer_of(memory, syclobj=memory.sycl_context))
    view.base.memset(number)
    assert view.sycl_context != shared.sycl_context
    assert bytes(memoryview(memory)) == bytes([number]) * 96


def pickles(shared, number):
    assert pickle.loads(pickle.dumps(shared.base)).tobytes() == NUMBERS.tobytes()


def adoptions(shared, number):
    freed = []
    memory = usmx.memory.from_pointer(shared._pointer, 96, shared.sycl_queue, deleter=freed.append)
    view = usmx.USMArray((3, 4), buffer=memory)
    del memory
    assert freed == []
    del view
    assert freed == [shared._pointer]


def objects(shared, number):
    base = usmx.asarray(shared.base).base
    assert base is shared[1:].base
    assert weakref.ref(base)() is base
    assert shared.T.flags.f_contiguous
    assert shared.dtype == "f8"


@functools.cache
def triple():
    source = """
    #include <usmx/kernel.hpp>
    USMX_KERNEL(1) triple(const double* x, double* y) {
      const auto i = usmx::global_id();
      y[i] = 3 * x[i];
    }"""
    return usmx.Kernel(source, "triple")


AXPY = usmx.ElementwiseKernel("T a, T x, T y", "T out", "out = a * x + y", "axpy")
SUM = usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sum_of_all")


def kernels(shared, number):
    result = usmx.empty((3, 4), sycl_queue=shared.sycl_queue)
    triple()(12, None, shared, result)
    assert np.array_equal(usmx.asnumpy(AXPY(number, shared, result)), (number + 3) * NUMBERS)
    assert float(SUM(shared[:, number % 4])) == NUMBERS[:, number % 4].sum()


def kernels_in_contexts_of_their_own(shared, number):
    queue = usmx.SyclQueue(usmx.SyclContext([usmx.SyclDevice()]), usmx.SyclDevice())
    own = usmx.asarray(NUMBERS, sycl_queue=queue)
    result = usmx.empty((3, 4), sycl_queue=queue)
    triple()(12, None, own, result)
    assert np.array_equal(usmx.asnumpy(AXPY(number, own, result)), (number + 3) * NUMBERS)


WORKS = [
    imports,
    imports_of_dpctl,
    refusals,
    slices,
    hand_outs,
    buffers,
    allocations,
    copies,
    waits,
    capsules,
    contexts_of_their_own,
    pickles,
    adoptions,
    objects,
    kernels,
    kernels_in_contexts_of_their_own,
]
IN_CONTEXTS_OF_THEIR_OWN = {contexts_of_their_own, kernels_in_contexts_of_their_own}


@pytest.fixture(params=["shared", "host"])
def shared(request):
    return usmx.asarray(NUMBERS, usm_type=request.param)


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "work", [pytest.param(w, marks=[pytest.mark.level_zero] * (w is not waits)) for w in WORKS]
)
@pytest.mark.slow
def test_many_threads_do_the_same(shared, work):
    def rounds(number):
        for _ in range(ROUNDS if work not in IN_CONTEXTS_OF_THEIR_OWN else examples(10)):
            work(shared, number)

    run_in_threads(*[rounds] * THREADS)
    assert np.array_equal(usmx.asnumpy(shared), NUMBERS)


@pytest.mark.slow
@pytest.mark.level_zero
def test_many_threads_do_different_things_while_garbage_is_collected(shared):
    def rounds(number):
        for work in itertools.islice(itertools.cycle(WORKS), number, number + 3 * len(WORKS)):
            work(shared, number)

    with collecting_garbage():
        run_in_threads(*[rounds] * THREADS)
    assert np.array_equal(usmx.asnumpy(shared), NUMBERS)


def test_many_threads_write_their_parts_of_one_array():
    array = usmx.zeros((THREADS, 1000), "u1", usm_type="shared")

    def write(number):
        for step in range(ROUNDS):
            usmx.memory.as_usm_memory(array[number]).memset(step)
            assert (np.asarray(array[number]) == step).all()

    run_in_threads(*[write] * THREADS)
    assert (usmx.asnumpy(array) == ROUNDS - 1).all()


def test_views_are_let_go_by_other_threads_exactly_once():
    gone = []
    made = queue.Queue(100)

    class Counted(Producer):
        def __del__(self):
            gone.append(self.number)

    def make(number):
        for step in range(ROUNDS):
            memory = MEMORY_CLASSES[KINDS[step % 3]](96)
            producer = Counted(interface_of(memory), memory)
            producer.number = number * ROUNDS + step
            made.put((usmx.asarray(producer)[1:], usmx.empty(10)), timeout=PATIENCE)
            del producer, memory

    def let_go(number):
        for _ in range(ROUNDS):
            made.get(timeout=PATIENCE)

    with collecting_garbage():
        run_in_threads(*[make, let_go] * (THREADS // 2))
    usmx.synchronize()
    gc.collect()
    assert sorted(gone) == sorted(
        n * ROUNDS + s for n in range(0, THREADS, 2) for s in range(ROUNDS)
    )


def test_reference_counts_are_as_before():
    memory = MEMORY_CLASSES["shared"](96)
    producer = producer_of(memory)
    interface = producer.__sycl_usm_array_interface__
    counted = [producer, interface, interface["syclobj"], memory]
    before = [sys.getrefcount(each) for each in counted]

    def rounds(number):
        for _ in range(ROUNDS):
            usmx.asnumpy(usmx.asarray(producer)[number % 3])
            with pytest.raises(ValueError, match="shape"):
                usmx.asarray(Producer(interface | {"shape": (-number - 1,)}))

    run_in_threads(*[rounds] * THREADS)
    gc.collect()
    assert [sys.getrefcount(each) for each in counted] == before


# ---- who has the interpreter lock


def other_thread_runs_during(work, seconds=0):
    """Whether a thread that needs nothing but the interpreter lock got it within 500 repetitions.

    Where it should, but the processors are busy, it gets so many seconds more.
    """
    ran = []
    start = threading.Lock()
    start.acquire()
    thread = threading.Thread(target=lambda: (start.acquire(), ran.append(True)))
    thread.start()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # from here on the lock goes only to where it is let go
    try:
        start.release()
        patient_until = time.monotonic() + seconds
        for count in itertools.count(1):
            work()
            if ran:
                return True
            if count >= 500 and time.monotonic() > patient_until:
                return False
    finally:
        sys.setswitchinterval(usual)
        thread.join()


COPIES = {
    "assignment": lambda a, b, host: a.__setitem__(..., b),
    "number": lambda a, b, host: a.__setitem__(..., 2.5),
    "astype": lambda a, b, host: a.astype("f4"),
    "to NumPy": lambda a, b, host: usmx._core._copy_to_host(a, host),
    "from NumPy": lambda a, b, host: usmx._core._copy_from_host(a, host),
    "copy_async": lambda a, b, host: usmx.copy_async(a, b),
    "copy_async to NumPy": lambda a, b, host: usmx.copy_async(host, b),
    "copy_async from NumPy": lambda a, b, host: usmx.copy_async(a, host),
    "fill_async": lambda a, b, host: usmx.fill_async(a, 2.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(("size", "lets_go"), [(100, False), (1_000_000, True)])
def test_large_copies_let_the_interpreter_lock_go_and_small_ones_keep_it(copy, size, lets_go):
    if usmx.SyclDevice().backend != "opencl" and not lets_go:
        pytest.skip("the host may not touch memory of this device: every copy is a command")
    a, b, host = usmx.zeros(size), usmx.zeros(size), np.zeros(size)
    # A thread that comes late to its wait asks for the lock as usual: one of three tries decides.
    runs = [
        other_thread_runs_during(lambda: copy(a, b, host), 60 if lets_go else 0)
        for _ in range(1 if lets_go else 3)
    ]
    assert all(runs) is lets_go
    usmx.synchronize()


def test_small_copy_of_memory_that_is_in_use_lets_the_interpreter_lock_go():
    a, b = usmx.zeros(100), usmx.zeros(100)
    queue, nbytes = dpctl.SyclQueue(), 32 << 20
    there, here = (dpctl.memory.MemoryUSMDevice(nbytes, queue=queue) for _ in range(2))

    def copy():
        a.record(queue.memcpy_async(there, here, nbytes))
        b[...] = a  # waits for some ms

    assert other_thread_runs_during(copy, 60)
