"""What several test modules share."""

import contextlib
import ctypes
import inspect
import io
import itertools
import os
import pickle
import subprocess
import sys
import time

import pytest
import usmx
from absent import raise_if_in_vain
from draws import DENSITY
from forks import run_forked

KINDS = ("device", "shared", "host")
# The kinds of memory that the host reaches: on its own CPU all of them, unless the tests run in strict mode.
HOST_KINDS = KINDS if usmx._core._host_may_view(usmx.empty(1)) else KINDS[1:]
TYPESTRS = tuple(
    "|b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f2 <f4 <f8 <c8 <c16".split()  # noqa: SIM905
)
MEMORY_CLASSES = {
    "device": usmx.memory.MemoryUSMDevice,
    "shared": usmx.memory.MemoryUSMShared,
    "host": usmx.memory.MemoryUSMHost,
}


# Set by tools/level_zero/run: Intel's driver simulates the GPU, and commands are made by the host.
SIMULATED = "SetCommandStreamReceiver" in os.environ
AT_ONCE = "a simulated GPU has done its commands when they are submitted"


def examples(most):
    """How many examples hypothesis draws for a test whose examples compile kernels."""
    return max(1, round(most * DENSITY))


def drawn(*axes, share=3):
    """Some of the combinations of these values, one of `share`, so that each value comes; at night all.

    Any two values of different axes come together, too, where a third axis has at least `share` values.
    """
    axes = [[*axis] for axis in axes]
    combinations = itertools.product(*map(enumerate, axes))
    if DENSITY >= 1:
        return [tuple(value for _, value in each) for each in combinations]
    chosen = [each for each in combinations if sum(k for k, _ in each) % share == 0]
    for number, axis in enumerate(axes):
        missing = set(range(len(axis))) - {each[number][0] for each in chosen}
        assert not missing, f"no case has {[axis[k] for k in missing]}: draw a larger share"
    return [tuple(value for _, value in each) for each in chosen]


class Producer:
    """An object of nobody's library: the dictionary, and what keeps the memory alive."""

    def __init__(self, interface, owner=None):
        self.__sycl_usm_array_interface__ = interface
        self.owner = owner


def interface_of(memory, **changes):
    """A valid dictionary for 3x4 doubles in a memory object, with some entries replaced."""
    valid = {
        "version": 1,
        "shape": (3, 4),
        "typestr": "<f8",
        "data": (memory._pointer, False),
        "strides": None,
        "offset": 0,
        "syclobj": memory.sycl_queue,
    }
    return valid | changes


def producer_of(memory, **changes):
    """A producer with that dictionary."""
    return Producer(interface_of(memory, **changes), memory)


# What Python says from 3.12 on, since the drivers have threads: forked children of usmx do no work.
UNSAID = "ignore:This process:DeprecationWarning"


