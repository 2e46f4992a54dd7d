"""NumPy's functions under NumPy's names: each call does what NumPy's does, or raises what it raises."""

import numpy as np
import pytest
import usmx
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import DTYPES, RECORD, arrays

ERRORS = (TypeError, ValueError, IndexError)


class Own:
    """An argument that NumPy gets as an array of its own, and usmx as one of its."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __repr__(self):
        return f"Own({self.values!r})"


def given_to(module, kind, argument):
    if isinstance(argument, Own):
        return argument.values if module is np else usmx.asarray(argument.values, usm_type=kind)
    if isinstance(argument, (list, tuple)):
        return type(argument)(given_to(module, kind, item) for item in argument)
    return argument


def on_host(found):
    if isinstance(found, usmx.USMArray):
        return usmx.asnumpy(found)
    return tuple(map(on_host, found)) if isinstance(found, (list, tuple)) else found


def with_strides_of(mine):
    """The same elements in a NumPy array that has the same strides."""
    values = usmx.asnumpy(mine)
    if values.size == 0:
        return values
    reach = [step * (n - 1) for step, n in zip(mine.strides, mine.shape, strict=True)]
    first = -sum(step for step in reach if step < 0)
    memory = np.zeros(first + sum(step for step in reach if step > 0) + 1, mine.dtype)
    steps = tuple(step * mine.itemsize for step in mine.strides)
    result = np.lib.stride_tricks.as_strided(memory[first:], mine.shape, steps)
    result[...] = values
    return result


def outcome(call, module, a, arguments, kind):
    """What a call gives and what the array is afterwards, or its error."""
    try:
        found = call(module, a, *(given_to(module, kind, argument) for argument in arguments))
    except ERRORS as error:
        return error
    return on_host(found), on_host(a)


def same(mine, theirs):
    if isinstance(theirs, tuple):
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(theirs, (np.ndarray, np.generic)):
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        alike = (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        return alike and mine.tobytes() == theirs.tobytes()
    return mine == theirs


def is_empty(found):
    return isinstance(found, np.ndarray) and found.size == 0


def check(call, mine, arguments=()):
    expected = outcome(call, np, with_strides_of(mine), arguments, None)
    found = outcome(call, usmx, mine, arguments, mine.usm_type)
    if isinstance(expected, Exception):
        kinds = [kind for kind in ERRORS if isinstance(expected, kind)]
        assert isinstance(found, tuple(kinds) if mine.ndim else ERRORS), (found, expected)
    elif isinstance(found, Exception):
        # NumPy looks at no index where nothing is selected, and takes an axis of what has none.
        assert is_empty(expected[0]) or mine.ndim == 0, (found, expected)
    else:
        assert same(found, expected), (found, expected)


# ---- arguments

axes = st.one_of(st.none(), st.integers(-4, 4))
small = st.integers(-3, 4)
modes = st.sampled_from(("raise", "wrap", "clip"))
orders = st.sampled_from(("C", "F", "A", "K", "c", "f", "a", "k", None))
truths = st.lists(st.booleans(), min_size=1, max_size=6)
slices = st.builds(slice, *(st.one_of(st.none(), st.integers(-5, 5)) for _ in range(2)))
steps = st.builds(slice, st.none(), st.none(), st.sampled_from((None, -1, 2, -2)))


def dressed(values, dtype=None):
    """A list as itself, or as an array of either side."""
    as_array = values.map(lambda v: np.array(v, dtype))
    return st.one_of(values, as_array, as_array.map(Own))


integers = dressed(st.lists(st.integers(-6, 6), max_size=5), "i4")
index_arrays = dressed(
    st.one_of(
        st.integers(-6, 6),
        st.lists(st.integers(-6, 6), min_size=1, max_size=4),
        st.lists(st.tuples(small, small), min_size=1, max_size=3),
    ),
    "i8",
)
masks = dressed(truths)
sections = st.one_of(st.integers(1, 4), dressed(st.lists(st.integers(-5, 5), max_size=3), "i2"))
values = st.one_of(
    st.integers(0, 100), dressed(st.lists(st.integers(0, 100), min_size=1, max_size=5), "f4")
)
places = st.one_of(st.integers(-6, 6), slices, steps, integers)
flat_keys = st.one_of(
    st.just(...), st.just(()), places, truths.map(np.array), truths.map(np.array).map(Own)
)

# What is called, and how its arguments are drawn. `a` has any type, layout and kind of memory.
CASES = {
    "append": (lambda xp, a, v, k: xp.append(a, v, k), values, axes),
    "append itself": (lambda xp, a, k: xp.append(a, a, k), axes),
    "array_split": (lambda xp, a, n, k: xp.array_split(a, n, k), sections, small),
    "asfortranarray": (lambda xp, a: xp.asfortranarray(a),),
    "atleast": (lambda xp, a: (xp.atleast_1d(a), *xp.atleast_2d(a, a), *xp.atleast_3d(a, a, a)),),
    "block": (lambda xp, a: xp.block([[a, a], [a, a]]),),
    "choose": (
        lambda xp, a, c, m: xp.choose(c, [a, a.ravel()[:1], a], mode=m),
        index_arrays.filter(lambda v: isinstance(v, Own)),
        modes,
    ),
    "column_stack": (lambda xp, a: xp.column_stack((a, a)),),
    "column_stack of rows": (lambda xp, a: xp.column_stack(a),),
    "compress": (lambda xp, a, c, k: xp.compress(c, a, k), masks, axes),
    "concatenate": (lambda xp, a, k: xp.concatenate((a, a), k), axes),
    "concatenate of rows": (lambda xp, a, k: xp.concatenate(a, k), axes),
    "copy": (lambda xp, a, o: xp.copy(a, o), orders),
    "delete": (lambda xp, a, i, k: xp.delete(a, i, k), places, axes),
    "delete by a mask": (lambda xp, a, m: xp.delete(a, m), masks),
    "diag_indices_from": (lambda xp, a: xp.diag_indices_from(a),),
    "dsplit": (lambda xp, a, n: xp.dsplit(a, n), sections),
    "expand_dims": (lambda xp, a, k: xp.expand_dims(a, k), small),
    "extract": (lambda xp, a, c: xp.extract(c, a), masks),
    "fill_diagonal": (lambda xp, a, v, w: xp.fill_diagonal(a, v, w), values, st.booleans()),
    "flat": (lambda xp, a, k: a.flat[k], flat_keys),
    "flatten": (lambda xp, a, o: a.flatten(o), orders),
    "flip": (lambda xp, a, k: xp.flip(a, k), axes),
    "fliplr": (lambda xp, a: xp.fliplr(a),),
    "flipud": (lambda xp, a: xp.flipud(a),),
    "hsplit": (lambda xp, a, n: xp.hsplit(a, n), sections),
    "insert": (lambda xp, a, i, v, k: xp.insert(a, i, v, k), places, values, axes),
    "insert itself": (lambda xp, a, i, k: xp.insert(a, i, a, k), small, axes),
    "moveaxis": (lambda xp, a, i, k: xp.moveaxis(a, source=i, destination=k), small, small),
    "permute_dims": (lambda xp, a: xp.permute_dims(a),),
    "ravel": (lambda xp, a, o: a.ravel(o), orders),
    "repeat": (lambda xp, a, n, k: xp.repeat(a, repeats=n, axis=k), st.integers(0, 3), axes),
    "require": (
        lambda xp, a, r: xp.require(a, None, r),
        st.lists(st.sampled_from(("C", "f", "W", "a", "O", "C_CONTIGUOUS")), max_size=3),
    ),
    "reshape": (lambda xp, a, o: xp.reshape(a, -1, o), st.sampled_from((*"CFAcfa", None))),
    "resize": (
        lambda xp, a, s: xp.resize(a, s),
        st.one_of(st.integers(-1, 9), st.lists(st.integers(0, 4), max_size=3).map(tuple)),
    ),
    "roll": (lambda xp, a, n, k: xp.roll(a, n, k), integers, axes),
    "roll along axes": (
        lambda xp, a, n, k: xp.roll(a, n, k),
        dressed(st.lists(small, min_size=2, max_size=2)),
        dressed(st.lists(small, min_size=2, max_size=2)),
    ),
    "rollaxis": (lambda xp, a, i, k: xp.rollaxis(a, i, k), small, small),
    "split": (lambda xp, a, n, k: xp.split(a, n, k), sections, small),
    "squeeze": (lambda xp, a, k: xp.squeeze(a, k), axes),
    "stack": (lambda xp, a, k: xp.stack((a, a), k), small),
    "stack of rows": (lambda xp, a, k: xp.stack(a, k), small),
    "take": (lambda xp, a, i, k, m: xp.take(a, i, k, mode=m), index_arrays, axes, modes),
    "take_along_axis": (
        lambda xp, a, i: xp.take_along_axis(a, i, None),
        integers.filter(lambda v: isinstance(v, Own) and v.values.size),
    ),
    "tobytes": (lambda xp, a, o: a.tobytes(o), orders),
    "transpose": (lambda xp, a: xp.transpose(a),),
    "tril": (lambda xp, a, k: xp.tril(a, k), small),
    "triu": (lambda xp, a, k: xp.triu(a, k=k), small),
    "tril_indices_from": (lambda xp, a, k: xp.tril_indices_from(a, k), small),
    "triu_indices_from": (lambda xp, a, k: xp.triu_indices_from(a, k), small),
    "trim_zeros": (
        lambda xp, a, t, k: xp.trim_zeros(a, t, k),
        st.sampled_from(("fb", "f", "B", "x", "")),
        axes,
    ),
    "vsplit": (lambda xp, a, n: xp.vsplit(a, n), sections),
}


def put_along_no_axis(xp, a, indices, vals):
    """NumPy writes into a copy of what is not contiguous."""
    target = np.ascontiguousarray(a).reshape(a.shape) if xp is np else a
    xp.put_along_axis(target, indices, vals, None)
    a[...] = target


# Those that write into the array, and give nothing.
SETTERS = {
    "fill_diagonal": (lambda xp, a, v, w: xp.fill_diagonal(a, v, w), values, st.booleans()),
    "flat": (
        lambda xp, a, k, v: a.flat.__setitem__(k, v),
        flat_keys.filter(lambda k: not isinstance(k, int)),
        values,
    ),
    "flat of one": (lambda xp, a, k, v: a.flat.__setitem__(k, v), st.integers(-6, 6), small),
    "put": (lambda xp, a, i, v, m: xp.put(a, i, v, m), index_arrays, values, modes),
    "put_along_axis": (
        put_along_no_axis,
        integers.filter(lambda v: isinstance(v, Own)),
        small,
    ),
}
# Structured elements are moved as others are.
MOVERS = sorted(
    CASES.keys()
    - {
        "append",
        "choose",
        "fill_diagonal",
        "insert",
        "trim_zeros",
        "tril",
        "triu",
        "tril_indices_from",
        "triu_indices_from",
    }
)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=40)
@given(arrays(DTYPES, max_ndim=3), st.data())
def test_function_is_numpys(name, pair, data):
    call, *drawn = CASES[name]
    check(call, pair[0], [data.draw(strategy) for strategy in drawn])


@pytest.mark.parametrize("name", SETTERS)
@settings(max_examples=60)
@given(arrays(tuple(set(DTYPES) - {"?", "i1", "u2"}), max_ndim=3), st.data())
def test_what_a_function_sets_is_what_numpy_sets(name, pair, data):
    call, *drawn = SETTERS[name]
    check(call, pair[0], [data.draw(strategy) for strategy in drawn])


@pytest.mark.parametrize("name", MOVERS)
@settings(max_examples=10)
@given(arrays((RECORD,), max_ndim=3), st.data())
def test_structured_elements_are_moved_too(name, pair, data):
    call, *drawn = CASES[name]
    check(call, pair[0], [data.draw(strategy) for strategy in drawn])
