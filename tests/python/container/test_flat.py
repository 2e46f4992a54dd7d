"""a.flat: the elements in C order as one dimension, as NumPy's."""

import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS

LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: a.T,
    "every second": lambda a: a[:, ::2],
    "reversed": lambda a: a[::-1, ::-1],
    "empty": lambda a: a[:0],
}
KEYS = [
    3, -1, slice(None), slice(1, 7, 2), slice(None, None, -1), [0, 2, 2], np.array([1, 0]), Ellipsis,
]  # fmt: skip


@pytest.fixture(params=["device", "shared"])
def usm_type(request):
    return request.param


def pair(layout, usm_type):
    numpys = np.arange(24, dtype="f4").reshape(4, 6)
    mine = usmx.asarray(numpys, usm_type=usm_type)
    return LAYOUTS[layout](mine), LAYOUTS[layout](numpys)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "empty"])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_elements_that_are_read_are_numpys(layout, key, usm_type):
    mine, numpys = pair(layout, usm_type)
    found = mine.flat[key]
    assert found.usm_type == usm_type
    assert np.array_equal(usmx.asnumpy(found), numpys.flat[key])


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "empty"])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_elements_that_are_assigned_are_numpys(layout, key, usm_type):
    mine, numpys = pair(layout, usm_type)
    mine.flat[key] = 99
    numpys.flat[key] = 99
    assert np.array_equal(usmx.asnumpy(mine), numpys)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_iteration_and_length_are_numpys(layout, usm_type):
    mine, numpys = pair(layout, usm_type)
    assert len(mine.flat) == len(numpys.flat)
    assert [float(each) for each in mine.flat] == list(numpys.flat)
    assert mine.flat.base is mine


@pytest.mark.parametrize("layout", LAYOUTS)
def test_assignment_to_flat_sets_every_element(layout, usm_type):
    mine, _ = pair(layout, usm_type)
    values = np.arange(mine.size, dtype="f4")
    mine.flat = values
    assert np.array_equal(usmx.asnumpy(mine).ravel(), values)
    mine.flat = 5
    assert (usmx.asnumpy(mine) == 5).all()


def test_what_is_read_is_a_copy():
    a = usmx.zeros(4)
    part = a.flat[1:3]
    part[...] = 7
    assert a.tolist() == [0, 0, 0, 0]


def test_read_only_array_is_not_assigned_to():
    a = usmx.zeros((2, 3))
    a.flags.writable = False
    for array in (a, a.T):
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = 1


def test_place_outside_is_an_index_error():
    for array in (usmx.zeros((2, 3)), usmx.zeros((2, 3)).T):
        with pytest.raises(IndexError):
            array.flat[6]
        with pytest.raises(IndexError):
            array.flat[6] = 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_makes_an_array_of_the_elements_that_the_host_reaches(layout):
    for kind in HOST_KINDS:
        mine, numpys = pair(layout, kind)
        assert np.array_equal(np.asarray(mine.flat), numpys.reshape(-1))
        assert np.asarray(mine.flat, "i8").dtype == "i8"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_makes_no_array_where_the_host_gets_no_view(layout, strict_host):
    with pytest.raises(TypeError, match="device memory cannot be converted to a NumPy array"):
        np.asarray(pair(layout, "device")[0].flat)


def test_two_indices_are_refused():
    mine, _ = pair("contiguous", "shared")
    with pytest.raises(IndexError, match="flat has 1 dimension, found 2 indices"):
        mine.flat[1, 2]
    with pytest.raises(IndexError, match="flat has 1 dimension, found 2 indices"):
        mine.flat[1, 2] = 0
