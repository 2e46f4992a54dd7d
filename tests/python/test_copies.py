"""Copies between arrays of any type and layout, to and from the host, and filling."""

import itertools
import warnings

import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from usmx import _core

PAIRS = tuple(itertools.product(TYPESTRS, TYPESTRS))


def filled(values, kind="device"):
    """An array with these values, whatever their layout."""
    return usmx.asarray(np.array(values, order="C"), usm_type=kind)


def interesting(typestr):
    """Values at the edges of a type, in an order of no symmetry."""
    dtype = np.dtype(typestr)
    if dtype.kind == "b":
        return np.array([True, False, True, True], dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 100, info.max, info.min, info.max - 1, info.max // 3], dtype)
    real = np.array([0.0, -0.0, 1.0, -1.5, 0.1, 65504, 100.75, 6e-8, 3e-5, 1e-7], dtype)
    edges = np.array([np.inf, -np.inf, np.nan], dtype)
    info = np.finfo(dtype)
    limits = np.array([info.max, info.min, info.tiny, info.smallest_subnormal, info.eps], dtype)
    values = np.concatenate([real, edges, limits])
    if dtype.kind == "c":
        values = np.stack([values.real, values.real[::-1]], -1).view(dtype)[:, 0]
    return values


def only_defined(values, typestr):
    """Those values whose conversion has one right result."""
    if np.dtype(typestr).kind not in "iu" or values.dtype.kind not in "fc":
        return values
    info = np.iinfo(typestr)
    real = np.trunc(values.real.astype("f8"))
    # The largest integer below both limits that a double holds.
    return values[(real >= float(info.min)) & (real < float(2 ** (info.max.bit_length())))]


def converted(values, typestr):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        return values.astype(typestr)


def same(array, expected):
    """Same values, NaN of any payload being the same."""
    found = usmx.asnumpy(array)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    if expected.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


# ---- conversions


@pytest.mark.parametrize(("source", "destination"), PAIRS)
def test_values_are_converted_as_numpy_converts_them(source, destination):
    values = only_defined(interesting(source), destination)
    expected = converted(values, destination)
    result = usmx.empty(values.shape, destination)
    _core._copy(filled(values), result)
    same(result, expected)


@pytest.mark.parametrize("typestr", [t for t in TYPESTRS if np.dtype(t).kind in "iu"])
@pytest.mark.parametrize("source", ["<f2", "<f4", "<f8", "<c8", "<c16"])
def test_floats_that_no_integer_can_hold_are_converted_without_a_trap(source, typestr):
    values = converted(np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 5.0]), source)
    result = usmx.zeros(6, typestr)
    _core._copy(filled(values), result)
    assert usmx.asnumpy(result)[-1] == 5


def test_double_is_rounded_to_half_once():
    # Just above the middle between 1 and the next half; a float in between would round to even.
    value = 1 + 2**-11 + 2**-40
    result = usmx.empty(2, "f2")
    _core._copy(filled(np.array([value, -value])), result)
    assert usmx.asnumpy(result).tolist() == [1 + 2**-10, -1 - 2**-10]


def test_every_half_survives_wider_types():
    halves = np.arange(2**16, dtype="u2").view("f2")
    for wider in ("f4", "f8", "c8", "c16"):
        wide = usmx.empty(2**16, wider)
        back = usmx.empty(2**16, "f2")
        _core._copy(filled(halves), wide)
        same(wide, halves.astype(wider))
        _core._copy(wide, back)
        same(back, halves)


@given(st.lists(st.floats(width=64), min_size=1, max_size=50))
@settings(max_examples=100)
def test_doubles_are_rounded_as_numpy_rounds_them(values):
    values = np.array(values)
    for typestr in ("f2", "f4"):
        result = usmx.empty(values.shape, typestr)
        _core._copy(filled(values), result)
        same(result, converted(values, typestr))


def test_any_byte_but_zero_is_true():
    raw = np.array([0, 1, 2, 255], "u1").view("?")
    for typestr in TYPESTRS[1:]:
        result = usmx.empty(4, typestr)
        _core._copy(filled(raw), result)
        assert usmx.asnumpy(result).tolist() == [0, 1, 1, 1]


