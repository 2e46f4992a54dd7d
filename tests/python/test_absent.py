"""Without dpctl and dpnp every test is found, and those skip that need them (absent.py)."""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

# Runs a module of tests as where both packages are absent; prints what became of each, and why.
RUN = """
import json, sys
folder, module = sys.argv[1:]
sys.modules.update(dpctl=None, dpnp=None)
sys.path[:0] = [folder, {here!r}]
import absent, pytest
absent.TESTS = (folder, {here!r})
outcomes = {{}}
class Reports:
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            why = report.longrepr[2] if report.skipped else ""
            outcomes[report.nodeid.partition("::")[2]] = report.outcome, why
pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", folder, module], plugins=[absent, Reports()])
print("\\n" + json.dumps(outcomes))
"""

MODULE = """
import types

import dpctl.memory
import dpnp
import dpnp.tensor as dpt
import pytest
from dpctl import SyclQueue

import library

class Mine(dpctl.memory.MemoryUSMShared):
    pass

@pytest.fixture
def queue():
    return SyclQueue()

def test_uses_a_name(): dpctl.SyclDevice
def test_uses_a_fixture(queue): pass
def test_asks_for_a_class(): isinstance(5, SyclQueue)
def test_imports_it(): import dpnp.tensor
@pytest.mark.parametrize("make", [list, dpnp.ones])
def test_parameter(make): make()
@pytest.mark.parametrize("each", [*dpctl.backend_type, "opencl"])
def test_walked(each): assert each == "opencl"
def test_program():
    import subprocess, sys
    done = subprocess.run([sys.executable, "-c", "raise ModuleNotFoundError(\\"No module named 'dpctl'\\")"], capture_output=True, text=True)
    import absent
    absent.raise_if_in_vain(done)
def test_needs_neither(): pass
def test_library_that_says_what_it_needs(): library.to_dpnp()
def test_library_that_looks_for_it(): library.looks()
def test_library_found_none(): assert library.FOUND is None
def test_another_package():
    import no_such_package
"""

LIBRARY = """
try:
    import dpctl as FOUND
except ImportError:
    FOUND = None

def looks():
    import dpctl

def to_dpnp():
    raise ImportError("to_dpnp needs dpnp")
"""

SKIPPED = {
    "uses_a_name": "dpctl",
    "uses_a_fixture": "dpctl",
    "asks_for_a_class": "dpctl",
    "imports_it": "dpnp",
    "parameter[make1]": "dpnp",
    "program": "dpctl",
    "library_that_says_what_it_needs": "dpnp",
}


def outcomes(tmp_path):
    tests, elsewhere = tmp_path / "tests", tmp_path / "elsewhere"
    for folder, name, text in ((tests, "test_it.py", MODULE), (elsewhere, "library.py", LIBRARY)):
        folder.mkdir()
        (folder / name).write_text(text)
    ran = subprocess.run(
        [
            sys.executable,
            "-P",
            "-c",
            RUN.format(here=str(HERE)),
            str(tests),
            str(tests / "test_it.py"),
        ],
        env={"PYTHONPATH": str(elsewhere)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1]), ran.stdout


def test_what_needs_an_absent_package_is_skipped_and_nothing_else(tmp_path):
    found, shown = outcomes(tmp_path)
    by = {
        outcome: {
            name.removeprefix("test_"): why
            for name, (each, why) in found.items()
            if each == outcome
        }
        for outcome in ("passed", "failed", "skipped")
    }
    assert by["skipped"] == {
        name: f"Skipped: {package} is not installed" for name, package in SKIPPED.items()
    }, shown
    assert set(by["failed"]) == {"library_that_looks_for_it", "another_package"}, shown
    assert set(by["passed"]) == {
        "parameter[list]",
        "walked[opencl]",
        "needs_neither",
        "library_found_none",
    }, shown
