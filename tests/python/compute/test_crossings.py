"""One call of Python is one call of the library: no Python function lies between."""

import sys

import numpy as np
import pytest
import usmx
from usmx._compute.call import CALLS, KERNELS
from usmx._compute.table import ROWS

a = usmx.asarray([1.0, 2.0, 4.0])
i = usmx.asarray([1, 2, 4])
large = usmx.ones(100_000)


def entered(statement, **names):
    """The Python functions that a statement enters when it is not the first of its kind."""
    code = compile(statement, "<statement>", "exec")
    exec(code, names)
    found = []

    def note(frame, event, _):
        if event == "call" and frame.f_code is not code:
            found.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        exec(code, names)
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "x + x", "x - 1", "2 * x", "x / y", "x // 2.0", "x % y", "x ** 2", "-x", "+x", "abs(x)",
        "x < y", "x <= 1", "x == y", "x != 1", "x > 1.5", "x >= y", "x += y", "x *= 2",
        "x + number",
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [a, large], ids=["few", "many"])
def test_operators_enter_no_python(statement, x):
    y = usmx.ones(x.shape)
    assert entered(statement, x=usmx.copy(x), y=y, number=np.float32(2)) == []


@pytest.mark.parametrize(
    "statement", ["i << 1", "i >> i", "i & 3", "i | i", "3 ^ i", "~i", "i &= 3"]
)
def test_operators_of_integers_enter_no_python(statement):
    assert entered(statement, i=usmx.copy(i)) == []


@pytest.mark.skipif(
    not (usmx.SyclDevice().is_cpu or usmx.SyclDevice().backend == "cuda"),
    reason="the package calls the library that multiplies on the device",
)
@pytest.mark.parametrize("statement", ["m @ m", "m @ v", "v @ m", "v @ v", "large @ large"])
def test_products_enter_no_python(statement):
    assert entered(statement, m=usmx.ones((8, 8)), v=usmx.ones(8), large=large) == []


@pytest.mark.parametrize(
    "other", [[1, 2, 3], (1, 2, 3), np.arange(3)], ids=["list", "tuple", "array"]
)
def test_operands_of_the_host_are_the_packages_business(other):
    host = usmx.asnumpy(a)
    assert (a + other).tolist() == (host + np.asarray(other)).tolist()
    assert (other + a).tolist() == (host + np.asarray(other)).tolist()
    assert (a < other).tolist() == (host < np.asarray(other)).tolist()


def test_objects_that_nobody_knows_are_a_type_error():
    for statement in ("a + None", "None + a", "a ** None", "a << object()", "a < None"):
        with pytest.raises(TypeError, match="unsupported operand|not supported"):
            eval(statement, {"a": a})
    with pytest.raises(TypeError):
        pow(a, 2, 3)
    assert (a == None) is False  # noqa: E711
    assert (a != None) is True  # noqa: E711


class Knowing:
    def __radd__(self, other):
        return "known"

    def __eq__(self, other):
        return "equal"

    __hash__ = None


def test_objects_that_know_arrays_are_asked():
    assert a + Knowing() == "known"
    assert (a == Knowing()) == "equal"


class Reversed(usmx.USMArray):
    def __radd__(self, other):
        return "reflected"

    def __mul__(self, other):
        return "own"

    def __lt__(self, other):
        return "compared"


def test_methods_of_subclasses_come_first():
    own = Reversed(3, dtype="f8")
    own[...] = a
    assert a + own == "reflected"
    assert own * a == "own"
    assert (own < a) == "compared"
    assert type(own - a) is usmx.USMArray
    assert (own - a).tolist() == [0, 0, 0]


def test_methods_that_are_set_later_are_called():
    before = usmx.USMArray.__add__
    try:
        usmx.USMArray.__add__ = lambda self, other: "patched"
        assert a + a == "patched"
    finally:
        usmx.USMArray.__add__ = before
        usmx._core._take_operators()
    assert (a + a).tolist() == [2, 4, 8]


def test_numbers_out_of_a_type_raise_and_warn_as_before():
    small = usmx.asarray([1], dtype="i1")
    with pytest.raises(OverflowError, match="300 out of bounds for int8"):
        small + 300
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert np.isinf(float((usmx.ones(1, dtype="f4") + 1e300)[0]))
    assert (small < 300).tolist() == [True]
    assert (small < 2**70).tolist() == [True]
    assert usmx.logical_and(small, 1e-60).tolist() == [True]
    assert (usmx.ones(1) + 2**70).tolist() == [1.0 + 2**70]


def test_numbers_of_numpy_have_their_type():
    single = usmx.ones(3, dtype="f4")
    for call in (CALLS["add"], KERNELS["add"]):
        assert call(single, 2.0, None).dtype == np.float32
        assert call(single, np.float64(2), None).dtype == np.float64
        assert call(np.int8(2), single, None).dtype == np.float32


@pytest.mark.parametrize(
    "number",
    [np.timedelta64(1, "s"), np.datetime64("2026-01-01"), np.longdouble(1), np.void(b"ab")],
    ids=lambda number: type(number).__name__,
)
def test_numbers_of_types_that_usmx_lacks_are_a_type_error(number):
    with pytest.raises(TypeError, match="which usmx lacks"):
        a + number


@pytest.mark.parametrize("name", ROWS)
def test_wrong_number_of_operands_is_a_type_error(name):
    with pytest.raises(TypeError, match="wrong number of operands"):
        CALLS[name]()
    with pytest.raises(TypeError, match="wrong number of operands"):
        CALLS[name](a, a, a, a, a)


def test_function_of_another_name_is_an_error():
    with pytest.raises(ValueError, match="usmx has no function 'median'"):
        usmx._core._row_function("median")


@pytest.mark.parametrize(
    "statement",
    [
        "usmx.searchsorted(many, many)", "usmx.searchsorted(x, x, side='right', sorter=i)",
        "usmx.unique_values(x)", "usmx.unique_counts(x)", "usmx.unique_inverse(x)",
        "usmx.unique_all(x)",
    ],
)  # fmt: skip
def test_searches_are_one_call_of_the_library(statement):
    """The function itself, its wrapper, and how it takes its arguments."""
    many = usmx.arange(20_000)  # fewer are NumPy's
    found = entered(statement, usmx=usmx, x=a, many=many, i=usmx.asarray([0, 1, 2]))
    assert len(found) <= 5, found
