"""What an extension in C does through usmx's table of functions, by C99 alone."""

import importlib.machinery
import importlib.util
import re
import subprocess
import sysconfig
import textwrap
from pathlib import Path

import compile as compiler
import dpctl
import numpy as np
import pytest
import usmx
from helpers import producer_of, run_python

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    pytest.skip(
        "CPython 3.13t has no stable ABI: a module that was built for it crashes in PyModule_Create",
        allow_module_level=True,
    )

HERE = Path(__file__).parent
NOT_OF_THIS_KIND, CONVERTED, CONVERTED_BY_OTHERS = 0, 1, 2
BOOL, INT32, INT64, FLOAT32, FLOAT64, STRUCTURED = 0, 3, 4, 10, 11, 14
DEVICE, SHARED, HOST = 1, 2, 3
TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
READ_ONLY = 1
VALUE_ERROR, OVERFLOW_ERROR = 1, 5


def load(path):
    """The module `extension` in that file."""
    loader = importlib.machinery.ExtensionFileLoader("extension", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("extension", loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    return compiler.compiled(HERE / "extension.c", tmp_path_factory.mktemp("c") / "new.abi3.so")


@pytest.fixture
def extension(path):
    return load(path)


def shared(values):
    return usmx.asarray(np.asarray(values), usm_type="shared")


def values_of(x):
    return usmx.asnumpy(x).tolist()


class Asked:
    """A producer that counts how often it was asked, or fails."""

    def __init__(self, array=None, error=None):
        self.array, self.error, self.count = array, error, 0

    @property
    def __sycl_usm_array_interface__(self):
        self.count += 1
        if self.error:
            raise self.error
        return self.array.__sycl_usm_array_interface__

    def _get_capsule(self):
        raise self.error


class Holder:
    """An object whose _get_capsule() gives what another one's gives."""

    def __init__(self, obj):
        self.obj = obj

    def _get_capsule(self):
        return self.obj._get_capsule()


# ---- the header and the table


def test_extension_needs_no_library_of_usmx_or_sycl(path):
    done = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True)
    assert re.findall(r"NEEDED.*\[(.*)\]", done.stdout) == ["libc.so.6"]


@pytest.mark.parametrize("language", ["c", "c++"])
def test_plain_header_compiles_alone_without_a_warning(language, tmp_path):
    source = tmp_path / f"header.{language}"
    source.write_text(
        '#include "usmx/c_api.h"\nint f(const usmx_view* v) { return usmx_is_c_contiguous(v); }\n'
    )
    flags = [f for f in compiler.STRICT if language == "c" or not f.startswith("-std")]
    include = compiler.INCLUDES[0]
    command = ["gcc", "-x", language, *flags, include, "-fsyntax-only", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_table_has_the_version_and_the_size_of_the_header(extension):
    (size, major, minor), (built_size, built_major, built_minor) = extension.version()
    assert (size, major, minor) == (built_size, built_major, built_minor)


@pytest.mark.slow
def test_extension_runs_on_a_newer_minor_version(path):
    code = f"""
        import sys
        sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent / "python")!r}]
        from table_versions import pretend_version
        pretend_version(1, 99)
        import usmx
        from test_c_extension import load
        extension = load({str(path)!r})
        print(extension.version()[0][1:], extension.describe(usmx.zeros(3))["shape"])
    """
    done = run_python(textwrap.dedent(code))
    assert (done.stdout, done.returncode) == ("(1, 99) (3,)\n", 0), done.stderr


@pytest.mark.parametrize(
    ("major", "minor", "advice"),
    [
        (1, 99, "install usmx 0.99 or newer (pip install 'usmx>=0.99')"),
        (2, 203, "install usmx 2.3 or newer (pip install 'usmx>=2.3')"),
        (0, 5, "build the extension again, with that usmx, or install usmx 0.5"),
    ],
)
def test_other_version_is_an_import_error_with_the_file_both_versions_and_advice(
    path, extension, major, minor, advice
):
    (_, ours, own_minor), _ = extension.version()
    with pytest.raises(ImportError) as caught:
        extension.accept(major, minor)
    assert str(path) in str(caught.value)
    assert f"version {major}.{minor} " in str(caught.value)
    installed = f"({usmx.__version__}) has version {ours}.{own_minor}"
    assert f"{installed}: {advice}" in str(caught.value)


# ---- views


def test_view_of_an_array_says_what_the_array_says(extension):
    x = shared(np.arange(12.0).reshape(3, 4))[::2, 1:]
    view = extension.describe(x)
    assert (view["shape"], view["strides"], view["offset"]) == ((2, 3), (8, 1), 1)
    assert (view["size"], view["itemsize"], view["typestr"]) == (6, 8, "<f8")
    assert (view["format"], view["dtype"], view["kind"]) == ("d", FLOAT64, SHARED)
    assert (view["flags"], view["c_contiguous"]) == (0, False)
    assert view["data"] == x.__sycl_usm_array_interface__["data"][0] + 8
    assert view["queue"] != 0
    assert view["context"] != 0


@pytest.mark.parametrize("dtype", TYPES)
def test_type_has_its_code(extension, dtype):
    order = [np.dtype(d) for d in TYPES]
    view = extension.describe(usmx.zeros(2, dtype=dtype))
    assert view["dtype"] == order.index(np.dtype(dtype))
    assert view["typestr"] == np.dtype(dtype).str
    assert view["itemsize"] == np.dtype(dtype).itemsize


def test_structured_type_has_its_format(extension):
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    view = extension.describe(usmx.zeros(2, dtype=dtype))
    assert (view["dtype"], view["itemsize"]) == (STRUCTURED, dtype.itemsize)
    assert (view["typestr"], view["format"]) == ("|V12", "T{=i:a:=d:b:}")


@pytest.mark.parametrize("kind", [DEVICE, SHARED, HOST])
def test_kinds_have_their_numbers(extension, kind):
    name = {DEVICE: "device", SHARED: "shared", HOST: "host"}[kind]
    assert extension.describe(usmx.zeros(2, usm_type=name))["kind"] == kind


def test_read_only_array_is_said_to_be_read_only(extension):
    x = usmx.zeros(3)
    x.flags.writable = False
    assert extension.describe(x)["flags"] == READ_ONLY


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 4), (2, 3)])
def test_contiguity_of_any_shape(extension, shape):
    view = extension.describe(usmx.zeros(shape))
    assert (view["shape"], view["size"]) == (shape, np.prod(shape, dtype=int))
    assert view["c_contiguous"]


