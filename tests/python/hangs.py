"""Calls everything public of usmx while dpnp's work runs on the queue of its arrays: nothing may hang.

python -P tests/python/hangs.py [MODE] [--threads N] [--only REGEX] [--share X] [--seed N]

Each call gets new arrays that dpnp is still working on. dpnp keeps the operands of unfinished kernels
alive by host tasks that need the interpreter lock, so whoever waits with the lock held hangs for ever.
Prints what hangs, fails, or waits with the lock held, and exits with 1. MODE is where memory comes from:
"plain", "pending" (more memory waits for work than may wait), "pool" (the pools have reached limits),
or "private" (the arrays are on a queue of the user's).
"""

import argparse
import copy
import faulthandler
import functools
import io
import operator
import os
import pathlib
import pickle
import random
import re
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import dpctl
import dpctl.memory
import dpnp
import numpy as np
import usmx
from usmx import memory
from usmx._compute.table import REDUCTIONS, ROWS

sys.path.append(str(pathlib.Path(__file__).parent))  # -P keeps it out
from soak import OneWithDpnp

WAITING_BYTES = 4 << 20
PATIENCE = 20  # seconds for one call, of which the work on the device takes a few hundredths
BIG = 1 << 15  # numbers that dpnp computes with: about a millisecond for each kernel
MODES = ("plain", "pending", "pool", "private")


class Column:
    """An Arrow column that is no array of usmx's."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


class Things:
    """What the calls are made on. dpnp is still working on all of it."""

    def __init__(self, mode, seed):
        place = {}
        if mode == "private":
            place = {"sycl_queue": dpctl.SyclQueue()}
        self.kind = kind = random.Random(seed).choice(("device", "shared", "host"))
        self.place = place = {"usm_type": kind, **place}
        self.a = usmx.empty((3, 4), **place)
        self.host = usmx.empty((3, 4), **(place | {"usm_type": "shared"}))
        self.b = usmx.empty((3, 4), **place)
        self.v = usmx.empty(12, **place)
        self.large = usmx.empty(1 << 16, **place)
        self.i = usmx.empty((3, 4), dtype="int64", **place)
        self.m = usmx.empty((3, 4), dtype="bool", **place)
        self.c = usmx.empty((3, 4), dtype="complex128", **place)
        self.s = usmx.empty((), **place)
        self.n = usmx.empty((), dtype="int64", **place)
        self.t = usmx.empty(4, dtype=[("x", "f8"), ("y", "i8")], **place)
        self.q = self.a.sycl_queue
        self.mem = memory.as_usm_memory(self.a)
        self.arrays = [self.a, self.b, self.host, self.v, self.large, self.i, self.m, self.c]
        self.big = usmx.to_dpnp(usmx.empty(BIG, **place))
        self.work()
        self.d = dpnp.logaddexp(self.big, 1.0)  # an array of dpnp's whose work is unfinished
        self.other = usmx.empty((3, 4))
        if mode == "pending":
            self.let_memory_wait()

    def work(self):
        """Work on all arrays and beside them, whose results are dropped: host tasks let them go."""
        big = self.big
        for _ in range(5):
            big = dpnp.logaddexp(big, big)
        for array in (*self.arrays, self.s, self.n):
            there = usmx.to_dpnp(array)
            there += dpnp.astype(big[0] * 0, there.dtype)
            there *= dpnp.zeros((), dtype=there.dtype, sycl_queue=there.sycl_queue)
        usmx.fill_async(self.t, (1, 2))

    def let_memory_wait(self):
        for _ in range(8):
            waiting = usmx.empty(WAITING_BYTES // 8, **self.place)
            usmx.to_dpnp(waiting)[:1] += self.d[:1]
            mine = usmx.empty(WAITING_BYTES // 8, **self.place)
            usmx.copy_async(mine, waiting)


def with_print_options(x):
    with usmx.print_options(precision=3):
        return str(x.a)


def timed(x):
    timer = usmx.SyclTimer()
    with timer(
        usmx.SyclQueue(x.q.sycl_context, x.q.sycl_device, property="enable_profiling")
    ) as running:
        running.queue.memcpy(x.a, x.b, x.a.nbytes)
    return timer


def with_queue(x):
    with usmx.using_queue(x.q):
        return usmx.ones(3)


def exchanged_default_queue(x):
    # for the same device; the queue is the process's, so other threads see it for a moment
    before = usmx.set_default_queue(None)
    usmx.set_default_queue(before)


def with_kind(x):
    with usmx.using_usm_type("host"):
        return usmx.ones(3)


def exchanged_default_kind(x):
    # for the same; the kind is the process's, so other threads see it for a moment
    before = usmx.set_default_usm_type(None)
    usmx.set_default_usm_type(before)


def with_resource(x):
    with memory.using_memory_resource(memory.get_memory_resource("shared")):
        return usmx.ones(3, usm_type="shared")


def in_resource(resource):
    """Memory of a resource that is used only here."""

    def call(x):
        made = resource()
        with memory.using_memory_resource(made):
            for _ in range(3):
                array = usmx.empty(1 << 14, usm_type="host")
                there = usmx.to_dpnp(array)
                there += 1
                del array, there
        return made

    return call


def failing(x):
    with memory.using_memory_resource(memory.FailingResource(memory.PlainResource("host"))):
        return usmx.empty(100, usm_type="host")


def limited(x):
    """The limit is reached; all memory but that of one array waits for dpnp's work."""
    made = memory.LimitingResource(memory.PlainResource("host"), 1 << 20)
    with memory.using_memory_resource(made):
        for _ in range(4):
            array = usmx.empty(80_000, sycl_queue=x.q, usm_type="host")
            usmx.copy_async(array[:BIG], x.d)
            del array
    return made.used_bytes()


def of_pool(x):
    """A pool of the program's own, with a limit, that is reached."""
    pool = memory.PoolResource(memory.PlainResource("host"))
    pool.set_limit(size=1 << 20)
    with memory.using_memory_resource(pool):
        for _ in range(4):
            array = usmx.empty(80_000, sycl_queue=x.q, usm_type="host")
            usmx.copy_async(array[:BIG], x.d)
            del array
    pool.free_all_blocks()
    pool.statistics(), pool.reset_peak(), pool.get_limit(), pool.free_bytes()
    return pool.used_bytes(), pool.total_bytes()


def adopted(x, **how):
    return memory.from_pointer(x.mem._pointer, 96, x.q, **how)


@functools.cache
def doubled():
    """A kernel that doubles the numbers of an array."""
    source = "USMX_KERNEL(1) doubled(double* a) { a[usmx::global_id()] *= 2; }"
    return usmx.Kernel(f"#include <usmx/kernel.hpp>\n{source}", "doubled")


def record_by(x, method):
    event = usmx.fill_async(x.b, 1)
    method(event)


