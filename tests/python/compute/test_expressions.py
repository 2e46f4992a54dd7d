"""Expressions of operators and functions over arrays of any layout, type and kind: NumPy's results, fused or not."""

import operator

import numpy as np
import pytest
import usmx
from helpers import examples
from hypothesis import given, settings
from hypothesis import strategies as st

DTYPES = ["?", "i4", "u1", "i8", "f4", "f8"]
SHAPES = [(), (5,), (1, 5), (3, 1), (3, 5), (2, 3, 5)]  # which all are broadcast together
SPECIAL = {"f": [0.0, -0.0, 1.5, -2.5, 1e30, np.inf, -np.inf, np.nan], "i": [0, 1, -1, 7, 2**31 - 1], "u": [0, 1, 255]}  # fmt: skip

# Functions whose results have the bits of NumPy's. `x` is the library.
UNARY = {
    "neg": lambda x, a: -a,
    "abs": lambda x, a: abs(a),
    "floor": lambda x, a: x.floor(a),
    "sqrt": lambda x, a: x.sqrt(a * 1.0),
    "square": lambda x, a: x.square(a),
    "not": lambda x, a: x.logical_not(a),
    "sign": lambda x, a: x.sign(a),
    "isnan": lambda x, a: x.isnan(a),
}
BINARY = {
    name: lambda x, a, b, function=function: function(a, b)
    for name, function in {
        "add": operator.add, "sub": operator.sub, "mul": operator.mul, "lt": operator.lt, "ge": operator.ge, "eq": operator.eq,
        "and": operator.and_, "xor": operator.xor, "div": operator.truediv,
    }.items()
} | {"max": lambda x, a, b: x.maximum(a, b), "logical": lambda x, a, b: x.logical_and(a, b)}  # fmt: skip
ENDS = {
    "as it is": lambda x, a: a,
    "max": lambda x, a: x.max(a),
    "min of an axis": lambda x, a: x.min(a, axis=-1),
    "any": lambda x, a: x.any(a, axis=0, keepdims=True),
    "argmax": lambda x, a: x.argmax(a),
    "count": lambda x, a: x.count_nonzero(a, axis=-1),
}


@st.composite
def leaves(draw):
    """A host array and a USMArray in some layout, or the same number twice."""
    if draw(st.integers(0, 3)) == 0:
        number = draw(st.sampled_from([0, 1, -3, 300, 2.5, -0.0, True, float("inf")]))
        return number, number
    dtype, shape = np.dtype(draw(st.sampled_from(DTYPES))), draw(st.sampled_from(SHAPES))
    values = draw(st.lists(st.sampled_from(SPECIAL.get(dtype.kind, [0, 1])), min_size=30, max_size=30))  # fmt: skip
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    stored = [shape[axis] * abs(steps[axis]) for axis in order]
    base = np.resize(np.array(values, "f8"), stored).astype(dtype)
    back = tuple(np.argsort(order).tolist())
    key = tuple(slice(None, None, step) for step in steps)
    array = usmx.asarray(base, usm_type=draw(st.sampled_from(["device", "shared", "host"])))
    return base.transpose(back)[key], usmx.permute_dims(array, back)[key]


@st.composite
def trees(draw, depth=3):
    """An expression of its leaves' numbers: a function of (library, leaves)."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        place = draw(st.integers(0, 3))
        return lambda x, of: of[place]
    if draw(st.booleans()):
        function, inner = UNARY[draw(st.sampled_from(sorted(UNARY)))], draw(trees(depth - 1))
        return lambda x, of: function(x, inner(x, of))
    function = BINARY[draw(st.sampled_from(sorted(BINARY)))]
    first, second = draw(trees(depth - 1)), draw(trees(depth - 1))
    return lambda x, of: function(x, first(x, of), second(x, of))


def outcome(function):
    """The result, or the class of the error."""
    with np.errstate(all="ignore"):
        try:
            return function()
        except (TypeError, ArithmeticError, ValueError, np.exceptions.AxisError) as error:
            return type(error)


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.lists(leaves(), min_size=4, max_size=4), trees(), st.sampled_from(sorted(ENDS)))
def test_expressions_are_numpys(operands, tree, end):
    host = [mine for mine, _ in operands]
    arrays = [theirs for _, theirs in operands]
    whole = lambda x, of: ENDS[end](x, tree(x, of))  # noqa: E731
    expected = outcome(lambda: np.asarray(whole(np, host)))
    if not any(isinstance(each, usmx.USMArray) for each in arrays):
        return
    found = outcome(lambda: whole(usmx, arrays))
    if isinstance(expected, type) or isinstance(found, type):
        # usmx takes no numbers alone, and has no axis of 0-d results: errors of other classes.
        assert isinstance(found, type) or not isinstance(found, usmx.USMArray) or expected is np.exceptions.AxisError  # fmt: skip
        return
    if not isinstance(found, usmx.USMArray):  # of numbers alone
        return
    result = usmx.asnumpy(found)
    assert result.shape == expected.shape
    if expected.dtype != "f2":  # of small integers, where the array API has the default type
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)
    is_array = [isinstance(each, usmx.USMArray) for each in arrays]
    if end == "as it is" and any(is_array):
        fused = outcome(lambda: usmx.fuse(lambda *of: tree(usmx, of))(*arrays))
        if not isinstance(fused, type):
            np.testing.assert_array_equal(usmx.asnumpy(fused), result)
