"""usmx.from_shared_memory: arrays over memory of the system, which other processes have, too."""

import gc
import mmap
import pickle
from multiprocessing.shared_memory import SharedMemory

import dpctl.memory
import dpnp
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import output_of
from leaks import LIMIT, ROUNDS, growth
from usmx import from_shared_memory

REACHES_THE_SYSTEM = usmx.SyclDevice().has_aspect_usm_system_allocations
needs_system_memory = pytest.mark.skipif(
    not REACHES_THE_SYSTEM, reason="this device may not touch the system's memory"
)
SIZE = 1024


@pytest.fixture
def block():
    made = SharedMemory(create=True, size=SIZE * 8)
    yield made
    made.unlink()  # it is closed when the last array over it is gone


@pytest.mark.skipif(REACHES_THE_SYSTEM, reason="this device may touch the system's memory")
def test_device_that_cannot_touch_such_memory_is_refused():
    with pytest.raises(ValueError, match="aspect usm_system_allocations.*copies the block"):
        from_shared_memory(bytearray(8), 1, "f8")


@needs_system_memory
def test_array_and_block_have_the_same_bytes(block):
    array = from_shared_memory(block, (4, SIZE // 4), "f8")
    assert array._pointer == np.frombuffer(block.buf).ctypes.data
    assert (array.usm_type, array.shape, array.flags.c_contiguous) == ("shared", (4, 256), True)
    array[1:, ::2] = 7
    expected = np.zeros((4, SIZE // 4))
    expected[1:, ::2] = 7
    assert np.array_equal(np.frombuffer(block.buf).reshape(array.shape), expected)


@needs_system_memory
def test_another_process_sees_what_is_written(block):
    array = from_shared_memory(block, SIZE, "f8")
    array[:] = 3
    code = f"""
import multiprocessing.resource_tracker as tracker, usmx
from multiprocessing.shared_memory import SharedMemory
block = SharedMemory({block.name!r})
tracker.unregister(block._name, "shared_memory")  # the maker's
array = usmx.from_shared_memory(block, {SIZE}, "f8")
print(set(array.tolist()))
array[:] = 4
del array
block.close()
"""
    assert output_of(code) == "{3.0}"
    assert set(array.tolist()) == {4.0}


@needs_system_memory
def test_kernels_and_copies_work_on_it(block):
    array = from_shared_memory(block, SIZE, "f8")
    usmx.fill_async(array, 2)
    doubled = usmx.ElementwiseKernel("T x", "T y", "y = 2 * x", "doubled")
    doubled(array[::2], array[::2])
    there = usmx.empty(SIZE)
    usmx.copy_async(there, array)
    assert there.tolist() == [4.0, 2.0] * (SIZE // 2)
    usmx.copy_async(array, usmx.asarray(np.arange(float(SIZE))))
    assert np.array_equal(usmx.asnumpy(array[::-1]), np.arange(float(SIZE))[::-1])
    array.sycl_queue.memset(array, 0, 8)
    assert array[0].item() == 0


@needs_system_memory
def test_mmap_and_parts_of_blocks_are_blocks(block):
    mapped = mmap.mmap(-1, 4096)
    from_shared_memory(mapped, 512, "f8")[3] = 5
    assert np.frombuffer(mapped)[3] == 5
    part = from_shared_memory(block.buf[64:128], 8, "f8")
    part[:] = 6
    assert np.flatnonzero(np.frombuffer(block.buf)).tolist() == list(range(8, 16))


@needs_system_memory
def test_read_only_memory_makes_a_read_only_array():
    numbers = np.arange(4.0)
    numbers.flags.writeable = False
    array = from_shared_memory(numbers, 4, "f8")
    assert not array.flags.writable
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    assert not from_shared_memory(bytes(8), 1, "f8").flags.writable


@needs_system_memory
def test_block_stays_open_as_long_as_a_view_lives(block):
    tail = from_shared_memory(block, SIZE, "f8")[SIZE // 2 :]
    memory = tail.base
    assert memory.reference_obj is block
    for _ in range(2):
        with pytest.raises(BufferError):
            block.close()
        tail = None
    del memory
    block.close()
    with pytest.raises(ValueError, match=r"must be open, found one whose close\(\)"):
        from_shared_memory(block, 1, "f8")


@needs_system_memory
def test_dropped_block_lives_as_long_as_its_array():
    array = from_shared_memory(SharedMemory(create=True, size=64), 8, "f8")
    block = array.base.reference_obj
    gc.collect()
    array[:] = 1
    assert array.tolist() == [1.0] * 8
    del array
    block.close()
    block.unlink()


@needs_system_memory
def test_array_of_no_elements_and_of_no_dimensions(block):
    assert from_shared_memory(block, (0, 3), "f8").shape == (0, 3)
    assert from_shared_memory(block, (), "i4").tolist() == 0
    assert from_shared_memory(bytearray(), 0, "f8").tolist() == []


@needs_system_memory
@pytest.mark.parametrize(
    ("shape", "dtype", "words"),
    [
        (SIZE + 1, "f8", f"needs bytes 0 to {SIZE * 8 + 7} of its memory"),
        ((SIZE, 2), "f8", "of its memory, which has"),
        ((1 << 62, 4), "f8", "number of elements must be at most"),
        (1 << 61, "f8", "number of bytes"),
        (-1, "f8", "-1"),
    ],
)
def test_shape_beyond_the_block_is_refused(block, shape, dtype, words):
    with pytest.raises((ValueError, OverflowError), match=words):
        from_shared_memory(block, shape, dtype)


@needs_system_memory
def test_block_that_is_not_aligned_is_refused(block):
    with pytest.raises(ValueError, match="aligned to 8 bytes"):
        from_shared_memory(block.buf[1:], 1, "f8")


@needs_system_memory
@pytest.mark.parametrize("shm", [None, 3, [1.0]])
def test_what_has_no_buffer_is_refused(shm):
    with pytest.raises(TypeError, match="'shm' must be a SharedMemory or an object with a buffer"):
        from_shared_memory(shm, 1, "f8")


@needs_system_memory
def test_buffer_with_gaps_is_refused():
    with pytest.raises((ValueError, BufferError)):
        from_shared_memory(np.zeros((4, 4))[:, ::2], 8, "f8")


# ---- what others get


@pytest.fixture
def array(block):
    made = from_shared_memory(block, SIZE, "f8")
    made[:] = 3
    return made


class Labelled(usmx.USMArray):
    """A subclass, of which a memory object keeps the object itself."""


EXPORTERS = {
    "array": lambda a: a,
    "view": lambda a: a[::2],
    "memory": lambda a: a.base,
    "array of the memory": lambda a: usmx.USMArray(8, "f8", a.base),
    "memory of a subclass": lambda a: usmx.memory.as_usm_memory(Labelled(8, "f8", a.base)),
    "on another queue": lambda a: usmx._core._on_queue(a, usmx.SyclQueue()),
}


@needs_system_memory
@pytest.mark.parametrize("exporter", EXPORTERS.values(), ids=EXPORTERS)
def test_there_is_no_dictionary(array, exporter):
    given = exporter(array)
    assert not hasattr(given, "__sycl_usm_array_interface__")
    with pytest.raises(AttributeError, match="is not USM to the SYCL runtime"):
        given.__sycl_usm_array_interface__  # noqa: B018
    with pytest.raises(ValueError, match="does not expose"):
        dpctl.memory.as_usm_memory(given)


@needs_system_memory
@pytest.mark.parametrize("function", [usmx.to_dpnp, usmx.to_dpctl])
def test_what_would_hand_it_over_without_a_copy_refuses(array, function):
    with pytest.raises(ValueError, match=r"pass a copy, usmx\.copy"):
        function(array)
    function(array.copy())


@needs_system_memory
def test_dpnp_takes_a_copy(array):
    taken = dpnp.tensor.asarray(array)
    array[:] = 0
    assert dpnp.tensor.asnumpy(taken).tolist() == [3.0] * SIZE


@needs_system_memory
def test_dlpack_has_it_as_memory_of_the_host(array):
    assert array.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(array).ctypes.data == array._pointer
    assert usmx.from_dlpack(array)._pointer == array._pointer
    of_the_device = usmx.zeros(1).__dlpack_device__()
    assert "dltensor" in repr(array.__dlpack__(dl_device=of_the_device))  # a copy there
    with pytest.raises(BufferError, match="copy=False cannot be met"):
        array.__dlpack__(dl_device=of_the_device, copy=False)


@needs_system_memory
def test_runtime_does_not_know_the_memory(array):
    assert usmx.memory.get_usm_type(array) == "shared"
    assert usmx.memory.get_usm_type(array._pointer, array.sycl_queue) == "unknown"


@needs_system_memory
def test_copies_and_pickles_are_usm(array):
    for made in (array.copy(), pickle.loads(pickle.dumps(array)), usmx.empty_like(array)):
        assert made.usm_type == "shared"
        assert "syclobj" in made.__sycl_usm_array_interface__


@needs_system_memory
def test_blocks_are_let_go():
    block = bytearray(1 << 16)
    assert growth(lambda: from_shared_memory(block, 8, "f8")[1:], ROUNDS // 3 * 2) < LIMIT
