"""Kernels that users write: launches and compilations, expressions for each element, reductions."""

import ctypes
from typing import Any

import numpy
import usmx

from bench.libraries import (
    LibraryMissing,
    dpctl,
    dpctl_memory,
    dpctl_program,
    dpnp_tensor,
    installed_peer,
)
from bench.pairing import Aim, Case, InNewProcess, Peer, Statement

SIDE = 4096  # of a matrix of 64 MiB of float32
SMALL = 1024  # elements, where the launch is what costs

SOURCE = """
#include <usmx/kernel.hpp>
USMX_KERNEL(1) axpy(float a, const float* x, float* y) {
  const auto i = usmx::global_id();
  y[i] += a * x[i];
}"""
OPENCL_SOURCE = """
__kernel void axpy(float a, __global const float* x, __global float* y) {
  const int i = get_global_id(0);
  y[i] += a * x[i];
}"""


def _opencl_queue() -> Any:
    """A queue of dpctl's whose device takes OpenCL C."""
    queue = dpctl.SyclQueue()
    if queue.backend != dpctl.backend_type.opencl:
        raise LibraryMissing("dpctl with OpenCL")
    return queue


def _launched(title: str, wait: str, aim: Aim) -> Case:
    """A launch with every check, beside dpctl's, which makes none."""

    def of_dpctl() -> Statement:
        queue = _opencl_queue()
        program = dpctl_program.create_program_from_source(queue, OPENCL_SOURCE)
        x, y = (dpctl_memory.MemoryUSMDevice(4 * SMALL, queue=queue) for _ in range(2))
        return Statement(
            f"submit(kernel, arguments, [{SMALL}], [64]){wait}",
            submit=queue.submit_async if not wait else queue.submit,
            kernel=program.get_sycl_kernel("axpy"),
            arguments=[ctypes.c_float(2), x, y],
        )

    x, y = (usmx.ones(SMALL, dtype="f4") for _ in range(2))
    axpy = usmx.Kernel(SOURCE, "axpy")
    ours = Statement(f"axpy({SMALL}, 64, 2.0, x, y){wait}", axpy=axpy, x=x, y=y)
    return Case(title, ours, installed_peer("dpctl", of_dpctl, aim))


def launch() -> Case:
    return _launched("launch a kernel, not waited for", "", Aim(seconds=3e-6))


def launch_and_wait() -> Case:
    return _launched("launch a kernel, and wait", ".wait()", Aim(seconds=4.5e-6))


def _compiled(title: str, before: str, aim: Aim) -> Case:
    """A kernel from its source, in a process that has made an array."""

    def of_dpctl() -> InNewProcess:
        _opencl_queue()
        return InNewProcess(
            "dpctl.program.create_program_from_source(queue, source)",
            before="import dpctl, dpctl.program, dpctl.memory\nqueue = dpctl.SyclQueue()\n"
            f"source = {OPENCL_SOURCE!r}\ndpctl.memory.MemoryUSMDevice(64, queue=queue)",
        )

    ours = InNewProcess(
        "usmx.Kernel(source, 'axpy')",
        before=f"{before}import usmx\nsource = {SOURCE!r}\nusmx.empty(1)",
    )
    return Case(title, ours, installed_peer("dpctl, OpenCL C", of_dpctl, aim))


def compile_first() -> Case:
    without_cache = "import os\nos.environ['USMX_CACHE_DIR'] = ''\n"
    return _compiled("compile a kernel, new process", without_cache, Aim(seconds=0.35))


def compile_again() -> Case:
    return _compiled("compile it again, new process", "", Aim(seconds=3e-3))


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

    def of_dpnp() -> Statement:
        x, y, out = (dpnp_tensor.ones((SIDE, SIDE), dtype="f4") for _ in range(3))
        return Statement(
            "dpt.multiply(x, 2, out=out); dpt.add(out, y, out=out); out.sycl_queue.wait()",
            dpt=dpnp_tensor,
            x=x,
            y=y,
            out=out,
        )

    return Case(
        "a * x + y, 4096x4096 f4",
        Statement("axpy(2, x, y, out=out); out.sycl_queue.wait()", axpy=_axpy(), **ours),
        [
            Peer(
                "kernel by hand",
                Statement("axpy(out.size, 1024, 2, x, y, out).wait()", axpy=_by_hand(), **ours),
                Aim(ratio=1.1),
            ),
            *installed_peer("dpnp.tensor", of_dpnp),
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


def _while(title: str, view: Any) -> Case:
    """A launch while somebody has a view of the memory, beside one on memory that never left."""
    axpy = usmx.Kernel(SOURCE, "axpy")
    x, y, z = (usmx.ones(SMALL, dtype="f4", usm_type="shared") for _ in range(3))
    ours = Statement(f"axpy({SMALL}, 64, 2.0, x, y).wait()", axpy=axpy, x=x, y=y, view=view(y))
    alone = Statement(f"axpy({SMALL}, 64, 2.0, x, z).wait()", axpy=axpy, x=x, z=z)
    return Case(f"launch and wait, {title}", ours, [Peer("memory that never left", alone, None)])


def launch_with_dpnp_view() -> Case:
    return _while("while dpnp has a view", usmx.to_dpnp)


def launch_with_numpy_view() -> Case:
    return _while("while NumPy has a view", numpy.asarray)


CASES = (
    launch,
    launch_and_wait,
    launch_with_dpnp_view,
    launch_with_numpy_view,
    compile_first,
    compile_again,
    axpy_contiguous,
    axpy_transposed,
    sum_all,
    sum_axis_0,
    sum_axis_1,
    call_elementwise,
)
