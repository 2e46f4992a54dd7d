"""Assigning to elements: what is written is what NumPy writes, and nothing else."""

import array
import re
import warnings

import dpnp
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, examples, producer_of
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import RECORD, _dressed, arrays, keys, numbered, on_host, outcome


@pytest.fixture(params=KINDS)
def pair(request):
    numpys = numbered((3, 4, 5), "i4")
    return usmx.asarray(numpys, usm_type=request.param), numpys.copy()


@st.composite
def values(draw, shape, dtype):
    """A scalar, or elements that can mostly be repeated to that shape."""
    if dtype != RECORD and draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from((1, True, 0.5, np.float32(2.5), np.int8(3), np.array(7))))
    kept = [extent if draw(st.integers(0, 5)) else 1 for extent in shape]
    kept = kept[draw(st.integers(0, len(kept))) if draw(st.booleans()) else 0 :]
    kept = [1, *kept] if draw(st.integers(0, 8)) == 0 else kept
    kept = [*kept, 3] if draw(st.integers(0, 20)) == 0 else kept
    other = dtype if dtype == RECORD else draw(st.sampled_from((dtype, "?", "u1", "i4", "f8")))
    made = numbered(kept, other, 50)
    return made if dtype == RECORD else _dressed(draw, made)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", TYPESTRS)
def test_one_element_is_set_to_another(dtype, kind):
    host = numbered((3, 4), dtype)
    mine = usmx.asarray(host, usm_type=kind)
    mine[1, 2] = mine[2, 3]
    mine[0, 1:2] = mine[2, 0]
    mine[::3][0, 3] = usmx.asarray(1, dtype="?")
    host[1, 2], host[0, 1], host[0, 3] = host[2, 3], host[2, 0], True
    assert np.array_equal(usmx.asnumpy(mine), host)


@pytest.mark.slow
@settings(max_examples=700)
@given(st.data(), arrays())
def test_elements_and_errors_are_numpys(data, pair):
    mine, numpys = pair
    key = data.draw(keys(numpys.shape), "key")
    selected, refused = outcome(lambda: numpys[on_host(key)])
    value = data.draw(values(np.shape(selected) if refused is None else (), numpys.dtype), "value")
    before = usmx.asnumpy(mine)

    def assign():
        numpys[on_host(key)] = on_host(value)

    with warnings.catch_warnings(action="ignore"):
        _, refused = outcome(assign)
    _, error = outcome(lambda: mine.__setitem__(key, value))
    # NumPy looks neither at all indices nor at the shape of the value where nothing is selected.
    nothing_selected = np.size(selected) == 0 and refused in (None, ValueError)
    assert error is refused or (nothing_selected and error in (IndexError, ValueError))
    assert np.array_equal(usmx.asnumpy(mine), before if error else numpys)


@pytest.mark.parametrize(
    "key",
    [
        (),
        ...,
        1,
        (0, 1, 2),
        (slice(None, None, -1), 2),
        (..., None, slice(1, 4)),
        [2, 0],
        ([0, 1], slice(None), [2, 3]),
        (slice(None), [0, 0, 3]),
        np.arange(60).reshape(3, 4, 5) % 3 == 0,
        np.array([True, False, True]),
        True,
        False,
        [],
    ],
)
@pytest.mark.parametrize("value", [7, 2.5, np.float32(3), np.array(9), True])
def test_scalar_to_every_kind_of_key(pair, key, value):
    mine, numpys = pair
    mine[key] = value
    numpys[key] = value
    assert np.array_equal(usmx.asnumpy(mine), numpys)


