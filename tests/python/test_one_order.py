"""Work on the same bytes runs in the order in which it was called, whoever calls.

The table of docs/concepts.md, cell by cell: others get the memory by each route first. Then usmx
submits work that takes its time, and they read at once; or they submit work, and usmx goes on.
"""

import contextlib
import ctypes
import gc
import itertools
import os
import random
import signal
import sys
import threading

import dpctl
import dpctl.memory
import dpctl.utils
import dpnp
import dpnp.tensor
import dpnp.tensor._copy_utils
import numpy as np
import pytest
import usmx
from documents import ROOT
from helpers import AT_ONCE, HOST_KINDS, SIMULATED, examples, happens
from usmx import ElementwiseKernel, Kernel

# A missing wait was seen in 13 of 20 tries at least, by every route and each kind of work; 1000 by hand.
TRIES = int(os.environ.get("USMX_TEST_TRIES", "6"))
SIZE = 1 << 16
ROUNDS = 2000

late = Kernel(
    """
    #include <usmx/kernel.hpp>
    USMX_KERNEL(1) late(float* x, float value, int rounds) {
      float v = value;
      for (int i = 0; i < rounds; ++i) v = v * 0.5f + value * 0.5f;
      x[usmx::global_id()] = v;
    }
    """,
    "late",
)
late_each = ElementwiseKernel(
    "float32 value, int32 rounds",
    "float32 x",
    "float v = value; for (int i = 0; i < rounds; ++i) v = v * 0.5f + value * 0.5f; x = v;",
    "late_each",
)
QUEUES = {
    "usmx's queue": lambda: usmx.empty(1).sycl_queue,
    "out of order": dpctl.SyclQueue,
    "in order": lambda: dpctl.SyclQueue(property="in_order"),
}


@pytest.fixture(params=QUEUES)
def queue(request):
    return QUEUES[request.param]()


# ---- work of usmx's that gives its event, or none


def launch(x, value):
    return late(SIZE, None, x, value, ROUNDS)


def compute(x, value):
    late_each(value, ROUNDS, x)


def assign(x, value):
    x[...] = value


def copy(x, value):
    usmx.copyto(x, usmx.full(SIZE, value, dtype="f4", sycl_queue=x.sycl_queue))


def compute_into_itself(x, value):
    """By memory of its own, from which the result is copied: the output overlaps an input."""
    x[...] = value - 1
    shifted = usmx.asarray(x[:-1])
    add_one(shifted, x[1:])
    x[:1] = value


add_one = ElementwiseKernel("float32 a", "float32 b", "b = a + 1", "add_one")


def fill_async(x, value):
    launch(x, -1)
    return usmx.fill_async(x, value)


def copy_async(x, value):
    made = usmx.empty(SIZE, dtype="f4", sycl_queue=x.sycl_queue)
    launch(made, value)
    return usmx.copy_async(x, made)


def launch_without_wait(x, value):
    return late(SIZE, None, x, value, ROUNDS, wait=False)


ORDERED = [launch, compute, assign, copy, compute_into_itself]
EVENTS_OF_THE_CALLER = [fill_async, copy_async, launch_without_wait]

# ---- others, who have the memory, and what they read of it


def dpnp_view_of_a_dictionary(x):
    """dpnp.asarray copies an array of another class."""
    return dpnp.ndarray._create_from_usm_ndarray(dpnp.tensor.asarray(x))


def first_and_last(elements):
    return [float(elements[0]), float(elements[SIZE - 1])]


DPNP_READS = {
    "sum": lambda d: float(dpnp.sum(d)) / SIZE,
    "abs": lambda d: float(dpnp.abs(d)[SIZE - 1]),
    "dot": lambda d: float(dpnp.dot(d, dpnp.ones_like(d))) / SIZE,
    "asnumpy": lambda d: float(dpnp.asnumpy(d)[SIZE - 1]),
    "item": lambda d: float(d[SIZE - 1].item()),
}


