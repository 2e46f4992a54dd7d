"""Kernels of ordinary calls are in the package: no call of an ordinary program compiles.

Each test runs a copy of the package whose compiler only counts what it is asked for, with an empty
disk cache. So a kernel that works comes from the package. They ask for the kernels of the set
"core", which every package has: ./test builds it with no others (tools/setup.sh).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import usmx
from helpers import DENSITY

PACKAGE = Path(usmx.__file__).parent
TOOLS = Path(__file__).parents[2] / "tools"

GROUPS = 18
"""The groups of kernels that copy, fill, select and convert, each in up to three shapes (src/kernels/groups.hpp)."""
KERNELS = (PACKAGE / "libexec/usmx-kernels").read_bytes()
HAS_KERNELS = int.from_bytes(KERNELS[8:16], "little") > GROUPS
# In CI the package is built with the device: there, a build that packs nothing is a fault.
pytestmark = pytest.mark.skipif(
    not (HAS_KERNELS or "CI" in os.environ) or not usmx.SyclDevice().is_cpu,
    reason="the package was built without a device, or this is another one",
)


class Copy:
    """A copy of the package, and what its compiler was asked for."""

    def __init__(self, folder, compiler='echo asked >> "$USMX_ASKED"; exit 1'):
        self.asked = folder / "asked"
        self.package = folder / "usmx"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("examples", "include"))
        if compiler is not None:
            program = self.package / "libexec/usmx-compile"
            program.unlink()
            program.write_text(f"#!/bin/sh\n{compiler}\n")
            program.chmod(0o755)

    def run(self, program, *arguments):
        return self.result(program, *arguments).stdout

    def result(self, program, *arguments):
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (self.package.parent, TOOLS))),
            "LD_LIBRARY_PATH": str(Path(sys.prefix) / "lib"),  # the copy's run path leads nowhere
            "USMX_CACHE_DIR": "",
            "USMX_ASKED": str(self.asked),
        }
        done = subprocess.run(
            [sys.executable, "-P", "-c", program, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return done

    def count(self):
        return len(self.asked.read_text().splitlines()) if self.asked.exists() else 0


@pytest.fixture
def package(tmp_path):
    return Copy(tmp_path)


ORDINARY = """
import numpy as np
import usmx

rng = usmx.random.default_rng(7)
points = rng.normal(size=(10_000, 3))                       # a table of points
weights = rng.random(10_000, dtype="float32")
centred = points - points.mean(axis=0)
scaled = centred / centred.std(axis=0)
distances = usmx.sqrt((scaled**2).sum(axis=1))
near = distances < 1.5
inside = usmx.where(near, distances, 0.0)
print(int(usmx.count_nonzero(near)) > 0, bool(usmx.all(inside <= 1.5)))
x, y = points[:, 0], points[:, 1]
angle = usmx.atan2(y, x)
radius = np.hypot(x, y)
print(float((radius * usmx.cos(angle) - x).max()) < 1e-9)
n = usmx.arange(100_000)
print(int((n * 2 + 1).sum()), float((n / 3).mean()) > 0, int((n % 7 == 0).sum()))
t = usmx.linspace(0, 1, 100_001)
wave = usmx.exp(-t) * usmx.sin(2 * t)
print(int(usmx.argmax(wave)) > 0, float(usmx.max(usmx.abs(wave[1:] - wave[:-1]))) < 1)
image = usmx.reshape(usmx.arange(512 * 512, dtype="uint8"), (512, 512))
print(int((image > 128).sum()), float(usmx.clip(usmx.astype(image, "float32"), 10, 20).min()))
w = (weights - weights.min()) / (weights.max() - weights.min())
print(float(w.max()), bool((w >= 0).all()))
print(float(usmx.cumulative_sum(w)[-1]) > 0, bool((usmx.sort(w)[1:] >= usmx.sort(w)[:-1]).all()))
a = usmx.ones((300, 300), dtype="float32")
a += 1
a *= 0.5
print(float((a @ a).sum()), float(a.var()), (a == a.T).all())
"""


def test_no_call_of_an_ordinary_program_compiles(package):
    printed = package.run(ORDINARY)
    assert package.count() == 0
    assert "False" not in printed
    assert printed.splitlines()[-1] == "27000000.0 0.0 True"


EVERY = """
import sys
import numpy as np
import usmx
from ordinary_calls import core_calls

rng = np.random.default_rng(11)

