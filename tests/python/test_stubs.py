"""The types that usmx declares agree with what it is, and suffice for programs that use it."""

import inspect
import json
import os
import re
import site
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import usmx
import usmx.testing
from sharing import shared_folder
from test_readme import PYTHON
from usmx import _typing
from usmx._container import compute_follows_data, print_options, types
from usmx._container.elsewhere import _OF_ARRAYS
from usmx._container.types import NAMES
from usmx._numpy.names import NAMES as NUMPYS

TYPED = """
from typing import Any, assert_type

import numpy as np
import usmx
from numpy.typing import NDArray

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
assert_type([row for row in a], list[Any])
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
assert_type(np.asarray(a), NDArray[Any])
assert_type(usmx.asnumpy(a), NDArray[Any])
assert_type(usmx.reshape(a, -1), usmx.USMArray)
assert_type(usmx.concat([a, a], axis=1), usmx.USMArray)
assert_type(usmx.nonzero(a), tuple[usmx.USMArray, ...])
assert_type(usmx.float32, type[np.float32])
usmx.zeros_like(a, dtype=usmx.dtype("f4"), usm_type=a.usm_type, order="A")
usmx.zeros(3, usm_type=usmx.memory.MemoryUSMHost(8).get_usm_type())
usmx.isdtype(a.dtype, ("bool", "real floating", usmx.int8))
assert_type(a + 1, usmx.USMArray)
assert_type(2.5 * a @ a.T, usmx.USMArray)
assert_type(a == None, usmx.USMArray)
assert_type(a < np.float32(3), usmx.USMArray)
assert_type(1 in a, bool)
assert_type(usmx.sin(a, out=a), usmx.USMArray)
assert_type(usmx.add(a, True), usmx.USMArray)
assert_type(usmx.add.reduce(a, axis=1), usmx.USMArray)
assert_type(usmx.minimum.outer(a, [1, 2]), usmx.USMArray)
assert_type(usmx.absolute(a), usmx.USMArray)
assert_type(usmx.array([1, 2]), usmx.USMArray)
assert_type(usmx.median(a, axis=0), usmx.USMArray)
assert_type(usmx.allclose(a, a), bool)
assert_type(usmx.random.rand(2, 3), usmx.USMArray)
usmx.random.seed(7)
usmx.ndarray((2, 3), usmx.int_)
assert_type(usmx.sum(a, axis=(0, 1)), usmx.USMArray)
twice = usmx.ElementwiseKernel("T x", "T y", "y = x + x")
assert_type(twice(a), usmx.USMArray)
low, high = usmx.ElementwiseKernel("T x", "T y, T z", "y = x; z = x")(a)
assert_type(high, Any)
assert_type(a.mean(axis=0), usmx.USMArray)
assert_type(usmx.unique_counts(a).counts, usmx.USMArray)
a += 1
usmx.SyclQueue(property=["in_order", "enable_profiling"])
a[0] = 1
a[a[:, 0]] = [1, 2]
"""

WRONG = [
    "a + 'text'",
    "a < None",
    "usmx.add(a)",
    "usmx.add.reduce()",
    "usmx.median(a, axes=0)",
    "usmx.sum(a, axis='first')",
    "a.sum(axes=1)",
    "a.nosuch",
    "a.shape + 1",
    "usmx.zeros('three')",
    "usmx.zeros(3, usm_type=1)",
    "usmx.SyclQueue(property=1)",
    "usmx.typo",
    "usmx.memory.typo",
    "usmx.testing.typo",
    "usmx.float8",
]

# Of every option that is a string: one that there is not.
WRONG_OPTIONS = [
    "usmx.zeros(3, usm_type='divice')",
    "usmx.zeros(3, order='A')",
    "usmx.zeros_like(a, usm_type='unknown')",
    "usmx.asarray(a, order='X')",
    "usmx.copy(a, order='X')",
    "usmx.eye(3, order='K')",
    "usmx.meshgrid(a, indexing='yx')",
    "usmx.reshape(a, 3, order='K')",
    "usmx.astype(a, 'f4', casting='same kind')",
    "usmx.can_cast('f4', 'f8', casting='any')",
    "usmx.copy_async(a, usmx.zeros(3, 'f4'), casting='any')",
    "usmx.take(a, a, mode='none')",
    "usmx.put(a, a, 1, mode='none')",
    "usmx.isdtype(a.dtype, 'floating')",
    "usmx.searchsorted(a, a, side='middle')",
    "usmx.__array_namespace_info__().dtypes(kind='floating')",
    "usmx.set_print_options(floatmode='short')",
    "usmx.set_print_options(sign='~')",
    "usmx.USMArray(3, buffer='divice')",
    "usmx.USMArray(3, order='K')",
    "a.copy('X')",
    "a.ravel('X')",
    "a.flatten('X')",
    "a.reshape(3, order='K')",
    "a.astype('f4', order='X')",
    "a.astype('f4', casting='any')",
    "usmx.SyclQueue(property='inorder')",
]

