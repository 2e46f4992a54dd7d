"""Booleans that become floating-point numbers keep their sign (decision 230)."""

import numpy as np
import pytest
import usmx

EXPRESSIONS = {
    "x < 0 ? -1 : 0": lambda x: np.where(x < 0, -1, 0),
    "x < 0 ? 0 : -1": lambda x: np.where(x < 0, 0, -1),
    "-(x < 0)": lambda x: np.where(x < 0, -1, 0),
    "x + (x < 0 ? -1 : 0)": lambda x: np.where(x < 0, x - 1, x),
    "x > 0 ? 1 : x < 0 ? -1 : 0": np.sign,
    "x > 1 ? 1 : x > -1 ? 0 : -1": lambda x: np.where(x > 1, 1, np.where(x > -1, 0, -1)),
    "(x > 0) - (x < 0)": np.sign,
    "(signed char)(x < 0 ? -1 : 0)": lambda x: np.where(x < 0, -1, 0),
    "(x < 0 ? -1LL : 0LL) * 2": lambda x: np.where(x < 0, -2, 0),
    "sign_of(x)": np.sign,
    # These were right, and stay so.
    "x < 0 ? 1 : 0": lambda x: np.where(x < 0, 1, 0),
    "x < 0": lambda x: np.where(x < 0, 1, 0),
    "int(x < 0) + (x > 2 ? 1 : 0)": lambda x: np.where((x < 0) | (x > 2), 1, 0),
    "float(x < 0) - float(x > 3)": lambda x: np.where(x < 0, 1, 0) - np.where(x > 3, 1, 0),
    "x < 0 ? -3 : 0": lambda x: np.where(x < 0, -3, 0),
    "x < 0 ? -1 : 2": lambda x: np.where(x < 0, -1, 2),
}
SIGN = "template <class A> int sign_of(A a) { if (a > 0) return 1; return a < 0 ? -1 : 0; }"
VALUES = np.array([-5, 3, -1, 0, 1, 2, 4, -7, -1, 0, 5] * 5)


@pytest.mark.parametrize("options", [[], ["-O0"]], ids=["optimized", "as written"])
@pytest.mark.parametrize("result", ["float16", "float32", "float64"])
@pytest.mark.parametrize("operand", ["int8", "int32", "int64", "float32", "float64"])
@pytest.mark.slow
@pytest.mark.drawn(3)
def test_signs_of_booleans_are_those_of_cpp(operand, result, options):
    """All at once, since compiling is what takes time."""
    outputs = ", ".join(f"{result} y{k}" for k in range(len(EXPRESSIONS)))
    operation = "; ".join(f"y{k} = {each}" for k, each in enumerate(EXPRESSIONS))
    kernel = usmx.ElementwiseKernel(
        f"{operand} x", outputs, operation, "signs", preamble=SIGN, options=options
    )
    values = VALUES.astype(operand)
    for text, found in zip(EXPRESSIONS, kernel(usmx.asarray(values)), strict=True):
        expected = EXPRESSIONS[text](values.astype(np.int64))
        np.testing.assert_array_equal(usmx.asnumpy(found), expected, err_msg=text)


def test_reduction_adds_booleans_with_their_sign():
    below = usmx.ReductionKernel("T x", "T y", "x < 0 ? -1 : 0", "a + b", "y = a", "0", "below")
    values = VALUES.astype("f8")
    assert float(below(usmx.asarray(values))) == -np.count_nonzero(values < 0)


def test_kernel_writes_booleans_with_their_sign():
    kernel = usmx.Kernel(
        """
        USMX_KERNEL(1) below(const double* x, float* y) {
          const auto i = usmx::global_id();
          y[i] = x[i] < 0 ? -1 : 0;
        }""",
        "below",
    )
    values = VALUES.astype("f8")
    found = usmx.zeros(len(values), dtype="f4")
    kernel(len(values), None, usmx.asarray(values), found)
    np.testing.assert_array_equal(usmx.asnumpy(found), np.where(values < 0, -1, 0))
