"""What an action leaves behind when it is done again and again, and the actions of test_leaks.py.

They run in a process of their own: what other tests have freed would hide what these keep.
"""

import functools
import gc
import json
import pickle
import sys
from pathlib import Path

import dpctl
import dpctl.memory
import dpnp
import numpy as np
import usmx
from helpers import (
    DENSITY,
    KINDS,
    MEMORY_CLASSES,
    Producer,
    interface_of,
    make_capsule,
    producer_of,
)
from usmx.memory import MemoryUSMHost, MemoryUSMShared, as_usm_memory, from_pointer, get_usm_type

ROUNDS = 30_000 if DENSITY >= 1 else 15_000
LIMIT = ROUNDS // 3 * 40  # bytes: less than so many of the smallest objects, which have 16
BLOCKS = 200  # of Python's memory


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def held():
    """The bytes of the process and the blocks of Python's, without garbage."""
    gc.collect()
    return resident_bytes(), sys.getallocatedblocks()


def left_by(action, rounds):
    """(bytes, blocks of Python's) that rounds of the action leave, once it has had its warm-up."""
    for _ in range(min(rounds // 5, 5_000)):
        action()
    before = held()
    for _ in range(rounds):
        action()
    return tuple(now - then for now, then in zip(held(), before, strict=True))


# Level Zero's driver fills its buffers of commands, 100 to 200 bytes a command, before it uses them anew: each page that
# it writes for the first time counts.
MORE_MEASUREMENTS = 10 if usmx.SyclDevice().backend == "level_zero" else 3


def always_left_by(action, rounds):
    """What each of several measurements finds: a leak comes again, a free list that grows does not."""
    left = left_by(action, rounds)
    for _ in range(MORE_MEASUREMENTS):
        if left[0] < LIMIT and left[1] < BLOCKS:
            break
        left = tuple(min(*both) for both in zip(left, left_by(action, rounds), strict=True))
    return left


def growth(action, rounds):
    """How many bytes the process grows by in each of several measurements of so many rounds."""
    return always_left_by(action, rounds)[0]


def failing(action, error=(ValueError, TypeError)):
    def attempt():
        try:
            action()
        except error:
            return
        raise AssertionError("did not fail")

    return attempt


class Holder:
    def __init__(self, given):
        self.given = given

    def _get_capsule(self):
        return self.given


class Raising:
    @property
    def __sycl_usm_array_interface__(self):
        raise OSError("mine")


class RaisingIndex:
    def __index__(self):
        raise ZeroDivisionError("mine")


class Buffered(bytes):
    """A producer with a buffer of ordinary memory."""


def used_capsule():
    capsule = usmx.SyclQueue()._get_capsule()
    usmx.SyclQueue(capsule)
    return capsule


memory = MemoryUSMShared(96)
own_queue = usmx.SyclQueue()
freed = MemoryUSMShared(1 << 20)._pointer
STRUCTURE = {"shape": (3,), "typestr": "|V9", "typedescr": [("a", "<i8"), ("b", "|b1")]}


def imports():
    """{name: a way to import}"""
    queue = dpctl.SyclQueue()
    producers = {
        "own array": usmx.zeros((3, 4)),
        "own memory": memory,
        "dictionary": producer_of(memory),
        "dpnp": dpnp.zeros((3, 4)),
        "dpctl": dpctl.memory.MemoryUSMDevice(96),
        "dpctl's queue": producer_of(memory, syclobj=queue),
        "dpctl's context": producer_of(memory, syclobj=queue.sycl_context),
        "context": producer_of(memory, syclobj=own_queue.sycl_context),
        "queue capsule": producer_of(memory, syclobj=own_queue._get_capsule()),
        "context capsule": producer_of(memory, syclobj=own_queue.sycl_context._get_capsule()),
        "holder of a capsule": producer_of(memory, syclobj=Holder(own_queue._get_capsule())),
        "strides": producer_of(memory, strides=(-4, 0), offset=8),
        "many dimensions": producer_of(memory, shape=(1,) * 40),
        "lists": producer_of(memory, shape=[3, 4], strides=[4, 1], data=[memory._pointer, True]),
        "structure": producer_of(memory, **STRUCTURE),
        "no elements": producer_of(memory, shape=(0,), data=(0, False)),
        "mapping": Producer(dict_subclass(interface_of(memory))),
    }
    actions = {name: functools.partial(usmx.asarray, p) for name, p in producers.items()}
    actions["filter string"] = functools.partial(
        usmx.asarray, producer_of(memory, syclobj=own_queue.sycl_device.filter_string)
    )
    actions["as_usm_memory"] = lambda: as_usm_memory(producers["dictionary"])
    actions["memory class"] = lambda: MemoryUSMShared(producers["dictionary"])
    actions["constructor"] = lambda: usmx.USMArray((2,), "f8", producers["dictionary"])
    actions["base"] = lambda: usmx.asarray(producers["dictionary"]).base
    actions["asnumpy"] = lambda: usmx.asnumpy(producers["dictionary"])
    return actions


class dict_subclass(dict):
    pass


REFUSED = {
    "version": {"version": 2},
    "type of version": {"version": "1"},
    "shape": {"shape": (3, -4)},
    "type of shape": {"shape": 3},
    "type of an extent": {"shape": (3.0, 4)},
    "dimensions": {"shape": (1,) * 65},
    "integer that raises": {"shape": (RaisingIndex(), 4)},
    "typestr": {"typestr": ">f8"},
    "type of typestr": {"typestr": None},
    "text": {"typestr": "\udc80"},
    "typedescr": {"typedescr": [("x", "<f8")]},
    "missing typedescr": {"typestr": "|V8"},
    "wrong structure": STRUCTURE | {"typestr": "|V10"},
    "field": STRUCTURE | {"typedescr": [("a", "<f16")]},
    "NULL": {"data": (0, False)},
    "negative pointer": {"data": (-1, False)},
    "type of pointer": {"data": (1.0, False)},
    "type of flag": {"data": (memory._pointer, None)},
    "length of data": {"data": (memory._pointer,)},
    "type of data": {"data": 5},
    "no buffer": {"data": None},
    "length of strides": {"strides": (1,)},
    "type of strides": {"strides": (1.0, 1)},
    "wrapping strides": {"strides": (2**62, 1)},
    "type of offset": {"offset": "1"},
    "wrapping offset": {"offset": 2**62},
    "type of syclobj": {"syclobj": 5},
    "no filter": {"syclobj": "nonsense"},
    "capsule": {"syclobj": make_capsule("other")},
    "used capsule": {"syclobj": used_capsule()},
    "no capsule": {"syclobj": Holder(None)},
    "wrapping size": {"shape": (2**40, 2**40)},
    "wrapping bytes": {"shape": (2**61,), "strides": (0,)},
    "no USM": {"data": (4096, False)},
    "freed": {"data": (freed, False)},
    "outside": {"shape": (3, 5)},
    "misaligned": {"shape": (2,), "data": (memory._pointer + 1, False)},
    "absent device": {"syclobj": "accelerator:99"},
}


def refusals():
    """{name: an attempt to import that fails, for each error of the protocol}"""
    errors = (ValueError, TypeError, OSError, ZeroDivisionError, usmx.SyclDeviceCreationError)
    producers = {name: producer_of(memory, **changes) for name, changes in REFUSED.items()}
    for key in ("version", "shape", "typestr", "syclobj"):
        interface = interface_of(memory)
        del interface[key]
        producers[f"missing {key}"] = Producer(interface, memory)
    queue = dpctl.SyclQueue(dpctl.SyclContext([dpctl.SyclDevice()]), dpctl.SyclDevice())
    foreign = dpctl.memory.MemoryUSMShared(96, queue=queue)
    producers["another context"] = producer_of(foreign, syclobj=own_queue)
    producers["no mapping"] = Producer([("version", 1)])
    producers["no producer"] = object()
    producers["property that raises"] = Raising()
    buffered = Buffered(96)
    buffered.__sycl_usm_array_interface__ = interface_of(memory, data=None)
    producers["buffer of no USM"] = buffered
    actions = {
        name: failing(functools.partial(usmx.from_usm_array_interface, p), errors)
        for name, p in producers.items()
    }
    array = usmx.zeros((3, 4), usm_type="shared")
    device = usmx.zeros(3)
    readonly = as_usm_memory(array.readonly())
    used = used_capsule()
    return actions | {
        "kind of memory": failing(lambda: MemoryUSMHost(memory)),
        "copy=False": failing(lambda: usmx.asarray(array, "f4", copy=False)),
        "bad index": failing(lambda: array[5], IndexError),
        "small buffer": failing(lambda: memory.copy_to_host(b"1234"), (ValueError, BufferError)),
        "long source": failing(lambda: memory.copy_from_host(bytes(97))),
        "write to read-only memory": failing(lambda: readonly.memset(0)),
        "writable buffer": failing(lambda: np.frombuffer(readonly, "u1").fill(0)),
        "conversion of device memory": failing(lambda: convert_as_on_gpus(device)),
        "operator": failing(lambda: array + device.reshape(1, 1, 3)[:, :, :2]),
        "operand of another kind": failing(lambda: array + object()),
        "type of no USM": lambda: get_usm_type(4096, own_queue),
        "used queue capsule": failing(functools.partial(usmx.SyclQueue, used)),
        "adopting no USM": failing(lambda: from_pointer(4096, 8, own_queue, deleter=print_nothing)),
    }


def convert_as_on_gpus(array):
    with usmx.host_access("strict"):
        np.asarray(array)


def print_nothing(pointer):
    """A callable owner."""


def objects():
    """{name: what else makes and drops objects}"""
    shared = usmx.zeros((3, 4), usm_type="shared")
    host = np.zeros(96, "u1")
    context = own_queue.sycl_context
    return {
        "dictionary": lambda: shared.__sycl_usm_array_interface__,
        "dictionary of memory": lambda: memory.__sycl_usm_array_interface__,
        "memoryview": lambda: memoryview(shared).release(),
        "numpy": lambda: np.asarray(shared),
        "slice": lambda: shared[1:, ::-1],
        "element": lambda: shared[1, 2],
        "attributes": lambda: (
            shared.T,
            shared.flags,
            shared.dtype,
            shared.sycl_queue,
            shared.base,
        ),
        "readonly": lambda: shared.readonly(),
        "queue capsule": own_queue._get_capsule,
        "context capsule": context._get_capsule,
        "queue of a capsule": lambda: usmx.SyclQueue(own_queue._get_capsule()),
        "context of a capsule": lambda: usmx.SyclContext(context._get_capsule()),
        "dpctl's queue of a capsule": lambda: dpctl.SyclQueue(own_queue._get_capsule()),
        "dpctl's context of a capsule": lambda: dpctl.SyclContext(context._get_capsule()),
        "dpctl's memory": lambda: dpctl.memory.as_usm_memory(shared),
        "dpnp's array": lambda: dpnp.tensor.asarray(shared),
        "allocation": lambda: usmx.empty((16, 16)),
        "allocations of each kind": lambda: [MEMORY_CLASSES[kind](100) for kind in KINDS],
        "zeros": lambda: usmx.zeros((16, 16)),
        "asarray of NumPy": lambda: usmx.asarray(host),
        "copy_from_host": lambda: memory.copy_from_host(host),
        "copy_to_host": lambda: memory.copy_to_host(host),
        "copy_from_device": lambda: memory.copy_from_device(shared),
        "copy": lambda: MemoryUSMHost(shared, copy=True),
        "tobytes": memory.tobytes,
        "memset": lambda: memory.memset(0),
        "wait": shared.wait,
        "synchronize": usmx.synchronize,
        "pickle": lambda: pickle.loads(pickle.dumps(memory)),
        "get_usm_type": lambda: get_usm_type(memory._pointer, own_queue),
        "adopted, kept": lambda: from_pointer(memory._pointer, 96, own_queue, owner=host),
        "adopted, called": lambda: from_pointer(
            memory._pointer, 96, own_queue, deleter=print_nothing
        ),
        "field": lambda: usmx.zeros(1, [("a", "<i8"), ("b", "<f8")])["b"],
        "text": lambda: repr(shared),
    }


axpy = usmx.ElementwiseKernel("T a, T x", "T y", "y = a * x", "times")
total = usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")


def use_everything_on(queue):
    """Something of each kind that usmx may remember of a queue, a context or a device."""
    a = usmx.zeros(64, sycl_queue=queue, usm_type="shared")
    b = usmx.asarray(np.arange(64.0), sycl_queue=queue)
    a[...] = b
    a[[3, 1]] = 2
    a[np.arange(64) % 2 == 0]
    usmx.nonzero(a)
    usmx.astype(b, "f4")
    usmx.copy_async(b, a).wait()
    a.__dlpack__(dl_device=(1, 0))  # the host's
    axpy(2, b).wait()
    total(b).wait()
    MemoryUSMHost(100, queue=queue).get_usm_type(queue)
    dpctl.memory.as_usm_memory(a)
    usmx.memory.get_memory_pool("shared", queue).statistics()


def left_by_contexts(rounds):
    """The bytes that contexts leave which are used and dropped, once as many are kept as may be."""
    device = usmx.SyclDevice()

    def use_a_context():
        use_everything_on(usmx.SyclQueue(usmx.SyclContext([device]), device))

    for _ in range(100):
        use_a_context()
    before, _ = held()
    for _ in range(rounds):
        use_a_context()
    return held()[0] - before


def kernels():
    """{name: a launch}"""

    @functools.cache
    def twice():
        source = "USMX_KERNEL(1) twice(double* x) { x[usmx::global_id()] *= 2; }"
        return usmx.Kernel("#include <usmx/kernel.hpp>\n" + source, "twice")

    array = usmx.zeros(64)

    def on_a_queue_of_its_own():
        queue = usmx.SyclQueue()
        twice()(64, None, usmx.zeros(64, sycl_queue=queue)).wait()
        use_everything_on(queue)

    return {
        "launch": lambda: twice()(64, None, array).wait(),
        "sum of arrays": lambda: (array + array).wait(),
        "sum of elements": lambda: array.sum().wait(),
        "element-wise call": lambda: axpy(2, array).wait(),
        "reduction": lambda: total(array).wait(),
        "launches on queues that are dropped": on_a_queue_of_its_own,
    }


GROUPS = {"imports": imports, "refusals": refusals, "objects": objects, "kernels": kernels}
FEWER = {  # what takes much longer
    "absent device": 2_000,
    "text": 2_000,
    "pickle": 10_000,
    "dpnp's array": 20_000,
    "filter string": 20_000,
    "reduction": 10_000,
    "sum of elements": 10_000,
    "launches on queues that are dropped": 5_000,
}


def report(group):
    """Prints {name: (bytes, blocks of Python's) that the rounds of it leave} as JSON."""
    actions = GROUPS[group]().items()
    print(
        json.dumps(
            {n: always_left_by(act, min(ROUNDS, FEWER.get(n, ROUNDS))) for n, act in actions}
        )
    )