def by_dpnp(route):
    return lambda x: dpnp_reader(route(x))


def dpnp_reader(d):
    reads = itertools.cycle(DPNP_READS.values())
    return lambda: next(reads)(d)


def by_host(view):
    return lambda: float(view[SIZE - 1])


def by_dpctl(x):
    memory = usmx.to_dpctl(x)
    host = np.empty(4 * SIZE, "u1")

    def read():
        memory.copy_to_host(host)
        return float(host.view("f4")[SIZE - 1])

    return read


def by_pointer(x):
    raw = (ctypes.c_float * SIZE).from_address(x._pointer)
    return lambda: float(raw[SIZE - 1])


def by_kernel_on_another_queue(x):
    there = x.to_device(dpctl.SyclQueue(x.sycl_context, x.sycl_device))
    return lambda: float(usmx.asnumpy(add_one(there[SIZE - 1 :]))[0]) - 1


TOLD = {  # nobody waits, whatever usmx does
    "to_dpnp": by_dpnp(usmx.to_dpnp),
    "to_dpnp of a part": by_dpnp(lambda x: usmx.to_dpnp(x[::-1])[::-1]),
    "dictionary": by_dpnp(dpnp_view_of_a_dictionary),
    "from_dlpack of dpnp": by_dpnp(dpnp.from_dlpack),
}
NOT_TOLD = {  # usmx waits for its work, but for that which gives its event to the caller
    "asarray of NumPy": lambda x: by_host(np.asarray(x)),
    "memoryview": lambda x: by_host(memoryview(x)),
    "from_dlpack on the host": lambda x: by_host(np.from_dlpack(x, device="cpu")),
    "buffer of the memory": lambda x: by_host(np.frombuffer(x.base, "f4")),
    "pyarrow": lambda x: by_host(np.asarray(__import__("pyarrow").array(x))),
    "dpctl's memory": by_dpctl,
    "pointer": by_pointer,
}
ROUTES = TOLD | NOT_TOLD


# The rows of the table in docs/concepts.md, by how they begin, and the routes that are tried here.
ROWS = {
    "NumPy, `memoryview`, MPI": [
        "asarray of NumPy",
        "memoryview",
        "from_dlpack on the host",
        "buffer of the memory",
        "pyarrow",
    ],
    "dpnp by `to_dpnp`": ["to_dpnp", "to_dpnp of a part"],
    "a library that took a dictionary": ["dictionary", "dpctl's memory"],
    "`dpnp.from_dlpack`": ["from_dlpack of dpnp"],
    "a consumer on CUDA": "tests/python/test_cuda.py",
    "`__cuda_array_interface__`": "tests/python/test_cuda_dictionary.py",
    "code that has a pointer": ["pointer"],
    "a native extension": "tests/python/test_chained_extensions.py",
    # Not in thousands of tries: commands of two queues that wait for each other may hang in OpenCL's
    # CPU driver (docs/decisions.md, 121).
    "another queue of usmx's": "TestNobodyWaitsWithoutNeed, and USMX_READS below",
    "another process": "usmx cannot know",
}


def test_every_row_of_the_table_is_tried():
    text = (ROOT / "docs" / "concepts.md").read_text("utf-8")
    section = text.partition("### One order for all")[2].partition("###")[0]
    rows = [line[2:] for line in section.splitlines() if line.startswith("| ")][1:]
    assert [[row for row in rows if row.startswith(begin)] for begin in ROWS] == [
        [row] for row in rows
    ]
    tried = [route for routes in ROWS.values() if isinstance(routes, list) for route in routes]
    assert sorted(tried) == sorted(ROUTES)


def array_on(queue, kind="shared"):
    return usmx.zeros(SIZE, dtype="f4", usm_type=kind, sycl_queue=queue)


