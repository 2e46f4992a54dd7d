"""Unfinished work belongs to the bytes, not to the object through which it was started.

Whoever reaches the same bytes, by whatever route, reads no stale number and overwrites nothing that is
still to be read.

Every pair of routes is tried with every work, read and write: work is started through one and met through
the other, on usmx's queue, on another queue of the context, and from another thread. The first test shows
that the work is still running then.
"""

import ctypes
import itertools
import os
from concurrent.futures import ThreadPoolExecutor

import dpctl
import dpctl.memory
import dpnp
import numpy as np
import pytest
import usmx
from helpers import AT_ONCE, SIMULATED, Producer
from spirv import fill_with_doubles_late

# Each combination once or twice, in each of 121 pairs; 1000 by hand.
TRIES = int(os.environ.get("USMX_TEST_TRIES", "56"))
SIZE = 20_000  # doubles: more than usmx copies at once when memory is idle


def new_queue():
    return usmx.SyclQueue(dpctl.SyclQueue()._get_capsule())


def dictionary_of(array, **changes):
    return Producer(dict(array.__sycl_usm_array_interface__) | changes, array)


def adopted(array):
    memory = usmx.memory.from_pointer(
        array._pointer, array.nbytes, array.sycl_queue, owner=array.base
    )
    return usmx.USMArray(array.shape, array.dtype, buffer=memory)


class Worker:
    """Runs calls in one other thread."""

    pool = ThreadPoolExecutor(1)

    def __init__(self, array):
        self.array = array

    def run(self, function):
        return self.pool.submit(function, self.array).result()


class Here(Worker):
    def run(self, function):
        return function(self.array)


ROUTES = {
    "itself": lambda a, q: Here(a),
    "view": lambda a, q: Here(a[::-1][::-1]),
    "other queue": lambda a, q: Here(a.to_device(q)),
    "memory object": lambda a, q: Here(usmx.USMArray(a.shape, a.dtype, buffer=a.base)),
    "view of the memory": lambda a, q: Here(
        usmx.USMArray(a.shape, a.dtype, buffer=usmx.memory.as_usm_memory(a))
    ),
    "dictionary": lambda a, q: Here(usmx.asarray(dictionary_of(a))),
    "dictionary on another queue": lambda a, q: Here(usmx.asarray(dictionary_of(a, syclobj=q))),
    "adopted": lambda a, q: Here(adopted(a)),
    "through dpnp": lambda a, q: Here(usmx.asarray(dpnp.tensor.asarray(a))),
    "through dpctl": lambda a, q: Here(
        usmx.USMArray(a.shape, a.dtype, buffer=dpctl.memory.as_usm_memory(a))
    ),
    "other thread": lambda a, q: Worker(a),
}
PAIRS = list(itertools.product(ROUTES, ROUTES))


class Bytes:
    """An array of which nobody else knows anything, and another queue of its context."""

    def __init__(self, kind="shared"):
        self.array = usmx.zeros(SIZE, usm_type=kind)
        self.queue = new_queue()

    def by(self, route):
        return ROUTES[route](self.array, self.queue)


# ---- work, started through an array


def fill(array, number):
    usmx.fill_async(array, number)


sources = {}


def copy(array, number):
    source = sources.setdefault(number % 7, usmx.full(SIZE, float(number % 7)))
    source.base.copy_from_host(np.full(SIZE, float(number)).view("u1"))
    usmx.copy_async(array, source)


def copy_from_host(array, number):
    usmx.copy_async(array, np.full(SIZE, float(number)))


def recorded_kernel(array, number):
    queue = dpctl.SyclQueue(array.sycl_queue._get_capsule())
    memory = dpctl.memory.as_usm_memory(array)
    array.record(fill_with_doubles_late(queue, memory, number, rounds=200))


WORK = [fill, copy, copy_from_host, recorded_kernel]


# ---- reads


def by_address(array):
    interface = array.__sycl_usm_array_interface__
    return np.ctypeslib.as_array((ctypes.c_double * SIZE).from_address(interface["data"][0])).copy()


def into_a_copy(array):
    copied = usmx.empty(SIZE)
    usmx.copy_async(copied, array)
    return usmx.asnumpy(copied)


def waited(array):
    array.wait()
    return np.ctypeslib.as_array((ctypes.c_double * SIZE).from_address(array._pointer)).copy()


READS = [
    usmx.asnumpy,
    by_address,
    into_a_copy,
    waited,
    lambda a: np.array(memoryview(a)),
    lambda a: np.frombuffer(a.base.tobytes(), "f8"),
    lambda a: usmx.asnumpy(usmx.asarray(a, copy=True)),
    lambda a: np.concatenate([usmx.asnumpy(a[: SIZE // 2]), usmx.asnumpy(a[SIZE // 2 :])]),
]


@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
def test_who_does_not_wait_reads_stale_numbers():
    memory = Bytes()
    raw = (ctypes.c_double * SIZE).from_address(memory.array._pointer)
    stale = 0
    for number in range(1, 200):
        recorded_kernel(memory.array, number)
        stale += raw[SIZE - 1] != number
        memory.array.wait()
        assert raw[SIZE - 1] == number
    assert stale > 100


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda name: name)
def test_every_read_comes_after_work_started_by_another_route(first, second):
    memory = Bytes()
    writer = memory.by(first)
    reader = memory.by(second)
    turns = zip(range(1, TRIES + 1), itertools.cycle(itertools.product(WORK, READS)))
    for number, (work, read) in turns:
        writer.run(lambda a, work=work, number=number: work(a, number))
        assert (reader.run(read) == number).all(), (work, read)


# ---- writes


def assigning(array, number):
    array[...] = number


def bytes_from_host(array, number):
    array.base.copy_from_host(np.full(SIZE, float(number)).view("u1"))


WRITES = [
    fill,
    copy,
    copy_from_host,
    assigning,
    bytes_from_host,
    lambda a, number: a.__setitem__(slice(None), np.full(SIZE, float(number))),
    lambda a, number: usmx.copy_async(a[::-1], np.full(SIZE, float(number))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda name: name)
def test_every_write_comes_after_reads_and_writes_started_by_another_route(first, second):
    memory = Bytes()
    early = memory.by(first)
    late = memory.by(second)
    outs = [usmx.empty(SIZE), usmx.empty(SIZE, sycl_queue=new_queue())]
    host = np.empty(SIZE)
    turns = zip(range(1, TRIES + 1), itertools.cycle(itertools.product(outs, WORK, WRITES)))
    for number, (out, work, write) in turns:
        early.run(lambda a, work=work, number=number: work(a, number))
        early.run(lambda a, out=out: usmx.copy_async(out, a))
        copied = early.run(lambda a: usmx.copy_async(host, a))
        late.run(lambda a, write=write, number=number: write(a, -number))
        assert (usmx.asnumpy(out) == number).all(), (work, write)
        copied.wait()
        assert (host == number).all(), (work, write)
        assert (usmx.asnumpy(memory.array) == -number).all(), (work, write)
