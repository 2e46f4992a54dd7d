"""Ctrl-C while the main thread waits: the wait ends, the work goes on, and the numbers are right.

The work is held up by a gate, so it goes on until the program opens that, however busy the machine is.
"""

import signal

import pytest
from helpers import output_of, run_python

pytestmark = pytest.mark.slow

PREAMBLE = """
import os, signal, sys, threading, time
import numpy as np, usmx
from gates import Gate
COUNT = 1 << 12
a, b = usmx.zeros(COUNT, usm_type=KIND), usmx.zeros(COUNT)
def gate_on(queue):
    return Gate(LIBRARY, queue)
def begin():
    # Work that sets every element of `a` to 7 once the gate is open.
    usmx.fill_async(a, 0)
    gate = gate_on(a.sycl_queue)
    for each in (a, b):
        each.record_write(gate.event)
    return gate, usmx.fill_async(a, 7)
def is_under_way(event):
    return event.execution_status.name != "complete"
def interrupt_soon(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
def is_interrupted(wait, seconds=0.1):
    try:
        interrupt_soon(seconds)
        wait()
        time.sleep(100)  # until the interrupt comes that is under way
    except KeyboardInterrupt:
        return True
"""
ROUTES = {
    "event": "event.wait()",
    "wait_for": "usmx.SyclEvent.wait_for([event])",
    "array": "a.wait()",
    "view": "a[5:10].wait()",
    "memory": "a.base.wait()",
    "queue": "a.sycl_queue.wait()",
    "device": "a.device.wait()",
    "synchronize": "usmx.synchronize()",
    "asnumpy": "usmx.asnumpy(a)",
    "copy": "a.copy()",
    "tolist": "a[:3].tolist()",
    "item": "a.item(0)",
    "assignment": "a.__setitem__(0, 7)",
    "tobytes": "a.base.tobytes()",
    "dictionary": "a.__sycl_usm_array_interface__",
    "DLPack": "a.__dlpack__()",
    "buffer": "memoryview(a)",
}


@pytest.fixture
def preamble(gate_library):
    def of(kind="shared"):
        return PREAMBLE.replace("KIND", repr(kind)).replace("LIBRARY", repr(gate_library))

    return of


def test_interrupt_ends_every_wait_while_the_work_goes_on(preamble):
    waits = "".join(f"waits[{name!r}] = lambda: {wait}\n" for name, wait in ROUTES.items())
    code = f"""{preamble()}
waits = {{}}
{waits}
gate, event = begin()
for name, wait in waits.items():
    print(name, is_interrupted(wait), is_under_way(event), sep=": ")
gate.open()
event.wait()
for name, wait in waits.items():  # once more each, to the end of new work
    gate, event = begin()
    gate.open_later(50)
    wait()
    print(name, is_under_way(event), (usmx.asnumpy(a) == 7).all(), sep=": ")
"""
    interrupted = [f"{name}: True: True" for name in ROUTES]
    finished = [f"{name}: False: True" for name in ROUTES]
    assert output_of(code).splitlines() == interrupted + finished


@pytest.mark.parametrize("order", ["out of order", "in order"])
def test_interrupt_ends_a_wait_for_a_queue_that_others_have(order, preamble):
    properties = "property='in_order'" if order == "in order" else ""
    code = f"""{preamble()}
import dpctl.memory
queue = usmx.SyclQueue({properties})
a, b = usmx.zeros(COUNT, sycl_queue=queue), usmx.zeros(COUNT, sycl_queue=queue)
others = dpctl.SyclQueue(queue._get_capsule())
to, source = dpctl.memory.as_usm_memory(a), dpctl.memory.as_usm_memory(b)
source.copy_from_host(np.full(COUNT, 7.0).view("u1"))
gate = gate_on(queue)
event = others.memcpy_async(to, source, a.nbytes, [dpctl.SyclEvent(gate._get_capsule())])
interrupted = [is_interrupted(lambda: a.__sycl_usm_array_interface__), is_interrupted(a.wait)]
under_way = is_under_way(event)
gate.open()
print(interrupted, under_way, usmx.asnumpy(a).min())
"""
    assert output_of(code) == "[True, True] True 7.0"


def test_twenty_waits_are_interrupted_in_a_row(preamble):
    code = f"""{preamble()}
gate, event = begin()
waits = [event.wait, a.wait, usmx.synchronize, a.sycl_queue.wait] * 5
print(sum(is_interrupted(wait, 0.05) for wait in waits), is_under_way(event))
gate.open()
event.wait()
print(usmx.asnumpy(a).min())
"""
    assert output_of(code).split() == ["20", "True", "7.0"]


def test_memory_of_work_that_was_given_up_is_not_used_again_before_its_end(preamble):
    code = f"""{preamble("device")}
gate, event = begin()
interrupted = is_interrupted(a.wait)
del a, b
new = [usmx.full(COUNT, float(k), usm_type="device") for k in range(4)]
gate.open()
usmx.synchronize()
print(interrupted, [usmx.asnumpy(x).min() + usmx.asnumpy(x).max() for x in new] == [0, 2, 4, 6])
"""
    assert output_of(code) == "True True"


def test_handler_that_raises_nothing_runs_during_the_wait(preamble):
    code = f"""{preamble()}
seen = []
def handle(*_):
    seen.append(is_under_way(event))
    gate.open()
signal.signal(signal.SIGALRM, handle)
gate, event = begin()
signal.setitimer(signal.ITIMER_REAL, 0.1)
event.wait()
print(seen, is_under_way(event), usmx.asnumpy(a).min())
"""
    assert output_of(code) == "[True] False 7.0"


def test_waits_of_other_threads_go_on(preamble):
    code = f"""{preamble()}
gate, event = begin()
done = []
thread = threading.Thread(target=lambda: (a.wait(), done.append(is_under_way(event))))
thread.start()
interrupted = is_interrupted(event.wait), list(done)
gate.open()
thread.join()
print(*interrupted, done, usmx.asnumpy(a).min())
"""
    assert output_of(code) == "True [] [False] 7.0"


def test_process_ends_cleanly_while_work_goes_on_that_was_given_up(preamble):
    code = (
        f"{preamble()}\ngate, event = begin()\nprint(is_interrupted(a.wait))\ngate.open_later(300)"
    )
    assert output_of(code) == "True"


def test_interrupt_that_nobody_catches_ends_the_process_as_python_does(preamble):
    ended = run_python(f"""{preamble()}
gate, event = begin()
def show(*error):
    gate.open()
    sys.__excepthook__(*error)
sys.excepthook = show
interrupt_soon(0.1)
event.wait()
""")
    assert ended.returncode == -signal.SIGINT
    assert ended.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_allocation_that_waits_for_earlier_work_is_interrupted(preamble):
    code = f"""{preamble()}
usmx.memory.set_pending_limit(1)
gate, event = begin()
dropped = usmx.empty(COUNT, usm_type="host")
usmx.copy_async(dropped, b)
del dropped
interrupted = is_interrupted(lambda: usmx.empty(3_000_000, usm_type="host"))
under_way = is_under_way(event)
gate.open()
made = usmx.full(3_000_000, 5.0, usm_type="host")
print(interrupted, under_way, usmx.asnumpy(made).min(), usmx.asnumpy(a).min())
"""
    assert output_of(code) == "True True 5.0 7.0"
