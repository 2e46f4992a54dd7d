"""take, put, take_along_axis, put_along_axis, extract, place, nonzero: values are NumPy's."""

import dpnp
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, assert_takes_calls_of
from hypothesis import given
from hypothesis import strategies as st
from index_cases import DTYPES, RECORD, arrays, numbered

NAMES = ("take", "put", "take_along_axis", "put_along_axis", "extract", "place", "nonzero")


@pytest.fixture(params=KINDS)
def pair(request):
    numpys = numbered((3, 4, 5), "i4")
    return usmx.asarray(numpys, usm_type=request.param), numpys.copy()


@st.composite
def indices(draw, extent, max_ndim=3, shape=None):
    if shape is None:
        shape = draw(st.lists(st.integers(0, 3), max_size=max_ndim))
    if extent == 0 and 0 not in shape:
        shape = [0, *shape]
    size = int(np.prod(shape))
    lowest, highest = (-extent, extent - 1) if extent else (0, 0)
    values = draw(st.lists(st.integers(lowest, highest), min_size=size, max_size=size))
    return np.array(values, draw(st.sampled_from(("i1", "i4", "i8")))).reshape(shape)


@pytest.mark.parametrize("name", NAMES)
def test_calls_of_dpnps_functions_are_taken_but_for_the_default_mode(name):
    assert_takes_calls_of(getattr(usmx, name), getattr(dpnp.tensor, name), ["mode"])


# ---- take and put


