"""What usmx hands out once dpctl is loaded: dpctl's own objects, which dpnp and dpctl insist on."""

import dpctl
import dpctl.memory
import dpnp
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, output_of

NUMBERS = np.arange(12.0).reshape(3, 4)
NAMES = ["SyclQueue", "SyclContext", "SyclDevice"]
ATTRIBUTES = {"SyclQueue": "sycl_queue", "SyclContext": "sycl_context", "SyclDevice": "sycl_device"}


@pytest.fixture(params=KINDS)
def array(request):
    return usmx.asarray(NUMBERS, usm_type=request.param)


def queue_of_another_context():
    device = dpctl.SyclDevice()
    return dpctl.SyclQueue(dpctl.SyclContext([device]), device)


def address(array):
    """Of element zero, of a dpnp array."""
    interface = array.__sycl_usm_array_interface__
    return interface["data"][0] + interface["offset"] * array.itemsize


# ---- dpnp and dpctl take them


@pytest.mark.parametrize("take", [dpnp.asarray, dpnp.array, dpnp.tensor.asarray])
@pytest.mark.parametrize("key", [np.s_[...], np.s_[1:, ::2], np.s_[1, 2], np.s_[3:]])
def test_dpnp_takes_an_array(array, take, key):
    taken = take(array[key])
    assert np.array_equal(dpnp.asnumpy(taken), NUMBERS[key])
    assert taken.usm_type == array.usm_type
    assert taken.sycl_queue == array.sycl_queue


def test_dpnp_makes_arrays_where_an_array_is(array):
    for made in (
        dpnp.zeros(3, sycl_queue=array.sycl_queue),
        dpnp.zeros(3, device=array.sycl_queue),
        dpnp.tensor.zeros(3, sycl_queue=array.device.sycl_queue),
    ):
        assert made.sycl_queue is array.sycl_queue
    assert dpnp.zeros(3, device=array.sycl_device).sycl_device == array.sycl_device


def test_dpnp_assigns_an_array(array):
    there = dpnp.zeros((3, 4), sycl_queue=array.sycl_queue)
    there[...] = array
    assert np.array_equal(dpnp.asnumpy(there), NUMBERS)