@functools.cache
def scaled():
    """A kernel that multiplies elements."""
    return usmx.ElementwiseKernel("T x, T a", "T y", "y = a * x", "scaled")


@functools.cache
def summed():
    """A kernel that adds the elements of an array."""
    return usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "summed")


def dlpack(x, **how):
    return x.a.__dlpack__(max_version=(1, 1), **how)


def saved(save, array, **place):
    file = io.BytesIO()
    save(file, array)
    file.seek(0)
    return usmx.load(file, **place)


def pickled(thing):
    return pickle.loads(pickle.dumps(thing, protocol=5))


F = usmx
M = memory
# What each public function does with arrays that dpnp is working on. One name may have several calls.
FUNCTIONS = {
    "Diagnostic": [lambda x: F.Diagnostic],  # of a CompileError
    "Kernel": [lambda x: doubled()(12, None, x.a), lambda x: doubled()(BIG, None, x.d).wait(),
               lambda x: doubled().signature],
    "ElementwiseKernel": [lambda x: scaled()(x.a, 2), lambda x: scaled()(x.d, 2, out=x.d), lambda x: scaled()(x.v, x.v)],
    "ReductionKernel": [lambda x: summed()(x.a), lambda x: summed()(x.d), lambda x: summed()(x.a, out=x.b[:1, :1].reshape(()))],
    "KernelModule": [lambda x: F.KernelModule("#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* a) {}", names=["f"])],
    "local_memory": [lambda x: F.local_memory("f4", 3)],
    "pending_events": [lambda x: F.pending_events(x.a, x.b), lambda x: F.pending_events(writes=[x.d, x.v])],
    "Device": [lambda x: F.Device.create_device(x.a.device), lambda x: x.a.device.wait()],
    "SyclContext": [lambda x: F.SyclContext(x.q.sycl_context)],
    "SyclDevice": [lambda x: F.SyclDevice("cpu")],
    "SyclEvent": [
        lambda x: F.SyclEvent(F.fill_async(x.a, 1)).wait(),
        lambda x: F.copy_async(x.a, x.b).execution_status,
        lambda x: F.SyclEvent.wait_for([F.fill_async(x.a, 1), F.fill_async(x.b, 1)]),
        lambda x: (F.fill_async(x.a, 1).backend, repr(F.fill_async(x.a, 1))),
    ],
    "SyclPlatform": [lambda x: F.SyclPlatform().get_devices(), lambda x: repr(x.q.sycl_device.sycl_platform)],
    "SyclTimer": [lambda x: timed(x).dt],
    "benchmark": [lambda x: F.benchmark(F.sqrt, x.a, n_repeat=1, n_warmup=0, max_duration=0)],
    "utils": [lambda x: F.utils.get_execution_queue([x.q, x.q]), lambda x: F.utils.intel_device_info(x.a.sycl_device)],
    **{name: [lambda x, name=name: getattr(F, name)()] for name in (
        "get_composite_devices", "get_num_devices", "get_platforms", "has_accelerator_devices", "has_cpu_devices",
        "has_gpu_devices", "lsplatform", "select_default_device")},
    **{name: [lambda x, name=name: F.get_num_devices(device_type=name.split("_")[1]) and getattr(F, name)()] for name in (
        "select_accelerator_device", "select_cpu_device", "select_gpu_device")},
    **{name: [lambda x, name=name: list(getattr(F, name))] for name in (
        "DLDeviceType", "backend_type", "device_type", "fp_config", "global_mem_cache_type", "local_mem_type",
        "memory_order", "memory_scope", "partition_property")},
    "dldevice_to_sycl_device": [lambda x: F.dldevice_to_sycl_device((14, 0))],
    "get_device_cached_queue": [lambda x: F.get_device_cached_queue(x.a.sycl_device)],
    "select_device_with_aspects": [lambda x: F.select_device_with_aspects("usm_device_allocations")],
    "sycl_device_to_dldevice": [lambda x: F.sycl_device_to_dldevice(x.a.sycl_device)],
    "event_status_type": [lambda x: F.fill_async(x.a, 1).execution_status == F.event_status_type.complete],
    "SyclQueue": [lambda x: F.SyclQueue(x.q).wait(), lambda x: F.SyclQueue("cpu").wait(),
                  lambda x: (hash(F.SyclQueue(x.q)), repr(F.SyclQueue(x.q)), x.q == x.b.sycl_queue),
                  lambda x: x.q.memcpy(x.a, x.b, x.a.nbytes), lambda x: x.q.memcpy(bytearray(8), x.a, 8),
                  lambda x: x.q.memcpy_async(x.a, bytes(8), 8), lambda x: x.q.memcpy_async(x.a, x.b, 8, [F.fill_async(x.v, 1)]),
                  lambda x: x.q.copy(x.a, x.b, 1, "f8"), lambda x: x.q.copy_async(x.a, x.b, 1, dtype="f8"),
                  lambda x: x.q.memset(x.a, 1), lambda x: x.q.memset_async(x.b, 1), lambda x: x.q.fill(x.a, 1, dtype="f8"),
                  lambda x: x.q.fill_async(x.b, 1), lambda x: x.q.fill_async(x.b, 1, 1, [F.fill_async(x.v, 1)], "f8"),
                  lambda x: x.q.prefetch(x.a), lambda x: x.q.mem_advise(x.a, 8, 0),
                  lambda x: x.q.submit_barrier().wait(), lambda x: x.q.submit_barrier([F.fill_async(x.a, 1)]),
                  lambda x: pickled(x.q), lambda x: x.q.print_device_info()],
    "__array_namespace_info__": [lambda x: F.__array_namespace_info__().devices()],
    "arange": [lambda x: F.arange(10, **x.place), lambda x: F.arange(int(x.n), 5)],
    "array_equal": [lambda x: F.array_equal(x.a, x.b), lambda x: F.array_equal(x.d, x.big)],
    "array_split": [lambda x: F.array_split(x.v, 5)[1].copy()],
    "ascontiguousarray": [lambda x: F.ascontiguousarray(x.a.T), lambda x: F.ascontiguousarray(x.d[::2])],
    "atleast_1d": [lambda x: F.atleast_1d(x.s).copy()],
    "atleast_2d": [lambda x: F.atleast_2d(x.v).copy()],
    "atleast_3d": [lambda x: F.atleast_3d(x.d).copy()],
    "asarray": [
        lambda x: F.asarray(x.d), lambda x: F.asarray(x.a, copy=True), lambda x: F.asarray([x.a, x.b]),
        lambda x: F.asarray(x.d, dtype="f4"), lambda x: F.asarray(np.ones(100_000), **x.place),
        lambda x: F.asarray(x.d, usm_type="host"), lambda x: F.asarray(x.d, device=x.other.device),
        lambda x: F.asarray(x.mem),
        lambda x: F.asarray([[x.s, 1.0], [2.0, x.s]]), lambda x: F.asarray(x.d[::-2], order="F"),
    ],
    "asnumpy": [lambda x: F.asnumpy(x.a), lambda x: F.asnumpy(x.large[::-1]), lambda x: F.asnumpy(x.d),
                lambda x: F.asnumpy(x.a, out=np.empty((3, 4)))],
    "astype": [lambda x: F.astype(x.a, "f4"), lambda x: F.astype(x.large, "f2"), lambda x: F.astype(x.d, "i1")],
    "broadcast_arrays": [lambda x: F.broadcast_arrays(x.a, x.s, x.d[:4])],
    "broadcast_to": [lambda x: F.broadcast_to(x.a, (2, 3, 4)).copy()],
    "argpartition": [lambda x: F.argpartition(x.large, 3)], "partition": [lambda x: F.partition(x.large, 3)],
    "argsort": [lambda x: F.argsort(x.large)], "broadcast_shapes": [lambda x: F.broadcast_shapes(x.a.shape, (1,))],
    "clip": [lambda x: F.clip(x.a, 0, x.b)],
    "cumulative_prod": [lambda x: F.cumulative_prod(x.v)], "cumulative_sum": [lambda x: F.cumulative_sum(x.large)],
    "diff": [lambda x: F.diff(x.a)], "isin": [lambda x: F.isin(x.a, x.v)], "matmul": [lambda x: F.matmul(x.a, x.b.T)],
    "einsum": [lambda x: F.einsum("ij,ij->i", x.a, x.b)], "kron": [lambda x: F.kron(x.v, x.v)],
    "searchsorted": [lambda x: F.searchsorted(x.v, x.a)], "sort": [lambda x: F.sort(x.a.T), lambda x: F.sort(x.large)],
    "tensordot": [lambda x: F.tensordot(x.a, x.b)], "unique_all": [lambda x: F.unique_all(x.a)],
    "unique_counts": [lambda x: F.unique_counts(x.a)], "unique_inverse": [lambda x: F.unique_inverse(x.a)],
    "unique_values": [lambda x: F.unique_values(x.large)], "vecdot": [lambda x: F.vecdot(x.a, x.b)],
    "can_cast": [lambda x: F.can_cast(x.a, "f4")],
    "concat": [lambda x: F.concat([x.a, x.b]), lambda x: F.concat([x.large, x.d]),
               lambda x: F.concat([x.large, x.v], axis=None)],
    "copy": [lambda x: F.copy(x.a), lambda x: F.copy(x.large[::2]), lambda x: F.copy(x.d)],
    "copy_async": [
        lambda x: F.copy_async(x.a, x.b), lambda x: F.copy_async(x.large, np.ones(1 << 16)).wait(),
        lambda x: F.copy_async(np.empty(1 << 16), x.large).wait(), lambda x: F.copy_async(x.d, x.big),
        lambda x: F.copy_async(x.a, 1.5), lambda x: F.copy_async(x.v.reshape(3, 4).T, x.a.T),
        lambda x: F.copy_async(x.a, x.i), lambda x: F.copy_async(x.large[::-1], x.large[1:2]),
    ],
    "copyto": [lambda x: F.copyto(x.a, x.b), lambda x: F.copyto(x.a, x.v[:4], where=x.m)],
    "diag": [lambda x: F.diag(x.v), lambda x: F.diag(x.a).copy()],
    "diagonal": [lambda x: F.diagonal(x.a, 1).copy()],
    "dstack": [lambda x: F.dstack([x.a, x.b])],
    "default_queue": [lambda x: F.default_queue()],
    "default_usm_type": [lambda x: F.default_usm_type()],
    "empty": [lambda x: F.empty(10), lambda x: F.empty(WAITING_BYTES, dtype="u1", **x.place),
              lambda x: F.empty(1 << 20, usm_type="host")],
    "empty_like": [lambda x: F.empty_like(x.a), lambda x: F.empty_like(x.d)],
    "expand_dims": [lambda x: F.expand_dims(x.a, axis=0)],
    "extract": [lambda x: F.extract(x.m, x.a), lambda x: F.extract(x.d > 0, x.d)],
    "eye": [lambda x: F.eye(3, **x.place), lambda x: F.eye(200)],
    "fill_async": [lambda x: F.fill_async(x.a, 1), lambda x: F.fill_async(x.large[::3], x.s),
                   lambda x: F.fill_async(x.d, 2).wait()],
    "finfo": [lambda x: F.finfo(x.a)],
    "flip": [lambda x: F.flip(x.a).copy()],
    "frombuffer": [lambda x: F.frombuffer(bytes(80), **x.place)],
    "from_arrow": [lambda x: F.from_arrow(Column(x.host[0])), lambda x: F.from_arrow(Column(x.large), **x.place)
                   if x.kind != "device" else None],
    "from_dlpack": [lambda x: F.from_dlpack(x.d), lambda x: F.from_dlpack(x.a), lambda x: F.from_dlpack(x.d, copy=True),
                    lambda x: F.from_dlpack(np.ones(5)), lambda x: F.from_dlpack(x.d, device=(1, 0)),
                    lambda x: F.from_dlpack(x.a, device=(14, 0))],
    "from_numpy": [lambda x: F.from_numpy(np.ones(5)), lambda x: F.from_numpy(np.ones(100_000))],
    "from_shared_memory": [lambda x: F.from_shared_memory(bytearray(80), 10, "f8").copy()],
    "from_usm_array_interface": [lambda x: F.from_usm_array_interface(x.d), lambda x: F.from_usm_array_interface(x.a),
                                 lambda x: F.from_usm_array_interface(dpctl.memory.as_usm_memory(x.d.get_array().usm_data))],
    "full": [lambda x: F.full(10, 2, **x.place), lambda x: F.full((3, 4), x.s), lambda x: F.full(100_000, 1.5)],
    "full_like": [lambda x: F.full_like(x.a, 3), lambda x: F.full_like(x.d, 3)],
    "get_coerced_usm_type": [lambda x: F.get_coerced_usm_type([x.a.usm_type, "host"])],
    "get_devices": [lambda x: F.get_devices()],
    "get_execution_queue": [lambda x: F.get_execution_queue([x.q, x.b.sycl_queue])],
    "get_include": [lambda x: F.get_include()],
    "importing_extension": [lambda x: F.importing_extension().__enter__()],
    "get_print_options": [lambda x: F.get_print_options()],
    "hstack": [lambda x: F.hstack([x.v, x.v]), lambda x: F.hstack([x.d, x.d])],
    "imag": [lambda x: F.imag(x.c).copy(), lambda x: F.imag(x.a)],
    "host_access": [lambda x: F.host_access("reached")],
    "iinfo": [lambda x: F.iinfo(x.i)],
    "isdtype": [lambda x: F.isdtype(x.a.dtype, "real floating")],
    "linspace": [lambda x: F.linspace(0, 1, 5, **x.place), lambda x: F.linspace(0, 1, 50_000)],
    "load": [lambda x: saved(F.save, x.large, **x.place), lambda x: saved(F.savez, x.a)],
    "matrix_transpose": [lambda x: F.matrix_transpose(x.a).copy()],
    "meshgrid": [lambda x: F.meshgrid(x.v, x.v)],
    "moveaxis": [lambda x: F.moveaxis(x.a, 0, 1).copy()],
    "nonzero": [lambda x: F.nonzero(x.m), lambda x: F.nonzero(x.large), lambda x: F.nonzero(x.d)],
    "ones": [lambda x: F.ones(10, **x.place), lambda x: F.ones(100_000)],
    "ones_like": [lambda x: F.ones_like(x.a), lambda x: F.ones_like(x.d)],
    "permute_dims": [lambda x: F.permute_dims(x.a, (1, 0)).copy()],
    "place": [lambda x: F.place(x.a, x.m, [1.0]), lambda x: F.place(x.d, x.d > 0, [1.0])],
    "print_options": [with_print_options],
    "put": [lambda x: F.put(x.v, x.i.reshape(-1), x.v), lambda x: F.put(x.a, [0, 1], 5.0, axis=0), lambda x: F.put(x.d, [3], x.s)],
    "put_along_axis": [lambda x: F.put_along_axis(x.a, x.i, x.b)],
    "real": [lambda x: F.real(x.c).copy()],
    "repeat": [lambda x: F.repeat(x.a, 2), lambda x: F.repeat(x.v, x.i.reshape(-1))],
    "reshape": [lambda x: F.reshape(x.a.T, (12,)), lambda x: F.reshape(x.a, (4, 3), copy=True)],
    "result_type": [lambda x: F.result_type(x.a, x.i, x.s)],
    "roll": [lambda x: F.roll(x.a, 1), lambda x: F.roll(x.large, 1)],
    "rot90": [lambda x: F.rot90(x.a).copy()],
    "save": [lambda x: F.save(io.BytesIO(), x.large), lambda x: F.save(io.BytesIO(), x.d), lambda x: F.save(io.BytesIO(), x.a.T)],
    "savez": [lambda x: F.savez(io.BytesIO(), x.a, d=x.d)],
    "set_default_queue": [exchanged_default_queue],
    "set_default_usm_type": [exchanged_default_kind],
    "set_print_options": [lambda x: F.set_print_options(precision=6)],
    "split": [lambda x: F.split(x.a, 3)[1].copy()],
    "squeeze": [lambda x: F.squeeze(x.a[:1])],
    "stack": [lambda x: F.stack([x.a, x.b]), lambda x: F.stack([x.large, x.large])],
    "swapaxes": [lambda x: F.swapaxes(x.a, 0, 1).copy()],
    "synchronize": [lambda x: F.synchronize()],
    "take": [lambda x: F.take(x.a, [0, 1], axis=1), lambda x: F.take(x.large, x.i.reshape(-1)),
             lambda x: F.take(x.d, [5, 6]), lambda x: F.take(x.v, x.i.reshape(-1), out=F.empty_like(x.v))],
    "take_along_axis": [lambda x: F.take_along_axis(x.a, x.i)],
    "tile": [lambda x: F.tile(x.a, (2, 2)), lambda x: F.tile(x.large, (2,))],
    "to_dpctl": [lambda x: F.to_dpctl(x.a).copy_to_host(), lambda x: F.to_dpctl(x.other)],
    "to_dpnp": [lambda x: F.to_dpnp(x.a), lambda x: F.to_dpnp(x.other) + F.to_dpnp(x.other), lambda x: F.to_dpnp(x.d),
                lambda x: F.to_dpnp(x.a, sycl_queue=dpctl.SyclQueue(x.q.sycl_context, x.q.sycl_device)).asnumpy(),
                lambda x: F.to_dpnp(x.a, device="cpu"), lambda x: F.to_dpnp(x.a, device=x.q)],
    "to_numpy": [lambda x: F.to_numpy(x.a), lambda x: F.to_numpy(x.large)],
    "tril": [lambda x: F.tril(x.a)],
    "triu": [lambda x: F.triu(x.a)],
    "unstack": [lambda x: [part.copy() for part in F.unstack(x.a)]],
    "using_queue": [with_queue],
    "using_usm_type": [with_kind],
    "vstack": [lambda x: F.vstack([x.v, x.v])],
    "where": [lambda x: F.where(x.m, x.a, x.b), lambda x: F.where(x.d > 0, x.d, 1), lambda x: F.where(x.m)],
    "zeros": [lambda x: F.zeros(10, **x.place), lambda x: F.zeros(100_000)],
    "zeros_like": [lambda x: F.zeros_like(x.a), lambda x: F.zeros_like(x.d)],
}  # fmt: skip

