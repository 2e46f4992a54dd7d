"""What functions of an extension take and give through the casters of its binding library."""

import functools
import importlib
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import dpctl
import numpy as np
import pytest
import usmx
from extension_builds import loaded
from helpers import Producer, beginning_in, producer_of, run_python, sub_devices

pytestmark = pytest.mark.slow  # an extension is compiled

CONTAINERS = ["optional_array", "vector_of_arrays", "number_or_array", "array_and_number"]
CONTAINERS_OF_VIEWS = ["size_of_optional_view", "size_of_views"]


@pytest.fixture(scope="session")
def extension_of(folder_of):
    return functools.cache(lambda library: loaded(f"{library}_extension", folder_of(library)))


@pytest.fixture(params=["nanobind", "pybind11"])
def library(request):
    return request.param


@pytest.fixture
def folder(library, folder_of):
    return folder_of(library)


@pytest.fixture
def extension(library, extension_of):
    return extension_of(library)


@pytest.fixture
def by_nanobind(extension_of):
    """What pybind11 cannot do or does in another way is not asked of it."""
    return extension_of("nanobind")


def mine(count=4):
    return usmx.asarray(np.arange(float(count)), usm_type="shared")


def inside(function, obj):
    """The argument that has an object where the function's container has one."""
    if function in {"vector_of_arrays", "vector_of_events", "size_of_views"}:
        return [mine(), obj, mine()] if function != "vector_of_events" else [obj]
    return (obj, 3) if function == "array_and_number" else obj


class Counted(Producer):
    """A producer that counts how often it was asked."""

    def __init__(self, array=None, error=None):
        self.array, self.error, self.asked = array, error, 0

    @property
    def __sycl_usm_array_interface__(self):
        self.asked += 1
        if self.error:
            raise self.error
        return self.array.__sycl_usm_array_interface__


class Holder:
    """An object whose _get_capsule() gives what another one's gives, or raises."""

    def __init__(self, obj=None, error=None):
        self.obj, self.error = obj, error

    def _get_capsule(self):
        if self.error:
            raise self.error
        return self.obj._get_capsule()


class MyError(Exception):
    """What only the tests raise."""


def lying():
    return producer_of(usmx.memory.MemoryUSMShared(96), shape=(10**9,))


# ---- objects that claim and fail


@pytest.mark.parametrize(
    "function", ["size_of_view", "same_array", *CONTAINERS, *CONTAINERS_OF_VIEWS]
)
def test_exception_of_a_producer_passes_through(extension, function):
    with pytest.raises(MyError, match="mine"):
        getattr(extension, function)(inside(function, Counted(error=MyError("mine"))))


@pytest.mark.parametrize(
    "function", ["size_of_view", "same_array", *CONTAINERS, *CONTAINERS_OF_VIEWS]
)
def test_what_is_wrong_with_a_dictionary_is_said(extension, function):
    with pytest.raises(ValueError, match="bytes"):
        getattr(extension, function)(inside(function, lying()))


@pytest.mark.parametrize(
    "function", ["same_queue", "same_event", "optional_queue", "vector_of_events"]
)
def test_exception_of_a_holder_passes_through(extension, function):
    with pytest.raises(MyError, match="mine"):
        getattr(extension, function)(inside(function, Holder(error=MyError("mine"))))


def test_container_without_a_caster_of_usmx_takes_a_failing_object_for_a_wrong_type(by_nanobind):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        by_nanobind.arrays_by_name({"x": Counted(error=MyError("mine"))})


@pytest.mark.parametrize(
    "function",
    [
        "size_of_view",
        "same_queue",
        "same_event",
        "optional_queue",
        *CONTAINERS,
        *CONTAINERS_OF_VIEWS,
    ],
)
def test_object_of_another_kind_is_a_wrong_type(extension, function):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        getattr(extension, function)(inside(function, "text"))


def test_exception_does_not_stay_for_the_next_call(extension):
    with pytest.raises(MyError):
        extension.optional_array(Counted(error=MyError()))
    with pytest.raises(TypeError, match="incompatible"):
        extension.optional_array("text")
    assert extension.optional_array(mine()).shape == (4,)


