"""The libraries of vendors that usmx uses if they are installed: that they are found, and are used.

Without these tests a library that is not found shows in nothing but the time.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path
from types import SimpleNamespace

import pytest
import usmx
from doctors import CLEAN, built_library, doctor
from helpers import run_python
from usmx._doctor import libraries
from usmx._doctor.situation import Probe

PACKAGE = Path(usmx.__file__).parent
LIBRARIES = Path(sys.prefix) / "lib"
SHOW = """
import json, sys, usmx
from usmx import _core

def used(dtype):
    x = usmx.ones((2, 2), dtype=dtype)
    made = _core._matmul(x, x, "vendor")
    return made is not None and complex(made[0, 0]) == 2

def show():
    name, is_found, text, _ = _core._find_product_library(usmx.SyclDevice())
    print(json.dumps([is_found, text, [used(t) for t in ("f4", "f8", "c8", "c16")]]), flush=True)
"""


@pytest.fixture(autouse=True)
def _needs_the_cpu_device():
    if not any(d.backend == "opencl" and d.is_cpu for d in usmx.get_devices()):
        pytest.skip("oneMKL computes on the CPU device here")


def shown(code, **environment):
    """What `show()` has found, each time that the code has called it."""
    done = run_python(SHOW + code, **environment)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_products_are_onemkls():
    name, is_found, text, _ = usmx._core._find_product_library(usmx.SyclDevice())
    assert (name, is_found) == ("oneMKL", True), text
    assert Path(text).parent == LIBRARIES.resolve()
    x = usmx.ones((2, 2))
    assert usmx._core._matmul(x, x, "vendor").tolist() == [[2, 2], [2, 2]]


@pytest.mark.slow
def test_products_are_onemkls_in_a_process_without_dpnp():
    ((is_found, text, used),) = shown("show(); assert 'dpnp' not in sys.modules")
    assert (is_found, used) == (True, [True] * 4), text


@pytest.mark.slow
@pytest.mark.parametrize("order", ["import dpnp; show()", "show(); import dpnp; show()"])
def test_onemkl_is_shared_with_dpnp_in_either_order(order):
    pytest.importorskip("dpnp")
    check = "\nx = dpnp.ones((3, 3)); assert float((x @ x)[0, 0]) == 3; dpnp.linalg.svd(x)"
    maps = "\nassert len({line.split()[-1] for line in open('/proc/self/maps') if 'libmkl_core' in line}) == 1"
    for is_found, text, used in shown(order + check + maps):
        assert (is_found, used) == (True, [True] * 4), text


@pytest.mark.slow
def test_program_may_end_while_products_are_unfinished():
    for _ in range(3):
        done = run_python(
            "import usmx; x = usmx.ones((600, 600))\nfor _ in range(20): x = x @ x / 600"
        )
        assert (done.returncode, done.stderr) == (0, "")


# ---- a GPU's own libraries, where there is none


def of_a_gpu(monkeypatch):
    """Arrays count as such that the host does not reach."""
    for module in (usmx.fft, usmx.linalg._lapack):
        monkeypatch.setattr(module, "ASKS_CALLER_FIRST", True)
    monkeypatch.setattr(usmx._core, "_host_reaches", lambda x: False)


@pytest.mark.parametrize(
    ("call", "library", "package"),
    [
        (lambda x: usmx.fft.fft(x), "cuFFT", "cuda13"),
        (lambda x: usmx.fft.irfft2(x), "cuFFT", "cuda13"),
        (lambda x: usmx.linalg.solve(x, x), "cuSOLVER", "cuda13"),
        (lambda x: usmx.linalg.svd(x), "cuSOLVER", "cuda13"),
    ],
)
def test_missing_library_of_a_gpu_is_named_with_its_package(monkeypatch, call, library, package):
    x = usmx.ones((2, 2))
    missing = (library, False, "there is no library", f"python -m pip install {package}")
    of_a_gpu(monkeypatch)
    monkeypatch.setattr(usmx._core, "_find_transform_library", lambda device: missing)
    monkeypatch.setattr(usmx._core, "_find_solver_library", lambda device: missing)
    text = f"{library} cannot be used: there is no library: .*{package}.*usm_type='shared'"
    with pytest.raises(RuntimeError, match=text):
        call(x)


def test_memory_of_other_gpus_is_refused(monkeypatch):
    of_a_gpu(monkeypatch)
    for call in (usmx.fft.fft, usmx.linalg.inv, usmx.linalg.eig):
        with pytest.raises(NotImplementedError, match="own library yet; make the array"):
            call(usmx.ones((2, 2)))


def test_doctor_says_which_libraries_a_gpu_has():
    def seen(is_found):
        found = {"filter": "cuda:gpu:0", "is_found": is_found, "text": "the text"}
        listed = [
            {"library": library, "use": use, "install": f"nvidia-{library.lower()}-cu12", **found}
            for library, use in (("cuSOLVER", "linear algebra"), ("cuFFT", "Fourier transforms"))
        ]
        return list(libraries.products(SimpleNamespace(products=Probe(device_libraries=listed))))

    for finding, library in zip(seen(True), ("cuSOLVER", "cuFFT"), strict=True):
        assert (finding.state, finding.remedy) == ("ok", "")
        assert re.match(rf"{library} computes .* on cuda:gpu:0: the text", finding.found)
    for finding, library in zip(seen(False), ("cuSOLVER", "cuFFT"), strict=True):
        assert finding.state == "note"
        assert f"raise an error without {library}" in finding.found
        assert f"nvidia-{library.lower()}-cu12" in finding.remedy


# ---- another MKL in the process

ANOTHER = f"import ctypes; ctypes.CDLL({str(LIBRARIES / 'libmkl_rt.so.3')!r}, ctypes.RTLD_GLOBAL)\n"


@pytest.mark.slow
def test_onemkl_takes_no_function_from_another_mkl(tmp_path):
    """The loader says to which library each name is bound."""
    log = tmp_path / "bindings"
    code = ANOTHER + SHOW + "show()"
    variables = {**os.environ, "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(log)}
    subprocess.run([sys.executable, "-P", "-c", code], env=variables, check=True, timeout=240)
    bound = set()
    for file in tmp_path.iterdir():
        for line in file.read_text(errors="replace").splitlines():
            found = re.search(r"binding file \S*/(libmkl_\w+)\S* \[0\] to \S*/(lib\w+)", line)
            if found:
                bound.add(found.groups())
    group = {"libmkl_sycl_blas", "libmkl_intel_ilp64", "libmkl_tbb_thread", "libmkl_core"}
    assert ("libmkl_sycl_blas", "libmkl_intel_ilp64") in bound
    assert {to for by, to in bound if by in group and to.startswith("libmkl")} == group


@pytest.mark.slow
def test_products_are_right_beside_another_mkl_that_works():
    multiply = (
        "import numpy as np\nx = np.ones((8, 8)); z = np.zeros((8, 8))\n"
        "p = lambda a: ctypes.c_void_p(a.ctypes.data)\n"
        "def theirs():\n"
        "    z[:] = 0\n"
        "    ctypes.CDLL('libmkl_rt.so.3').cblas_dgemm(101, 111, 111, 8, 8, 8, ctypes.c_double(1), "
        "p(x), 8, p(x), 8, ctypes.c_double(0), p(z), 8)\n"
        "    assert (z == 8).all()\n"
    )
    found = shown(ANOTHER + multiply + "theirs(); show(); theirs()")
    assert [used for _, _, used in found] == [[True] * 4]


# ---- what is not there, or is there later


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of usmx and the runtime without oneMKL."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(PACKAGE, folder / "usmx", ignore=shutil.ignore_patterns("examples"))
    (folder / "lib").mkdir()
    unused = ("libmkl_", "libonedal", "libdnnl", "libsycl-jit", "libsycl-preview")
    add_libraries(folder, lambda name: not name.startswith(unused))
    return folder


@pytest.fixture
def moved(copied):
    """The copy, which PYTHONPATH may name, and to which a test may add oneMKL."""
    yield copied
    for file in (copied / "lib").glob("libmkl_*"):
        file.unlink()


def add_libraries(folder, wanted):
    """Hard links: the loader would find what lies beside the target of a symbolic one."""
    for file in LIBRARIES.iterdir():
        if file.is_file() and wanted(file.name):
            link = folder / "lib" / file.name
            try:
                link.hardlink_to(file.resolve())
            except OSError:  # another file system
                shutil.copy(file, link)


@pytest.mark.slow
def test_onemkl_that_comes_later_is_found_once_libraries_were_loaded(tmp_path, moved):
    other = built_library(tmp_path / "other.so")
    code = f"""
