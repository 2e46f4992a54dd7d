"""Reading by arrays of integers and masks: the values, shapes and errors are NumPy's."""

import array
import threading

import dpnp
import dpnp.tensor as dpt
import numpy as np
import pytest
import usmx
from helpers import KINDS, producer_of
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import arrays, keys, numbered, on_host, outcome


@pytest.mark.slow
@settings(max_examples=700)
@given(st.data(), arrays())
def test_values_and_errors_are_numpys(data, pair):
    mine, numpys = pair
    key = data.draw(keys(numpys.shape), "key")
    expected, refused = outcome(lambda: numpys[on_host(key)])
    found, error = outcome(lambda: mine[key])
    # NumPy looks at no index when nothing is selected
    assert error is refused or (refused is None and error is IndexError and expected.size == 0)
    if error is None:
        assert found.shape == np.shape(expected)
        assert found.dtype == numpys.dtype
        assert np.array_equal(usmx.asnumpy(found), expected)
        assert (found.usm_type, found.sycl_queue) == (mine.usm_type, mine.sycl_queue)


@pytest.fixture(params=KINDS)
def pair(request):
    numpys = numbered((3, 4, 5), "i4")
    return usmx.asarray(numpys, usm_type=request.param), numpys


KEYS = {
    "list": [2, 0, 0],
    "nested list": [[0, 1], [2, -1]],
    "tuple in a tuple": ((0, 2),),
    "empty list": [],
    "numpy": np.array([1, -3]),
    "uint8": np.array([2, 1], np.uint8),
    "byte-swapped": np.array([2, 1], ">i4"),
    "buffer": array.array("l", [2, 0]),
    "range": range(3),
    "zero strides": np.broadcast_to(np.int64(1), (4,)),
    "two arrays": ([0, 1], [2, 3]),
    "broadcast": (np.array([[0], [1]]), [2, 3, 0]),
    "ix_": np.ix_([0, 2], [1, 3, 3], [0, 4]),
    "separated": ([0, 1], slice(None), [2, 3]),
    "separated by nothing": (slice(None), [0], ..., [1]),
    "separated by a new axis": ([0, 1], None, [2, 3]),
    "integer beside an array": (0, slice(None), [1, 2]),
    "integer next to an array": (slice(None), 1, [1, 2]),
    "slices": (slice(None, None, -1), [3, 0], slice(1, None, 2)),
    "ellipsis": (..., [4, 0]),
    "mask": numbered((3, 4, 5), "i4") % 3 == 0,
    "mask of one axis": np.array([True, False, True]),
    "mask of two axes": (slice(None), numbered((4, 5), "i4") % 2 == 0),
    "mask of no element": np.zeros((3, 4, 5), bool),
    "list of bools": [True, False, True],
    "mask and array": (np.array([True, False, True]), [1, 3]),
    "True": True,
    "False": False,
    "numpy bool": np.True_,
    "bool between arrays": ([0, 1], True, [2, 3]),
    "0-d array beside an array": (np.array(1), [0, 1]),
}


@pytest.mark.parametrize("name", KEYS)
def test_key(pair, name):
    mine, numpys = pair
    found = mine[KEYS[name]]
    assert np.array_equal(usmx.asnumpy(found), numpys[KEYS[name]])


def test_result_is_a_new_writable_c_contiguous_array(pair):
    mine, numpys = pair
    found = mine.readonly()[[0, 1]]
    assert found.base is not mine.base
    assert found.flags.writable
    assert found.flags.c_contiguous
    found[...] = 0
    assert np.array_equal(usmx.asnumpy(mine), numpys)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.int8, np.uint64])
def test_array_without_dimensions_is_an_integer(pair, kind, dtype):
    mine, numpys = pair
    index = usmx.asarray(np.array(2, dtype), usm_type=kind)
    assert np.array_equal(usmx.asnumpy(mine[index]), numpys[2])
    assert mine[index].base is mine.base
    assert np.array_equal(usmx.asnumpy(mine[index, [1, 2]]), numpys[2, [1, 2]])


