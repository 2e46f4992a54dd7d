"""Native functions that submit work and return while it runs: tests/python/extensions/chained.hpp."""

import functools
import os
import random

import dpnp
import dpnp.tensor
import numpy as np
import pytest
import usmx
from extension_builds import loaded

TRIES = int(os.environ.get("USMX_TEST_TRIES", "20"))  # 1000 by hand
COUNT = 1 << 16

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def chained_of(folder_of):
    return functools.cache(lambda library: loaded(f"{library}_chained", folder_of(library)))


@pytest.fixture(params=["nanobind", "pybind11"])
def extension(request, chained_of):
    return chained_of(request.param)


@pytest.fixture(params=["shift", "shift_by_events"])
def shift(request, extension):
    return getattr(extension, request.param)


@pytest.fixture
def gate_on(extension):
    """Make unfinished work on arrays; it ends with the test at the latest."""
    gates = []

    def make(*arrays):
        gates.append(extension.Gate(arrays[0]))
        for each in arrays:
            each.record_write(gates[-1].event())
        return gates[-1]

    yield make
    for gate in gates:
        gate.open()


def numbers(usm_type="device", queue=None):
    return usmx.asarray(np.arange(float(COUNT)), usm_type=usm_type, sycl_queue=queue)


def is_running(event):
    return event.execution_status.name != "complete"


def test_dependent_calls_return_while_the_first_work_runs(extension, shift, gate_on):
    x, y = numbers(), usmx.zeros(COUNT)
    gate = gate_on(x)
    events = [shift(*((x, y) if k % 2 == 0 else (y, x))) for k in range(10)]
    assert all(map(is_running, events))
    gate.open()
    assert usmx.asnumpy(x)[10:].tolist() == list(range(COUNT - 10))


def test_reads_do_not_wait_for_reads(extension, shift):
    x, y = numbers(), usmx.zeros(COUNT)
    gate = extension.Gate(x)
    x.record_read(gate.event())
    shift(x, y).wait()
    gate.open()


def test_a_write_comes_after_a_read(extension, shift):
    x, y = usmx.zeros(COUNT), numbers()
    gate = extension.Gate(x)
    x.record_read(gate.event())
    event = shift(y, x)
    assert is_running(event)
    gate.open()
    event.wait()


def test_words_of_a_parameter_say_whether_its_caster_waits(extension, gate_on):
    x = numbers("shared")
    gate = gate_on(x)
    assert extension.is_busy_when_read(x)
    assert extension.is_busy_when_written(x)
    assert extension.is_busy_when_unordered(x)
    assert extension.are_busy([x, x]) == [True, True]
    gate.open()


@pytest.mark.parametrize("function", ["is_busy_when_in", "is_busy_array", "are_busy_arrays"])
def test_parameter_that_says_nothing_is_waited_for(extension, function):
    x, y = numbers("shared"), numbers("shared")
    usmx.copy_async(x, y)
    given = [x] if function == "are_busy_arrays" else x
    assert getattr(extension, function)(given) in (False, [False])


def test_host_parameter_is_waited_for(extension):
    for _ in range(TRIES):
        x, y = usmx.zeros(COUNT, usm_type="shared"), usmx.ones(COUNT, usm_type="shared")
        extension.shift(y, x)
        assert extension.sum_on_host(x) == COUNT - 1


def test_host_parameter_refuses_device_memory(extension):
    with pytest.raises(TypeError, match="memory that the host may touch.*device"):
        extension.sum_on_host(numbers("device"))


def test_copy_of_a_pending_array_does_not_wait(extension, gate_on):
    x, y, z = numbers(), usmx.zeros(COUNT), usmx.zeros(COUNT)
    gate = gate_on(x)
    extension.shift(x, y)
    event = usmx.copy_async(z, y)
    assert is_running(event)
    gate.open()
    assert usmx.asnumpy(z)[1:].tolist() == list(range(COUNT - 1))