def make(shape, dtype):
    kind = np.dtype(dtype).kind
    if kind in "bi":
        return usmx.asarray(rng.integers(0, 2 if kind == "b" else 9, shape).astype(dtype))
    values = rng.uniform(-3, 3, shape) + (1j * rng.uniform(-3, 3, shape) if kind == "c" else 0)
    return usmx.asarray(np.abs(values * 9).astype(dtype) if kind == "u" else values.astype(dtype))

file, first, step = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
results = {}
for k, call in enumerate(core_calls(make)):
    if k % step == first:
        results[str(k)] = usmx.asnumpy(call())
np.savez(file, **results)
"""


@pytest.mark.slow
def test_every_call_that_is_packaged_needs_no_compiler_and_has_the_compilers_bits(tmp_path):
    for name, compiler in (("packaged", "exit 1"), ("compiled", None)):
        (tmp_path / name).mkdir()
        copy = Copy(tmp_path / name, compiler)
        if compiler is None:
            (copy.package / "libexec/usmx-kernels").unlink()
        copy.run(EVERY, str(tmp_path / f"{name}.npz"), "5", "10")
    with (
        np.load(tmp_path / "packaged.npz") as packaged,
        np.load(tmp_path / "compiled.npz") as other,
    ):
        assert len(packaged.files) > 20
        assert packaged.files == other.files
        for name in packaged.files:
            assert packaged[name].dtype == other[name].dtype
            assert packaged[name].tobytes() == other[name].tobytes(), name


@pytest.mark.slow
def test_all_that_is_packaged_needs_no_compiler(package, tmp_path):
    package.run(EVERY, str(tmp_path / "all.npz"), "0", "3" if DENSITY < 1 else "1")
    assert package.count() == 0


def test_packaged_kernels_have_no_instructions_of_a_cpu():
    """They are SPIR-V, so that a package may move to a machine with fewer instructions."""
    count = int.from_bytes(KERNELS[8:16], "little")
    ptx = KERNELS.count(b"\n.target sm_")
    assert KERNELS.count((0x07230203).to_bytes(4, "little")) + ptx >= count > 200
    assert b"\x7fELF" not in KERNELS


REMOTE = """
import ctypes, pathlib
import numpy as np
import usmx

