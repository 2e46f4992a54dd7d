"""No stale number by any export: a default array leaves, its consumer works on it, usmx reads it.

Every way out is tried with every consumer's work and every way to read. Each array leaves once and is
read many times while the consumer keeps what it got, as users do.
"""

import ctypes
import functools
import itertools
import os
import pickle
import tempfile
from pathlib import Path

import compile as compiler
import dpctl
import dpctl.memory
import dpctl.utils
import dpnp
import dpnp.tensor
import numpy as np
import pyarrow as pa
import pytest
import usmx
from arrow_structures import DeviceArray, held_by
from extension_builds import loaded
from helpers import KINDS, Producer, make_capsule
from spirv import fill_with_doubles_late
from test_dlpack_table import exported, let_go, table
from usmx.testing._tensors import Taken, Tensor, capsule_of

# Each of WRITES; 1000 in ./test nightly.
TRIES = int(os.environ.get("USMX_TEST_TRIES", "6"))
SIZE = 1 << 12


@functools.cache
def c_table():
    """An extension in C, whose functions call those of usmx's table."""
    with tempfile.TemporaryDirectory() as folder:
        compiler.compiled(
            Path(compiler.__file__).parent / "extension.c", Path(folder, "extension.abi3.so")
        )
        return loaded("extension", folder)


@functools.cache
def mpi():
    """The communicator of this process alone: what it sends, it receives."""
    from mpi4py import MPI  # which starts MPI, only in processes that need it

    return MPI.COMM_SELF


