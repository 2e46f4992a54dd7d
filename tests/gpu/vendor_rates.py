"""Linear algebra, Fourier transforms and products on a CUDA device, beside CuPy and PyTorch in one process.

    python3 vendor_rates.py [--only WORD,...] [--json FILE]

A line has the microseconds of a call with its wait, the least of many, and the faster peer's time over usmx's.
"""

import argparse
import json
import time
from pathlib import Path

import cupy
import numpy as np
import torch
import usmx

MATRICES = ((4, 4), (64, 64), (512, 512), (2048, 2048))
STACKS = ((10_000, 4, 4), (10_000, 32, 32), (100, 64, 64))


def best(call, wait, seconds=0.25):
    times = []
    for _ in range(3):
        call()
        wait()
    end = time.perf_counter() + seconds
    while len(times) < 5 or (time.perf_counter() < end and len(times) < 400):
        begin = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


class Rows:
    def __init__(self, wanted):
        self.wanted = wanted
        self.found = {}
        self.waits = {
            "usmx": usmx.asarray([1.0]).sycl_queue.wait,
            "cupy": cupy.cuda.get_current_stream().synchronize,
            "torch": torch.cuda.synchronize,
        }

    def add(self, name, hosts, function):
        """Times `function`, which is given a namespace and the operands, in all three libraries."""
        if self.wanted and not any(word in name for word in self.wanted):
            return
        makers = {
            "usmx": (usmx, usmx.asarray),
            "cupy": (cupy, cupy.asarray),
            "torch": (torch, lambda host: torch.from_numpy(host).cuda()),
        }
        times = {}
        for who, (space, make) in makers.items():
            operands = [make(host) for host in hosts]
            try:
                times[who] = best(lambda: function(space, *operands), self.waits[who])  # noqa: B023
            except (RuntimeError, ValueError, AttributeError) as error:
                print(f"{name}: {who}: {str(error).splitlines()[0]}")
        peers = [times[who] for who in ("cupy", "torch") if who in times]
        ratio = min(peers) / times["usmx"] if peers and "usmx" in times else float("nan")
        self.found[name] = times
        shown = "  ".join(f"{who} {spent:10.1f}" for who, spent in times.items())
        print(f"{name:32} {shown}  peer/usmx {ratio:.2f}", flush=True)


def add_transforms(rows, rng):
    def numbers(*shape):
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("c8")

    for n in (64, 1000, 1 << 20, 1 << 24):
        rows.add(f"fft {n}", [numbers(n)], lambda xp, x: xp.fft.fft(x))
        rows.add(f"ifft {n}", [numbers(n)], lambda xp, x: xp.fft.ifft(x))
        rows.add(f"rfft {n}", [numbers(n).real.copy()], lambda xp, x: xp.fft.rfft(x))
        rows.add(f"irfft {n}", [numbers(n)], lambda xp, x: xp.fft.irfft(x))
    rows.add("fft 1024 x 65536", [numbers(1024, 65536)], lambda xp, x: xp.fft.fft(x))
    rows.add(
        "fft 65536 x 1024, axis 0", [numbers(65536, 1024)], lambda xp, x: xp.fft.fft(x, None, 0)
    )
    rows.add("fft2 4096^2", [numbers(4096, 4096)], lambda xp, x: xp.fft.fft2(x))
    rows.add("rfft2 4096^2", [numbers(4096, 4096).real.copy()], lambda xp, x: xp.fft.rfft2(x))
    rows.add("irfft2 4096^2", [numbers(4096, 4096)], lambda xp, x: xp.fft.irfft2(x))


def add_matrices(rows, rng):
    for shape in MATRICES + STACKS:
        size = shape[-1]
        a = rng.standard_normal(shape) + size * np.eye(size)
        h = a @ a.swapaxes(-1, -2)
        b = rng.standard_normal((*shape[:-1], 1))
        name = " x ".join(map(str, shape))
        rows.add(f"solve {name}", [a, b], lambda xp, x, y: xp.linalg.solve(x, y))
        rows.add(f"inv {name}", [a], lambda xp, x: xp.linalg.inv(x))
        rows.add(f"det {name}", [a / size], lambda xp, x: xp.linalg.det(x))
        rows.add(f"cholesky {name}", [h], lambda xp, x: xp.linalg.cholesky(x))
        rows.add(f"eigh {name}", [h], lambda xp, x: xp.linalg.eigh(x))
        if shape not in STACKS:
            rows.add(f"qr {name}", [a], lambda xp, x: xp.linalg.qr(x))
        if shape in MATRICES or size <= 32:
            rows.add(f"svd {name}", [a], lambda xp, x: xp.linalg.svd(x))


def add_products(rows, rng):
    def product(xp, x, y):
        return x @ y

    for left, right in (
        ((64, 64), (64, 64)),
        ((512, 64, 64), (512, 64, 64)),
        ((4096, 4096), (4096,)),
    ):
        operands = [rng.standard_normal(shape).astype("f4") for shape in (left, right)]
        rows.add(f"matmul {left} by {right}", operands, product)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    given = parser.parse_args()
    rows, rng = Rows([word for word in given.only.split(",") if word]), np.random.default_rng(0)
    for add in (add_transforms, add_products, add_matrices):
        add(rows, rng)
    if given.json:
        Path(given.json).write_text(json.dumps(rows.found, indent=1))


if __name__ == "__main__":
    main()
