"""Measure how the cost of index arrays and masks grows, to 10^9 elements and with 1 to 16 threads.

python benchmarks/selections.py [--quick] [--json FILE] [--plot PICTURE]

The largest arrays take 17 GB of memory.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import curves
from curves import Curve

if TYPE_CHECKING:
    from types import ModuleType

SIZES = [10**k for k in range(3, 10)]
QUICK_SIZES = [10**3, 10**4, 10**5]
THREADS = [1, 2, 4, 8, 16]
QUICK_THREADS = [1, 2]
THREADS_SIZE = 10**4  # elements that each thread selects from, so that usmx's own stay asleep


@dataclass(frozen=True)
class Selection:
    """What is done to an array `x` of float32 again and again."""

    title: str
    code: str
    key: str  # "indices" or "mask"

    def names(self, library: "ModuleType", count: int) -> dict[str, Any]:
        """The library's arrays of so many elements; every second of the mask is true at random."""
        import numpy

        random = numpy.random.default_rng(7)
        if self.key == "mask":
            key = random.integers(0, 2, count, dtype="u1").view("?")
        else:
            key = random.integers(0, count, count, dtype="i8")
        key = library.asarray(key)  # before x is there, since NumPy's array may be another one
        return {"x": library.ones(count, dtype="f4"), "key": key, "nonzero": library.nonzero}


SELECTIONS = (
    Selection("Random elements, x[indices]", "x[key]", "indices"),
    Selection("Half of the elements, x[mask]", "x[key]", "mask"),
    Selection("Places of half of the elements, nonzero(mask)", "nonzero(key)", "mask"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return curves.run(
        arguments,
        name="selections.py",
        description="Measures index arrays, masks and nonzero of usmx and NumPy, of 10^3 to 10^9 "
        "elements and in several threads.",
        measure=measure_all,
        tables=curves.cost_tables,
        figure=curves.figure_of_selections,
    )


def measure_all(quick: bool) -> list[Curve]:
    """Both libraries' curves of every selection."""
    import numpy
    import usmx

    libraries = {"usmx": usmx, "NumPy": numpy}
    sizes, threads = (QUICK_SIZES, QUICK_THREADS) if quick else (SIZES, THREADS)
    by_size = [
        Curve(
            each.title,
            "elements",
            name,
            each.code,
            sizes,
            [shortest(each, library, count, 1, quick=quick) for count in sizes],
        )
        for each in SELECTIONS
        for name, library in libraries.items()
    ]
    by_threads = [
        Curve(
            f"{each.title}, of {THREADS_SIZE:,}: the time of all threads over their number",
            "threads",
            name,
            each.code,
            threads,
            [shortest(each, library, THREADS_SIZE, n, quick=quick) for n in threads],
        )
        for each in SELECTIONS[:1]
        for name, library in libraries.items()
    ]
    return by_size + by_threads


def shortest(
    selection: Selection, library: "ModuleType", count: int, threads: int, *, quick: bool
) -> float:
    """The shortest of some rounds, of fewer where they are long; the arrays are gone afterwards."""
    import usmx
    from bench import pairing

    effort = pairing.QUICK if quick else pairing.FULL
    names = selection.names(library, count)
    work = pairing.Statement(selection.code, threads=threads, **names)
    work.warm_up(effort.block_seconds)
    rounds = max(3, min(effort.rounds, 21 * 10**7 // count))
    seconds = min(work.measure() for _ in range(rounds))
    del work, names
    usmx.memory.empty_cache()  # or the pool keeps it until something is allocated
    return seconds


if __name__ == "__main__":
    sys.exit(main())