@pytest.mark.parametrize("library", [dpnp, dpt])
def test_arrays_of_other_producers_are_keys(pair, library):
    mine, numpys = pair
    for key in (np.array([2, 0]), np.array([1]), numpys % 2 == 0, np.array(1)):
        theirs = library.asarray(key)
        assert np.array_equal(usmx.asnumpy(mine[theirs]), numpys[key])
    assert np.array_equal(
        usmx.asnumpy(mine[:, library.asarray([0, 1]), 1:]), numpys[:, np.array([0, 1]), 1:]
    )


def test_producer_with_an_index_method_is_an_array():
    memory = usmx.memory.MemoryUSMShared(8)
    memory.copy_from_host(np.array([1]))
    key = producer_of(memory, shape=(1,), typestr="<i8")
    assert usmx.asnumpy(usmx.asarray(np.arange(3))[key]).tolist() == [1]


def test_array_of_indices_may_be_the_array_itself():
    array = usmx.asarray([2, 0, 1])
    assert usmx.asnumpy(array[array]).tolist() == [1, 2, 0]


def test_unfinished_kernels_on_array_and_key_are_waited_for():
    for _ in range(20):
        source = dpnp.ones(100_000, dtype="f8")
        key = dpnp.arange(100_000)[::-1]
        for _ in range(5):
            source = source * 2
        assert (usmx.asnumpy(usmx.asarray(source)[key]) == 32).all()


def test_64_dimensions_are_selected_from():
    array = usmx.asarray(np.arange(2)).__getitem__((..., *(None,) * 63))
    assert array[[1, 0]].shape == (2, *(1,) * 63)
    assert array[(slice(None),) + ([0],) * 63].shape == (2, 1)
    with pytest.raises(IndexError, match="dimensions"):
        array[[[0, 1]]]


def test_many_blocks_of_indices_keep_their_order():
    numpys = np.arange(100_000)
    mine = usmx.asarray(numpys)
    rng = np.random.default_rng(0)
    indices = rng.integers(-100_000, 100_000, (37, 1009))
    for key in (indices, indices.T, indices[:, ::-3], indices[0], numpys % 3 == 0):
        assert np.array_equal(usmx.asnumpy(mine[key]), numpys[key])
    table = numbered((50, 2000), "i2")
    for key in ((slice(None), indices[0] % 2000), (indices[0] % 50,), (indices[:, :9] % 50, 7)):
        assert np.array_equal(usmx.asnumpy(usmx.asarray(table)[key]), table[key])
        assert np.array_equal(usmx.asnumpy(usmx.asarray(table, order="F")[key]), table[key])


def test_threads_read_at_the_same_time():
    numpys = np.arange(50_000)
    mine = usmx.asarray(numpys)
    key = numpys[::-1]
    wrong = []

    def read():
        for _ in range(20):
            if not np.array_equal(usmx.asnumpy(mine[key]), key):
                wrong.append(1)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# ---- errors


@pytest.mark.parametrize("make", [np.asarray, usmx.asarray, list])
@pytest.mark.parametrize(
    ("key", "words"),
    [
        (([0, 3],), "index 3 is out of bounds for axis 0 with size 3"),
        ((0, [0, -5]), "index -5 is out of bounds for axis 1 with size 4"),
        ((..., [7]), "index 7 is out of bounds for axis 2 with size 5"),
        ((None, 0, slice(1, 2), [7]), "index 7 is out of bounds for axis 2 with size 5"),
        (([0], slice(None), [-6]), "index -6 is out of bounds for axis 2 with size 5"),
    ],
)
def test_index_outside_of_its_axis_is_named(pair, make, key, words):
    mine, _ = pair
    key = tuple(make(item) if isinstance(item, list) else item for item in key)
    with pytest.raises(IndexError, match=words):
        mine[key]


@pytest.mark.parametrize("value", [2**63, 2**64 - 1, 2**32])
def test_large_unsigned_index_is_outside(value):
    with pytest.raises(IndexError, match=f"index {value} is out of bounds"):
        usmx.empty(3)[np.array([0, value], np.uint64)]


def test_index_into_an_axis_without_elements():
    for shape in ((0,), (3, 0), (0, 3)):
        array = usmx.empty(shape)
        with pytest.raises(IndexError, match="with size"):
            array[[5]]
        assert array[[]].shape == (0, *shape[1:])


