"""What a process goes through: fork, threads at work at its end, and memory dropped anywhere."""

import copy
import functools
import json
import os
import pickle
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import usmx
from forked import error_of, in_forked_child
from helpers import DENSITY, SUB_INTERPRETERS, eventually, output_of
from usmx.memory import from_pointer

STARTS = int(os.environ.get("USMX_TEST_STARTS", "1"))  # of each process that ends; 10 by hand

array = usmx.asarray(np.arange(6.0), usm_type="shared")
dictionary = array.__sycl_usm_array_interface__
mask = usmx.asarray(np.arange(6) > 2, usm_type="shared")
idle = usmx.zeros(3)
queue = array._own_queue  # of usmx's own class, also where dpctl is loaded
context = queue.sycl_context
queue_capsule, context_capsule = queue._get_capsule(), context._get_capsule()


device = usmx.Device.create_device()
sycl_device = queue.sycl_device
memory = array.base
timed_queue = usmx.SyclQueue(context, sycl_device, property="enable_profiling")
timed = usmx.zeros(6, sycl_queue=timed_queue)
event = usmx.fill_async(timed, 1)
event_capsule = event._get_capsule()
event.wait()


class Producer:
    __sycl_usm_array_interface__ = dictionary


# Everything that calls the SYCL runtime
CALLS = {
    # arrays
    "empty": lambda: usmx.empty(3),
    "zeros": lambda: usmx.zeros(3),
    "asarray": lambda: usmx.asarray([1, 2]),
    "import": lambda: usmx.asarray(Producer()),
    "USMArray": lambda: usmx.USMArray(3),
    "USMArray in memory": lambda: usmx.USMArray(3, buffer=memory),
    "arange": lambda: usmx.arange(3),
    "concat": lambda: usmx.concat([array, array]),
    "copy": lambda: array.copy(),
    "astype": lambda: array.astype("i4"),
    "to_device": lambda: array.to_device("cpu"),
    "asnumpy": lambda: usmx.asnumpy(array),
    "buffer": lambda: memoryview(array),
    "NumPy": lambda: np.asarray(array),
    "dictionary": lambda: array.__sycl_usm_array_interface__,
    "repr": lambda: repr(array),
    "item": lambda: array.item(0),
    "float": lambda: float(array[0]),
    "tolist": lambda: array.tolist(),
    "assignment": lambda: array.__setitem__(0, 1),
    "assignment of several": lambda: array.__setitem__(slice(3), [1, 2, 3]),
    "index array": lambda: array[[1, 2]],
    "mask": lambda: array[mask],
    "nonzero": lambda: usmx.nonzero(array),
    "copy_async": lambda: usmx.copy_async(timed, array),
    "fill_async": lambda: usmx.fill_async(timed, 1),
    "record": lambda: array.record(event),
    "wait": lambda: array.wait(),
    "wait for idle memory": lambda: idle.wait(),
    "pickle": lambda: pickle.dumps(array),
    "copy.copy": lambda: copy.copy(array),
    # memory
    "memory": lambda: usmx.memory.MemoryUSMShared(8),
    "copy of memory": lambda: usmx.memory.MemoryUSMHost(array, copy=True),
    "memory of a producer": lambda: usmx.memory.as_usm_memory(Producer()),
    "memset": lambda: memory.memset(0),
    "tobytes": lambda: memory.tobytes(),
    "copy_to_host": lambda: memory.copy_to_host(),
    "copy_from_host": lambda: memory.copy_from_host(b"12"),
    "copy_from_device": lambda: memory.copy_from_device(array),
    "memory.record": lambda: memory.record(event),
    "memory.record_read": lambda: memory.record_read(event),
    "memory.wait": lambda: memory.wait(),
    "wait for an idle memory object": lambda: idle.base.wait(),
    "memory's dictionary": lambda: memory.__sycl_usm_array_interface__,
    "memory's buffer": lambda: memoryview(memory),
    "repr of memory": lambda: repr(memory),
    "pickled memory": lambda: pickle.dumps(memory),
    "copied memory": lambda: copy.copy(memory),
    "get_usm_type": lambda: memory.get_usm_type(queue),
    "get_usm_type_enum": lambda: memory.get_usm_type_enum(queue),
    "type of a pointer": lambda: usmx.memory.get_usm_type(4096, queue),
    "from_pointer": lambda: from_pointer(array._pointer, 8, queue, owner=array),
    # queues, contexts, events
    "queue.wait": lambda: queue.wait(),
    "queue capsule": lambda: queue._get_capsule(),
    "context capsule": lambda: context._get_capsule(),
    "event capsule": lambda: event._get_capsule(),
    "queue of a capsule": lambda: usmx.SyclQueue(queue_capsule),
    "context of a capsule": lambda: usmx.SyclContext(context_capsule),
    "event of a capsule": lambda: usmx.SyclEvent(event_capsule),
    "queue of a device": lambda: usmx.SyclQueue(sycl_device),
    "queue of a context": lambda: usmx.SyclQueue(context, sycl_device),
    "context of a device": lambda: usmx.SyclContext(sycl_device),
    "repr of a queue": lambda: repr(queue),
    "repr of a context": lambda: repr(context),
    "get_devices of a context": lambda: context.get_devices(),
    "device_count": lambda: context.device_count,
    "platform of a context": lambda: context.sycl_platform,
    "SyclQueue": usmx.SyclQueue,
    "SyclContext": usmx.SyclContext,
    "SyclEvent": usmx.SyclEvent,
    "event.wait": lambda: event.wait(),
    "wait_for": lambda: usmx.SyclEvent.wait_for(event),
    "wait_for several": lambda: usmx.SyclEvent.wait_for([event, event]),
    "wait_for none": lambda: usmx.SyclEvent.wait_for([]),
    "event's status": lambda: event.execution_status,
    "profiling_info_submit": lambda: event.profiling_info_submit,
    "profiling_info_start": lambda: event.profiling_info_start,
    "profiling_info_end": lambda: event.profiling_info_end,
    "repr of an event": lambda: repr(event),
    "synchronize": usmx.synchronize,
    # devices
    "Device.wait": lambda: device.wait(),
    "print_device_info": lambda: device.print_device_info(),
    "repr of a Device": lambda: repr(device),
    "create_device": lambda: usmx.Device.create_device(),
    "create_device by name": lambda: usmx.Device.create_device("cpu"),
    "repr of a device": lambda: repr(sycl_device),
    "get_devices": usmx.get_devices,
    "SyclDevice": usmx.SyclDevice,
    "SyclDevice by name": lambda: usmx.SyclDevice("cpu"),
    "create_sub_devices": lambda: sycl_device.create_sub_devices(partition=1),
    "component_devices": lambda: sycl_device.component_devices(),
    "get_unpartitioned_parent_device": lambda: sycl_device.get_unpartitioned_parent_device(),
    "can_access_peer": lambda: sycl_device.can_access_peer(sycl_device),
    "get_device_id": lambda: sycl_device.get_device_id(),
    "get_filter_string": lambda: sycl_device.get_filter_string(),
    "pickled device": lambda: pickle.dumps(sycl_device),
    "SyclPlatform": usmx.SyclPlatform,
    "get_platforms": usmx.get_platforms,
    "select_default_device": usmx.select_default_device,
    "select_gpu_device": usmx.select_gpu_device,
    "memcpy": lambda: queue.memcpy(memory, memory, 8),
    "memcpy_async from the host": lambda: queue.memcpy_async(memory, bytes(8), 8),
    "memset_async": lambda: queue.memset_async(memory, 1),
    "fill": lambda: queue.fill(memory, 1),
    "queue's fill_async": lambda: queue.fill_async(memory, 1),
    "prefetch": lambda: queue.prefetch(memory),
    "submit_barrier": lambda: queue.submit_barrier(),
    "diagnose_missing_device": usmx._core.diagnose_missing_device,
}
# All that a device is asked for
CALLS |= {
    f"SyclDevice.{name}": lambda name=name: getattr(sycl_device, name)
    for name in dir(usmx.SyclDevice)
    if not name.startswith("_") and not callable(getattr(usmx.SyclDevice, name))
}


