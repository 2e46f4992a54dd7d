"""One process and all GPUs: each has a part of the rows, and NCCL adds up what they find (CuPy).

Least squares by steps down the gradient. The arrays are usmx's, and so are the computations;
CuPy's NCCL adds up the gradients in place, in usmx's memory.
"""

import time

import cupy
import numpy as np
import usmx
from cupy.cuda import nccl

ROWS, COLUMNS, STEPS = 1 << 16, 256, 50

gpus = [device for device in usmx.get_devices() if device.backend == "cuda"]
rng = np.random.default_rng(0)
x = rng.standard_normal((ROWS * len(gpus), COLUMNS), dtype="f4")
wanted = rng.standard_normal((COLUMNS, 1), dtype="f4")
y = x @ wanted

parts = [slice(k * ROWS, (k + 1) * ROWS) for k in range(len(gpus))]
xs = [usmx.asarray(x[part], device=gpu) for part, gpu in zip(parts, gpus, strict=True)]
ys = [usmx.asarray(y[part], device=gpu) for part, gpu in zip(parts, gpus, strict=True)]
ws = [usmx.zeros((COLUMNS, 1), dtype="f4", device=gpu) for gpu in gpus]
gradients = [usmx.empty((COLUMNS, 1), dtype="f4", device=gpu) for gpu in gpus]
streams = []
for number in range(len(gpus)):
    with cupy.cuda.Device(number):
        streams.append(cupy.cuda.Stream(non_blocking=True))
communicators = nccl.NcclCommunicator.initAll(list(range(len(gpus))))


def add_up(arrays):
    """Each array becomes the sum of all, which are on one GPU each."""
    views = []
    for number, array in enumerate(arrays):
        with cupy.cuda.Device(number), streams[number]:
            views.append(cupy.from_dlpack(array))  # the stream comes after usmx's work on the array
    nccl.groupStart()
    for view, communicator, stream in zip(views, communicators, streams, strict=True):
        communicator.allReduce(
            view.data.ptr, view.data.ptr, view.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream.ptr
        )
    nccl.groupEnd()
    for stream in streams:
        stream.synchronize()


start = time.perf_counter()
for _ in range(STEPS):
    for x_, y_, w, gradient in zip(xs, ys, ws, gradients, strict=True):
        gradient[...] = usmx.matrix_transpose(x_) @ (x_ @ w - y_)
    add_up(gradients)
    for w, gradient in zip(ws, gradients, strict=True):
        w -= gradient / (ROWS * len(gpus))
seconds = time.perf_counter() - start
print(f"{len(gpus)} GPUs, {STEPS} steps: {1e3 * seconds / STEPS:.2f} ms each")
for w in ws:
    print("largest error:", float(np.abs(usmx.asnumpy(w) - wanted).max()))

large = [usmx.ones(1 << 28, dtype="f4", device=gpu) for gpu in gpus]
add_up(large)
start = time.perf_counter()
add_up(large)
seconds = time.perf_counter() - start
factor = 2 * (len(gpus) - 1) / len(gpus)
rate = factor * large[0].nbytes / seconds / 1e9
print(f"all-reduce of 1 GiB: {1e3 * seconds:.2f} ms, {rate:.0f} GB/s on the bus")
assert all(float(usmx.max(a)) == len(gpus) ** 2 == float(usmx.min(a)) for a in large)
