"""Vector units of CPUs: the driver has other mathematics for each, and usmx keeps to its word on all of them.

CL_CONFIG_CPU_TARGET_ARCH makes the driver take that of a lesser unit, so that one machine tests several.
"""

import os
import subprocess
import sys
from pathlib import Path

import accuracy
import pytest
from documents import ROOT
from helpers import DENSITY

TARGETS = accuracy.machine_targets()
pytestmark = pytest.mark.skipif(
    "core-avx2" not in TARGETS, reason="the device is no CPU with AVX2, of which there are two kinds of code"
)  # fmt: skip
OWN = os.environ.get(accuracy.TARGET_VARIABLE) or (TARGETS or [""])[0]
OTHER = "corei7-avx" if OWN == "core-avx2" else "core-avx2"


def run(command, target, timeout=300, **variables):
    environment = {**os.environ, accuracy.TARGET_VARIABLE: target, **variables}
    return subprocess.run(
        [sys.executable, "-P", *command],
        env=environment, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip


def printed(program, target, **variables):
    done = run(["-c", program], target, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


MEASURES = (
    "tests/python/test_kernel_mathematics.py",
    "tests/python/compute/test_elementwise.py",
    "tests/python/compute/test_small_work.py",
)
SELECTED = "(near_as or cubes or c99 or bits_of_the_kernels)"
if DENSITY < 1:  # integers are converted before, and by no vector unit's mathematics
    SELECTED += "".join(f" and not {kind}{size}" for kind in "iu" for size in (1, 2, 4, 8))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_bounds_hold_on_another_vector_unit():
    """The machine's own is tested by the modules themselves, and this one with core-avx2 among the two."""
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", SELECTED, "--tb=short"]
    done = run([*command, *(ROOT / each for each in MEASURES)], OTHER, 1700, PYTEST_ADDOPTS="")
    assert done.returncode == 0, done.stdout[-4000:]
    passed = int(done.stdout.splitlines()[-1].split(" passed")[0])
    assert passed > (60 if DENSITY < 1 else 200)


def test_targets_are_those_whose_instructions_the_processor_has():
    haswell = {"sse4_2", "popcnt", "avx", "avx2", "fma", "bmi1", "bmi2", "f16c"}
    skylake = haswell | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    assert accuracy.targets_of({"sse4_2", "popcnt"}) == ["corei7"]
    assert accuracy.targets_of(haswell) == ["core-avx2", "corei7-avx", "corei7"]
    assert accuracy.targets_of(skylake)[0] == "skx"


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_driver_knows_every_target_of_this_machine(target):
    assert printed("import usmx; print(usmx.arange(3).sum())", target) == "3\n"


SAME_BITS = """
import hashlib
import numpy as np
import usmx

def show(name, array):
    print(name, array.dtype, hashlib.sha256(usmx.asnumpy(array).tobytes()).hexdigest())

rng = usmx.random.default_rng(7)
for dtype in ("float32", "float64"):
    show("random", rng.random(5000, dtype=dtype))
    show("normal", rng.standard_normal(5000, dtype=dtype))
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    words = np.random.default_rng(7).integers(0, np.iinfo(bits).max, 5000, bits).view(dtype)
    numbers = np.concatenate([np.linspace(-3, 3, 5000, dtype=dtype), words])
    numbers = usmx.asarray(numbers[~np.isnan(numbers)])
    show("cbrt", usmx.cbrt(numbers))
    show("tanh", usmx.tanh(numbers))
    show("divide", usmx.divide(1, numbers))
    show("sqrt", usmx.sqrt(usmx.abs(numbers)))
show("log", usmx.log(usmx.linspace(1e-3, 9, 5000, dtype="float32")))
show("integers", rng.integers(0, 1000, 5000))
"""


@pytest.mark.slow
def test_results_that_are_the_same_on_every_machine_are(tmp_path):
    all_printed = {printed(SAME_BITS, each, USMX_CACHE_DIR=str(tmp_path)) for each in TARGETS}
    assert len(all_printed) == 1


CACHED = """
import hashlib
import pathlib
import usmx

x = usmx.linspace(-9, 9, 10_000, dtype="float32")
result = usmx.ElementwiseKernel("T x", "T y", "y = sin(x) + exp(x) + acos(x / 10)", "kept")(x)
usmx.copy_async(usmx.empty((512, 512), dtype="float32"), usmx.zeros((512, 512), dtype="float32").T)
usmx.synchronize()
children = pathlib.Path("/proc/thread-self/children").read_text()
print(hashlib.sha256(usmx.asnumpy(result).tobytes()).hexdigest(), children != "")
"""


@pytest.mark.slow
def test_kernels_on_disk_are_used_for_their_vector_unit_alone(tmp_path):
    """What is kept is native code: its key has what chooses the instructions, and the CPU's."""
    shared, alone = tmp_path / "shared", tmp_path / "alone"
    expected = printed(CACHED, OTHER, USMX_CACHE_DIR=str(alone)).split()[0]
    mine = printed(CACHED, OWN, USMX_CACHE_DIR=str(shared)).split()[0]
    kept = {file.name: file.read_bytes() for file in shared.iterdir()}
    assert printed(CACHED, OTHER, USMX_CACHE_DIR=str(shared)).split() == [expected, "True"]
    assert {file.name for file in shared.iterdir()} > kept.keys()
    assert printed(CACHED, OTHER, USMX_CACHE_DIR=str(shared)).split() == [expected, "False"]
    assert printed(CACHED, OWN, USMX_CACHE_DIR=str(shared)).split() == [mine, "False"]
    assert all((shared / name).read_bytes() == content for name, content in kept.items())


TOOL = Path(ROOT, "tools/measure_accuracy.py")


@pytest.mark.slow
def test_tool_measures_every_target_and_names_what_is_above_its_bound():
    command = [TOOL, "--functions=table", "--type=i1", f"--target={OTHER}", "--target=corei7"]
    done = run(command, OWN)
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["table", OTHER, "corei7", "bound"]
    rows = {name: list(map(float, rest)) for name, _, *rest in map(str.split, lines)}
    assert all(max(errors[:-1]) <= errors[-1] for errors in rows.values())
    assert rows["cbrt"][2] <= 1 < min(rows["sin"])


def test_tool_shows_how_it_is_called():
    done = run([TOOL, "--help"], OWN)
    assert done.returncode == 0
    assert "--target" in done.stdout
