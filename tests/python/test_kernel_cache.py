"""What one process builds of each group of kernels, the next processes use."""

import os
import re
import subprocess
import sys

import pytest

PROGRAM = """
import pathlib, warnings
warnings.simplefilter("error")
import numpy as np
import usmx

def array(dtype):
    return usmx.zeros((2048, 2048), dtype=dtype, usm_type="device")

{work}
usmx.synchronize()
print(pathlib.Path("/proc/thread-self/children").read_text() != "")  # whether a compiler ran
"""

# The host does what the group "select" is for where it may touch the memory: store_test.cpp has
# that group, and the shapes for other devices.
COPY = "usmx.copy_async(array('f4'), array('f4').T)"
FILL = "usmx.fill_async(array('f4')[:, ::2], 1.5)"
CAST = "usmx.copy_async(array('f4'), array('i4'))"
CAST_DOUBLE = "usmx.copy_async(array('f4'), array('f8'))"
# The two need different aspects of a device.
USER = '''usmx.KernelModule("""
#include <usmx/kernel.hpp>
USMX_KERNEL(1) whole(int* x) { x[usmx::global_id()] += 1; }
USMX_KERNEL(1) real(double* x) { x[usmx::global_id()] *= 1.5; }
""", ["whole", "real"])["real"](8, None, usmx.zeros(8))'''
ELEMENTWISE = 'usmx.ElementwiseKernel("f8 x", "i4 y", "y = x > 0.5", "above")(usmx.zeros(8))'
REDUCTION = """usmx.ReductionKernel(
    "f8 x", "f8 y", "x", "a + b", "y = a", "0", "total")(usmx.zeros(8))"""


def run(work, cache, **variables):
    """What a process that did the work wrote about compiling, without a warning."""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", PROGRAM.format(work=work)],
        env={**os.environ, "USMX_CACHE_DIR": str(cache), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def files_in(cache):
    return {entry.name: (entry.stat().st_ino, entry.read_bytes()) for entry in cache.iterdir()}


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "work"),
    [
        ("copy", COPY),
        ("fill", FILL),
        ("cast", CAST),
        ("cast_double", CAST_DOUBLE),
        ("user", USER),
        ("user", ELEMENTWISE),
        ("user", REDUCTION),
    ],
)
def test_second_and_third_process_build_nothing(group, work, tmp_path):
    cache = tmp_path / "cache"
    run(work, cache)
    built = files_in(cache)
    in_the_devices_shape = re.compile(f"{group}(_wide|_tiled)?-")
    assert any(map(in_the_devices_shape.match, built))
    for _ in range(2):
        assert run(work, cache) == "False"
        assert files_in(cache) == built


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "stays"), [("1G", True), ("100K", False)])
def test_old_files_beyond_the_limit_of_the_environment_are_deleted(limit, stays, tmp_path):
    old = tmp_path / "old.kernels"
    old.write_bytes(bytes(100_000))
    os.utime(old, (0, 0))
    run(ELEMENTWISE, tmp_path, USMX_CACHE_LIMIT=limit)
    assert old.exists() == stays
    assert len(list(tmp_path.glob("user-*.kernels"))) == 1
