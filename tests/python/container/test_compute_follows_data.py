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


# ---- functions of two arrays

INDEX = [0, 2, 1]
REFUSING = {
    "index array": lambda a, b: a[b],
    "mask": lambda a, b: a[b.astype("?")],
    "assignment by an index array": lambda a, b: a.__setitem__(b, 0),
    "assignment by a mask": lambda a, b: a.__setitem__(b.astype("?"), 0),
    "index array among basic items": lambda a, b: usmx.reshape(a, (3, 1))[b, 0],
    "take": usmx.take,
    "take method": lambda a, b: a.take(b),
    "take_along_axis": usmx.take_along_axis,
    "put": lambda a, b: usmx.put(a, b, 0),
    "put_along_axis": lambda a, b: usmx.put_along_axis(a, b, 0, axis=0),
    "extract": lambda a, b: usmx.extract(b.astype("?"), a),
    "place": lambda a, b: usmx.place(a, b.astype("?"), a),
    "repeat": usmx.repeat,
    "concat": lambda a, b: usmx.concat([a, b]),
    "stack": lambda a, b: usmx.stack([a, b]),
    "hstack": lambda a, b: usmx.hstack([a, b]),
    "vstack": lambda a, b: usmx.vstack([a, b]),
    "where": lambda a, b: usmx.where(b.astype("?"), a, a),
    "where of two values": lambda a, b: usmx.where(a.astype("?"), a, b),
    "meshgrid": usmx.meshgrid,
    "nested list": lambda a, b: usmx.asarray([a, b]),
}
CROSSING = {
    "assignment": lambda a, b: a.__setitem__(slice(None), b),
    "assignment by an index array on the queue": lambda a, b: a.__setitem__(usmx.arange(3), b),
    "copyto": usmx.copyto,
    "copy_async": lambda a, b: usmx.copy_async(a, b).wait(),
    "put's values": lambda a, b: usmx.put(a, usmx.arange(3), b),
    "to_device": lambda a, b: usmx.copyto(a, b.to_device(a.sycl_queue)),
    "asarray": lambda a, b: usmx.copyto(a, usmx.asarray(b, sycl_queue=a.sycl_queue)),
}


def on_two_queues():
    device = usmx.SyclDevice()
    return usmx.arange(3), usmx.asarray(INDEX, sycl_queue=usmx.SyclQueue(device))


@pytest.mark.parametrize("function", REFUSING.values(), ids=REFUSING)
def test_arrays_on_two_queues_are_not_combined(function):
    a, b = on_two_queues()
    with pytest.raises(usmx.ExecutionPlacementError, match="same queue"):
        function(a, b)
    assert usmx.asnumpy(a).tolist() == [0, 1, 2]


@pytest.mark.parametrize("function", REFUSING.values(), ids=REFUSING)
def test_the_same_arrays_on_one_queue_are_combined(function):
    a, b = on_two_queues()
    function(a, b.to_device(a.sycl_queue))


@pytest.mark.parametrize("function", CROSSING.values(), ids=CROSSING)
def test_values_are_copied_from_another_queue(function):
    a, b = on_two_queues()
    function(a, b)
    assert usmx.asnumpy(a).tolist() == INDEX


def test_integer_without_dimensions_may_be_on_another_queue():
    a, b = on_two_queues()
    assert int(a[b[1]]) == 2
