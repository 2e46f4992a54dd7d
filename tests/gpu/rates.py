"""Times on one or two GPUs of CUDA beside PyTorch's and CuPy's, a line each.

python tests/gpu/rates.py [--two] [--json FILE]
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import cupy
import numpy as np
import torch
import usmx

KERNEL = """
#include <usmx/kernel.hpp>
USMX_KERNEL(1) add_one(float* x) { x[usmx::global_id()] += 1; }
"""
KERNEL_OF_CUPY = """
extern "C" __global__ void add_one(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
"""
SIDE = 8192
results = {}


def nothing():
    """What waits for a call that has waited itself."""


def wait_for_cuda():
    for number in range(torch.cuda.device_count()):
        torch.cuda.synchronize(number)


def waited_for(call, wait=nothing, seconds=0.25, most=2000):
    """The median time of a call with its wait, in seconds."""
    for _ in range(3):
        call()
    wait()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < most and (time.perf_counter() < end or len(times) < 5):
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def returns(call, wait, count=300, rounds=7):
    """The median time until a call returns, of many in a row."""
    for _ in range(3):
        call()
    wait()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count)
        wait()
    return statistics.median(times)


def row(name, nbytes=0, **times):
    """With `nbytes`, the rate as well."""
    results[name] = times
    if nbytes:
        texts = [
            f"{who} {1e3 * t:8.3f} ms {nbytes / t / 1e9:7.0f} GB/s" for who, t in times.items()
        ]
    else:
        texts = [f"{who} {1e6 * t:8.2f} us" for who, t in times.items()]
    print(f"{name:52} {'  '.join(texts)}", flush=True)


# ---- one GPU


def launches_on(name, queue):
    mine, theirs = usmx.zeros(1024, dtype="f4", sycl_queue=queue), cupy.zeros(1024, "f4")
    kernel, raw = usmx.Kernel(KERNEL, "add_one"), cupy.RawKernel(KERNEL_OF_CUPY, "add_one")
    kernel(1024, 128, mine).wait()
    row(
        f"Kernel, asynchronous, {name}",
        usmx=returns(lambda: kernel(1024, 128, mine), queue.wait),
        cupy=returns(lambda: raw((8,), (128,), (theirs,)), wait_for_cuda),
    )
    row(
        f"Kernel, waited for, {name}",
        usmx=waited_for(lambda: kernel(1024, 128, mine).wait()),
        cupy=waited_for(lambda: raw((8,), (128,), (theirs,)), wait_for_cuda),
    )


def launches():
    x, c, t = usmx.zeros(1024, dtype="f4"), cupy.zeros(1024, "f4"), torch.zeros(1024, device="cuda")
    launches_on("usmx's queue", x.sycl_queue)
    launches_on("in-order queue", usmx.SyclQueue(usmx.get_devices()[0], property="in_order"))
    a, b = (usmx.zeros((64, 64), dtype="f4") for _ in range(2))
    d, e = (torch.zeros((64, 64), device="cuda") for _ in range(2))
    row(
        "copy_async of a small transposed view",
        usmx=returns(lambda: usmx.copy_async(b, a.T), usmx.synchronize),
        torch=returns(lambda: e.copy_(d.T), wait_for_cuda),
    )
    forms = "T x", "T y", "y = x + 1"
    mine, theirs = usmx.ElementwiseKernel(*forms), cupy.ElementwiseKernel(*forms)
    row(
        "element-wise call, 1024",
        usmx=returns(lambda: mine(x, x), usmx.synchronize),
        cupy=returns(lambda: theirs(c, c), wait_for_cuda),
    )
    row(
        "sum of 1024, waited for",
        usmx=waited_for(lambda: float(usmx.sum(x))),
        cupy=waited_for(lambda: float(c.sum())),
    )
    row(
        "from_dlpack(tensor)",
        usmx=waited_for(lambda: usmx.from_dlpack(t)),
        cupy=waited_for(lambda: cupy.from_dlpack(t)),
    )
    row("asarray(tensor)", usmx=waited_for(lambda: usmx.asarray(t)))
    row("asarray(cupy array)", usmx=waited_for(lambda: usmx.asarray(c)))
    row("copy() of 16 elements", usmx=waited_for(x[:16].copy))
    row("synchronize() of nothing", usmx=waited_for(usmx.synchronize))
    row("queue.wait() of nothing", usmx=waited_for(x.sycl_queue.wait))
    row("x.reshape(32, 32)", usmx=waited_for(lambda: x.reshape(32, 32), most=20000))
    row("empty(1024)", usmx=waited_for(lambda: usmx.empty(1024)))


def one():
    launches()
    a, b = (usmx.zeros((SIDE, SIDE), dtype="f4") for _ in range(2))
    c, t = cupy.zeros((SIDE, SIDE), "f4"), torch.zeros((SIDE, SIDE), device="cuda")
    row(
        "sum of 8192^2 float32",
        a.nbytes,
        usmx=waited_for(lambda: usmx.sum(a).wait()),
        cupy=waited_for(c.sum, wait_for_cuda),
    )
    row(
        "fill of 8192^2 float32",
        a.nbytes,
        usmx=waited_for(lambda: usmx.fill_async(b, 3).wait()),
        torch=waited_for(lambda: t.fill_(3), wait_for_cuda),
    )
    row(
        "transposed copy, 8192^2 float32",
        2 * a.nbytes,
        usmx=waited_for(lambda: usmx.copyto(b, a.T)),
    )


# ---- two GPUs


def compare(name, destination, source, tensors=None):
    """The rate of the destination's bytes; of PyTorch, for the same views of its tensors."""
    times = {"usmx": waited_for(lambda: usmx.copyto(destination, source, casting="unsafe"))}
    if tensors:
        times["torch"] = waited_for(lambda: tensors[0].copy_(tensors[1]), wait_for_cuda)
    row(name, destination.nbytes, **times)
    asynchronous = waited_for(lambda: usmx.copy_async(destination, source, casting="unsafe").wait())
    row(f"{name}, copy_async", destination.nbytes, usmx=asynchronous)


def two():
    first, second = usmx.get_devices()[:2]
    a, b = (usmx.zeros((SIDE, SIDE), dtype="f4", device=device) for device in (first, second))
    t, u = (torch.zeros((SIDE, SIDE), device=device) for device in ("cuda:0", "cuda:1"))
    half = SIDE // 2
    compare("contiguous", b, a, (u, t))
    compare("transposed source", b, a.T, (u, t.T))
    compare("transposed destination", b.T, a, (u.T, t))
    compare(
        "[::2, ::2] of the source",
        b[:half, :half].copy(),
        a[::2, ::2],
        (u[:half, :half].clone(), t[::2, ::2]),
    )
    compare(
        "[::2, ::2] of the destination",
        b[::2, ::2],
        a[:half, :half].copy(),
        (u[::2, ::2], t[:half, :half].clone()),
    )
    compare("[::2, ::2] of both", b[::2, ::2], a[::2, ::2], (u[::2, ::2], t[::2, ::2]))
    compare("half of each row", b[:, :half], a[:, :half], (u[:, :half], t[:, :half]))
    for wide, narrow in ((b.astype("f8"), a), (b, a.astype("f8"))):
        types = [torch.float64 if x.dtype == np.float64 else torch.float32 for x in (wide, narrow)]
        compare(f"{narrow.dtype} to {wide.dtype}", wide, narrow, (u.to(types[0]), t.to(types[1])))
    for kind in ("host", "shared"):
        memory = usmx.zeros((SIDE, SIDE), dtype="f4", device=first, usm_type=kind)
        compare(f"transposed, kind {kind} of the first", b, memory.T)
    small = [usmx.zeros((64, 64), dtype="f4", device=device) for device in (first, second)]
    tensors = [torch.zeros((64, 64), device=device) for device in ("cuda:0", "cuda:1")]
    row(
        "64^2 transposed",
        usmx=waited_for(lambda: usmx.copyto(small[1], small[0].T)),
        torch=waited_for(lambda: tensors[1].copy_(tensors[0].T), wait_for_cuda),
    )
    for device, peer in ((first, second), (second, first)):
        device.disable_peer_access(peer)
    compare("no peers: transposed source", b, a.T)
    compare("no peers: [::2, ::2] of both", b[::2, ::2], a[::2, ::2])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--two", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print([device.name for device in usmx.get_devices()], torch.__version__, cupy.__version__)
    if given.two:
        two()
    else:
        one()
    if given.json:
        given.json.write_text(json.dumps(results, indent=1))
