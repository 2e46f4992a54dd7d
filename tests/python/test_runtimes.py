"""A second SYCL runtime in the process: foreign queues and contexts are refused, not touched."""

import os
import subprocess

import pytest
from helpers import output_of

SETUP = """
import ctypes, _ctypes
import usmx, dpctl
queue = dpctl.SyclQueue()
class Producer: pass
def producer(syclobj):
    made = Producer()
    made.memory = usmx.memory.MemoryUSMShared(64)
    made.__sycl_usm_array_interface__ = {
        **made.memory.__sycl_usm_array_interface__, "syclobj": syclobj}
    return made
TAKERS = {
    "queue": lambda: usmx.from_usm_array_interface(producer(queue)),
    "capsule": lambda: usmx.from_usm_array_interface(producer(queue._get_capsule())),
    "context": lambda: usmx.from_usm_array_interface(producer(queue.sycl_context)),
    "SyclQueue": lambda: usmx.SyclQueue(queue._get_capsule()),
    "SyclContext": lambda: usmx.SyclContext(queue.sycl_context._get_capsule()),
    "sycl_queue": lambda: usmx.empty(3, sycl_queue=queue),
}
def outcome(take):
    try:
        take()
    except RuntimeError as error:
        return str(error)
    return "taken"
for take in TAKERS.values():
    assert outcome(take) == "taken", outcome(take)
"""


@pytest.fixture
def library(tmp_path):
    """Builds an empty shared library of some name."""

    def build(name):
        path = tmp_path / name
        compiler = os.environ.get("CXX", "g++")
        command = [compiler, "-shared", "-o", path, "-x", "c++", "/dev/null"]
        subprocess.run(command, check=True)
        return str(path)

    return build


def output_with(path, code):
    return output_of(f"{SETUP}\npath = {path!r}\n{code}")


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["libsycl.so.8", "libsycl-preview.so.9"])
@pytest.mark.parametrize(
    "taker", ["queue", "capsule", "context", "SyclQueue", "SyclContext", "sycl_queue"]
)
def test_foreign_object_is_refused_while_there_is_another_runtime(library, name, taker):
    path = library(name)
    code = f"ctypes.CDLL(path); print(outcome(TAKERS[{taker!r}]))"
    message = output_with(path, code)
    assert "expected one SYCL runtime" in message
    assert "/libsycl.so.9" in message
    assert path in message


def test_foreign_object_is_taken_when_the_other_runtime_has_gone(library):
    code = """
handle = _ctypes.dlopen(path, 0)
refused = [outcome(take) != "taken" for take in TAKERS.values()]
_ctypes.dlclose(handle)
print(all(refused), {outcome(take) for take in TAKERS.values()})
"""
    assert output_with(library("libsycl.so.8"), code) == "True {'taken'}"


def test_unrelated_library_changes_nothing(library):
    code = "ctypes.CDLL(path); print({outcome(take) for take in TAKERS.values()})"
    assert output_with(library("libsyclone.so"), code) == "{'taken'}"


def test_own_arrays_keep_working_beside_another_runtime(library):
    code = """
a = usmx.empty(3, usm_type="shared")
ctypes.CDLL(path)
print(usmx.from_usm_array_interface(a[1:]).shape, usmx.empty(2).shape)
"""
    assert output_with(library("libsycl.so.8"), code) == "(2,) (2,)"
