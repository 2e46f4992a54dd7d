"""Calls on one queue run in their order without events, and calls on others come after them."""

import numpy as np
import pytest
import usmx

SIZE = 1 << 20


@pytest.fixture(params=["default", "in_order"])
def other(request):
    return usmx.SyclQueue(property=request.param)


def chain(x, length):
    for _ in range(length):
        x = x + 1
    return x


@pytest.mark.parametrize("length", [1, 7, 40])
def test_calls_on_another_queue_come_after_those_on_the_default_queue(other, length):
    for _ in range(5):
        there = chain(usmx.zeros(SIZE, dtype="f4"), length).to_device(other)
        assert (usmx.asnumpy(there * 2) == 2 * length).all()


@pytest.mark.parametrize("length", [1, 7, 40])
def test_calls_on_the_default_queue_come_after_those_on_another_queue(other, length):
    for _ in range(5):
        here = chain(usmx.zeros(SIZE, dtype="f4", sycl_queue=other), length)
        assert (usmx.asnumpy(here.to_device(usmx.default_queue()) * 2) == 2 * length).all()


def test_many_reads_on_one_queue_come_before_a_write_on_another(other):
    x = usmx.ones(SIZE, dtype="f4")
    sums = [usmx.sum(x + k) for k in range(70)]
    there = x.to_device(other)
    there += 1
    assert [float(each) for each in sums] == [SIZE * (1 + k) for k in range(70)]
    assert (usmx.asnumpy(x) == 2).all()


def test_memory_that_is_used_again_at_once_holds_the_right_numbers(other):
    """Each result's memory is free at once, and its queue's next call takes it."""
    x = usmx.arange(SIZE, dtype="f4")
    kept = []
    for k in range(30):
        y = x * (k % 5)
        kept.append(usmx.max((y + 1).to_device(other)))
        del y
    expected = [np.float32(SIZE - 1) * (k % 5) + 1 for k in range(30)]
    assert [float(each) for each in kept] == expected


def test_waits_come_after_calls_without_events():
    x = usmx.zeros(SIZE, dtype="f4")
    queue = x.sycl_queue
    for wait in (lambda _: queue.wait(), lambda _: usmx.synchronize(), lambda a: a.wait()):
        y = chain(x, 20)
        wait(y)
        assert (usmx.asnumpy(y) == 20).all()


def test_event_of_a_command_comes_after_calls_without_events():
    x = usmx.zeros(SIZE, dtype="f4")
    y = chain(x, 20)
    copied = usmx.empty_like(y)
    usmx.copy_async(copied, y).wait()
    assert (usmx.asnumpy(copied) == 20).all()
    y.sycl_queue.submit_barrier().wait()
    assert (usmx.asnumpy(chain(y, 3)) == 23).all()
