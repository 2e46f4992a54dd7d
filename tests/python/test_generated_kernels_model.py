"""Any parameters and arguments at all for generated kernels: a call does what NumPy would, or is refused by an error."""

import hypothesis.strategies as st
import numpy as np
import pytest
import usmx
from hypothesis import given, settings

WORDS = [
    "T",
    "U",
    "float32",
    "int8",
    "c8",
    "x",
    "y",
    "i",
    "raw",
    ",",
    ",",
    "usmx_at",
    "1",
    "é",
    "a",
    "\n",
    "?",
]
DTYPES = ["?", "i1", "i4", "i8", "u1", "u8", "f4", "f8", "c8", "c16"]


@given(st.lists(st.sampled_from(WORDS), max_size=9), st.lists(st.sampled_from(WORDS), max_size=5))
def test_any_parameters_are_taken_or_refused(inputs, outputs):
    try:
        kernel = usmx.ElementwiseKernel(" ".join(inputs), " ".join(outputs), "y = x")
    except ValueError as error:
        refusal = str(error)
        assert refusal
    else:
        assert kernel.name == "kernel"


@pytest.fixture(scope="module")
def gather():
    return usmx.ElementwiseKernel(
        "T x, int32 k, raw T table", "T out", "out = x + table[k]", "gather"
    )


@pytest.fixture(scope="module")
def total():
    return usmx.ReductionKernel("T x, T y", "T out", "x + y", "a + b", "out = a", "0", "total")


def views(shapes):
    return st.builds(
        _view,
        st.sampled_from(DTYPES),
        shapes,
        st.booleans(),
        st.sampled_from([1, 2, -1]),
        st.booleans(),
    )


def _view(dtype, shape, transposed, step, readonly):
    """An array, and NumPy's with the same elements."""
    base = np.ones([extent * abs(step) for extent in shape], dtype)
    index = tuple(slice(None, None, step) for _ in shape)
    a, b = usmx.asarray(base)[index], base[index]
    if transposed and a.ndim > 1:
        axes = tuple(reversed(range(a.ndim)))
        a, b = a.transpose(axes), b.transpose(axes)
    return (a.readonly() if readonly else a), b


SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
NUMBERS = (
    st.booleans() | st.integers(-3, 3) | st.integers() | st.floats() | st.complex_numbers()
    | st.builds(lambda d: np.dtype(d).type(1), st.sampled_from(DTYPES))
).map(lambda number: (number, number))  # fmt: skip
OTHERS = st.sampled_from([None, "1", [1], object(), np.ones(3), slice(1), b"1"]).map(
    lambda other: (other, None)
)
ANY = views(SHAPES) | NUMBERS | OTHERS
REFUSALS = (TypeError, ValueError, IndexError, OverflowError)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(ANY, views(st.sampled_from([(3,), (2, 3), ()])), views(SHAPES), st.none() | ANY)
def test_any_arguments_of_an_elementwise_kernel(gather, x, k, table, out):
    size = table[1].size
    places = usmx.asarray(np.zeros(k[1].shape, "i4"))  # any other place may be outside of the table
    if size == 0:
        return
    given_out = None if out is None else out[0]
    try:
        found = gather(x[0], places, table[0], out=given_out)
    except REFUSALS as error:
        refusal = str(error)
        assert "gather" in refusal or "out" in refusal
        return
    with np.errstate(all="ignore"):
        expected = np.asarray(x[1]).astype(found.dtype) + table[1].reshape(-1)[0]
    np.testing.assert_array_equal(
        usmx.asnumpy(found), np.broadcast_to(expected.astype(found.dtype), found.shape)
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(ANY, ANY, st.none() | st.integers(-4, 4) | st.tuples(st.integers(-4, 4), st.integers(-4, 4)))
def test_any_arguments_of_a_reduction(total, x, y, axis):
    try:
        found = total(x[0], y[0], axis=axis)
    except REFUSALS as error:
        refusal = str(error)
        assert refusal
        return
    dtype = found.dtype
    with np.errstate(all="ignore"):
        elements = np.asarray(x[1]).astype(dtype) + np.asarray(y[1]).astype(dtype)
        expected = np.add.reduce(
            elements,
            axis=axis or (tuple(range(elements.ndim)) if axis is None else axis),
            dtype=dtype,
        )
    np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=1e-6)