def stale(x, work, read):
    found = 0
    for number in range(1, TRIES + 1):
        event = work(x, number)
        found += read() != number
        if event is not None:
            event.wait()
    return found


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("work", ORDERED, ids=lambda work: work.__name__)
@pytest.mark.parametrize("route", ROUTES)
def test_others_read_what_usmx_has_written(queue, route, work):
    x = array_on(queue)
    assert stale(x, work, ROUTES[route](x)) == 0


OF_THE_HOST = ROWS["NumPy, `memoryview`, MPI"]


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.skipif(
    "device" not in HOST_KINDS, reason="the host does not reach the device's memory"
)
@pytest.mark.parametrize("work", ORDERED, ids=lambda work: work.__name__)
@pytest.mark.parametrize("route", OF_THE_HOST)
def test_host_reads_in_device_memory_what_usmx_has_written(queue, route, work):
    x = array_on(queue, "device")
    assert stale(x, work, ROUTES[route](x)) == 0


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("work", EVENTS_OF_THE_CALLER, ids=lambda work: work.__name__)
@pytest.mark.parametrize("route", TOLD)
def test_who_reads_events_comes_after_asynchronous_work_too(queue, route, work):
    x = array_on(queue)
    assert stale(x, work, TOLD[route](x)) == 0


@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
def test_who_does_not_wait_for_the_event_reads_old_numbers():
    """There is something to wait for."""
    x = array_on(QUEUES["usmx's queue"]())
    assert stale(x, launch_without_wait, by_host(np.asarray(x))) > 0


# ---- their work is pending, and usmx goes on

USMX_READS = {
    "kernel": lambda x: float(usmx.asnumpy(add_one(x))[SIZE - 1]) - 1,
    "asnumpy": lambda x: float(usmx.asnumpy(x)[SIZE - 1]),
    "copy_async": lambda x: copied_async(x),
    "another queue": lambda x: by_kernel_on_another_queue(x)(),
}


def copied_async(x):
    there = usmx.empty(SIZE, dtype="f4", sycl_queue=x.sycl_queue)
    usmx.copy_async(there, x).wait()
    return float(usmx.asnumpy(there)[SIZE - 1])


def write_by_dpnp(d, number):
    rows = dpnp.full((64, SIZE), number / 64, dtype="f4", sycl_queue=d.sycl_queue)
    dpnp.sum(rows, axis=0, out=d)


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("read", USMX_READS)
@pytest.mark.parametrize("route", ["to_dpnp", "dictionary", "from_dlpack", "import"])
def test_usmx_reads_what_dpnp_has_written(queue, route, read):
    if route == "import":
        d = dpnp.zeros(SIZE, dtype="f4", sycl_queue=queue)
        x = usmx.asarray(d)
    else:
        x = array_on(queue)
        take = {
            "to_dpnp": usmx.to_dpnp,
            "dictionary": dpnp_view_of_a_dictionary,
            "from_dlpack": dpnp.from_dlpack,
        }[route]
        d = take(x)
    for number in range(1, TRIES + 1):
        write_by_dpnp(d, number)
        assert USMX_READS[read](x) == number


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("read", USMX_READS)
def test_last_work_of_dpnp_is_followed_after_its_view_has_ended(queue, read):
    x = array_on(queue)
    for number in range(1, TRIES + 1):
        write_by_dpnp(usmx.to_dpnp(x), number)
        assert USMX_READS[read](x) == number


def test_event_of_dpnp_that_was_recorded_on_one_array_is_followed_on_another():
    queue = usmx.empty(1).sycl_queue
    x, y = array_on(queue), array_on(queue)
    d = usmx.to_dpnp(y)
    for number in range(1, TRIES + 1):
        write_by_dpnp(d, number)
        for event in dpctl.utils.SequentialOrderManager[d.sycl_queue].submitted_events:
            x.record_write(event)
        assert USMX_READS["kernel"](y) == number


