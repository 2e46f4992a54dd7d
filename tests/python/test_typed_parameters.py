"""Parameters of extensions that state what they need (usmx/array/in.hpp), by each binding library."""

import functools
import os
import re
import subprocess
import sys

import dpnp
import numpy as np
import pytest
import usmx
from extension_builds import loaded
from helpers import producer_of

pytestmark = pytest.mark.slow  # an extension is compiled


@pytest.fixture(scope="session")
def module_of(folder_of):
    return functools.cache(lambda library: loaded(f"{library}_typed", folder_of(library)))


@pytest.fixture(params=["nanobind", "pybind11"])
def module(request, module_of):
    return module_of(request.param)


def shared(values, dtype="f8"):
    return usmx.asarray(np.asarray(values, dtype), usm_type="shared")


def refusal(function, *arguments, **named):
    """The first line that a call is refused with."""
    with pytest.raises(TypeError) as caught:
        function(*arguments, **named)
    return str(caught.value).splitlines()[0]


# ---- what fits


def test_array_that_fits_is_taken_as_it_is(module):
    x = shared([[1, 2], [3, 4]])
    assert module.matrix(x)._pointer == x._pointer
    assert module.matrix(x=x.T.T).shape == (2, 2)
    assert module.sum(shared([1, 2, 3])[::-2]) == 4


def test_array_of_another_package_fits(module):
    x = dpnp.ones((2, 3), dtype="f8")
    assert module.matrix(x).shape == (2, 3)


def test_read_only_array_fits_where_it_is_not_written(module):
    x = shared([[1, 2, 3]])
    x.flags.writable = False
    assert module.matrix(x).shape == (1, 3)


def test_typed_parameters_in_containers(module):
    x = shared([1, 2])
    assert module.optional_size(x) == 2
    assert module.optional_size(None) == -1
    assert module.sizes([x, x]) == 4
    assert "found float32" in refusal(module.optional_size, shared([1], "f4"))
    assert "element of an argument" in refusal(module.sizes, [x, shared([1], "f4")])


# ---- what does not fit

C_MATRIX = "matrix(): argument 'x': expected a USM array of float64 with 2 dimensions, C-contiguous"


@pytest.mark.parametrize(
    ("argument", "found"),
    [
        (lambda: shared([[1]], "f4"), "float32 with 2 dimensions"),
        (lambda: shared([1]), "float64 with 1 dimension"),
        (
            lambda: shared([[1, 2], [3, 4]]).T,
            "float64 with 2 dimensions, shape (2, 2) and strides (1, 2)",
        ),
        (lambda: np.zeros((2, 2)), "a numpy.ndarray, which usmx.asarray copies into USM"),
        (lambda: [[1.0]], "an object of type list"),
    ],
    ids=["element type", "dimensions", "layout", "NumPy", "list"],
)
def test_refusal_says_argument_requirement_and_what_was_given(module, argument, found):
    given = argument()
    assert refusal(module.matrix, given) == f"{C_MATRIX}; found {found}"
    assert refusal(module.matrix, x=given) == f"{C_MATRIX}; found {found}"


def test_refusal_says_extents_kinds_and_rights(module):
    points = usmx.zeros((4, 3), dtype="f4")
    assert module.points(points, 2).shape == (4, 3)
    assert "shape (any, 3), writable; found float32 with shape (4, 4)" in refusal(
        module.points, usmx.zeros((4, 4), dtype="f4")
    )
    points.flags.writable = False
    assert "found float32 with shape (4, 3), read-only" in refusal(module.points, points, 2)
    assert (
        "in memory that the host may touch; found float64 with 1 dimension, in memory of kind device"
        in refusal(module.sum, usmx.zeros(3))
    )
    assert "in memory of kind device; found" in refusal(module.on_device, shared([1]))
    assert module.on_device(usmx.zeros(3)) == 3


def test_methods_and_submodules_explain_refusals_too(module):
    assert "argument 'x': expected" in refusal(module.Solver().size, shared([1], "f4"))
    assert "argument 'x': expected" in refusal(module.below.sum, shared([1], "f4"))
    assert module.Solver().size(shared([1])) == 1


def test_refusal_for_another_argument_is_the_librarys_own(module):
    points = usmx.zeros((4, 3), dtype="f4")
    assert "incompatible function arguments" in refusal(module.points, points, "text")
    assert "incompatible function arguments" in refusal(module.points)
    assert "incompatible function arguments" in refusal(module.copied_beside, [1.0], "text")


def test_producer_that_claims_and_fails_raises_its_own_error(module):
    class Failing:
        @property
        def __sycl_usm_array_interface__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        module.which(Failing())
    with pytest.raises(ValueError, match="bytes"):
        module.matrix(producer_of(usmx.memory.MemoryUSMShared(96), shape=(10**9,)))


