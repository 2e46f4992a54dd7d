"""Parameters of extensions that state what they need (usmx/array/in.hpp), by each binding library."""

import functools
import gc
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


def test_typed_array_is_a_parameter_and_a_result(module):
    x = shared([[1, 2, 3], [4, 5, 6]])
    turned = module.turned(x)
    assert (type(turned), turned.shape) == (usmx.USMArray, (3, 2))
    assert usmx.asnumpy(turned).tolist() == [[1, 4], [2, 5], [3, 6]]
    row = module.first_row(x)
    row[0] = 7
    assert usmx.asnumpy(x)[0, 0] == 7
    assert (module.which_rank(x), module.which_rank(x[0])) == (2, 1)
    assert "argument 'x': expected a USM array of float64 with 2 dimensions; found" in refusal(
        module.turned, shared([1])
    )
    x.flags.writable = False
    assert "2 dimensions, writable; found float64 with 2 dimensions, read-only" in refusal(
        module.first_row, x
    )
    assert "Annotated" in module.turned.__doc__.split("->")[0]
    assert "Annotated" not in module.turned.__doc__.split("->")[1]


def test_typed_parameters_in_containers(module):
    x = shared([1, 2])
    assert module.optional_size(x) == 2
    assert module.optional_size(None) == -1
    assert module.sizes([x, x]) == 4
    assert module.sizes([]) == 0
    assert module.sizes_if_any([x]) == 1
    assert module.sizes_if_any(None) == 0
    assert module.unchecked_sizes([x]) == 1


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


def test_refusal_says_a_shape_once(module):
    assert refusal(module.rows_of_three, usmx.zeros((3, 2), dtype="f4").T) == (
        "rows_of_three(): argument 'x': expected a USM array of float32 with shape (any, 3), C-contiguous;"
        " found float32 with shape (2, 3) and strides (1, 2)"
    )


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


def test_the_first_of_two_wrong_arguments_is_named(module):
    double, single = shared([1, 2]), shared([1], "f4")
    assert module.sizes_of_two(double, 1, single) == 1
    assert module.sizes_of_two(y=single, count=1, x=double) == 1
    assert "argument 'x': expected a USM array of float64" in refusal(
        module.sizes_of_two, single, 1, double
    )
    assert "argument 'y': expected a USM array of float32" in refusal(
        module.sizes_of_two, y=double, count=1, x=double
    )


def test_argument_without_a_name_is_counted(module):
    assert refusal(module.columns, [1]).startswith("columns(): argument 1: expected")
    assert refusal(module.Solver().grow, [1]).startswith("grow(): argument 1: expected")


def test_refusal_says_which_element_of_a_container_it_is(module):
    x, wrong = shared([1, 2]), shared([1], "f4")
    assert refusal(module.optional_size, wrong).startswith("optional_size(): argument 1: expected")
    for function in (module.sizes, module.sizes_if_any):
        assert "argument 'xs', element 1: expected" in refusal(function, [x, wrong, x])
        assert "element 0: expected" in refusal(function, (3, x))
    assert "incompatible function arguments" in refusal(module.sizes, 3)


def test_methods_and_submodules_explain_refusals_too(module):
    wrong = shared([1], "f4")
    assert "size(): argument 'x': expected" in refusal(module.Solver().size, wrong)
    assert "size(): argument 'x': expected" in refusal(module.Solver.size, module.Solver(), x=wrong)
    assert "sum(): argument 'x': expected" in refusal(module.below.sum, wrong)
    solver = module.Solver(shared([1, 2]))
    assert solver.grow(shared([1])) == 3
    assert solver.size(x=shared([1])) == 4


def test_constructors_and_static_methods_explain_refusals_too(module):
    assert module.Sized(shared([1, 2])).size == 2
    assert module.Solver.made(shared([1, 2])).size(shared([1])) == 3
    wrong = shared([1], "f4")
    assert "__init__(): argument 'x': expected" in refusal(module.Sized, x=wrong)
    assert "made(): argument 'x': expected" in refusal(module.Solver.made, wrong)


def test_call_guards_and_docstrings_of_the_library_work(module):
    assert module.unlocked(shared([1, 2])) == 3  # without the interpreter lock
    assert "found an object of type list" in refusal(module.unlocked, [1, 2])  # noconvert()
    assert module.sum.__doc__.rstrip().endswith("Adds.")


def test_error_of_the_function_itself_arrives(module):
    with pytest.raises(ValueError, match="mine"):
        module.failing(shared([1]))


def test_function_that_exists_is_not_defined_again(module):
    with pytest.raises(TypeError, match=r"def: 'sum' is defined already"):
        module.define_sum_in(module)
    assert module.sum(shared([1, 2])) == 3


