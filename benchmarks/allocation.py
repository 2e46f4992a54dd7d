"""Measure what it costs to allocate and free, by size, by threads, and by blocks that are alive.

python benchmarks/allocation.py [--quick] [--json FILE] [--plot FILE.svg]
"""

import argparse
import functools
import itertools
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import outputs

NEEDED = "dpctl dpnp numpy"
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

    def statement(self, make: Callable[[int], object], number: int):
        """One library's side."""
        import pairing

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


@dataclass(frozen=True)
class Curve:
    """One library's times for one sweep: the shortest of the rounds, in seconds."""

    sweep: str
    axis: str
    library: str
    code: str
    x: Sequence[int]
    seconds: Sequence[float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 2 when something that it needs is missing."""
    options = parse(arguments)
    try:
        curves = measure_all(quick=options.quick)
    except ImportError as error:
        print(f"benchmarks: {error}; install with: pip install {NEEDED}", file=sys.stderr)
        return 2
    import report

    machine = report.machine()
    print(f"{report.machine_text(machine)}\n\n{report.cost_tables(curves)}")
    if options.json:
        values = {"machine": machine, "curves": [asdict(curve) for curve in curves]}
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        import plot

        plot.save_costs(curves, options.plot)
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/allocation.py",
        description="Measures memory objects of usmx's pools, of the SYCL runtime, and of dpctl: "
        "made and let go.",
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="few numbers, short rounds: to see that it works")
    outputs.add_options(parser, json="write the times there", plot="draw the curves there")
    return outputs.parse(parser, arguments)


def measure_all(*, quick: bool) -> list[Curve]:
    """Every library's curve of every sweep."""
    libraries = makers()
    return [
        curve
        for sweep in (BY_SIZE, BY_THREADS, BY_LIVE_BLOCKS)
        for curve in measure_sweep(sweep, libraries, quick=quick)
    ]


def makers() -> dict[str, Callable[[int], object]]:
    """What makes a memory object, all in the same way: on a queue that is given."""
    import dpctl
    import dpctl.memory
    import usmx

    device = usmx.SyclDevice()
    apart = usmx.SyclQueue(usmx.SyclContext(device), device)
    usmx.memory.set_memory_resource(usmx.memory.PlainResource("device"), apart)
    make = usmx.memory.MemoryUSMDevice
    return {
        "usmx": functools.partial(make, queue=usmx.SyclQueue()),
        "usmx, no pool": functools.partial(make, queue=apart),
        "dpctl": functools.partial(dpctl.memory.MemoryUSMDevice, queue=dpctl.SyclQueue()),
    }


def measure_sweep(
    sweep: Sweep, libraries: dict[str, Callable[[int], object]], *, quick: bool
) -> list[Curve]:
    """At each number the libraries take turns."""
    import pairing

    effort = pairing.QUICK if quick else pairing.FULL
    numbers = sweep.quick_numbers if quick else sweep.numbers
    shortest: list[list[float]] = [[] for _ in libraries]
    for number in numbers:
        works = [sweep.statement(make, number) for make in libraries.values()]
        for own, rounds in zip(shortest, pairing.measure_in_turns(works, effort), strict=True):
            own.append(min(rounds))
    return [
        Curve(sweep.title, sweep.axis, name, sweep.code, numbers, own)
        for name, own in zip(libraries, shortest, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
