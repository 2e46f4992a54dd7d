"""Mixed operations from several threads, for a long time: numbers stay right and memory stays flat.

python -P tests/python/soak.py [--operations N] [--threads N] [--seed N]

Each thread has a few arrays, of which it knows every number, and takes a random operation in turn:
making arrays, asynchronous fills and copies on several queues, views, dictionaries, other queues, host
copies, kernels, letting go; and dpnp's kernels on what was exported in each way, a moment ago or long before.
Exits with 1 when a number is wrong, the process has grown, or no operation ends for two minutes: then all
threads' stacks say where.

dpnp loses memory alone, too: 32 bytes for each array that its from_dlpack makes, and OpenCL's CPU
driver keeps 64 bytes of a free that finds work running (Context::USMFree). How much is measured at
the start, by the same operations on dpnp's own arrays, and is not counted as growth.
"""

import argparse
import contextlib
import ctypes
import faulthandler
import pathlib
import random
import resource
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dpctl
import dpnp
import numpy as np
import usmx
from usmx import memory

EXPORTS = (
    usmx.to_dpnp,
    dpnp.from_dlpack,  # on dpnp's own queue, wherever the array is
    lambda array: dpnp.ndarray._create_from_usm_ndarray(dpnp.tensor.asarray(array)),
)
SIZES = (1, 100, 3000, 20_000)  # doubles: below and above what is copied at once
SLOTS = 6
REPORTS = 20
ALLOWED_GROWTH = 64 << 20  # bytes
LONGEST_PAUSE = 120  # seconds, in which 1,000 operations of some thread end on any machine

SET = usmx.Kernel(
    "#include <usmx/kernel.hpp>\n"
    "USMX_KERNEL(1) set(double a, double* x) { x[usmx::global_id()] = a; }",
    "set",
)
PLUS_ONE = usmx.ElementwiseKernel("T x", "T y", "y = x + 1", "plus_one")


class Forwarded:
    """A producer that is no array of usmx's."""

    def __init__(self, array):
        self.__sycl_usm_array_interface__ = dict(array.__sycl_usm_array_interface__)
        self.owner = array


class OneWithDpnp:
    """Either one thread uses dpnp, or any number use usmx.

    What dpnp submits takes no lock. On OpenCL's CPU driver, a submission while another thread waits for
    the queue, or submits to it, crashes or hangs: in most runs with dpnp alone in several threads.
    """

    def __init__(self):
        self.changed = threading.Condition()
        self.users = 0

    @contextlib.contextmanager
    def using_usmx(self):
        with self.changed:
            self.users += 1
        try:
            yield
        finally:
            with self.changed:
                self.users -= 1
                self.changed.notify_all()

    @contextlib.contextmanager
    def using_dpnp(self):
        with self.changed:
            self.changed.wait_for(lambda: self.users == 0)
            yield