def test_a_producer_may_call_refused_functions_while_it_is_asked(module):
    class Calling:
        array = shared([1], "f4")

        @property
        def __sycl_usm_array_interface__(self):
            self.refusal = refusal(module.matrix, [1.0])
            return self.array.__sycl_usm_array_interface__

    producer = Calling()
    assert "found float32 with 1 dimension" in refusal(module.sum, producer)
    assert "matrix(): argument 'x'" in producer.refusal
    assert module.which(producer) == "float"


def test_refused_arguments_are_let_go(module):
    def used():
        gc.collect()  # exceptions hold the frames of the calls
        usmx.synchronize()
        return usmx.memory.memory_stats("shared")["used_bytes.current"]

    before, x, wrong = used(), shared([1]), [object()]
    counts = [sys.getrefcount(x), sys.getrefcount(wrong), sys.getrefcount(wrong[0])]
    for _ in range(3):
        for function in (module.matrix, module.which, module.look_at_named, module.Sized):
            refusal(function, shared(np.zeros((3, 3, 3))))
            refusal(function, wrong)
        refusal(module.sizes, [x, wrong])
        refusal(module.sum_of_copied, wrong)
        refusal(module.unchecked_sizes, [x, wrong])
    gc.collect()
    assert [sys.getrefcount(x), sys.getrefcount(wrong), sys.getrefcount(wrong[0])] == counts
    del x
    assert used() == before


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


# ---- objects that are taken as they are


def test_objects_of_usmx_and_sycl_arrive(module):
    queue, x = usmx.default_queue(), shared([1, 2])
    event = usmx.copy_async(x, x.copy())
    assert module.two_arrays(x, y=dpnp.ones(3)) == 5
    assert module.viewed(x[::2]) == 1
    assert module.size_of_views([x, dpnp.ones(3)]) == 5
    assert module.of_queue(queue) == queue
    assert module.of_device(queue.sycl_device) == queue.sycl_device
    assert module.of_context(queue.sycl_context) == queue.sycl_context
    assert module.queue_if_any(None) is None
    assert module.queue_if_any(queue) == queue
    assert module.after([event, module.of_event(event)]) == 2


@pytest.mark.parametrize(
    ("name", "argument", "expected"),
    [
        ("viewed", "x", "USM array"),
        ("of_queue", "queue", "usmx.SyclQueue"),
        ("queue_if_any", "queue", "usmx.SyclQueue"),
        ("of_event", "event", "usmx.SyclEvent"),
        ("of_device", "device", "usmx.SyclDevice"),
        ("of_context", "context", "usmx.SyclContext"),
    ],
)
def test_refusal_of_an_object_says_argument_and_what_was_expected(module, name, argument, expected):
    function = getattr(module, name)
    text = f"{name}(): argument '{argument}': expected a {expected}; found an object of type list"
    assert refusal(function, [1]) == text
    assert refusal(function, **{argument: [1]}) == text


def test_refusal_of_an_array_says_which_one(module):
    text = "two_arrays(): argument 'y': expected a USM array; found a numpy.ndarray, which usmx.asarray"
    assert refusal(module.two_arrays, shared([1]), np.ones(2)).startswith(text)


def test_refusal_of_an_object_in_a_list_says_its_place(module):
    x = shared([1])
    assert "argument 'events', element 1: expected a usmx.SyclEvent; found" in refusal(
        module.after, [usmx.copy_async(x, x.copy()), x]
    )
    assert "argument 'xs', element 0: expected a USM array; found" in refusal(
        module.size_of_views, [1]
    )


def test_object_that_claims_and_fails_raises_its_own_error(module):
    class Failing:
        def _get_capsule(self):
            raise KeyError("mine")

    for function in (module.of_queue, module.queue_if_any):
        with pytest.raises(KeyError, match="mine"):
            function(Failing())


# ---- overloads


def test_overload_that_fits_is_taken(module):
    assert module.which(shared([1])) == "double"
    assert module.which(shared([1], "f4")) == "float"
    assert module.which(3) == "int"


def test_refusal_by_all_overloads_is_the_librarys_own(module):
    for wrong in (shared([[1]]), "text"):
        with pytest.raises(TypeError, match="incompatible function arguments") as caught:
            module.which(wrong)
        assert len(str(caught.value)) < 2000
        listed = re.findall(r"\n +\d\. (?:which)?\(x: .*\)", str(caught.value))
        assert len(listed) == 3
        assert "USM array of float64 with 1 dimension" in listed[0]
        assert "USM array of float32 with 1 dimension" in listed[1]


def test_refusal_by_the_librarys_own_def_has_the_requirement(module):
    for function in (module.look_at_named, module.unchecked_sizes, module.Solver):
        with pytest.raises(TypeError, match=r"incompatible (function|constructor) arguments") as e:
            function(shared([1], "f4"))
        assert "USM array of float64 with" in str(e.value)
    assert module.any_rank(usmx.zeros((2, 3), dtype="i4")) == 2


