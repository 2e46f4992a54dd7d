"""usmx.asarray(numpy_array, copy=False): the USM memory of which the array is a view."""

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx

KINDS = ["shared", "host"]
VIEWS = {
    "whole": lambda a: a,
    "reversed": lambda a: a[::-1, ::-1],
    "every second": lambda a: a[::2, 1::2],
    "transposed": lambda a: a.T,
    "row": lambda a: a[1],
    "item": lambda a: a[1:2, 2:3].reshape(()),
    "other type": lambda a: a.view("i4"),
    "field": lambda a: a.view([("x", "f4"), ("y", "f4")])["y"],
    "empty": lambda a: a[:0],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_view_of_an_array_is_its_memory(kind, view):
    array = usmx.asarray(np.arange(12.0).reshape(3, 4), usm_type=kind)
    expected = view(np.asarray(array))
    found = usmx.asarray(expected, copy=False)
    assert (found.shape, found.dtype, found.usm_type) == (expected.shape, expected.dtype, kind)
    np.testing.assert_array_equal(usmx.asnumpy(found), expected)
    if found.size:
        assert found._pointer == expected.ctypes.data
        found[...] = 7
        assert (expected == 7).all()


def test_view_of_an_array_on_another_queue_is_found_by_its_base():
    queue = usmx.SyclQueue(dpctl.SyclQueue()._get_capsule())
    array = usmx.zeros(5, usm_type="shared", sycl_queue=queue)
    assert usmx.asarray(np.asarray(array)[1:], copy=False).sycl_queue == queue


def test_view_of_dpctls_memory_is_its_memory():
    memory = dpctl.memory.MemoryUSMShared(24)
    numbers = np.frombuffer(memory, "f8")
    assert usmx.asarray(numbers, copy=False)._pointer == memory._pointer


def test_view_keeps_the_memory():
    numbers = np.asarray(usmx.asarray([1.0, 2.0], usm_type="shared"))
    found = usmx.asarray(numbers, copy=False)
    del numbers
    others = [usmx.zeros(2, usm_type="shared") for _ in range(100)]
    assert usmx.asnumpy(found).tolist() == [1, 2]
    assert found._pointer not in {other._pointer for other in others}


def test_readonly_view_is_read_only():
    numbers = np.asarray(usmx.zeros(3, usm_type="shared"))
    numbers.flags.writeable = False
    assert not usmx.asarray(numbers, copy=False).flags.writable


@pytest.mark.parametrize(
    "obj",
    [
        np.arange(3.0),
        np.arange(3.0).astype(">f8"),
        np.array(["text"]),
        np.array([None]),
        [1, 2],
        5,
    ],
    ids=repr,
)
def test_other_memory_is_a_value_error(obj):
    with pytest.raises(ValueError, match="copy=False cannot be met"):
        usmx.asarray(obj, copy=False)


def test_type_that_needs_a_copy_is_a_value_error():
    with pytest.raises(ValueError, match="copy=False cannot be met"):
        usmx.asarray(np.asarray(usmx.zeros(3, usm_type="shared")), "f4", copy=False)