def test_view_of_another_producer(extension):
    view = extension.describe(producer_of(usmx.memory.MemoryUSMShared(96)))
    assert (view["shape"], view["kind"]) == ((3, 4), SHARED)


# ---- owners


def test_retained_owner_outlives_the_object(extension):
    x = shared([1.0, 2.0, 3.0])
    owner = extension.keep(x)
    pointer = x._pointer
    del x
    others = [shared([-1.0] * 3) for _ in range(50)]
    assert extension.describe_owner(owner)["data"] == pointer
    assert values_of(extension.to_array(owner)) == [1, 2, 3]
    assert len(others) == 50


@pytest.mark.parametrize("make", [shared, lambda v: Asked(shared(v))], ids=["own", "producer"])
def test_last_release_lets_the_memory_go(extension, make):
    usmx.synchronize()
    before = usmx.memory.memory_stats("shared")["used_bytes.current"]
    owner = extension.keep(make([1.0, 2.0]))
    again = extension.retain(owner)
    del owner
    assert values_of(extension.to_array(again)) == [1, 2]
    assert usmx.memory.memory_stats("shared")["used_bytes.current"] > before
    del again
    usmx.synchronize()
    assert usmx.memory.memory_stats("shared")["used_bytes.current"] == before


def test_owner_is_released_on_a_thread_without_the_interpreter(extension):
    x = shared([1.0, 2.0])
    extension.release_elsewhere(x)
    assert values_of(x) == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "made_by", ["usmx.zeros(3)", "producer_of(usmx.memory.MemoryUSMShared(96))"]
)
def test_owner_is_released_after_the_interpreter_is_gone(path, made_by):
    code = f"""
        import sys
        sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent / "python")!r}]
        import usmx
        from helpers import producer_of
        from test_c_extension import load
        load({str(path)!r}).keep_for_ever({made_by})
        print("kept")
    """
    # A Python object stays when nobody is left to end it: nanobind's report says so.
    done = run_python(textwrap.dedent(code), USMX_LEAK_WARNINGS=None)
    assert (done.returncode, done.stdout, done.stderr) == (0, "kept\n", "")


