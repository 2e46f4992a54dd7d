"""SyclEvent, and record(event) on arrays and memory. dpctl's events are the real counterparts."""

import ctypes
import functools
import threading

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx
from helpers import (
    AT_ONCE,
    KINDS,
    MEMORY_CLASSES,
    SIMULATED,
    capsule_name,
    happens,
    make_capsule,
    output_of,
)
from spirv import fill_late
from usmx import SyclEvent

NBYTES = 4096


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


LATE = 100_000  # rounds that take some 10 ms


@functools.cache
def foreign_queue(**properties):
    """A queue of dpctl's that no array is on.

    It is never let go: the OpenCL CPU driver hangs when the last reference to a queue is that of
    its last command, on a thread of the driver's.
    """
    return dpctl.SyclQueue(**properties)


class Work:
    """A kernel on a foreign queue that fills the target with 7, after a while."""

    def __init__(self, target, rounds=LATE, **properties):
        self.queue = foreign_queue(**properties)
        self.target = dpctl.memory.as_usm_memory(target)
        self.event = fill_late(self.queue, self.target, b"\7" * 8, rounds)


class WithCapsule:
    """An object of nobody's library that holds an event."""

    def __init__(self, event):
        self._get_capsule = event._get_capsule


def recorded_forms(event):
    """Everything that record takes, for one event of dpctl's."""
    return {
        "dpctl": event,
        "usmx": SyclEvent(event),
        "capsule": event._get_capsule(),
        "usmx capsule": SyclEvent(event)._get_capsule(),
        "object": WithCapsule(event),
    }


@pytest.fixture(params=[SyclEvent, usmx._core._own_event], ids=["dpctl's class", "usmx's class"])
def shown(request):
    """What makes an object that usmx returns, for an event: with dpctl, and as without it."""
    return request.param


FORMS = ("dpctl", "usmx", "capsule", "usmx capsule", "object")


# ---- the event


def test_event_of_nothing_is_complete(shown):
    event = shown(SyclEvent())
    assert event.execution_status.name == "complete"
    event.wait()


def test_event_of_an_event_is_the_same():
    event = SyclEvent()
    for same in (SyclEvent(event), usmx._core._own_event(event)):
        assert same == event
        assert event == same
        assert (same != event) is False
        assert (event != same) is False
        assert hash(same) == hash(event)
    assert SyclEvent() != event
    assert event != 5


def test_event_says_its_backend_and_status(shown):
    work = Work(usmx.empty(NBYTES, "u1"))
    event = shown(work.event)
    event.wait()
    assert event.backend in (usmx.SyclDevice().backend, dpctl.SyclDevice().backend)
    assert repr(event) == "<SyclEvent, complete>"


def test_status_is_a_member_of_dpctls_enumeration_and_of_usmxs(shown):
    status = shown(SyclEvent()).execution_status
    for enumeration in (usmx.event_status_type, dpctl.event_status_type):
        assert status == enumeration.complete
        assert enumeration.complete == status
        assert status != enumeration.running
        assert {enumeration.complete: 1}[status] == 1
    assert status != "complete"


def test_both_enumerations_of_statuses_have_the_same_members():
    members = [[(e.name, e.value) for e in of.event_status_type] for of in (usmx, dpctl)]
    assert members[0] == members[1]


def test_event_that_was_always_complete_is_no_back_ends(shown):
    assert shown(SyclEvent()).backend in ("unknown", None)


def test_event_of_a_host_task_is_no_back_ends_and_is_waited_for(shown):
    kept = [b"alive"]
    event = shown(dpctl.SyclQueue()._submit_keep_args_alive(kept, []))
    assert event.backend in ("unknown", None)
    array = usmx.zeros(4)
    array.base.record(event)
    assert usmx.asnumpy(array).tolist() == [0, 0, 0, 0]
    SyclEvent.wait_for([event])
    assert event.execution_status.name == "complete"
    assert event.backend in ("unknown", None)