def test_failing_object_may_fit_another_alternative(by_nanobind):
    class Number(Counted):
        def __float__(self):
            return 2.5

    assert by_nanobind.array_or_number(Number(error=MyError())) == 2.5


# ---- results


def test_optional_array_comes_back(extension):
    x = mine()
    assert extension.optional_array(x)._pointer == x._pointer
    assert extension.optional_array(producer_of(usmx.memory.MemoryUSMShared(96))).shape == (3, 4)
    assert extension.optional_array(None) is None


def test_arrays_in_a_vector_come_back(extension):
    arrays = [mine(), mine(), producer_of(usmx.memory.MemoryUSMShared(96))]
    back = extension.vector_of_arrays(arrays)
    assert [type(a) for a in back] == [usmx.USMArray] * 3
    assert [a.shape for a in back] == [(4,), (4,), (3, 4)]
    assert back[0]._pointer == arrays[0]._pointer
    assert extension.vector_of_arrays([]) == []


def test_alternative_that_fits_comes_back(extension):
    x = mine()
    assert extension.number_or_array(x)._pointer == x._pointer
    assert extension.number_or_array(2) == 2.0


def test_array_in_a_pair_comes_back(extension):
    x = mine()
    back, number = extension.array_and_number((x, 3))
    assert (back._pointer, number) == (x._pointer, 3)


def test_array_in_a_dictionary_comes_back(extension):
    x = mine()
    assert extension.arrays_by_name({"x": x})["x"]._pointer == x._pointer


def test_nested_containers_come_back(extension):
    x = mine()
    assert extension.optional_vector([x])[0]._pointer == x._pointer
    assert extension.optional_vector(None) is None
    with pytest.raises(MyError, match="mine"):
        extension.optional_vector([x, Counted(error=MyError("mine"))])


@pytest.mark.parametrize("make", [usmx.SyclQueue, dpctl.SyclQueue])
def test_optional_queue_comes_back(extension, make):
    queue = make()
    assert extension.optional_queue(queue) == queue
    assert extension.optional_queue(Holder(queue)) == queue
    assert extension.optional_queue(None) is None


def test_a_producer_may_empty_the_list_that_it_is_in(extension):
    class Emptying:
        array = usmx.ones(3, usm_type="shared")

        @property
        def __sycl_usm_array_interface__(self):
            items.clear()
            return self.array.__sycl_usm_array_interface__

    items = [Emptying(), *(usmx.ones(2, usm_type="shared") for _ in range(5))]
    sizes = [array.size for array in extension.vector_of_arrays(items)]
    assert sizes in ([3, 2, 2, 2, 2, 2], [3])  # as nanobind's caster of ours and pybind11's have it


def test_events_in_a_vector_come_back(extension):
    events = [usmx.SyclEvent(), dpctl.SyclEvent(), Holder(usmx.SyclEvent())]
    back = extension.vector_of_events(events)
    assert all(isinstance(e, dpctl.SyclEvent) for e in back)
    assert back[0] == events[0]


@pytest.mark.parametrize("package", [usmx, dpctl])
def test_contexts_and_devices_come_back(extension, package):
    device = package.SyclDevice()
    context = package.SyclQueue(device).sycl_context
    assert isinstance(extension.same_device(device), dpctl.SyclDevice)
    assert extension.same_device(device) == device
    assert isinstance(extension.same_context(context), dpctl.SyclContext)
    assert extension.same_context(context) == context
    assert extension.same_context(Holder(context)) == context
    for wrong in (3, "cpu", None, usmx.zeros(3)):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            extension.same_device(wrong)
        with pytest.raises(TypeError, match="incompatible function arguments"):
            extension.same_context(wrong)


def test_sub_devices_come_back(extension):
    for device in sub_devices():
        assert extension.same_device(device) == device


# ---- views in containers


def test_views_in_containers_are_valid_during_the_call(extension):
    class Fleeting(Sequence):
        """Items that nobody else has."""

        def __len__(self):
            return 50

        def __getitem__(self, k):
            if k >= len(self):
                raise IndexError
            return usmx.asarray(np.full(1000, float(k)), usm_type="shared")

    assert extension.sum_of_views(Fleeting()) == sum(1000.0 * k for k in range(50))