# ---- new arrays


def test_part_of_an_owners_memory_becomes_an_array(extension):
    x = shared(np.arange(10))
    owner = extension.keep(x)
    every_second = extension.part(owner, 16, INT64, 3, True, 2, 0)
    assert values_of(every_second) == [2, 4, 6]
    every_second[0] = 20
    assert values_of(x)[2] == 20
    assert values_of(extension.part(owner, 8, INT32, 4, False, 0, 0)) == [1, 0, 20, 0]


def test_part_is_read_only_where_either_is(extension):
    x = shared([1.0, 2.0])
    assert not extension.part(extension.keep(x), 0, FLOAT64, 2, False, 0, READ_ONLY).flags.writable
    x.flags.writable = False
    assert not extension.part(extension.keep(x), 0, FLOAT64, 2, False, 0, 0).flags.writable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, FLOAT64, 5, False, 0, 0), "needs bytes 0 to 39"),
        ((-8, FLOAT64, 1, False, 0, 0), "needs bytes -8"),
        ((0, FLOAT64, 3, True, 2, 0), "needs bytes 0 to 39"),
        ((4, FLOAT64, 1, False, 0, 0), "whole number of elements"),
        ((0, FLOAT64, -1, False, 0, 0), "negative"),
        ((0, FLOAT64, 2**62, False, 0, 0), "does not fit"),
        ((0, STRUCTURED, 1, False, 0, 0), "found 14"),
        ((0, -1, 1, False, 0, 0), "found -1"),
    ],
)
def test_part_outside_of_the_memory_is_refused(extension, arguments, message):
    owner = extension.keep(shared([1.0, 2.0, 3.0, 4.0]))
    with pytest.raises(ValueError, match=message):
        extension.part(owner, *arguments)


@pytest.mark.parametrize("kind", [DEVICE, SHARED, HOST])
def test_new_memory_becomes_an_array(extension, kind):
    owner = extension.allocate(FLOAT32, 7, kind)
    x = extension.to_array(owner)
    assert (x.shape, x.dtype, extension.describe(x)["kind"]) == ((7,), np.float32, kind)
    x[:] = 5
    assert values_of(x) == [5] * 7


@pytest.mark.parametrize(
    ("dtype", "extent", "kind", "code", "message"),
    [
        (FLOAT64, 3, 0, VALUE_ERROR, "kind must be"),
        (FLOAT64, 3, 4, VALUE_ERROR, "kind must be"),
        (STRUCTURED, 3, SHARED, VALUE_ERROR, "dtype must be"),
        (FLOAT64, -3, SHARED, VALUE_ERROR, "negative"),
        (FLOAT64, 2**62, SHARED, OVERFLOW_ERROR, "does not fit"),
    ],
)
def test_failure_without_the_lock_is_a_code_and_a_text(
    extension, dtype, extent, kind, code, message
):
    with pytest.raises(ValueError, match=message) as caught:
        extension.allocate(dtype, extent, kind)
    assert extension.last_error() == (code, str(caught.value))


@pytest.mark.parametrize(
    ("kind", "name", "total"),
    [(DEVICE, "device", 0), (SHARED, "shared", 7000), (HOST, "host", 7000)],
)
def test_bytes_are_allocated_and_freed_once(extension, kind, name, total):
    usmx.synchronize()
    before = usmx.memory.memory_stats(name)["used_bytes.current"]
    assert extension.bytes(1000, kind, 7) == (total, 0, -1)
    code, text = extension.last_error()
    assert (code, "not freed yet" in text) == (VALUE_ERROR, True)
    usmx.synchronize()
    assert usmx.memory.memory_stats(name)["used_bytes.current"] == before


@pytest.mark.parametrize(("count", "kind"), [(0, SHARED), (8, 0), (8, 4), (8, -1)])
def test_bytes_that_cannot_be_are_an_error(extension, count, kind):
    with pytest.raises(ValueError, match="found"):
        extension.bytes(count, kind, 0)


