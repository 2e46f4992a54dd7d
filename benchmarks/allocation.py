"""Measure what it costs to allocate and free, by size, by threads, and by blocks that are alive.

And what it costs to free blocks with pending work, by their number.

python benchmarks/allocation.py [--quick] [--json FILE] [--plot PICTURE]
"""

import contextlib
import itertools
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import curves
from curves import Curve

if TYPE_CHECKING:
    from bench import pairing
    from usmx.memory import MemoryResource

Make = Callable[[int], object]
KIB, MIB = 1 << 10, 1 << 20
BLOCK = 64  # bytes, where the size is not what changes


@dataclass(frozen=True)
class Sweep:
    """What is done again and again, with another number each time."""

    title: str
    axis: str
    code: str
    numbers: Sequence[int]
    quick_numbers: Sequence[int]

    def statement(self, make: Make, number: int) -> "pairing.Work":
        """One library's side."""
        from bench import pairing

        if self is BY_SIZE:
            return pairing.Statement(self.code, make=make, n=number)
        if self is BY_THREADS:
            return pairing.Statement(self.code, threads=number, make=make, n=BLOCK)
        if self is BY_PENDING_BLOCKS:
            return Frees(make, number)
        blocks = [make(BLOCK) for _ in range(number)]
        places = random.Random(0).sample(range(number), number)
        return pairing.Statement(
            self.code, make=make, n=BLOCK, blocks=blocks, place=itertools.cycle(places).__next__
        )


BY_SIZE = Sweep(
    "One thread, no other block alive",
    "bytes of a block",
    "make(n)",
    [64 << 2 * k for k in range(11)],
    [64, 64 * KIB, MIB],
)
BY_THREADS = Sweep(
    f"Blocks of {BLOCK} B, the time of all threads over their number",
    "threads",
    "make(n)",
    [1, 2, 4, 8, 16],
    [1, 2, 4],
)
BY_LIVE_BLOCKS = Sweep(
    f"Blocks of {BLOCK} B, a new one in the place of any other",
    "blocks alive",
    "blocks[place()] = make(n)",
    [4**k for k in range(11)],
    [1, 16, 256],
)
BY_PENDING_BLOCKS = Sweep(
    f"Frees of blocks of {BLOCK} B with work pending, the time of all over their number",
    "blocks freed",
    "blocks.clear()",
    [125_000, 250_000, 500_000, 1_000_000],
    [1000, 2000, 4000],
)


def is_pictured(axis: str) -> bool:
    """Whether what was measured is an allocation and a free, as the picture says."""
    return axis != BY_PENDING_BLOCKS.axis


# A kernel that runs until it is told to stop.
UNTIL_STOPPED = """
__kernel void until_stopped(volatile __global int* stop) { while (*stop == 0); }
"""


class Running:
    """A command that runs as long as the `with` statement."""

    def __init__(self) -> None:
        import dpctl
        import dpctl.memory
        import dpctl.program

        self._queue = dpctl.SyclQueue()
        program = dpctl.program.create_program_from_source(self._queue, UNTIL_STOPPED)
        self._kernel = program.get_sycl_kernel("until_stopped")
        self._flag = dpctl.memory.MemoryUSMHost(4, queue=self._queue)

    def __enter__(self) -> object:
        """Start it, and give its event."""
        self._set_flag(0)
        self._event = self._queue.submit_async(self._kernel, [self._flag], [1])
        return self._event

    def __exit__(self, *_: object) -> None:
        self._set_flag(1)
        self._event.wait()

    def _set_flag(self, value: int) -> None:
        memoryview(self._flag).cast("i")[0] = value


class Frees:
    """Blocks are freed while a command runs that was recorded on each."""

    code = "blocks.clear()"

    def __init__(self, make: Make, number: int) -> None:
        self._make, self._number = make, number
        self._running = Running()

    def warm_up(self, _block_seconds: float) -> None:
        self.measure()

    def measure(self) -> float:
        """Seconds of each."""
        with self._running as event:
            blocks = [self._make(BLOCK) for _ in range(self._number)]
            for block in blocks:
                block.record(event)
            del block
            start = time.perf_counter()
            blocks.clear()
            return (time.perf_counter() - start) / self._number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return curves.run(
        arguments,
        name="allocation.py",
        description="Measures memory objects of usmx's pools, of the SYCL runtime, and of dpctl: "
        "made and released.",
        measure=measure_all,
        tables=curves.cost_tables,
        figure=lambda found: curves.figure_of_costs([c for c in found if is_pictured(c.axis)]),
    )


def measure_all(quick: bool) -> list[Curve]:
    """Every library's curve of every sweep."""
    libraries = find_libraries()
    curves = [
        curve
        for sweep in (BY_SIZE, BY_THREADS, BY_LIVE_BLOCKS)
        for curve in measure_sweep(sweep, libraries, quick=quick)
    ]
    usmx_alone = {"usmx": libraries["usmx"]}  # dpctl's memory knows of no work
    return curves + measure_sweep(BY_PENDING_BLOCKS, usmx_alone, quick=quick)


class Side:
    """A library's work, while usmx has its memory from a resource of its own."""

    def __init__(self, sweep: Sweep, make: Make, resource: "MemoryResource", number: int) -> None:
        self.code = sweep.code
        self._resource = resource
        with self._own():
            self._work = sweep.statement(make, number)

    def warm_up(self, block_seconds: float) -> None:
        """Decide how often a measurement repeats it."""
        with self._own():
            self._work.warm_up(block_seconds)

    def measure(self) -> float:
        """Seconds that it takes once."""
        with self._own():
            return self._work.measure()

    def _own(self) -> contextlib.AbstractContextManager:
        from usmx import memory

        return memory.using_memory_resource(self._resource)


def find_libraries() -> dict[str, tuple[Make, "MemoryResource"]]:
    """What makes a memory object, and where usmx has memory from meanwhile."""
    import dpctl.memory
    from usmx import memory

    pool, plain = memory.get_memory_resource(), memory.PlainResource()
    return {
        "usmx": (memory.MemoryUSMDevice, pool),
        "usmx, no pool": (memory.MemoryUSMDevice, plain),
        "dpctl": (dpctl.memory.MemoryUSMDevice, pool),
    }


def measure_sweep(
    sweep: Sweep, libraries: dict[str, tuple[Make, "MemoryResource"]], *, quick: bool
) -> list[Curve]:
    """At each number the libraries take turns."""
    from bench import pairing

    effort = pairing.QUICK if quick else pairing.FULL
    numbers = sweep.quick_numbers if quick else sweep.numbers
    shortest: list[list[float]] = [[] for _ in libraries]
    for number in numbers:
        works = [Side(sweep, *library, number) for library in libraries.values()]
        for own, rounds in zip(shortest, pairing.measure_in_turns(works, effort), strict=True):
            own.append(min(rounds))
    return [
        Curve(sweep.title, sweep.axis, name, sweep.code, numbers, own)
        for name, own in zip(libraries, shortest, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
