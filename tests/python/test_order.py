"""No stale number is ever read: others' kernels are in flight, and usmx reads, writes and hands on.

Every way to the elements is tried sixty times right after a kernel was submitted, on queues of
each order, and all ways in turn after work of dpnp and oneMKL. The first test shows that the work is
still running then: whoever reads without waiting gets stale numbers, nearly always from the kernel,
often from dpnp's and oneMKL's.
"""

import ctypes
import itertools
import os
import pickle

import dpctl
import dpctl.memory
import dpnp
import numpy as np
import pytest
import usmx
from helpers import AT_ONCE, KINDS, SIMULATED, Producer
from spirv import fill_with_doubles_late

# Three times all of READS; 1000 by hand.
TRIES = int(os.environ.get("USMX_TEST_TRIES", "60"))
SIZE = 256  # doubles

ROUNDS = 2000  # of a kernel that takes its time


def owned_by_dpctl(queue, kind):
    """A producer of doubles in dpctl's memory."""
    memory = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")(8 * SIZE, queue=queue)
    interface = {
        "version": 1,
        "shape": (SIZE,),
        "typestr": "<f8",
        "data": (memory._pointer, False),
        "syclobj": queue,
    }
    return Producer(interface, memory)


def owned_by_usmx(queue, kind):
    return usmx.zeros(SIZE, usm_type=kind, sycl_queue=queue)


class Work:
    """Makes all elements of an array one number, later."""

    def __init__(self, queue, kind, owned_by):
        self.queue = queue
        self.producer = owned_by(queue, kind)
        interface = self.producer.__sycl_usm_array_interface__
        self.raw = (ctypes.c_double * SIZE).from_address(interface["data"][0])


class NativeKernel(Work):
    """A kernel that dpctl submits."""

    def __init__(self, *where):
        super().__init__(*where)
        self.memory = dpctl.memory.as_usm_memory(self.producer)

    def submit(self, number):
        fill_with_doubles_late(self.queue, self.memory, number, ROUNDS)


class NativeCopy(NativeKernel):
    """A copy that dpctl submits, of what a kernel writes first."""

    def __init__(self, *where):
        super().__init__(*where)
        self.destination = self.memory
        self.memory = dpctl.memory.MemoryUSMDevice(8 * SIZE, queue=self.queue)

    def submit(self, number):
        kernel = fill_with_doubles_late(self.queue, self.memory, number, ROUNDS)
        self.queue.memcpy_async(self.destination, self.memory, 8 * SIZE, [kernel])


class Dpnp(Work):
    """Two of dpnp's kernels, the second of which takes its time."""

    ROWS = 512  # a power of two: the sum is exact

    def __init__(self, *where):
        super().__init__(*where)
        self.result = dpnp.tensor.asarray(self.producer)
        self.matrix = dpnp.tensor.zeros((self.ROWS, SIZE), sycl_queue=self.result.sycl_queue)

    def submit(self, number):
        self.matrix[...] = number / self.ROWS
        dpnp.tensor.sum(self.matrix, axis=0, out=self.result)


class OneMkl(Work):
    """A matrix product, by oneMKL."""

    ROWS = 2048

    def __init__(self, *where):
        super().__init__(*where)
        self.result = dpnp.reshape(dpnp.as_usm_ndarray(self.producer), (1, SIZE), copy=False)
        queue = self.result.sycl_queue
        self.factor = dpnp.ones((1, self.ROWS), sycl_queue=queue)
        self.matrix = dpnp.full((self.ROWS, SIZE), 1 / self.ROWS, sycl_queue=queue)

    def submit(self, number):
        self.factor.fill(number)
        dpnp.matmul(self.factor, self.matrix, out=self.result)


WORK = [NativeKernel, NativeCopy, Dpnp, OneMkl]
PLACES = {
    "usmx's queue": lambda: dpctl.SyclQueue(usmx.empty(1).sycl_queue._get_capsule()),
    "out of order": dpctl.SyclQueue,
    "in order": lambda: dpctl.SyclQueue(property="in_order"),
}


@pytest.fixture(params=PLACES)
def queue(request):
    return PLACES[request.param]()


