"""``python -m usmx doctor``: drivers that other programs do not find, and the faults of NVIDIA GPUs.

A GPU is files that only the doctor's process sees in /sys, and CUDA's driver a library that g++ builds.
"""

import ctypes
import sys
from pathlib import Path

import pytest
import usmx
from doctors import built_library, doctor, in_own_mounts, one
from usmx._doctor import cuda, devices, versions
from usmx._doctor.situation import Probe, Situation

RUNTIME = Path("/runtime/lib")
CPU = {"filter": "opencl:cpu:0"}


# ---- what other programs find


@pytest.fixture
def _needs_the_cpu_driver():
    if not any(d.backend == "opencl" and d.is_cpu for d in usmx.get_devices()):
        pytest.skip("the driver is that of the OpenCL CPU device")


@pytest.mark.usefixtures("_needs_the_cpu_driver")
def test_driver_that_a_variable_registers_is_found_by_all():
    found = doctor("registered", OCL_ICD_FILENAMES=Path(sys.prefix) / "lib/libintelocl.so")
    assert "other SYCL programs find" in one(found, "registered", "ok")["found"]


class Seen:
    """A situation in which processes have seen these things."""

    import_error = None

    def __init__(self, cuda=None, alone=None, environment=(), without=None):
        self.cuda = cuda or Probe(device_count=1)
        self.alone = alone or Probe(devices=[CPU], runtimes=[str(RUNTIME / "libsycl.so.9")])
        self.environment = dict(environment)
        self._without = without

    def without(self, *names):
        return self._without


def test_driver_that_usmx_alone_shows_is_noted_with_what_to_export(monkeypatch):
    monkeypatch.setattr(devices, "value_in_process", lambda: "/a/libintelocl.so")
    (finding,) = devices.check_registered(Seen())
    assert finding.state == "note"
    assert "looks for devices before usmx is imported (import ray does that" in finding.found
    first, _, workers = finding.remedy.partition("; ")
    assert first == "import usmx first, or export OCL_ICD_FILENAMES=/a/libintelocl.so"
    assert workers == "Ray's workers need the variable"


def test_variable_is_read_as_drivers_see_it(monkeypatch):
    monkeypatch.setenv("OCL_ICD_FILENAMES", "/a/libintelocl.so")  # which sets it in C, too
    assert devices.value_in_process() == "/a/libintelocl.so"


# ---- NVIDIA GPUs


def card(tmp_path, vendor):
    """The folder of a display of this vendor's, as Linux shows it."""
    folder = tmp_path / "pci/devices/0000:01:00.0"
    folder.mkdir(parents=True)
    (folder / "vendor").write_text(f"{vendor}\n")
    (folder / "class").write_text("0x030200\n")
    return tmp_path / "pci"


@pytest.mark.slow
@pytest.mark.skipif(cuda.CONTROL.exists(), reason="this machine has an NVIDIA GPU")
def test_card_without_its_device_file_is_noted(tmp_path):
    wrapper = in_own_mounts("/sys/bus/pci", card(tmp_path, "0x10de"))
    finding = one(doctor("cuda", wrapper=wrapper), "cuda", "note")
    assert "there is no /dev/nvidiactl" in finding["found"]
    assert "--gpus all" in finding["remedy"]


@pytest.mark.skipif(cuda.CONTROL.exists(), reason="this machine has an NVIDIA GPU")
def test_machine_without_nvidia_gpu_needs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(cuda, "CARDS", card(tmp_path, "0x8086") / "devices")
    (finding,) = cuda.check(Seen())
    assert (finding.state, finding.found) == ("ok", "there is no NVIDIA GPU")


@pytest.fixture
def _with_device_file(tmp_path, monkeypatch):
    (tmp_path / "nvidiactl").write_text("")
    monkeypatch.setattr(cuda, "CONTROL", tmp_path / "nvidiactl")


def with_adapter(monkeypatch, folder, why="", value="", release="2026.2.0"):
    """The package is in this folder, and the loader says why it does not take what is there."""
    monkeypatch.setattr(cuda, "package_folder", lambda: folder)
    monkeypatch.setattr(cuda, "unloadable", lambda _: why)
    monkeypatch.setattr(cuda, "value_in_process", lambda _: value)
    installed = versions.installed
    monkeypatch.setattr(
        versions, "installed", lambda name: release if name == cuda.PACKAGE else installed(name)
    )


@pytest.mark.usefixtures("_with_device_file")
@pytest.mark.parametrize(
    ("seen", "state", "found"),
    [
        (
            Seen(Probe("load", "libcuda.so.1: no such file")),
            "note",
            "CUDA's driver cannot be load",
        ),
        (Seen(Probe("start", "cuInit returned 804, CUDA_ERROR_X")), "note", "cuInit returned 804"),
        (Seen(Probe(), environment={cuda.MASK: ""}), "note", "CUDA_VISIBLE_DEVICES='' hides"),
        (Seen(), "note", "no adapter for NVIDIA GPUs: usmx-cuda is not installed, and there is no"),
        (Seen(alone=Probe("devices", "none")), "problem", "no adapter for NVIDIA GPUs"),
        (Seen(alone=Probe(devices=[{"filter": "cuda:gpu:0"}])), "ok", "shows cuda:gpu:0"),
    ],
)
def test_fault_of_an_nvidia_gpu_is_named(seen, state, found, monkeypatch):
    with_adapter(monkeypatch, None)
    (finding,) = cuda.check(seen)
    assert (finding.state, found in finding.found) == (state, True), finding
    assert finding.remedy or state == "ok"


