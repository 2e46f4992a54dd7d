"""No stale number by any export: a default array leaves, its consumer works on it, usmx reads it.

Every way out is tried with every consumer's work and every way to read. Each array leaves once and is
read many times while the consumer keeps what it got, as users do.
"""

import ctypes
import itertools
import os
import pickle

import dpctl
import dpctl.memory
import dpnp
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, Producer
from test_order import slow_fill

TRIES = int(os.environ.get("USMX_TEST_TRIES", "60"))  # 1000 by hand
SIZE = 1 << 12


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


def by_pointer(array):
    described = {
        "version": 1,
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (array._pointer, False),
        "syclobj": array.sycl_queue,
    }
    return dpnp.tensor.asarray(Producer(described, array))


def by_a_view_on_another_queue(array):
    return dpnp.tensor.asarray(array.to_device(dpctl.SyclQueue()))


EXPORTS = [
    by_dictionary, by_to_dpnp, by_dlpack, by_dlpack_capsule_with_a_stream, by_dlpack_without_order,
    by_memory, by_to_dpctl, by_pointer, by_a_view_on_another_queue,
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
        arguments = [self.memory, ctypes.c_double(number), ctypes.c_longlong(300)]
        self.queue.submit_async(slow_fill(self.queue), arguments, [SIZE])


WORK = [Additions, Product, Kernel]


# ---- ways to read


def by_address(address):
    return np.ctypeslib.as_array((ctypes.c_double * SIZE).from_address(address))


def dictionary(array):
    interface = array.__sycl_usm_array_interface__
    return by_address(interface["data"][0] + 8 * interface["offset"]).copy()


def dlpack_at_once(array):
    capsule = array.__dlpack__(stream=-1)
    numbers = by_address(array.base._pointer).copy()
    del capsule
    return numbers


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
    "wait": lambda a: (a.wait(), by_address(a.base._pointer).copy())[1],
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
    consumer = work(export(array))
    ways = itertools.cycle(READS.items())
    for number in range(10, 10 + max(TRIES, len(READS))):
        consumer.submit(number)
        name, read = next(ways)
        got = read(array)
        assert (got == number).all(), (name, number, got)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("export", EXPORTS)
def test_what_usmx_writes_comes_after_the_consumers_work(export, kind):
    array = usmx.zeros(SIZE, usm_type=kind)
    consumer = Kernel(export(array))
    for number in range(TRIES):
        consumer.submit(1)
        array[...] = number
        assert (usmx.asnumpy(array) == number).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("read", sorted(READS.keys() - {"wait", "bytes", "dlpack at once"}))
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