SOURCES = {
    "USMArray": usmx.asarray,
    "device": lambda values: usmx.asarray(values, usm_type="device"),
    "view": lambda values: usmx.asarray(np.repeat(values, 2, axis=-1))[..., ::2],
    "NumPy": np.asarray,
    "reversed": lambda values: values[..., ::-1].copy()[..., ::-1],
    "byte-swapped": lambda values: values.astype(values.dtype.newbyteorder()),
    "odd strides": lambda values: np.array(
        [(0, value) for value in values.ravel()], [("a", "i1"), ("b", values.dtype)]
    )["b"].reshape(values.shape),
    "list": np.ndarray.tolist,
    "memoryview": memoryview,
    "dpnp": dpnp.asarray,
    "other context": lambda values: usmx.asarray(values, sycl_queue=usmx.SyclQueue()),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("dtype", ["i4", "f8", "u1"])
def test_values_of_every_source(pair, source, dtype):
    mine, numpys = pair
    for key in (np.s_[:, 1:3], np.s_[:, [3, 0]]):
        values = numbered((3, 2, 5), dtype, 60)
        mine[key] = SOURCES[source](values)
        numpys[key] = values
        assert np.array_equal(usmx.asnumpy(mine), numpys)


def test_buffers_and_bytes_of_other_libraries():
    mine = usmx.zeros(3, "f4")
    mine[...] = array.array("i", [1, 2, 3])
    assert usmx.asnumpy(mine).tolist() == [1, 2, 3]
    mine[[2, 0]] = bytearray(b"\4\5")
    assert usmx.asnumpy(mine).tolist() == [5, 2, 4]
    memory = usmx.memory.MemoryUSMHost(24)
    memory.copy_from_host(np.array([7.0, 8, 9]))
    mine[...] = producer_of(memory, shape=(3,))
    assert usmx.asnumpy(mine).tolist() == [7, 8, 9]


def test_lists_may_hold_usm_arrays():
    mine = usmx.zeros((2, 3), "i4")
    row = usmx.asarray([1.0, 2.0, 3.0])
    mine[...] = [row, (4, row[0], dpnp.asarray(6))]
    assert mine.tolist() == [[1, 2, 3], [4, 1, 6]]
    mine[[0, 1], [0, usmx.asarray(2)]] = [row[1], 9]
    assert mine.tolist() == [[2, 2, 3], [4, 1, 9]]


def test_numbers_that_do_not_fit_are_converted_as_numpy_does():
    mine = usmx.zeros(3, "u1")
    for value in (300, -1, [300, 1, 2]):
        with pytest.raises(OverflowError, match="out of bounds"):
            mine[...] = value
    with pytest.raises(ValueError, match="NaN"):
        mine[0] = float("nan")
    with pytest.raises(TypeError):
        mine[0] = 1j
    assert not usmx.asnumpy(mine).any()
    mine[...] = np.array([300, -1, 2])
    assert usmx.asnumpy(mine).tolist() == [44, 255, 2]


def test_last_value_of_a_repeated_index_stays():
    mine = usmx.zeros(4, "i8")
    mine[[1, 2, 1, 1]] = [5, 6, 7, 8]
    assert usmx.asnumpy(mine).tolist() == [0, 8, 6, 0]
    big = usmx.zeros(3, "i8")
    big[np.zeros(10_000, int)] = np.arange(10_000)
    assert usmx.asnumpy(big).tolist() == [9999, 0, 0]


def test_many_blocks_of_indices():
    rng = np.random.default_rng(0)
    numpys = np.zeros((50, 2000), "i2")
    for order in "CF":
        mine = usmx.zeros((50, 2000), "i2", order=order)
        expected = numpys.copy()
        for key in (
            (slice(None), rng.permutation(2000)[:1500]),
            (rng.permutation(50),),
            (rng.permutation(50)[:, None], rng.permutation(2000)[:999]),
            (numbered((50, 2000), "i2") % 7 == 0,),
        ):
            values = rng.integers(0, 1000, expected[key].shape).astype("i2")
            mine[key] = values
            expected[key] = values
            assert np.array_equal(usmx.asnumpy(mine), expected)


# ---- overlap


@pytest.mark.parametrize("kind", KINDS)
def test_source_that_overlaps_is_read_first(kind):
    for key, source in (
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:-1], np.s_[1:]),
        (np.s_[::-1], np.s_[:]),
        (np.s_[[3, 2, 1, 0, 4]], np.s_[:]),
        (np.s_[[1, 2, 3]], np.s_[:3]),
        (np.arange(5) > 1, np.s_[:3]),
    ):
        numpys = np.arange(5)
        mine = usmx.asarray(numpys, usm_type=kind)
        mine[key] = mine[source]
        numpys = numpys.copy()
        numpys[key] = numpys[source].copy()
        assert np.array_equal(usmx.asnumpy(mine), numpys)


