"""Whole programs, as people write them for NumPy: `lib` is a library with its names and arrays."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

Arrays = dict[str, Any]


def softmax(lib: Any, x: Any) -> Any:
    largest = getattr(lib, "amax", None) or lib.max  # PyTorch's max of an axis is a pair
    e = lib.exp(x - largest(x, axis=1, keepdims=True))
    return e / lib.sum(e, axis=1, keepdims=True)


def layer_norm(lib: Any, x: Any) -> Any:
    centred = x - lib.mean(x, axis=1, keepdims=True)
    return centred / lib.sqrt(lib.mean(centred * centred, axis=1, keepdims=True) + 1e-5)


def heat(_lib: Any, u: Any) -> Any:
    """Fifty steps of the heat equation by slices, in place."""
    inner = u[1:-1, 1:-1]
    for _ in range(50):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        inner += 0.1 * (around - 4 * inner)
    return u


def n_body(lib: Any, at: Any, mass: Any) -> Any:
    """The accelerations of all bodies by all others."""
    away = at[None, :, :] - at[:, None, :]
    squares = lib.sum(away * away, axis=2) + 1e-3
    pull = mass / (squares * lib.sqrt(squares))
    return lib.sum(away * pull[:, :, None], axis=1)


def k_means(lib: Any, x: Any, centres: Any, numbers: Any, one: Any) -> Any:
    """A step: the mean of the points that are nearest to each centre."""
    away = x[:, None, :] - centres[None, :, :]
    nearest = lib.argmin(lib.sum(away * away, axis=2), axis=1)
    member = (nearest[:, None] == numbers) * one
    return (member.T @ x) / lib.sum(member, axis=0)[:, None]


def life(lib: Any, cells: Any, one: Any) -> Any:
    """Ten generations of Conway's game."""
    for _ in range(10):
        up, down = lib.roll(cells, 1, 0), lib.roll(cells, -1, 0)
        rows = up + cells + down
        around = lib.roll(rows, 1, 1) + rows + lib.roll(rows, -1, 1) - cells
        cells = ((around == 3) | ((around == 2) & (cells == 1))) * one
    return cells


def _normal(lib: Any, x: Any) -> Any:
    """The normal distribution function, by Abramowitz and Stegun 26.2.17."""
    size = lib.abs(x)
    t = 1 / (1 + 0.2316419 * size)
    series = t * (
        0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    tail = 0.39894228 * lib.exp(-0.5 * size * size) * series
    return lib.where(x < 0, tail, 1 - tail)


def black_scholes(lib: Any, spot: Any, strike: Any, years: Any) -> Any:
    """The price of a call, with 2 % of interest and 30 % of volatility."""
    spread = 0.3 * lib.sqrt(years)
    d1 = (lib.log(spot / strike) + 0.065 * years) / spread
    return spot * _normal(lib, d1) - strike * lib.exp(-0.02 * years) * _normal(lib, d1 - spread)


def power_iteration(lib: Any, matrix: Any, v: Any) -> Any:
    for _ in range(20):
        v = matrix @ v
        v = v / lib.sqrt(lib.sum(v * v))
    return v


def mandelbrot(lib: Any, c: Any) -> Any:
    """How many of thirty steps each number stays within 2."""
    z, count = c * 0, 0
    for _ in range(30):
        z = lib.where(lib.abs(z) <= 2, z * z + c, z)
        count = count + 1 * (lib.abs(z) <= 2)
    return count


def logistic_regression(lib: Any, x: Any, y: Any, w: Any) -> Any:
    """Twenty steps down the gradient."""
    for _ in range(20):
        p = 1 / (1 + lib.exp(-(x @ w)))
        w = w - 0.1 * (x.T @ (p - y)) / x.shape[0]
    return w


# ---- their arguments: the same ones in each call


def _random() -> numpy.random.Generator:
    return numpy.random.default_rng(64)


def matrix(side: int) -> Arrays:
    return {"x": _random().standard_normal((side, side), dtype="f4")}


def plate(side: int) -> Arrays:
    return {"u": _random().random((side, side), dtype="f4")}


def bodies(count: int) -> Arrays:
    random = _random()
    return {"at": random.random((count, 3), "f4"), "mass": random.random(count, "f4")}


def points(count: int) -> Arrays:
    x = _random().random((count, 16), "f4")
    return {
        "x": x,
        "centres": x[:10].copy(),
        "numbers": numpy.arange(10),
        "one": numpy.ones(1, "f4"),
    }


def cells(side: int) -> Arrays:
    return {
        "cells": _random().integers(0, 2, (side, side), dtype="u1"),
        "one": numpy.ones(1, "u1"),
    }


def options(count: int) -> Arrays:
    random = _random()
    return {
        "spot": random.uniform(10, 50, count).astype("f4"),
        "strike": random.uniform(10, 50, count).astype("f4"),
        "years": random.uniform(0.1, 2, count).astype("f4"),
    }


def square(side: int) -> Arrays:
    return {"matrix": _random().random((side, side), "f4"), "v": numpy.ones(side, "f4")}


def plane(rows: int, columns: int) -> Arrays:
    x, y = numpy.meshgrid(numpy.linspace(-2, 1, columns), numpy.linspace(-1, 1, rows))
    return {"c": (x + 1j * y).astype("c8")}


def observations(count: int, columns: int) -> Arrays:
    random = _random()
    return {
        "x": random.uniform(-1, 1, (count, columns)),
        "y": random.uniform(-1, 1, count),
        "w": random.uniform(-1, 1, columns),
    }


def inputs(shrink: int) -> dict[str, tuple[Callable[..., Any], Callable[[], Arrays]]]:
    """Each program by its title, with what makes its arguments; each length is divided."""
    few, many = 2048 // shrink, 4096 // shrink
    rows, prices = 200_000 // shrink, (8 << 20) // shrink
    return {
        f"softmax {many}^2": (softmax, partial(matrix, many)),
        f"layer norm {many}^2": (layer_norm, partial(matrix, many)),
        f"heat {256 // shrink}^2": (heat, partial(plate, 256 // shrink)),
        f"heat {few}^2": (heat, partial(plate, few)),
        f"n-body {few}": (n_body, partial(bodies, few)),
        f"k-means {rows} x 16": (k_means, partial(points, rows)),
        f"life {1024 // shrink}^2": (life, partial(cells, 1024 // shrink)),
        f"Black-Scholes {prices}": (black_scholes, partial(options, prices)),
        f"power iteration {many}": (power_iteration, partial(square, many)),
    }