@pytest.mark.parametrize("route", ["array", "import", "view on the other queue"])
def test_view_for_another_queue_comes_after_dpnps_own_work(route):
    queue = usmx.empty(1).sycl_queue
    other = dpctl.SyclQueue(queue.sycl_context, queue.sycl_device)
    source = dpnp.zeros(SIZE, dtype="f4", sycl_queue=queue)
    for number in range(1, TRIES + 1):
        x = usmx.asarray(source) if route == "import" else array_on(queue)
        write_by_dpnp(source if route == "import" else usmx.to_dpnp(x), number)
        if route == "view on the other queue":
            there = usmx.to_dpnp(x.to_device(other))
        else:
            there = usmx.to_dpnp(x, sycl_queue=other)
        assert float(dpnp.abs(there)[SIZE - 1]) == number
        queue.wait()


def test_unregistered_work_on_memory_of_dpctl_is_waited_for():
    """dpctl's queue tells the order manager nothing."""
    queue = dpctl.SyclQueue()
    x = array_on(queue)
    memory = usmx.to_dpctl(x)
    for number in range(1, TRIES + 1):
        source = usmx.to_dpctl(usmx.full(SIZE, number, dtype="f4", sycl_queue=queue))
        queue.memcpy_async(memory, source, 4 * SIZE)
        assert USMX_READS["kernel"](x) == number


# ---- threads


# Of the host alone: where dpnp waits on one thread and usmx on another, OpenCL's CPU driver may hang.
@pytest.mark.parametrize("route", sorted(NOT_TOLD.keys() - {"dpctl's memory"}))
def test_view_that_is_taken_during_a_call_of_another_thread_is_not_old(route):
    queue = usmx.empty(1).sycl_queue
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        for _ in range(TRIES):
            x = array_on(queue)
            first = launch(x, 1)
            taken = []
            taker = threading.Thread(target=lambda x=x, taken=taken: taken.append(ROUTES[route](x)))
            taker.start()
            first.wait()
            launch(x, 2)
            taker.join()
            assert taken[0]() == 2
            x.wait()
    finally:
        sys.setswitchinterval(before)


# ---- a random mix


@pytest.mark.parametrize("seed", range(examples(3)))
def test_any_mix_of_calls_gives_the_numbers_of_the_same_calls_in_numpy(queue, seed, request):
    draw = random.Random(request.node.name)  # which names the queue, too
    x, model = array_on(queue), np.zeros(SIZE, "f4")
    other, other_model = array_on(queue), np.ones(SIZE, "f4")
    other[...] = 1
    views = []

    def dpnp_add():
        d = usmx.to_dpnp(x)
        views.append(d)
        d += 1
        model[...] += 1

    def usmx_add():
        add_one(x, x)
        model[...] += 1

    def usmx_launch():
        launch(x, 3)
        model[...] = 3

    def fill():
        fill_async(x, 5)
        model[...] = 5

    def mixed():
        d, e = usmx.to_dpnp(x), usmx.to_dpnp(other)
        dpnp.add(d, e, out=e)
        other_model[...] += model

    def swapped():
        usmx.copy_async(x, other)
        model[...] = other_model

    def forget():
        views.clear()

    def check():
        assert np.array_equal(usmx.asnumpy(x), model)
        assert np.array_equal(dpnp.asnumpy(usmx.to_dpnp(other)), other_model)

    for _ in range(max(200, 20 * TRIES)):
        draw.choice([dpnp_add, usmx_add, usmx_launch, fill, mixed, swapped, forget, check])()
        other_model %= 1 << 20
        add_modulo(other, other)
    check()


add_modulo = ElementwiseKernel("float32 a", "float32 b", "b = fmod(a, 1048576.0f)", "modulo")


# ---- nobody waits without need


def is_running(event):
    return event.execution_status != dpctl.event_status_type.complete


LONG = 4000  # rounds of a kernel that takes long after its launch


def returns_at_once(x):
    """Whether a launch has returned before the kernel ended, in one of some tries."""
    return happens(lambda: is_running(late(SIZE, None, x, 1, LONG)), tries=20)