def test_indices_that_are_overwritten_are_read_first():
    mine = usmx.asarray([2, 0, 1])
    mine[mine] = [7, 8, 9]
    assert usmx.asnumpy(mine).tolist() == [8, 9, 7]
    mask = usmx.asarray([True, False, True])
    mask[mask] = False
    assert usmx.asnumpy(mask).tolist() == [False, False, False]


def test_matrix_is_transposed_in_place():
    numpys = np.arange(400).reshape(20, 20)
    mine = usmx.asarray(numpys)
    mine[...] = mine.T
    assert np.array_equal(usmx.asnumpy(mine), numpys.T)


def test_unfinished_kernels_on_all_sides_are_waited_for():
    for _ in range(20):
        target = dpnp.zeros(100_000, dtype="i8")
        key = dpnp.arange(100_000)
        value = dpnp.arange(100_000)
        for _ in range(5):
            target += 1
            value = value * 2
        mine = usmx.asarray(target)
        mine[key[::-1]] = value
        assert np.array_equal(usmx.asnumpy(mine)[::-1], 32 * np.arange(100_000))


# ---- structured elements


def test_equally_structured_elements_are_assigned():
    numpys = numbered((3, 4), RECORD)
    mine = usmx.zeros((3, 4), RECORD)
    for value in (numpys[1], usmx.asarray(numpys[1]), numpys[1, 2], tuple(numpys[1, 2])):
        expected = np.zeros((3, 4), RECORD)
        mine[...] = expected
        for key in (np.s_[1], np.s_[[0, 2]]):
            mine[key] = value
            expected[key] = usmx.asnumpy(value) if isinstance(value, usmx.USMArray) else value
            assert np.array_equal(usmx.asnumpy(mine), expected)


@pytest.mark.parametrize(
    "value",
    [1, 2.5, np.float64(1), np.zeros(3), [1, 2, 3], np.zeros(3, [("a", "i8")]), "x", None],
)
def test_other_elements_are_not_converted_to_structured_ones(value):
    mine = usmx.zeros(3, RECORD)
    for key in (..., [0, 1, 2], 0):
        with pytest.raises(TypeError, match="structured elements are not converted"):
            mine[key] = value
    with pytest.raises(TypeError, match="structured elements are not converted"):
        mine[...] = usmx.zeros(3)


def test_structured_elements_are_not_converted_to_others():
    for value in (np.zeros(3, RECORD), usmx.zeros(3, RECORD)):
        for key in (..., [0, 1, 2]):
            with pytest.raises(TypeError, match="structured elements are not converted"):
                usmx.zeros(3)[key] = value


@pytest.mark.parametrize("kind", KINDS)
def test_field_is_assigned(kind):
    dtype = np.dtype([("a", "i4"), ("b", "i4"), ("c", "u1", (4,))])
    numpys = np.zeros((2, 3), dtype)
    mine = usmx.zeros((2, 3), dtype, usm_type=kind)
    mine["a"] = numpys["a"] = 5
    mine["b"] = usmx.asarray(np.arange(3.0))
    numpys["b"] = np.arange(3)
    mine["c"] = numpys["c"] = [1, 2, 3, 4]
    mine[1]["a"] = numpys[1]["a"] = [7, 8, 9]
    assert np.array_equal(usmx.asnumpy(mine), numpys)
    with pytest.raises(KeyError, match="nobody"):
        mine["nobody"] = 1


