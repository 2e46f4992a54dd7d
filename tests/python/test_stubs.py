"""The types that usmx declares agree with what it is, and suffice for programs that use it."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import usmx
import usmx.testing
from test_readme import PYTHON

ROOT = Path(__file__).parents[2]
STUB = Path(usmx._core.__file__).with_name("_core.pyi")

# What stubtest says of every extension made with nanobind, whose functions and classes are of
# types of their own.
OF_NANOBIND = re.compile(r"is inconsistent, metaclass differs$|is not a function$")
# A slot until Python 3.12, and no attribute.
OF_PYTHON_3_11 = re.compile(r"__buffer__ is not present at runtime$")

# As `strict`, but that functions of the program itself need no types.
STRICT_ABOUT_USMX = (
    "--strict",
    "--allow-untyped-defs",
    "--allow-incomplete-defs",
    "--check-untyped-defs",
    "--allow-subclassing-any",
    "--no-warn-return-any",
)


def mypy(*arguments, module="mypy"):
    """The lines that mypy or stubtest prints. It finds usmx where this process has found it."""
    where = [str(Path(folder).parent) for folder in usmx.__path__]
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": os.pathsep.join(where), "MYPY_CACHE_DIR": os.devnull},
        timeout=280,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if ": error:" in line or module != "mypy"]


@pytest.fixture(scope="module")
def disagreements():
    """What stubtest finds between the stubs and the package that is installed."""
    said = mypy(
        *("--concise", "--ignore-disjoint-bases", "--mypy-config-file", ROOT / "pyproject.toml"),
        "usmx",
        module="mypy.stubtest",
    )
    return [line for line in said if not OF_NANOBIND.search(line)]


def test_stubs_agree_with_the_package(disagreements):
    if sys.version_info < (3, 12):
        disagreements = [line for line in disagreements if not OF_PYTHON_3_11.search(line)]
    assert disagreements == []


def test_stubs_say_the_type_of_everything():
    text = STUB.read_text(encoding="utf-8")
    signatures = re.findall(r"def (\w+)\((.*)\)(.*):", text)
    assert len(signatures) > 150
    assert [name for name, _, result in signatures if not result.startswith(" -> ")] == []
    parameters = [(name, p) for name, listed, _ in signatures for p in listed.split(", ")]
    plain = {"self", "/", "*", ""}
    untyped = [(n, p) for n, p in parameters if p.isidentifier() and p not in plain]
    assert untyped == []


@pytest.mark.parametrize("module", [usmx, usmx.memory, usmx.testing], ids=lambda m: m.__name__)
def test_public_functions_say_their_types(module):
    functions = [getattr(module, n) for n in module.__all__ if n != "__version__"]
    functions = [f for f in functions if inspect.isfunction(f)]
    untyped = [
        f"{f.__name__}: {name}"
        for f in functions
        for name in [*inspect.signature(f).parameters, "return"]
        if name not in f.__annotations__
    ]
    assert untyped == []


def test_examples_are_right_by_their_types(tmp_path):
    """Those of the documents, and examples/pca."""
    programs = []
    for number, block in enumerate(PYTHON):
        name = f"{block.document.stem}_{block.line}".replace("-", "_")
        programs.append(tmp_path / f"{name}_{number}.py")
        programs[-1].write_text(block.text, encoding="utf-8")
    assert len(programs) > 5
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nignore_missing_imports = True\n", encoding="utf-8")
    programs += sorted((ROOT / "examples/pca/python").rglob("*.py"))
    assert mypy("--config-file", config, *STRICT_ABOUT_USMX, *programs) == []


TYPED = """
from typing import Any, assert_type

import numpy as np
import usmx

a = usmx.asarray([[1, 2], [3, 4]], usm_type="shared")
assert_type(a, usmx.USMArray)
assert_type(a[0], usmx.USMArray)
assert_type(a.T, usmx.USMArray)
assert_type(a.shape, tuple[int, ...])
assert_type(a.dtype, np.dtype[Any])
assert_type(int(a[0, 0]), int)
assert_type(float(a[0, 0]), float)
assert_type(complex(a[0, 0]), complex)
assert_type(bool(a[0, 0]), bool)
assert_type(len(a), int)
assert_type([row for row in a], list[usmx.USMArray])
assert_type("abc"[a[0, 0]], str)
assert_type(memoryview(a).nbytes, int)
assert_type(a.sycl_queue, usmx.SyclQueue)
assert_type(a.sycl_queue == a.sycl_queue, bool)
with usmx.print_options(precision=2) as options:
    assert_type(options, dict[str, Any])
memory = usmx.memory.MemoryUSMShared(a)
assert_type(memory.nbytes, int)
assert_type(memory.tobytes(), bytes)
assert_type(bytes(memory), bytes)
assert_type(usmx.memory.as_usm_memory(a).nbytes, int)
assert_type(usmx.get_devices(), list[usmx.SyclDevice])
"""


def test_program_with_these_types_is_right(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(TYPED, encoding="utf-8")
    assert mypy("--strict", program) == []


WRONG = [
    "a + 1",
    "2 * a",
    "a < a",
    "1 in a",
    "{a: 1}",
    "a.nosuch",
    "a.shape + 1",
    "usmx.zeros('three')",
    "usmx.zeros(3, usm_type=1)",
    "usmx.SyclQueue(property=1)",
]


def test_expressions_that_would_fail_are_refused_by_their_types(tmp_path):
    program = tmp_path / "program.py"
    lines = ["import usmx", "a = usmx.zeros(3)", *(f"x = [{wrong}]" for wrong in WRONG)]
    program.write_text("\n".join(lines), encoding="utf-8")
    found = {int(re.search(r":(\d+): ", line)[1]) for line in mypy(program)}
    assert [lines[number - 1] for number in sorted(found)] == lines[2:]