@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
class TestNobodyWaitsWithoutNeed:
    def test_for_memory_that_never_left(self, queue):
        assert returns_at_once(array_on(queue))

    def test_while_dpnp_has_a_view(self, queue):
        x = array_on(queue)
        d = usmx.to_dpnp(x)
        assert returns_at_once(x)
        assert float(dpnp.sum(d)) == SIZE

    @pytest.mark.parametrize("route", ["to_dpnp", "from_dlpack", "asarray"])
    def test_after_the_view_has_ended(self, queue, route):
        x = array_on(queue)
        take = {"to_dpnp": usmx.to_dpnp, "from_dlpack": dpnp.from_dlpack, "asarray": np.asarray}
        view = take[route](x)
        if route == "asarray":
            assert not returns_at_once(x)
        del view
        gc.collect()
        assert returns_at_once(x)

    def test_after_the_object_that_gave_a_dictionary_has_ended(self, queue):
        x = array_on(queue)
        giver = x[:]
        view = dpnp.tensor.asarray(giver)
        assert not returns_at_once(x)
        del giver, view
        gc.collect()
        assert returns_at_once(x)

    def test_for_a_part_of_memory_of_which_the_host_has_another(self, queue):
        whole = array_on(queue, "shared")
        ring = usmx.zeros((2, SIZE), dtype="f4", usm_type="shared", sycl_queue=whole.sycl_queue)
        view = np.asarray(ring[0])
        assert returns_at_once(ring[1])
        assert not returns_at_once(ring[0])
        del view

    def test_on_two_queues_of_the_same_memory(self):
        x = array_on(QUEUES["usmx's queue"]())
        there = x.to_device(dpctl.SyclQueue(x.sycl_context, x.sycl_device))
        assert returns_at_once(x)
        assert returns_at_once(there)
        del there
        assert returns_at_once(x)

    def test_where_the_event_is_the_callers(self, queue):
        x = array_on(queue)
        view = np.asarray(x)
        assert not returns_at_once(x)
        assert happens(lambda: is_running(late(SIZE, None, x, 1, LONG, wait=False)))
        usmx.synchronize()
        assert view[0] == 1


# ---- where dpctl's order manager cannot be asked or told, usmx waits

real = dpctl.utils.SequentialOrderManager


@pytest.fixture
def lent():
    """An array on dpctl's queue, and dpnp's view of it."""
    x = array_on(usmx.empty(1).sycl_queue)
    return x, usmx.to_dpnp(x)


class Managers:
    """In place of dpctl's map of managers, with a manager of its own for each question."""

    def __init__(self, answer):
        self.answer = answer

    def __getitem__(self, queue):
        return self.answer(real[queue])


class Faulty:
    def __init__(self, manager, asked=None, told=None):
        self.manager, self.asked, self.told = manager, asked, told

    @property
    def submitted_events(self):
        return self.asked() if self.asked else self.manager.submitted_events

    def add_event_pair(self, *events):
        return self.told() if self.told else self.manager.add_event_pair(*events)


def failing():
    raise RuntimeError("out of order")


def interrupting():
    raise KeyboardInterrupt


FAULTS = {
    "no manager": lambda manager: failing(),
    "asking fails": lambda manager: Faulty(manager, asked=failing),
    "telling fails": lambda manager: Faulty(manager, told=failing),
    "nothing is given": lambda manager: Faulty(manager, asked=lambda: None),
    "no events are given": lambda manager: Faulty(manager, asked=lambda: [1, 2]),
    "no such functions": lambda manager: object(),
}


@contextlib.contextmanager
def managers(value, everywhere=True):
    """While usmx is called; dpnp has the real ones again after that."""
    dpctl.utils.SequentialOrderManager = value
    if everywhere:
        dpnp.tensor._copy_utils.SequentialOrderManager = value
    try:
        yield
    finally:
        dpctl.utils.SequentialOrderManager = real
        dpnp.tensor._copy_utils.SequentialOrderManager = real