# ---- refusals


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "key", [0, ..., (slice(1), 0), [0, 1], np.ones(3, bool), 99, "x", object()]
)
def test_readonly_array_is_refused_before_anything_else(kind, key):
    mine = usmx.zeros((3, 4), usm_type=kind)

    class Value:
        def __array__(self, dtype=None, copy=None):
            raise AssertionError("nobody may ask")

    for value in (1.0, np.ones(4), mine[0], Value()):
        with pytest.raises(ValueError, match="read-only"):
            mine.readonly()[key] = value
    assert not usmx.asnumpy(mine).any()


@pytest.mark.parametrize(
    "key",
    [
        9,
        (0, -5),
        ([0, 9],),
        (slice(None), [0, -5]),
        np.ones(2, bool),
        1.0,
        "x",
        ([0, 1], [1, 2, 3], 0),
    ],
)
def test_index_error_leaves_the_destination(pair, key):
    mine, numpys = pair
    with pytest.raises(IndexError):
        mine[key] = 1
    assert np.array_equal(usmx.asnumpy(mine), numpys)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ((0,), "(4, 5)"),
        ((slice(2),), "(2, 4, 5)"),
        (([0, 1],), "(2, 4, 5)"),
        ((..., [1]), "(3, 4, 1)"),
    ],
)
@pytest.mark.parametrize("make", [np.ones, usmx.ones])
def test_shape_that_does_not_fit_is_a_value_error_with_both_shapes(pair, key, shape, make):
    mine, numpys = pair
    words = f"could not broadcast input array from shape (2, 3) into shape {shape}"
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        mine[key] = make((2, 3))
    assert np.array_equal(usmx.asnumpy(mine), numpys)


@pytest.mark.parametrize("value", ["x", object(), b"x", ["x"]])
@pytest.mark.parametrize("key", [..., 0, [0, 1]])
def test_value_that_is_no_number_is_numpys_error(key, value):
    _, refused = outcome(lambda: np.zeros(3).__setitem__(key, value))
    mine = usmx.zeros(3)
    with pytest.raises(refused):
        mine[key] = value
    assert not usmx.asnumpy(mine).any()


@pytest.mark.parametrize("key", [0, ..., [0], slice(None), "x"])
def test_elements_cannot_be_deleted(key):
    mine = usmx.ones(3, usm_type="shared")
    with pytest.raises(TypeError, match="cannot be deleted"):
        del mine[key]
    assert usmx.asnumpy(mine).tolist() == [1, 1, 1]


# ---- fill


@pytest.mark.parametrize("value", [3, 2.5, True, np.float32(0.5), np.array(7), usmx.ones((), "i4")])
def test_fill_sets_what_numpys_fill_sets(pair, value):
    array, expected = pair
    array[1].fill(value)
    expected[1].fill(on_host(value) if isinstance(value, usmx.USMArray) else value)
    np.testing.assert_array_equal(usmx.asnumpy(array), expected)


def test_read_only_array_is_not_filled():
    array = usmx.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        array.readonly().fill(1)
    assert not usmx.asnumpy(array).any()


@pytest.mark.parametrize("value", ["text", [1, 2]])
def test_what_is_no_number_does_not_fill(value):
    with pytest.raises((TypeError, ValueError)):
        usmx.zeros(3).fill(value)


# ---- scalars of every type and value


NUMBERS = (0, 1, -1, 200, 300, 1.5, 1e10, 1e300, np.nan, np.inf, -np.inf)
PYTHONS = (*NUMBERS, True, 2**40, 2**63, 2**70, 1j, 1e300j, "5", "x", None)
with warnings.catch_warnings(action="ignore"):
    SCALARS = [np.array(number).astype(typestr) for number in NUMBERS for typestr in TYPESTRS]