MEMORY = {
    "FailingResource": [failing],
    "FunctionResource": [lambda x: M.FunctionResource],  # its functions allocate what they like
    "LimitingResource": [limited],
    "LoggingResource": [in_resource(lambda: M.LoggingResource(M.PlainResource("host"), os.devnull))],
    "MemoryPool": [lambda x: M.get_memory_pool(x.kind).statistics(), lambda x: M.get_memory_pool(x.kind).free_all_blocks(),
                   lambda x: M.get_memory_pool(x.kind).used_bytes(), lambda x: M.get_memory_pool(x.kind).total_bytes(),
                   lambda x: M.get_memory_pool(x.kind).free_bytes(), lambda x: M.get_memory_pool(x.kind).get_limit(),
                   lambda x: M.get_memory_pool(x.kind).reset_peak(), lambda x: M.get_memory_pool(x.kind).kind,
                   lambda x: M.get_memory_pool(x.kind).set_keep_limit(M.get_memory_pool(x.kind).get_keep_limit())],
    "MemoryResource": [lambda x: M.get_memory_resource(x.kind) == M.get_memory_resource("host")],
    "MemoryUSMDevice": [lambda x: M.MemoryUSMDevice(1000), lambda x: M.MemoryUSMDevice(x.a, copy=True),
                        lambda x: M.MemoryUSMDevice(64, alignment=4096, queue=x.q)],
    "MemoryUSMHost": [lambda x: M.MemoryUSMHost(1000), lambda x: M.MemoryUSMHost(x.d, copy=True)],
    "MemoryUSMShared": [lambda x: M.MemoryUSMShared(1000), lambda x: M.MemoryUSMShared(x.d, copy=True),
                        lambda x: bytes(memoryview(M.as_usm_memory(x.host)))],
    "PlainResource": [in_resource(lambda: M.PlainResource("host"))],
    "PoolResource": [of_pool],
    "StatisticsResource": [in_resource(lambda: M.StatisticsResource(M.PlainResource("host"))),
                           lambda x: M.StatisticsResource(M.PlainResource("host")).counts()],
    "TrackingResource": [in_resource(lambda: M.TrackingResource(M.PlainResource("host"))),
                         lambda x: M.TrackingResource(M.PlainResource("host")).live_blocks()],
    "as_usm_memory": [lambda x: M.as_usm_memory(x.a), lambda x: M.as_usm_memory(x.d).tobytes()],
    "empty_cache": [lambda x: M.empty_cache()],
    "from_pointer": [lambda x: adopted(x, owner=x.a), lambda x: adopted(x, owner=x.a).tobytes(),
                     lambda x: adopted(x, deleter=lambda pointer, kept=x.mem: None).memset(1)],
    "get_memory_pool": [lambda x: M.get_memory_pool(x.kind)],
    "get_memory_resource": [lambda x: M.get_memory_resource(x.kind)],
    "get_pending_limit": [lambda x: M.get_pending_limit()],
    "get_usm_type": [lambda x: M.get_usm_type(x.a), lambda x: M.get_usm_type(x.d),
                     lambda x: M.get_usm_type(x.mem._pointer, x.q)],
    "mem_get_info": [lambda x: M.mem_get_info()],
    "memory_stats": [lambda x: M.memory_stats(x.kind)],
    "reset_peak_memory_stats": [lambda x: M.reset_peak_memory_stats(x.kind)],
    "set_memory_resource": [with_resource],
    "set_pending_limit": [lambda x: M.set_pending_limit(M.get_pending_limit())],
    "using_memory_resource": [with_resource],
}  # fmt: skip


