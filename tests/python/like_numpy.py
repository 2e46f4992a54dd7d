"""Calls of NumPy's functions and of usmx's, compared: what they give, what they change, what they raise."""

import numpy as np
import usmx
from hypothesis import strategies as st

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
    return mine == theirs or (mine != mine and theirs != theirs)  # NaN


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