def test_dpnp_assigns_an_array_that_was_moved_to_its_queue(array):
    there = dpnp.zeros((3, 4))
    moved = array.to_device(there.sycl_queue)
    assert moved._pointer == array._pointer
    there[...] = moved
    assert np.array_equal(dpnp.asnumpy(there), NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_array_that_is_older_than_dpctl_is_taken(kind):
    code = f"""
import numpy as np, usmx
numbers = np.arange(6.0).reshape(2, 3)
a = usmx.asarray(numbers, usm_type={kind!r})
before = a.sycl_queue, a.sycl_context, a.sycl_device
import dpctl, dpctl.memory, dpnp
for taken in (dpnp.asarray(a), dpnp.array(a)):
    assert (dpnp.asnumpy(taken) == numbers).all()
assert dpnp.zeros(3, sycl_queue=a.sycl_queue).sycl_queue is a.sycl_queue
assert dpnp.zeros(3, device=a.sycl_device).sycl_device == a.sycl_device
assert dpctl.memory.MemoryUSMShared(64, queue=a.sycl_queue).sycl_queue is a.sycl_queue
there = dpnp.zeros((2, 3), sycl_queue=a.sycl_queue)
there[...] = a
over = dpnp.ndarray((2, 3), buffer=usmx.to_dpctl(a))
for taken in (there, over):
    assert (dpnp.asnumpy(taken) == numbers).all()
assert before == (a.sycl_queue, a.sycl_context, a.sycl_device)
assert (a.sycl_queue, a.sycl_context, a.sycl_device) == before
print("end")
"""
    assert output_of(code) == "end"


@pytest.mark.parametrize("kind", KINDS)
def test_dpnp_makes_an_array_over_memory(kind):
    memory = MEMORY_CLASSES[kind](96)
    memory.memset(0)
    made = dpnp.tensor.usm_ndarray((3, 4), dtype="f8", buffer=dpctl.memory.as_usm_memory(memory))
    assert address(made) == memory._pointer


def test_dpnp_computes_with_an_array_and_one_of_its_own(array):
    total = dpnp.asarray(array) + dpnp.ones((3, 4), sycl_queue=array.sycl_queue)
    assert np.array_equal(dpnp.asnumpy(total), NUMBERS + 1)


def test_dpctl_allocates_where_an_array_is(array):
    memory = dpctl.memory.MemoryUSMShared(64, queue=array.sycl_queue)
    assert memory.sycl_queue is array.sycl_queue
    assert usmx.memory.as_usm_memory(memory).sycl_queue is array.sycl_queue


def test_dpctls_constructors_take_what_an_array_gives(array):
    assert dpctl.SyclContext(array.sycl_context) == array.sycl_context
    assert dpctl.SyclDevice(array.sycl_device) == array.sycl_device
    assert dpctl.SyclQueue(array.sycl_queue._get_capsule()) == array.sycl_queue
    made = dpctl.SyclQueue(array.sycl_context, array.sycl_device)
    assert made.sycl_context == array.sycl_context


# ---- whatever has the attributes


@pytest.mark.parametrize("name", NAMES)
def test_attributes_are_dpctls_objects(array, name):
    for has in (array, array.base, array.device, array.T):
        given = getattr(has, ATTRIBUTES[name])
        assert isinstance(given, getattr(dpctl, name))
        assert isinstance(given, getattr(usmx, name))
        assert given is getattr(has, ATTRIBUTES[name])
    assert array.base._queue is array.sycl_queue
    assert array.base._context is array.sycl_context


def test_dictionary_has_the_queue_that_the_array_shows(array):
    queue = array.sycl_queue
    assert isinstance(queue, dpctl.SyclQueue)
    assert array.__sycl_usm_array_interface__["syclobj"] is queue
    assert array.base.__sycl_usm_array_interface__["syclobj"] is queue


@pytest.mark.slow
def test_without_dpctl_the_objects_are_usmx_own_and_dpctl_is_not_imported():
    code = """
import sys, usmx
a = usmx.zeros(3)
given = [a.sycl_queue, a.sycl_context, a.sycl_device, a.__sycl_usm_array_interface__["syclobj"]]
assert [type(x) for x in given] == [
    usmx.SyclQueue, usmx.SyclContext, usmx.SyclDevice, usmx.SyclQueue]
assert "dpctl" not in sys.modules
import dpctl
assert isinstance(a.sycl_queue, dpctl.SyclQueue)
now = [a.sycl_queue, a.sycl_context, a.sycl_device]
assert now == given[:3] and given[:3] == now
print("end")
"""
    assert output_of(code) == "end"


@pytest.mark.slow
def test_what_an_array_shows_depends_on_its_queue_alone():
    code = """
import copy, pickle, dpctl, usmx
a = usmx.zeros(3)
first = a.__sycl_usm_array_interface__["syclobj"]
for work in (
    lambda: usmx.concat([a, a]),
    lambda: a.to_device(a.device),
    lambda: copy.copy(a.base),
    lambda: pickle.loads(pickle.dumps(a)),
    lambda: usmx.SyclQueue()._get_capsule(),
    lambda: usmx.zeros(3, sycl_queue=dpctl.SyclQueue()).sycl_queue,
    lambda: usmx.zeros(3, sycl_queue=dpctl.get_device_cached_queue(dpctl.SyclDevice())),
    lambda: usmx.SyclQueue(a.sycl_queue),
):
    work()
    assert a.sycl_queue is first
    assert a.__sycl_usm_array_interface__["syclobj"] is first
    assert usmx.zeros(3).sycl_queue is first
assert isinstance(first, dpctl.SyclQueue)
print("end")
"""
    assert output_of(code) == "end"


def test_work_on_a_queue_that_was_handed_out_is_waited_for():
    for number in range(20):
        array = usmx.zeros(1 << 18)
        queue = array.sycl_queue
        ones = dpnp.full(1 << 18, number, sycl_queue=queue)
        there = usmx.to_dpnp(array)
        there[...] = ones * 2
        assert (usmx.asnumpy(array) == 2 * number).all()


# ---- round trips


@pytest.mark.parametrize("make", [dpctl.SyclQueue, queue_of_another_context])
def test_import_gives_back_its_producers_queue_object(make):
    queue = make()
    for made in (
        usmx.asarray(dpnp.zeros(3, sycl_queue=queue)),
        usmx.asarray(dpctl.memory.MemoryUSMShared(64, queue=queue)),
    ):
        for has in (made, made.base, made[1:]):
            assert has.sycl_queue is queue
            assert has.__sycl_usm_array_interface__["syclobj"] is queue


def test_imports_from_one_queue_give_back_the_object_of_each_producer():
    first = dpctl.SyclQueue()
    second = dpctl.SyclQueue(first._get_capsule())
    arrays = [usmx.asarray(dpnp.zeros(3, sycl_queue=queue)) for queue in (first, second)]
    assert [
        array.sycl_queue is queue for array, queue in zip(arrays, (first, second), strict=True)
    ] == [True] * 2


@pytest.mark.parametrize("make", [dpctl.SyclQueue, queue_of_another_context, usmx.SyclQueue])
def test_array_stays_on_the_queue_that_was_chosen(make):
    queue = make()
    shown = usmx.zeros(3, sycl_queue=queue).sycl_queue
    assert isinstance(shown, dpctl.SyclQueue)
    for made in (
        usmx.zeros(3, sycl_queue=queue),
        usmx.zeros(3, device=queue),
        usmx.zeros_like(usmx.zeros(3, sycl_queue=queue)),
        usmx.USMArray(3, buffer_ctor_kwargs={"queue": queue}),
    ):
        for has in (made, made.base, made.device):
            assert has.sycl_queue == queue
        assert made.sycl_context == queue.sycl_context
        assert made.sycl_device == queue.sycl_device
        assert made.__sycl_usm_array_interface__["syclobj"] == queue


def test_queue_of_a_dpnp_array_comes_back_as_the_same_object():
    array = dpnp.ones(3)
    assert usmx.asarray(array).sycl_queue is array.sycl_queue


def test_array_in_dpnp_and_back_has_the_same_queue_object(array):
    assert usmx.asarray(dpnp.asarray(array)).sycl_queue is array.sycl_queue


@pytest.mark.parametrize("make", [queue_of_another_context, usmx.SyclQueue])
def test_queues_that_are_gone_are_not_kept(make):
    objects = set()
    for _ in range(100):
        queue = make()
        objects.add(id(usmx.zeros(3, sycl_queue=queue).sycl_queue))
        del queue
    assert len(objects) < 20  # a new object takes the place of one that is gone


def test_queue_object_stays_the_same_while_memory_is_on_the_queue():
    array = usmx.zeros(3, sycl_queue=dpctl.SyclQueue())
    first = id(array.sycl_queue)
    others = [usmx.zeros(3, sycl_queue=dpctl.SyclQueue()).sycl_queue for _ in range(20)]
    assert id(array.sycl_queue) == first
    assert len(others) == 20


# ---- each other's objects


@pytest.mark.parametrize("name", NAMES)
def test_usmx_constructors_take_dpctls_objects(name):
    theirs = getattr(dpctl, name)()
    ours = getattr(usmx, name)(theirs)
    assert isinstance(ours, getattr(usmx, name))
    assert ours == theirs
    assert (ours != theirs) is False
    assert hash(ours) == hash(theirs)


def test_event_of_dpctl_is_taken():
    event = dpctl.SyclEvent()
    assert usmx.SyclEvent(event).execution_status.name == "complete"
    assert isinstance(event, usmx.SyclEvent)


def returned_events(array):
    host = np.zeros((3, 4))
    yield "copy_async", usmx.copy_async(array, array.copy())
    yield "copy_async from NumPy", usmx.copy_async(array, host)
    yield "copy_async to NumPy", usmx.copy_async(host, array)
    yield "fill_async", usmx.fill_async(array, 1)
    yield "SyclEvent", usmx.SyclEvent()
    yield "SyclEvent of dpctl's", usmx.SyclEvent(dpctl.SyclEvent())
    array.record_write(dpctl.SyclQueue().submit_barrier())
    for each in usmx.pending_events([array], []):
        yield "pending_events", each


def test_events_that_are_returned_are_dpctls(array):
    for name, event in returned_events(array):
        assert isinstance(event, dpctl.SyclEvent), name
        assert isinstance(event, usmx.SyclEvent), name
        dpctl.SyclEvent.wait_for([event])
        assert event.execution_status is dpctl.event_status_type.complete, name


def test_work_of_dpctl_comes_after_an_event_of_usmx(array):
    events = [usmx.fill_async(array, 7)]
    back = np.empty((3, 4))
    other = dpctl.SyclQueue(array.sycl_context, array.sycl_device)
    memory = dpctl.memory.as_usm_memory(array)
    other.memcpy_async(back.data.cast("B"), memory, back.nbytes, events).wait()
    assert (back == 7).all()


def test_barrier_on_an_arrays_queue_takes_events_of_both(array):
    events = [usmx.fill_async(array, 7), dpctl.SyclQueue().submit_barrier()]
    barrier = array.sycl_queue.submit_barrier(events)
    barrier.wait()
    assert events[0].execution_status == dpctl.event_status_type.complete
    with pytest.raises(TypeError):
        array.sycl_queue.submit_barrier([5])


def test_event_of_a_subclass_of_usmx_class_keeps_its_class():
    class Mine(usmx.SyclEvent):
        pass

    assert type(Mine()) is Mine
    assert not isinstance(usmx.SyclEvent(), Mine)


@pytest.mark.slow
def test_events_are_usmx_own_until_dpctl_is_loaded():
    code = """
import sys, usmx
a = usmx.zeros(3)
first = usmx.fill_async(a, 1)
assert type(first) is usmx.SyclEvent
assert type(usmx.SyclEvent(first._get_capsule())) is usmx.SyclEvent
assert first.execution_status in usmx.event_status_type
assert "dpctl" not in sys.modules
import dpctl
again = usmx.SyclEvent(first)
assert isinstance(again, dpctl.SyclEvent)
assert again == first and first == again and hash(again) == hash(first)
dpctl.SyclEvent.wait_for([again])
assert first.execution_status == again.execution_status
assert again.execution_status == first.execution_status
print("end")
"""
    assert output_of(code) == "end"


def test_queue_is_made_of_dpctls_context_and_device():
    theirs = queue_of_another_context()
    queue = usmx.SyclQueue(theirs.sycl_context, theirs.sycl_device)
    assert queue.sycl_context == theirs.sycl_context
    assert queue != theirs
    assert usmx.SyclQueue(theirs.sycl_device).sycl_device == theirs.sycl_device
    assert theirs.sycl_device in usmx.SyclContext(theirs.sycl_device).get_devices()


@pytest.mark.parametrize("name", NAMES)
def test_what_an_array_gives_equals_usmx_objects_on_either_side(name):
    array = usmx.zeros(3)
    given = getattr(array, ATTRIBUTES[name])
    ours = getattr(usmx, name)(given)
    assert given == ours
    assert ours == given
    assert (given != ours) is False
    assert {ours: 1}[given] == 1
    assert given != 5
    assert given != usmx.SyclQueue()


@pytest.mark.parametrize("make", [dpnp.ones, usmx.ones])
def test_queue_made_of_an_arrays_queue_equals_it_on_either_side(make):
    for array in (usmx.asarray(make(3)), usmx.asarray(make(3, sycl_queue=dpctl.SyclQueue()))):
        ours = usmx.SyclQueue(array.sycl_queue)
        assert array.sycl_queue == ours
        assert ours == array.sycl_queue
        assert hash(ours) == hash(array.sycl_queue)


@pytest.mark.parametrize("name", [*NAMES, "SyclEvent"])
def test_dpctls_objects_are_instances_of_usmx_class_of_that_name(name):
    theirs = getattr(dpctl, name)()
    assert isinstance(theirs, getattr(usmx, name))
    for other in {*NAMES, "SyclEvent"} - {name}:
        assert not isinstance(theirs, getattr(usmx, other))
    assert not isinstance(theirs, usmx.USMArray)
    assert not isinstance(5, getattr(usmx, name))


def test_dpctls_objects_are_no_instances_of_a_subclass():
    class Mine(usmx.SyclQueue):
        pass

    assert not isinstance(dpctl.SyclQueue(), Mine)
    assert isinstance(Mine(), usmx.SyclQueue)


def test_execution_queue_is_found_among_both():
    queue = dpctl.SyclQueue()
    for queues in ([queue, usmx.SyclQueue(queue)], [usmx.SyclQueue(queue), queue]):
        assert usmx.get_execution_queue(queues) is queues[0]
    assert usmx.get_execution_queue([queue, usmx.SyclQueue()]) is None


def test_context_of_dpctl_is_a_place():
    queue = queue_of_another_context()
    memory = usmx.memory.MemoryUSMShared(64, queue=queue)
    assert memory.get_usm_type(queue.sycl_context) == "shared"
    assert memory.get_usm_type(usmx.SyclContext()) == "unknown"
