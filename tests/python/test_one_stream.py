"""One stream of work with dpctl and dpnp: default arrays of all packages are on one queue."""

import threading

import dpctl
import dpnp
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, output_of

EXPRESSIONS = {
    "x + y": lambda x, y: x + y,
    "y + x": lambda x, y: y + x,
    "x += y": lambda x, y: x.__iadd__(y),
    "y += x": lambda x, y: y.__iadd__(x),
    "out=": lambda x, y: dpnp.add(x, x, out=y),
    "where": lambda x, y: dpnp.where(x > 0, x, y),
    "concatenate": lambda x, y: dpnp.concatenate([x, y])[:4],
    "stack": lambda x, y: dpnp.stack([x, y])[0],
    "dot": lambda x, y: dpnp.dot(x, y) * x,
    "x[:] = y": lambda x, y: assigned(x, slice(None), y),
    "y[:] = x": lambda x, y: assigned(y, slice(None), x),
    "mask": lambda x, y: x[y > 0],
    "set by mask": lambda x, y: assigned(x, y > 0, 3),
    "copyto": lambda x, y: copied(x, y),
    "take": lambda x, y: dpnp.take(x, y.astype("i8") * 0),
    "maximum": lambda x, y: dpnp.maximum(x, y),
    "tensor": lambda x, y: dpnp.tensor.add(dpnp.tensor.asarray(x), dpnp.tensor.asarray(y)),
    "dlpack": lambda x, y: x + dpnp.from_dlpack(y),
}


def assigned(x, key, value):
    x[key] = value
    return x


def copied(x, y):
    dpnp.copyto(x, y)
    return x


@pytest.fixture(autouse=True)
def default_is_left_alone():
    yield
    usmx.set_default_queue(None)


def default_arrays(kind):
    """Of usmx, however they came to be on the default queue."""
    numbers = np.ones(4)
    whole = usmx.asarray(np.ones((4, 6)), usm_type=kind)
    yield "asarray", usmx.asarray(numbers, usm_type=kind)
    yield "ones", usmx.ones(4, usm_type=kind)
    yield "device named", usmx.ones(4, usm_type=kind, device=usmx.SyclDevice().filter_string)
    yield "dpnp's device", usmx.ones(4, usm_type=kind, device=dpnp.ones(1).device)
    yield "dpnp's queue", usmx.ones(4, usm_type=kind, sycl_queue=dpnp.ones(1).sycl_queue)
    yield "default queue", usmx.ones(4, usm_type=kind, sycl_queue=usmx.default_queue())
    yield "strided view", whole[:, 2]
    yield "reversed view", whole[::-1, 0]
    yield "import", usmx.asarray(dpnp.ones(4, usm_type=kind))
    yield (
        "import of an import",
        usmx.asarray(usmx.to_dpnp(usmx.asarray(dpnp.ones(4, usm_type=kind)))),
    )
    yield "through DLPack", usmx.from_dlpack(dpnp.from_dlpack(usmx.ones(4, usm_type=kind)))
    yield "pickled", __import__("pickle").loads(__import__("pickle").dumps(usmx.ones(4)))
    memory = getattr(usmx.memory, f"MemoryUSM{kind.title()}")(32)
    yield "memory", usmx.USMArray(4, "f8", memory)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_default_arrays_of_usmx_and_dpnp_compute_together(name, kind):
    expression = EXPRESSIONS[name]
    for how, array in default_arrays(kind):
        array[...] = 1
        got = dpnp.asnumpy(expression(dpnp.ones(4), usmx.to_dpnp(array)))
        expected = dpnp.asnumpy(expression(dpnp.ones(4), dpnp.ones(4)))
        np.testing.assert_array_equal(got, expected, err_msg=how)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    [
        "import dpnp; import usmx; made = make(usmx)",
        "import usmx; import dpnp; made = make(usmx)",
        "import usmx; made = make(usmx); import dpnp",
        "import usmx; made = make(usmx); d = [a.__sycl_usm_array_interface__ for a in made]; import dpnp",
        "import usmx; made = make(usmx); c = [a.__dlpack__() for a in made]; import dpctl; import dpnp",
        "import usmx; made = make(usmx); q = [a.sycl_queue for a in made]; import dpnp",
        "import dpctl; import usmx; made = make(usmx); import dpnp",
    ],
)
def test_arrays_made_in_any_order_of_imports_compute_together(order):
    code = f"""
def make(usmx):
    return [usmx.ones(4, usm_type=kind, **where)
            for kind in ("device", "shared", "host")
            for where in ({{}}, {{"device": usmx.SyclDevice().filter_string}})]
{order}
for array in made:
    total = dpnp.ones(4) + usmx.to_dpnp(array)
    assert (dpnp.asnumpy(total) == 2).all()
    assert array.sycl_queue == dpnp.ones(1).sycl_queue
    assert array.__sycl_usm_array_interface__["syclobj"] == dpnp.ones(1).sycl_queue
    assert array.sycl_queue == usmx.SyclQueue(array.sycl_queue)
    assert usmx.SyclQueue(array.sycl_queue) == array.sycl_queue
    back = usmx.concat([array, usmx.asarray(total)])
    assert usmx.asnumpy(back).tolist() == [1] * 4 + [2] * 4
print("end")
"""
    assert output_of(code) == "end"


