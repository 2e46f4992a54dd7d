"""Element-wise functions over classes of values: which leave the fast path for some of them?

Each function of usmx that is a ufunc of NumPy's runs on arrays of ordinary numbers, and on arrays
of negative, denormal, large and other ones, in turns with NumPy. A function has left its fast path
where a class takes more than three times as long as ordinary numbers, and longer than NumPy.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import usmx
from bench.report import cpu_name
from usmx._terminal import exit_code_of, print_records

if TYPE_CHECKING:
    from collections.abc import Callable

ORDINARY = "ordinary"
SLOWER = 3.0  # than for ordinary numbers


class Measured(NamedTuple):
    """A function's shortest times in seconds for one class of values."""

    function: str
    type: str
    values: str
    usmx: float
    numpy: float


def functions() -> dict[str, numpy.ufunc]:
    """NumPy's ufuncs of the names that usmx has, each once."""
    found: dict[numpy.ufunc, str] = {}
    for name in usmx.__all__:
        function = getattr(numpy, name, None)
        if isinstance(function, numpy.ufunc) and not function.signature and function.nout == 1:
            found.setdefault(function, name)
    return {name: function for function, name in found.items()}


def classes(dtype: str, count: int) -> dict[str, Any]:
    """Arrays of the type by the class of their values, ordinary ones first."""
    random = numpy.random.default_rng(5)
    if dtype[0] in "iu":
        limits = numpy.iinfo(dtype)
        bounds = {ORDINARY: (1, 10), "zero": (0, 1), "of all sizes": (limits.min, limits.max)}
        if dtype[0] == "i":
            bounds |= {"negative": (-10, 0), "of both signs": (-10, 10)}
        return {
            name: random.integers(low, high, count, dtype=dtype)
            for name, (low, high) in bounds.items()
        }
    limits = numpy.finfo(dtype)
    size = random.uniform(0.1, 0.9, count)
    signs = numpy.where(random.random(count) < 0.5, -1.0, 1.0)
    large = 10.0 ** random.uniform(4, 30, count)
    values = {
        ORDINARY: size,
        "negative": -size,
        "of both signs": size * signs,
        "zero": numpy.zeros(count),
        "denormal": size * float(limits.tiny),
        "large": large,
        "large, of both signs": large * signs,
        "infinite": signs * numpy.inf,
        "NaN": numpy.full(count, numpy.nan),
    }
    return {name: each.astype(dtype) for name, each in values.items()}


def _seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(
    name: str, function: numpy.ufunc, dtype: str, count: int, rounds: int
) -> list[Measured]:
    """The times of a function for each class; none if it is not defined for the type."""
    own = getattr(usmx, name)
    found = []
    arrays = classes(dtype, count)
    for values, host in arrays.items():
        operands = [host, arrays[ORDINARY]][: function.nin]
        given = [usmx.asarray(each) for each in operands]
        runs = (
            lambda given=given: own(*given).wait(),
            lambda operands=operands: function(*operands),
        )
        try:
            for run in runs:
                run()
        except TypeError:
            return []
        times = [[_seconds(run) for run in runs] for _ in range(rounds)]
        found.append(Measured(name, dtype, values, *map(min, zip(*times, strict=True))))
    return found


def slow_classes(found: list[Measured]) -> list[Measured]:
    """Classes for which a function has left its fast path; `found` is all of one function."""
    ordinary = found[0].usmx if found else 0.0
    return [each for each in found if each.usmx > max(SLOWER * ordinary, each.numpy)]


def main() -> int:
    """Measure what was asked for, and print the classes that are slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--only", default="", metavar="NAME", help="only this function")
    add("--types", nargs="+", default=["f4", "f8", "i4", "u1"], metavar="TYPE", help="dtypes")
    add("--count", type=int, default=1 << 18, help="elements of an array")
    add("--quick", action="store_true", help="two short rounds only, to see that it works")
    add("--json", type=Path, metavar="FILE", help="write the times in seconds to this file")
    options = parser.parse_args()
    chosen = {name: each for name, each in functions().items() if options.only in ("", name)}
    if not chosen:
        parser.error(f"usmx has no ufunc {options.only!r} of NumPy's")
    count, rounds = (1000, 2) if options.quick else (options.count, 7)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = [
            measure(name, function, dtype, count, rounds)
            for name, function in chosen.items()
            for dtype in options.types
        ]
    slow = [(of[0], each) for of in found for each in slow_classes(of)]
    header = ("function", "type", "values", "usmx, µs", "ordinary, µs", "NumPy, µs")
    cells = [
        [*each[:3], *(f"{1e6 * t:,.1f}" for t in (each.usmx, ordinary.usmx, each.numpy))]
        for ordinary, each in sorted(slow, key=lambda pair: -pair[1].usmx / pair[1].numpy)
    ]
    print_records(header, cells, header[3:])
    rows = [each for of in found for each in of]
    print(f"\n{len(slow)} of {len(rows)} classes of values have left a fast path")
    if options.json:
        results = {
            "machine": {"cpu": cpu_name(), "cores": os.cpu_count()},
            "rows": [each._asdict() for each in rows],
        }
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