@pytest.mark.slow  # functions are compiled
@pytest.mark.parametrize(
    "wait", [lambda event: event.wait(), SyclEvent.wait_for], ids=["wait", "wait_for"]
)
def test_event_is_complete_once_it_was_waited_for(wait, shown, gate_in):
    gate = gate_in(dpctl.SyclQueue())
    event = shown(gate.event)
    assert event.execution_status.name in ("submitted", "running")
    gate.open_later(20)
    wait(event)
    assert event.execution_status.name == "complete"
    theirs = dpctl.SyclEvent(gate._get_capsule())
    assert theirs.execution_status == dpctl.event_status_type.complete


@pytest.mark.parametrize("sequence", [list, tuple])
def test_several_events_are_waited_for(sequence):
    works = [Work(usmx.empty(NBYTES, "u1")) for _ in range(3)]
    events = sequence([SyclEvent(works[0].event), works[1].event, WithCapsule(works[2].event)])
    assert SyclEvent.wait_for(events) is None
    assert {work.event.execution_status.name for work in works} == {"complete"}


def test_no_events_are_waited_for_at_once():
    assert SyclEvent.wait_for([]) is None


def test_other_threads_run_while_an_event_is_waited_for():
    work = Work(usmx.empty(NBYTES, "u1"), rounds=10 * LATE)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(SyclEvent(work.event).execution_status))
    thread.start()
    SyclEvent(work.event).wait()
    thread.join()
    assert len(seen) == 1


@pytest.mark.parametrize("argument", [5, "event", object(), [1]])
def test_event_of_another_type_is_a_type_error_that_names_it(argument):
    with pytest.raises(TypeError, match=type(argument).__name__):
        SyclEvent(argument)


@pytest.mark.parametrize("argument", [5, "event", None, {1}, [5]])
def test_what_is_no_event_cannot_be_waited_for(argument):
    found = argument[0] if isinstance(argument, list) else argument
    with pytest.raises(TypeError, match=type(found).__name__):
        SyclEvent.wait_for(argument)


def test_error_of_a_list_on_the_way_to_its_items_passes_through():
    class Broken(list):
        def __iter__(self):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        SyclEvent.wait_for(Broken([SyclEvent()]))


def test_profiling_times_are_in_order(shown):
    work = Work(usmx.empty(NBYTES, "u1"), property="enable_profiling")
    event = shown(work.event)
    event.wait()
    times = (event.profiling_info_submit, event.profiling_info_start, event.profiling_info_end)
    assert times == tuple(sorted(times))
    assert times == (
        work.event.profiling_info_submit,
        work.event.profiling_info_start,
        work.event.profiling_info_end,
    )


def test_profiling_times_without_profiling_are_a_runtime_error(shown):
    work = Work(usmx.empty(NBYTES, "u1"))
    event = shown(work.event)
    event.wait()
    with pytest.raises(RuntimeError, match="profiling"):
        _ = event.profiling_info_start


# ---- capsules


def test_capsule_carries_the_event_under_dpctls_name():
    event = SyclEvent()
    capsule = event._get_capsule()
    assert capsule_name(capsule) == "SyclEventRef"
    assert SyclEvent(capsule) == event


def test_capsule_that_was_taken_is_renamed_and_refused_from_then_on():
    capsule = SyclEvent()._get_capsule()
    SyclEvent(capsule)
    assert capsule_name(capsule) == "used_SyclEventRef"
    with pytest.raises(TypeError, match="found 'used_SyclEventRef'"):
        SyclEvent(capsule)


@pytest.mark.parametrize("name", ["SyclQueueRef", "other", None])
def test_capsule_of_another_name_is_refused_and_stays_as_it_is(name):
    capsule = make_capsule(name)
    with pytest.raises(TypeError, match=f"found {'no name' if name is None else repr(name)}"):
        SyclEvent(capsule)
    assert capsule_name(capsule) == name