ROOT = Path(__file__).parents[2]
STUB = Path(usmx._core.__file__).with_name("_core.pyi")

# What stubtest says of every extension made with nanobind, whose functions and classes are of
# types of their own.
OF_NANOBIND = re.compile(
    r"is inconsistent, metaclass differs$|is not a function$|stub is a staticmethod but runtime is not$"
)
# stubtest takes a static function in C for a method of the class.
OF_STATIC_FUNCTIONS = re.compile(r"runtime is a classmethod but stub is not$")
# It has two forms, and what inspect can say of functions in C is one.
OF_OVERLOADS = re.compile(r"^usmx\._core\.SyclQueue\.__init__ is inconsistent")
# It takes what __init__ takes, which the stub says.
OF_NEW = re.compile(r"^usmx\._core\.Sycl(Queue|Event)\.__new__ is inconsistent")
# mypy takes a Literal of several strings for a Union of them; at run time it is none.
OF_LITERALS = re.compile(r"^usmx\.[\w.]+ is not a Union$")
# Programs that lie in the package's folder and are no part of it.
OF_EXAMPLES = re.compile(r"^usmx\.examples\.")
# No module, which says so.
OF_TENSOR = re.compile(r"^usmx\.tensor failed to import")
# Names that USMArray lacks: attributes that raise and say so.
OF_LACKING_NAMES = re.compile(rf"\.USMArray\.({'|'.join(_OF_ARRAYS)}) is not present in stub$")
# What inspect reads of a class; a stub says it by __init__.
OF_SIGNATURES = re.compile(r"\.__signature__ is not present in stub$")
# Computed from the names that are imported as themselves, which are public for type checkers too.
OF_ALL = re.compile(r"^usmx\.(memory\.)?__all__ is not present in stub$")
# Libraries of C++, which stubtest takes for modules.
OF_LIBRARIES = re.compile(r"^usmx\.lib\.libusmx_onemkl_(blas|host|lapack) failed to find stubs")
# The wrapper of functools.cache takes any arguments.
OF_CACHED = re.compile(
    r"^usmx\.(_compute\.call\.cpp|_container\.(asynchronous\.wait_at_exit|manipulation\._roll)) is inconsistent"
)
# mypy has no names for the parameters of a function that a ParamSpec stands for.
OF_UFUNCS = re.compile(
    r'^usmx\._compute\.elementwise\.\w+ is inconsistent, stub parameter "__arg[01]" differs'
)
# A slot until Python 3.12, and no attribute.
OF_PYTHON_3_11 = re.compile(r"__buffer__ is not present at runtime$")

# stubtest reads what usmx declares, for which it need not read the large packages that usmx and its
# examples use: they take half of its time.
SETTINGS = """
[mypy]
python_version = 3.11
ignore_missing_imports = True
disable_error_code = annotation-unchecked
[mypy-Cython.*,IPython.*,PIL.*,_pytest.*,matplotlib.*,numba.*,prompt_toolkit.*,pytest.*,rich.*,traitlets.*]
follow_imports = skip
"""

# As `strict`, but that functions of the program itself need no types, nor other packages.
STRICT_ABOUT_USMX = (
    "--strict",
    "--allow-untyped-defs",
    "--allow-incomplete-defs",
    "--check-untyped-defs",
    "--allow-subclassing-any",
    "--allow-untyped-calls",
    "--no-warn-return-any",
    "--ignore-missing-imports",
)


def run(module, *arguments):
    """The lines that mypy or stubtest prints. They find usmx where this process has found it."""
    where = {str(Path(folder).parent) for folder in usmx.__path__} - set(site.getsitepackages())
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
    assert "errors prevented further checking" not in done.stdout
    return done.stdout.splitlines()


# ---- the stubs