class Soak:
    """One thread's arrays and the number that all elements of each must have."""

    def __init__(self, seed, queues, turns):
        self.turns = turns
        self.random = random.Random(seed)
        self.queues = queues
        self.known = [None] * SLOTS
        self.exported = None  # by dpnp's name, with the slot and the array that it is of
        self.count_of_dpnps = 0
        self.operations = [
            self.make, self.make, self.fill, self.fill, self.fill, self.copy, self.copy,
            self.upload, self.download, self.check, self.view, self.forward, self.move, self.drop,
            self.assign, self.record, self.drop_at_work, self.bytes, self.by_address,
            self.launch, self.compute,
        ]  # fmt: skip
        self.with_dpnp = {
            self.dpnps_kernels, self.dpnps_array, self.dpnps_sum, self.keep_export, self.use_export,
            self.drop_at_dpnps_work,
        }  # fmt: skip
        self.operations += sorted(self.with_dpnp, key=lambda method: method.__name__)

    def slot(self):
        return self.random.randrange(SLOTS)

    def number(self):
        return float(self.random.randrange(1000))

    def any(self):
        """A slot with an array."""
        at = self.slot()
        if self.known[at] is None:
            self.known[at] = self.new()
        return at

    def new(self):
        queue = self.random.choice(self.queues)
        kind = self.random.choice(("device", "shared", "host"))
        return [usmx.zeros(self.random.choice(SIZES), usm_type=kind, sycl_queue=queue), 0.0]

    def make(self):
        self.known[self.slot()] = self.new()

    def fill(self):
        entry = self.known[self.any()]
        entry[1] = self.number()
        usmx.fill_async(entry[0], entry[1])

    def copy(self):
        source, number = self.known[self.any()]
        target = usmx.empty(source.shape, sycl_queue=self.random.choice(self.queues))
        usmx.copy_async(target, source)
        self.known[self.slot()] = [target, number]

    def upload(self):
        entry = self.known[self.any()]
        entry[1] = self.number()
        usmx.copy_async(entry[0], np.full(entry[0].shape, entry[1]))

    def download(self):
        array, number = self.known[self.any()]
        host = np.empty(array.shape)
        usmx.copy_async(host, array).wait()
        assert (host == number).all(), (host, number)

    def check(self):
        array, number = self.known[self.any()]
        found = usmx.asnumpy(array)
        assert (found == number).all(), (found, number)

    def assign(self):
        entry = self.known[self.any()]
        entry[1] = self.number()
        entry[0][...] = entry[1]

    def launch(self):
        entry = self.known[self.any()]
        if entry[0].flags.c_contiguous:
            entry[1] = self.number()
            SET(entry[0].size, None, entry[1], entry[0])

    def compute(self):
        array, number = self.known[self.any()]
        self.known[self.slot()] = [PLUS_ONE(array), number + 1]

    def view(self):
        entry = self.known[self.any()]
        entry[0] = entry[0][::-1]

    def forward(self):
        entry = self.known[self.any()]
        if entry[0].strides is None or entry[0].flags.c_contiguous:
            entry[0] = usmx.asarray(Forwarded(entry[0]))

    def move(self):
        entry = self.known[self.any()]
        entry[0] = entry[0].to_device(self.random.choice(self.queues))

    def record(self):
        entry = self.known[self.any()]
        entry[0].record(usmx.fill_async(usmx.empty(1), 1))

    def drop_at_work(self):
        """What is let go here is used again at once, while the work goes on."""
        source, _ = self.known[self.any()]
        usmx.copy_async(
            usmx.empty(source.shape, sycl_queue=self.random.choice(self.queues)), source
        )

    def drop_at_dpnps_work(self):
        there = self.give(usmx.zeros(self.random.choice(SIZES)))
        there += 1

    def give(self, array):
        """The array in dpnp's hands."""
        # dpnp takes no negative strides by DLPack, and dead-locks on queues that are in order.
        array = usmx.flip(array) if (array.strides or (1,))[0] < 0 else array
        export = self.random.choice(EXPORTS)
        return dpnp.from_dlpack(array) if array.sycl_queue.is_in_order else export(array)

    def work(self, there, number):
        there[...] = number
        there += 1
        return number + 1

    def dpnps_kernels(self):
        entry = self.known[self.any()]
        entry[1] = self.work(self.give(entry[0]), self.number())

    def dpnps_array(self):
        number = self.number()
        array = dpnp.full(self.random.choice(SIZES), number)
        array += 1
        self.known[self.slot()] = [usmx.asarray(array), number + 1]

    def dpnps_sum(self):
        array, number = self.known[self.any()]
        found = float(dpnp.sum(self.give(array)))
        assert found == number * array.size, (found, number, array.size)

    def keep_export(self):
        at = self.any()
        self.exported = self.give(self.known[at][0]), at, self.known[at][0]

    def use_export(self):
        """Work through what left long ago. The queue may be another than the array's by now."""
        if self.exported is not None:
            there, at, array = self.exported
            if self.known[at] is not None and self.known[at][0] is array:
                array.wait()  # dpnp cannot know of usmx's own work since
                self.known[at][1] = self.work(there, self.number())
            else:
                self.exported = None

    def bytes(self):
        array, number = self.known[self.any()]
        if array.flags.c_contiguous:
            found = np.frombuffer(array.tobytes())
            assert (found == number).all(), (found, number)
            found = np.frombuffer(memory.as_usm_memory(array).tobytes())
            assert (found == number).all(), (found, number)

    def by_address(self):
        entry = self.known[self.any()]
        if entry[0].flags.c_contiguous:
            array, queue = entry[0], entry[0].sycl_queue
            there = memory.from_pointer(array._pointer, array.nbytes, queue, owner=array)
            entry[1] = 0.0
            there.memset(0)

    def drop(self):
        self.known[self.slot()] = None

    def run(self, operations, progress):
        for number in range(operations):
            operation = self.random.choice(self.operations)
            dpnps = operation in self.with_dpnp
            self.count_of_dpnps += dpnps
            with self.turns.using_dpnp() if dpnps else self.turns.using_usmx():
                operation()
            if number % 1000 == 999:
                progress.done(1000)
        for entry in self.known:
            if entry is not None:
                assert (usmx.asnumpy(entry[0]) == entry[1]).all()


