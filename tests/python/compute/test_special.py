"""usmx.special: the values are SciPy's, special ones too, and SciPy and NumPy's protocol find the functions."""

import inspect
import pickle

import numpy as np
import pytest
import usmx
from helpers import output_of
from usmx import special
from usmx._core import _is_special

scipys = pytest.importorskip("scipy.special")

REAL = np.array([
    0.0, -0.0, 1e-300, 1e-9, -1e-9, 0.2, 0.3, 0.5, 0.64, 0.66, 0.9, 1.0, 1.4616, 1.9, 2.0, 3.5, 7.9,
    8.1, 10.0, 19.0, 36.0, 700.0, -0.3, -1.0, -1.5, -2.0, -5.2, -20.0, np.inf, -np.inf, np.nan,
])  # fmt: skip
POSITIVE = np.array([
    -1.5, 0.0, 1e-9, 0.02, 0.3, 0.5, 0.9, 1.0, 1.05, 2.0, 9.5, 11.0, 25.0, 26.0, 31.0, 300.0, 310.0, np.nan,
])  # fmt: skip
PARTS = np.array([-0.1, 0.0, 1e-9, 0.05, 0.3, 0.5, 0.7, 0.95, 1.0, 1.1, np.nan])
EXPONENTS = POSITIVE[POSITIVE != 1e-9]
THREE = ("betainc", "betaincc")
TWO = (
    "beta", "betaln", "chdtr", "chdtrc", "gammainc", "gammaincc", "kl_div", "rel_entr", "stdtr",
    "xlog1py", "xlogy",
)  # fmt: skip
# Near their zeros SciPy's own have fewer digits.
BOUNDS = {"betaln": 1e-9, "beta": 1e-10, "kl_div": 1e-9}


def arguments(name):
    """Arrays that are broadcast to all combinations."""
    if name in THREE:
        return EXPONENTS[:, None, None], EXPONENTS[:, None], PARTS
    if name in TWO:
        return (REAL if name.startswith("x") else POSITIVE)[:, None], EXPONENTS
    return (REAL[:-2] if name == "gammaln" else REAL,)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(special.__all__))
def test_values_are_scipys(name):
    given = arguments(name)
    with np.errstate(all="ignore"):
        expected = getattr(scipys, name)(*given)
    if name in ("i0", "i1"):  # SciPy multiplies infinity by 0
        expected = np.where(
            np.isinf(given[0]), np.copysign(np.inf, given[0] ** (name == "i1")), expected
        )
    found = getattr(special, name)(*map(usmx.asarray, given))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(
        usmx.asnumpy(found), expected, rtol=BOUNDS.get(name, 3e-13), atol=1e-300
    )


@pytest.mark.parametrize("name", ["gammainc", "ndtr", "digamma"])
def test_float32_is_as_near(name):
    given = [each.astype("f4") for each in arguments(name)]
    found = getattr(special, name)(*map(usmx.asarray, given))
    with np.errstate(all="ignore"):
        expected = getattr(scipys, name)(*(each.astype("f8") for each in given))
    assert found.dtype == "f4"
    np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=1e-6, atol=1e-37)


def test_tails_keep_their_digits():
    x = np.array([-37.0, -10.0, -5.0])
    close = {"rtol": 1e-15, "atol": 0}
    exact = [5.7255712225245768e-300, 7.6198530241605261e-24, 2.8665157187919391e-07]  # by mpmath
    np.testing.assert_allclose(usmx.asnumpy(special.ndtr(usmx.asarray(x))), exact, **close)
    found = special.log_ndtr(usmx.asarray([-1e4]))
    np.testing.assert_allclose(usmx.asnumpy(found), [-50000010.129278915], **close)


def test_types_follow_the_arrays_and_lists_go_to_the_current_queue():
    half, single = usmx.asarray([0.5], dtype="f2"), usmx.asarray([0.5], dtype="f4")
    assert special.erf(half).dtype == "f2"
    assert special.xlogy(single, 2.0).dtype == "f4"
    assert special.xlogy(single, np.float64(2)).dtype == "f8"
    assert special.erf([0, 1]).dtype == special.erf(usmx.asarray([True])).dtype == "f8"
    out = usmx.zeros(1, dtype="f4")
    assert special.erf(single, out=out) is out
    assert out.tolist() == special.erf(single).tolist()


def test_wrong_arguments_are_errors():
    for wrong in ("text", None, usmx.asarray([1j]), 1j):
        with pytest.raises(TypeError, match="special.erf"):
            special.erf(wrong)
    with pytest.raises(ValueError, match="shape"):
        special.xlogy(usmx.ones(2), usmx.ones(3))
    with pytest.raises(TypeError, match="x must be an object with __sycl_usm_array_interface__"):
        special.erf(np.ones(2))


def test_every_function_is_an_operation_and_pickles():
    for name in special.__all__:
        assert _is_special(name)
        function = getattr(special, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert [*inspect.signature(function).parameters][-1] == "out"


def test_an_import_costs_nothing():
    code = "import sys, usmx; print('usmx.special' in sys.modules, usmx.special.erf([0.0]))"
    assert output_of(code) == "False [0.]"


def test_ufuncs_of_scipy_are_usmx_functions_for_usm_arrays(strict_host):
    x = usmx.asarray([0.5, 2.0])
    for name in ("erf", "psi", "log_expit"):
        found = getattr(scipys, name)(x)
        assert type(found) is usmx.USMArray
        assert found.tolist() == getattr(special, name)(x).tolist()
    assert type(scipys.xlogy(x, np.ones(2))) is usmx.USMArray
    with pytest.raises(TypeError, match=r"numpy\.wofz"):
        scipys.wofz(x)


@pytest.mark.slow
def test_scipy_finds_the_functions_by_the_namespace():
    code = """
import os
os.environ["SCIPY_ARRAY_API"] = "1"
import usmx
from scipy import special
x = usmx.asarray([0.5, 2.0])
usmx.host_access("strict")
names = ("erf", "gammaln", "ndtri", "betaincc", "stdtrit", "logsumexp")
print([type(getattr(special, name)(*[x / 4] * count)).__name__ for name, count in zip(names, (1, 1, 1, 3, 2, 1))])
"""
    assert output_of(code) == str(["USMArray"] * 6)