show()
import ctypes, os, sys
sys.stdin.readline()
show()
ctypes.CDLL({str(other)!r})
show()
"""
    variables = {k: v for k, v in os.environ.items() if k not in CLEAN} | {"PYTHONPATH": str(moved)}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", SHOW + code],
        env=variables,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        first = process.stdout.readline()
        assert first, process.communicate()[1]
        assert json.loads(first)[2] == [False] * 4
        add_libraries(moved, lambda name: name.startswith("libmkl_"))
        rest, errors = process.communicate("\n", timeout=240)
    *_, last = map(json.loads, rest.splitlines())
    assert last[2] == [True] * 4, last[1]
    assert str(moved) in last[1]
    assert errors == ""  # nobody is warned of what was not installed


@pytest.mark.slow
def test_onemkl_that_is_installed_and_cannot_be_loaded_is_said(moved):
    add_libraries(moved, lambda name: name.startswith("libmkl_sycl_blas"))
    done = run_python(SHOW + "show(); show()", **CLEAN | {"PYTHONPATH": str(moved)})
    first, second = map(json.loads, done.stdout.splitlines())
    assert first[0] is False
    assert "cannot open shared object file" in first[1]
    assert second[2] == [False] * 4
    assert done.stderr.count("oneMKL is installed and cannot be used, so products") == 1


@pytest.mark.slow
def test_onemkl_of_two_folders_is_not_used(tmp_path):
    core = str(shutil.copy(LIBRARIES / "libmkl_core.so.3", tmp_path))
    code = f"""
