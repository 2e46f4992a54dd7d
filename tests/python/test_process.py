"""What a process goes through: fork, threads at work at its end, and memory dropped anywhere."""

import os
import threading

import numpy as np
import pytest
import usmx
from helpers import output_of
from usmx.memory import from_pointer


def in_forked_child(action):
    """What `action` returns in a child made by os.fork, as text; 'died N' if it did not live."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, str(action()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return text if os.WIFEXITED(status) else f"died {os.WTERMSIG(status)}"


def error_of(action):
    try:
        action()
    except RuntimeError as error:
        return "forked" if "forked" in str(error) else f"other: {error}"
    return "none"


array = usmx.asarray(np.arange(6.0), usm_type="shared")
dictionary = array.__sycl_usm_array_interface__
idle = usmx.zeros(3)
queue = usmx.SyclQueue()
context = queue.sycl_context
queue_capsule, context_capsule = queue._get_capsule(), context._get_capsule()


class Producer:
    __sycl_usm_array_interface__ = dictionary


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(lambda: usmx.empty(3), id="empty"),
        pytest.param(lambda: usmx.zeros(3), id="zeros"),
        pytest.param(lambda: usmx.asarray([1, 2]), id="asarray"),
        pytest.param(lambda: usmx.asarray(Producer()), id="import"),
        pytest.param(lambda: usmx.asnumpy(array), id="asnumpy"),
        pytest.param(lambda: memoryview(array), id="buffer"),
        pytest.param(lambda: array.__sycl_usm_array_interface__, id="dictionary"),
        pytest.param(lambda: array.base.memset(0), id="memset"),
        pytest.param(lambda: array.base.tobytes(), id="tobytes"),
        pytest.param(lambda: array.base.copy_from_host(b"12"), id="copy_from_host"),
        pytest.param(lambda: array.wait(), id="wait"),
        pytest.param(lambda: idle.wait(), id="wait for idle memory"),
        pytest.param(lambda: np.asarray(array), id="NumPy"),
        pytest.param(lambda: array.base.get_usm_type(queue), id="get_usm_type"),
        pytest.param(lambda: usmx.memory.get_usm_type(4096, queue), id="type of a pointer"),
        pytest.param(lambda: from_pointer(array._pointer, 8, queue, array), id="from_pointer"),
        pytest.param(lambda: queue.wait(), id="queue.wait"),
        pytest.param(lambda: queue._get_capsule(), id="queue capsule"),
        pytest.param(lambda: context._get_capsule(), id="context capsule"),
        pytest.param(lambda: usmx.SyclQueue(queue_capsule), id="queue of a capsule"),
        pytest.param(lambda: usmx.SyclContext(context_capsule), id="context of a capsule"),
        pytest.param(lambda: usmx.SyclQueue(queue.sycl_device), id="queue of a device"),
        pytest.param(lambda: usmx.SyclQueue(context, queue.sycl_device), id="queue of a context"),
        pytest.param(lambda: usmx.SyclContext(queue.sycl_device), id="context of a device"),
        pytest.param(lambda: queue.sycl_device.name, id="name of a device"),
        pytest.param(usmx.get_devices, id="get_devices"),
        pytest.param(usmx.SyclDevice, id="SyclDevice"),
        pytest.param(usmx.SyclQueue, id="SyclQueue"),
        pytest.param(usmx.synchronize, id="synchronize"),
    ],
)
def test_forked_child_gets_an_error_that_says_so(action):
    assert in_forked_child(lambda: error_of(action)) == "forked"


def test_forked_child_may_drop_arrays_and_end():
    views = [usmx.zeros(3), array[1:]]
    assert in_forked_child(lambda: views.clear()) == "None"
    assert usmx.asnumpy(views[1]).tolist() == [1, 2, 3, 4, 5]


def test_child_forked_before_the_runtime_was_used_is_free_to_use_it():
    code = """
import os, usmx
child = os.fork()
if child == 0:
    print(usmx.zeros(2).shape, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    assert output_of(code) == "(2,)"


@pytest.mark.slow
def test_process_ends_cleanly_with_daemon_threads_at_work():
    # What threads hold that never end is never let go: no leak of usmx's.
    code = """
import os; os.environ.pop("USMX_LEAK_WARNINGS", None)
import threading, time, usmx, numpy as np
def work():
    while True:
        a = usmx.asarray(np.ones(1 << 18)); usmx.asnumpy(a); a.base.memset(1); usmx.synchronize()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
"""
    for _ in range(5):
        assert output_of(code) == "end"


PYTHON_CODE_THAT_WAITS = {
    "property": "usmx.asarray(Waiting())",
    "item": "usmx.from_usm_array_interface(WaitingMapping())",
    "capsule": "given.get_usm_type(WaitingCapsule())",
    "callable": "usmx.memory.from_pointer(given._pointer, 8, given.sycl_queue, wait)",
    "dropped producer": "usmx.from_usm_array_interface(WaitingEnd())",
    "slot": "usmx.zeros(3)[WaitingIndex()]",
}


@pytest.mark.parametrize("call", PYTHON_CODE_THAT_WAITS.values(), ids=PYTHON_CODE_THAT_WAITS)
def test_process_ends_cleanly_while_usmx_runs_python_code_that_waits(call):
    # Python makes a thread exit that comes back from a wait to an interpreter that ends, in the
    # middle of usmx's C++.
    code = f"""
import os; os.environ.pop("USMX_LEAK_WARNINGS", None)
import collections.abc, threading, time, usmx
given = usmx.memory.MemoryUSMShared(64)
def wait(*_):
    time.sleep(0.0005)
class Waiting:
    @property
    def __sycl_usm_array_interface__(self):
        wait()
        return given.__sycl_usm_array_interface__
class Mapping(collections.UserDict):
    def __getitem__(self, key):
        wait()
        return self.data[key]
class WaitingMapping:
    __sycl_usm_array_interface__ = Mapping(given.__sycl_usm_array_interface__)
class WaitingCapsule:
    def _get_capsule(self):
        wait()
        return given.sycl_queue._get_capsule()
class WaitingEnd:
    __sycl_usm_array_interface__ = given.__sycl_usm_array_interface__
    def __del__(self):
        wait()
class WaitingIndex:
    def __index__(self):
        wait()
        return 1
def work():
    while True:
        {call}
for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
print("end")
"""
    for _ in range(3):
        assert output_of(code, timeout=30) == "end"


def test_python_thread_that_only_drops_frees_at_once():
    gone = []

    class Last:
        def __init__(self):
            self.__sycl_usm_array_interface__ = dictionary

        def __del__(self):
            gone.append(threading.current_thread().name)

    views = [usmx.asarray(Last()) for _ in range(5)]
    thread = threading.Thread(target=views.clear, name="dropper")
    thread.start()
    thread.join()
    assert gone == ["dropper"] * 5


def test_memory_that_dpnp_drops_on_a_thread_of_the_runtime_is_freed_once():
    import dpnp.tensor as dpt

    for _ in range(300):
        a = usmx.zeros(1000)
        x = dpt.asarray(a)
        y = x + x
        del a, x
    assert dpt.asnumpy(y)[0] == 0
    usmx.synchronize()


def test_attribute_error_of_a_property_passes_through():
    class Broken:
        @property
        def __sycl_usm_array_interface__(self):
            return self.nothing_of_that_name

    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        usmx.asarray(Broken())
