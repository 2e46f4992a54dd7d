"""Shapes: each result is NumPy's, value by value and flag by flag, and a view where NumPy's is."""

import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, assert_takes_calls_of, output_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from usmx import _core
from usmx._container import manipulation

AxisError = np.exceptions.AxisError

# ---- arrays of every layout, with NumPy's view of the same numbers at the same places


class Pair:
    """A USMArray and NumPy's array with the same content, strides and rights."""

    def __init__(self, mine, numpys, memory):
        self.mine = mine
        self.numpys = numpys
        self.memory = memory  # NumPy's, all of it

    def changed(self, change):
        """What is a view of both, made by the same call."""
        return Pair(change(self.mine), change(self.numpys), self.memory)


def pair_of(shape, typestr="<i4", kind="shared"):
    """Two C-contiguous arrays of different numbers."""
    size = int(np.prod(shape, dtype=int))
    memory = (np.arange(size) % 120).astype(typestr)
    mine = usmx.asarray(memory.reshape(shape), usm_type=kind)
    return Pair(mine, memory.reshape(shape), memory)


@st.composite
def pairs(draw, min_dims=0, max_dims=6, typestrs=("<i4",)):
    """Cut, turned around, in any order of axes, with axes of stride 0, read-only now and then."""
    shape = draw(
        hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=0, max_side=4)
        if draw(st.integers(0, 4)) == 0
        else hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=1, max_side=4)
    )
    pair = pair_of(shape, draw(st.sampled_from(typestrs)), draw(st.sampled_from(KINDS)))
    if draw(st.booleans()):
        key = tuple(draw(st.sampled_from(SLICES)) for _ in shape)
        pair = pair.changed(lambda a: a[(*key, ...)])
    if draw(st.booleans()):
        axes = draw(st.permutations(range(len(shape))))
        pair = pair.changed(lambda a: a.transpose(axes))
    if len(shape) < max_dims and draw(st.integers(0, 3)) == 0:
        repeated = (draw(st.integers(0, 3)), *pair.numpys.shape)
        pair = Pair(
            usmx.broadcast_to(pair.mine, repeated),
            np.broadcast_to(pair.numpys, repeated),
            pair.memory,
        )
    elif draw(st.integers(0, 4)) == 0:
        numpys = pair.numpys.view()
        numpys.flags.writeable = False
        pair = Pair(pair.mine.readonly(), numpys, pair.memory)
    return pair


SLICES = [np.s_[:], np.s_[::-1], np.s_[1:], np.s_[::2], np.s_[-1::-2], np.s_[:1], np.s_[:0]]


def assert_same_elements(mine, numpys):
    assert mine.shape == numpys.shape
    assert mine.dtype == numpys.dtype
    assert np.array_equal(usmx.asnumpy(mine), numpys)


def assert_same_view(mine, numpys, source):
    """The same elements at the same places, with the same rights."""
    assert_same_elements(mine, numpys)
    assert mine.base is source.mine.base
    assert mine.flags.writable == numpys.flags.writeable
    assert mine.flags.c_contiguous == numpys.flags.c_contiguous
    assert mine.flags.f_contiguous == numpys.flags.f_contiguous
    if mine.size > 0:
        place = numpys.__array_interface__["data"][0] - source.memory.__array_interface__["data"][0]
        assert mine.offset * mine.itemsize == place
        for n, stride, expected in zip(mine.shape, mine.strides, numpys.strides, strict=True):
            assert n == 1 or stride * mine.itemsize == expected


def assert_new(mine, numpys, source):
    """The same elements in compact memory of its own."""
    assert_same_elements(mine, numpys)
    assert mine.flags.c_contiguous
    assert mine.flags.writable
    assert mine.base is not source.base
    assert mine.usm_type == source.usm_type
    assert mine.sycl_queue == source.sycl_queue


def axes_of(pair):
    return st.integers(-pair.numpys.ndim, pair.numpys.ndim - 1)


# ---- reshape


@st.composite
def shapes_of_size(draw, size):
    """Any factors of the size, units among them, one of them unknown now and then."""
    if size == 0:
        shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=4))
        return (*shape, 0, *draw(st.sampled_from([(), (2,), (1, 3)])))
    shape = []
    while size > 1 and len(shape) < 4:
        factor = draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0]))
        shape.append(factor)
        size //= factor
    shape = [*shape, size]
    if draw(st.booleans()):
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    return tuple(shape)


@pytest.mark.slow
@settings(max_examples=400)
@given(st.data(), pairs(), st.sampled_from("CF"))
def test_reshaped_array_is_numpys(data, pair, order):
    shape = data.draw(shapes_of_size(pair.numpys.size))
    mine = usmx.reshape(pair.mine, shape, order=order)
    numpys = np.reshape(pair.numpys, shape, order=order)
    if mine.size > 0 and np.may_share_memory(numpys, pair.memory):
        assert_same_view(mine, numpys, pair)
        assert usmx.reshape(pair.mine, shape, order=order, copy=False).base is pair.mine.base
    else:
        assert_same_elements(mine, numpys)
        assert mine.flags.c_contiguous == numpys.flags.c_contiguous
        assert mine.flags.f_contiguous == numpys.flags.f_contiguous
        if mine.size > 0:
            assert mine.base is not pair.mine.base
            assert mine.flags.writable
            with pytest.raises(ValueError, match="copy=False cannot be met"):
                usmx.reshape(pair.mine, shape, order=order, copy=False)


