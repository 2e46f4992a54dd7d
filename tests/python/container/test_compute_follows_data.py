"""Compute follows data: get_execution_queue, get_coerced_usm_type, ExecutionPlacementError."""

import itertools

import dpctl
import dpnp.tensor
import pytest
import usmx
from usmx._container.compute_follows_data import common_queue, common_usm_type

KINDS = ["device", "shared", "host"]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_kinds_are_coerced_as_by_dpnp(count):
    for kinds in itertools.product(KINDS, repeat=count):
        expected = dpnp.tensor.get_coerced_usm_type(list(kinds))
        assert usmx.get_coerced_usm_type(list(kinds)) == expected
        assert usmx.get_coerced_usm_type(kinds) == expected


@pytest.mark.parametrize("kinds", [[], (), ["system"], ["device", "Host"], [None], ["device", 1]])
def test_what_is_no_kind_is_coerced_to_none(kinds):
    assert usmx.get_coerced_usm_type(kinds) is None


@pytest.mark.parametrize("given", ["device", {"device": 1}, {"device"}, None, 5])
def test_kinds_and_queues_come_in_a_list_or_tuple(given):
    found = type(given).__name__
    with pytest.raises(TypeError, match=f"usm_types must be a list or tuple.*{found}"):
        usmx.get_coerced_usm_type(given)
    with pytest.raises(TypeError, match=f"queues must be a list or tuple.*{found}"):
        usmx.get_execution_queue(given)


def test_execution_queue_is_the_one_that_all_are():
    queue, other = usmx.SyclQueue(), usmx.SyclQueue()
    assert usmx.get_execution_queue([queue]) is queue
    assert usmx.get_execution_queue((queue, usmx.SyclQueue(queue), queue)) is queue
    assert usmx.get_execution_queue([queue, other]) is None
    assert usmx.get_execution_queue([other, queue, other]) is None


@pytest.mark.parametrize("nothing", [None, 5, "cpu", object()])
def test_what_is_no_queue_is_the_queue_of_none(nothing):
    queue = usmx.SyclQueue()
    assert usmx.get_execution_queue([]) is None
    assert usmx.get_execution_queue([nothing]) is None
    assert usmx.get_execution_queue([queue, nothing]) is None
    assert usmx.get_execution_queue([nothing, queue]) is None
    assert usmx.get_execution_queue([nothing, nothing]) is None


def test_queues_of_dpctl_count_as_the_queues_that_they_hold():
    queue = usmx.SyclQueue()
    same = dpctl.SyclQueue(queue._get_capsule())
    assert usmx.get_execution_queue([queue, same]) is queue
    assert usmx.get_execution_queue([same, queue]) is same
    assert usmx.get_execution_queue([same, dpctl.SyclQueue()]) is None


def test_arrays_on_one_queue_have_a_common_queue_and_kind():
    queue = usmx.SyclQueue()
    arrays = [usmx.empty(3, usm_type=kind, sycl_queue=queue) for kind in ("host", "shared")]
    assert common_queue(arrays) == queue
    assert common_usm_type(arrays) == "shared"
    assert common_usm_type(arrays[:1]) == "host"


def test_placement_error_names_both_queues():
    first, second = usmx.SyclQueue(), usmx.SyclQueue(property="in_order")
    arrays = [usmx.empty(3, sycl_queue=queue) for queue in (first, first, second)]
    with pytest.raises(usmx.ExecutionPlacementError) as caught:
        common_queue(arrays)
    text = str(caught.value)
    assert f"array 0 on {first!r} ({hash(first):#x})" in text
    assert f"array 2 on {second!r} ({hash(second):#x})" in text
    assert isinstance(caught.value, ValueError)