import ctypes, os
ctypes.CDLL({core!r}, os.RTLD_LAZY)
show()
"""
    done = run_python(SHOW + code)
    assert done.returncode == 0, done.stderr
    ((is_found, text, used),) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (is_found, used) == (False, [False] * 4)
    assert f"{core} and {LIBRARIES.resolve()}/libmkl_sycl_blas.so.6 are from two folders" in text
    assert "oneMKL is installed and cannot be used" in done.stderr


# ---- the doctor


@pytest.mark.slow
def test_doctor_says_which_library_multiplies():
    findings = doctor("optional")["optional"]
    assert {finding["state"] for finding in findings} == {"ok"}
    text = "\n".join(finding["found"] for finding in findings)
    assert f"oneMKL multiplies matrices on opencl:cpu:0: {LIBRARIES.resolve()}/libmkl_sycl" in text
    assert (
        f"oneMKL computes linear algebra and Fourier transforms on the host: {LIBRARIES.resolve()}/libmkl_"
        in text
    )
    assert "dask finds usmx by its entry point in dask.sizeof" in text
    assert re.search(r"found dpctl, dpnp, rich", text)


@pytest.mark.slow
def test_doctor_says_what_to_install_for_products(moved):
    findings = doctor("optional", PYTHONPATH=moved)["optional"]
    (found,) = [finding for finding in findings if "multiply matrices" in finding["found"]]
    assert found["state"] == "note"
    assert "several times slower than oneMKL, which cannot be used: libmkl_" in found["found"]
    assert found["remedy"] == "python -m pip install onemkl-sycl-blas"
    (found,) = [finding for finding in findings if "Fourier" in finding["found"]]
    assert found["state"] == "note"
    assert "NumPy computes linear algebra" in found["found"]
    assert found["remedy"] == "python -m pip install 'usmx[mkl]'"


@pytest.mark.parametrize("extra", ["mkl", "cuda12", "cuda13"])
def test_extras_that_errors_name_bring_the_libraries(extra):
    wanted = {"mkl": {"mkl", "onemkl-sycl-blas"}}.get(extra, {"cublas", "cusolver", "cufft"})
    lines = [line for line in requires("usmx") if f'extra == "{extra}"' in line.replace("'", '"')]
    names = {re.match(r"[a-z0-9-]+", line)[0] for line in lines}
    found = {name.removeprefix("nvidia-").removesuffix("-cu12") for name in names}
    assert wanted <= found