@given(st.data(), pairs(), st.sampled_from("CF"))
def test_reshaping_copies_when_it_is_told_to(data, pair, order):
    shape = data.draw(shapes_of_size(pair.numpys.size))
    mine = usmx.reshape(pair.mine, shape, order=order, copy=True)
    assert_same_elements(mine, np.reshape(pair.numpys, shape, order=order))
    assert mine.base is not pair.mine.base
    assert mine.flags.writable
    assert mine.flags.c_contiguous if order == "C" else mine.flags.f_contiguous


def test_shape_is_an_integer_a_tuple_or_a_list():
    a = pair_of((2, 6)).mine
    for shape, expected in ((12, (12,)), (-1, (12,)), ([3, 4], (3, 4)), (np.int64(12), (12,))):
        assert usmx.reshape(a, shape).shape == expected
    for shape in ("12", 12.0, (3.0, 4), None, {12}):
        with pytest.raises(TypeError):
            usmx.reshape(a, shape)


@pytest.mark.parametrize("shape", [(5, 5), (7, -1), (0, -1), (-1, -1), (-2, -12), (2**62, 4), ()])
def test_shape_of_another_size_is_a_value_error(shape):
    with pytest.raises(ValueError, match=r"24|negative|number of elements"):
        usmx.reshape(usmx.empty((2, 3, 4)), shape)


def test_error_of_a_shape_names_the_sizes():
    with pytest.raises(ValueError, match=r"24 elements of shape \(2, 3, 4\) to shape \(5, 5\)"):
        usmx.reshape(usmx.empty((2, 3, 4)), (5, 5))


@pytest.mark.parametrize("order", ["K", "k", "", "CF", "\xe7", 1])
def test_other_orders_are_refused(order):
    with pytest.raises(ValueError, match="order must be 'C', 'F' or 'A'"):
        usmx.reshape(usmx.empty(4), (2, 2), order=order)


def test_copy_must_be_a_bool_or_none():
    with pytest.raises(TypeError, match="copy must be True, False or None, found 'no'"):
        usmx.reshape(usmx.empty(4), (2, 2), copy="no")


# ---- axes


@given(st.data(), pairs())
def test_permuted_axes_are_numpys(data, pair):
    axes = data.draw(st.permutations(range(pair.numpys.ndim)))
    axes = [axis - data.draw(st.sampled_from([0, pair.numpys.ndim])) for axis in axes]
    expected = np.transpose(pair.numpys, axes)
    assert_same_view(usmx.permute_dims(pair.mine, axes), expected, pair)
    assert_same_view(usmx.permute_dims(pair.mine, tuple(axes)), expected, pair)
    assert_same_view(pair.mine.transpose(*axes) if axes else pair.mine, expected, pair)
    assert_same_view(pair.mine.transpose(), pair.numpys.transpose(), pair)
    assert_same_view(pair.mine.transpose(None), pair.numpys.T, pair)


@given(st.data(), pairs(min_dims=1))
def test_moved_and_swapped_axes_are_numpys(data, pair):
    axis = axes_of(pair)
    a, b = data.draw(axis), data.draw(axis)
    assert_same_view(usmx.moveaxis(pair.mine, a, b), np.moveaxis(pair.numpys, a, b), pair)
    assert_same_view(usmx.swapaxes(pair.mine, a, b), np.swapaxes(pair.numpys, a, b), pair)
    assert_same_view(pair.mine.swapaxes(a, b), np.swapaxes(pair.numpys, a, b), pair)
    ndim = pair.numpys.ndim
    count = data.draw(st.integers(0, ndim))
    source = data.draw(st.permutations(range(ndim)))[:count]
    target = [k - ndim for k in data.draw(st.permutations(range(ndim)))[:count]]
    expected = np.moveaxis(pair.numpys, source, target)
    assert_same_view(usmx.moveaxis(pair.mine, source, target), expected, pair)


@given(pairs(min_dims=2))
def test_matrix_transposes_are_numpys(pair):
    expected = np.swapaxes(pair.numpys, -1, -2)
    assert_same_view(usmx.matrix_transpose(pair.mine), expected, pair)
    assert_same_view(pair.mine.mT, expected, pair)
    if pair.numpys.ndim == 2:
        assert_same_view(pair.mine.T, expected, pair)


@given(st.data(), pairs())
def test_flipped_axes_are_numpys(data, pair):
    every = (slice(None, None, -1),) * pair.numpys.ndim
    assert_same_view(usmx.flip(pair.mine), pair.numpys[(*every, ...)], pair)
    if pair.numpys.ndim > 0:
        axes = data.draw(st.lists(st.sampled_from(range(pair.numpys.ndim)), unique=True))
        expected = np.flip(pair.numpys, tuple(axes))
        assert_same_view(usmx.flip(pair.mine, axis=tuple(axes)), expected, pair)
        expected = np.flip(pair.numpys, -1)
        assert_same_view(usmx.flip(pair.mine, axis=-1), expected, pair)