def test_sizes_of_views(extension):
    assert extension.size_of_views([mine(3), mine(5)]) == 8
    assert extension.size_of_optional_view(mine(3)) == 3
    assert extension.size_of_optional_view(None) == -1


def test_what_a_call_has_kept_is_let_go_at_its_end(extension):
    usmx.synchronize()
    before = usmx.memory.memory_stats("shared")["used_bytes.current"]
    for function in [*CONTAINERS, *CONTAINERS_OF_VIEWS]:
        getattr(extension, function)(inside(function, Counted(mine())))
    usmx.synchronize()
    assert usmx.memory.memory_stats("shared")["used_bytes.current"] == before


# ---- asking once


@pytest.mark.parametrize(
    "other", [pytest.param(v, id=type(v).__name__) for v in (1, 1.5, [1, 2], "text")]
)
def test_producer_is_asked_once_whatever_the_number_of_overloads(by_nanobind, other):
    producer = Counted(mine())
    expected = {int: "int", float: "double", list: "vector", str: "string"}[type(other)]
    assert by_nanobind.overloaded(producer, other) == expected
    assert producer.asked == 1


def test_producer_that_no_overload_takes_is_asked_once(by_nanobind):
    producer = Counted(mine())
    with pytest.raises(TypeError, match="incompatible function arguments"):
        by_nanobind.overloaded(producer, object())
    assert producer.asked == 1


@pytest.mark.parametrize("function", [*CONTAINERS, *CONTAINERS_OF_VIEWS])
def test_producer_in_a_container_is_asked_once(extension, function):
    producer = Counted(mine())
    getattr(extension, function)(inside(function, producer))
    assert producer.asked == 1


def test_failing_producer_in_overloads_is_asked_once(extension):
    producer = Counted(error=MyError("mine"))
    with pytest.raises(MyError, match="mine"):
        extension.overloaded(producer, "text")
    assert producer.asked == 1


def test_producer_given_twice_is_asked_at_most_once_for_each(extension):
    producer = Counted(mine())
    assert extension.size_of_views([producer, producer]) == 8
    assert producer.asked <= 2


def test_next_call_asks_again(extension):
    producer = Counted(mine(3))
    assert extension.size_of_view(producer) == 3
    producer.array = mine(5)
    assert extension.size_of_view(producer) == 5


def test_view_beside_a_wrong_type_is_asked_once(by_nanobind):
    producer = Counted(mine())
    with pytest.raises(TypeError, match="incompatible function arguments"):
        by_nanobind.view_and_number((producer, "text"))
    assert by_nanobind.view_and_number((producer, 3)) == 7
    assert producer.asked == 2


# ---- nb::cast


def test_cast_of_an_object(by_nanobind):
    assert by_nanobind.size_by_cast(Counted(mine())) == 4
    assert by_nanobind.number_beside_array((Counted(mine()), 3)) == 3
    assert by_nanobind.array_if_it_is_one(Counted(mine())).shape == (4,)
    assert by_nanobind.array_if_it_is_one(3) is None


def test_cast_that_fails_is_nanobinds_own_error(by_nanobind):
    for failing in (3, Counted(error=MyError("mine"))):
        with pytest.raises(RuntimeError, match="bad_cast"):
            by_nanobind.size_by_cast(failing)
        with pytest.raises(RuntimeError, match="bad_cast"):
            by_nanobind.number_beside_array((failing, 3))
        assert by_nanobind.array_if_it_is_one(failing) is None
    with pytest.raises(RuntimeError, match="bad_cast"):
        by_nanobind.number_beside_array((Counted(mine()), "text"))


def test_caster_holds_the_object_whose_array_it_looks_at(by_nanobind):
    def used():
        usmx.synchronize()
        return usmx.memory.memory_stats("shared")["used_bytes.current"]

    before, meanwhile = used(), []
    x = by_nanobind.caster_of_temporary(lambda: mine(1000), lambda: meanwhile.append(used()))
    assert meanwhile[0] > before
    assert usmx.asnumpy(x).sum() == 999 * 500