class DpnpAlone(Soak):
    """The operations of dpnp's on arrays of its own, of which usmx knows nothing."""

    def __init__(self, seed, turns):
        super().__init__(seed, [], turns)
        self.known = [[dpnp.zeros(self.random.choice(SIZES)), 0.0] for _ in range(SLOTS)]
        self.operations = [
            self.dpnps_kernels, self.dpnps_kernels, self.dpnps_array, self.dpnps_sum,
            self.keep_export, self.drop_at_dpnps_work,
        ]  # fmt: skip
        self.with_dpnp = set(self.operations)

    def give(self, array):
        return self.random.choice((dpnp.from_dlpack, dpnp.asarray))(array)  # about as many as above

    def dpnps_array(self):
        array = dpnp.full(self.random.choice(SIZES), self.number())
        array += 1

    def drop_at_dpnps_work(self):
        entry = self.known[self.slot()]
        there = self.give(entry[0])
        there += 1
        entry[1] += 1

    def run(self, operations):
        for _ in range(operations):
            with self.turns.using_dpnp():
                self.random.choice(self.operations)()


class HeapUse(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = (
        ("arena_ordblks_smblks_hblks", ctypes.c_size_t * 4),
        ("hblkhd", ctypes.c_size_t),
        ("usmblks_fsmblks", ctypes.c_size_t * 2),
        ("uordblks", ctypes.c_size_t),
        ("fordblks_keepcost", ctypes.c_size_t * 2),
    )


def heap_bytes():
    """Bytes of blocks in use, when no work is."""
    usmx.synchronize()
    dpnp.empty(1).sycl_queue.wait()
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = HeapUse
    found = ask()
    return found.uordblks + found.hblkhd


def lost_by_dpnp(options, turns):
    """Bytes that one of dpnp's operations loses without usmx."""
    soaks = [DpnpAlone(options.seed * 1000 + k, turns) for k in range(options.threads)]
    with ThreadPoolExecutor(options.threads) as pool:
        alone = options.operations // 1000  # in each thread
        for operations in (alone // 10, alone):  # what is made once is there by then
            before = heap_bytes()
            list(pool.map(lambda soak, operations=operations: soak.run(operations), soaks))
            lost = (heap_bytes() - before) / max(operations * options.threads, 1)
    return max(lost, 0.0)


def resident():
    pages = pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


class Progress:
    """Counts operations, and reports them with the memory in use.

    Where they stop, all threads' stacks say where they hang, and the process ends.
    """

    def __init__(self, total):
        self.total = total
        self.count = 0
        self.sizes = []
        self.lock = threading.Lock()
        self.start = time.monotonic()

    def done(self, operations):
        faulthandler.dump_traceback_later(LONGEST_PAUSE, exit=True)
        with self.lock:
            before, self.count = self.count, self.count + operations
            step = max(self.total // REPORTS, 1)
            if before // step == self.count // step:
                return
            self.sizes.append(resident())
            seconds = time.monotonic() - self.start
            print(
                f"{self.count:>11,} operations, {seconds:6.0f} s, {self.sizes[-1] >> 20} MiB",
                flush=True,
            )

    def growth(self):
        """Bytes, since the first quarter: what is made once is there by then."""
        return self.sizes[-1] - max(self.sizes[: max(len(self.sizes) // 4, 1)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    queues = [
        usmx.empty(1).sycl_queue,  # dpctl's and dpnp's, too
        usmx.SyclQueue(dpctl.SyclQueue()._get_capsule()),
        usmx.SyclQueue(dpctl.SyclQueue(property="in_order")._get_capsule()),
    ]
    faulthandler.dump_traceback_later(LONGEST_PAUSE, exit=True)
    turns = OneWithDpnp()
    lost = lost_by_dpnp(options, turns)
    print(f"dpnp alone loses {lost:.1f} bytes in each of its operations", flush=True)
    progress = Progress(options.operations)
    share = options.operations // options.threads
    soaks = [Soak(options.seed * 1000 + k, queues, turns) for k in range(options.threads)]
    with ThreadPoolExecutor(options.threads) as pool:
        for run in [pool.submit(soak.run, share, progress) for soak in soaks]:
            run.result()
    usmx.synchronize()
    faulthandler.cancel_dump_traceback_later()
    growth = progress.growth()
    # The first quarter is not part of the growth.
    of_dpnp = int(0.75 * sum(soak.count_of_dpnps for soak in soaks) * lost)
    print(
        f"all numbers right; {growth >> 20} MiB more than in the first quarter, "
        f"of which dpnp alone accounts for {of_dpnp >> 20} MiB"
    )
    return 1 if growth - of_dpnp > ALLOWED_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
