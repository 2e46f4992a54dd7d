"""Profiles of hypothesis: in CI the same cases in every run, elsewhere new ones; however slow.

And what cannot be tested on the device at hand is skipped, with the reason.
"""

import contextlib
import functools
import gc
import os
from functools import partial
from pathlib import Path

import pytest
from extension_builds import built, quick
from hypothesis import HealthCheck, settings
from sharing import shared_folder

os.environ["USMX_LEAK_WARNINGS"] = "1"  # before usmx is imported: report what is left at the end

settings.register_profile(
    "dev", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@functools.cache
def why_dpnp_cannot_compute():
    """None where it can; PyPI's has kernels for devices of OpenCL and Level Zero."""
    import usmx

    device = usmx.SyclDevice()
    if device.backend in ("opencl", "level_zero"):
        return None
    try:
        import dpnp

        dpnp.ones(1) + 1
    except Exception as error:
        return f"dpnp cannot compute on {device.filter_string}: {str(error).splitlines()[0]}"
    return None


# What a device may lack, by dpctl's error; the OpenCL CPU device lacks nothing.
LACKING = {
    "SyclSubDeviceCreationError": "cannot be divided in this way",
    "SyclProgramCompilationError": "gets no kernels from dpctl, which compiles OpenCL C for OpenCL alone",
}
# As the runtime says it where tools/level_zero cannot run a kernel: the libraries of mathematics have some for one GPU.
NOT_SIMULATED = "UR_RESULT_ERROR_UNSUPPORTED_FEATURE"


class SkipsWhatTheDeviceLacks:
    """The tests of examples, too, for which a hook in this file would not be called."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self):
        with skipping_what_the_device_lacks():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self):
        with skipping_what_the_device_lacks():
            return (yield)


def pytest_configure(config):
    config.pluginmanager.register(SkipsWhatTheDeviceLacks())


@pytest.fixture(autouse=True, scope="session")
def watched_waits():
    import usmx

    usmx._core._watch_waits()


@pytest.fixture(autouse=True)
def no_wait_holds_the_interpreter_lock(watched_waits):
    """dpctl and dpnp need the lock before their work can end: such a wait may be one for ever."""
    import usmx

    yield
    places = usmx._core._waits_with_lock()
    assert not places, f"usmx waited with the interpreter lock held, in {places}"


@pytest.fixture
def strict_host():
    """The host gets views of shared and host memory alone, as where the device is a GPU."""
    import usmx

    with usmx.host_access("strict"):
        yield


@contextlib.contextmanager
def skipping_what_the_device_lacks():
    try:
        yield
    except Exception as error:
        if (reason := lack_of_device(error)) is None:
            raise
        pytest.skip(reason)


def lack_of_device(error):
    """None if the error is no such lack."""
    import usmx
    from helpers import SIMULATED

    device = usmx.SyclDevice()
    # An error may quote one that ended a program.
    *_, last_line = str(error).splitlines() or [""]
    ended_by = last_line.partition(":")[0].rpartition(".")[2]
    lack = LACKING.get(type(error).__name__) or LACKING.get(ended_by)
    if lack and device.backend != "opencl":
        return f"{device.name} ({device.filter_string}) {lack}"
    if SIMULATED and NOT_SIMULATED in str(error):
        return "the CPU that runs a simulated GPU's kernels cannot run one of this GPU's own"
    return None


def pytest_collection_modifyitems(items):
    # First, the tests of the documentation site: of several workers one gets them all, the others never wait for it.
    items.sort(key=lambda item: "site" not in item.fixturenames)
    for item in items:
        uses_dpnp = hasattr(getattr(item, "module", None), "dpnp")
        if uses_dpnp and (reason := why_dpnp_cannot_compute()):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True, scope="module")
def nothing_older_is_collected():
    """Many tests collect garbage. What pytest holds of 15,000 tests and their reports would make that slow."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def gate_library(tmp_path_factory):
    """The path of the functions of gates.py."""
    from gates import compile_gates

    return str(shared_folder(tmp_path_factory, "gates", compile_gates) / "gates.so")


@pytest.fixture
def gate_in(gate_library):
    """Make unfinished work in the context of a queue. It ends with the test at the latest."""
    from gates import Gate

    gates = []

    def make(queue):
        gates.append(Gate(gate_library, queue))
        return gates[-1]

    yield make
    for gate in gates:
        gate.open()


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    """Where the modules lie that a binding library has made of tests/python/extensions."""

    def make(library, folder):
        source = Path(__file__).parent / "extensions" / library
        built(source, folder, [library, "usmx"], quick(tmp_path_factory))

    return lambda library: shared_folder(tmp_path_factory, library, partial(make, library))