(library,) = (pathlib.Path(usmx.__file__).parent / "lib").glob("libusmx.so.*[0-9]")
as_remote = ctypes.CDLL(str(library))._ZN4usmx2v18internal27count_all_devices_as_remoteEb
as_remote(True)  # else the host copies what it reaches
host = np.arange(12.0).reshape(3, 4)
x = usmx.asarray(host, usm_type="device")
y = usmx.full(5, 7, dtype="int32", usm_type="device")
print((usmx.asnumpy(usmx.astype(x.T, "float32")) == host.T).all())
print((usmx.asnumpy(x[::-1, ::2].copy()) == host[::-1, ::2]).all(), usmx.asnumpy(y).tolist())
print((usmx.asnumpy(x[usmx.asarray(host > 3, usm_type="device")]) == host[host > 3]).all())
"""
RIGHT = "True\nTrue [7, 7, 7, 7, 7]\nTrue\n"


def test_kernels_that_copy_are_in_the_package(package):
    done = package.result(REMOTE)
    assert done.stdout == RIGHT
    assert done.stderr == ""
    assert package.count() == 0


@pytest.mark.slow
def test_kernels_that_copy_are_compiled_where_the_package_lacks_them(tmp_path):
    copy = Copy(tmp_path, None)
    (copy.package / "libexec/usmx-kernels").unlink()
    done = copy.result(REMOTE)
    assert done.stdout == RIGHT
    assert done.stderr == ""


def test_copies_without_any_kernels_go_other_ways_with_a_warning_for_each_group(package):
    (package.package / "libexec/usmx-kernels").unlink()
    done = package.result(REMOTE)
    assert done.stdout == RIGHT
    groups = [line.split("'")[1] for line in done.stderr.splitlines() if line.startswith("no '")]
    assert sorted(groups) == sorted(set(groups))
    assert "copy" in groups
    assert package.count() == len(groups)


SINE = "import usmx\nprint(usmx.sin(usmx.zeros(100_000, dtype='float32')).sum())"


def test_changed_text_is_compiled(package):
    assert float(package.run(SINE)) == 0
    (library,) = package.package.glob("lib/libusmx.so.*[0-9]")
    before = library.read_bytes()
    comment = b"// Functions that the table's expressions call"
    assert before.count(comment) == 1
    library.unlink()  # a link, perhaps
    library.write_bytes(before.replace(comment, comment.upper()))
    with pytest.raises(AssertionError, match="CompileError"):
        package.run(SINE)
    assert package.count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, b"", b"usmxprg2 but damaged"])
def test_package_without_kernels_compiles(tmp_path, content):
    copy = Copy(tmp_path, None)
    file = copy.package / "libexec/usmx-kernels"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    assert float(copy.run(SINE)) == 0


INDEX_NBYTES = 32 + 56 * 4  # the header, and the indices of some programs


def some_bytes_of(size):
    """Where the header, the index and the programs of the package's file are changed."""
    rng = np.random.default_rng(5)
    return [0, 8, 16, 24, 32, *rng.integers(32, INDEX_NBYTES, 2), *rng.integers(size // 2, size, 1)]


@pytest.mark.slow
def test_changed_bytes_are_never_run(tmp_path):
    """A driver that gets damaged code may end the process."""
    copy = Copy(tmp_path, None)
    file = copy.package / "libexec/usmx-kernels"
    whole = file.read_bytes()
    file.unlink()  # a link, perhaps
    for at in some_bytes_of(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 1
        if at < INDEX_NBYTES:
            file.write_bytes(changed)
        else:  # any program may be the one that is used: all are damaged
            middle = bytes(each ^ 1 for each in whole[len(whole) // 16 :])
            file.write_bytes(whole[: len(whole) // 16] + middle)
        done = copy.result(SINE)
        assert float(done.stdout) == 0
        assert f"{file} is damaged: the checksum of " in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.0001, 0.5, 0.9999])
def test_file_that_was_cut_is_not_used(tmp_path, part):
    copy = Copy(tmp_path, None)
    file = copy.package / "libexec/usmx-kernels"
    whole = file.read_bytes()
    file.unlink()
    file.write_bytes(whole[: int(len(whole) * part)])
    done = copy.result(SINE)
    assert float(done.stdout) == 0
    assert f"{file} is damaged: the checksum of its index" in done.stderr


UNSTARTABLE = {
    "lacks a library": (0o755, "#!/bin/sh\necho libx.so: cannot open >&2\nexit 127\n",
                        "it ended with exit status 127, and said:\nlibx.so: cannot open\n"),
    "may not be executed": (0o644, "#!/bin/sh\n", "Permission denied"),
    "is no program": (0o755, "no program", "Exec format error"),
    "interpreter is missing": (0o755, "#!/no/such/sh\n", "No such file or directory"),
    "ends at once": (0o755, "#!/bin/sh\nkill -9 $$\n", "it ended with signal 9 (Killed)"),
}  # fmt: skip


@pytest.mark.parametrize(("mode", "text", "reason"), UNSTARTABLE.values(), ids=UNSTARTABLE)
def test_compiler_that_cannot_start_is_named_with_the_reason(tmp_path, mode, text, reason):
    copy = Copy(tmp_path)
    compiler = copy.package / "libexec/usmx-compile"
    compiler.write_text(text)
    compiler.chmod(mode)
    said = copy.run("""
import usmx
try:
    usmx.Kernel("#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(int* x) {}", "f")
except usmx.CompileError as error:
    print(error)
""")
    assert f"the compiler of kernels cannot be started: {compiler}: " in said
    assert reason in said
    assert "pip install" in said


@pytest.mark.slow
def test_build_that_can_compile_nothing_ends(tmp_path):
    """As on a machine without libsycl-jit."""
    programs = tmp_path / "compiles-nothing"
    programs.write_text('#!/bin/sh\nprintf usmxprg2 > "$2"\n')
    programs.chmod(0o755)
    (module,) = PACKAGE.glob("_core.*.so")
    file = tmp_path / "usmx-kernels"
    tool = TOOLS / "package_kernels.py"
    subprocess.run(
        [
            sys.executable,
            tool,
            "core",
            PACKAGE / "lib/libusmx.so.1",
            module,
            programs,
            file,
            "none",
            "",
        ],
        env={**os.environ, "LD_LIBRARY_PATH": str(Path(sys.prefix) / "lib")},
        check=True,
        timeout=250,
    )
    assert file.read_bytes() == b"usmxprg2"


def test_package_of_none_asks_for_no_calls(tmp_path):
    programs = tmp_path / "tells-its-requests"
    programs.write_text('#!/bin/sh\nls "$1" > "$2"\n')
    programs.chmod(0o755)
    file = tmp_path / "usmx-kernels"
    tool = TOOLS / "package_kernels.py"
    arguments = [sys.executable, tool, "none", "l", "m", programs, file, "c", ""]
    subprocess.run(arguments, check=True, timeout=240)
    assert file.read_bytes() == b""
