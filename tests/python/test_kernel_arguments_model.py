"""Any arguments at all in launches: each launch does what NumPy would, or is refused by an error that names it."""

import ctypes
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
import usmx
from hypothesis import given

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8"]
C_TYPES = {"i1": "signed char", "i2": "short", "i4": "int", "i8": "long", "u1": "unsigned char", "u2": "unsigned short",
           "u4": "unsigned", "u8": "unsigned long", "f2": "_Float16", "f4": "float", "f8": "double", "?": "bool"}  # fmt: skip


@pytest.fixture(scope="module")
def kernels():
    sources = [
        f"USMX_KERNEL(1) of_{dtype.replace('?', 'b')}({name} a, usmx::view<const {name}, 1> x, {name}* y) {{"
        f"  const auto i = usmx::global_id(); y[i] = i == 0 ? a : x(i); }}"
        for dtype, name in C_TYPES.items()
    ]
    names = [f"of_{dtype.replace('?', 'b')}" for dtype in C_TYPES]
    module = usmx.KernelModule("#include <usmx/kernel.hpp>\n" + "\n".join(sources), names=names)
    return {dtype: module[f"of_{dtype.replace('?', 'b')}"] for dtype in C_TYPES}


def refusal_of(launch):
    """The message of the error that refuses the launch; None if it ran."""
    try:
        launch().wait()
    except (
        TypeError,
        ValueError,
        OverflowError,
        IndexError,
        usmx.ExecutionPlacementError,
    ) as error:
        return str(error) or "none"
    return None


def arrays():
    return st.builds(
        _array,
        st.sampled_from(DTYPES),
        st.sampled_from(["device", "shared", "host"]),
        st.sampled_from([1, 2, -1, -3]),
        st.booleans(),
    )


def _array(dtype, kind, step, readonly):
    a = usmx.ones(24, dtype=dtype, usm_type=kind)[::step][:8]
    return a.readonly() if readonly else a


NUMBERS = (
    st.booleans()
    | st.integers()
    | st.integers(-300, 300)
    | st.sampled_from([2**k + d for k in (8, 15, 16, 24, 31, 32, 53, 63, 64) for d in (-1, 0, 1)])
    | st.floats()
    | st.floats(width=16)
    | st.builds(lambda d, v: np.dtype(d).type(v), st.sampled_from(DTYPES), st.integers(0, 1))
    | st.builds(ctypes.c_int16, st.integers(-9, 9))
)
OTHERS = (
    st.none() | st.text(max_size=3) | st.binary(max_size=9) | st.lists(st.integers(), max_size=3) | st.complex_numbers()
    | st.fractions() | st.sampled_from([object(), usmx, np.ones(8, "f4"), np.zeros((), "V3"),
                                        memoryview(b"12345678"), range(3), Fraction(1, 3)])
)  # fmt: skip
MADE = st.builds(usmx.local_memory, st.just("f4"), st.integers(1, 9)) | st.builds(
    usmx.zeros, st.just(())
)
ANY = arrays() | NUMBERS | OTHERS | MADE
# At most the 8 elements of the arrays.
SIZES = (
    st.integers(max_value=8)
    | st.tuples(st.integers(0, 8))
    | st.sampled_from(
        [(), (2, 2), (1, 2, 3, 4), "8", 8.0, None, [8], np.int64(8), (-1,), (2.5,), (1 << 70,), {}]
    )
)
LOCALS = SIZES | st.integers() | st.none()


@given(st.sampled_from(list(C_TYPES)), NUMBERS)
def test_number_arrives_as_it_is_or_is_refused(kernels, dtype, number):
    x, y = usmx.zeros(1, dtype=dtype), usmx.zeros(1, dtype=dtype)
    refusal = refusal_of(lambda: kernels[dtype](1, 1, number, x, y))
    if refusal is not None:
        assert "argument 1 (" in refusal
        return
    value = number.value if isinstance(number, ctypes.c_int16) else number
    found = usmx.asnumpy(y)[0]
    if isinstance(value, (bool, int, np.integer, np.bool_)) or dtype[0] != "f":
        assert int(found) == value
    else:
        with np.errstate(over="ignore"):
            np.testing.assert_equal(found, np.dtype(dtype).type(value))


@given(st.sampled_from(list(C_TYPES)), arrays(), arrays())
def test_array_is_used_or_refused_for_a_reason(kernels, dtype, x, y):
    same = x.dtype == np.dtype(dtype) and y.dtype == np.dtype(dtype)
    suits = same and y.flags.c_contiguous and y.flags.writable
    expected = usmx.asnumpy(x if suits else y).copy()
    refusal = refusal_of(lambda: kernels[dtype](8, None, 0, x, y))
    assert (refusal is None) == suits, refusal
    if suits:
        expected[0] = 0
    np.testing.assert_array_equal(usmx.asnumpy(y), expected)


@pytest.mark.slow
@given(st.sampled_from(list(C_TYPES)), SIZES, LOCALS, st.lists(ANY, max_size=5))
def test_anything_is_launched_or_refused(kernels, dtype, size, local, arguments):
    # A work item beyond an array would write outside of it.
    if any(isinstance(each, usmx.USMArray) and each.size < 8 for each in arguments):
        size = 1
    refusal_of(lambda: kernels[dtype](size, local, *arguments))