class TensorOnly:
    """An array for those who would rather take its buffer, which host memory has as well."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


# ---- ways out: what dpnp has of an array then


def by_dictionary(array):
    return dpnp.tensor.asarray(array)


def by_to_dpnp(array):
    return usmx.to_dpnp(array).get_array()


def by_dlpack(array):
    return dpnp.tensor.from_dlpack(array)


def by_dlpack_capsule_with_a_stream(array):
    class Wrapped:
        def __dlpack_device__(self):
            return array.__dlpack_device__()

        def __dlpack__(self, **keywords):
            keywords["stream"] = dpnp.ones(1).sycl_queue
            return array.__dlpack__(**keywords)

    return dpnp.tensor.from_dlpack(Wrapped())


def by_dlpack_without_order(array):
    class Wrapped:
        def __dlpack_device__(self):
            return array.__dlpack_device__()

        def __dlpack__(self, **keywords):
            keywords["stream"] = -1
            return array.__dlpack__(**keywords)

    return dpnp.tensor.from_dlpack(Wrapped())


def by_memory(array):
    memory = dpctl.memory.as_usm_memory(array.base)
    return dpnp.tensor.usm_ndarray(array.shape, dtype=array.dtype, buffer=memory)


def by_to_dpctl(array):
    memory = usmx.to_dpctl(array)
    return dpnp.tensor.usm_ndarray(array.shape, dtype=array.dtype, buffer=memory)


def at(address, array, queue, owner):
    """What dpnp makes of an address, as whoever got it there would describe it."""
    described = {
        "version": 1,
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (address, False),
        "syclobj": queue,
    }
    return dpnp.tensor.asarray(Producer(described, owner))


def by_pointer(array):
    return at(array._pointer, array, array.sycl_queue, array)


def by_c_table(array):
    owner = c_table().keep(array)
    view = c_table().describe_owner(owner)
    queue = usmx.SyclQueue(make_capsule("SyclQueueRef", view["queue"]))
    return at(view["data"], array, queue, owner)


def by_dlpack_table(array):
    class Wrapped:
        def __dlpack_device__(self):
            return array.__dlpack_device__()

        def __dlpack__(self, **_):
            return capsule_of(exported(array).contents)

    return dpnp.tensor.from_dlpack(Wrapped())


def by_arrow(array):
    _, capsule = array.__arrow_c_device_array__()
    address = held_by(capsule, DeviceArray).array.buffers[1]
    return at(address, array, dpnp.ones(1).sycl_queue, capsule)


def by_a_view_on_another_queue(array):
    return dpnp.tensor.asarray(array.to_device(dpctl.SyclQueue()))


EXPORTS = [
    by_dictionary, by_to_dpnp, by_dlpack, by_dlpack_capsule_with_a_stream, by_dlpack_without_order,
    by_memory, by_to_dpctl, by_pointer, by_a_view_on_another_queue,
    by_c_table, by_dlpack_table, by_arrow,
]  # fmt: skip


# ---- the consumer's work, which makes all elements one number, later


class Additions:
    """Kernels of dpnp, one after the other."""

    def __init__(self, taken):
        self.taken = taken

    def submit(self, number):
        self.taken[...] = number - 5
        for _ in range(5):
            self.taken += 1


class Product:
    """A matrix product of oneMKL."""

    ROWS = 64

    def __init__(self, taken):
        self.result = dpnp.reshape(dpnp.ndarray(buffer=taken, shape=taken.shape), (1, SIZE))
        queue = taken.sycl_queue
        self.factor = dpnp.ones((1, self.ROWS), sycl_queue=queue)
        self.matrix = dpnp.full((self.ROWS, SIZE), 1 / self.ROWS, sycl_queue=queue)

    def submit(self, number):
        self.factor.fill(number)
        dpnp.matmul(self.factor, self.matrix, out=self.result)


class Kernel:
    """A kernel that dpctl submits, without waiting."""

    def __init__(self, taken):
        self.queue, self.memory = taken.sycl_queue, taken.usm_data

    def submit(self, number):
        return fill_with_doubles_late(self.queue, self.memory, number, rounds=300)


class RegisteredKernel(Kernel):
    """What goes round dpnp has to be added to its order manager (docs/concepts.md)."""

    def submit(self, number):
        event = super().submit(number)
        dpctl.utils.SequentialOrderManager[self.queue].add_event_pair(event, event)


WORK = [Additions, Product, Kernel]


def consumer_of(taken, export, work):
    is_of_dpnp = export is by_to_dpnp and work is Kernel
    return RegisteredKernel(taken) if is_of_dpnp else work(taken)


# ---- ways to read


def by_address(address):
    return np.ctypeslib.as_array((ctypes.c_double * SIZE).from_address(address))


def dictionary(array):
    interface = array.__sycl_usm_array_interface__
    return by_address(interface["data"][0] + 8 * interface["offset"]).copy()


def dlpack_at_once(array):
    tensor = Taken(array.__dlpack__(stream=-1))
    return by_address(tensor.managed.tensor.data).copy()


def asynchronous_copy(array):
    result = np.empty(SIZE)
    usmx.copy_async(result, array).wait()
    return result


def buffer(array):
    if array.usm_type == "device":
        return usmx.asnumpy(array)
    return np.asarray(array).copy()


def on_the_host_by_dlpack(array):
    return np.from_dlpack(array, device="cpu").copy()


def received_by_mpi4py(sent):
    numbers = np.empty(SIZE)
    mpi().Sendrecv(sent, dest=0, recvbuf=numbers, source=0)
    return numbers


def dlpack_table(array):
    seen = Tensor()
    table().look_into(array, ctypes.byref(seen))
    return by_address(seen.data + seen.byte_offset).copy()


def dlpack_table_with_owner(array):
    made = exported(array)
    numbers = by_address(made.contents.tensor.data).copy()
    let_go(made)
    return numbers


def arrow_of_the_device(array):
    _, capsule = array.__arrow_c_device_array__()
    return by_address(held_by(capsule, DeviceArray).array.buffers[1]).copy()


def arrow(array):
    if array.usm_type == "device":
        return usmx.asnumpy(array)
    return pa.array(array).to_numpy().copy()


def arrow_of_the_host(array):
    if array.usm_type == "device":
        return usmx.asnumpy(array)
    return pa.Array._import_from_c_capsule(*array.__arrow_c_array__()).to_numpy().copy()


READS = {
    "asnumpy": usmx.asnumpy,
    "view": lambda a: usmx.asnumpy(a[::-1]),
    "item": lambda a: np.full(SIZE, a[SIZE - 1].item()),
    "copy": lambda a: usmx.asnumpy(a.copy()),
    "assignment": lambda a: assigned(usmx.empty(SIZE), a),
    "copy_async": asynchronous_copy,
    "indices": lambda a: np.full(SIZE, a[[SIZE // 2]].item()),
    "dictionary": dictionary,
    "pointer": lambda a: by_address(a._pointer).copy(),
    "buffer": buffer,
    "dlpack at once": dlpack_at_once,
    "dlpack on the host": on_the_host_by_dlpack,
    "bytes": lambda a: np.frombuffer(a.base.tobytes()),
    "pickle": lambda a: usmx.asnumpy(pickle.loads(pickle.dumps(a))),
    "mpi4py": received_by_mpi4py,
    "mpi4py by DLPack": lambda a: received_by_mpi4py(TensorOnly(a)),
    "C table": lambda a: by_address(c_table().describe(a)["data"]).copy(),
    "C table, new array": lambda a: usmx.asnumpy(c_table().same_array(a)[1]),
    "DLPack's table": dlpack_table,
    "DLPack's table, with an owner": dlpack_table_with_owner,
    "Arrow": arrow,
    "Arrow of the device": arrow_of_the_device,
    "Arrow of the host": arrow_of_the_host,
}


def assigned(to, array):
    to[...] = array
    return usmx.asnumpy(to)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("export", EXPORTS)
def test_no_number_is_stale_by_any_export(export, work, kind):
    array = usmx.zeros(SIZE, usm_type=kind)
    consumer = consumer_of(export(array), export, work)
    ways = itertools.cycle(READS.items())
    for number in range(10, 10 + max(TRIES, len(READS))):
        consumer.submit(number)
        name, read = next(ways)
        got = read(array)
        assert (got == number).all(), (name, number, got)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("export", EXPORTS)
def test_waiting_waits_for_the_consumers_work(export, work, kind):
    array = usmx.zeros(SIZE, usm_type=kind)
    taken = export(array)
    numbers = by_address(taken._pointer)  # not the array's: to ask for that is a way out, and waits
    consumer = consumer_of(taken, export, work)
    owner = c_table().keep(array)
    ways = itertools.cycle(
        {
            "array": array.wait,
            "memory": array.base.wait,
            "C table": lambda: c_table().wait(owner),
        }.items()
    )
    for number in range(10, 10 + TRIES):
        consumer.submit(number)
        name, wait = next(ways)
        wait()
        assert (numbers == number).all(), (name, number, numbers)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", WORK)
def test_no_number_is_stale_by_an_owner_that_c_code_has_kept(work, kind):
    array = usmx.zeros(SIZE, usm_type=kind)
    consumer = work(by_c_table(array))
    owner = c_table().keep(array)
    ways = itertools.cycle(
        {
            "same owner": lambda: usmx.asnumpy(c_table().to_array(owner)),
            "another owner": lambda: usmx.asnumpy(c_table().to_array(c_table().retain(owner))),
        }.items()
    )
    for number in range(10, 10 + TRIES):
        consumer.submit(number)
        name, read = next(ways)
        got = read()
        assert (got == number).all(), (name, number, got)


def assign(array, number):
    array[...] = number


def write_to_buffer(array, number):
    if array.usm_type == "device":
        assign(array, number)
    else:
        np.asarray(array)[...] = number


def send_by_mpi4py(to, number):
    mpi().Sendrecv(np.full(SIZE, float(number)), dest=0, recvbuf=to, source=0)


WRITES = {
    "assignment": assign,
    "fill_async": usmx.fill_async,
    "copy_async": lambda array, number: usmx.copy_async(array, np.full(SIZE, float(number))),
    "buffer": write_to_buffer,
    "mpi4py": send_by_mpi4py,
    "mpi4py by DLPack": lambda array, number: send_by_mpi4py(TensorOnly(array), number),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("export", EXPORTS)
def test_what_is_written_comes_after_the_consumers_work(export, work, kind):
    array = usmx.zeros(SIZE, usm_type=kind)
    taken = export(array)
    numbers = by_address(taken._pointer)
    consumer = consumer_of(taken, export, work)
    ways = itertools.cycle(WRITES.items())
    for number in range(10, 10 + TRIES):
        consumer.submit(1)
        name, write = next(ways)
        write(array, number)
        array.wait()
        taken.sycl_queue.wait()  # what the consumer does later is done now, too
        assert (numbers == number).all(), (name, number, numbers)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("read", sorted(READS.keys() - {"bytes"}))
def test_own_unfinished_work_is_waited_for_by_every_export(read, kind):
    source = usmx.asarray(np.arange(float(1 << 20)), usm_type=kind)
    whole = usmx.empty(1 << 20, usm_type=kind)
    part = whole[(1 << 20) - SIZE :]
    expected = np.arange(float(1 << 20))[-SIZE:]
    array = usmx.USMArray(SIZE, "f8", whole.base, offset=(1 << 20) - SIZE)
    assert array._pointer == part._pointer
    expected = {
        "view": expected[::-1],
        "indices": np.full(SIZE, expected[SIZE // 2]),
        "item": np.full(SIZE, expected[-1]),
    }.get(read, expected)
    for _ in range(5):
        whole[...] = 0
        usmx.copy_async(whole, source)
        np.testing.assert_array_equal(READS[read](array), expected)
