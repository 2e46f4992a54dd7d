"""``python -m usmx doctor``: Level Zero's usual faults, each of which is really there.

A GPU is files that only the doctor's process sees in /sys, and a loader is a library that g++ builds.
What needs a driver runs where there is one (./test level-zero).
"""

import ctypes
import os

import pytest
import usmx
from doctors import built_library, doctor, in_own_mounts, one

pytestmark = pytest.mark.slow

CHECK = "level-zero"

LOADER = """
#include <cstring>
extern "C" {
unsigned zeInit(unsigned) { return INIT; }
unsigned zeDriverGet(unsigned* count, void** drivers) {
  *count = 1;
  if (drivers) *drivers = &drivers;
  return 0;
}
unsigned zeDriverGetApiVersion(void*, unsigned* version) { *version = 1 << 16 | 9; return 0; }
unsigned zeDriverGetProperties(void*, char* properties) {
  const unsigned version = 30000;
  std::memcpy(properties + 32, &version, sizeof version);
  return 0;
}
unsigned zeDeviceGet(void*, unsigned* count, void** devices) {
  *count = DEVICES;
  if (devices) *devices = &devices;
  return 0;
}
unsigned zelLoaderGetVersions(std::size_t* count, char* component) {
  *count = 1;
  if (component) {
    const int numbers[3] = {1, RELEASE, 0};
    std::strcpy(component, "loader");
    std::memcpy(component + 68, numbers, sizeof numbers);
  }
  return 0;
}
}
"""


def loader(folder, init=0, devices=1, release=30):
    """The folder with a loader of that release, whose driver has so many devices."""
    source = LOADER.replace("INIT", str(init)).replace("RELEASE", str(release))
    built_library(folder / "libze_loader.so.1", source.replace("DEVICES", str(devices)))
    return folder


def with_card(tmp_path, file):
    """A command that sees an Intel GPU, which programs reach by that file."""
    card = tmp_path / "class/drm/renderD128"
    (card / "device").mkdir(parents=True)
    (card / "device/vendor").write_text("0x8086\n")
    (card / "uevent").write_text(f"MAJOR=226\nDEVNAME=..{file}\n")
    return in_own_mounts("/sys/class", tmp_path / "class")


def file_of_card(tmp_path):
    """One that this user may open."""
    file = tmp_path / "renderD128"
    file.write_text("")
    return file


@pytest.fixture
def _no_loader_of_the_system():
    try:
        ctypes.CDLL("libze_loader.so.1")
    except OSError:
        return
    pytest.skip("this machine has a loader of Level Zero")


@pytest.fixture
def gpu():
    """A device of the real driver."""
    for device in usmx.get_devices():
        if device.backend == "level_zero":
            return device
    pytest.skip("this machine has no device of Level Zero")


@pytest.fixture
def _needs_the_cpu_device():
    if not any(device.is_cpu for device in usmx.get_devices()):
        pytest.skip("the selector shows no CPU device")


# ---- no real driver is needed


@pytest.mark.usefixtures("_no_loader_of_the_system")
def test_machine_without_intel_gpu_needs_no_level_zero():
    assert "there is no Intel GPU" in one(doctor(CHECK), CHECK, "ok")["found"]


@pytest.mark.usefixtures("_no_loader_of_the_system", "_needs_the_cpu_device")
def test_missing_loader_is_noted_where_another_device_works(tmp_path):
    wrapper = with_card(tmp_path, file_of_card(tmp_path))
    finding = one(doctor(CHECK, wrapper=wrapper), CHECK, "note")
    assert "loader cannot be loaded: libze_loader.so.1: cannot open" in finding["found"]
    assert "libze1" in finding["remedy"]


@pytest.mark.usefixtures("_no_loader_of_the_system")
def test_missing_loader_is_a_problem_where_the_gpu_is_selected(tmp_path):
    wrapper = with_card(tmp_path, file_of_card(tmp_path))
    found = doctor(CHECK, wrapper=wrapper, ONEAPI_DEVICE_SELECTOR="level_zero:gpu")
    assert "loader cannot be loaded" in one(found, CHECK, "problem")["found"]


def with_loader(tmp_path, **properties):
    """The findings with such a loader."""
    return doctor(CHECK, LD_LIBRARY_PATH=loader(tmp_path, **properties))[CHECK]


def only(findings, part):
    """The one that says so."""
    (finding,) = [each for each in findings if part in each["found"]]
    return finding


