"""NumPy's names: each is there or has a reason, explains itself, and takes NumPy's arguments."""

import doctest
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import usmx
from helpers import output_of
from usmx._numpy.names import ABSENT, ALIASES, MODULES, NAMES, OF_NUMPY, TYPES

ELSEWHERE = {"einsum", "fft", "kron", "linalg"}  # whose own tests look for them
FUNCTIONS = sorted(name for name in MODULES if inspect.isfunction(getattr(usmx, name)))
OWN = {"device", "usm_type", "sycl_queue"}


def test_every_name_of_numpy_is_there_or_has_a_reason():
    public = {name for name in dir(np) if not name.startswith("_")}
    assert public - set(dir(usmx)) - ELSEWHERE == ABSENT.keys() & public
    assert [name for name in ABSENT if hasattr(usmx, name) and name != "testing"] == []


@pytest.mark.parametrize("name", sorted(ABSENT.keys() - {"testing"}))
def test_name_that_usmx_lacks_says_why(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': ") as caught:
        getattr(usmx, name)
    assert ABSENT[name] in str(caught.value)


@pytest.mark.slow
def test_types_and_page_follow_from_the_table():
    tool = Path(__file__).parents[3] / "tools/write_numpy_names.py"
    done = subprocess.run(
        [sys.executable, tool, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_names_are_in_dir_and_can_be_imported():
    assert set(NAMES) <= set(dir(usmx))
    code = "from usmx import cumsum, array, ndarray, r_, int_; print(cumsum(array([1, 2])))"
    assert output_of(code) == "[1 3]"


def test_names_cost_an_import_nothing():
    code = "import sys, usmx; print([m for m in sys.modules if m.startswith('usmx._numpy')])"
    assert output_of(code) == "[]"


@pytest.mark.parametrize("name", sorted(ALIASES))
def test_other_name_is_the_same_function(name):
    assert getattr(usmx, name) is getattr(usmx, ALIASES[name])


@pytest.mark.parametrize("name", TYPES)
def test_other_name_of_a_type_is_that_type(name):
    assert getattr(usmx, name) == np.dtype(getattr(np, name))
    assert getattr(usmx, name)(1) == 1
    assert usmx.zeros(2, getattr(usmx, name)).dtype == getattr(np, name)


@pytest.mark.parametrize("name", OF_NUMPY)
def test_what_holds_no_array_is_numpys(name):
    assert getattr(usmx, name) is getattr(np, name)


def parameters(function):
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.kind) for each in found if each.name not in OWN]


# NumPy's arguments that no function of usmx has.
NOT_TAKEN = {"allow_pickle", "like", "ndmax", "subok"}
WITH_WEIGHTS = {"quantile", "percentile", "nanquantile", "nanpercentile"}
OF_THE_REST = {  # these hand the rest on to NumPy's function
    "loadtxt", "genfromtxt", "savetxt", "array2string", "array_str",
}  # fmt: skip
UFUNCS = {name for name in FUNCTIONS if isinstance(getattr(np, name), np.ufunc)}


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - UFUNCS - OF_THE_REST - {"vectorize"}))
def test_arguments_are_numpys_in_numpys_order(name):
    try:
        theirs = [each for each, _ in parameters(getattr(np, name)) if each not in NOT_TAKEN]
    except ValueError:  # NumPy's function in C has no signature
        return
    if name in WITH_WEIGHTS:
        theirs.remove("weights")
    mine = [each for each, _ in parameters(getattr(usmx, name)) if each != "subok"]
    assert mine == theirs


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_explains_its_arguments_and_its_example_works(name):
    function = getattr(usmx, name)
    text = inspect.getdoc(function)
    entries = re.findall(r"^    ([\w, ]+): ", text.partition("Args:")[2], re.MULTILINE)
    explained = {argument for entry in entries for argument in entry.split(", ")}
    assert set(inspect.signature(function).parameters) - explained == set()
    assert "wait" in text.lower()
    assert "Returns:" in text or function.__annotations__["return"] != "USMArray"
    assert [n for n, _ in parameters(function) if n not in function.__annotations__] == []
    test = doctest.DocTestParser().get_doctest(text, {"usmx": usmx}, name, None, 0)
    failures = []
    doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
    assert test.examples
    assert "".join(failures) == ""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_itself_after_pickling_and_names_its_keywords(name):
    function = getattr(usmx, name)
    assert pickle.loads(pickle.dumps(function)) is function
    kinds = {kind for _, kind in parameters(function)}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        with pytest.raises(TypeError, match="'no_such_keyword', it takes "):
            function(no_such_keyword=1)


# Functions of two arrays, by name. Those of a list of arrays join them with `concat`.
OF_TWO = [
    "allclose",
    "array_equiv",
    "average",
    "convolve",
    "correlate",
    "cov",
    "cross",
    "digitize",
    "dot",
    "ediff1d",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "heaviside",
    "histogram",
    "inner",
    "intersect1d",
    "isclose",
    "lcm",
    "ldexp",
    "lexsort",
    "logaddexp2",
    "matvec",
    "outer",
    "polyadd",
    "polyval",
    "setdiff1d",
    "setxor1d",
    "trapezoid",
    "union1d",
    "vdot",
    "vecmat",
]


@pytest.mark.parametrize("name", OF_TWO)
def test_arrays_of_two_queues_are_refused(name):
    device = usmx.SyclDevice()
    a, b = (usmx.ones((3, 3), "i8", sycl_queue=usmx.SyclQueue(device)) for _ in range(2))
    if name in ("convolve", "correlate", "digitize", "polyval", "polyadd"):
        a, b = a[0], b[0]
    calls = {
        "average": lambda: usmx.average(a, weights=b),
        "histogram": lambda: usmx.histogram(a, weights=b),
        "lexsort": lambda: usmx.lexsort((a, b)),
        "ediff1d": lambda: usmx.ediff1d(a, b),
        "digitize": lambda: usmx.digitize(a, b),
    }
    with pytest.raises(usmx.ExecutionPlacementError):
        calls.get(name, lambda: getattr(usmx, name)(a, b))()