@pytest.fixture
def work(queue):
    return NativeKernel(queue, "shared", owned_by_dpctl)


@pytest.fixture(params=WORK, ids=lambda cls: cls.__name__)
def any_work(request, queue):
    return request.param(queue, "shared", owned_by_dpctl)


def holds(numbers, expected):
    return bool((np.asarray(numbers) == expected).all())


# ---- there is something to wait for


@pytest.mark.slow
@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
def test_who_does_not_wait_reads_stale_numbers(any_work):
    stale, tries = 0, max(200, TRIES)  # dpnp's and oneMKL's work may have ended
    for number in range(1, tries + 1):
        any_work.submit(number)
        stale += any_work.raw[SIZE - 1] != number
        any_work.queue.wait()
        assert holds(any_work.raw, number)
    assert stale > (tries // 2 if isinstance(any_work, NativeKernel) else 0)


# ---- reads: each takes the imported array, and gives its numbers


def doubles(data):
    return np.frombuffer(data, "f8")


def by_dictionary(array):
    interface = array.__sycl_usm_array_interface__
    return (ctypes.c_double * SIZE).from_address(interface["data"][0])


def into_a_copy(array):
    copy = usmx.memory.MemoryUSMHost(8 * SIZE)
    copy.copy_from_device(array)
    return np.asarray(copy).view("f8")


def waiting(array):
    array.wait()
    return by_address(array)


def waiting_for_the_queue(array):
    array.sycl_queue.wait()
    return by_address(array)


def by_address(array):
    return (ctypes.c_double * SIZE).from_address(array._pointer)


READS = {
    "asnumpy": usmx.asnumpy,
    "asnumpy of a slice": lambda a: usmx.asnumpy(a[::-2]),
    "dictionary": by_dictionary,
    "dictionary of the memory": lambda a: by_dictionary(a.base),
    "copy_to_host": lambda a: doubles(a.base.copy_to_host()),
    "tobytes": lambda a: doubles(a.base.tobytes()),
    "copy_from_device": into_a_copy,
    "copy of the memory": lambda a: doubles(usmx.memory.MemoryUSMDevice(a, copy=True).tobytes()),
    "copy of the array": lambda a: usmx.asnumpy(usmx.asarray(a, copy=True)),
    "other element type": lambda a: usmx.asnumpy(usmx.asarray(a, "f4")),
    "pickle": lambda a: doubles(pickle.loads(pickle.dumps(a.base)).tobytes()),
    "text": lambda a: [float(str(a[SIZE - 1]))],
    "wait": waiting,
    "wait of the queue": waiting_for_the_queue,
    "synchronized by another view": lambda a: (a[:0].wait(), by_address(a))[1],
    "asarray of NumPy": np.asarray,
    "memoryview": memoryview,
    "buffer of the memory": lambda a: doubles(a.base),
    "buffer of a slice": lambda a: np.asarray(a[3:5]),
}


@pytest.mark.slow
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_every_read_waits(work, read):
    array = usmx.asarray(work.producer)
    for number in range(1, TRIES + 1):
        work.submit(number)
        assert holds(read(array), number)


@pytest.mark.slow
def test_every_read_waits_for_dpnp_and_onemkl(any_work):
    array = usmx.asarray(any_work.producer)
    for number, read in zip(range(1, TRIES + 1), itertools.cycle(READS.values())):
        any_work.submit(number)
        assert holds(read(array), number)


@pytest.mark.parametrize("read", [usmx.asnumpy, np.asarray, by_dictionary])
def test_every_read_of_a_fresh_import_waits(work, read):
    for number in range(1, TRIES + 1):
        work.submit(number)
        assert holds(read(usmx.asarray(work.producer)), number)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("owned_by", [owned_by_dpctl, owned_by_usmx])
@pytest.mark.parametrize("read", [usmx.asnumpy, by_dictionary, into_a_copy])
def test_memory_of_every_kind_and_owner_is_waited_for(queue, kind, owned_by, read):
    work = NativeKernel(queue, kind, owned_by)
    array = usmx.asarray(work.producer)
    for number in range(1, TRIES + 1):
        work.submit(number)
        assert holds(read(array), number)


# ---- writes: each comes after the work, and what it wrote stays


def assigning_bytes(array):
    array.base.memset(0x40)
    return doubles(b"\x40" * 8)[0]


def copying_from_host(array):
    array.base.copy_from_host(np.full(SIZE, -1.0))
    return -1.0


other = usmx.asarray(np.full(SIZE, -2.0))


def copying_from_device(array):
    array.base.copy_from_device(other)
    return -2.0


WRITES = [assigning_bytes, copying_from_host, copying_from_device]


@pytest.mark.slow
def test_every_write_comes_after_dpnp_and_onemkl(any_work):
    array = usmx.asarray(any_work.producer)
    for number, write in zip(range(1, TRIES + 1), itertools.cycle(WRITES)):
        any_work.submit(number)
        expected = write(array)
        any_work.queue.wait()
        assert holds(any_work.raw, expected)


@pytest.mark.parametrize("write", WRITES)
def test_every_write_comes_after_the_work(work, write):
    array = usmx.asarray(work.producer)
    for number in range(1, TRIES + 1):
        work.submit(number)
        expected = write(array)
        work.queue.wait()
        assert holds(work.raw, expected)


def test_source_of_a_write_is_waited_for(work):
    source = usmx.asarray(work.producer)
    memory = usmx.memory.MemoryUSMShared(8 * SIZE)
    for number in range(1, TRIES + 1):
        work.submit(number)
        memory.copy_from_device(source)
        assert holds(doubles(memory), number)


# ---- copies that are not waited for


@pytest.mark.slow
def test_asynchronous_copy_comes_after_the_work(any_work):
    array = usmx.asarray(any_work.producer)
    copy = usmx.zeros(SIZE)
    for number in range(1, TRIES + 1):
        any_work.submit(number)
        usmx.copy_async(copy, array)
        assert holds(usmx.asnumpy(copy), number)


@pytest.mark.slow
def test_asynchronous_copy_to_the_host_comes_after_the_work(any_work):
    array = usmx.asarray(any_work.producer)
    copy = np.zeros(SIZE)
    for number in range(1, TRIES + 1):
        any_work.submit(number)
        usmx.copy_async(copy, array).wait()
        assert holds(copy, number)


@pytest.mark.slow
def test_asynchronous_writes_come_after_the_work(any_work):
    array = usmx.asarray(any_work.producer)
    writes = (
        lambda: usmx.fill_async(array, -1),
        lambda: usmx.copy_async(array, other),
        lambda: usmx.copy_async(array, np.full(SIZE, -3.0)),
    )
    for number, write, expected in zip(
        range(1, TRIES + 1), itertools.cycle(writes), itertools.cycle((-1, -2, -3))
    ):
        any_work.submit(number)
        write()
        array.wait()
        assert holds(any_work.raw, expected)


# ---- numbers that go on, to others and back


def test_another_queue_goes_on_with_finished_numbers(work):
    elsewhere = dpctl.SyclQueue()
    array = usmx.asarray(work.producer)
    for number in range(1, TRIES + 1):
        work.submit(number)
        interface = dict(array.__sycl_usm_array_interface__)
        theirs = dpctl.memory.as_usm_memory(Producer(interface | {"syclobj": elsewhere}, array))
        assert holds(doubles(theirs.copy_to_host()), number)


def test_synchronize_waits_for_work_on_usmx_own_queue():
    work = NativeKernel(PLACES["usmx's queue"](), "shared", owned_by_usmx)
    for number in range(1, TRIES + 1):
        work.submit(number)
        usmx.synchronize()
        assert holds(work.raw, number)


def test_memory_is_not_used_again_before_the_work_on_it_is_done():
    queue = PLACES["usmx's queue"]()
    for number in range(1, TRIES + 1):
        work = NativeKernel(queue, "shared", owned_by_usmx)
        work.submit(number)
        del work
        next_one = usmx.memory.MemoryUSMShared(8 * SIZE)
        doubles(next_one)[...] = -1
        queue.wait()
        assert holds(doubles(next_one), -1)