def test_pending_events_are_those_of_the_work(extension, gate_on):
    x, y = numbers(), usmx.zeros(COUNT)
    none = usmx.pending_events(x, y)
    gate = gate_on(x)
    before, event = gate.event(), extension.shift(x, y)
    found = [
        usmx.pending_events(y),
        usmx.pending_events([x, y]),
        set(usmx.pending_events(writes=(x, y))),
    ]
    gate.open()  # before a failed assertion prints the arrays
    assert none == []
    assert found == [[event], [before, event], {before, event}]


def test_results_of_dropped_arrays_are_right(extension):
    for _ in range(TRIES):
        x = numbers()
        for _ in range(6):
            x = extension.shifted(x)
        assert usmx.asnumpy(x)[6:].tolist() == list(range(COUNT - 6))


def test_work_on_two_queues_is_right(extension, shift):
    device = usmx.SyclQueue().sycl_device
    queues = [usmx.SyclQueue(device, property="in_order"), usmx.SyclQueue(device)]
    for _ in range(TRIES):
        arrays = [numbers(queue=queue) for queue in queues]
        for k in range(8):
            shift(arrays[k % 2], arrays[(k + 1) % 2])
        assert usmx.asnumpy(arrays[0])[8:].tolist() == list(range(COUNT - 8))


def test_dpnp_between_is_right(extension):
    for _ in range(TRIES):
        x, y = numbers(), usmx.zeros(COUNT)
        extension.shift(x, y)
        theirs = dpnp.tensor.asarray(y)
        theirs += 1
        extension.shift(y, x)
        theirs += 1
        extension.shift(y, x)
        assert usmx.asnumpy(x)[2:].tolist() == list(range(2, COUNT))


def test_arrays_of_dpnp_are_right(extension):
    for _ in range(TRIES):
        x, y = dpnp.arange(float(COUNT)), dpnp.zeros(COUNT)
        x += 1
        extension.shift(x, y)
        y += 1
        extension.shift(y, x)
        assert dpnp.asnumpy(x)[2:].tolist() == list(range(2, COUNT))


def test_random_calls_are_right(extension):
    for _ in range(TRIES):
        arrays = [numbers() for _ in range(3)]
        model = [np.arange(float(COUNT)) for _ in range(3)]
        for _ in range(12):
            x, y = random.sample(range(3), 2)
            if random.random() < 0.2:
                arrays[y] = extension.shifted(arrays[x])
                usmx.copy_async(arrays[y][:1], arrays[x][:1])
                model[y] = np.concatenate([model[x][:1], model[x][:-1]])
            else:
                extension.shift(arrays[x], arrays[y])
                model[y] = np.concatenate([model[y][:1], model[x][:-1]])
        for array, expected in zip(arrays, model, strict=True):
            assert np.array_equal(usmx.asnumpy(array), expected)


def test_refusal_by_all_overloads_does_not_wait_for_the_arguments(extension, gate_on):
    x = numbers()
    gate = gate_on(x)
    with pytest.raises(TypeError, match="no overload takes"):
        extension.ended(x, "text")
    assert is_running(gate.event())


def test_refusal_by_nanobinds_own_list_does_not_wait_for_the_arguments(chained_of):
    extension = chained_of("nanobind")
    x = numbers()
    gate = extension.Gate(x)
    x.record_write(gate.event())
    try:
        with pytest.raises(TypeError, match="incompatible function arguments") as caught:
            extension.listed(x, "text")
        assert is_running(gate.event())
    finally:
        gate.open()
    assert len(str(caught.value)) < 2000


def test_text_of_a_refusal_does_not_grow_with_the_array(extension, chained_of):
    for function in (extension.ended, chained_of("nanobind").listed):
        for x in (usmx.zeros((9, 9, 9, 9)), None):
            with pytest.raises(TypeError) as caught:
                function(x, "text")
            assert len(str(caught.value)) < 1000
