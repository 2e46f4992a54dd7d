"""Kernels travel: pickled, copied, sent to other processes from a script's __main__."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import spirv
import usmx

AXPY = """
#include <usmx/kernel.hpp>
#include "factor.hpp"
USMX_KERNEL(1) axpy(float a, const float* x, float* y) { y[usmx::global_id()] += FACTOR * factor * a * x[usmx::global_id()]; }
"""


def make_kernel():
    headers = {"factor.hpp": "constexpr float factor = 5;"}
    return usmx.Kernel(AXPY, "axpy", defines={"FACTOR": 2}, headers=headers, options=["-O1"])


def axpy(kernel):
    x, y = usmx.arange(4, dtype="f4"), usmx.ones(4, dtype="f4")
    kernel(4, None, 3, x, y)
    return usmx.asnumpy(y).tolist()


def travelled(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_kernel_is_compiled_again_from_its_source_and_options(protocol):
    kernel = make_kernel()
    found = travelled(kernel, protocol)
    assert type(found) is usmx.Kernel
    assert found.signature == kernel.signature
    assert axpy(found) == axpy(kernel) == [1, 31, 61, 91]


def test_debug_travels():
    source = "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(usmx::view<int, 1> x) { x(9) = 1; }"
    kernel = travelled(usmx.Kernel(source, "f", debug=True))
    with pytest.raises(IndexError, match=r"found \(9\)|found \(9,\)"):
        kernel(1, None, usmx.zeros(3, dtype="i4"))
    f = travelled(usmx.ElementwiseKernel("raw T x", "T y", "y = x[i + 1]", debug=True))
    with pytest.raises(IndexError, match=r"found \(3,\)"):
        f(usmx.zeros(3), size=3)


def test_module_of_kernels_travels_with_its_names():
    source = "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) one(int* x) { *x = 1; }\nUSMX_KERNEL(1) two(int* x) { *x = 2; }"
    found = travelled(usmx.KernelModule(source, ["two", "one"]))
    assert list(found) == ["two", "one"]
    x = usmx.zeros(1, dtype="i4")
    travelled(found["two"])(1, None, x)
    assert x.item() == 2


def test_generated_kernels_travel_with_preamble_and_options():
    scale = usmx.ElementwiseKernel(
        "T x, T a", "T y", "y = scaled(x, a)", "scale",
        preamble="template <class U> U scaled(U x, U a) { return a * x; }", options=["-O1"],
    )  # fmt: skip
    best = usmx.ReductionKernel(
        "T x", "int64 y", "best{x, i}", "a.value < b.value ? b : a", "y = a.place", "best{0, -1}", "argmax",
        reduce_type="best", block_type="best", preamble="struct best { T value; long place; };",
    )  # fmt: skip
    x = usmx.asarray(np.array([3.0, 8.0, 5.0]))
    found = travelled(scale)
    assert (found.name, usmx.asnumpy(found(x, 2)).tolist()) == ("scale", [6, 16, 10])
    found = travelled(best)
    assert (found.name, found(x).item(), found(x[:0]).item()) == ("argmax", 1, -1)
    total = travelled(usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0.5))
    assert (total(x).item(), total(x[:0]).item()) == (16, 0.5)


def test_request_for_local_memory_travels():
    source = """
#include <usmx/kernel.hpp>
USMX_KERNEL(1) turn(int* x, usmx::local_memory<int> m) {
  const auto i = usmx::local_id();
  m[i] = x[i];
  usmx::barrier();
  x[i] = m[usmx::local_size() - 1 - i];
}"""
    x = usmx.arange(8, dtype="i4")
    usmx.Kernel(source, "turn")(8, 8, x, travelled(usmx.local_memory("i4", 8)))
    assert usmx.asnumpy(x).tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_the_kernel_itself(copied):
    kernels = [
        make_kernel(),
        usmx.ElementwiseKernel("T x", "T y", "y = x"),
        usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0"),
        usmx.KernelModule(
            "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* x) { *x = 1; }", ["f"]
        ),
        usmx.local_memory("f4", 3),
    ]
    found = copied(kernels)
    assert all(a is b for a, b in zip(found, kernels, strict=True))


def test_subclass_stays_one():
    class Named(usmx.ElementwiseKernel):
        pass

    globals()["Named"] = Named
    Named.__qualname__ = "Named"
    assert type(travelled(Named("T x", "T y", "y = x"))) is Named


def test_module_of_spirv_travels():
    kernel = usmx.Kernel(spirv.fill_late_module(), "fill_late")
    assert travelled(kernel).signature == kernel.signature


SCRIPT = """
import {module}
import numpy as np
import usmx

twice = usmx.ElementwiseKernel("T x", "T y", "y = twofold(x)", preamble="template <class U> U twofold(U x) {{ return 2 * x; }}")
total = usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0)
raw = usmx.Kernel("#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(double* x) {{ x[usmx::global_id()] += 1; }}", "f")

def work(kernels, numbers):
    twice, total, raw = kernels
    x = twice(usmx.asarray(np.array(numbers)))
    raw(len(numbers), None, x)
    return total(x).item()

if __name__ == "__main__":
{body}
"""
BODIES = {
    "multiprocessing": """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.starmap(work, [((twice, total, raw), [1.0, 2.0]), ((twice, total, raw), [3.0])]))""",
    "joblib": """
    print(joblib.Parallel(n_jobs=2)(joblib.delayed(work)((twice, total, raw), x) for x in ([1.0, 2.0], [3.0])))""",
    "dask": """
    import dask.array, dask.multiprocessing
    blocks = dask.array.from_array(np.array([1.0, 2.0, 3.0]), chunks=2)
    def block(x):
        return np.array([work((twice, total, raw), x)])
    found = blocks.map_blocks(block, chunks=(1,), dtype="f8").compute(scheduler="processes", num_workers=1)
    print([float(x) for x in found])""",
}


@pytest.mark.slow
@pytest.mark.parametrize("module", BODIES)
def test_kernels_of_main_work_in_other_processes(module, tmp_path):
    pytest.importorskip(module)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(module=module, body=BODIES[module].lstrip("\n")))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout) == (0, "[8.0, 7.0]\n"), done.stderr