@given(st.data(), pairs())
def test_squeezed_axes_are_numpys(data, pair):
    assert_same_view(usmx.squeeze(pair.mine), np.squeeze(pair.numpys), pair)
    assert_same_view(pair.mine.squeeze(), np.squeeze(pair.numpys), pair)
    units = [k for k, n in enumerate(pair.numpys.shape) if n == 1]
    axes = tuple(k for k in units if data.draw(st.booleans()))
    expected = np.squeeze(pair.numpys, axes)
    assert_same_view(usmx.squeeze(pair.mine, axes), expected, pair)
    assert_same_view(pair.mine.squeeze(axis=axes), expected, pair)


@pytest.mark.parametrize("axis", [0, -1, (0,), ()])
def test_array_of_0_dimensions_may_be_squeezed(axis):
    assert usmx.squeeze(usmx.empty(()), axis).shape == ()


def test_only_axes_of_size_1_are_squeezed_out():
    with pytest.raises(ValueError, match="must have size 1, found axis 1 with size 3"):
        usmx.squeeze(usmx.empty((1, 3)), (0, -1))


@given(st.data(), pairs(max_dims=4))
def test_new_axes_are_numpys(data, pair):
    count = data.draw(st.integers(0, 3))
    ndim = pair.numpys.ndim + count
    axes = tuple(
        axis - data.draw(st.sampled_from([0, ndim]))
        for axis in data.draw(st.permutations(range(ndim)))[:count]
    )
    mine = usmx.expand_dims(pair.mine, axis=axes)
    assert_same_view(mine, np.expand_dims(pair.numpys, axes), pair)
    assert usmx.expand_dims(pair.mine).shape == (1, *pair.numpys.shape)


@given(pairs(min_dims=1))
def test_unstacked_arrays_are_the_views_along_an_axis(pair):
    for axis in range(-pair.numpys.ndim, pair.numpys.ndim):
        mine = usmx.unstack(pair.mine, axis=axis)
        assert isinstance(mine, tuple)
        assert len(mine) == pair.numpys.shape[axis]
        for k, view in enumerate(mine):
            # NumPy gives a scalar, not a view, where no axis is left
            expected = np.moveaxis(pair.numpys, axis, 0)[k, ...]
            assert_same_view(view, expected, pair)


A = usmx.empty((2, 3, 4))
OF_A_MISSING_AXIS = {
    "permute_dims": (lambda: usmx.permute_dims(A, (0, 1, 3)), 3, 3),
    "moveaxis, source": (lambda: usmx.moveaxis(A, 3, 0), 3, 3),
    "moveaxis, destination": (lambda: usmx.moveaxis(A, 0, -4), -4, 3),
    "swapaxes": (lambda: usmx.swapaxes(A, 0, 5), 5, 3),
    "flip": (lambda: usmx.flip(A, axis=-4), -4, 3),
    "squeeze": (lambda: usmx.squeeze(A, 3), 3, 3),
    "expand_dims": (lambda: usmx.expand_dims(A, axis=4), 4, 4),
    "expand_dims of two": (lambda: usmx.expand_dims(A, axis=(0, 5)), 5, 5),
    "unstack": (lambda: usmx.unstack(A, axis=3), 3, 3),
    "unstack of one element": (lambda: usmx.unstack(usmx.empty(())), 0, 0),
    "stack": (lambda: usmx.stack([A, A], axis=4), 4, 4),
    "concat": (lambda: usmx.concat([A, A], axis=-4), -4, 3),
    "roll": (lambda: usmx.roll(A, 1, axis=3), 3, 3),
    "repeat": (lambda: usmx.repeat(A, 2, axis=3), 3, 3),
    "transpose": (lambda: A.transpose(0, 1, -4), -4, 3),
}


@pytest.mark.parametrize("case", OF_A_MISSING_AXIS)
def test_missing_axis_is_numpys_error_and_named(case):
    call, axis, ndim = OF_A_MISSING_AXIS[case]
    with pytest.raises(AxisError, match=rf"axis {axis} is out of bounds .* dimension {ndim}$"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: usmx.permute_dims(A, (0, 0, 1)),
        lambda: usmx.moveaxis(A, (0, -3), (0, 1)),
        lambda: usmx.moveaxis(A, (0, 1), (1, 1)),
        lambda: usmx.flip(A, axis=(1, 1)),
        lambda: usmx.squeeze(A[:1], (0, 0)),
        lambda: usmx.expand_dims(A, axis=(0, 0)),
    ],
)
def test_repeated_axis_is_a_value_error(call):
    with pytest.raises(ValueError, match="repeated axis"):
        call()


@pytest.mark.parametrize("axes", [(), (0, 1), (0, 1, 2, 0), 0])
def test_permutation_names_every_axis(axes):
    with pytest.raises(ValueError, match="each of the 3 dimensions once"):
        usmx.permute_dims(A, axes)