@functools.cache
def fused():
    """A function that becomes a kernel."""
    return F.fuse(lambda a, b: (a * 2 - b).sum(axis=0))


FUNCTIONS |= {  # names of NumPy's, and what computes but is no row
    "append": [lambda x: F.append(x.a, x.b, axis=0)], "asfortranarray": [lambda x: F.asfortranarray(x.a)],
    "block": [lambda x: F.block([[x.a, x.b], [x.b, x.a]])], "choose": [lambda x: F.choose(x.i, [x.a, x.b])],
    "column_stack": [lambda x: F.column_stack([x.v, x.v])], "compress": [lambda x: F.compress([True, False, True], x.a, axis=0)],
    "concatenate": [lambda x: F.concatenate([x.a, x.b])], "delete": [lambda x: F.delete(x.a, 1, axis=0)],
    "diag_indices": [lambda x: F.diag_indices(3)], "diag_indices_from": [lambda x: F.diag_indices_from(x.a[:, :3])],
    "dsplit": [lambda x: F.dsplit(x.a[..., None], 1)[0].copy()], "fill_diagonal": [lambda x: F.fill_diagonal(x.a, x.s)],
    "fliplr": [lambda x: F.fliplr(x.a).copy()], "flipud": [lambda x: F.flipud(x.d).copy()],
    "fuse": [lambda x: fused()(x.a, x.s), lambda x: fused()(x.d, x.d)], "hsplit": [lambda x: F.hsplit(x.a, 2)[1].copy()],
    "indices": [lambda x: F.indices((2, 3), **x.place)], "insert": [lambda x: F.insert(x.v, 2, x.s), lambda x: F.insert(x.a, [0, 1], x.b[:2], 0)],
    "ix_": [lambda x: x.a[F.ix_([0, 2], x.n[None])]], "may_share_memory": [lambda x: F.may_share_memory(x.a, x.d)],
    "ndenumerate": [lambda x: [*F.ndenumerate(x.a)]], "ndindex": [lambda x: [x.a[k] for k in F.ndindex(2, 2)]],
    "pad": [lambda x: F.pad(x.a, 1), lambda x: F.pad(x.v, 3, "mean"), lambda x: F.pad(x.v, 2, "wrap")],
    "ravel_multi_index": [lambda x: F.ravel_multi_index((x.i, x.i), (3, 4))], "require": [lambda x: F.require(x.a.T, "f4", "C")],
    "resize": [lambda x: F.resize(x.a, (5, 7))], "rollaxis": [lambda x: F.rollaxis(x.a, 1).copy()],
    "select": [lambda x: F.select([x.m, ~x.m], [x.a, x.b], 3)], "shares_memory": [lambda x: F.shares_memory(x.a, x.b)],
    "transpose": [lambda x: F.transpose(x.a, (1, 0)).copy()], "tril_indices": [lambda x: F.tril_indices(3)],
    "tril_indices_from": [lambda x: x.a[F.tril_indices_from(x.a)]], "trim_zeros": [lambda x: F.trim_zeros(x.v)],
    "triu_indices": [lambda x: F.triu_indices(3)], "triu_indices_from": [lambda x: x.a[F.triu_indices_from(x.a)]],
    "unravel_index": [lambda x: F.unravel_index(x.i, (3, 4))], "vsplit": [lambda x: F.vsplit(x.a, 3)[1].copy()],
}  # fmt: skip