def test_loader_without_a_driver_is_found(tmp_path):
    finding = only(with_loader(tmp_path, init="0x78000001"), "finds no driver")
    assert "(zeInit returned 0x78000001)" in finding["found"]
    assert "libze-intel-gpu1" in finding["remedy"]


def test_driver_without_a_device_is_found(tmp_path):
    finding = only(with_loader(tmp_path, devices=0), "finds no device")
    assert "/dev/dri" in finding["remedy"]


def test_loader_that_is_too_old_for_the_runtime_is_named(tmp_path):
    finding = only(with_loader(tmp_path, release=6), "is older than")
    assert f"{tmp_path}/libze_loader.so.1 is older than the 1.8.0" in finding["found"]


def test_driver_whose_gpu_the_runtime_does_not_take_is_named(tmp_path):
    finding = only(with_loader(tmp_path), "does not take")
    assert "driver 1.9.30000 has a GPU" in finding["found"]
    assert "install the newest driver" in finding["remedy"]


def test_two_loaders_on_the_library_path_are_noted(tmp_path):
    first, second = loader(tmp_path / "first"), loader(tmp_path / "second")
    findings = doctor(CHECK, LD_LIBRARY_PATH=f"{first}:{second}")[CHECK]
    finding = only(findings, "two loaders")
    assert finding["state"] == "note"
    assert (
        f"{first}/libze_loader.so.1 is used, and not {second}/libze_loader.so.1" in finding["found"]
    )


def test_device_file_that_the_container_lacks_is_named(tmp_path):
    wrapper = with_card(tmp_path, "/dev/dri/renderD128")
    finding = only(doctor(CHECK, wrapper=wrapper)[CHECK], "this machine has an Intel GPU (")
    assert "there is no /dev/../dev/dri/renderD128" in finding["found"]
    assert "--device /dev/dri" in finding["remedy"]


def test_device_file_without_permission_is_named(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make a file that is somebody else's")
    file = file_of_card(tmp_path)
    os.chown(file, 12345, 12345)
    file.chmod(0o600)
    tmp_path.chmod(0o755)
    findings = doctor(CHECK, wrapper=with_card(tmp_path, file))[CHECK]
    finding = only(findings, "may not open")
    assert str(file) in finding["found"]
    assert "add the user to the group" in finding["remedy"]


# ---- with the real driver


@pytest.mark.level_zero
def test_gpu_that_works_is_good(gpu):
    finding = one(doctor(CHECK, **selected()), CHECK, "ok")
    assert f"drivers and their devices: {gpu.driver_version} with " in finding["found"]


def selected(selector="level_zero:gpu"):
    return {"ONEAPI_DEVICE_SELECTOR": selector}


@pytest.mark.level_zero
@pytest.mark.usefixtures("gpu")
def test_selector_that_hides_the_gpu_is_noted():
    finding = one(doctor(CHECK, **selected("opencl:cpu")), CHECK, "note")
    assert finding["found"] == "ONEAPI_DEVICE_SELECTOR='opencl:cpu' hides the GPU of Level Zero"
    assert "unset ONEAPI_DEVICE_SELECTOR" in finding["remedy"]


@pytest.mark.level_zero
@pytest.mark.usefixtures("gpu")
def test_mask_that_hides_the_gpu_is_noted():
    finding = one(doctor(CHECK, ZE_AFFINITY_MASK="9"), CHECK, "note")
    assert finding["found"] == "ZE_AFFINITY_MASK='9' hides the GPU from Level Zero"


@pytest.mark.level_zero
def test_driver_that_the_runtime_refuses_is_named(gpu):
    """Its list of refused releases is how the runtime treats old drivers, too."""
    found = doctor(CHECK, SYCL_UR_L0_DRIVER_SKIPLIST=gpu.driver_version)
    assert f"driver {gpu.driver_version} has a GPU" in one(found, CHECK, "note")["found"]


@pytest.mark.level_zero
@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize(
    ("value", "state", "text"),
    [
        ("COMPOSITE", "note", "a card is one device, and its tiles are its sub-devices"),
        ("COMBINED", "note", "each tile of a card is a device of its own, which knows its card"),
        ("TILES", "problem", "ZE_FLAT_DEVICE_HIERARCHY='TILES' has no meaning"),
    ],
)
def test_hierarchy_of_devices_is_told(value, state, text):
    found = doctor(CHECK, **selected(), ZE_FLAT_DEVICE_HIERARCHY=value)
    assert text in one(found, CHECK, state)["found"]