def test_structured_elements_are_copied_to_their_own_type_only():
    typed = np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f8")])
    result = usmx.zeros(2, typed.dtype)
    _core._copy(filled(typed), result)
    assert usmx.asnumpy(result).tolist() == typed.tolist()
    with pytest.raises(ValueError, match="element type float64, found T{"):
        _core._copy(filled(typed), usmx.zeros(2, "f8"))


# ---- layouts


@st.composite
def indices(draw, shape):
    """Slices that cut a view of `shape` out of the larger shape that is returned with them."""
    steps = draw(st.tuples(*[st.sampled_from([1, 2, -1, -3]) for _ in shape]))
    larger = tuple(n * abs(step) for n, step in zip(shape, steps, strict=True))
    return larger, (..., *(slice(None, None, step) for step in steps))


@given(st.data(), st.sampled_from(PAIRS), st.sampled_from(KINDS), st.sampled_from(KINDS))
@settings(max_examples=150, deadline=None)
def test_copy_between_any_layouts_is_what_numpy_does(data, types, source_kind, destination_kind):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    from_shape, from_index = data.draw(indices(shape))
    to_shape, to_index = data.draw(indices(shape[::-1]))
    values = (np.arange(np.prod(from_shape, dtype=int)) % 100).reshape(from_shape).astype(types[0])
    expected = np.zeros(to_shape, types[1])
    expected[to_index].T[...] = converted(values[from_index], types[1])
    result = usmx.zeros(to_shape, types[1], usm_type=destination_kind)
    _core._copy(filled(values, source_kind)[from_index], result[to_index].transpose())
    same(result, expected)


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        ((), (3, 4)),
        ((4,), (3, 4)),
        ((3, 1), (3, 4)),
        ((1, 4), (2, 3, 4)),
        ((0,), (2, 0)),
    ],
)
def test_source_is_repeated_to_the_shape_of_the_destination(source, destination):
    values = np.arange(np.prod(source, dtype=int), dtype="i4").reshape(source)
    result = usmx.zeros(destination, "f4")
    _core._copy(filled(values), result)
    same(result, np.broadcast_to(values, destination).astype("f4"))


def test_shapes_that_do_not_fit_are_refused_and_named():
    with pytest.raises(ValueError, match=r"\(2, 3\) to \(3, 2\)"):
        _core._copy(usmx.zeros((2, 3)), usmx.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"\(1,\) to \(\)"):
        _core._copy(usmx.zeros(1), usmx.zeros(()))


def test_overlapping_views_are_copied_as_if_the_source_had_been_copied_first():
    for kind in KINDS:
        values = np.arange(20, dtype="i8")
        array = filled(values, kind)
        _core._copy(array[:-1], array[1:])
        same(array, np.concatenate([[0], values[:-1]]))
        _core._copy(array[::-1], array)
        same(array, np.concatenate([[0], values[:-1]])[::-1])


def test_read_only_destination_is_refused():
    array = usmx.zeros(3)
    for act in (
        lambda: _core._copy(array, array.readonly()),
        lambda: _core._fill(array.readonly(), 1),
        lambda: _core._copy_from_host(array.readonly(), np.ones(3)),
    ):
        with pytest.raises(ValueError, match="read-only"):
            act()
    assert usmx.asnumpy(array).tolist() == [0, 0, 0]


# ---- to and from the host