# ---- exceptions


def documented_exceptions():
    """The table of docs/extension-authors.md: the names of C++ classes, and Python's class."""
    text = (Path(__file__).parents[2] / "docs" / "extension-authors.md").read_text("utf-8")
    _, table = text.split("## Exceptions", 1)
    rows = re.findall(r"^\| (`.*`) \| `([\w.]+)` \|$", table.split("\n## ", 1)[0], re.MULTILINE)
    return [(name, python) for names, python in rows for name in re.findall(r"`([\w:]+)`", names)]


def class_called(name):
    """The exception class of that name, of Python or of a package."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module or "builtins"), attribute)


@pytest.mark.parametrize(("thrown", "arrives"), documented_exceptions())
def test_exception_arrives_as_documented(extension, thrown, arrives):
    with pytest.raises(Exception, match="mine" if thrown.startswith("usmx") else None) as caught:
        extension.raise_error(thrown)
    assert caught.type is class_called(arrives)


def test_every_exception_of_usmx_is_documented():
    header = Path(__file__).parents[2] / "include" / "usmx" / "base" / "error.hpp"
    classes = re.findall(r"^class USMX_API (\w+)", header.read_text("utf-8"), re.MULTILINE)
    documented = {name for name, _ in documented_exceptions()}
    assert {f"usmx::{name}" for name in classes} <= documented


# ---- arrays without memory


def test_array_that_was_moved_from_is_no_result(extension):
    with pytest.raises(ValueError, match="without memory"):
        extension.moved_from(mine())


# ---- import_usmx


def in_folder(folder, code):
    return run_python(beginning_in(folder) + code)


def test_extension_that_forgot_to_import_usmx_works(folder):
    code = """
        import forgetful_extension as m
        assert "usmx" not in sys.modules
        print(type(m.new_event()).__name__)
        import usmx
        print(m.same_array(usmx.zeros(3)).shape)
        try:
            m.take_and_raise(usmx.zeros(3))
        except TypeError as error:
            print(error)
    """
    done = in_folder(folder, textwrap.dedent(code))
    assert done.stdout.splitlines() == ["SyclEvent", "(3,)", "mine"], done.stderr


def test_missing_usmx_is_an_import_error_of_the_first_use(folder):
    code = """
        import forgetful_extension as m
        sys.modules["usmx"] = None
        for use in (m.new_event, lambda: m.same_array(3)):
            try:
                use()
            except ImportError as error:
                print(error.name)
    """
    done = in_folder(folder, textwrap.dedent(code))
    assert done.stdout.splitlines() == ["usmx", "usmx"], done.stderr


OTHER_VERSION = "from table_versions import pretend_version; pretend_version(99, 0)\n"


def test_other_version_is_an_import_error_with_both_versions_and_the_extension(folder, library):
    code = OTHER_VERSION + f"import {library}_extension"
    done = in_folder(folder, code)
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert re.search(rf"{library}_extension\S*\.so .* version 1\.\d+ .* version 99\.", done.stderr)


def test_other_version_is_an_import_error_where_import_usmx_was_forgotten(folder):
    code = OTHER_VERSION + "import forgetful_extension as m; m.same_array(3)"
    done = in_folder(folder, code)
    assert done.returncode == 1
    assert re.search(
        r"^ImportError: .*forgetful_extension\S*\.so .* 1\.\d+ .* 99\.", done.stderr, re.M
    )


# ---- the benchmark


def test_benchmark_of_arguments_prints_and_writes_costs(library, folder, tmp_path):
    file = tmp_path / "costs.json"
    script = Path(__file__).parents[2] / "benchmarks" / "arguments.py"
    command = [sys.executable, script, "--quick", "--by", library, "--built", folder]
    command += ["--json", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ +-?\d+ ns  usmx array$", done.stdout, re.MULTILINE)
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert rows[0]["argument"] == "usmx array"
    assert all(isinstance(row["seconds"], float) for row in rows)
