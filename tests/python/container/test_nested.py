"""asarray of nested lists and tuples that hold USM arrays beside other things."""

import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, producer_of
from hypothesis import given
from hypothesis import strategies as st


@st.composite
def lists(draw, depth=None):
    """The same nested list twice: with USM arrays of any kind, and with NumPy's in their place."""
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)) if depth is None else depth
    parts = [draw(items(shape[1:])) for _ in range(shape[0])]
    as_container = draw(st.sampled_from([list, tuple]))
    return as_container(part[0] for part in parts), as_container(part[1] for part in parts)


@st.composite
def items(draw, shape):
    kind = draw(st.sampled_from(["usm", "numpy", "list" if shape else "number"]))
    if kind == "list":
        return draw(lists(shape))
    if kind == "number":
        number = draw(st.sampled_from([True, 3, -2, 2.5, 1 - 2j]))
        return number, number
    dtype = np.dtype(draw(st.sampled_from(TYPESTRS)))
    host = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 100).astype(dtype)
    if kind == "numpy":
        return host, host
    return usmx.asarray(host, usm_type=draw(st.sampled_from(KINDS))), host


@given(lists(), st.sampled_from("CFAK"))
def test_nested_list_becomes_what_numpy_makes_of_it(pair, order):
    ours, numpys = pair
    made = usmx.asarray(ours, order=order)
    expected = np.asarray(numpys)
    found = usmx.asnumpy(made)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert np.array_equal(found, expected)
    assert made.flags.f_contiguous if order == "F" else made.flags.c_contiguous


def test_common_type_is_found_in_the_order_of_the_items():
    half, numbers = np.ones(2, "f2"), [np.int8(1), np.uint8(2)]
    ours = usmx.asarray(half)
    assert usmx.asarray([ours, numbers]).dtype == np.asarray([half, numbers]).dtype == "f2"
    assert usmx.asarray([numbers, ours]).dtype == np.asarray([numbers, half]).dtype == "f4"


def test_empty_list_says_nothing_of_the_type():
    made = usmx.asarray([[], usmx.zeros(0, dtype="i4")])
    assert (made.dtype, made.shape) == (np.int32, (2, 0))


def test_list_of_arrays_goes_where_they_are():
    queue = usmx.SyclQueue()
    shared = usmx.ones(2, usm_type="shared", sycl_queue=queue)
    host = usmx.ones(2, usm_type="host", sycl_queue=queue)
    assert usmx.asarray([host, [5, 6]]).usm_type == "host"
    for given_list in ([shared, host], [[host, (1, 2)], [[3, 4], shared]]):
        made = usmx.asarray(given_list)
        assert (made.usm_type, made.sycl_queue) == ("shared", queue)
    made = usmx.asarray([host, host], usm_type="device", dtype="i2")
    assert (made.usm_type, made.dtype, made.sycl_queue) == ("device", np.int16, queue)


def test_arrays_on_different_queues_need_to_be_told_where_to_go():
    first, second = usmx.ones(2), usmx.zeros(2, sycl_queue=usmx.SyclQueue())
    with pytest.raises(usmx.ExecutionPlacementError, match=r"array 0 .*array 1"):
        usmx.asarray([first, second])
    for demand in ({"sycl_queue": second.sycl_queue}, {"device": second.device}):
        made = usmx.asarray([first, second], **demand)
        assert made.sycl_queue == second.sycl_queue
        assert usmx.asnumpy(made).tolist() == [[1, 1], [0, 0]]


def test_any_producer_may_stand_in_a_list():
    memory = usmx.memory.MemoryUSMShared(96)
    np.frombuffer(memory, "f8")[:] = range(12)
    theirs = dpnp.tensor.asarray(usmx.ones((3, 4)))
    made = usmx.asarray([producer_of(memory), theirs])
    assert made.shape == (2, 3, 4)
    assert usmx.asnumpy(made)[0].ravel().tolist() == list(range(12))
    assert (usmx.asnumpy(made)[1] == 1).all()


def test_arrays_without_elements_can_be_stacked():
    made = usmx.asarray([usmx.ones((2, 0)), np.ones((2, 0), "f4")])
    assert (made.shape, made.dtype) == ((2, 2, 0), np.dtype("f8"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: [x, [1]], r"item 0 of shape \(3,\) and item 1 of shape \(1,\)"),
        (lambda x: [x, 5], r"item 0 of shape \(3,\) and item 1 of shape \(\)"),
        (lambda x: [[x, x], [x]], r"item 0 of shape \(2, 3\) and item 1 of shape \(1, 3\)"),
        (lambda x: [x, [[1, 2], [3]]], "inhomogeneous"),
        (lambda x: [[1, 2], [3]], "inhomogeneous"),
    ],
)
def test_ragged_list_is_a_value_error(make, message):
    with pytest.raises(ValueError, match=message):
        usmx.asarray(make(usmx.ones(3)))


def test_list_that_contains_itself_is_a_value_error():
    endless = [usmx.ones(2)]
    endless.append(endless)
    with pytest.raises(ValueError, match="64 deep"):
        usmx.asarray(endless)


def test_list_is_never_a_view():
    with pytest.raises(ValueError, match=r"copy=False.*list"):
        usmx.asarray([usmx.ones(2)], copy=False)


def test_item_that_is_no_number_is_a_type_error():
    for item in ("abc", None, object()):
        with pytest.raises(TypeError):
            usmx.asarray([usmx.ones(()), item])


def test_type_that_is_asked_for_is_that_of_every_item():
    made = usmx.asarray([usmx.asarray(300), 3.7, np.float32(2)], "u1")
    assert (made.dtype, usmx.asnumpy(made).tolist()) == (np.uint8, [300 % 256, 3, 2])
    with pytest.raises(OverflowError):
        usmx.asarray([usmx.ones(()), 300], "u1")
