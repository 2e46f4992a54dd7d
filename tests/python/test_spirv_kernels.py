"""Kernels from modules of SPIR-V."""

import os
import random
import struct

import numpy as np
import pytest
import usmx
from helpers import run_python
from spirv import VERSION, instruction, module

pytestmark = pytest.mark.skipif(
    usmx.SyclDevice().backend == "cuda", reason="CUDA's drivers take no modules of SPIR-V"
)

FLOAT, INT = range(11, 13)


def axpy_module(name="axpy", number=FLOAT, version=VERSION):
    """name(number a, const number* x, number* y): y[i] += a * x[i]."""
    is_float = number == FLOAT
    gid, main = 1, 2
    void, u64, vector, input_, pointer, function = 5, 6, 7, 8, 9, 10
    a, x, y = 20, 21, 22
    ids = iter(range(30, 60))
    label, place, i, at_x, at_y, of_x, product, of_y, total = (next(ids) for _ in range(9))
    return module(
        [
            instruction(17, 4), instruction(17, 6), instruction(17, 11), instruction(14, 2, 2),
            instruction(15, 6, main, name, gid), instruction(71, gid, 11, 28), instruction(71, x, 38, 6),
            instruction(19, void), instruction(21, u64, 64, 0), instruction(23, vector, u64, 3),
            instruction(32, input_, 1, vector), instruction(22, FLOAT, 32), instruction(21, INT, 32, 0),
            instruction(32, pointer, 5, number), instruction(33, function, void, number, pointer, pointer),
            instruction(59, input_, gid, 1), instruction(54, void, main, 0, function),
            instruction(55, number, a), instruction(55, pointer, x), instruction(55, pointer, y),
            instruction(248, label), instruction(61, vector, place, gid), instruction(81, u64, i, place, 0),
            instruction(70, pointer, at_x, x, i), instruction(70, pointer, at_y, y, i),
            instruction(61, number, of_x, at_x, 2, 4),
            instruction(133 if is_float else 132, number, product, a, of_x),
            instruction(61, number, of_y, at_y, 2, 4),
            instruction(129 if is_float else 128, number, total, product, of_y),
            instruction(62, at_y, total, 2, 4), instruction(253), instruction(56),
        ],
        version,
    )  # fmt: skip


@pytest.fixture(scope="module")
def axpy():
    return usmx.Kernel(axpy_module(), "axpy")


def test_module_runs_with_checked_arguments(axpy):
    assert axpy.signature == "axpy(float, const float*, float*)"
    x, y = usmx.arange(64, dtype="f4"), usmx.ones(64, dtype="f4")
    axpy(64, 16, 2, x.readonly(), y)
    np.testing.assert_array_equal(usmx.asnumpy(y), 2 * np.arange(64) + 1)
    with pytest.raises(
        TypeError, match=r"axpy\(float, const float\*, float\*\) takes 3 arguments, found 2"
    ):
        axpy(64, 16, x, y)
    with pytest.raises(TypeError, match="expected elements of float32, found int32"):
        axpy(64, 16, 2, x, y.astype("i4"))
    with pytest.raises(ValueError, match="may write, found a read-only one"):
        axpy(64, 16, 2, x, y.readonly())
    with pytest.raises(ValueError, match="C-contiguous"):
        axpy(32, 16, 2, x[::2], y)


def test_integers_have_any_sign():
    axpy = usmx.Kernel(axpy_module("scale", INT), "scale")
    assert axpy.signature == "scale(i32, const i32*, i32*)"
    for dtype, a in (("i4", -3), ("u4", 0xFFFFFFFF)):
        x, y = usmx.ones(4, dtype=dtype), usmx.zeros(4, dtype=dtype)
        axpy(4, None, a, x, y)
        np.testing.assert_array_equal(usmx.asnumpy(y), np.full(4, a, dtype))
    for a in (1 << 32, -(1 << 31) - 1, 2.5):
        with pytest.raises(
            ValueError, match="expected an integer from -2147483648 to 4294967295, found"
        ):
            axpy(4, None, a, x, y)
    with pytest.raises(TypeError, match="expected elements of integers of 4 bytes, found int64"):
        axpy(4, None, 1, x.astype("i8"), y)


def test_modules_have_several_devices_names_and_no_options():
    module = usmx.KernelModule(axpy_module(), names=["axpy"])
    assert module["axpy"].name == "axpy"
    with pytest.raises(ValueError, match="expected a kernel 'g', found 'axpy'"):
        usmx.Kernel(axpy_module(), "g")
    for options in (
        {"defines": {"N": 8}},
        {"options": ["-O1"]},
        {"debug": True},
        {"headers": {"x": ""}},
    ):
        with pytest.raises(ValueError, match="a module of SPIR-V is compiled already"):
            usmx.Kernel(axpy_module(), "axpy", **options)


@pytest.mark.parametrize(
    ("module", "error", "message"),
    [
        (b"", ValueError, r"which begin with 03 02 23 07, found b''"),
        (axpy_module()[::-1], ValueError, "which begin with 03 02 23 07"),
        (axpy_module()[:18], ValueError, "expected at least 5 words of 4 bytes, found 18 bytes"),
        (axpy_module(version=0x20000), ValueError, "expected version 1.0 to 1.6, found 2.0"),
        (axpy_module()[:-8], usmx.CompileError, "driver cannot load|ended early"),
        (axpy_module().replace(struct.pack("<2I", 5 << 16 | 70, 9), struct.pack("<2I", 5 << 16 | 70, 58), 1),
         usmx.CompileError, "driver cannot load|ended early"),
        (bytearray(axpy_module()), TypeError, "'source' must be a string"),
    ],
)  # fmt: skip
def test_bytes_that_are_no_module_are_refused(module, error, message):
    with pytest.raises(error, match=message):
        usmx.Kernel(module, "axpy")


DAMAGED = """
import random, time, usmx
from spirv import operands_of, packaged_modules

name = "__sycl_kernel_usmx_fill_1"
whole = next(spirv for spirv in packaged_modules() if name.encode() in spirv)
usmx.Kernel(whole, name)
places = operands_of(whole)
for seed in range(first, first + count):
    chance = random.Random(seed)
    damaged = bytearray(whole)
    for _ in range(chance.choice((1, 2, 5, 20))):
        bit = 32 * chance.choice(places) + chance.randrange(chance.choice((3, 8, 32)))
        damaged[bit // 8] ^= 1 << bit % 8
    print(seed, end=" ", flush=True)
    began = time.monotonic()
    try:
        usmx.Kernel(bytes(damaged), name)
    except (usmx.CompileError, TypeError, ValueError) as error:
        print(type(error).__name__, end=" ")
    print(int(time.monotonic() - began))
"""


@pytest.mark.slow
def test_real_module_with_bits_turned_over_is_refused_or_compiled_in_time():
    """The driver's compiler may crash or hang at such a module: in a process of its own, which is ended."""
    count = 20
    first = 0 if "CI" in os.environ else random.randrange(10**6)
    done = run_python(
        f"first, count = {first}, {count}\n{DAMAGED}", timeout=1000, USMX_CACHE_DIR=""
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == count
    assert all(int(line.split()[-1]) < 160 for line in lines), lines
