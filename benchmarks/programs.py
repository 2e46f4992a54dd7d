"""Whole programs and small calls on the CPU device beside NumPy, and dpnp if it is installed.

Each row runs one text with each library, in turns, in one process: the library is `np`, its arrays
are in device memory, and each time includes the wait for the result. The numbers are the shortest
times of all rounds. Results are compared before anything is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import usmx
from usmx._terminal import exit_code_of, print_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Row(NamedTuple):
    """A program: how its data are made by NumPy, and the function `run(np, *data)`."""

    group: str
    name: str
    data: Callable[[], tuple[Any, ...]]
    run: Callable[..., Any]


def _random(*shapes: Any, dtype: str = "f4", low: float = 0.0, high: float = 1.0) -> Any:
    def data() -> tuple[Any, ...]:
        make = numpy.random.default_rng(7)
        return tuple((make.random(shape) * (high - low) + low).astype(dtype) for shape in shapes)

    return data


# ---- programs


def _softmax(np: Any, x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def _layer_norm(np: Any, x: Any) -> Any:
    centered = x - np.mean(x, axis=1, keepdims=True)
    return centered / np.sqrt(np.mean(centered**2, axis=1, keepdims=True) + 1e-5)


def _heat(np: Any, u: Any) -> Any:
    for _ in range(20):
        u[1:-1, 1:-1] += 0.1 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u


def _n_body(np: Any, x: Any, v: Any, m: Any) -> Any:
    for _ in range(3):
        d = x[None, :, :] - x[:, None, :]
        r2 = np.sum(d * d, axis=2) + 0.01
        v = v + 0.01 * np.sum(d * (m[None, :] / (r2 * np.sqrt(r2)))[:, :, None], axis=1)
        x = x + 0.01 * v
    return x


def _k_means(np: Any, x: Any, c: Any) -> Any:
    k = c.shape[0]
    for _ in range(5):
        d = np.sum((x[:, None, :] - c[None, :, :]) ** 2, axis=2)
        near = np.argmin(d, axis=1)
        one_hot = np.astype(near[:, None] == np.arange(k)[None, :], x.dtype)
        c = (one_hot.T @ x) / np.sum(one_hot, axis=0)[:, None]
    return c


def _black_scholes(np: Any, s: Any, k: Any, t: Any) -> Any:
    root = 0.3 * np.sqrt(t)
    d1 = (np.log(s / k) + (0.02 + 0.045) * t) / root
    d2 = d1 - root

    def cdf(z: Any) -> Any:
        return 0.5 * (1.0 + np.tanh(0.7978845608 * (z + 0.044715 * z * z * z)))

    return s * cdf(d1) - k * np.exp(-0.02 * t) * cdf(d2)


_FUSED: dict[int, Any] = {}


def _black_scholes_fused(np: Any, s: Any, k: Any, t: Any) -> Any:
    if np is not usmx:
        return _black_scholes(np, s, k, t)
    if 0 not in _FUSED:
        _FUSED[0] = usmx.fuse(lambda s, k, t: _black_scholes(usmx, s, k, t))
    return _FUSED[0](s, k, t)


def _life(np: Any, a: Any) -> Any:
    for _ in range(5):
        n = sum(np.roll(a, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        a = np.astype((n == 3) | ((a == 1) & (n == 2)), np.int32)
    return a


def _power_iteration(np: Any, a: Any, x: Any) -> Any:
    for _ in range(20):
        x = a @ x
        x = x / np.sqrt(np.sum(x * x))
    return x


def _mandelbrot(np: Any, c: Any) -> Any:
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int32)
    for _ in range(30):
        z = np.where(np.abs(z) <= 2, z * z + c, z)
        count = count + np.astype(np.abs(z) <= 2, np.int32)
    return count


def _logistic(np: Any, x: Any, y: Any, w: Any) -> Any:
    for _ in range(20):
        p = 1 / (1 + np.exp(-(x @ w)))
        w = w - 0.1 * (x.T @ (p - y)) / x.shape[0]
    return w


def _grid() -> tuple[Any, ...]:
    x, y = numpy.meshgrid(numpy.linspace(-2, 1, 300), numpy.linspace(-1, 1, 200))
    return ((x + 1j * y).astype("c8"),)


def _cells() -> tuple[Any, ...]:
    return ((numpy.random.default_rng(7).random((512, 512)) < 0.3).astype("i4"),)


PROGRAMS = [
    Row("program", "softmax 1024^2", _random((1024, 1024)), _softmax),
    Row("program", "layer norm 1024^2", _random((1024, 1024), low=-1), _layer_norm),
    Row("program", "heat 64^2", _random((64, 64)), _heat),
    Row("program", "heat 1024^2", _random((1024, 1024)), _heat),
    Row("program", "n-body 400", _random((400, 3), (400, 3), 400, dtype="f8"), _n_body),
    Row("program", "k-means 20,000 x 16", _random((20_000, 16), (8, 16)), _k_means),
    Row(
        "program",
        "Black-Scholes 10^6",
        _random(10**6, 10**6, 10**6, low=0.5, high=2),
        _black_scholes,
    ),
    Row(
        "program",
        "Black-Scholes 10^6, fused",
        _random(10**6, 10**6, 10**6, low=0.5, high=2),
        _black_scholes_fused,
    ),
    Row("program", "Life 512^2", _cells, _life),
    Row("program", "power iteration 2000", _random((2000, 2000), 2000), _power_iteration),
    Row("program", "Mandelbrot 200 x 300", _grid, _mandelbrot),
    Row(
        "program",
        "logistic regression 20,000 x 20",
        _random((20_000, 20), 20_000, 20, dtype="f8", low=-1),
        _logistic,
    ),
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


def _waiting(np: Any, run: Callable[..., Any], data: Sequence[Any]) -> Callable[[], Any]:
    if np is numpy:
        return lambda: run(np, *data)
    if np is usmx:
        return lambda: run(np, *data).wait()
    return lambda: run(np, *data).sycl_queue.wait()


def measure(row: Row, chosen: dict[str, Any], rounds: int, budget: float) -> Measured:
    """The shortest times; ValueError if a library's result is not NumPy's."""
    expected = row.run(numpy, *row.data())
    runs = {}
    for name, np in chosen.items():
        data = [np.asarray(each) for each in row.data()]
        try:
            found = row.run(np, *data)
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
        options.json.write_text(json.dumps([each._asdict() for each in found], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