VALUES = [*PYTHONS, *SCALARS, *(scalar[()] for scalar in SCALARS)]
KEYS = [(), ..., slice(None), 1, slice(0, 2), [0, 1], np.array([True, False, True])]


def told(make):
    """(the bytes that came of it, the error, the warnings)."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            found, error = make().tobytes(), None
        except (TypeError, ValueError, OverflowError) as raised:
            found, error = None, type(raised)
    return found, error, sorted(warning.category.__name__ for warning in given)


def assigned(module, dtype, key, value):
    array = module.ones(() if key == () else 3, dtype)
    array[key] = value
    return array


def filled(module, dtype, value):
    array = module.ones(3, dtype)
    array.fill(value)
    return array


def copied(module, dtype, value, casting):
    array = module.ones(3, dtype)
    module.copyto(array, value, casting=casting)
    return array


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPESTRS)
def test_every_scalar_becomes_numpys_element_error_and_warning(dtype):
    for value in VALUES:
        for key in KEYS:
            mine = told(lambda: assigned(usmx, dtype, key, value))  # noqa: B023
            assert mine == told(lambda: assigned(np, dtype, key, value)), (key, repr(value))  # noqa: B023
        mine = told(lambda: filled(usmx, dtype, value))  # noqa: B023
        assert mine == told(lambda: filled(np, dtype, value)), repr(value)  # noqa: B023
        for casting in ("no", "safe", "same_kind", "unsafe", "other"):
            mine = told(lambda: copied(usmx, dtype, value, casting))  # noqa: B023
            assert mine == told(lambda: copied(np, dtype, value, casting)), repr(value)  # noqa: B023


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPESTRS)
def test_full_has_numpys_elements_or_raises(dtype):
    for value in VALUES:
        theirs = told(lambda: np.full(3, value, dtype))  # noqa: B023
        for mine in (
            told(lambda: usmx.full(3, value, dtype)),  # noqa: B023
            told(lambda: usmx.full_like(usmx.ones(3, dtype), value)),  # noqa: B023
        ):
            python_bool = type(value) is int and dtype == "|b1"  # NumPy has no large integers there
            assert (
                mine == theirs
                or (type(value) in (int, float, complex) and mine[1])
                or (python_bool and mine[0] == bytes([value != 0] * 3))
            ), repr(value)


def test_numpys_scalar_that_does_not_fit_is_refused_and_changes_nothing():
    mine = usmx.ones(3, "i1")
    for value, error in ((np.int64(300), OverflowError), (np.float64("nan"), ValueError)):
        for key in ((), 1, slice(None)):
            with pytest.raises(error):
                mine[key] = value
    assert mine.tolist() == [1, 1, 1]


# ---- values of every kind by every function that sets elements


def whole(number, length):
    """Values of one dimension that every type has: no cast of them is NumPy's to warn of."""
    return [number % 100 + k for k in range(length)]


@st.composite
def any_values(draw):
    """Scalars of Python's and NumPy's, arrays of no to two dimensions, NumPy's and usmx's, and nested lists."""
    shape = draw(st.sampled_from(("scalar", (1,), (2,), (3,), (0,), (1, 1), (1, 2), (2, 1))))
    if shape == "scalar":
        return draw(st.sampled_from(VALUES))
    values = np.reshape(whole(draw(st.integers(0, 90)), int(np.prod(shape))), shape)
    values = values.astype(draw(st.sampled_from(TYPESTRS)))
    how = draw(st.sampled_from(("numpy", "usmx", "list", "tuple", "memoryview")))
    if how == "usmx":
        return usmx.asarray(values, usm_type=draw(st.sampled_from(KINDS)))
    if how == "memoryview" and 0 not in shape and values.dtype.kind != "c":
        return memoryview(values)
    listed = values.tolist()
    return {"list": listed, "tuple": tuple(listed)}.get(how, values)


