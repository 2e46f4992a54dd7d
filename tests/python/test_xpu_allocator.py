"""The allocator of docs/adoption for PyTorch's XPU tensors, called as PyTorch calls it.

On the default device: PyTorch's packages on PyPI have no XPU.
"""

import ctypes
import sys
from collections import deque

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx
from documents import ROOT
from helpers import Producer, run
from spirv import fill_with_doubles_late

SOURCE = ROOT / "docs/adoption/xpu_allocator.cpp"
# PyTorch calls the function through a std::function, and what it throws becomes an exception of Python.
CALLER = """
#include <cstddef>
#include <functional>
#include <new>
#include <sycl/queue.hpp>
extern "C" bool throws_bad_alloc(void* (*given)(std::size_t, int, sycl::queue*), std::size_t nbytes,
                                 sycl::queue* queue) {
  std::function<void*(std::size_t, int, sycl::queue*)> allocate = given;
  try {
    allocate(nbytes, 0, queue);
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}
"""
SIZE = 256  # doubles
NBYTES = 8 * SIZE
ZEROS = bytes(NBYTES)
ROUNDS = 20_000  # of a kernel that is mostly still running when the next lines run
TRIES = 50

pytestmark = pytest.mark.slow


class Allocator:
    """What PyTorch has of it: functions by their names."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        size, number, pointer = ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p
        self.malloc = library.usmx_xpu_malloc
        self.malloc.restype, self.malloc.argtypes = pointer, (size, number, pointer)
        self.free = library.usmx_xpu_free
        self.free.restype, self.free.argtypes = None, (pointer, size, number, pointer)
        self.record_stream = library.usmx_xpu_record_stream
        self.record_stream.restype, self.record_stream.argtypes = None, (pointer, pointer)
        self.throws_bad_alloc = library.throws_bad_alloc
        self.throws_bad_alloc.restype = ctypes.c_bool
        self.throws_bad_alloc.argtypes = (pointer, size, pointer)


@pytest.fixture(scope="module")
def allocator(tmp_path_factory):
    folder = tmp_path_factory.mktemp("xpu_allocator")
    (folder / "caller.cpp").write_text(CALLER)
    flags = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags", "--libs").split()
    options = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    library = folder / "usmx_xpu_allocator.so"
    run("g++", *options, SOURCE, folder / "caller.cpp", *flags, "-o", library)
    return Allocator(library)


class Stream:
    """A queue as PyTorch's streams are: in order."""

    def __init__(self):
        self.queue = dpctl.SyclQueue(property="in_order")
        self.address = self.queue.addressof_ref()

    def memory_at(self, address):
        """What dpctl knows has no owner."""
        interface = {
            "version": 1,
            "shape": (SIZE,),
            "typestr": "<f8",
            "data": (address, False),
            "syclobj": self.queue,
        }
        return dpctl.memory.as_usm_memory(Producer(interface))

    def fill(self, address, value):
        """Make the doubles at an address one number, later."""
        fill_with_doubles_late(self.queue, self.memory_at(address), value, ROUNDS)

    def use_after(self, gate, address):
        """The event of work on the doubles at an address, which begins once the gate is open."""
        after = [dpctl.SyclEvent(gate._get_capsule())]
        return self.queue.memcpy_async(self.memory_at(address), ZEROS, NBYTES, after)


def used(stream):
    return usmx.memory.memory_stats("device", stream.queue)["used_bytes.current"]


def is_running(event):
    return event.execution_status != dpctl.event_status_type.complete


@pytest.fixture
def stream():
    return Stream()


def test_block_is_device_memory_of_usmxs_pool(allocator, stream):
    usmx.synchronize()
    before = used(stream)
    address = allocator.malloc(1000, 0, stream.address)
    assert usmx.memory.get_usm_type(address, stream.queue) == "device"
    assert address % 64 == 0
    assert used(stream) >= before + 1000
    allocator.free(address, 1000, 0, stream.address)
    usmx.synchronize()
    assert used(stream) == before


def test_no_bytes_are_null_and_null_is_freed(allocator, stream):
    assert allocator.malloc(0, 0, stream.address) is None
    allocator.free(None, 0, 0, stream.address)
    allocator.record_stream(None, stream.address)


def test_too_many_bytes_throw_instead_of_a_null_that_pytorch_would_use(allocator, stream):
    assert allocator.throws_bad_alloc(allocator.malloc, 1 << 60, stream.address)


@pytest.mark.parametrize("worker", ["the stream", "another one"])
def test_freed_block_is_not_given_again_before_the_work_on_it_is_done(
    allocator, stream, worker, gate_in
):
    """Neither by the stream that freed it, nor by another one to which it was recorded."""
    other = Stream()
    gate = gate_in(stream.queue)
    addresses, events = [], []
    for _ in range(TRIES):
        addresses.append(allocator.malloc(NBYTES, 0, stream.address))
        if worker == "the stream":
            events.append(stream.use_after(gate, addresses[-1]))
        else:
            events.append(other.use_after(gate, addresses[-1]))
            allocator.record_stream(addresses[-1], other.address)
        allocator.free(addresses[-1], NBYTES, 0, stream.address)
    assert all(map(is_running, events))
    assert len(set(addresses)) == TRIES
    gate.open()
    usmx.SyclEvent.wait_for(events)


def test_freed_blocks_are_given_again(allocator, stream):
    addresses = set()
    live = deque()
    for turn in range(1000):
        live.append(allocator.malloc(NBYTES, 0, stream.address))
        addresses.add(live[-1])
        if turn >= 8:
            allocator.free(live.popleft(), NBYTES, 0, stream.address)
    assert len(addresses) < 500
    for address in live:
        allocator.free(address, NBYTES, 0, stream.address)


def test_import_by_usmx_keeps_a_block_that_was_freed(allocator, stream):
    address = allocator.malloc(NBYTES, 0, stream.address)
    stream.fill(address, 5)
    memory = usmx.memory.from_pointer(address, NBYTES, stream.queue, owner=stream)
    allocator.free(address, NBYTES, 0, stream.address)
    others = {allocator.malloc(NBYTES, 0, stream.address) for _ in range(100)}
    assert address not in others
    assert (np.frombuffer(memory.tobytes()) == 5).all()
    for other in others:
        allocator.free(other, NBYTES, 0, stream.address)