@pytest.mark.slow
def test_stubs_agree_with_the_package(tmp_path):
    settings = tmp_path / "mypy.ini"
    settings.write_text(SETTINGS, encoding="utf-8")
    options = ("--concise", "--ignore-disjoint-bases", "--mypy-config-file", settings)
    others = [
        OF_NANOBIND,
        OF_STATIC_FUNCTIONS,
        OF_OVERLOADS,
        OF_NEW,
        OF_LITERALS,
        OF_EXAMPLES,
        OF_TENSOR,
        OF_LACKING_NAMES,
        OF_SIGNATURES,
        OF_ALL,
        OF_LIBRARIES,
        OF_CACHED,
        OF_UFUNCS,
    ]
    if sys.version_info < (3, 12):
        others.append(OF_PYTHON_3_11)
    said = run("mypy.stubtest", *options, "usmx")
    assert [line for line in said if not any(other.search(line) for other in others)] == []


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


def public_names():
    """All of the package, as a program writes them."""
    names = [f"usmx.{name}" for name in (*usmx.__all__, *NAMES, *NUMPYS, "dtype", "newaxis")]
    names += [f"usmx.memory.{name}" for name in usmx.memory.__all__]
    return names + [f"usmx.testing.{name}" for name in usmx.testing.__all__]


@pytest.mark.parametrize(
    ("alias", "accepted"),
    [
        (_typing.UsmType, compute_follows_data._KINDS),
        (_typing.Casting, types._CASTINGS),
        (_typing.DtypeKind, types._KINDS),
        (_typing.FloatMode, print_options._FLOATMODES),
        (_typing.SignMode, print_options._SIGNS),
    ],
    ids=["UsmType", "Casting", "DtypeKind", "FloatMode", "SignMode"],
)
def test_types_of_options_are_what_the_functions_accept(alias, accepted):
    assert set(get_args(alias)) == set(accepted)


# ---- programs


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What mypy has against all programs, in one run: (name of the file, number of the line, text)."""
    folder = shared_folder(tmp_path_factory, "programs_for_mypy", check_programs)
    return [tuple(entry) for entry in json.loads((folder / "found.json").read_text("utf-8"))]


def check_programs(folder):
    folder.mkdir()
    texts = {f"{b.document.stem}_{b.line}".replace("-", "_"): b.text for b in PYTHON}
    assert len(texts) > 5
    names = "\n".join(["import usmx.testing", *public_names()])
    texts |= {"typed": TYPED, "wrong": "\n".join(wrong_lines()), "names": names}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    examples = sorted(
        [
            *(ROOT / "examples").glob("*/python/*/*.py"),
            *(ROOT / "examples/demo/usmx_demo").glob("*.py"),
        ]
    )
    said = run("mypy", *STRICT_ABOUT_USMX, *sorted(folder.glob("*.py")), *examples)
    matches = [re.match(r"(.*)\.py:(\d+): error: (.*)", line) for line in said]
    entries = [(Path(m[1]).name, int(m[2]), m[3]) for m in matches if m]
    (folder / "found.json").write_text(json.dumps(entries), encoding="utf-8")


def wrong_lines():
    expressions = enumerate([*WRONG, *WRONG_OPTIONS])
    return ["import usmx.testing", "a = usmx.zeros(3)", *(f"x{k} = [{w}]" for k, w in expressions)]


@pytest.mark.slow
def test_examples_are_right_by_their_types(found):
    """Those of the documents, and of examples/."""
    assert [entry for entry in found if entry[0] not in ("typed", "wrong", "names")] == []


@pytest.mark.slow
def test_results_have_the_types_that_they_are_said_to_have(found):
    assert [entry for entry in found if entry[0] == "typed"] == []


@pytest.mark.slow
def test_every_public_name_is_seen(found):
    assert [entry for entry in found if entry[0] == "names"] == []


@pytest.mark.parametrize("expression", WRONG_OPTIONS)
def test_options_that_there_are_not_are_refused_when_they_run_too(expression):
    a = usmx.zeros(3, "i8", usm_type="shared")
    with pytest.raises(ValueError, match="must|expected"):
        eval(expression, {"usmx": usmx, "a": a})


@pytest.mark.slow
def test_expressions_that_would_fail_are_refused_by_their_types(found):
    refused = {number for name, number, _ in found if name == "wrong"}
    assert [wrong_lines()[number - 1] for number in sorted(refused)] == wrong_lines()[2:]