def by_key(key):
    def set_by_key(module, array, value):
        array[key] = value

    return set_by_key


MASK = np.array([True, False, True])
SETTERS = {
    "item": by_key(1),
    "item of a tuple": by_key((1,)),
    "item by an array": by_key((np.array(1),)),
    "view of an item": by_key((1, ...)),
    "view": by_key(slice(0, 2)),
    "all": by_key(...),
    "indices": by_key([0, 2]),
    "mask": by_key(MASK),
    "mask in a tuple": by_key((MASK,)),
    "list of bools": by_key(MASK.tolist()),
    "fill": lambda _, array, value: array.fill(value),
    "put": lambda module, array, value: module.put(array, [0, 2], value),
    "put_along_axis": lambda module, array, value: module.put_along_axis(
        array, module.asarray([0, 2]), value, axis=0
    ),
    "place": lambda module, array, value: module.place(array, module.asarray(MASK), value),
    "copyto": lambda module, array, value: module.copyto(array, value),
    "copyto of some": lambda module, array, value: module.copyto(
        array, value, "unsafe", module.asarray(MASK)
    ),
}


def set_by(module, setter, dtype, value):
    array = module.ones(3, dtype)
    setter(module, array, value)
    return array


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize("setter", SETTERS)
@settings(max_examples=200)
@given(st.sampled_from(TYPESTRS), any_values())
def test_every_value_becomes_what_numpy_makes_of_it(setter, dtype, value):
    mine = told(lambda: set_by(usmx, SETTERS[setter], dtype, value))
    theirs = told(lambda: set_by(np, SETTERS[setter], dtype, on_host(value)))
    assert mine == theirs


@pytest.mark.slow
@settings(max_examples=300)
@given(st.sampled_from(TYPESTRS), st.sampled_from(VALUES), st.booleans())
def test_border_of_constants_has_what_numpy_makes_of_them(dtype, value, are_two):
    def padded(module):
        values = (on_host(value), on_host(value)) if are_two else on_host(value)
        return module.pad(module.ones(3, dtype), 1, constant_values=values)

    mine, theirs = (told(lambda module=module: padded(module)) for module in (usmx, np))
    assert mine == theirs


@settings(max_examples=100)
@given(st.sampled_from(TYPESTRS), any_values(), st.sampled_from(((), ...)))
def test_array_without_dimensions_takes_what_numpys_takes(dtype, value, key):
    def assigned_to_scalar(module, value):
        array = module.ones((), dtype)
        array[key] = value
        return array

    assert told(lambda: assigned_to_scalar(usmx, value)) == told(
        lambda: assigned_to_scalar(np, on_host(value))
    )


OPERANDS = (0, 7, 1.5, 1j, True, np.nan, 300, -1, 2**40, 2**63, np.float64(1.5), np.complex128(1j))


@st.composite
def operands(draw):
    """What `where` takes: a scalar, or an array of one dimension or none."""
    if draw(st.booleans()):
        return draw(st.sampled_from(OPERANDS))
    shape = draw(st.sampled_from(((), (1,), (3,))))
    values = np.reshape(whole(draw(st.integers(0, 90)), int(np.prod(shape))), shape)
    return usmx.asarray(values.astype(draw(st.sampled_from(TYPESTRS))))


@settings(max_examples=examples(300))
@given(operands(), operands())
def test_where_selects_what_numpy_selects(x, y):
    def selected(module, *operands):
        result = module.where(module.asarray(MASK), *operands)
        return module.asarray([[result.dtype.num]]), result

    def all_told(module, *operands):
        return [told(lambda k=k: selected(module, *operands)[k]) for k in range(2)]

    mine, theirs = all_told(usmx, x, y), all_told(np, on_host(x), on_host(y))
    large = any(type(operand) is int and not 0 <= operand < 128 for operand in (x, y))
    if large and mine[0][1] is OverflowError:  # NumPy casts the integer, in silence
        return
    assert mine == theirs