@given(st.data(), arrays(max_ndim=4))
def test_take_and_put_are_numpys(data, pair):
    mine, numpys = pair
    if numpys.ndim == 0:
        mine, numpys = mine[None], numpys[None]
    axis = data.draw(st.integers(-numpys.ndim, numpys.ndim - 1), "axis")
    chosen = data.draw(indices(numpys.shape[axis]), "indices")
    forms = (np.asarray, usmx.asarray, np.ndarray.tolist)  # no list has the shape (0, 0)
    form = data.draw(st.sampled_from(forms if chosen.size else forms[:2]))
    expected = np.take(numpys, chosen, axis=axis)
    taken = usmx.take(mine, form(chosen), axis=axis)
    assert (taken.shape, taken.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(usmx.asnumpy(taken), expected)
    assert taken.usm_type == mine.usm_type
    assert taken.base is not mine.base
    values = numbered(expected.shape, numpys.dtype, 60)
    assert usmx.put(mine, form(chosen), values, axis=axis) is None
    numpys[(slice(None),) * (axis % numpys.ndim) + (chosen,)] = values
    assert np.array_equal(usmx.asnumpy(mine), numpys)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
def test_modes_are_numpys(pair, mode, dtype):
    mine, numpys = pair
    chosen = np.array([0, 3, 100, 5], dtype)
    if dtype[0] == "i":
        chosen = np.concatenate([chosen, -chosen])
    for form in (np.asarray, usmx.asarray):
        taken = usmx.take(mine, form(chosen), axis=1, mode=mode)
        assert np.array_equal(
            usmx.asnumpy(taken), np.take(numpys, chosen.astype("i8"), 1, mode=mode)
        )
    line = usmx.zeros(4)
    usmx.put(line, chosen, 1.0, mode=mode)
    expected = np.zeros(4)
    np.put(expected, chosen.astype("i8"), 1.0, mode=mode)
    assert np.array_equal(usmx.asnumpy(line), expected)


def test_indices_outside_of_the_axis_are_refused_by_default(pair):
    mine, numpys = pair
    for function in (lambda i: usmx.take(mine, i, axis=1), lambda i: usmx.put(mine, i, 1, axis=1)):
        for chosen in ([0, 4], usmx.asarray([-5]), 4):
            with pytest.raises(IndexError, match=r"index (4|-5) is out of bounds .* 1 with size 4"):
                function(chosen)
    assert np.array_equal(usmx.asnumpy(mine), numpys)
    for mode in ("raise", "wrap", "clip"):
        with pytest.raises(IndexError):
            usmx.take(usmx.empty(0), [0], mode=mode)
        assert usmx.take(usmx.empty(0), [], mode=mode).shape == (0,)


@pytest.mark.parametrize("dtype", ["i2", "i4", "i8"])
def test_the_first_of_many_bad_indices_is_named_and_out_is_left_as_it_was(pair, dtype):
    mine, _ = pair
    chosen = np.zeros(5000, dtype)
    chosen[3000:] = 100
    chosen[2000] = -6
    given = usmx.asarray(chosen, usm_type=mine.usm_type)
    out = usmx.full((3, 4, 5000), 7, dtype="i4", usm_type=mine.usm_type)
    with pytest.raises(IndexError, match="index -6 is out of bounds for axis 2 with size 5"):
        usmx.take(mine, given, axis=2, out=out)
    assert (usmx.asnumpy(out) == 7).all()
    along = given[None, None]
    with pytest.raises(IndexError, match="index -6 is out of bounds for axis 2 with size 5"):
        usmx.take_along_axis(mine, along, axis=2)


def test_missing_axis_counts_through_all_elements(pair):
    mine, numpys = pair
    assert np.array_equal(usmx.asnumpy(usmx.take(mine, [[1, 4]])), np.take(numpys, [[1, 4]]))
    assert usmx.asnumpy(usmx.take(mine[0, 0, 3], [0, -1])).tolist() == [3, 3]
    for axis in (3, -4):
        with pytest.raises(np.exceptions.AxisError):
            usmx.take(mine, [0], axis=axis)


def test_integer_instead_of_an_array_takes_a_copy(pair):
    mine, numpys = pair
    for index in (2, np.array(2), usmx.asarray(2)):
        taken = usmx.take(mine, index, axis=1)
        assert np.array_equal(usmx.asnumpy(taken), numpys[:, 2])
        assert taken.base is not mine.base


def test_out_is_filled_and_returned(pair):
    mine, numpys = pair
    out = usmx.zeros((3, 2, 5), "i4")[:, ::-1]
    assert usmx.take(mine, [3, 0], axis=1, out=out) is out
    assert np.array_equal(usmx.asnumpy(out), numpys[:, [3, 0]])
    assert usmx.take(mine, [2, 1, 0], axis=0, out=mine) is mine
    assert np.array_equal(usmx.asnumpy(mine), numpys[::-1])


@pytest.mark.parametrize(
    ("out", "error"),
    [
        (lambda: usmx.zeros((3, 3, 5), "i4"), ValueError),
        (lambda: usmx.zeros((3, 2, 5), "i8"), TypeError),
        (lambda: usmx.zeros((3, 2, 5), "i4").readonly(), ValueError),
        (lambda: np.zeros((3, 2, 5), "i4"), TypeError),
    ],
)
def test_out_that_does_not_fit_is_refused(pair, out, error):
    mine, _ = pair
    with pytest.raises(error, match="out"):
        usmx.take(mine, [3, 0], axis=1, out=out())


def test_mode_of_another_name_is_a_value_error(pair):
    mine, _ = pair
    for mode in ("clamp", None):
        with pytest.raises(ValueError, match="'raise', 'wrap' or 'clip'"):
            usmx.take(mine, [0], axis=0, mode=mode)


@pytest.mark.parametrize("wrong", [[1.0], "x", np.zeros(1)])
def test_indices_that_are_no_integers_are_an_index_error(pair, wrong):
    mine, _ = pair
    with pytest.raises(IndexError):
        usmx.take(mine, wrong, axis=0)
    with pytest.raises(IndexError):
        usmx.put(mine, wrong, 1, axis=0)
    with pytest.raises(IndexError):
        usmx.take_along_axis(mine, wrong)


@pytest.mark.parametrize(
    "bools", [[True, False, True], True, np.array([[True], [False]])], ids=repr
)
def test_bools_are_indices_of_take_and_put_as_in_numpy(pair, bools):
    mine, numpys = pair
    for chosen in (bools, usmx.asarray(bools)):
        for axis in (None, 1):
            assert np.array_equal(
                usmx.asnumpy(usmx.take(mine, chosen, axis)), np.take(numpys, bools, axis)
            )
        usmx.put(mine, chosen, [7, 8, 9])
        np.put(numpys, bools, [7, 8, 9])
        assert np.array_equal(usmx.asnumpy(mine), numpys)
        with pytest.raises(IndexError, match="found bool"):
            usmx.take_along_axis(usmx.zeros(3), usmx.asarray([True, False, True]))


def test_usm_array_of_floats_is_no_array_of_indices(pair):
    mine, _ = pair
    with pytest.raises(IndexError, match="found float64"):
        usmx.take(mine, usmx.zeros(1), axis=0)


# ---- along an axis


@given(st.data(), arrays(max_ndim=4))
def test_along_axis_is_numpys(data, pair):
    mine, numpys = pair
    if numpys.ndim == 0:
        mine, numpys = mine[None], numpys[None]
    axis = data.draw(st.integers(-numpys.ndim, numpys.ndim - 1), "axis")
    shape = [n if data.draw(st.booleans()) else 1 for n in numpys.shape]
    shape[axis] = data.draw(st.integers(0, 4)) if numpys.shape[axis] else 0
    chosen = data.draw(indices(numpys.shape[axis], shape=shape), "indices")
    expected = np.take_along_axis(numpys, chosen, axis)
    taken = usmx.take_along_axis(mine, usmx.asarray(chosen), axis=axis)
    assert np.array_equal(usmx.asnumpy(taken), expected)
    assert taken.shape == expected.shape
    values = numbered(expected.shape, numpys.dtype, 60)
    usmx.put_along_axis(mine, chosen, usmx.asarray(values), axis=axis)
    np.put_along_axis(numpys, chosen, values, axis)
    assert np.array_equal(usmx.asnumpy(mine), numpys)


def test_along_axis_refuses_what_does_not_fit(pair):
    mine, numpys = pair
    with pytest.raises(ValueError, match="3, found 1"):
        usmx.take_along_axis(mine, [0])
    with pytest.raises(IndexError, match="broadcast"):
        usmx.take_along_axis(mine, np.zeros((2, 4, 1), int))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 2 with size 5"):
        usmx.put_along_axis(mine, np.full((1, 1, 1), 5), 0)
    assert np.array_equal(usmx.asnumpy(mine), numpys)
    assert usmx.take_along_axis(mine, np.full((1, 1, 1), 5), mode="clip").shape == (3, 4, 1)


# ---- masks


@given(arrays(dtypes=DTYPES))
def test_nonzero_is_numpys(pair):
    mine, numpys = pair
    if numpys.ndim == 0:
        with pytest.raises(ValueError, match="at least 1 dimension"):
            usmx.nonzero(mine)
        return
    found = usmx.nonzero(mine)
    assert isinstance(found, tuple)
    for one, expected in zip(found, numpys.nonzero(), strict=True):
        assert np.array_equal(usmx.asnumpy(one), expected)
        assert (one.dtype, one.usm_type) == (np.int64, mine.usm_type)
        assert one.sycl_queue == mine.sycl_queue


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_negative_zero_is_zero_and_nan_is_not(dtype):
    numpys = np.array([0, -0.0, np.nan, 1e-7, -np.inf, 5e-8], dtype)
    found = usmx.nonzero(usmx.asarray(numpys))[0]
    assert np.array_equal(usmx.asnumpy(found), numpys.nonzero()[0])
    if dtype[0] == "c":
        imaginary = np.zeros(6, dtype)
        imaginary.imag = numpys.real
        found = usmx.nonzero(usmx.asarray(imaginary))[0]
        assert np.array_equal(usmx.asnumpy(found), imaginary.nonzero()[0])


def test_nonzero_of_many_and_long_rows():
    rng = np.random.default_rng(0)
    for shape in ((5000,), (3, 2500), (2500, 3), (7, 1, 1025)):
        numpys = rng.integers(0, 2, shape).astype("u1")
        for order in "CF":
            found = usmx.nonzero(usmx.asarray(numpys, order=order))
            for one, expected in zip(found, numpys.nonzero(), strict=True):
                assert np.array_equal(usmx.asnumpy(one), expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1"])
def test_bytes_that_are_not_zero_are_found_by_words(dtype):
    rng = np.random.default_rng(1)
    for size, share in (
        (0, 0),
        (7, 0.5),
        (8, 1),
        (65, 0.01),
        (2041, 1),
        (4999, 0.002),
        (4999, 0.6),
    ):
        chosen = rng.random(size) < share
        numpys = np.where(chosen, rng.integers(-128, 128, size), 0).astype("i1").view(dtype)
        for first in (0, 3):
            here, mine = numpys[first:], usmx.asarray(numpys)[first:]
            bytes_here = here.view("u1")  # a bool of NumPy's is 0 or 1
            assert usmx.count_nonzero(mine) == np.count_nonzero(bytes_here)
            assert np.array_equal(usmx.asnumpy(usmx.nonzero(mine)[0]), bytes_here.nonzero()[0])


def test_nonzero_refuses_structured_elements():
    with pytest.raises(TypeError, match="plain type"):
        usmx.nonzero(usmx.zeros(3, RECORD))


@given(st.data(), arrays(max_ndim=4))
def test_extract_and_place_are_numpys(data, pair):
    mine, numpys = pair
    mask = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=numpys.size, max_size=numpys.size)), "f8"
    ).reshape(data.draw(st.sampled_from((numpys.shape, (numpys.size,)))))
    form = data.draw(st.sampled_from((np.asarray, usmx.asarray, lambda m: usmx.asarray(m != 0))))
    taken = usmx.extract(form(mask), mine)
    assert np.array_equal(usmx.asnumpy(taken), np.extract(mask, numpys))
    assert (taken.dtype, taken.usm_type) == (numpys.dtype, mine.usm_type)
    values = numbered((data.draw(st.integers(1, 5)),), numpys.dtype, 60)
    chosen = mask.reshape(numpys.shape) != 0
    numpys[chosen] = np.resize(values, np.count_nonzero(chosen))
    assert (
        usmx.place(mine, form(mask), data.draw(st.sampled_from((values, usmx.asarray(values)))))
        is None
    )
    assert np.array_equal(usmx.asnumpy(mine), numpys)