def test_moving_needs_as_many_places_as_axes():
    with pytest.raises(ValueError, match=r"same number of elements, found \(0,\) and \(1, 2\)"):
        usmx.moveaxis(A, 0, (1, 2))


@pytest.mark.parametrize("axis", [1.0, "0", (0.0,), b"0", {0: 1}])
def test_axes_are_integers(axis):
    for function in (usmx.flip, usmx.expand_dims):
        with pytest.raises(TypeError):
            function(A, axis=axis)
    with pytest.raises(TypeError):
        usmx.squeeze(A, axis)
    with pytest.raises(TypeError):
        usmx.swapaxes(A, 0, axis)


def test_missing_axis_without_numpy_has_the_same_bases():
    code = """
import sys
sys.modules["numpy"] = None
import usmx
from usmx import _core
a = usmx.empty((2, 3))
try:
    usmx.flip(a, axis=2)
except ValueError as error:
    print(isinstance(error, IndexError), type(error).__name__, error)
print(usmx.reshape(a.T, 6).shape, a.transpose().shape, usmx.tile(a, 2).shape)
"""
    assert output_of(code).splitlines() == [
        "True AxisError axis 2 is out of bounds for array of dimension 2",
        "(6,) (3, 2) (2, 6)",
    ]


def test_rule_of_conversions_that_there_is_not_is_refused_whatever_the_types():
    for join in (usmx.concat, usmx.stack, usmx.hstack):
        with pytest.raises(ValueError, match="casting must be one of .* found 'same_value'"):
            join([usmx.zeros(2), usmx.zeros(2)], casting="same_value")


# ---- broadcasting


@given(st.data(), pairs(max_dims=4))
def test_broadcast_view_is_numpys(data, pair):
    shape = [data.draw(st.integers(0, 3)) if n == 1 else n for n in pair.numpys.shape]
    shape = (*data.draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)), *shape)
    mine = usmx.broadcast_to(pair.mine, shape)
    assert_same_view(mine, np.broadcast_to(pair.numpys, shape), pair)
    assert not mine.flags.writable


@given(st.data(), pairs(max_dims=4))
def test_broadcast_arrays_have_numpys_shape(data, pair):
    dropped = data.draw(st.integers(0, pair.numpys.ndim)) if pair.numpys.size > 0 else 0
    key = [data.draw(st.sampled_from([np.s_[:], np.s_[:1]])) for _ in pair.numpys.shape[dropped:]]
    other = pair.changed(lambda a: a[(*(0,) * dropped, *key, ...)])
    mine = usmx.broadcast_arrays(pair.mine, other.mine, pair.mine)
    expected = np.broadcast_arrays(pair.numpys, other.numpys, pair.numpys)
    for result, numpys, source in zip(mine, expected, (pair, other, pair), strict=True):
        assert_same_elements(result, numpys)
        unchanged = source.mine.shape == numpys.shape
        assert (result is source.mine) == unchanged
        assert result.flags.writable == (unchanged and source.mine.flags.writable)


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [((3,), (4,)), ((3,), ()), ((0,), (1,)), ((1, 2), (2, 1)), ((3,), (2,)), ((1,), -1), ((3,), 1)],
)
def test_shape_that_cannot_be_broadcast_is_a_value_error(shape, wanted):
    with pytest.raises(ValueError, match=r"broadcast shape|negative"):
        usmx.broadcast_to(usmx.empty(shape), wanted)


@pytest.mark.parametrize(("typestr", "size"), [("|u1", 2**63 - 1), ("<f8", 2**60 - 1)])
def test_broadcast_view_has_no_more_bytes_than_can_be_counted(typestr, size):
    one = usmx.zeros(1, dtype=typestr, usm_type="shared")
    many = usmx.broadcast_to(one, size)
    assert many.nbytes == size * one.itemsize == memoryview(many).nbytes
    with pytest.raises(ValueError, match=f"{size + 1}"):
        usmx.broadcast_to(one, size + 1)


def test_arrays_that_cannot_be_broadcast_are_named_by_shape():
    with pytest.raises(ValueError, match=r"\(2, 3\), \(4,\).* axis -1 has sizes 3 and 4"):
        usmx.broadcast_arrays(usmx.empty((2, 3)), usmx.empty(4))
    with pytest.raises(ValueError, match="at least one array"):
        usmx.broadcast_arrays()


# ---- joining


@given(st.data(), pairs(min_dims=1, max_dims=4, typestrs=TYPESTRS))
def test_concatenated_arrays_are_numpys(data, pair):
    axis = data.draw(axes_of(pair))
    before = (slice(None),) * (axis % pair.numpys.ndim)
    parts = [pair]
    for key in data.draw(st.lists(st.sampled_from(SLICES), max_size=3)):
        parts.append(pair.changed(lambda a, key=key: a[(*before, key)]))
    mine = usmx.concat([part.mine for part in parts], axis=axis)
    numpys = [part.numpys for part in parts]
    assert_new(mine, np.concatenate(numpys, axis=axis), pair.mine)
    flat = usmx.concat(tuple(part.mine for part in parts), axis=None)
    assert_new(flat, np.concatenate(numpys, axis=None), pair.mine)