def test_event_goes_to_dpctl_and_comes_back():
    work = Work(usmx.empty(NBYTES, "u1"))
    mine = SyclEvent(work.event._get_capsule())
    theirs = dpctl.SyclEvent(mine._get_capsule())
    assert SyclEvent(theirs) == mine == SyclEvent(work.event)
    theirs.wait()
    assert mine.execution_status.name == "complete"


def test_dpctls_capsule_is_renamed_by_the_constructor_alone():
    event = dpctl.SyclEvent()
    capsule = event._get_capsule()
    usmx.zeros(3).record(capsule)
    assert capsule_name(capsule) == "SyclEventRef"
    SyclEvent(capsule)
    assert capsule_name(capsule) == "used_SyclEventRef"


def test_subclass_without_a_constructed_base_is_refused():
    class Event(SyclEvent):
        def __init__(self):
            pass

    with pytest.raises(TypeError):
        Event().wait()
    with pytest.raises(TypeError, match="super"):
        usmx.zeros(3).record(Event())


# ---- record

RECORDERS = {
    "array": lambda a, event: a.record(event),
    "view": lambda a, event: a[NBYTES // 2 :].record(event),
    "readonly view": lambda a, event: a.readonly().record(event),
    "memory": lambda a, event: a.base.record(event),
    "part of memory": lambda a, event: usmx.memory.as_usm_memory(a[:5]).record(event),
}

READERS = {
    "asnumpy": usmx.asnumpy,
    "dictionary": lambda a: (a.__sycl_usm_array_interface__, bare(a))[1],
    "memory's dictionary": lambda a: (a.base.__sycl_usm_array_interface__, bare(a))[1],
    "tobytes": lambda a: np.frombuffer(a.base.tobytes(), "u1"),
    "wait": lambda a: (a.wait(), bare(a))[1],
    "memory's wait": lambda a: (a.base.wait(), bare(a))[1],
    "copy": lambda a: usmx.asnumpy(usmx.asarray(a, copy=True)),
    "memory's copy": lambda a: bare(MEMORY_CLASSES[a.usm_type](a, copy=True)),
    "view": lambda a: usmx.asnumpy(a[::-1]),
}


def bare(a):
    """The bytes as they are now: nothing waits. (On this CPU device all memory is the host's.)"""
    nbytes = a.nbytes
    return np.array((ctypes.c_ubyte * nbytes).from_address(a._pointer))


def own_array(kind):
    """Memory whose queue others do not work on: only what is recorded is waited for."""
    return usmx.zeros(NBYTES, "u1", usm_type=kind)


@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
def test_the_test_would_see_stale_numbers(kind):
    def is_stale():
        a = own_array(kind)
        work = Work(a)
        stale = not bare(a)[-1]
        work.event.wait()
        assert (bare(a) == 7).all()
        return stale

    assert happens(is_stale)


@pytest.mark.parametrize("form", FORMS)
def test_recorded_event_of_every_form_is_waited_for(kind, form):
    a = own_array(kind)
    work = Work(a)
    assert a.record(recorded_forms(work.event)[form]) is None
    assert (usmx.asnumpy(a) == 7).all()


@pytest.mark.parametrize("recorder", RECORDERS)
def test_event_recorded_on_any_part_is_waited_for(kind, recorder):
    a = own_array(kind)
    work = Work(a)
    RECORDERS[recorder](a, work.event)
    assert (usmx.asnumpy(a) == 7).all()


@pytest.mark.parametrize("reader", READERS)
def test_every_read_waits_for_recorded_work(kind, reader):
    a = own_array(kind)
    work = Work(a)
    a.record(work.event)
    assert (READERS[reader](a) == 7).all()


@pytest.mark.parametrize("kind", ["shared", "host"])
@pytest.mark.parametrize("view", [np.asarray, memoryview], ids=["numpy", "memoryview"])
def test_buffer_waits_for_recorded_work(kind, view):
    a = own_array(kind)
    work = Work(a)
    a.record(work.event)
    view(a)
    assert work.event.execution_status == dpctl.event_status_type.complete


def test_write_comes_after_recorded_work(kind):
    a = own_array(kind)
    work = Work(a)
    a.record(work.event)
    a.base.memset(3)
    assert (usmx.asnumpy(a) == 3).all()


def test_all_of_many_recorded_events_are_waited_for(kind):
    a = own_array(kind)
    part = NBYTES // 8
    works = [Work(a[k * part : (k + 1) * part]) for k in range(8)]
    for work in works:
        a.record(work.event)
    assert (usmx.asnumpy(a) == 7).all()


def test_barrier_stands_for_everything_before_it(kind):
    a = own_array(kind)
    work = Work(a)
    a.record(work.queue.submit_barrier())
    assert (usmx.asnumpy(a) == 7).all()


def test_work_recorded_on_an_imported_array_is_waited_for(kind):
    theirs = dpctl.memory.as_usm_memory(own_array(kind))
    a = usmx.asarray(theirs)
    work = Work(a)
    a.record(work.event)
    assert (usmx.asnumpy(a) == 7).all()


def test_memory_is_not_freed_before_recorded_work_is_done(kind):
    a = own_array(kind)
    freed = []
    work = None  # where the device cannot have it

    def free(pointer, keep=a):
        freed.append((pointer, work and work.event.execution_status.name))

    memory = usmx.memory.from_pointer(a._pointer, NBYTES, a.sycl_queue, deleter=free)
    work = Work(memory)
    memory.record(work.event)
    work.target = None  # dpctl's view of it
    del memory
    usmx.synchronize()
    assert freed == [(a._pointer, "complete")]


def test_event_of_nothing_costs_no_wait_and_changes_nothing(kind):
    a = own_array(kind)
    a.record(SyclEvent())
    assert not usmx.asnumpy(a).any()


@pytest.mark.parametrize("owner", [lambda: usmx.zeros(3), lambda: usmx.zeros(3).base])
@pytest.mark.parametrize("argument", [None, 5, object(), [1]])
def test_only_events_are_recorded(owner, argument):
    with pytest.raises(TypeError, match=f"event must be .* found {type(argument).__name__}"):
        owner().record(argument)


def test_used_capsule_is_not_recorded():
    capsule = dpctl.SyclEvent()._get_capsule()
    dpctl.SyclEvent(capsule)
    with pytest.raises(ValueError, match="used_SyclEventRef"):
        usmx.zeros(3).record(capsule)


def test_queue_is_not_recorded():
    with pytest.raises(ValueError, match="SyclQueueRef"):
        usmx.zeros(3).record(usmx.SyclQueue())


def test_get_capsule_that_raises_passes_through():
    class Raises:
        def _get_capsule(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        usmx.zeros(3).record(Raises())


def test_recording_from_many_threads_loses_no_event(kind):
    a = own_array(kind)
    part = NBYTES // 8
    works = [Work(a[k * part : (k + 1) * part]) for k in range(8)]
    threads = [threading.Thread(target=a.record, args=(work.event,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (usmx.asnumpy(a) == 7).all()


@pytest.mark.slow
def test_forked_child_gets_a_clear_error():
    code = """
import os, usmx
event, a = usmx.SyclEvent(), usmx.zeros(3)
calls = [usmx.SyclEvent, event.wait, lambda: a.record(event), lambda: event.execution_status]
read, write = os.pipe()
if os.fork() == 0:
    found = 0
    for call in calls:
        try:
            call()
        except RuntimeError as error:
            found += "forked" in str(error)
    os.write(write, b"%d" % found)
    os._exit(0)
os.wait()
print(os.read(read, 9).decode())
"""
    assert output_of(code) == "4"
    assert output_of("import dpctl\n" + code) == "4"