# ---- overloads


def test_overload_that_fits_is_taken(module):
    assert module.which(shared([1])) == "double"
    assert module.which(shared([1], "f4")) == "float"
    assert module.which(3) == "int"


def test_refusal_by_all_overloads_says_what_each_expected(module):
    line = refusal(module.which, shared([[1]]))
    assert (
        "argument 'x': expected a USM array of float64 with 1 dimension, or a USM array of" in line
    )
    assert "float32 with 1 dimension; found float64 with 2 dimensions" in line
    with pytest.raises(TypeError, match=r"\n    3\. "):
        module.which("text")


def test_overload_is_found_behind_an_argument_that_must_be_converted(module):
    assert module.which_beside(3, shared([1], "f4")) == "float"
    assert module.which_beside(3, shared([1])) == "double"
    assert "argument 'x'" in refusal(module.which_beside, 3, shared([[1]]))
    assert "incompatible function arguments" in refusal(module.which_beside, "k", shared([1]))


def test_mismatch_of_an_earlier_call_is_forgotten(module):
    assert module.which(shared([1], "f4")) == "float"
    assert "incompatible function arguments" in refusal(module.which)


# ---- copies


@pytest.mark.parametrize(
    "argument",
    [
        lambda: [1, 2, 3],
        lambda: (1.0, 2.0, 3.0),
        lambda: np.arange(1, 4),
        lambda: shared([1, 2, 3], "f4"),
        lambda: usmx.asarray([1.0, 2.0, 3.0]),
        lambda: shared([1, 9, 2, 9, 3])[::2],
        lambda: dpnp.arange(1, 4, dtype="f4"),
    ],
    ids=["list", "tuple", "NumPy", "element type", "kind", "layout", "dpnp"],
)
def test_convert_takes_a_copy_of_what_does_not_fit(module, argument):
    assert module.sum_of_copied(argument()) == 6


def test_convert_takes_what_fits_as_it_is(module):
    x = shared([1, 2, 3])
    assert module.given_or_copied(x) == x._pointer
    assert module.given_or_copied(x[::2]) != x._pointer


def test_overload_without_a_copy_comes_first(module):
    assert module.exact_or_copied(shared([1], "f4")) == "float"
    assert module.exact_or_copied(shared([1])) == "double"
    assert module.exact_or_copied([1]) == "double"


def test_refusal_of_a_copy_says_why(module):
    assert "found float64 with 2 dimensions" in refusal(module.sum_of_copied, shared([[1]]))
    line = refusal(module.sum_of_copied, "text")
    assert "argument 'x': expected a USM array of float64" in line
    assert "found an object of type str (" in line


def test_a_copy_loses_neither_imaginary_parts_nor_elements_of_other_kinds(module):
    for given in (np.array([1 + 2j]), usmx.asarray([1j], usm_type="shared"), [1j], [None]):
        assert "argument 'x': expected a USM array of float64" in refusal(
            module.sum_of_copied, given
        )
    assert module.sum_of_copied(np.array([1, 2], "i4")) == 3


def test_convert_asks_a_producer_once(module_of):
    class Counted:
        asked = 0

        @property
        def __sycl_usm_array_interface__(self):
            self.asked += 1
            return array.__sycl_usm_array_interface__

    array = shared([1, 2, 3], "f4")
    producer = Counted()
    assert module_of("nanobind").sum_of_copied(producer) == 6
    assert producer.asked == 1


# ---- stubs

PROGRAM = """
import dpnp
import usmx
from nanobind_typed import matrix, same_array, sum_of_copied

matrix(usmx.zeros((2, 2)))
matrix(dpnp.zeros((2, 2)))
same_array(dpnp.zeros((2, 2)))
sum_of_copied([1.0, 2.0])
matrix("text")
"""


def test_type_checkers_take_any_producer_and_nothing_else(folder_of, tmp_path):
    stub = [sys.executable, "-P", "-m", "nanobind.stubgen", "-q", "-m", "nanobind_typed"]
    stub += ["-i", folder_of("nanobind"), "-o", tmp_path / "nanobind_typed.pyi"]
    subprocess.run([str(part) for part in stub], check=True)
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-P", "-m", "mypy", "--ignore-missing-imports", "program.py"]
    environment = {**os.environ, "MYPY_CACHE_DIR": os.devnull}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    errors = [line for line in done.stdout.splitlines() if line.startswith("program.py:")]
    assert len(errors) == 1, done.stdout  # overloads that differ in words alone are one to mypy
    assert re.match(r"program\.py:10: error: .*SupportsUsmArrayInterface", errors[0])