@given(st.data(), pairs(max_dims=4, typestrs=TYPESTRS))
def test_stacked_arrays_are_numpys(data, pair):
    ndim = pair.numpys.ndim + 1
    axis = data.draw(st.integers(-ndim, ndim - 1))
    count = data.draw(st.integers(1, 3))
    mine = usmx.stack([pair.mine] * count, axis=axis)
    assert_new(mine, np.stack([pair.numpys] * count, axis=axis), pair.mine)


@pytest.mark.parametrize(
    "arrays",
    [
        list,
        lambda: usmx.ones((2, 3)),
        lambda: iter([usmx.ones(2)]),
        lambda: [usmx.ones(2), [1, 2]],
        lambda: [usmx.ones(2), usmx.ones(2, "f4")],
        lambda: [usmx.ones(2), usmx.ones(2, usm_type="shared")],
        lambda: [usmx.ones(2), usmx.ones(2, sycl_queue=usmx.SyclQueue())],
        lambda: [usmx.ones((2, 1)), usmx.ones(2)],
        lambda: [usmx.ones((1,) * 64)],
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_joins_of_arrays_that_are_not_alike_are_left_to_the_package(arrays, is_new):
    assert _core._joined(arrays(), 0, is_new) is None


def test_joined_extents_that_overflow_are_refused():
    wide = usmx.broadcast_to(usmx.ones(1, "u1"), (2**62,))
    with pytest.raises(ValueError, match="does not fit ptrdiff_t"):
        usmx.concat([wide, wide])


def test_arrays_of_one_element_are_joined():
    element = pair_of(()).mine
    assert usmx.concat([element, element], axis=None).shape == (2,)
    with pytest.raises(TypeError):
        usmx.stack([element, element], axis=None)
    assert usmx.stack([element, element]).shape == (2,)


@pytest.mark.parametrize("function", [usmx.concat, usmx.stack])
@pytest.mark.parametrize(
    ("typestrs", "expected"),
    [(("|b1", "<i4"), "<i4"), (("|i1", "|u1"), "<i2"), (("<f4", "<c8"), "<c8")],
)
def test_different_elements_are_converted_to_the_type_of_the_result(function, typestrs, expected):
    values = [np.array([0, 1, 1]).astype(typestr) for typestr in typestrs]
    mine = function([usmx.asarray(value) for value in values])
    assert mine.dtype == expected
    numpys = {usmx.concat: np.concatenate, usmx.stack: np.stack}[function](values)
    assert_same_elements(mine, numpys)


@pytest.mark.parametrize("function", [usmx.concat, usmx.stack])
def test_kind_of_the_result_follows_the_data(function):
    def joined(*kinds):
        return function([usmx.empty(3, usm_type=kind) for kind in kinds]).usm_type

    assert joined("host", "host") == "host"
    assert joined("host", "shared") == "shared"
    assert joined("shared", "device", "host") == "device"


@pytest.mark.parametrize("function", [usmx.concat, usmx.stack])
def test_arrays_on_different_queues_are_not_joined(function):
    a, b = (usmx.empty(3, sycl_queue=usmx.SyclQueue()) for _ in range(2))
    with pytest.raises(usmx.ExecutionPlacementError):
        function([a, b])
    assert function([a, a]).sycl_queue == a.sycl_queue


@pytest.mark.parametrize("function", [usmx.concat, usmx.stack])
def test_arrays_are_a_list_or_tuple_of_usm_arrays(function):
    a = usmx.empty(3)
    for wrong in ([np.zeros(3)], ["ab"], None, iter([a])):
        with pytest.raises(TypeError):
            function(wrong)
    for none in ([], ()):
        with pytest.raises(ValueError, match="at least one array"):
            function(none)


@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((2, 3), (2, 4)), ((0, 3), (0, 2))])
def test_shapes_that_do_not_fit_are_named(shapes):
    arrays = [usmx.empty(shape) for shape in shapes]
    for function in (usmx.concat, usmx.stack):
        with pytest.raises(ValueError, match=r"found .*\(\d, 3\) of array 0 and .*of array 1"):
            function(arrays)


# ---- repeating and rolling


@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "c16", "?"])
def test_one_kernel_for_each_axis_rolls_as_on_gpus(dtype):
    x = np.arange(2 * 5 * 7).reshape(2, 5, 7).astype(dtype)
    for axis, extent in enumerate(x.shape):
        for cut in range(1, extent):
            rolled = manipulation._rolled_at_once(usmx.asarray(x), [(axis, cut)])
            assert np.array_equal(usmx.asnumpy(rolled), np.roll(x, cut, axis))
    rolled = manipulation._rolled_at_once(usmx.asarray(x), [(0, 1), (2, 3), (1, 4)])
    assert np.array_equal(usmx.asnumpy(rolled), np.roll(x, (1, 4, 3), (0, 1, 2)))


