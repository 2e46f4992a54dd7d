"""Whole programs and small calls on the CPU device beside NumPy, and dpnp if it is installed.

Each row runs one program with each library, in turns, in one process; its arrays
are in device memory, and each time includes the wait for the result. The numbers are the shortest
times of all rounds. Results are compared before anything is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import usmx
from bench import programs
from bench.report import cpu_name
from usmx._terminal import exit_code_of, print_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Row(NamedTuple):
    """A program: how its arguments are made by NumPy, and the function `run(np, **arguments)`."""

    group: str
    name: str
    data: Callable[[], dict[str, Any]]
    run: Callable[..., Any]


def _random(*shapes: Any, low: float = 0.0) -> Any:
    def data() -> dict[str, Any]:
        make = numpy.random.default_rng(7)
        return {
            name: make.uniform(low, 1, shape).astype("f4")
            for name, shape in zip("ab", shapes, strict=False)
        }

    return data


@cache
def _fused() -> Any:
    return usmx.fuse(partial(programs.black_scholes, usmx))


def _black_scholes_fused(np: Any, **prices: Any) -> Any:
    return _fused()(*prices.values()) if np is usmx else programs.black_scholes(np, **prices)


PROGRAMS = [
    Row("program", name, partial(*data), run)
    for name, run, *data in (
        ("softmax 1024^2", programs.softmax, programs.matrix, 1024),
        ("layer norm 1024^2", programs.layer_norm, programs.matrix, 1024),
        ("heat 64^2", programs.heat, programs.plate, 64),
        ("heat 1024^2", programs.heat, programs.plate, 1024),
        ("n-body 400", programs.n_body, programs.bodies, 400),
        ("k-means 20,000 x 16", programs.k_means, programs.points, 20_000),
        ("Black-Scholes 10^6", programs.black_scholes, programs.options, 10**6),
        ("Black-Scholes 10^6, fused", _black_scholes_fused, programs.options, 10**6),
        ("Life 512^2", programs.life, programs.cells, 512),
        ("power iteration 2000", programs.power_iteration, programs.square, 2000),
        ("Mandelbrot 200 x 300", programs.mandelbrot, programs.plane, 200, 300),
        (
            "logistic regression 20,000 x 20",
            programs.logistic_regression,
            programs.observations,
            20_000,
            20,
        ),
    )
]

# ---- small calls, and rows of many lengths

_CALLS: dict[str, Callable[..., Any]] = {
    "a + b": lambda np, a, b: a + b,
    "sin(a)": lambda np, a, b: np.sin(a),
    "where(a > b, a, b)": lambda np, a, b: np.where(a > b, a, b),
    "a.T + b": lambda np, a, b: a.T + b,
    "a[1:, 1:] * 2": lambda np, a, b: a[1:, 1:] * 2,
    "sum": lambda np, a, b: np.sum(a),
    "sum(axis=0)": lambda np, a, b: np.sum(a, axis=0),
    "sum(axis=1)": lambda np, a, b: np.sum(a, axis=1),
    "max": lambda np, a, b: np.max(a),
    "mean(axis=1)": lambda np, a, b: np.mean(a, axis=1),
    "argmax(axis=1)": lambda np, a, b: np.argmax(a, axis=1),
    "cumulative_sum(axis=1)": lambda np, a, b: np.cumulative_sum(a, axis=1),
    "a @ b": lambda np, a, b: a @ b,
    "a @ b[0]": lambda np, a, b: a @ b[0],
    "sort": lambda np, a, b: np.sort(a),
    "argsort": lambda np, a, b: np.argsort(a),
    "std": lambda np, a, b: np.std(a),
    "concat": lambda np, a, b: np.concat((a, b)),
    "stack": lambda np, a, b: np.stack((a, b)),
    "roll": lambda np, a, b: np.roll(a, 1, axis=0),
    "take": lambda np, a, b: np.take(a, np.arange(4), axis=0),
    "clip": lambda np, a, b: np.clip(a, 0.2, 0.8),
    "astype(f8)": lambda np, a, b: np.astype(a, np.float64),
    "a ** 2": lambda np, a, b: a**2,
}


def _rows_of(n: int, name: str, run: Callable[..., Any]) -> Row:
    shape = (2_097_152 // n, n)
    return Row("rows", f"{name}, rows of {n}", _random(shape), run)


SMALL = [
    Row(f"{n} x {n}", name, _random((n, n), (n, n)), run)
    for n in (8, 64)
    for name, run in _CALLS.items()
]
LONG = [
    _rows_of(n, name, run)
    for n in (2, 16, 64, 1024)
    for name, run in {
        "sum": lambda np, a: np.sum(a, axis=1),
        "argmin": lambda np, a: np.argmin(a, axis=1),
        "max": lambda np, a: np.max(a, axis=1),
        "var": lambda np, a: np.var(a, axis=1),
    }.items()
] + [
    Row("large", name, _random((2048, 2048), (2048, 2048), low=-1), run)
    for name, run in {
        "A ** 2": lambda np, a, b: a**2,
        "sum": lambda np, a, b: np.sum(a),
        "sum(axis=0)": lambda np, a, b: np.sum(a, axis=0),
        "sum(axis=1)": lambda np, a, b: np.sum(a, axis=1),
        "A > 0": lambda np, a, b: a > 0,
        "A + B": lambda np, a, b: a + b,
        "sort rows": lambda np, a, b: np.sort(a, axis=1),
        "A @ x": lambda np, a, b: a @ b[0],
        "x @ A": lambda np, a, b: b[0] @ a,
        "x @ x": lambda np, a, b: b[0] @ b[1],
    }.items()
]
ROWS = PROGRAMS + SMALL + LONG


class Measured(NamedTuple):
    """A row's times in seconds, by library."""

    group: str
    name: str
    seconds: dict[str, float]