def test_extract_and_place_refuse_what_does_not_fit(pair):
    mine, numpys = pair
    with pytest.raises(IndexError, match="60"):
        usmx.extract([0] * 60 + [1], mine)
    with pytest.raises(ValueError, match="mask must have 60 elements, found 3"):
        usmx.place(mine, [1, 0, 1], [1])
    with pytest.raises(ValueError, match="must not be empty: 59 elements"):
        usmx.place(mine, mine, [])
    with pytest.raises(ValueError, match="read-only"):
        usmx.place(mine.readonly(), mine, [1])
    usmx.place(mine, np.zeros(60), [])
    assert np.array_equal(usmx.asnumpy(mine), numpys)


def test_arrays_of_other_producers_are_changed_in_place():
    theirs = dpnp.arange(6)
    usmx.put(theirs, dpnp.asarray([0, 5]), dpnp.asarray([7, 8]))
    usmx.place(theirs, theirs == 2, [9])
    assert dpnp.asnumpy(theirs).tolist() == [7, 1, 9, 3, 4, 8]
    assert usmx.asnumpy(usmx.take(theirs, [5, 0])).tolist() == [8, 7]


@pytest.mark.parametrize("name", NAMES)
def test_objects_without_usm_memory_are_a_type_error(name):
    host = np.ones(1)
    arguments = {"extract": ([1], host), "nonzero": (host,), "place": (host, [1], [1])}
    default = (host, [0], 1) if name.startswith("put") else (host, [0])
    with pytest.raises(TypeError, match="__sycl_usm_array_interface__"):
        getattr(usmx, name)(*arguments.get(name, default))


@pytest.mark.parametrize("name", ["place", "put", "put_along_axis"])
def test_lists_are_not_changed_in_place(name):
    with pytest.raises(TypeError, match="__sycl_usm_array_interface__"):
        getattr(usmx, name)([1], [0], [1])


@pytest.mark.parametrize("condition", [True, False, np.True_, np.False_])
def test_where_takes_a_single_bool_beside_arrays(condition, pair):
    mine, numpys = pair
    chosen = usmx.where(condition, mine, 0)
    assert chosen.usm_type == mine.usm_type
    assert np.array_equal(usmx.asnumpy(chosen), np.where(condition, numpys, 0))