@pytest.mark.slow
@given(st.data(), pairs(max_dims=4, typestrs=TYPESTRS))
def test_rolled_array_is_numpys(data, pair):
    shifts = st.integers(-9, 9) | st.sampled_from([2**70, -(2**63)])
    shift = data.draw(st.integers(-30, 30))
    assert_new(usmx.roll(pair.mine, shift), np.roll(pair.numpys, shift), pair.mine)
    if pair.numpys.ndim > 0:
        axes = data.draw(st.lists(axes_of(pair), min_size=1, max_size=6))
        each = tuple(data.draw(st.integers(-9, 9)) for _ in axes)
        expected = np.roll(pair.numpys, each, tuple(axes))
        assert_new(usmx.roll(pair.mine, each, axis=tuple(axes)), expected, pair.mine)
        expected = np.roll(pair.numpys, shift, tuple(axes))
        assert_new(usmx.roll(pair.mine, shift, axis=axes), expected, pair.mine)
        far = data.draw(shifts)
        n = pair.numpys.shape[0] or 1
        expected = np.roll(pair.numpys, far % n, 0)
        assert_new(usmx.roll(pair.mine, far, axis=0), expected, pair.mine)


def test_many_axes_are_rolled():
    pair = pair_of((2,) * 12)
    expected = np.roll(pair.numpys, 1, range(12))
    assert_new(usmx.roll(pair.mine, 1, axis=tuple(range(12))), expected, pair.mine)


@pytest.mark.parametrize(("shift", "axis"), [(1, ()), ((), 0), ((), ())])
def test_no_shift_or_axis_rolls_nothing(shift, axis):
    pair = pair_of((2, 3))
    assert_new(usmx.roll(pair.mine, shift, axis=axis), pair.numpys, pair.mine)


def test_shifts_and_axes_go_together():
    with pytest.raises(ValueError, match="same length, found 3 and 2"):
        usmx.roll(A, (1, 2, 3), axis=(0, 1))
    for shift in (1.5, "1", None, (1, 2.5)):
        with pytest.raises(TypeError):
            usmx.roll(A, shift)


@given(st.data(), pairs(max_dims=4, typestrs=TYPESTRS))
def test_repeated_elements_are_numpys(data, pair):
    count = data.draw(st.integers(0, 3))
    assert_new(usmx.repeat(pair.mine, count), np.repeat(pair.numpys, count), pair.mine)
    if pair.numpys.ndim > 0:
        axis = data.draw(axes_of(pair))
        expected = np.repeat(pair.numpys, count, axis)
        assert_new(usmx.repeat(pair.mine, count, axis=axis), expected, pair.mine)
        n = pair.numpys.shape[axis]
        counts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        expected = np.repeat(pair.numpys, np.array(counts, "i8"), axis)
        given = usmx.asarray(np.array(counts, "i8"), sycl_queue=pair.mine.sycl_queue)
        for repeats in (counts, tuple(counts), np.array(counts, "i4"), given):
            assert_new(usmx.repeat(pair.mine, repeats, axis=axis), expected, pair.mine)


def test_each_index_of_a_long_axis_has_its_count():
    host = np.arange(20_000)
    counts = host % 3
    mine = usmx.repeat(usmx.asarray(host), counts)
    assert np.array_equal(usmx.asnumpy(mine), np.repeat(host, counts))


@pytest.mark.parametrize("repeats", [2, np.int8(2), np.array(2), [2], (2,), np.array([2])])
def test_one_count_is_for_all(repeats):
    pair = pair_of((2, 3))
    assert_new(usmx.repeat(pair.mine, repeats), np.repeat(pair.numpys, 2), pair.mine)
    queue = pair.mine.sycl_queue
    array = usmx.asarray(np.array(repeats), usm_type="host", sycl_queue=queue)
    assert_new(usmx.repeat(pair.mine, array), np.repeat(pair.numpys, 2), pair.mine)


def test_wrong_counts_are_refused():
    a = usmx.empty((2, 3))
    for repeats in (-1, [1, -2], [1, 2, 3], []):
        with pytest.raises(ValueError, match=r"must not be negative, found -|count for each of 2"):
            usmx.repeat(a, repeats, axis=0)
    with pytest.raises(ValueError, match="at most 1 dimension, found 2"):
        usmx.repeat(a, usmx.zeros((1, 2), "i4"), axis=0)
    for repeats in (1.5, [1.5, 2], "ab", None, {0: 1, 1: 2}, usmx.zeros(2, "f4"), np.ones(2)):
        with pytest.raises(TypeError):
            usmx.repeat(a, repeats, axis=0)
    with pytest.raises(usmx.ExecutionPlacementError):
        usmx.repeat(a, usmx.zeros(2, "i4", sycl_queue=usmx.SyclQueue()), axis=0)


@given(st.data(), pairs(max_dims=4, typestrs=TYPESTRS))
def test_tiled_array_is_numpys(data, pair):
    counts = tuple(data.draw(st.lists(st.integers(0, 3), max_size=5)))
    assert_new(usmx.tile(pair.mine, counts), np.tile(pair.numpys, counts), pair.mine)
    assert_new(usmx.tile(pair.mine, list(counts)), np.tile(pair.numpys, counts), pair.mine)
    assert_new(usmx.tile(pair.mine, 2), np.tile(pair.numpys, 2), pair.mine)


