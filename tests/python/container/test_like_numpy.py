"""NumPy's functions under NumPy's names: each call does what NumPy's does, or raises what it raises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import DTYPES, RECORD, arrays
from like_numpy import (
    Own,
    axes,
    check,
    dressed,
    flat_keys,
    index_arrays,
    integers,
    masks,
    modes,
    orders,
    places,
    sections,
    small,
    values,
)


def insert(xp, a, before, vals, axis):
    """NumPy checks one index alone, and writes several ones of which one is outside somewhere."""
    size = a.size if axis is None else a.shape[axis]
    if xp is np and isinstance(before, (list, np.ndarray)) and np.any(np.abs(before) > size):
        raise IndexError("an index is outside")
    return xp.insert(a, before, vals, axis)


def take(xp, a, indices, axis, mode):
    """NumPy never ends where it wraps an index into an axis of size 0, and no element is taken."""
    if xp is np and mode == "wrap" and 0 in a.shape[axis:][:1] and np.size(indices):
        raise IndexError("an axis of size 0 has no index")
    return xp.take(a, indices, axis, mode=mode)


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
    "insert": (insert, places, values, axes),
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
    "take": (take, index_arrays, axes, modes),
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