@given(st.sampled_from(PAIRS), st.integers(1, 5), st.integers(-40, 40), st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_host_buffers_may_have_any_type_and_strides(pair, count, stride, start):
    source_type, destination_type = pair
    itemsize = np.dtype(source_type).itemsize
    if 0 < abs(stride) < itemsize:
        stride += itemsize if stride > 0 else -itemsize
    span = (count - 1) * abs(stride) + itemsize
    raw = np.zeros(span + start, "u1")
    first = start if stride >= 0 else start + (count - 1) * -stride
    host = np.ndarray((count,), source_type, raw.data, first, (stride,))
    host[...] = np.arange(1, count + 1).astype(source_type)
    array = usmx.empty(count, destination_type)
    _core._copy_from_host(array, host)
    same(array, converted(np.array(host), destination_type))
    back = np.ndarray((count,), source_type, raw.data, first, (stride,))
    before = raw.copy()
    if stride != 0:
        _core._copy_to_host(array, back)
        expected = converted(usmx.asnumpy(array), source_type)
        np.testing.assert_array_equal(np.array(back), expected)
        back[...] = np.ndarray((count,), source_type, before.data, first, (stride,))
        np.testing.assert_array_equal(raw, before)  # nothing in between was written


def test_host_buffer_of_foreign_byte_order_is_refused():
    with pytest.raises(ValueError, match="'>d' of 8 bytes"):
        _core._copy_from_host(usmx.zeros(2), np.zeros(2, ">f8"))


@pytest.mark.parametrize("host", [np.zeros(2, object), np.zeros(2, "S3"), np.zeros(2, "g")])
def test_host_buffer_without_a_plain_type_is_refused(host):
    with pytest.raises(ValueError, match="host buffer must have elements"):
        _core._copy_from_host(usmx.zeros(2), host)


def test_host_buffer_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"\(2,\), found \(3,\)"):
        _core._copy_from_host(usmx.zeros(2), np.zeros(3))


def test_read_only_host_buffer_is_no_destination():
    target = np.zeros(2)
    target.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        _core._copy_to_host(usmx.zeros(2), target)


# ---- filling


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize(
    "scalar", [True, False, 0, 1, 100, np.uint8(7), np.float32(2.5), np.array(3, "i2"), 2.75]
)
def test_fill_sets_every_element_and_no_other(kind, typestr, scalar):
    base = usmx.zeros((4, 6), typestr, usm_type=kind)
    expected = np.zeros((4, 6), typestr)
    expected[1:3, ::-2] = scalar
    _core._fill(base[1:3, ::-2], scalar)
    same(base, expected)


@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize(
    "scalar",
    [
        -1,
        300,
        2**31,
        2**63,
        2**64,
        2**2000,
        300.5,
        -1.5,
        1e30,
        float("inf"),
        float("nan"),
        "x",
        None,
        1j,
        [1],
        {},
        b"1",
        -(2**63),
        -(2**63) - 1,
    ],
)
def test_numbers_that_numpy_refuses_are_refused_and_others_become_what_numpy_makes(typestr, scalar):
    expected = np.zeros((), typestr)
    array = usmx.zeros((), typestr)
    error = None
    with np.errstate(all="ignore"):
        try:
            expected[...] = scalar
        except (OverflowError, TypeError, ValueError) as e:
            error = type(e)
    if error is None:
        with np.errstate(all="ignore"):
            array[...] = scalar
        same(array, expected)
    else:
        with pytest.raises(error):
            array[...] = scalar
        same(array, np.zeros((), typestr))


def test_python_integer_out_of_bounds_is_named():
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        _core._fill(usmx.zeros(2, "u1"), 300)


def test_structured_elements_are_filled_by_a_tuple():
    array = usmx.zeros(3, [("a", "i4"), ("b", "f8")])
    _core._fill(array[1:], (7, 0.5))
    assert usmx.asnumpy(array).tolist() == [(0, 0), (7, 0.5), (7, 0.5)]


def test_array_without_dimensions_fills_another():
    array = usmx.zeros((2, 2), "i4")
    _core._fill(array, filled(np.array(5.5)))
    assert usmx.asnumpy(array).tolist() == [[5, 5], [5, 5]]


def test_fill_of_no_elements_changes_nothing():
    array = usmx.zeros(3)
    _core._fill(array[3:], 1)
    assert usmx.asnumpy(array).tolist() == [0, 0, 0]


@pytest.mark.parametrize("shift", [0, 1, 8, 15, 16, -1])
def test_row_beside_its_source_modulo_a_page_is_copied_whole(shift):
    host = np.random.default_rng(187).integers(1, 256, 16384, "u1")
    for nbytes in (1, 63, 64, 65, 1000, 6001):
        memory, expected = usmx.asarray(host), host.copy()
        memory[8192 + shift : 8192 + shift + nbytes] = memory[:nbytes]
        expected[8192 + shift : 8192 + shift + nbytes] = host[:nbytes]
        assert np.array_equal(usmx.asnumpy(memory), expected)