def test_arrays_of_many_dimensions_are_repeated():
    deep = usmx.reshape(usmx.arange(2), (1,) * 63 + (2,))
    assert usmx.repeat(deep, 2, axis=0).reshape(-1).tolist() == [0, 1, 0, 1]
    assert usmx.repeat(deep, 2, axis=-1).reshape(-1).tolist() == [0, 0, 1, 1]
    assert usmx.tile(deep, 2).reshape(-1).tolist() == [0, 1, 0, 1]
    assert usmx.tile(usmx.arange(2), (1,) * 40).shape == (1,) * 39 + (2,)
    with pytest.raises(ValueError, match="at most 64"):
        usmx.tile(deep, (1,) * 65)


@pytest.mark.parametrize("count", [2**62, 2**63, 2**70])
def test_too_many_repetitions_are_refused(count):
    for call in (usmx.tile, usmx.repeat):
        with pytest.raises(ValueError, match=r"64 bits|does not fit|bytes"):
            call(usmx.ones(3), count)


def test_wrong_repetitions_are_refused():
    a = usmx.empty(3)
    with pytest.raises(ValueError, match=r"must not be negative, found \(2, -1\)"):
        usmx.tile(a, (2, -1))
    for repetitions in (1.5, [2.0], "2", None, (1.5,)):
        with pytest.raises(TypeError):
            usmx.tile(a, repetitions)


# ---- all functions


