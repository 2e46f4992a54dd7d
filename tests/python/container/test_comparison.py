"""usmx.array_equal and usmx.testing.assert_array_equal against NumPy's."""

import dpnp
import numpy as np
import pytest
import usmx
from usmx.testing import assert_allclose, assert_array_equal

NUMBERS = np.arange(6.0).reshape(2, 3)
WITH_NAN = np.array([1.0, np.nan])
PAIRS = [
    (NUMBERS, NUMBERS),
    (NUMBERS, NUMBERS + 1),
    (NUMBERS, NUMBERS.T),
    (NUMBERS, NUMBERS.astype("i4")),
    (NUMBERS, NUMBERS[:1]),
    (WITH_NAN, WITH_NAN),
    (np.float64(3), np.full((), 3.0)),
    (np.empty((0, 2)), np.empty((2, 0))),
]
MAKERS = [np.asarray, lambda a: np.asarray(a).tolist(), usmx.asarray, dpnp.asarray]


@pytest.mark.parametrize("second", MAKERS, ids=["NumPy", "list", "usmx", "dpnp"])
@pytest.mark.parametrize("first", MAKERS, ids=["NumPy", "list", "usmx", "dpnp"])
@pytest.mark.parametrize("equal_nan", [False, True])
def test_arrays_are_equal_when_numpy_says_so(first, second, equal_nan):
    for a, b in PAIRS:
        a, b = first(a), second(b)
        expected = np.array_equal(host(a), host(b), equal_nan=equal_nan)
        assert usmx.array_equal(a, b, equal_nan=equal_nan) is expected


def host(a):
    return usmx.asnumpy(a) if hasattr(a, "__sycl_usm_array_interface__") else np.asarray(a)


def complaint(assertion, *args, **options):
    """The last line of its AssertionError; None when there is none."""
    try:
        assertion(*args, **options)
    except AssertionError as error:
        return str(error).splitlines()[-1]
    return None


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_assertion_fails_when_numpys_does(a, b):
    expected = complaint(np.testing.assert_array_equal, a, b)
    assert complaint(assert_array_equal, usmx.asarray(a), dpnp.asarray(b)) == expected


def test_message_is_passed_on():
    with pytest.raises(AssertionError, match="mine"):
        assert_array_equal(usmx.ones(3), [1, 2, 3], err_msg="mine")


def test_shapes_are_compared_strictly_on_request():
    assert_array_equal(usmx.ones(3), 1.0)
    with pytest.raises(AssertionError):
        assert_array_equal(usmx.ones(3), 1.0, strict=True)


@pytest.mark.parametrize("options", [{}, {"rtol": 0.1}, {"atol": 0.5}, {"equal_nan": False}])
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_assertion_of_tolerance_fails_when_numpys_does(a, b, options):
    expected = complaint(np.testing.assert_allclose, a, b, **options)
    assert complaint(assert_allclose, usmx.asarray(a), dpnp.asarray(b), **options) == expected


def test_tolerances_have_numpys_places_and_defaults():
    a = usmx.asarray([1.0, 2.0])
    assert_allclose(a, [1.05, 2.0], 0.1)
    assert_allclose(a, [1.0 + 5e-8, 2.0])
    for desired in ([1.0 + 5e-7, 2.0], [1.05, 2.0]):
        with pytest.raises(AssertionError, match="Not equal to tolerance rtol=1e-07, atol=0"):
            assert_allclose(a, desired)