def launch_is_waited_for(x):
    return not any(is_running(late(SIZE, None, x, 1, LONG)) for _ in range(5))


def check_both_directions(x, d, replaced):
    for number in range(1, TRIES + 1):
        with replaced():
            launch(x, number)
        assert float(dpnp.sum(d)) == number * SIZE
        write_by_dpnp(d, number + 0.5)
        with replaced():
            read = usmx.asnumpy(usmx.copy(x))
        assert first_and_last(read) == [number + 0.5] * 2


@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
def test_installed_versions_are_those_that_were_tried(lent):
    x, d = lent
    told = 0
    for _ in range(TRIES):
        usmx.synchronize()
        assert real[d.sycl_queue].submitted_events == []
        late(SIZE, None, x, 1, LONG)
        told += len(real[d.sycl_queue].submitted_events)
    assert told > 0


@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
def test_nobody_waits_while_the_manager_works(lent):
    x, _ = lent
    assert not launch_is_waited_for(x)


@pytest.mark.parametrize("fault", FAULTS)
def test_where_the_manager_fails_usmx_waits(lent, fault):
    x, d = lent

    def replaced():
        return managers(Managers(FAULTS[fault]))

    with replaced():
        assert launch_is_waited_for(x)
    check_both_directions(x, d, replaced)


def test_where_dpnp_uses_another_manager_usmx_waits(lent):
    x, d = lent

    def replaced():
        return managers(Managers(lambda manager: manager), everywhere=False)

    with replaced():
        assert launch_is_waited_for(x)
    check_both_directions(x, d, replaced)


def test_where_the_manager_is_gone_usmx_waits(lent):
    x, d = lent

    @contextlib.contextmanager
    def replaced():
        with managers(None):
            del dpctl.utils.SequentialOrderManager
            yield

    with replaced():
        assert launch_is_waited_for(x)
    check_both_directions(x, d, replaced)


def test_cleared_manager_is_looked_up_again(lent):
    x, d = lent
    launch(x, 1)
    real.clear()
    check_both_directions(x, d, contextlib.nullcontext)


def test_interrupt_while_the_manager_is_asked_ends_the_call(lent):
    x, d = lent
    x[...] = 5
    interrupted = managers(Managers(lambda manager: Faulty(manager, asked=interrupting)))
    with pytest.raises(KeyboardInterrupt), interrupted:
        launch(x, 7)
    assert float(dpnp.sum(d)) == 5 * SIZE


def test_interrupt_while_the_manager_is_told_comes_after_the_work(lent):
    x, d = lent
    interrupted = managers(Managers(lambda manager: Faulty(manager, told=interrupting)))

    def launch_and_go_on():
        launch(x, 7)
        for _ in range(1000):
            pass

    with pytest.raises(KeyboardInterrupt), interrupted:
        launch_and_go_on()
    assert float(dpnp.sum(d)) == 7 * SIZE


def add_one_for_long(x):
    for _ in range(100_000):
        add_one(x, x)


class Stopped(Exception):
    pass


def stop(*_):
    raise Stopped


def test_exceptions_of_signal_handlers_reach_the_program(lent):
    x, _ = lent
    before = signal.signal(signal.SIGALRM, stop)
    try:
        for _ in range(TRIES):
            with pytest.raises(Stopped):  # noqa: PT012 - the signal may come at any time
                signal.setitimer(signal.ITIMER_REAL, 0.003)
                add_one_for_long(x[:64])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_long_runs_of_launches_keep_few_events(lent):
    x, d = lent
    for _ in range(2000):
        late(64, None, x, 1, 1)
    assert real[d.sycl_queue].num_submitted_events < 1000
    usmx.synchronize()
    launch(x, 3)
    assert float(dpnp.sum(d)) == 3 * SIZE
