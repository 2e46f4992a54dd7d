"""The events of generated kernels: submit gives what a call gives, and an event that is complete when the outputs are."""

import numpy as np
import pytest
import usmx


@pytest.fixture(scope="module")
def twice():
    return usmx.ElementwiseKernel("T x", "T y", "y = 2 * x")


@pytest.fixture(scope="module")
def total():
    return usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0)


def is_of(event):
    assert isinstance(event, usmx.SyclEvent)
    event.wait()
    assert event.execution_status == usmx.event_status_type.complete


def test_submit_gives_the_result_and_an_event(twice, total):
    x = usmx.asarray(np.arange(100_000.0))
    y, event = twice.submit(x)
    is_of(event)
    np.testing.assert_array_equal(usmx.asnumpy(y), 2 * np.arange(100_000.0))
    s, event = total.submit(y, after=[event])
    is_of(event)
    assert s.item() == usmx.asnumpy(y).sum()


def test_submit_takes_what_a_call_takes(twice, total):
    queue = usmx.SyclQueue(property="in_order")
    x = usmx.ones((3, 4), dtype="f4", sycl_queue=queue)
    out = usmx.zeros((3, 4), dtype="f4", sycl_queue=queue)
    found, event = twice.submit(x, out=out, queue=queue)
    assert found is out
    assert event.execution_status is not None
    found, _ = total.submit(out, axis=1, keepdims=True)
    assert usmx.asnumpy(found).tolist() == [[8], [8], [8]]
    found, _ = usmx.ElementwiseKernel("", "T y", "y = i").submit(size=3, dtype="i4")
    assert usmx.asnumpy(found).tolist() == [0, 1, 2]


def test_event_is_that_of_several_outputs_and_of_copies(twice):
    both = usmx.ElementwiseKernel("T x", "T y, T z", "y = x; z = -x")
    (y, z), event = both.submit(usmx.ones(3))
    is_of(event)
    assert usmx.asnumpy(y).tolist() == [1, 1, 1]
    assert usmx.asnumpy(z).tolist() == [-1, -1, -1]
    x = usmx.asarray(np.arange(200_000.0), usm_type="shared")
    _, event = twice.submit(x[:-1], out=x[1:])  # computed in new memory, and copied
    is_of(event)
    assert usmx.asnumpy(x)[-1] == 2 * 199_998


def test_event_of_no_elements_comes_after_the_given_ones(twice, total):
    _, first = twice.submit(usmx.ones(3))
    y, event = twice.submit(usmx.ones(0), after=[first])
    is_of(event)
    assert y.shape == (0,)
    y, event = total.submit(usmx.ones((3, 0, 2)), axis=0)
    is_of(event)
    assert y.shape == (0, 2)


def test_errors_are_those_of_a_call(twice):
    with pytest.raises(TypeError, match="takes 1 inputs"):
        twice.submit()
