"""Measure what it costs to allocate and free, by size, by threads, and by blocks that are alive.

python benchmarks/allocation.py [--quick] [--json FILE] [--plot PICTURE]
"""

import contextlib
import itertools
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import curves
from curves import Curve

if TYPE_CHECKING:
    from usmx.bench import pairing
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

    def statement(self, make: Make, number: int) -> "pairing.Statement":
        """One library's side."""
        from usmx.bench import pairing

        if self is BY_SIZE:
            return pairing.Statement(self.code, make=make, n=number)
        if self is BY_THREADS:
            return pairing.Statement(self.code, threads=number, make=make, n=BLOCK)
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
    [4**k for k in range(10)],
    [1, 16, 256],
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return curves.run(
        arguments,
        name="allocation.py",
        description="Measures memory objects of usmx's pools, of the SYCL runtime, and of dpctl: "
        "made and released.",
        measure=measure_all,
        tables=curves.cost_tables,
        figure=curves.figure_of_costs,
    )


def measure_all(quick: bool) -> list[Curve]:
    """Every library's curve of every sweep."""
    libraries = find_libraries()
    return [
        curve
        for sweep in (BY_SIZE, BY_THREADS, BY_LIVE_BLOCKS)
        for curve in measure_sweep(sweep, libraries, quick=quick)
    ]


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
    from usmx.bench import pairing

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
