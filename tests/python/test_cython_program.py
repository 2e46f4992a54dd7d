"""A Cython program that chains work without waiting: tests/python/extensions/cython/chained.pyx."""

import sys
import sysconfig
from pathlib import Path

import dpnp
import numpy as np
import pytest
import usmx
from extension_builds import loaded
from helpers import run
from sharing import shared_folder

pytestmark = pytest.mark.slow

EXTENSIONS = Path(__file__).parent / "extensions"
SUPPORT = Path(__file__).parents[1] / "cpp"
COUNT = 1 << 14
DEVICE, SHARED = 1, 2
ANY, ORDERED, UNORDERED, HOST = range(4)


def build(folder):
    folder.mkdir()
    source = folder / "cython_chained.cpp"
    cython = [sys.executable, "-m", "cython", "-3", "--cplus", "-I", Path(usmx.__file__).parents[1]]
    run(*cython, EXTENSIONS / "cython/chained.pyx", "-o", source, "--module-name", "cython_chained")
    flags = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags", "--libs").split()
    flags += ["-I", sysconfig.get_path("include"), "-I", SUPPORT, "-std=c++20", "-shared", "-fPIC"]
    run(
        "g++",
        "-w",
        source,
        *flags,
        "-o",
        source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX")),
    )


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    return loaded("cython_chained", shared_folder(tmp_path_factory, "cython_chained", build))


@pytest.fixture
def gate_on(module):
    """Make unfinished work on an array; it ends with the test at the latest."""
    gates = []

    def make(x, record):
        gates.append(module.Gate(x))
        record(gates[-1].event())
        return gates[-1]

    yield make
    for gate in gates:
        gate.open()


def numbers():
    return usmx.asarray(np.arange(float(COUNT)), usm_type="shared")


def is_running(event):
    return event.execution_status.name != "complete"


def test_copies_chain_and_return_while_the_first_work_runs(module, gate_on):
    x, arrays = numbers(), [usmx.zeros(COUNT, usm_type="shared") for _ in range(5)]
    gate = gate_on(x, x.record_write)
    events = [module.copy(*pair) for pair in zip([x, *arrays], arrays, strict=False)]
    assert all(map(is_running, events))
    gate.open()
    assert usmx.asnumpy(arrays[-1]).tolist() == list(range(COUNT))


def test_calls_that_make_their_results_chain_and_return_while_the_first_work_runs(module, gate_on):
    x = numbers()
    gate = gate_on(x, x.record_write)
    y = x
    for _ in range(5):
        y = module.copied(y)
    assert is_running(gate.event())
    gate.open()
    assert usmx.asnumpy(y).tolist() == list(range(COUNT))


@pytest.mark.parametrize("use", [ANY, ORDERED, UNORDERED, HOST])
def test_new_array_is_for_every_use(module, use):
    x = module.new_array(SHARED, use)
    x[:] = 5
    assert (x.usm_type, x.tolist()) == ("shared", [5, 5, 5])


@pytest.mark.parametrize(
    ("kind", "use", "message"),
    [
        (DEVICE, HOST, "kind must be shared .2. or host .3. for the use by the host, found 1"),
        (SHARED, 4, "use must be one of usmx_use .0 to 3., found 4"),
        (SHARED, -1, "use must be one of usmx_use .0 to 3., found -1"),
        (0, ORDERED, "kind must be device .1., shared .2. or host .3., found 0"),
    ],
)
def test_new_array_that_cannot_be_is_refused(module, kind, use, message):
    with pytest.raises(ValueError, match=message):
        module.new_array(kind, use)


def test_reads_do_not_wait_for_reads(module, gate_on):
    x, y = numbers(), usmx.zeros(COUNT)
    gate_on(x, x.record_read)
    module.copy(x, y).wait()
    assert usmx.asnumpy(y)[-1] == COUNT - 1


def test_reads_of_a_memory_object_do_not_hold_up_reads(module, gate_on):
    x, y = numbers(), usmx.zeros(COUNT)
    gate_on(x, usmx.memory.as_usm_memory(x).record_read)
    assert module.number_of_pending(x, y) == 0
    assert module.number_of_pending(y, x) == 1


@pytest.mark.parametrize("name", ["record", "record_write"])
def test_writes_of_a_memory_object_hold_up_all(module, gate_on, name):
    x, y = numbers(), usmx.zeros(COUNT)
    gate_on(x, getattr(usmx.memory.as_usm_memory(x), name))
    assert module.number_of_pending(x, y) == 1
    assert module.number_of_pending(y, x) == 1


def test_pending_events_are_those_of_the_elements(module, gate_on):
    x, y = numbers(), usmx.zeros(COUNT)
    gate_on(x, x[: COUNT // 2].record_write)
    assert module.number_of_pending(x[: COUNT // 2], y) == 1
    assert module.number_of_pending(x[COUNT // 2 :], y) == 0


def test_memory_outlives_the_work(module, gate_on):
    x, y = numbers(), usmx.zeros(COUNT)
    gate = gate_on(x, x.record_write)
    module.copy(x, y)
    del x
    gate.open()
    assert usmx.asnumpy(y)[-1] == COUNT - 1


def test_the_host_gets_finished_elements(module):
    x, y = numbers(), usmx.zeros(COUNT, usm_type="shared")
    module.copy(x[1:], y[1:])
    assert module.first_number(y[5:]) == 5
    with pytest.raises(TypeError, match="expected an array in memory that the host may touch"):
        module.first_number(usmx.zeros(3))


def test_arrays_of_dpnp_are_right(module):
    x, y = numbers(), dpnp.zeros(COUNT)
    module.copy(x, y)
    assert dpnp.asnumpy(y + 1)[-1] == COUNT


def test_errors_are_those_of_usmx(module):
    x, y = numbers(), usmx.zeros(COUNT)
    with pytest.raises(TypeError, match="expected a USM array, found list"):
        module.copy([1.0], y)
    with pytest.raises(ValueError, match="read-only"):
        module.copy(x, y.readonly())