def run_python(code, timeout=240, cwd=None, **environment):
    """Run code in a fresh interpreter; an environment variable of None is removed.

    The time is below pytest's limit for a test, which would not say what the program printed; it is no bound that a
    busy machine could exceed.
    """
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
    variables = {name: value for name, value in variables.items() if value is not None}
    result = subprocess.run(
        [sys.executable, "-P", "-W", UNSAID, "-c", code],
        cwd=cwd,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    raise_if_in_vain(result)
    return result


def output_of(code, timeout=240, cwd=None, **environment):
    """What the code prints. It must succeed and have nothing to complain about."""
    result = run_python(code, timeout, cwd, **environment)
    assert result.returncode == 0, result.stderr
    assert result.stderr == "", result.stderr
    return result.stdout.strip()


def beginning_in(folder):
    """The begin of a program that imports modules of a folder."""
    return f"import sys; sys.path.insert(0, {str(folder)!r})\n"


# Of a program that has sub-interpreters: what module they are in depends on the Python.
SUB_INTERPRETERS = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
"""


def run(*command, **options):
    """What a command prints. It must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, **options)
    raise_if_in_vain(done)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_usmx(*arguments, cwd=None, **environment):
    """Run ``python -m usmx`` with these arguments.

    With variables of its own it is a process of its own, since usmx reads some when it is loaded.
    """
    if not environment:
        return run_forked("-m", "usmx", *arguments, cwd=cwd)
    return subprocess.run(
        [sys.executable, "-P", "-m", "usmx", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


# ---- time


def happens(attempt, tries=100):
    """Whether an attempt sees what it looks for, once in so many tries.

    It looks for work that is still running; that may have ended while this thread was held up.
    """
    return any(attempt() for _ in range(tries))


def eventually(condition, seconds=60):
    """Whether it becomes true within a time that is long on the busiest machine."""
    latest = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > latest:
            return False
        time.sleep(0.01)
    return True


# ---- devices


def sub_devices(device=None):
    """Parts of a device, dpctl's default one if it is None, at least two: a GPU's tiles, or the CPU device's units.

    Raises SyclSubDeviceCreationError, for which the test is skipped, if there are none.
    """
    import dpctl

    device = device or dpctl.SyclDevice()
    if not device.is_cpu:
        return device.create_sub_devices(partition="next_partitionable")
    if device.max_compute_units < 2:
        pytest.skip("a device with one compute unit cannot be partitioned")
    return device.create_sub_devices(partition=1)


def need_contexts_apart():
    """Skip the test where any context of the device has the memory of all, as on Level Zero and CUDA."""
    import dpctl

    device = dpctl.SyclDevice()
    one, other = (dpctl.SyclContext([device]) for _ in range(2))  # of a list: not the default one
    memory = dpctl.memory.MemoryUSMDevice(8, queue=dpctl.SyclQueue(one, device))
    if memory.get_usm_type(other) != "unknown":
        pytest.skip("all contexts of this device share their memory")


# ---- pickles


class _NameUnpickler(pickle.Unpickler):
    def __init__(self, stream):
        super().__init__(io.BytesIO(stream))
        self.names = set()

    def find_class(self, module, name):
        self.names.add(f"{module}.{name}")
        return super().find_class(module, name)


def names_in(stream):
    """The classes and functions that a pickle asks for."""
    unpickler = _NameUnpickler(stream)
    unpickler.load()
    return unpickler.names


# ---- capsules, through Python's C interface

_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new.restype = ctypes.py_object
_get_name = ctypes.pythonapi.PyCapsule_GetName
_get_name.argtypes = (ctypes.py_object,)
_get_name.restype = ctypes.c_char_p
_names = []  # a capsule borrows its name


def capsule_name(capsule):
    """Its name; None when it has none."""
    name = _get_name(capsule)
    return None if name is None else name.decode()


def make_capsule(name, pointer=16):
    """A capsule of anybody's, holding an address that must not be used."""
    name = None if name is None else ctypes.c_char_p(name.encode())
    _names.append(name)
    return _new(pointer, name, None)


# ---- PEP 3118 requests, through Python's C interface

SIMPLE = 0
WRITABLE = 0x0001
FORMAT = 0x0004
ND = 0x0008
STRIDES = 0x0010 | ND
C_CONTIGUOUS = 0x0020 | STRIDES
F_CONTIGUOUS = 0x0040 | STRIDES
ANY_CONTIGUOUS = 0x0080 | STRIDES
FULL_RO = 0x0100 | STRIDES | FORMAT


class _PyBuffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


@contextlib.contextmanager
def requested_buffer(exporter, flags):
    """The Py_buffer that the exporter fills for a request with exactly these flags."""
    buffer = _PyBuffer()
    ctypes.pythonapi.PyObject_GetBuffer(
        ctypes.py_object(exporter), ctypes.byref(buffer), ctypes.c_int(flags)
    )
    try:
        yield buffer
    finally:
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))


# ---- signatures


def assert_takes_calls_of(mine, theirs, other_defaults=()):
    """That `mine` takes every call of another library's function, and means the same by it."""
    own = inspect.signature(mine).parameters
    positional = [
        p.name for p in own.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    for place, (name, their) in enumerate(inspect.signature(theirs).parameters.items()):
        if their.kind is their.VAR_POSITIONAL:
            assert own[name].kind is their.kind
            continue
        if their.kind is not their.KEYWORD_ONLY:
            assert place < len(positional), name
        my = own[positional[place]] if their.kind is their.POSITIONAL_ONLY else own[name]
        if their.kind is not their.POSITIONAL_ONLY:
            assert my.kind is not my.POSITIONAL_ONLY, name
        if their.kind is their.POSITIONAL_OR_KEYWORD:
            assert positional[place] == name
        if their.default is not their.empty and name not in other_defaults:
            assert my.default == their.default, name