@pytest.mark.usefixtures("_with_device_file")
def test_selector_that_hides_the_gpu_is_named(tmp_path, monkeypatch):
    (tmp_path / cuda.ADAPTER).write_text("")
    with_adapter(monkeypatch, None)
    alone = Probe(devices=[CPU], runtimes=[str(tmp_path / "libsycl.so.9")])
    selector = {"ONEAPI_DEVICE_SELECTOR": "opencl:cpu"}
    shown = Probe(devices=[{"filter": "cuda:gpu:0"}])
    (finding,) = cuda.check(Seen(alone=alone, environment=selector, without=shown))
    assert "ONEAPI_DEVICE_SELECTOR='opencl:cpu' hides the GPU of CUDA" in finding.found
    (finding,) = cuda.check(Seen(alone=alone))
    assert "UR_LOG_CUDA" in finding.remedy


GPU = Probe(devices=[{"filter": "cuda:gpu:0"}])


@pytest.mark.usefixtures("_with_device_file")
def test_package_of_the_adapter_is_named_where_the_gpu_works(monkeypatch):
    with_adapter(monkeypatch, Path("/p/usmx_cuda"))
    (finding,) = cuda.check(Seen(alone=GPU))
    assert finding.found == "the SYCL runtime shows cuda:gpu:0, by usmx-cuda 2026.2.0"


@pytest.mark.usefixtures("_with_device_file")
def test_faults_of_the_adapters_package_are_named(monkeypatch):
    folder = Path("/p/usmx_cuda")
    with_adapter(monkeypatch, folder, why="libumf.so.1: cannot open shared object file")
    (finding,) = cuda.check(Seen())
    assert "cannot be loaded: libumf.so.1: cannot open" in finding.found
    with_adapter(monkeypatch, folder)
    (finding,) = cuda.check(Seen())
    assert "shows no device" in finding.found
    with_adapter(monkeypatch, folder, value=None)  # usmx, in this process, has not found it
    (finding,) = cuda.check(Seen())
    assert finding.found.startswith(f"usmx-cuda is in {folder}, and usmx looks for it")
    assert f"export UR_ADAPTERS_SEARCH_PATH={folder}" in finding.remedy


@pytest.mark.usefixtures("_with_device_file")
@pytest.mark.parametrize("variable", cuda.ADAPTERS)
def test_variable_that_keeps_the_runtime_from_the_adapter_is_named(variable, monkeypatch):
    with_adapter(monkeypatch, Path("/p/usmx_cuda"))
    (finding,) = cuda.check(Seen(environment={variable: "/q"}, without=GPU))
    assert finding.found.startswith(f"{variable}='/q' keeps the SYCL runtime from its adapter")
    assert "/p/usmx_cuda" in finding.remedy
    (finding,) = cuda.check(Seen(environment={variable: "/q"}, without=Probe(devices=[CPU])))
    assert "shows no device" in finding.found


@pytest.mark.usefixtures("_with_device_file")
def test_adapter_for_another_runtime_is_named(monkeypatch):
    with_adapter(monkeypatch, Path("/p/usmx_cuda"))
    needed = {cuda.PACKAGE: ["intel-sycl-rt==2025.0.4"]}
    monkeypatch.setattr(versions, "requires", lambda name: needed.get(name, []))
    (finding,) = cuda.check(Seen())
    assert finding.found.startswith("usmx-cuda needs intel-sycl-rt==2025.0.4, and intel-sycl-rt")
    assert "pip install" in finding.remedy


@pytest.mark.slow
def test_driver_of_cuda_is_asked_in_a_process_of_its_own(tmp_path, monkeypatch):
    source = """
    extern "C" {
    int cuInit(unsigned) { return RESULT; }
    int cuGetErrorName(int, const char** name) { *name = "CUDA_ERROR_OF_THE_TEST"; return 0; }
    int cuDeviceGetCount(int* count) { *count = 2; return 0; }
    }"""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    for result, expected in (
        (0, Probe(device_count=2)),
        (999, Probe("start", "cuInit returned 999, CUDA_ERROR_OF_THE_TEST")),
    ):
        built_library(tmp_path / "libcuda.so.1", source.replace("RESULT", str(result)))
        assert Situation((), None).cuda == expected


def test_missing_driver_of_cuda_is_told():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        assert Situation((), None).cuda.failed_step == "load"
    else:
        pytest.skip("this machine has CUDA's driver")
