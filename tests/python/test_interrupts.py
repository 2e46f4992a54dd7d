"""Ctrl-C while the main thread waits: the wait ends, the work goes on, and the numbers are right."""

import signal

import pytest
from helpers import output_of, run_python

pytestmark = pytest.mark.slow

# Work that takes some two seconds here and now, and sets every element of `a` to 7 at its end.
PREAMBLE = """
import os, signal, threading, time
import numpy as np, usmx
a, b = usmx.zeros(1 << 22, usm_type=KIND), usmx.zeros(1 << 22)
def copies(count):
    for _ in range(count):
        usmx.copy_async(a, b)
        usmx.copy_async(b, a)
    return usmx.fill_async(a, 7)
def duration(count):
    start = time.perf_counter()
    copies(count).wait()
    return time.perf_counter() - start
count = int(2 / min(duration(10) / 10 for _ in range(3)))
def begin():
    usmx.fill_async(a, 0)
    return copies(count)
def interrupt_soon(seconds=0.2):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
def is_interrupted(wait, seconds=0.2):
    interrupt_soon(seconds)
    try:
        wait()
    except KeyboardInterrupt:
        return True
    return False
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


def preamble(kind="shared"):
    return PREAMBLE.replace("KIND", repr(kind))


def test_interrupt_ends_every_wait_while_the_work_goes_on():
    waits = "".join(f"waits[{name!r}] = lambda: {wait}\n" for name, wait in ROUTES.items())
    code = f"""{preamble()}
waits = {{}}
{waits}
usual, count = count, 5 * count  # a busy moment may have made count too small
event = begin()
for name, wait in waits.items():
    print(name, is_interrupted(wait, 0.1), event.execution_status.name != "complete", sep=": ")
event.wait()
count = usual // 20
for name, wait in waits.items():  # once more each, to the end of new work
    event = begin()
    wait()
    print(name, event.execution_status.name, (usmx.asnumpy(a) == 7).all(), sep=": ")
"""
    interrupted = [f"{name}: True: True" for name in ROUTES]
    finished = [f"{name}: complete: True" for name in ROUTES]
    assert output_of(code, timeout=240).splitlines() == interrupted + finished


@pytest.mark.parametrize("order", ["out of order", "in order"])
def test_interrupt_ends_a_wait_for_a_queue_that_others_have(order):
    properties = "property='in_order'" if order == "in order" else ""
    code = f"""{preamble()}
import dpctl.memory
queue = usmx.SyclQueue({properties})
a, b = usmx.zeros(1 << 22, sycl_queue=queue), usmx.zeros(1 << 22, sycl_queue=queue)
others = dpctl.SyclQueue(queue._get_capsule())
to, source = dpctl.memory.as_usm_memory(a), dpctl.memory.as_usm_memory(b)
ones = np.full(1 << 22, 7.0).view("u1")
dpctl.memory.as_usm_memory(b).copy_from_host(ones)
def copies(count):
    events = []
    for _ in range(2 * count):
        events = [others.memcpy_async(to, source, 1 << 25, events)]
    return events[0]
event = copies(count)
interrupted = [is_interrupted(lambda: a.__sycl_usm_array_interface__), is_interrupted(a.wait)]
under_way = event.execution_status.name != "complete"
print(interrupted, under_way, usmx.asnumpy(a).min())
"""
    assert output_of(code, timeout=120) == "[True, True] True 7.0"


def test_twenty_waits_are_interrupted_in_a_row():
    code = f"""{preamble()}
count *= 3
event = begin()
waits = [event.wait, a.wait, usmx.synchronize, a.sycl_queue.wait] * 5
print(sum(is_interrupted(wait, 0.05) for wait in waits), event.execution_status.name != "complete")
event.wait()
print(usmx.asnumpy(a).min())
"""
    assert output_of(code, timeout=240).split() == ["20", "True", "7.0"]


def test_memory_of_work_that_was_given_up_is_not_used_again_before_its_end():
    code = f"""{preamble("device")}
event = begin()
interrupted = is_interrupted(a.wait)
del a, b
new = [usmx.full(1 << 22, float(k), usm_type="device") for k in range(4)]
usmx.synchronize()
print(interrupted, [usmx.asnumpy(x).min() + usmx.asnumpy(x).max() for x in new] == [0, 2, 4, 6])
"""
    assert output_of(code, timeout=120) == "True True"


def test_handler_that_raises_nothing_runs_during_the_wait():
    code = f"""{preamble()}
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(event.execution_status.name != "complete"))
event = begin()
signal.setitimer(signal.ITIMER_REAL, 0.2)
event.wait()
print(seen, event.execution_status.name, usmx.asnumpy(a).min())
"""
    assert output_of(code, timeout=120) == "[True] complete 7.0"


def test_waits_of_other_threads_go_on():
    code = f"""{preamble()}
event = begin()
done = []
thread = threading.Thread(target=lambda: (a.wait(), done.append(event.execution_status.name)))
thread.start()
interrupted = is_interrupted(event.wait)
thread.join()
print(interrupted, done, usmx.asnumpy(a).min())
"""
    assert output_of(code, timeout=120) == "True ['complete'] 7.0"


def test_process_ends_cleanly_while_work_goes_on_that_was_given_up():
    assert output_of(f"{preamble()}\nbegin()\nprint(is_interrupted(a.wait))") == "True"


def test_interrupt_that_nobody_catches_ends_the_process_as_python_does():
    ended = run_python(f"{preamble()}\nevent = begin()\ninterrupt_soon()\nevent.wait()")
    assert ended.returncode == -signal.SIGINT
    assert ended.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_allocation_that_waits_for_earlier_work_is_interrupted():
    code = f"""{preamble()}
usmx.memory.set_pending_limit(1)
event = begin()
dropped = usmx.empty(1 << 20, usm_type="host")
usmx.copy_async(dropped, b[: 1 << 20])
del dropped
interrupted = is_interrupted(lambda: usmx.empty(3_000_000, usm_type="host"))
under_way = event.execution_status.name != "complete"
made = usmx.full(3_000_000, 5.0, usm_type="host")
print(interrupted, under_way, usmx.asnumpy(made).min(), usmx.asnumpy(a).min())
"""
    assert output_of(code, timeout=120) == "True True 5.0 7.0"
