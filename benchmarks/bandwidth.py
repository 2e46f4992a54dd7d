"""Measure how fast usmx, dpnp and NumPy copy arrays of all sizes and with all strides.

python benchmarks/bandwidth.py [--quick] [--json FILE] [--plot PICTURE]
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import curves
from curves import Curve

KIB, MIB = 1 << 10, 1 << 20
ITEMSIZE = 4  # float32
STRIDED_COUNT = MIB  # elements


@dataclass(frozen=True)
class Sweep:
    """What is copied, again and again with another number in its place."""

    title: str
    axis: str
    code: str
    numbers: Sequence[int]
    quick_numbers: Sequence[int]

    def counts(self, number: int) -> tuple[int, int]:
        """Elements of the source `x` and of the destination `out`."""
        if self is BY_SIZE:
            return number // ITEMSIZE, number // ITEMSIZE
        return STRIDED_COUNT * number, STRIDED_COUNT


BY_SIZE = Sweep(
    "Contiguous copy",
    "bytes copied",
    "out[...] = x",
    [64 << 2 * k for k in range(13)],
    [64, 4 * KIB, 256 * KIB, 4 * MIB],
)
BY_STRIDE = Sweep(
    f"Copy of {STRIDED_COUNT * ITEMSIZE // MIB} MiB of float32 from every n-th element",
    "stride of the source in bytes",
    "out[...] = x[::{number}]",
    [1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128],
    [1, 4, 16],
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return curves.run(
        arguments,
        name="bandwidth.py",
        description="Measures copies by usmx, dpnp and NumPy, of 64 B to 1 GiB and with strides.",
        measure=measure_all,
        tables=curves.bandwidth_tables,
        figure=curves.figure_of_bandwidth,
    )


def measure_all(quick: bool) -> list[Curve]:
    """Every library's curve of every sweep."""
    import dpnp.tensor
    import numpy
    import usmx

    # dpnp's copies are not done when they return, the others are.
    libraries = {
        "usmx": (usmx, "{code}"),
        "dpnp.tensor": (dpnp.tensor, "{code}; out.sycl_queue.wait()"),
        "NumPy": (numpy, "{code}"),
    }
    return [
        measure_curve(sweep, name, library, complete.format(code=sweep.code), quick=quick)
        for sweep in (BY_SIZE, BY_STRIDE)
        for name, (library, complete) in libraries.items()
    ]


def measure_curve(sweep: Sweep, name: str, library: object, code: str, *, quick: bool) -> Curve:
    """One library; the arrays of one number are gone before those of the next are made."""
    numbers = sweep.quick_numbers if quick else sweep.numbers
    places = numbers if sweep is BY_SIZE else [number * ITEMSIZE for number in numbers]
    return Curve(
        sweep.title,
        sweep.axis,
        name,
        code,
        places,
        [
            shortest(code.format(number=number), library, sweep.counts(number), quick=quick)
            for number in numbers
        ],
        [sweep.counts(number)[1] * ITEMSIZE for number in numbers],
    )


def shortest(code: str, library: object, counts: tuple[int, int], *, quick: bool) -> float:
    """The shortest of some rounds; of long copies there are fewer."""
    from bench import pairing

    source, destination = counts
    effort = pairing.QUICK if quick else pairing.FULL
    work = pairing.Statement(
        code, x=library.ones(source, dtype="f4"), out=library.ones(destination, dtype="f4")
    )
    work.warm_up(effort.block_seconds)
    rounds = max(5, min(effort.rounds, 21 * 16 * MIB // (source * ITEMSIZE)))
    return min(work.measure() for _ in range(rounds))


if __name__ == "__main__":
    sys.exit(main())