@functools.cache
def errors_in_one_child():
    """Of all calls, by their names; none if one of them ends the child, hangs or raises another error."""
    said = in_forked_child(lambda: json.dumps({name: error_of(CALLS[name]) for name in CALLS}))
    return json.loads(said) if said.startswith("{") else {}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_forked_child_gets_an_error_that_says_so(call):
    if DENSITY < 1 and call in errors_in_one_child():
        assert errors_in_one_child()[call] == "forked"
    else:
        assert in_forked_child(lambda: error_of(CALLS[call])) == "forked"


def test_forked_child_gets_that_error_from_every_public_attribute_of_dpctls_objects():
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import dpctl, usmx
from forked import error_of, in_forked_child
array = usmx.zeros(3)
objects = [array.sycl_queue, array.sycl_context, array.sycl_device, usmx.SyclEvent()]

def answers():
    return [
        (type(x).__name__, name)
        for x in objects
        for name in [*dir(type(x)), "__repr__"]
        if (name == "__repr__" or not name.startswith("_"))
        and error_of(lambda: repr(x) if name == "__repr__" else getattr(x, name)) != "forked"
    ]

print(all(isinstance(x, getattr(dpctl, type(x).__name__)) for x in objects))
print(in_forked_child(answers), len(repr(objects)) > 20)
"""
    assert output_of(code) == "True\n[] True"


def test_forked_child_may_drop_arrays_and_end():
    views = [usmx.zeros(3), array[1:]]
    assert in_forked_child(lambda: views.clear()) == "None"
    assert usmx.asnumpy(views[1]).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.slow
def test_child_that_is_forked_while_work_runs_ends_with_its_status_and_what_it_printed():
    code = """
