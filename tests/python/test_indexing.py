"""Basic indexing: every view is what NumPy's would be, number by number."""

import numpy as np
import pytest
import usmx
from helpers import KINDS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

MAX_SIZE = 3000


@st.composite
def shapes(draw):
    """Up to 32 dimensions, of which many are small; without elements now and then."""
    ndim = draw(st.one_of(st.integers(0, 5), st.integers(6, 32)))
    largest = 7 if ndim <= 5 else 3
    shape = []
    for _ in range(ndim):
        room = max(1, min(largest, MAX_SIZE // max(1, int(np.prod(shape)))))
        shape.append(draw(st.integers(0 if draw(st.integers(0, 20)) == 0 else 1, room)))
    return tuple(shape)


@st.composite
def keys(draw, shape):
    """Integers, slices of any step, an ellipsis and new axes; each integer is inside its axis."""
    items = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        choices = [st.slices(max(extent, 1)), st.just(slice(None)), wild_slices]
        if extent > 0:
            choices.append(st.integers(-extent, extent - 1))
        items.append(draw(st.one_of(choices)))
    for _ in range(draw(st.integers(0, 2))):
        items.insert(draw(st.integers(0, len(items))), None)
    if draw(st.booleans()):
        # After it, items would belong to other axes than those that they were drawn for.
        items.append(...)
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


bounds = st.one_of(st.none(), st.integers(-12, 12), st.integers(-(2**70), 2**70))
# NumPy's strides wrap around after larger ones: test_bounds_of_slices_may_be_any_integer
steps = st.one_of(st.none(), st.integers(-5, 5).filter(bool), st.sampled_from([2**16, -(2**16)]))
wild_slices = st.builds(slice, bounds, bounds, steps)


def assert_same_layout(mine, numpys, base):
    """The same view, given that `base` is NumPy's array with the same memory layout."""
    itemsize = base.itemsize
    assert mine.shape == numpys.shape
    assert mine.ndim == numpys.ndim
    assert mine.size == numpys.size
    assert mine.nbytes == numpys.nbytes
    assert mine.strides == tuple(stride // itemsize for stride in numpys.strides)
    address = numpys.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    assert mine.offset == address // itemsize
    if mine.size > 0:
        assert mine._pointer == mine.base._pointer + address
    for flag in ("c_contiguous", "f_contiguous", "forc", "fnc"):
        assert getattr(mine.flags, flag) is getattr(numpys.flags, flag)


def same_base(array):
    """NumPy's array of the same shape and strides, whatever this NumPy would choose itself."""
    content = np.arange(array.base.nbytes // array.itemsize).astype(array.dtype)
    array.base.copy_from_host(content)
    strides = [stride * array.itemsize for stride in array.strides]
    return np.lib.stride_tricks.as_strided(content, array.shape, strides)


@pytest.mark.slow
@settings(max_examples=400)
@given(st.data(), st.sampled_from(KINDS), st.sampled_from(["C", "F"]), shapes())
def test_views_are_numpys(data, kind, order, shape):
    mine = usmx.empty(shape, "i2", order=order, usm_type=kind)
    base = numpys = same_base(mine)
    for _ in range(data.draw(st.integers(1, 3), "depth")):
        if np.ndim(numpys) != mine.ndim:
            break
        key = data.draw(keys(numpys.shape), "key")
        numpys = numpys[(*key, ...) if isinstance(key, tuple) and ... not in key else key]
        mine = mine[key]
        # NumPy gives a scalar where all axes are indexed by integers: no view to compare with
        assume(isinstance(numpys, np.ndarray))
        assert_same_layout(mine, numpys, base)
    assert np.array_equal(usmx.asnumpy(mine), numpys)


@given(st.data(), shapes())
def test_ellipsis_stands_for_the_missing_axes(data, shape):
    assume(len(shape) >= 1)
    mine = usmx.empty(shape, "i2", usm_type="host")
    numpys = same_base(mine)
    front = data.draw(st.integers(0, len(shape)))
    back = data.draw(st.integers(0, len(shape) - front))
    key = (slice(None, None, -1),) * front + (...,) + (slice(1, None),) * back
    assert_same_layout(mine[key], numpys[key], numpys)


@given(st.data(), hnp.array_shapes(max_dims=4, max_side=5))
def test_integers_for_all_axes_give_a_0d_view_of_the_element(data, shape):
    mine = usmx.empty(shape, "i2")
    numpys = same_base(mine)
    index = tuple(data.draw(st.integers(-extent, extent - 1)) for extent in shape)
    element = mine[index]
    assert (element.shape, element.strides) == ((), ())
    assert usmx.asnumpy(element) == numpys[index]
    assert element.base is mine.base


@pytest.mark.parametrize("kind", KINDS)
def test_view_keeps_everything_else(kind):
    array = usmx.empty((3, 4), "c8", usm_type=kind, sycl_queue=usmx.SyclQueue())
    view = array[1:, ::-1]
    assert view.base is array.base
    assert view.dtype == array.dtype
    assert view.usm_type == kind
    assert view.sycl_queue == array.sycl_queue
    assert view.flags.writable
    assert type(view) is usmx.USMArray


def test_everything_is_a_view_and_never_a_scalar():
    array = usmx.empty((2, 3))
    for key in (np.s_[...], np.s_[:], (), np.s_[0, 0], np.s_[1], None):
        assert type(array[key]) is usmx.USMArray
        assert array[key] is not array
        assert array[key].base is array.base


def test_writes_to_a_view_are_seen_in_the_array():
    array = usmx.zeros((3, 4), "i4", usm_type="shared")
    np.asarray(array[1:, ::-2])[...] = 7
    assert usmx.asnumpy(array).tolist() == [[0, 0, 0, 0], [0, 7, 0, 7], [0, 7, 0, 7]]


def test_64_dimensions_are_indexed():
    array = usmx.empty((1,) * 64)
    assert array[(0,) * 64].ndim == 0
    assert array[(slice(None, None, -1),) * 64].ndim == 64
    assert array[..., 0].ndim == 63
    assert array[(0,) * 64 + (None,) * 64].shape == (1,) * 64


@pytest.mark.parametrize("index", [np.int64(1), np.uint8(1), np.array(1)])
def test_integer_objects_are_integers(index):
    array = usmx.empty((3, 4))
    assert array[index].offset == 4
    assert array[index:].offset == 4
    assert array[:, index].offset == 1


def test_bounds_of_slices_may_be_any_integer():
    array = usmx.empty(10)
    assert array[-(2**80) : 2**80].shape == (10,)
    assert array[2**80 : -(2**80) : -1].shape == (10,)
    assert array[:: 2**80].shape == (1,)
    assert array[-(2**63) :: 3].shape == (4,)


# ---- errors


@pytest.mark.parametrize("index", [3, -4, 100, 2**62, -(2**63), 2**63, -(2**100)])
def test_integer_outside_of_its_axis_is_an_index_error(index):
    array = usmx.empty((3, 4))
    for key in (index, (index,), (index, 0), (..., index, slice(None))):
        with pytest.raises(IndexError):
            array[key]


def test_error_names_index_axis_and_size():
    array = usmx.empty((3, 4, 5))
    for key, words in (
        (3, "index 3 is out of bounds for axis 0 with size 3"),
        ((0, -5), "index -5 is out of bounds for axis 1 with size 4"),
        ((..., 7), "index 7 is out of bounds for axis 2 with size 5"),
    ):
        with pytest.raises(IndexError, match=words):
            array[key]


def test_axis_without_elements_has_no_index():
    array = usmx.empty((3, 0))
    assert array[2].shape == (0,)
    for index in (0, -1):
        with pytest.raises(IndexError, match="axis 1 with size 0"):
            array[0, index]


@pytest.mark.parametrize("shape", [(), (3,), (3, 4)])
def test_more_indices_than_axes_are_an_index_error(shape):
    array = usmx.empty(shape)
    for key in ((0,) * (len(shape) + 1), (slice(None),) * (len(shape) + 1), (0,) * 1000):
        with pytest.raises(IndexError, match="too many indices"):
            array[key]


def test_second_ellipsis_is_an_index_error():
    with pytest.raises(IndexError, match="ellipsis"):
        usmx.empty((3, 4))[..., ...]


def test_more_than_64_dimensions_are_an_index_error():
    with pytest.raises(IndexError, match="dimensions"):
        usmx.empty((1,) * 64)[None]
    with pytest.raises(IndexError):
        usmx.empty(3)[(None,) * 100]


def test_step_of_zero_is_a_value_error():
    with pytest.raises(ValueError, match="zero"):
        usmx.empty(3)[::0]


@pytest.mark.parametrize("key", [np.s_[1.0:], np.s_[:"a"], np.s_[::1j]])
def test_bounds_that_are_no_integers_are_a_type_error(key):
    with pytest.raises(TypeError, match="integers"):
        usmx.empty(3)[key]


def test_exception_of_an_index_passes_through_unchanged():
    class Raising:
        def __index__(self):
            raise ZeroDivisionError("mine")

    for key in (Raising(), slice(Raising()), (0, Raising())):
        with pytest.raises(ZeroDivisionError, match="mine"):
            usmx.empty((3, 4))[key]
