"""Measure what several threads get done against one, for a Python without the interpreter lock.

python benchmarks/free_threads.py [--threads N] [--seconds S] [--json FILE]

Prints calls a second, by one thread and by all, and how many of them a second of CPU time buys by
all against by one: 1 where threads are not in each other's way, whatever else the machine does.
Each is the best of five rounds, which take turns.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

import usmx
from bench import outputs
from usmx._terminal import print_table

ROUNDS = 5
BATCH = 200


class Producer:
    """Hands out a dictionary that is made already, and by DLPack what the array does."""

    def __init__(self) -> None:
        array = usmx.zeros(64)
        self.__sycl_usm_array_interface__ = array.__sycl_usm_array_interface__
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


def slices(array: usmx.USMArray) -> Callable[[], object]:
    """Slice that array."""
    return lambda: array[1:]


def works() -> dict[str, Callable[[], Callable[[], object]]]:
    """What makes the work of a thread, by name."""
    shared = usmx.zeros(64)
    return {
        "slice of an own array": lambda: slices(usmx.zeros(64)),
        "slice of one that all share": lambda: slices(shared),
        "from_usm_array_interface": lambda: partial(usmx.from_usm_array_interface, Producer()),
        "from_dlpack": lambda: partial(usmx.from_dlpack, Producer()),
        "empty": lambda: lambda: usmx.empty((16, 16)),
    }


def rates(
    make: Callable[[], Callable[[], object]], threads: int, seconds: float
) -> tuple[float, float]:
    """Calls of all these threads a second, and a second of CPU time."""
    calls = [0] * threads
    start, end = threading.Barrier(threads + 1), threading.Event()

    def run(number: int) -> None:
        call = make()
        for _ in range(BATCH):
            call()
        start.wait()
        while not calls[number] or not end.is_set():
            for _ in range(BATCH):
                call()
            calls[number] += BATCH

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for each in running:
        each.start()
    start.wait()
    began, cpu = time.perf_counter(), time.process_time()
    time.sleep(seconds)
    end.set()
    for each in running:
        each.join()
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    return sum(calls) / took, sum(calls) / cpu


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=8, help="how many (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=1, help="of one measurement (default: %(default)s)"
    )
    outputs.add_options(parser, json="write all rates there")
    options = outputs.parse(parser, arguments)
    measured = {name: ([], []) for name in works()}
    for _ in range(ROUNDS):
        for name, make in works().items():
            for one_or_all, threads in zip(measured[name], (1, options.threads), strict=True):
                one_or_all.append(rates(make, threads, options.seconds))
    rows = []
    for name, (one, all_) in measured.items():
        wall, cpu = map(max, zip(*one, strict=True))
        wall_of_all, cpu_of_all = map(max, zip(*all_, strict=True))
        rows.append((name, f"{wall:,.0f}", f"{wall_of_all:,.0f}", f"{cpu_of_all / cpu:.2f}"))
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    version = sys.version.partition(" ")[0]
    print(f"Python {version}, {'with' if has_lock else 'without'} the interpreter lock")
    header = ("calls a second", "1 thread", f"{options.threads} threads", "by CPU time")
    print_table(header, rows, right=header[1:])
    if options.json:
        options.json.write_text(json.dumps(measured), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