def test_end_of_overloads_says_in_one_line_what_the_arguments_are(module):
    assert module.ended(shared([1])) == "double"
    assert module.ended(shared([1], "f4"), k=2) == "float"
    assert module.Solver().ended(3) == "int"
    with pytest.raises(TypeError) as caught:
        module.ended(usmx.zeros((2, 3), dtype="f4"), [1], k="text")
    assert str(caught.value) == (
        "ended(): no overload takes the arguments (USM array of float32 with 2 dimensions, in memory of"
        " kind device; list; k=str); help() lists the overloads"
    )
    turned = usmx.zeros((2, 3), dtype="f8").T
    turned.flags.writable = False
    assert (
        "(USM array of float64 with 2 dimensions, shape (3, 2) and strides (1, 3), read-only, in memory"
        " of kind device, not C-contiguous);" in refusal(module.ended, turned)
    )
    assert refusal(module.Solver().ended, "text") == (
        "ended(): no overload takes the arguments (str); help() lists the overloads"
    )


def test_help_shows_the_overloads_alone(module_of):
    module = module_of("pybind11")  # nanobind writes the help of each signature when it is asked
    for function in (module.ended, module.Solver.ended):
        assert "Never" not in function.__doc__
        assert "NotImplemented" not in function.__doc__
    assert "1. ended(x: " in module.ended.__doc__
    assert "2. ended(x: " in module.ended.__doc__
    assert "3. " not in module.ended.__doc__


def test_end_of_overloads_comes_after_conversions_of_arguments(module):
    function = module.ended_after_conversion
    assert function(shared([1]), 3) == "number"
    assert function([1, 2]) == "copy"
    assert function(x=(1.5, 2)) == "copy"
    for arguments, named, text in [
        ((), {}, ""),
        ((), {"y": 1}, "y=int"),
        (("text",), {}, "str"),
        ((None, 1), {"arg0": 2}, "NoneType; int; arg0=int"),
    ]:
        with pytest.raises(TypeError, match="no overload takes") as caught:
            function(*arguments, **named)
        assert f"the arguments ({text});" in str(caught.value)


def test_overload_is_found_behind_an_argument_that_must_be_converted(module):
    assert module.which_beside(3, shared([1], "f4")) == "float"
    assert module.which_beside(x=shared([1], "f4"), k=3) == "float"
    assert module.which_beside(3, shared([1])) == "double"
    assert "incompatible function arguments" in refusal(module.which_beside, 3, shared([[1]]))
    assert "incompatible function arguments" in refusal(module.which_beside, "k", shared([1]))


def test_overload_is_found_by_the_elements_of_a_list(module):
    assert module.which_list([shared([1]), shared([1])]) == "double"
    assert module.which_list([shared([1], "f4")]) == "float"
    assert "incompatible" in refusal(module.which_list, [shared([1]), shared([1], "f4")])


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


PATTERNS = r"""
\.which$:
    def which(x: usmx.SupportsUsmArrayInterface | int) -> str: ...

\.(which_beside)$:
    def \1(k: float, x: usmx.SupportsUsmArrayInterface) -> str: ...

\.which_rank$:
    def which_rank(x: usmx.SupportsUsmArrayInterface) -> int: ...
"""


def errors_in_stub(folder, tmp_path, patterns):
    """The functions whose overloads mypy refuses in a stub that is made with these patterns."""
    (tmp_path / "stubs.txt").write_text(patterns, encoding="utf-8")
    module = "nanobind_typed"
    stub = [sys.executable, "-P", "-m", "nanobind.stubgen", "-q", "-m", module, "-i", folder]
    stub += ["-p", tmp_path / "stubs.txt", "-o", tmp_path / f"{module}.pyi"]
    subprocess.run([str(part) for part in stub], check=True)
    command = [sys.executable, "-P", "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache"]
    command += [f"{module}.pyi"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    lines = (tmp_path / f"{module}.pyi").read_text().splitlines()
    places = re.findall(r":(\d+): error: .*\[overload", done.stdout)
    return {re.findall(r"def (\w+)", lines[int(place) - 1])[0] for place in places}


def test_overloads_in_a_stub_are_one_signature_by_a_pattern(folder_of, tmp_path):
    alike = {"which", "which_beside", "which_list", "which_rank", "exact_or_copied"}
    assert errors_in_stub(folder_of("nanobind"), tmp_path, "") == alike
    assert errors_in_stub(folder_of("nanobind"), tmp_path, PATTERNS) == {
        "which_list",
        "exact_or_copied",
    }
