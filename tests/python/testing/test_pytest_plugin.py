"""The plugin of pytest as the author of another library uses it."""

import os
import subprocess
import sys

import pytest

LIBRARY = """
import usmx

class OneRowMore:
    def __init__(self):
        self.array = usmx.zeros((2, 3))

    @property
    def __sycl_usm_array_interface__(self):
        return self.array.__sycl_usm_array_interface__ | {"shape": (3, 3)}

def make():
    return usmx.ones((3, 4))[1:, ::2]

array = make()
"""


@pytest.fixture
def run_pytest(tmp_path):
    """Run pytest in a folder with the library, and return what is printed and the exit code."""
    (tmp_path / "library.py").write_text(LIBRARY, encoding="utf-8")

    def run(*arguments, **environment):
        command = [
            sys.executable,
            "-P",
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-o",
            "pythonpath=.",
        ]
        done = subprocess.run(
            [*command, "--rootdir", tmp_path, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTEST_ADDOPTS": "", **environment},
            capture_output=True,
            text=True,
            timeout=240,
        )
        return done.stdout + done.stderr, done.returncode

    return run


@pytest.mark.slow
def test_producers_are_tests_and_each_has_a_line(run_pytest):
    names = ("library:make", "library:array", "library:OneRowMore")
    options = [f"--usm-array-interface={name}" for name in names]
    printed, code = run_pytest(*options)
    assert code == 1, printed
    assert "2 passed" in printed
    assert "1 failed" in printed
    assert "library:make: producer USMArray: " in printed
    assert "bounds: expected every element inside the allocation, found ValueError: " in printed
    assert "(48 bytes)" in printed  # what was found is whole
    assert "1 broken" in printed
    assert "Traceback" not in printed


@pytest.mark.slow
def test_broken_usmx_fails_that_check_alone(run_pytest, tmp_path):
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n", encoding="utf-8")
    (tmp_path / "broken/usmx").mkdir(parents=True)
    (tmp_path / "broken/usmx/__init__.py").write_text("raise ImportError('it is broken')\n")
    printed, code = run_pytest(
        "--usm-array-interface=library:make", "--usm-array-interface=make", PYTHONPATH="broken"
    )
    assert (code, "1 passed" in printed, "2 failed" in printed) == (1, True, True), printed
    assert "usmx cannot be imported: it is broken" in printed
    printed, code = run_pytest(PYTHONPATH="broken")
    assert (code, "USM arrays" in printed) == (0, False), printed


@pytest.mark.slow
def test_usmx_is_not_imported_unless_it_is_asked_for(run_pytest, tmp_path):
    test = "import sys\ndef test_it():\n    assert 'usmx' not in sys.modules\n"
    (tmp_path / "test_it.py").write_text(test, encoding="utf-8")
    printed, code = run_pytest()
    assert code == 0, printed


@pytest.mark.slow
def test_name_that_cannot_be_found_is_a_sentence_without_a_traceback(run_pytest):
    names = ("nolibrary:make", "library:nosuch")
    printed, code = run_pytest(*(f"--usm-array-interface={name}" for name in names))
    assert (code, "2 failed" in printed, "importlib" in printed) == (1, True, False), printed
    assert "No module named 'nolibrary'; install the package, or let pytest find it" in printed
    assert "has no attribute 'nosuch'" in printed