def test_adopted_memory_goes_back_by_its_deleter_once(extension):
    before = extension.deleted()
    owner = extension.adopt(extension.keep(shared(np.arange(4.0))), FLOAT64, 4, 0, True)
    x = extension.to_array(owner)
    del owner
    assert (values_of(x), extension.deleted()) == ([0, 1, 2, 3], before)
    del x
    usmx.synchronize()
    assert extension.deleted() == before + 1


def test_adopted_memory_may_be_read_only(extension):
    owner = extension.adopt(extension.keep(shared([1.0])), FLOAT64, 1, READ_ONLY, True)
    assert extension.describe_owner(owner)["flags"] == READ_ONLY
    assert not extension.to_array(owner).flags.writable


@pytest.mark.parametrize(
    ("dtype", "extent", "has_queue", "message"),
    [
        (FLOAT64, 10**9, True, "bytes"),
        (FLOAT64, -1, True, "negative"),
        (STRUCTURED, 1, True, "dtype must be"),
        (FLOAT64, 1, False, "'queue' must be"),
    ],
)
def test_deleter_runs_once_where_adopting_fails(extension, dtype, extent, has_queue, message):
    before = extension.deleted()
    memory = extension.keep(shared([1.0]))
    with pytest.raises(ValueError, match=message):
        extension.adopt(memory, dtype, extent, 0, has_queue)
    assert extension.deleted() == before + 1


# ---- Python's objects

OBJECTS = {
    "array": (lambda: usmx.zeros(3), "same_array"),
    "memory": (lambda: usmx.memory.MemoryUSMShared(8), "same_array"),
    "producer": (lambda: producer_of(usmx.memory.MemoryUSMShared(96)), "same_array"),
    "queue": (usmx.SyclQueue, "same_queue"),
    "dpctl's queue": (dpctl.SyclQueue, "same_queue"),
    "queue's capsule": (lambda: usmx.SyclQueue()._get_capsule(), "same_queue"),
    "holder of a queue's capsule": (lambda: Holder(usmx.SyclQueue()), "same_queue"),
    "context": (lambda: usmx.SyclQueue().sycl_context, "same_context"),
    "context's capsule": (lambda: usmx.SyclQueue().sycl_context._get_capsule(), "same_context"),
    "device": (usmx.SyclDevice, "same_device"),
    "event": (usmx.SyclEvent, "same_event"),
    "dpctl's event": (dpctl.SyclEvent, "same_event"),
    "event's capsule": (lambda: usmx.SyclEvent()._get_capsule(), "same_event"),
    "number": (lambda: 3, None),
    "None": (lambda: None, None),
    "NumPy's array": (lambda: np.zeros(3), None),
}
FUNCTIONS = ["same_array", "same_queue", "same_context", "same_device", "same_event"]
KNOWN = (usmx.USMArray, usmx.SyclQueue, usmx.SyclContext, usmx.SyclDevice, usmx.SyclEvent)
KNOWN += (dpctl.SyclQueue, dpctl.SyclContext, dpctl.SyclDevice, dpctl.SyclEvent)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("make", "fits"), OBJECTS.values(), ids=OBJECTS)
def test_function_takes_its_own_kind_and_leaves_the_others(extension, make, fits, function):
    obj = make()
    status, back = getattr(extension, function)(obj)
    if function != fits:
        assert (status, back) == (NOT_OF_THIS_KIND, None)
    else:
        assert status == (CONVERTED if isinstance(obj, KNOWN) else CONVERTED_BY_OTHERS)
        assert getattr(extension, function)(back)[0] == CONVERTED


@pytest.mark.parametrize("make", [usmx.SyclQueue, dpctl.SyclQueue, usmx.SyclEvent])
def test_object_comes_back(extension, make):
    obj = make()
    function = extension.same_event if make is usmx.SyclEvent else extension.same_queue
    assert function(obj)[1] == obj


@pytest.mark.parametrize("function", ["same_array", "same_queue", "same_context", "same_event"])
@pytest.mark.parametrize("error", [AttributeError("mine"), RuntimeError("mine")])
def test_exception_of_the_object_passes_through(extension, function, error):
    with pytest.raises(type(error), match="mine"):
        getattr(extension, function)(Asked(error=error))