import atexit, os, sys, usmx
source, target = usmx.ones(1 << 24, dtype="u1"), usmx.empty(1 << 24, dtype="u1")
for _ in range(40):
    usmx.copy_async(target, source)
    usmx.copy_async(source, target)
child = os.fork()
if child == 0:
    atexit.register(print, "handler")
    print("child")
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    for _ in range(STARTS):
        assert output_of(code).split() == ["child", "handler", "3"]


@pytest.mark.parametrize("forking_stage", [1, 10, 30, 48])
def test_child_forked_by_a_deleter_may_let_go_of_the_rest_and_end(forking_stage):
    children = []
    own = usmx.memory.MemoryUSMShared(64)
    pointer, own_queue = own._pointer, own.sycl_queue
    chain = usmx.memory.as_usm_memory(own)
    for stage in range(50):
        delete = (lambda _: children.append(os.fork())) if stage == forking_stage else id
        owner = (chain, usmx.zeros(3))
        chain = from_pointer(pointer, 64, own_queue, owner=owner, deleter=delete)
    del chain, owner, own
    if children == [0]:
        os._exit(7)
    ended = []
    if not eventually(lambda: ended.append(os.waitpid(children[0], os.WNOHANG)) or ended[-1][0]):
        os.kill(children[0], signal.SIGKILL)
        os.waitpid(children[0], 0)
    assert ended[-1][0] == children[0]
    assert os.waitstatus_to_exitcode(ended[-1][1]) == 7


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
    for _ in range(2 * STARTS):
        assert output_of(code) == "end"


WAITS = {
    "event.wait": "event.wait()",
    "wait_for": "usmx.SyclEvent.wait_for([event])",
    "profiling": "timed.profiling_info_end",
    "status": "event.execution_status",
    "Device.wait": "device.wait()",
    "queue.wait": "queue.wait()",
    "array.wait": "a.wait()",
    "memory.wait": "memory.wait()",
    "synchronize": "usmx.synchronize()",
}


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_process_ends_cleanly_while_threads_wait(wait):
    code = f"""
import os; os.environ.pop("USMX_LEAK_WARNINGS", None)
import dpctl.memory, threading, time, usmx
queue = usmx.zeros(3).sycl_queue
timing = dpctl.SyclQueue(property="enable_profiling")
bytes_there = dpctl.memory.MemoryUSMShared(64, queue=timing)
timed = usmx.SyclEvent(timing.memcpy_async(bytes_there, bytes(64), 64)._get_capsule())
timed.wait()
usmx.fill_async(usmx.zeros(1 << 18), 1).wait()  # no kernel is built while the process ends (docs/limits.md)
def work():
    a = usmx.zeros(1 << 18)
    memory, device = a.base, a.device
    while True:
        event = usmx.fill_async(a, 1)
        {wait}
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
"""
    for _ in range(STARTS):
        assert output_of(code) == "end"


PYTHON_CODE_THAT_WAITS = {
    "property": "usmx.asarray(Waiting())",
    "item": "usmx.from_usm_array_interface(WaitingMapping())",
    "capsule": "given.get_usm_type(WaitingCapsule())",
    "callable": "usmx.memory.from_pointer(given._pointer, 8, given.sycl_queue, deleter=wait)",
    "dropped producer": "usmx.from_usm_array_interface(WaitingEnd())",
    "slot": "usmx.zeros(3)[WaitingIndex()]",
}


@pytest.mark.slow
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
    for _ in range(STARTS):
        assert output_of(code) == "end"


