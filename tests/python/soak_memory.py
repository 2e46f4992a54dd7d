"""Allocations, views, exchanges and frees from several threads, for a long time: memory stays flat.

python -P tests/python/soak_memory.py [--operations N] [--threads N] [--seed N]

Each thread has some live arrays of all sizes and kinds, each with a number of its own in its first and
last element, and replaces one in turn. Exits with 1 when a number is wrong, which means that two threads
have the same memory, or when pools or the process have grown since a quarter of the operations.
"""

import argparse
import pathlib
import random
import sys
import threading

import dpctl.memory
import usmx

SLOTS = 24
LARGEST = 200_000  # doubles
KINDS = ("device", "shared", "host")
ALLOWED_GROWTH = 64 << 20  # bytes


class Worker:
    """One thread's arrays and the number in each."""

    def __init__(self, seed, queues):
        self.random = random.Random(seed)
        self.queues = queues
        self.arrays = [None] * SLOTS

    def step(self):
        at = self.random.randrange(SLOTS)
        if self.arrays[at] is not None:
            self.check(*self.arrays[at])
        self.arrays[at] = self.new()

    def new(self):
        """An array, or a view of one that keeps only its part's owner."""
        count = int(LARGEST ** self.random.random()) + 2
        array = usmx.empty(
            count, usm_type=self.random.choice(KINDS), sycl_queue=self.random.choice(self.queues)
        )
        number = self.random.random()
        array[0] = array[count - 1] = number
        way = self.random.randrange(5)
        if way == 0:
            array = array[::-1]
        elif way == 1:
            array = usmx.asarray(dpctl.memory.as_usm_memory(array)).view("f8")
        elif way == 2:
            usmx.fill_async(array[1:-1], 0.0)
        return array, number

    def check(self, array, number):
        found = float(array[0]), float(array[len(array) - 1])
        if found != (number, number):
            raise AssertionError(f"expected {number} in {array.shape}, found {found}")


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


def total_bytes():
    return sum(usmx.memory.get_memory_pool(kind).total_bytes() for kind in KINDS)


def run(options):
    """Sizes after a quarter of the operations and at the end."""
    queues = [None, usmx.SyclQueue(), usmx.SyclQueue(property="in_order")]
    failures = []
    sizes = []
    quarter = threading.Barrier(
        options.threads, action=lambda: sizes.append((resident_bytes(), total_bytes()))
    )

    def work(number):
        worker = Worker(options.seed * 1000 + number, queues)
        each = options.operations // options.threads
        try:
            for k in range(each):
                if k == each // 4:
                    quarter.wait()
                worker.step()
        except BaseException as error:
            failures.append(error)
            quarter.abort()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(options.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    usmx.synchronize()
    sizes.append((resident_bytes(), total_bytes()))
    return failures, sizes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    failures, sizes = run(parser.parse_args())
    for error in failures:
        print(f"{type(error).__name__}: {error}")
    if failures:
        return 1
    (resident, total), (resident_after, total_after) = sizes
    print(f"resident {resident >> 20} -> {resident_after >> 20} MiB, "
          f"pools {total >> 20} -> {total_after >> 20} MiB")  # fmt: skip
    grown = max(resident_after - resident, total_after - total)
    if grown > ALLOWED_GROWTH:
        print(f"grown by {grown} bytes")
        return 1
    print("memory is flat")
    return 0


if __name__ == "__main__":
    sys.exit(main())
