"""Mixed operations from several threads, for a long time: numbers stay right and memory stays flat.

python -P tests/python/soak.py [--operations N] [--threads N] [--seed N]

Each thread has a few arrays, of which it knows every number, and takes a random operation in turn:
making arrays, asynchronous fills and copies on several queues, views, dictionaries, other queues, host
copies, letting go. Exits with 1 when a number is wrong or the process has grown.
"""

import argparse
import pathlib
import random
import resource
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dpctl
import numpy as np
import usmx

SIZES = (1, 100, 3000, 20_000)  # doubles: below and above what is copied at once
SLOTS = 6
REPORTS = 20
ALLOWED_GROWTH = 64 << 20  # bytes


class Forwarded:
    """A producer that is no array of usmx's."""

    def __init__(self, array):
        self.__sycl_usm_array_interface__ = dict(array.__sycl_usm_array_interface__)
        self.owner = array


class Soak:
    """One thread's arrays and the number that all elements of each must have."""

    def __init__(self, seed, queues):
        self.random = random.Random(seed)
        self.queues = queues
        self.known = [None] * SLOTS
        self.operations = [
            self.make, self.make, self.fill, self.fill, self.fill, self.copy, self.copy,
            self.upload, self.download, self.check, self.view, self.forward, self.move, self.drop,
            self.assign, self.record,
        ]  # fmt: skip

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

    def drop(self):
        self.known[self.slot()] = None

    def run(self, operations, done):
        for number in range(operations):
            self.random.choice(self.operations)()
            if number % 1000 == 999:
                done(1000)
        for entry in self.known:
            if entry is not None:
                assert (usmx.asnumpy(entry[0]) == entry[1]).all()


def resident():
    pages = pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


class Progress:
    """Counts operations, and reports them with the memory in use."""

    def __init__(self, total):
        self.total = total
        self.count = 0
        self.sizes = []
        self.lock = threading.Lock()
        self.start = time.monotonic()

    def done(self, operations):
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
        usmx.empty(1).sycl_queue,
        usmx.SyclQueue(dpctl.SyclQueue()._get_capsule()),
        usmx.SyclQueue(dpctl.SyclQueue(property="in_order")._get_capsule()),
    ]
    progress = Progress(options.operations)
    share = options.operations // options.threads
    with ThreadPoolExecutor(options.threads) as pool:
        runs = [
            pool.submit(Soak(options.seed * 1000 + k, queues).run, share, progress.done)
            for k in range(options.threads)
        ]
        for run in runs:
            run.result()
    usmx.synchronize()
    growth = progress.growth()
    print(f"all numbers right; {growth >> 20} MiB more than in the first quarter")
    return 1 if growth > ALLOWED_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