# An interpreter that ends for a while, and a process that ends later than its interpreter: both are
# long enough for every thread to come back from what it is at.
SLOW_END = """
import os; os.environ.pop("USMX_LEAK_WARNINGS", None)
import builtins, ctypes, sys, threading, time, warnings, usmx
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.2)
builtins.slow = Slow()
libc = ctypes.CDLL(None)
libc.__cxa_atexit(libc.sleep, ctypes.c_void_p(1), None)
begun = threading.Event()
def wait(*_, sleep=time.sleep, **__):
    begun.set()
    sleep(0.1)
warnings.showwarning = wait
warnings.simplefilter("always")
endless = "#include <usmx/kernel.hpp>\\n#include __FILE__\\nUSMX_KERNEL(1) f(int* x) {}"
unused = "int unused; y = x"
a = usmx.ones(1 << 22)
memory = a.base
limited = usmx.memory.LimitingResource(usmx.memory.PlainResource("device"), 1 << 20)
class Float:
    def __float__(self):
        wait()
        return 1.0
"""
LONG_CALLS = {
    "kernel": "usmx.Kernel(endless, 'f')",
    "element-wise kernel": "usmx.ElementwiseKernel('T x', 'T y', 'y = x', 'f', preamble='#include __FILE__')(a)",
    "reduction": "usmx.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'f', preamble='#include __FILE__')(a)",
    "warning of the compiler": "usmx.ElementwiseKernel('T x', 'T y', unused, 'f', options=['-Wall'])(a)",
    "copy": "usmx.asnumpy(a)",
    "sort": "usmx.sort(a)",
    "wait for an event": "usmx.copy_async(usmx.empty_like(a), a).wait()",
    "memory beyond a limit": "try_limited()",
    "deleter": "usmx.memory.from_pointer(memory._pointer, 8, memory.sycl_queue, deleter=wait)",
    "element": "a.__setitem__(0, Float())",
}


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("call", LONG_CALLS.values(), ids=LONG_CALLS)
def test_process_ends_cleanly_although_threads_ask_for_the_lock_of_an_interpreter_that_ends(call):
    compiles = "__FILE__" in call or call == LONG_CALLS["kernel"]
    # The first sort builds kernels (docs/limits.md), which takes longer than all the rest: those on disk are used.
    first = call if call == LONG_CALLS["sort"] else ""
    cache = {} if first else {"USMX_CACHE_DIR": ""}
    code = f"""{SLOW_END}
def try_limited():
    try:
        usmx.empty(1 << 24, sycl_queue=a.sycl_queue)
    except MemoryError:
        pass
def work():
    begun.set()
    while True:
        try:
            {call}
        except usmx.CompileError:
            pass
{first}
for _ in range({1 if compiles else 3}):  # each has a compiler, and all of them one machine
    threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep({1.7 if compiles else 0.1})  # the time of a compilation is told after two seconds
print("end")
"""
    for _ in range(STARTS):
        assert output_of(code, **cache) == "end"


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
    # Without the interpreter lock, Python ends an object on the thread that has made it.
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    assert gone == ["dropper" if has_lock else "MainThread"] * 5


def test_memory_that_dpnp_drops_on_a_thread_of_the_runtime_is_freed_once():
    import dpnp.tensor as dpt

    for _ in range(300):
        a = usmx.zeros(1000)
        x = dpt.asarray(a)
        y = x + x
        del a, x
    assert dpt.asnumpy(y)[0] == 0
    usmx.synchronize()


SUB_INTERPRETER = f"""{SUB_INTERPRETERS}
other = interpreters.create()
in_other = '''
try:
    import usmx
except ImportError as error:
    assert "main interpreter" in str(error), error
else:
    raise AssertionError("imported")
'''
failure = (getattr(interpreters, "exec", None) or interpreters.run_string)(other, in_other)
assert failure is None, failure
interpreters.destroy(other)
import usmx
assert type(usmx.zeros(3)) is usmx.USMArray
print(usmx.asnumpy(usmx.full(3, 2.0)).tolist())
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", ["import usmx\n", ""], ids=["imported before", "imported after"])
def test_sub_interpreter_is_refused_and_the_main_one_works_on(first):
    assert output_of(first + SUB_INTERPRETER) == "[2.0, 2.0, 2.0]"


def test_attribute_error_of_a_property_passes_through():
    class Broken:
        @property
        def __sycl_usm_array_interface__(self):
            return self.nothing_of_that_name

    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        usmx.asarray(Broken())


HOLDERS = {
    "module global": "work()",
    "builtins": "builtins.kept = work()",
    "cycle": "cycle = [work()]; cycle.append(cycle)",
    "exit handler": "atexit.register(lambda kept: None, work())",
    "work in an exit handler": "atexit.register(lambda: work())",
    "thread": "threading.Thread(target=lambda kept: time.sleep(60), args=(work(),), daemon=True).start()",
    "dpctl memory": "kept = dpctl.memory.as_usm_memory(work())",
}


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("pool", ["on", "off"])
@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_process_ends_cleanly_with_copies_under_way(holder, pool, monkeypatch):
    # Work in flight when the runtime ends aborts the process.
    monkeypatch.setenv("USMX_POOL", pool)
    code = f"""
import os; os.environ.pop("USMX_LEAK_WARNINGS", None)
import atexit, builtins, dpctl.memory, threading, time, usmx
def work():
    global source, target
    source, target = usmx.ones(1 << 24, dtype="u1"), usmx.empty(1 << 24, dtype="u1")
    for _ in range(40):
        usmx.copy_async(target, source)
        usmx.copy_async(source, target)
    return target
{holder}
print("end")
"""
    for _ in range(3 * STARTS if holder == HOLDERS["module global"] else STARTS):
        assert output_of(code) == "end"