RANDOM = {
    "default_rng": [lambda x: F.random.default_rng(7)], "random": [lambda x: F.random.default_rng(7).random(out=x.a)],
    "uniform": [lambda x: F.random.default_rng(7).uniform(1, 2, 9, **x.place)],
    "standard_normal": [lambda x: F.random.default_rng(7).standard_normal(out=x.large)],
    "normal": [lambda x: F.random.default_rng(7).normal(1, 2, 9, **x.place)],
    "integers": [lambda x: F.random.default_rng(7).integers(9, out=x.i)],
}  # fmt: skip

REFUSED = {  # these raise a TypeError
    "__hash__": lambda x: hash(x.a),
    "__delitem__": lambda x: operator.delitem(x.a, 0),
}


def with_arrays(name, count):
    return lambda x: getattr(F, name)(*[x.i if name.startswith("bitwise") else x.a] * count)


# Those that are made of the table's rows: each by one call.
OF_ROWS = {
    name: [with_arrays(name, len(row.operands))]
    for name, row in ROWS.items()
    if name not in FUNCTIONS
} | {name: [with_arrays(name, 1)] for name in REDUCTIONS}

METHODS = {
    "__add__": [lambda x: x.a + x.b, lambda x: x.a + 1, lambda x: x.a.T + x.b.T, lambda x: x.large + x.large[::-1]],
    "__radd__": [lambda x: 1 + x.a], "__iadd__": [lambda x: operator.iadd(x.a, x.b)],
    "__sub__": [lambda x: x.a - x.b], "__rsub__": [lambda x: 1 - x.a], "__isub__": [lambda x: operator.isub(x.a, x.b)],
    "__mul__": [lambda x: x.a * x.b], "__rmul__": [lambda x: 2 * x.a], "__imul__": [lambda x: operator.imul(x.a, x.b)],
    "__truediv__": [lambda x: x.a / 2], "__rtruediv__": [lambda x: 2 / x.a], "__itruediv__": [lambda x: operator.itruediv(x.a, 2)],
    "__floordiv__": [lambda x: x.a // 2], "__rfloordiv__": [lambda x: 2 // x.a], "__ifloordiv__": [lambda x: operator.ifloordiv(x.a, 2)],
    "__mod__": [lambda x: x.a % x.b], "__rmod__": [lambda x: 1 % x.a], "__imod__": [lambda x: operator.imod(x.a, x.b)],
    "__divmod__": [lambda x: divmod(x.a, x.b)], "__rdivmod__": [lambda x: divmod(1, x.a)],
    "__pow__": [lambda x: x.a**x.b], "__rpow__": [lambda x: 1**x.a], "__ipow__": [lambda x: operator.ipow(x.a, x.b)],
    "__matmul__": [lambda x: x.a @ x.b.T], "__rmatmul__": [lambda x: x.a.__rmatmul__(x.b.T)],
    "__imatmul__": [lambda x: operator.imatmul(x.a[:3, :3], x.b[:3, :3])],
    "__lshift__": [lambda x: x.i << 1], "__rlshift__": [lambda x: 1 << x.i], "__ilshift__": [lambda x: operator.ilshift(x.i, 0)],
    "__rshift__": [lambda x: x.i >> 1], "__rrshift__": [lambda x: 1 >> x.i], "__irshift__": [lambda x: operator.irshift(x.i, 0)],
    "__and__": [lambda x: x.i & 1], "__rand__": [lambda x: 1 & x.i], "__iand__": [lambda x: operator.iand(x.i, -1)],
    "__or__": [lambda x: x.i | 1], "__ror__": [lambda x: 1 | x.i], "__ior__": [lambda x: operator.ior(x.i, 0)],
    "__xor__": [lambda x: x.i ^ 1], "__rxor__": [lambda x: 1 ^ x.i], "__ixor__": [lambda x: operator.ixor(x.i, 0)],
    "__neg__": [lambda x: -x.a], "__pos__": [lambda x: +x.a], "__abs__": [lambda x: abs(x.a)], "__invert__": [lambda x: ~x.i],
    "__lt__": [lambda x: x.a < x.b], "__le__": [lambda x: x.a <= x.b], "__eq__": [lambda x: x.a == x.b],
    "__ne__": [lambda x: x.a != x.b], "__gt__": [lambda x: x.a > x.b], "__ge__": [lambda x: x.a >= x.b],
    "__contains__": [lambda x: 1 in x.a], "__array_ufunc__": [lambda x: np.add(x.a, x.b)],
    "all": [lambda x: x.a.all()], "any": [lambda x: x.a.any(axis=0)], "argmax": [lambda x: x.a.argmax()], "argmin": [lambda x: x.a.argmin(1)],
    "__array_priority__": [lambda x: x.a.__array_priority__], "choose": [lambda x: x.i.choose([x.a, x.b])],
    "compress": [lambda x: x.a.compress([True, False, True], axis=0)],
    "argpartition": [lambda x: x.a.argpartition(1)], "partition": [lambda x: x.a.partition(1)],
    "argsort": [lambda x: x.a.argsort()], "clip": [lambda x: x.a.clip(0, 1)], "conj": [lambda x: x.c.conj()], "conjugate": [lambda x: x.c.conjugate()],
    "cumprod": [lambda x: x.a.cumprod()], "cumsum": [lambda x: x.large.cumsum()], "dot": [lambda x: x.a.dot(x.b.T)],
    "max": [lambda x: x.large.max()], "mean": [lambda x: x.a.mean(axis=0)], "min": [lambda x: x.a.min()], "prod": [lambda x: x.a.prod()],
    "round": [lambda x: x.a.round(2)], "searchsorted": [lambda x: x.v.searchsorted(x.a)], "sort": [lambda x: x.a.sort()],
    "std": [lambda x: x.a.std(ddof=1)], "sum": [lambda x: x.large.sum(), lambda x: x.a.T.sum(0)], "trace": [lambda x: x.a.trace()],
    "var": [lambda x: x.a.var(1)],
    "__iter__": [lambda x: [float(e) for e in x.v], lambda x: list(x.a)],
    "__bool__": [lambda x: bool(x.s)], "__bytes__": [lambda x: bytes(x.a)],
    "byteswap": [lambda x: x.a.byteswap(), lambda x: x.a.byteswap(inplace=True)],
    "__int__": [lambda x: int(x.s)],
    "__float__": [lambda x: float(x.s)],
    "__complex__": [lambda x: complex(x.s)],
    "__index__": [lambda x: operator.index(x.n)],
    "__len__": [lambda x: len(x.a)], "__sizeof__": [lambda x: sys.getsizeof(x.a)],
    "__getitem__": [
        lambda x: x.a[1:, ::2], lambda x: x.a[x.m], lambda x: x.a[[0, 1]], lambda x: x.v[x.i], lambda x: x.large[::-7].copy(),
        lambda x: float(x.a[1, 1]), lambda x: x.t["y"].copy(), lambda x: x.a[x.n], lambda x: x.large[[1]],
    ],
    "__setitem__": [
        lambda x: operator.setitem(x.a, ..., 1), lambda x: operator.setitem(x.a, x.m, 2), lambda x: operator.setitem(x.a, [0, 1], x.b[:2]),
        lambda x: operator.setitem(x.a, slice(1, None), x.s), lambda x: operator.setitem(x.large, slice(None), np.ones(1 << 16)),
        lambda x: operator.setitem(x.v, x.i, 1.0), lambda x: operator.setitem(x.large, slice(None), x.large[::-1]),
        lambda x: operator.setitem(x.v, slice(None), x.d[:12]), lambda x: operator.setitem(x.t, 0, (1, 2)),
    ],
    "__arrow_c_array__": [lambda x: x.host[0].__arrow_c_array__()],
    "__arrow_c_device_array__": [lambda x: x.v.__arrow_c_device_array__()],
    "ndim": [lambda x: x.a.ndim], "nd": [lambda x: x.a.nd], "size": [lambda x: x.a.size], "nbytes": [lambda x: x.a.nbytes],
    "itemsize": [lambda x: x.a.itemsize], "offset": [lambda x: x.a.offset], "usm_type": [lambda x: x.a.usm_type],
    "sycl_queue": [lambda x: x.a.sycl_queue, lambda x: x.other.sycl_queue], "sycl_context": [lambda x: x.a.sycl_context],
    "sycl_device": [lambda x: x.a.sycl_device], "shape": [lambda x: x.a.shape], "strides": [lambda x: x.a.strides],
    "dtype": [lambda x: x.a.dtype], "flags": [lambda x: (x.a.flags.fnc, repr(x.a.flags))], "base": [lambda x: x.a[1:].base],
    "usm_data": [lambda x: x.a.usm_data.tobytes()], "device": [lambda x: x.a.device, lambda x: repr(x.a.device)],
    "T": [lambda x: x.a.T], "mT": [lambda x: x.a.mT], "real": [lambda x: x.c.real.copy()], "imag": [lambda x: x.c.imag.copy()],
    "flat": [
        lambda x: x.a.flat[1:], lambda x: x.a.T.flat[[0, 5]], lambda x: [*x.v.flat], lambda x: setattr(x.a, "flat", 1.5),
        lambda x: operator.setitem(x.a.T.flat, 3, 1.5),
    ],
    "__sycl_usm_array_interface__": [lambda x: x.a.__sycl_usm_array_interface__, lambda x: x.other.__sycl_usm_array_interface__],
    "__cuda_array_interface__": [lambda x: getattr(x.a, "__cuda_array_interface__", None)],
    "__array_interface__": [lambda x: x.a.__array_interface__],
    "__dlpack__": [lambda x: dlpack(x), lambda x: dlpack(x, stream=-1), lambda x: dlpack(x, stream=x.q),
                   lambda x: x.a.__dlpack__(), lambda x: dlpack(x, copy=True), lambda x: dlpack(x, dl_device=(1, 0)),
                   lambda x: np.from_dlpack(x.host, device="cpu"), lambda x: dpnp.from_dlpack(x.a) + 1],
    "__dlpack_device__": [lambda x: x.a.__dlpack_device__()],
    "readonly": [lambda x: x.a.readonly().copy()], "wait": [lambda x: x.a.wait(), lambda x: x.other.wait()],
    "copy": [lambda x: x.a.copy(), lambda x: x.large[::2].copy()], "fill": [lambda x: x.a.fill(1), lambda x: x.large.fill(2.5)],
    "tobytes": [lambda x: x.a.tobytes()], "astype": [lambda x: x.a.astype("i2"), lambda x: x.large.astype("f4")],
    "take": [lambda x: x.a.take([0, 1], axis=1)], "put": [lambda x: x.v.put([0, 1], x.s)], "repeat": [lambda x: x.a.repeat(2)],
    "nonzero": [lambda x: x.m.nonzero()], "diagonal": [lambda x: x.a.diagonal().copy()],
    "to_numpy": [lambda x: x.a.to_numpy()],
    "to_device": [lambda x: x.a.to_device(dpctl.SyclQueue(x.q.sycl_context, x.q.sycl_device)), lambda x: x.a.to_device("cpu"),
                  lambda x: x.a.to_device(dpctl.SyclQueue())],
    "record": [lambda x: record_by(x, x.a.record)], "record_read": [lambda x: record_by(x, x.a.record_read)],
    "record_write": [lambda x: record_by(x, x.a.record_write)], "__array_namespace__": [lambda x: x.a.__array_namespace__()],
    "__array__": [lambda x: np.asarray(x.host), lambda x: usmx.asnumpy(x.host)],
    "__repr__": [lambda x: repr(x.a), lambda x: repr(x.large)], "__str__": [lambda x: str(x.a), lambda x: str(x.t)],
    "__format__": [lambda x: f"{x.s:.3f}"], "__round__": [lambda x: round(x.s, 1), lambda x: round(x.s)], "_repr_html_": [lambda x: x.a._repr_html_()],
    "__reduce_ex__": [lambda x: pickled(x.a), lambda x: pickled(x.host)],
    "__copy__": [lambda x: copy.copy(x.a)], "__deepcopy__": [lambda x: copy.deepcopy(x.a)],
    "__dir__": [lambda x: dir(x.a)],
    "__array_function__": [lambda x: np.shape(x.a), lambda x: np.concatenate([x.host, x.host])],
    "item": [lambda x: x.a.item(3), lambda x: x.s.item()], "tolist": [lambda x: x.a.tolist()],
    "view": [lambda x: x.a.view("i8").copy()], "reshape": [lambda x: x.a.T.reshape(12)], "ravel": [lambda x: x.a.ravel()],
    "flatten": [lambda x: x.a.flatten()], "transpose": [lambda x: x.a.transpose()], "squeeze": [lambda x: x.a.squeeze()],
    "swapaxes": [lambda x: x.a.swapaxes(0, 1)], "__reversed__": [lambda x: list(reversed(x.v))],
    "__dlpack_c_exchange_api__": [lambda x: F.USMArray.__dlpack_c_exchange_api__],
    "buffer": [lambda x: bytes(memoryview(x.host))],
}  # fmt: skip

OF_MEMORY = {
    "__len__": [lambda x: len(x.mem)], "__sizeof__": [lambda x: sys.getsizeof(x.mem)], "nbytes": [lambda x: x.mem.nbytes], "size": [lambda x: x.mem.size],
    "sycl_queue": [lambda x: x.mem.sycl_queue], "sycl_context": [lambda x: x.mem.sycl_context],
    "sycl_device": [lambda x: x.mem.sycl_device], "readonly": [lambda x: x.mem.readonly],
    "reference_obj": [lambda x: x.mem.reference_obj], "get_usm_type": [lambda x: x.mem.get_usm_type()],
    "get_usm_type_enum": [lambda x: x.mem.get_usm_type_enum()],
    "__sycl_usm_array_interface__": [lambda x: x.mem.__sycl_usm_array_interface__],
    "tobytes": [lambda x: x.mem.tobytes()], "__bytes__": [lambda x: bytes(x.mem)],
    "copy_to_host": [lambda x: x.mem.copy_to_host()], "copy_from_host": [lambda x: x.mem.copy_from_host(bytes(96))],
    "copy_from_device": [lambda x: x.mem.copy_from_device(memory.as_usm_memory(x.b)),
                         lambda x: x.mem.copy_from_device(dpctl.memory.MemoryUSMShared(96))],
    "memset": [lambda x: x.mem.memset(3)], "record": [lambda x: record_by(x, x.mem.record)], "wait": [lambda x: x.mem.wait()],
    "record_read": [lambda x: record_by(x, x.mem.record_read)], "record_write": [lambda x: record_by(x, x.mem.record_write)],
    "__reduce_ex__": [lambda x: pickled(x.mem)], "__copy__": [lambda x: copy.copy(x.mem)],
    "__deepcopy__": [lambda x: copy.deepcopy(x.mem)], "__repr__": [lambda x: repr(x.mem)],
}  # fmt: skip

EXPORTS = {
    "dictionary": lambda a: dpnp.tensor.asarray(a),
    "DLPack": lambda a: dpnp.from_dlpack(a),
    "own DLPack": lambda a: usmx.from_dlpack(a),
    "to_dpnp": usmx.to_dpnp,
    "to_dpctl": usmx.to_dpctl,
    "memory": memory.as_usm_memory,
    "capsule": lambda a: a.__dlpack__(stream=-1),
    "pointer": lambda a: memory.from_pointer(a._pointer, a.nbytes, a.sycl_queue, owner=a),
    "queue": lambda a: a.sycl_queue,
    "usm_data": lambda a: a.usm_data,
}
IMPORTS = {
    "asarray": lambda e: usmx.asarray(e),
    "as_usm_memory": lambda e: memory.as_usm_memory(e),
    "from_dlpack": lambda e: usmx.from_dlpack(e),
    "asnumpy": lambda e: usmx.asnumpy(e),
    "copy_async": lambda e: usmx.copy_async(usmx.empty_like(usmx.asarray(e)), e),
    "to_dpnp": lambda e: usmx.to_dpnp(e),
    "wait": lambda e: e.wait(),
}
# While one of these is the resource, the other threads' memory comes from it, too.
ALONE = ("usmx.memory.FailingResource", "usmx.memory.LimitingResource", "usmx.memory.PoolResource")
NO_POOL = "another resource is set"  # documented; by another thread
USES_DPNP = {"d", "dpnp", "dpctl", "to_dpnp", "to_dpctl", "from_dlpack"}
# What is documented: an argument of the wrong sort, or memory that is not to be had.
REFUSALS = (TypeError, AttributeError, BufferError)


def exported_then_imported(give, take):
    def call(x):
        try:
            return take(give(x.a))
        except REFUSALS:
            return None

    return call


def refused(use):
    def call(x):
        try:
            use(x)
        except TypeError:
            return
        raise AssertionError("no TypeError")

    return call


def all_calls():
    for prefix, table in (
        ("usmx", FUNCTIONS), ("usmx", OF_ROWS), ("usmx.random", RANDOM),
        ("usmx.memory", MEMORY), ("USMArray", METHODS), ("Memory", OF_MEMORY)
    ):  # fmt: skip
        for name, calls in table.items():
            for number, call in enumerate(calls):
                yield f"{prefix}.{name}" + (f"#{number}" if len(calls) > 1 else ""), call
    for name, use in REFUSED.items():
        yield f"USMArray.{name}", refused(use)
    for out, give in EXPORTS.items():
        for into, take in IMPORTS.items():
            yield f"{out} -> {into}", exported_then_imported(give, take)


def public_names():
    """What must have a call: a function that is added must be added here."""
    names = {f"usmx.{n}" for n in usmx.__all__ if callable(getattr(usmx, n))}
    names |= {f"usmx.memory.{n}" for n in memory.__all__}
    names |= {
        f"usmx.random.{n}" for n in ("default_rng", *vars(usmx.random.Generator)) if n[0] != "_"
    }
    names |= {f"USMArray.{n}" for n in vars(usmx.USMArray) if hasattr(usmx.USMArray, n)}
    names |= {f"Memory.{n}" for n in vars(memory.MemoryUSMHost.__mro__[1])}
    private = re.compile(r"\._[a-z]|\.__(module|new|init|doc|signature)__$")
    classes = {
        f"{m.__name__}.{n}" for m in (usmx, memory) for n, v in vars(m).items()
        if isinstance(v, type) and (issubclass(v, Exception) or v is usmx.SupportsUsmArrayInterface)
    }  # fmt: skip
    return {n for n in names if not private.search(n)} - classes - {"usmx.USMArray", "usmx.memory"}


class Run:
    """Calls everything from several threads, and knows what has not returned."""

    def __init__(self, mode, pattern, threads):
        self.mode = mode
        self.threads = threads
        self.calls = [
            (name, call)
            for name, call in all_calls()
            if re.search(pattern, name) and (threads == 1 or name not in ALONE)
        ]
        self.turns = OneWithDpnp()
        self.running = {}
        self.problems = []
        self.slowest = []
        self.ended = threading.Event()

    def watch(self):
        """A thread that needs the interpreter lock cannot see that nobody gets it: see `main`."""
        while not self.ended.wait(0.5):
            for name, start in list(self.running.values()):
                if time.monotonic() - start > PATIENCE:
                    print(f"HANGS: {name}", flush=True)
                    faulthandler.dump_traceback(all_threads=True)
                    os._exit(1)

    def one(self, name, call, seed):
        me = threading.get_ident()
        with self.turns.using_dpnp():
            self.running[me] = (f"arrays for {name}", time.monotonic())
            things = Things(self.mode, seed)
            del self.running[me]
        alone = "->" in name or USES_DPNP & set(call.__code__.co_names)
        with self.turns.using_dpnp() if alone else self.turns.using_usmx():
            start = time.monotonic()
            self.running[me] = (name, start)
            os.write(1, f"{me} {name}\n".encode())
            faulthandler.dump_traceback_later(
                2 * PATIENCE, exit=True
            )  # without the interpreter lock
            self.note_problems(name, call, things)
            del self.running[me]
            self.slowest.append((time.monotonic() - start, name))
            del things

    def note_problems(self, name, call, things):
        try:
            call(things)
        except Exception as error:
            # FailingResource fails; and while other threads try resources, there is no pool.
            expected = isinstance(error, usmx.USMAllocationError) and name.endswith(
                "FailingResource"
            )
            if not expected and (NO_POOL not in str(error) or self.threads == 1):
                self.problems.append(f"{name}: {traceback.format_exc()}")
        for place in usmx._core._waits_with_lock():
            self.problems.append(f"{name}: waits with the interpreter lock in {place}")

    def all(self, thread, seed, share):
        order = list(self.calls)
        random.Random(1000 * seed + thread).shuffle(order)
        order = order[: max(1, int(len(order) * share))]
        for number, (name, call) in enumerate(order):
            self.one(name, call, (1000 * seed + thread) * 1000 + number)

    def start(self, seed, share):
        threading.Thread(target=self.watch, daemon=True).start()
        with ThreadPoolExecutor(self.threads) as pool:
            for done in [pool.submit(self.all, k, seed, share) for k in range(self.threads)]:
                done.result()
        self.ended.set()
        faulthandler.cancel_dump_traceback_later()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", nargs="?", choices=MODES, default="plain")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="names of calls: a regular expression")
    parser.add_argument("--share", type=float, default=1.0, help="of the calls, for each thread")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    named = {re.sub("#.*", "", name) for name, _ in all_calls()}
    missing = sorted(public_names() - named)
    if missing:
        print("no call of", *missing)
        return 1
    usmx._core._watch_waits()
    if options.mode == "pending":
        memory.set_pending_limit(WAITING_BYTES)
    if options.mode == "pool":
        for kind in ("device", "shared", "host"):
            memory.get_memory_pool(kind).set_limit(size=(options.threads + 1) * (32 << 20))
    run = Run(options.mode, options.only, options.threads)
    run.start(options.seed, options.share)
    usmx.synchronize()
    print("slowest:", *(f"{s:.2f} s {n}" for s, n in sorted(run.slowest)[-5:]), sep="\n  ")
    print(*run.problems, sep="\n")
    print(f"{len(run.slowest)} calls, {len(run.problems)} problems")
    return 1 if run.problems else 0


if __name__ == "__main__":
    sys.exit(main())