def test_functions_of_usmx_take_default_arrays_of_both():
    ours, theirs = usmx.ones(3), dpnp.full(3, 2.0)
    assert usmx.asnumpy(usmx.concat([ours, usmx.asarray(theirs)])).tolist() == [1, 1, 1, 2, 2, 2]
    ours[...] = theirs
    assert usmx.asnumpy(ours).tolist() == [2, 2, 2]
    assert usmx.asnumpy(usmx.stack([theirs, ours])).tolist() == [[2, 2, 2], [2, 2, 2]]


def test_array_on_a_chosen_queue_is_not_combined_with_default_ones():
    chosen = usmx.to_dpnp(usmx.ones(4, sycl_queue=dpctl.SyclQueue()))
    with pytest.raises(Exception, match=r"(?i)placement|queue"):
        dpnp.ones(4) + chosen


# ---- the default queue


def test_default_queue_is_the_one_that_dpnp_has():
    assert usmx.default_queue() == dpnp.ones(1).sycl_queue
    assert usmx.ones(3).sycl_queue == usmx.default_queue()


@pytest.mark.parametrize("make", [usmx.SyclQueue, dpctl.SyclQueue])
def test_default_queue_can_be_set(make):
    queue = make()
    assert usmx.set_default_queue(queue) is None
    assert usmx.default_queue() == queue
    assert usmx.ones(3).sycl_queue == queue
    assert usmx.memory.MemoryUSMShared(8).sycl_queue == queue
    assert usmx.asarray([1.0]).sycl_queue == queue
    assert usmx.ones(3, device=usmx.SyclDevice().filter_string).sycl_queue != queue
    assert usmx.set_default_queue(None) == queue
    assert usmx.ones(3).sycl_queue == dpnp.ones(1).sycl_queue


def test_queue_is_the_default_within_a_block_of_one_thread():
    first, second = dpctl.SyclQueue(), usmx.SyclQueue()
    elsewhere = []
    with usmx.using_queue(first) as given:
        assert given is first
        assert usmx.ones(3).sycl_queue == first
        with usmx.using_queue(second):
            assert usmx.ones(3).sycl_queue == second
            thread = threading.Thread(target=lambda: elsewhere.append(usmx.ones(3).sycl_queue))
            thread.start()
            thread.join()
        assert usmx.default_queue() == first
        with pytest.raises(KeyError), usmx.using_queue(second):
            raise KeyError
        assert usmx.default_queue() == first
    assert usmx.default_queue() == dpnp.ones(1).sycl_queue
    assert elsewhere == [dpnp.ones(1).sycl_queue]


@pytest.mark.parametrize("wrong", [5, "cpu", object()])
def test_what_is_no_queue_cannot_be_the_default(wrong):
    with pytest.raises(TypeError, match="sycl_queue must be a SyclQueue"):
        usmx.set_default_queue(wrong)
    with pytest.raises(TypeError, match="sycl_queue must be a SyclQueue"), usmx.using_queue(wrong):
        pass
    assert usmx.default_queue() == dpnp.ones(1).sycl_queue


def test_array_is_given_to_dpnp_on_another_queue():
    queue = dpctl.SyclQueue()
    array = usmx.ones(3)
    there = usmx.to_dpnp(array, sycl_queue=queue)
    assert there.sycl_queue == queue
    there += 1
    assert usmx.asnumpy(array).tolist() == [2, 2, 2]
    assert (
        usmx.to_dpnp(array, device=usmx.SyclDevice().filter_string).sycl_queue
        == dpnp.ones(1).sycl_queue
    )
    assert usmx.to_dpnp(array, device=queue).sycl_queue == queue


# ---- queues that memory was given to


def test_queue_that_nobody_uses_any_more_is_waited_for_once():
    """Each view lets others work on its queue, but none is waited for for ever."""
    array = usmx.zeros(8)
    for number in range(300):
        view = usmx.to_dpnp(array.to_device(dpctl.SyclQueue()))
        view += 1
        del view
        if number % 50 == 49:
            assert usmx.asnumpy(array).tolist() == [number + 1] * 8


def test_queue_is_waited_for_as_long_as_a_view_is_on_it():
    queue = dpctl.SyclQueue()
    array = usmx.zeros(1 << 16)
    view = usmx.to_dpnp(array.to_device(queue))
    for number in range(20):
        view += 1
        view += 1
        assert (usmx.asnumpy(array) == 2 * (number + 1)).all()
