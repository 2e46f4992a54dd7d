"""Element-wise functions and reductions of arrays of every layout, against NumPy."""

import numpy as np
import pytest
import usmx
from helpers import examples
from hypothesis import given, settings
from hypothesis import strategies as st

# Of few types: each kind of layout is a kernel of its own.
SHAPES = [(), (1,), (7,), (3, 5), (4, 1, 6), (2, 3, 4, 5), (0,), (3, 0, 2)]


@st.composite
def viewed(draw, shape, dtype="f4"):
    """A host array and a USMArray of the same elements, in a layout that is drawn."""
    steps = [draw(st.sampled_from([1, 1, 2, -1, -2])) for _ in shape]
    order = draw(st.permutations(range(len(shape))))
    lengths = [extent * abs(step) for extent, step in zip(shape, steps, strict=True)]
    count = int(np.prod(lengths))
    base = np.arange(count, dtype=dtype).reshape([lengths[axis] for axis in order])
    base = np.sin(base).astype(dtype) if np.dtype(dtype).kind == "f" else base
    inverse = np.argsort(order)
    key = tuple(slice(None, None, step) for step in steps)
    kind = draw(st.sampled_from(["device", "shared", "host"]))
    array = usmx.asarray(base, usm_type=kind)
    return base.transpose(inverse)[key], usmx.permute_dims(array, tuple(inverse.tolist()))[key]


@st.composite
def pairs(draw):
    """Two operands that can be broadcast together."""
    shape = draw(st.sampled_from(SHAPES))
    cut = draw(st.integers(0, len(shape)))
    other = tuple(1 if draw(st.booleans()) else extent for extent in shape[cut:])
    both = [draw(viewed(shape)), draw(viewed(other))]
    return both[::-1] if draw(st.booleans()) else both


def is_same(found, expected):
    host = usmx.asnumpy(found)
    assert (host.dtype, host.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(host, expected)


@settings(max_examples=examples(100))
@given(pairs())
def test_operands_of_any_layout(both):
    (x, a), (y, b) = both
    made = a - b
    is_same(made, x - y)
    assert made.usm_type == usmx.get_coerced_usm_type([a.usm_type, b.usm_type])
    is_same(a < b, x < y)


@given(st.sampled_from(SHAPES).flatmap(viewed))
def test_result_keeps_the_order_of_axes(both):
    x, a = both
    made = usmx.sqrt(a + 2)
    is_same(made, np.sqrt(x + np.float32(2)))
    if x.size:
        assert [s > 0 for s in made.strides] == [s > 0 for s in np.sqrt(x + 2).strides]


@given(st.data())
def test_result_is_written_to_a_view_that_may_overlap(data):
    n = data.draw(st.integers(1, 40))
    x = np.sin(np.arange(2 * n, dtype="f4"))
    a = usmx.asarray(x)
    cut = lambda z, first, step: z[first : first + n] if step > 0 else z[first : first + n][::-1]  # noqa: E731
    places = [(data.draw(st.integers(0, n)), data.draw(st.sampled_from([1, -1]))) for _ in range(3)]
    expected = x.copy()
    cut(expected, *places[2])[...] = cut(x, *places[0]) - cut(x, *places[1])
    out = cut(a, *places[2])
    assert usmx.subtract(cut(a, *places[0]), cut(a, *places[1]), out=out) is out
    is_same(a, expected)


@settings(max_examples=examples(100))
@given(st.sampled_from([s for s in SHAPES if s]).flatmap(lambda s: viewed(s, "i4")), st.data())
def test_reduction_along_any_axes(both, data):
    x, a = both
    axes = data.draw(st.lists(st.integers(-x.ndim, x.ndim - 1), unique_by=lambda k: k % x.ndim))
    axis = data.draw(st.sampled_from([None, tuple(axes)]))
    keepdims = data.draw(st.booleans())
    is_same(a.sum(axis, keepdims=keepdims), x.sum(axis, keepdims=keepdims))
    if x.size:
        is_same(a.max(axis, keepdims=keepdims), np.asarray(x.max(axis, keepdims=keepdims)))


@settings(max_examples=examples(100))
@given(st.sampled_from([s for s in SHAPES if s]).flatmap(lambda s: viewed(s, "i4")), st.data())
def test_sorting_and_sums_so_far_along_any_axis(both, data):
    x, a = both
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    is_same(usmx.sort(a, axis=axis), np.sort(x, axis))
    is_same(usmx.argsort(a, axis=axis), np.argsort(x, axis, stable=True))
    is_same(a.cumsum(axis), x.cumsum(axis))
    if x.size:
        is_same(a.argmax(axis), x.argmax(axis))


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_pending_work_is_followed_without_a_wait(kind):
    a = usmx.ones(1 << 20, "f4", usm_type=kind)
    for _ in range(20):
        a += a[::-1]
    assert a.max() == a.min() == 2.0**20