NAMES = """reshape permute_dims moveaxis swapaxes matrix_transpose flip roll squeeze expand_dims
broadcast_to broadcast_arrays stack concat unstack repeat tile""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", NAMES)
def test_calls_of_dpnps_functions_are_taken(name):
    assert_takes_calls_of(getattr(usmx, name), getattr(dpnp.tensor, name))


ARGUMENTS = {
    "reshape": [(3,)],
    "permute_dims": [(0,)],
    "moveaxis": [0, 0],
    "swapaxes": [0, 0],
    "roll": [1],
    "broadcast_to": [(3,)],
    "repeat": [2],
    "tile": [2],
}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        pytest.param(name, wrong, id=f"{wrong!r}-{name}")
        for name in NAMES
        for wrong in (np.zeros(3), None, "abc")
    ],
)
def test_other_objects_are_refused(name, wrong):
    with pytest.raises(
        TypeError, match="__sycl_usm_array_interface__|arrays must be a list, a tuple"
    ):
        getattr(usmx, name)(wrong, *ARGUMENTS.get(name, []))


@pytest.mark.parametrize("kind", KINDS)
def test_structured_elements_are_moved_as_they_are(kind):
    host = np.zeros(3, [("a", "i1"), ("b", "<f8", (2,))])
    host["a"], host["b"] = [1, 2, 3], [[1, 2], [3, 4], [5, 6]]
    a = usmx.asarray(host, usm_type=kind)
    for mine, expected in (
        (usmx.concat([a, a]), np.concatenate([host, host])),
        (usmx.stack([a, a]), np.stack([host, host])),
        (usmx.roll(a, 1), np.roll(host, 1)),
        (usmx.repeat(a, 2), np.repeat(host, 2)),
        (usmx.tile(a, (2, 1)), np.tile(host, (2, 1))),
        (usmx.reshape(usmx.flip(a), (3, 1), copy=True), host[::-1].reshape(3, 1)),
    ):
        assert_same_elements(mine, expected)


@pytest.mark.parametrize("ndim", [32, 64])
def test_many_dimensions(ndim):
    pair = pair_of((2, *(1,) * (ndim - 2), 3))
    for function in (
        lambda module, a: module.flip(a),
        lambda module, a: module.moveaxis(a, 0, -1),
        lambda module, a: module.squeeze(a),
        lambda module, a: module.roll(a, 1, axis=-1),
        lambda module, a: module.repeat(a, 2, axis=-1),
        lambda module, a: module.tile(a, 2),
        lambda module, a: module.concat([a, a], axis=-1),
        lambda module, a: module.reshape(module.flip(a), (3, *(1,) * (ndim - 2), 2)),
    ):
        assert_same_elements(function(usmx, pair.mine), function(np, pair.numpys))


def test_more_than_64_dimensions_are_refused():
    a = usmx.empty((1,) * 64)
    for function in (usmx.expand_dims, lambda a: usmx.stack([a, a])):
        with pytest.raises(IndexError, match="at most 64 dimensions, found 65"):
            function(a)
    for function in (usmx.broadcast_to, usmx.reshape, usmx.tile):
        with pytest.raises(ValueError, match="64"):
            function(a, (1,) * 65)


# ---- methods


def test_methods_take_a_shape_in_pieces():
    a = pair_of((2, 6)).mine
    assert a.reshape(3, 4).shape == a.reshape((3, 4)).shape == a.reshape([3, -1]).shape == (3, 4)
    assert a.reshape(12).shape == a.reshape(-1).shape == (12,)
    assert a.reshape(3, 4, order="F").strides == (1, 3)
    assert a.reshape(3, 4, copy=True).base is not a.base
    assert usmx.empty(()).reshape().shape == ()
    with pytest.raises(ValueError, match="copy=False cannot be met"):
        a.T.reshape(12, copy=False)
    assert pair_of((2, 3, 4)).mine.transpose(2, 0, 1).shape == (4, 2, 3)


@given(pairs(), st.sampled_from("CFAK"))
def test_flat_arrays_are_numpys(pair, order):
    raveled = pair.mine.ravel(order)
    there = pair.numpys.ravel(order)
    assert_same_elements(raveled, there)
    assert raveled.flags.c_contiguous
    if there.size > 1:
        assert (raveled.base is pair.mine.base) == np.shares_memory(there, pair.numpys)
    flat = pair.mine.flatten(order=order)
    assert_same_elements(flat, pair.numpys.flatten(order))
    assert flat.base is not pair.mine.base
    assert flat.flags.writable


def test_methods_of_an_unready_instance_are_refused():
    class Half(usmx.USMArray):
        def __init__(self):
            pass

    half = Half()
    for call in (half.reshape, half.transpose, half.squeeze, half.ravel, half.view):
        with pytest.raises(TypeError, match="never called"):
            call()


@pytest.mark.parametrize("axes", [(2, 0, 1), (1, 0, 2), (0, 1, 2)])
@pytest.mark.parametrize("repeated", [0, 1, 2])
@pytest.mark.parametrize("order", ["K", "A"])
def test_flat_arrays_of_repeated_elements_are_numpys(axes, repeated, order):
    host = np.arange(24).reshape(2, 3, 4).transpose(axes)
    one = tuple(slice(1) if k == repeated else slice(None) for k in range(3))
    numpys = np.broadcast_to(host[one], host.shape)
    mine = usmx.permute_dims(usmx.reshape(usmx.arange(24), (2, 3, 4)), axes)
    mine = usmx.broadcast_to(mine[one], host.shape)
    assert np.array_equal(usmx.asnumpy(mine.ravel(order)), numpys.ravel(order))
    assert np.array_equal(usmx.asnumpy(mine.flatten(order)), numpys.flatten(order))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda a: usmx.rot90(a, axes=1.5), "axes"),
        (lambda a: usmx.rot90(a, axes="xy"), "axes"),
        (lambda a: usmx.diag(a, 1.5), "k"),
        (lambda a: usmx.diagonal(a, axis1=1.5), "axis1"),
        (lambda a: usmx.diagonal(a, axis2="x"), "axis2"),
        (lambda a: usmx.vstack(3), "tup"),
        (lambda a: usmx.hstack(3), "tup"),
        (lambda a: usmx.column_stack(3), "tup"),
        (lambda a: usmx.concat(3), "arrays"),
        (lambda a: usmx.clip(a, "x", 1), "clip: min"),
        (lambda a: usmx.clip(a, max=object()), "clip: max"),
        (lambda a: usmx.argmax(usmx.zeros((1, 200_000)), axis=1.5), "'axis'"),
        (lambda a: usmx.argmax(usmx.zeros((1, 200_000)), axis="x"), "'axis'"),
    ],
)
def test_errors_name_the_parameter_that_the_caller_wrote(call, named):
    with pytest.raises(TypeError, match=f"^{named} must be "):
        call(usmx.ones((2, 3)))


@pytest.mark.parametrize("shape", [(3,), (1,), (3, 4), (4, 2, 3), (2, 1, 3, 2), (0, 3), (3, 0)])
@pytest.mark.parametrize(
    "name", ["concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"]
)
def test_rows_of_an_array_are_joined_as_those_of_a_list(name, shape):
    host = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    for of in (lambda a: a, lambda a: a[::-1], lambda a: a.swapaxes(0, -1)):
        mine, numpys = of(usmx.asarray(host)), of(host)
        has_axis = name in ("concatenate", "stack")
        for axis in range(-len(shape) - 1, len(shape) + 1) if has_axis else [None]:
            where = {} if axis is None else {"axis": axis}
            try:
                expected = getattr(np, name)(list(numpys), **where)
            except ValueError as error:  # AxisError among them
                with pytest.raises(type(error)):
                    getattr(usmx, name)(mine, **where)
                continue
            found = getattr(usmx, name)(mine, **where)
            assert found.flags.c_contiguous
            np.testing.assert_array_equal(usmx.asnumpy(found), expected, strict=True)


def test_joined_rows_are_new_memory_of_their_kind():
    array = usmx.zeros((2, 3), usm_type="host")
    made = usmx.vstack(array)
    made[0] = 1
    assert made.usm_type == "host"
    assert not usmx.any(array)


def test_elements_of_alike_arrays_are_joined_in_one_dimension():
    host = np.arange(12).reshape(3, 4)
    a = usmx.asarray(host)
    for found, expected in (
        (usmx.concat([a, a.T], axis=None), np.concatenate([host, host.T], axis=None)),
        (usmx.concat(a, axis=None), np.concatenate(host, axis=None)),
        (usmx.append(a, a[0]), np.append(host, host[0])),
        (usmx.append(a, a, 1), np.append(host, host, 1)),
        (usmx.append(a, [7, 8]), np.append(host, [7, 8])),
        (usmx.append(a, 2.5), np.append(host, 2.5)),
    ):
        np.testing.assert_array_equal(usmx.asnumpy(found), expected, strict=True)