def test_integer_of_a_list_that_does_not_fit_into_64_bits_is_an_index_error():
    array = usmx.empty(3)
    for key in ([2**70], [0, -(2**70)], [2**63], [-(2**63)]):
        with pytest.raises(IndexError):
            array[key]


@pytest.mark.parametrize("dtype", [object, "M8[s]", "U1", ">i4"])
def test_numpy_array_without_a_plain_buffer(dtype):
    array = usmx.asarray([5, 6, 7])
    key = np.array([2, 0], "i8").astype(dtype)
    if dtype == ">i4":
        assert array[key].tolist() == [7, 5]
        return
    with pytest.raises(IndexError, match=f"found ndarray of {key.dtype}".replace("[", r"\[")):
        array[key]


def test_numpy_array_that_is_a_producer_is_taken_as_one():
    class Shared(np.ndarray):
        pass

    indices = usmx.asarray([2, 0], usm_type="shared")
    key = np.zeros(2, "i8").view(Shared)
    key.__sycl_usm_array_interface__ = indices.__sycl_usm_array_interface__
    array = usmx.asarray([5, 6, 7])
    assert array[key].tolist() == [7, 5]
    array[:2] = key
    assert array.tolist() == [2, 0, 7]


@pytest.mark.parametrize(
    "key", [1.0, "x", b"x", 1j, object(), {}, [1.0], ["x"], np.array([]), np.array([1.0]), [None]]
)
def test_key_of_another_type_is_an_index_error(key):
    array = usmx.empty((3, 4))
    for item in (key, (key, 0), (slice(None), key), ([0], key)):
        with pytest.raises(IndexError, match=f"found {type(key).__name__}"):
            array[item]


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_usm_array_of_another_type_is_an_index_error(dtype):
    for shape in ((2,), ()):
        with pytest.raises(IndexError, match=r"integer type or bool, found (float|complex)"):
            usmx.empty(3)[usmx.zeros(shape, dtype)]


@pytest.mark.parametrize("make", [np.asarray, usmx.asarray])
def test_mask_of_another_shape_is_an_index_error(make):
    array = usmx.empty((3, 4))
    with pytest.raises(IndexError, match="expected 3 elements along axis 0, found 2"):
        array[make(np.ones(2, bool))]
    with pytest.raises(IndexError, match="expected 4 elements along axis 1, found 3"):
        array[make(np.ones((3, 3), bool))]
    with pytest.raises(IndexError, match="too many indices"):
        array[make(np.ones((3, 4, 1), bool))]


@pytest.mark.parametrize("make", [np.asarray, usmx.asarray])
@pytest.mark.parametrize("kind", KINDS)
def test_axis_without_elements_of_a_mask_fits_every_axis(make, kind):
    numpys = np.arange(12).reshape(3, 4)
    array = usmx.asarray(numpys, usm_type=kind)
    for shape in ((0,), (0, 4), (3, 0), (0, 0)):
        mask = np.ones(shape, bool)
        assert array[make(mask)].shape == numpys[mask].shape
        array[make(mask)] = 7
    assert array[0, make(np.ones(0, bool))].shape == (0,)
    assert np.array_equal(usmx.asnumpy(array), numpys)
    with pytest.raises(IndexError, match="expected 4 elements along axis 1, found 5"):
        array[make(np.ones((0, 5), bool))]


def test_arrays_that_cannot_be_broadcast_are_an_index_error():
    with pytest.raises(IndexError, match=r"could not be broadcast.*\(2,\) \(3,\)"):
        usmx.empty((3, 4))[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError, match=r"could not be broadcast.*\(2,\) \(3,\)"):
        usmx.empty((3, 4))[np.array([True, True, False]), [0, 1, 2]]


def test_more_arrays_than_axes_are_an_index_error():
    with pytest.raises(IndexError, match="too many indices"):
        usmx.empty((3, 4))[[0], [0], [0]]


def test_exception_while_a_key_is_converted_passes_through():
    class Raising:
        def __array__(self, dtype=None, copy=None):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        usmx.empty(3)[Raising()]