def libraries() -> dict[str, Any]:
    """The libraries by name, usmx first."""
    found: dict[str, Any] = {"usmx": usmx, "NumPy": numpy}
    if importlib.util.find_spec("dpnp"):
        found["dpnp"] = __import__("dpnp")
    return found


def _timed(run: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def _waiting(np: Any, run: Callable[..., Any], data: dict[str, Any]) -> Callable[[], Any]:
    if np is numpy:
        return lambda: run(np, **data)
    if np is usmx:
        return lambda: run(np, **data).wait()
    return lambda: run(np, **data).sycl_queue.wait()


def measure(row: Row, chosen: dict[str, Any], rounds: int, budget: float) -> Measured:
    """The shortest times; ValueError if a library's result is not NumPy's."""
    expected = row.run(numpy, **row.data())
    runs = {}
    for name, np in chosen.items():
        data = {key: np.asarray(each) for key, each in row.data().items()}
        try:
            found = row.run(np, **data)
        except (TypeError, AttributeError):  # the peer lacks it
            if np is usmx:
                raise
            continue
        host = found if np is numpy else np.asnumpy(found)
        if not numpy.allclose(host, expected, rtol=2e-3, atol=2e-3):
            if np is usmx:
                raise ValueError(f"{row.name}: usmx's result is not NumPy's")
            continue
        runs[name] = _waiting(np, row.run, data)
    calls = {name: max(1, int(budget / max(_timed(run, 2), 1e-7))) for name, run in runs.items()}
    seconds = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            seconds[name] = min(seconds[name], _timed(run, calls[name]))
    return Measured(row.group, row.name, seconds)


def _cells_of(each: Measured, names: Sequence[str]) -> list[str]:
    own = each.seconds["usmx"]
    times = [f"{each.seconds[name] * 1e6:,.1f}" if name in each.seconds else "-" for name in names]
    return [each.group, each.name, *times, f"{own / each.seconds['NumPy']:.2f}"]


def main() -> int:
    """Measure what was asked for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--only", default="", metavar="TEXT", help="only rows whose group or name has this text")
    add("--quick", action="store_true", help="two short rounds only, to see that it works")
    add("--no-peers", action="store_true", help="only usmx and NumPy")
    add("--json", type=Path, metavar="FILE", help="write the times in seconds to this file")
    options = parser.parse_args()
    chosen = libraries()
    if options.no_peers:
        chosen.pop("dpnp", None)
    rounds, budget = (2, 0.002) if options.quick else (7, 0.01)
    rows = [row for row in ROWS if options.only in f"{row.group} {row.name}"]
    if not rows:
        parser.error(f"no row has {options.only!r} in its name")
    found = [measure(row, chosen, rounds, budget) for row in rows]
    header = ("group", "what", *(f"{name}, µs" for name in chosen), "usmx / NumPy")
    print_records(header, [_cells_of(each, [*chosen]) for each in found], header[2:])
    ratios = [each.seconds["usmx"] / each.seconds["NumPy"] for each in found]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\n{len(found)} rows, geometric mean of usmx / NumPy: {mean:.2f}")
    if options.json:
        rows = [each._asdict() for each in found]
        results = {"machine": {"cpu": cpu_name(), "cores": os.cpu_count()}, "rows": rows}
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
