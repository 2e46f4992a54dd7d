"""Kernels that users write: expressions for each element, and reductions, beside NumPy."""

from typing import Any

import numpy

import usmx
from usmx.bench.libraries import dpnp_tensor, installed_peer
from usmx.bench.pairing import Aim, Case, Peer, Statement

SIDE = 4096  # of a matrix of 64 MiB of float32


def _by_hand() -> usmx.Kernel:
    return usmx.Kernel(
        "#include <usmx/kernel.hpp>\n"
        "USMX_KERNEL(1) axpy(float a, const float* x, const float* y, float* out) {\n"
        "  const auto i = usmx::global_id();\n"
        "  out[i] = a * x[i] + y[i];\n"
        "}",
        "axpy",
    )


def _matrices() -> dict[str, Any]:
    shape = (SIDE, SIDE)
    return {
        "x": usmx.ones(shape, dtype="f4"),
        "y": usmx.ones(shape, dtype="f4"),
        "out": usmx.zeros(shape, dtype="f4"),
    }


def _axpy() -> usmx.ElementwiseKernel:
    return usmx.ElementwiseKernel("T a, T x, T y", "T out", "out = a * x + y", "axpy")


def axpy_contiguous() -> Case:
    """As fast as the same kernel written by hand, and faster than NumPy."""
    ours = _matrices()
    numpys: dict[str, Any] = {name: usmx.asnumpy(each) for name, each in ours.items()}
    two_steps = "np.multiply(x, a, out=out); np.add(out, y, out=out)"
    return Case(
        "a * x + y, 4096x4096 f4",
        Statement("axpy(2, x, y, out=out); out.sycl_queue.wait()", axpy=_axpy(), **ours),
        [
            Peer(
                "kernel by hand",
                Statement("axpy(out.size, 1024, 2, x, y, out).wait()", axpy=_by_hand(), **ours),
                Aim(ratio=1.1),
            ),
            Peer(
                "NumPy",
                Statement(two_steps, np=numpy, a=numpy.float32(2), **numpys),
                Aim(ratio=1),
            ),
        ],
    )


def axpy_transposed() -> Case:
    """Little more than a transposed copy."""
    ours = _matrices()
    return Case(
        "a * x.T + y, 4096x4096 f4",
        Statement("axpy(2, x.T, y, out=out); out.sycl_queue.wait()", axpy=_axpy(), **ours),
        [Peer("copy of x.T", Statement("out[...] = x.T", **ours), Aim(ratio=1.3))],
    )


def _summed(title: str, code: str) -> Case:
    total = usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    x = usmx.ones((SIDE, SIDE), dtype="f4")

    def of_dpnp() -> Statement:
        return Statement(
            f"y = dpt.sum(x, {code}); y.sycl_queue.wait()",
            dpt=dpnp_tensor,
            x=dpnp_tensor.ones((SIDE, SIDE), dtype="f4"),
        )

    return Case(
        f"sum 4096x4096 f4{title}",
        Statement(f"y = total(x, {code}); y.sycl_queue.wait()", total=total, x=x),
        [
            *installed_peer("dpnp.tensor", of_dpnp),
            Peer("NumPy", Statement(f"x.sum({code})", x=usmx.asnumpy(x)), Aim(ratio=1)),
        ],
    )


def sum_all() -> Case:
    return _summed("", "axis=None")


def sum_axis_0() -> Case:
    return _summed(", axis 0", "axis=0")


def sum_axis_1() -> Case:
    return _summed(", axis 1", "axis=1")


def call_elementwise() -> Case:
    """A call with everything remembered, which does not wait for the kernel."""
    x = usmx.ones(1024, dtype="f4")
    out = usmx.zeros(1024, dtype="f4")
    return Case(
        "call an element-wise kernel, 1024 f4",
        Statement("axpy(2, x, x, out=out)", axpy=_axpy(), x=x, out=out),
        [
            Peer(
                "kernel by hand",
                Statement("axpy(1024, 1024, 2, x, x, out)", axpy=_by_hand(), x=x, out=out),
                None,
            )
        ],
    )


CASES = (
    axpy_contiguous,
    axpy_transposed,
    sum_all,
    sum_axis_0,
    sum_axis_1,
    call_elementwise,
)