def test_producer_is_asked_once(extension):
    producer = Asked(usmx.zeros(4, usm_type="shared"))
    assert extension.same_array(producer)[0] == CONVERTED_BY_OTHERS
    assert producer.count == 1


def test_what_is_wrong_with_a_producer_is_said(extension):
    lying = producer_of(usmx.memory.MemoryUSMShared(96), shape=(10**9,))
    with pytest.raises(ValueError, match="bytes"):
        extension.describe(lying)


# ---- work


def test_recorded_event_is_waited_for(extension):
    x, y = usmx.zeros(1 << 20), usmx.ones(1 << 20)
    event = usmx.copy_async(x, y)
    owner = extension.keep(y)
    extension.record(owner, event)
    extension.wait(owner)
    assert event.execution_status.name == "complete"


def test_event_is_waited_for(extension):
    event = usmx.copy_async(usmx.zeros(1 << 20), usmx.ones(1 << 20))
    extension.wait_event(event)
    assert event.execution_status.name == "complete"


# ---- pending events


LARGE = 1 << 24


@pytest.mark.slow
def test_pending_events_of_a_read_are_the_writes_and_of_a_write_all(extension):
    x, y = usmx.zeros(LARGE), usmx.ones(LARGE)
    owner = extension.keep(x)
    assert extension.pending_events(owner, owner) == []
    running = usmx.copy_async(usmx.zeros(LARGE), y)
    extension.record_read(owner, running)
    found = extension.pending_events(owner, None), extension.pending_events(None, owner)
    assert found[0] == []
    assert found[1] in ([running], [])  # [] if it has ended meanwhile
    running = usmx.copy_async(usmx.zeros(LARGE), y)
    extension.record_write(owner, running)
    assert extension.pending_events(owner, None) in ([running], [])


def test_pending_events_refuse_to_write_a_read_only_array(extension):
    owner = extension.keep(usmx.zeros(3).readonly())
    assert extension.pending_events(owner, None) == []
    with pytest.raises(ValueError, match="read-only"):
        extension.pending_events(None, owner)


@pytest.mark.slow
@pytest.mark.parametrize(("use", "is_ready"), [(0, True), (1, False), (2, False), (3, True)])
def test_use_says_whether_an_array_is_waited_for(extension, use, is_ready):
    x = usmx.zeros(LARGE, usm_type="shared")
    event = usmx.copy_async(x, usmx.ones(LARGE, usm_type="shared"))
    view = extension.use(x, use)
    status = event.execution_status.name
    assert view["shape"] == (LARGE,)
    assert status == "complete" or not is_ready
    extension.make_ready(extension.keep(x))
    assert event.execution_status.name == "complete"


def test_use_of_the_host_refuses_device_memory(extension):
    with pytest.raises(TypeError, match="host may touch.*device"):
        extension.use(usmx.zeros(3), 3)


def test_unknown_use_is_refused(extension):
    with pytest.raises(ValueError, match="usmx_use"):
        extension.use(usmx.zeros(3), 4)


# ---- errors


@pytest.mark.parametrize(
    ("code", "arrives"),
    [
        (1, ValueError),
        (2, TypeError),
        (3, IndexError),
        (4, np.exceptions.AxisError),
        (5, ValueError),
        (6, ValueError),
        (7, BufferError),
        (8, usmx.USMAllocationError),
        (9, MemoryError),
        (10, usmx.SyclDeviceCreationError),
        (11, RuntimeError),
        (12, RuntimeError),
        (13, RuntimeError),
        (14, RuntimeError),
        (99, RuntimeError),
    ],
)
def test_code_stands_for_an_exception(extension, code, arrives):
    with pytest.raises(arrives, match="mine") as caught:
        extension.set_error(code, b"mine")
    assert caught.type is arrives


def test_text_that_is_no_utf_8_is_replaced(extension):
    with pytest.raises(ValueError, match="mine \N{REPLACEMENT CHARACTER}"):
        extension.set_error(VALUE_ERROR, b"mine \xff")
