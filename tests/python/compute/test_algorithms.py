"""Reductions, cumulative sums, sorting, searching, sets and products, against NumPy."""

import bisect
import warnings
from functools import partial

import numpy as np
import pytest
import usmx
from helpers import drawn
from usmx import _core
from usmx._compute import reductions
from usmx._compute.table import REDUCTIONS

HOST = np.random.default_rng(46).integers(-9, 9, (6, 7))
SIZES = [1, 31, 33, 1000, 70_000]


def same(found, expected, bound=0):
    host = usmx.asnumpy(found)
    expected = np.asarray(expected)
    assert (host.dtype, host.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(host, expected, bound)


def of_type(dtype):
    host = HOST.astype(dtype) if np.dtype(dtype).kind != "b" else HOST % 3 == 0
    return host + host.T[:6, :1] * 1j if np.dtype(dtype).kind == "c" else host


# ---- reductions


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_reductions_are_numpys(dtype):
    host = of_type(dtype)
    array = usmx.asarray(host)
    bound = {"f2": 2e-3, "f4": 1e-6, "c8": 1e-6}.get(dtype, 1e-14)
    for name in REDUCTIONS:
        with np.errstate(over="ignore"):
            expected = getattr(np, name)(host.astype("f4") if dtype == "f2" else host, axis=1)
        if dtype == "f2" and name not in ("any", "all", "argmax", "argmin", "count_nonzero"):
            with np.errstate(over="ignore"):
                expected = expected.astype("f2")
        same(getattr(usmx, name)(array, axis=1), expected, bound)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum", "mean", "var"])
def test_a_nan_wins_and_the_first_one_counts(name):
    host = np.array([[1, np.nan, 3, np.nan], [4, 4, 1, 1]], "f4")
    same(getattr(usmx, name)(usmx.asarray(host), axis=1), getattr(np, name)(host, axis=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "n"), drawn(["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"], [4096, 5001, 70_000])
)
def test_places_of_the_best_elements_of_long_rows(dtype, n, monkeypatch):
    """By the kernels: what the host finds is compared by test_small_reductions.py."""
    monkeypatch.setattr(reductions, "_ON_HOST", {name: lambda *_: None for name in REDUCTIONS})
    random = np.random.default_rng(n)
    host = (random.normal(size=(3, n)) * 50).astype(dtype)
    if host.dtype.kind in "iu":
        host[0] //= 2
        best = np.iinfo(dtype)
        host[0, -2:] = best.min, best.max  # in the last part of a row
    else:
        host[0, -2:] = -1e4, 1e4
    if host.dtype.kind == "b":
        host[0, -2] = False
    if host.dtype.kind == "f":
        host[1, random.integers(0, n, 3)] = np.nan
        host[2, :] = random.choice([0.0, -0.0], n)
    array = usmx.asarray(host)
    for name in ("argmax", "argmin"):
        numpys, mine = getattr(np, name), getattr(usmx, name)
        for options in ({}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": 0}, {"keepdims": True}):  # fmt: skip
            same(mine(array, **options), numpys(host, **options))
        same(mine(array[:, ::-2], axis=1), numpys(host[:, ::-2], axis=1))
        same(mine(array.T.copy(), axis=0), numpys(host.T, axis=0))
        same(mine(array[0]), numpys(host[0]))
    out = usmx.zeros(3, "i8")
    assert usmx.argmax(array, axis=1, out=out) is out
    same(out, np.argmax(host, axis=1))


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("n", [7, 5001])
def test_complex_numbers_are_ordered_by_real_and_then_imaginary_parts(dtype, n):
    random = np.random.default_rng(n)
    host = (random.integers(-2, 3, (3, n)) + 1j * random.integers(-2, 3, (3, n))).astype(dtype)
    host[1, [2, 5]] = complex(1, np.nan), complex(np.nan, 0)
    array = usmx.asarray(host)
    for name in ("max", "min", "argmax", "argmin"):
        for axis in (None, 0, 1):
            same(getattr(usmx, name)(array, axis=axis), getattr(np, name)(host, axis=axis))
    for name in ("maximum", "minimum"):
        found = getattr(usmx, name)(array, array[:, ::-1])
        same(found, getattr(np, name)(host, host[:, ::-1]))
    same(usmx.clip(array[0], -1, 1j), np.clip(host[0], -1, 1j))


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "c8"])
def test_elements_of_long_rows_are_counted(dtype):
    host = (np.arange(2 * 5000).reshape(2, 5000) % 3).astype(dtype)
    array = usmx.asarray(host)
    for axis in (None, 0, 1, (0, 1)):
        same(usmx.count_nonzero(array, axis=axis), np.asarray(np.count_nonzero(host, axis)))


def test_sums_of_half_precision_are_those_of_single_precision():
    ones = usmx.ones(5000, "f2")
    assert (ones.sum().dtype, float(ones.sum()), float(ones.mean())) == ("f2", 5000, 1)
    assert float(usmx.sum(usmx.full(100_000, 1.0, "f2"), dtype="f4")) == 100_000
    large = usmx.asarray(np.float16([200, -200, 200]))  # half precision has no 267 ** 2
    assert float(large.var()) == pytest.approx(200**2 * 8 / 9, rel=0.001)


# ---- digits

UNITS = {"f2": 2.0**-11, "f4": 2.0**-24, "f8": 2.0**-53}
OF_ONE_SIGN = {
    "0.1": lambda random, shape: np.full(shape, 0.1),
    "random": lambda random, shape: random.random(shape),
    "beside 1": lambda random, shape: 1 + random.integers(0, 2, shape) * 2.0**-23,
    "large mean": lambda random, shape: 1e4 + random.normal(size=shape),
}
VIEWS = {
    "whole": (lambda a: a, None),
    "columns": (lambda a: a, 0),
    "rows": (lambda a: a, 1),
    "every other": (lambda a: a[::2, ::3], 1),
    "reversed": (lambda a: a[::-1, ::-1], 0),
    "turned": (lambda a: a.T, 1),
    "narrow": (lambda a: a[:, :3], 0),
}


def units_off(found, exact):
    """The largest error in units of the type's digits, for complex numbers of either part."""
    host = np.asarray(usmx.asnumpy(found))
    if host.dtype.kind == "c":
        return max(units_off(usmx.asarray(host.real.copy()), exact.real), units_off(usmx.asarray(host.imag.copy()), exact.imag))  # fmt: skip
    error = np.abs(host.astype("g") - exact) / np.abs(exact)
    return float(error.max() / UNITS[host.dtype.str[1:]])


def host_of_one_sign(values, dtype, shape):
    random = np.random.default_rng(61)
    make = OF_ONE_SIGN[values]
    host = make(random, shape)
    return (host + 1j * make(random, shape) if dtype[0] == "c" else host).astype(dtype)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("values", OF_ONE_SIGN)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_sums_of_numbers_of_one_sign_keep_their_digits(dtype, values):
    host = host_of_one_sign(values, dtype, (3001, 257))
    array, wide = usmx.asarray(host), "G" if dtype[0] == "c" else "g"
    for view, axis in VIEWS.values():
        exact = view(host).astype(wide)
        for name, most in (("sum", 2), ("mean", 2), ("var", 8), ("std", 8)):
            if values == "0.1" and name in ("var", "std"):
                assert not usmx.any(getattr(view(array), name)(axis=axis))
                continue
            ways = [({}, most)] + [({"where": usmx.ones((), "?")}, 8)] * (name != "sum")
            for more, bound in ways:
                found = getattr(view(array), name)(axis=axis, **more)
                assert units_off(found, getattr(exact, name)(axis=axis)) <= bound


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_sum_of_very_many_equal_numbers_keeps_its_digits(dtype):
    one = np.array(0.1 + 0.3j if dtype[0] == "c" else 0.1).astype(dtype)
    for shape, axis in (((2**26,), None), ((2**13, 2**13), 0), ((2**13, 2**13), 1)):
        array = usmx.broadcast_to(usmx.asarray(one), shape)
        count = array.size if axis is None else shape[axis]
        exact = one.astype("G" if dtype[0] == "c" else "g") * count
        assert units_off(array.sum(axis=axis), exact) <= 2
        assert usmx.all(array.mean(axis=axis) == one)


def test_mean_of_equal_numbers_is_that_number():
    for dtype in ("f2", "f4", "f8", "c8", "c16"):
        host = np.full(150_000, 271.46).astype(dtype)
        array = usmx.asarray(host)
        assert (array.mean(), array.std(), array.var()) == (host[0], 0, 0)
        for function in (np.nanmean, np.nanstd):
            assert function(array) == (host[0] if function is np.nanmean else 0)


@pytest.mark.parametrize("count", [1, 2, 3, 15, 16, 17, 63, 64, 65, 1023, 1025, 16383, 16385])
def test_sums_of_every_count_keep_their_digits(count):
    for dtype in ("f4", "f8"):
        host = host_of_one_sign("random", dtype, (count,))
        assert units_off(usmx.asarray(host).sum(), host.astype("g").sum()) <= 2


def test_sums_of_what_is_not_finite_are_numpys():
    inf, largest = np.inf, np.finfo("f8").max
    for numbers in ([inf, 1], [inf, -inf], [np.nan, 1], [largest, largest], [-inf, 2],
                    [largest, -largest], [1, inf, 1e308]):  # fmt: skip
        for dtype in ("f4", "f8", "c16"):
            names = (
                ("sum",) if dtype == "c16" else ("sum", "mean")
            )  # NumPy's mean is divided by n + 0j
            with np.errstate(all="ignore"):
                host = np.array(numbers).astype(dtype)
                expected = [getattr(host, name)() for name in names]
            found = [getattr(usmx.asarray(host), name)() for name in names]
            assert [repr(each.item()) for each in found] == [repr(each.item()) for each in expected]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_sums_keep_their_digits_on_devices_without_double_precision(dtype, monkeypatch):
    """As their kernels are, which every device can run."""
    monkeypatch.setattr(reductions, "widened", lambda dtype, device: dtype)
    monkeypatch.setattr(reductions, "_kernels", {})
    for values, bound in (("0.1", 2), ("random", 2), ("large mean", 2)):
        host = host_of_one_sign(values, dtype, (2001, 257))
        array, exact = usmx.asarray(host), host.astype("G" if dtype == "c8" else "g")
        for axis in (None, 0, 1):
            assert units_off(array.sum(axis=axis), exact.sum(axis=axis)) <= bound
            assert units_off(array.mean(axis=axis), exact.mean(axis=axis)) <= bound
    with np.errstate(over="ignore"):
        assert usmx.asarray([3e38, 3e38], dtype=dtype).sum() == np.inf


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_variance_beside_a_large_mean_is_that_of_the_elements(dtype):
    host = (1e8 + np.random.default_rng(3).normal(size=10_000) * 100).astype(dtype)
    expected = host.astype("g").var()
    for name, exact in (("var", expected), ("std", np.sqrt(expected))):
        assert units_off(getattr(usmx, name)(usmx.asarray(host)), exact) <= 8
        assert units_off(getattr(np, f"nan{name}")(usmx.asarray(host)), exact) <= 8
        for more in ({"dtype": "f4"}, {"out": usmx.empty((), "f4")}):
            found = getattr(usmx, name)(usmx.asarray(host), **more)
            assert found.dtype == "f4"
            assert units_off(found, exact) <= 8


def test_sums_so_far_of_single_precision_keep_their_digits():
    for dtype in ("f4", "c8"):
        host = host_of_one_sign("0.1", dtype, (200_000,))
        exact = host.astype("G" if dtype == "c8" else "g").cumsum()
        assert units_off(usmx.cumulative_sum(usmx.asarray(host)), exact) <= 2


# ---- the types of computations

COMPUTED = ("sum", "prod", "mean", "var", "std", "cumsum", "nansum", "nanmean", "trace", "add")


def is_kept(of, into):
    """Whether usmx converts a result so: NumPy does it also where the kind changes."""
    of, into = np.dtype(of), np.dtype(into)
    return of == into or np.can_cast(of, into, "same_kind") or {of.kind, into.kind} == {*"iu"}


def called(xp, name, x, options):
    if name == "add":
        return np.add.reduce(x, **options)
    if name == "trace":
        return np.trace(x.reshape(2, 2), **options)
    if name == "cumsum":
        return x.cumsum(**options)
    return getattr(np if name.startswith("nan") else xp, name)(x, **options)


def own_type(name, of):
    kind = np.dtype(of).kind
    if name in ("sum", "prod", "cumsum", "nansum", "trace", "add"):
        return {"b": "i8", "i": "i8", "u": "u8"}.get(kind, of)
    wide = "f8" if kind in "biu" else of
    return np.zeros(0, wide).real.dtype if name in ("var", "std") else wide


def check_types(name, of, dtype, into):
    """Calls a function with a type and an output, and compares with NumPy."""
    host = np.array([3, 1, 100, 100]).astype(of)
    options = {} if dtype is None else {"dtype": dtype}
    shape = (4,) if name == "cumsum" else ()
    theirs, mine = dict(options), dict(options)
    if into is not None:
        theirs["out"], mine["out"] = np.empty(shape, into), usmx.empty(shape, into)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = called(np, name, host, theirs)
        except TypeError:
            with pytest.raises(TypeError):
                called(usmx, name, usmx.asarray(host), mine)
            return
    own = own_type(name, of)
    asked = own if dtype is None else dtype
    is_plain = is_kept(own, asked) and (into is None or is_kept(asked, into))
    if name == "add" and not is_plain:
        return  # NumPy's ufuncs leak their operands where an operand raises
    try:
        found = called(usmx, name, usmx.asarray(host), mine)
    except TypeError:
        is_real = own_type(name, "i1") == "f8" and np.dtype(asked).kind not in "fc"
        is_complex = name in ("var", "std") and np.dtype(asked).kind == "c"
        assert not is_plain or is_real or is_complex
        return
    assert found.dtype == np.asarray(expected).dtype
    narrow = min((np.finfo(t).eps for t in (of, dtype, into) if t and np.dtype(t).kind in "fc"), key=lambda x: -x, default=1e-15)  # fmt: skip
    np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=0 if found.dtype.kind in "biu" else 8 * float(narrow))  # fmt: skip


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("of", ["?", "i1", "f4", "c8"])
@pytest.mark.parametrize("name", COMPUTED)
def test_results_of_types_and_outputs_are_numpys(name, of):
    for dtype in (None, "?", "i1", "u8", "f4", "f8", "c8"):
        for into in (None, "?", "i2", "u8", "f4", "f8", "c16"):
            check_types(name, of, dtype, into)


def test_type_of_an_output_makes_no_computation_narrower():
    host = np.array([1e8, 1, -1e8])
    array = usmx.asarray(host)
    for function in (usmx.sum, np.add.reduce, np.nansum, type(array).sum):
        assert function(array, out=usmx.empty((), "f4")) == 1
        finer = usmx.asarray([1 + 2.0**-30])
        assert function(finer, dtype="f4", out=usmx.empty(())) == 1
    assert usmx.mean(array, out=usmx.empty((), "f4")) == np.float32(1 / 3)
    assert usmx.cumulative_sum(array, out=usmx.empty(3, "f4")).tolist()[-1] == 1
    assert np.cumsum(array, out=usmx.empty(3, "f4")).tolist()[-1] == 1
    assert usmx.sum(array, where=[True, True, True], out=usmx.empty((), "f4")) == 1
    small = usmx.asarray(np.array([100, 100], "i1"))
    for function in (usmx.sum, np.add.reduce, np.nansum):
        for into, expected in (("i8", -56), ("u8", 2**64 - 56), ("f4", -56)):
            assert function(small, dtype="i1", out=usmx.empty((), into)) == expected
    assert usmx.sum(small, dtype="i1", where=True, initial=1, out=usmx.empty((), "i8")) == -55
    assert np.trace(usmx.eye(2, dtype="i1") * 100, dtype="i1", out=usmx.empty((), "i8")) == -56
    assert usmx.prod(small, dtype="i1", out=usmx.empty((), "i8")) == np.int8(16)


def test_sums_of_integers_wrap_and_are_wide():
    array = usmx.full(1000, 127, "i1")
    assert (array.sum().dtype, int(array.sum())) == (np.dtype("i8"), 127_000)
    assert int(array.sum(dtype="i1")) == np.full(1000, 127, "i1").sum(dtype="i1")
    assert int(usmx.asarray([2**63 - 1, 1]).sum()) == -(2**63)
    assert usmx.asarray([True, True]).sum().dtype == np.dtype("i8")
    assert usmx.ones(2, "u1").prod().dtype == np.dtype("u8")
    small = np.array([-3, 100, 100], "i1")
    same(usmx.asarray(small).sum(dtype="u1"), small.sum(dtype="u1"))
    same(usmx.cumulative_sum(usmx.asarray(small), dtype="u2"), small.cumsum(dtype="u2"))
    same(usmx.asarray(small > 0).sum(dtype="u4"), (small > 0).sum(dtype="u4"))


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_reductions_of_nothing(shape):
    nothing = usmx.zeros(shape)
    assert (float(nothing.sum()), float(nothing.prod()), bool(nothing.all()), bool(nothing.any())) == (0, 1, True, False)  # fmt: skip
    assert np.isnan(float(nothing.mean()))
    for name in ("max", "argmin"):
        with pytest.raises(ValueError, match=f"{name}.*no elements|{name}.*identity"):
            getattr(nothing, name)()


def test_corrections_and_types_of_deviations():
    host = np.arange(10.0).reshape(2, 5)
    array = usmx.asarray(host)
    same(usmx.var(array, axis=1, correction=1), host.var(1, ddof=1), 1e-15)
    same(array.std(0, ddof=1, keepdims=True), host.std(0, ddof=1, keepdims=True), 1e-15)
    same(usmx.asarray(host.astype("f4")).std(), host.astype("f4").std(), 1e-6)
    same(array.mean(dtype="f4"), host.mean(dtype="f4"), 1e-6)
    for xp in (usmx, np):
        same(xp.std(array, axis=0, ddof=1), host.std(0, ddof=1), 1e-15)
        same(xp.var(array, correction=2, dtype="f4"), host.var(ddof=2, dtype="f4"), 1e-6)
        with pytest.raises(ValueError, match="takes correction or ddof, found both"):
            xp.var(array, ddof=1, correction=1)
    same(usmx.mean(array, dtype="f4"), host.mean(dtype="f4"), 1e-6)
    assert np.isnan(float(usmx.zeros(1).var(ddof=1)))
    shifted = usmx.asarray(host + 1e9)
    assert float(shifted.var()) == host.var()


SUMS = ["sum", "prod", "cumsum", "cumulative_prod", "nansum"]


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("values", [[1.5, 1.75, -0.5], [1.5 + 1j, 2], [], [0.25, 0.5]])
@pytest.mark.parametrize("dtype", ["i4", "?"])
def test_elements_are_converted_before_they_are_added_up_in_another_kind(name, values, dtype):
    host = np.asarray(values)
    expected = getattr(np, name)(host, dtype=dtype)
    calls = [getattr(usmx, name)(usmx.asarray(host), dtype=dtype)]
    if name in ("sum", "prod"):
        calls.append(getattr(usmx.asarray(host), name)(dtype=dtype))
        calls.append(getattr(usmx, name)(usmx.asarray(host), dtype=dtype, where=[True]))
    for found in calls:
        assert (found.shape, found.dtype) == (np.shape(expected), expected.dtype)
        np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=1e-6)


def test_errors_of_reductions():
    array = usmx.zeros((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        array.sum(axis=2)
    with pytest.raises(ValueError, match="twice|duplicate|repeated"):
        array.sum(axis=(0, 0))
    with pytest.raises(TypeError, match="mean of elements of type float64 cannot be of type int32"):
        array.mean(dtype="i4")
    with pytest.raises(
        TypeError, match="max: a result of type float64 cannot be written to an array of type int32"
    ):
        array.max(out=usmx.zeros((), "i4"))
    with pytest.raises(TypeError, match="structured"):
        usmx.zeros(2, dtype=[("x", "f4")]).sum()
    out = usmx.zeros(3)
    assert array.sum(axis=0, out=out) is out


# ---- reductions of some of the elements

MASKS = {
    "a column": HOST[:, :1] % 2 == 0,
    "each": HOST > 0,
    "a row": HOST[0] > 0,
    "a list": [True, False, True, True, False, True, False],
    "none": False,
}
OF_SOME = {
    "sum": {"initial": 5}, "prod": {}, "max": {"initial": -3}, "min": {"initial": 3}, "any": {},
    "all": {}, "mean": {}, "std": {"ddof": 1}, "var": {},
}  # fmt: skip


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "mask", "axis"), drawn(["?", "i4", "f4"], MASKS, [None, 0, 1, (0, 1)])
)
def test_only_elements_where_the_mask_holds_count(dtype, mask, axis):
    host = of_type(dtype)
    array = usmx.asarray(host)
    for name, options in OF_SOME.items():
        call = {"axis": axis, "keepdims": axis == 0, "where": MASKS[mask], **options}
        if "initial" in options:
            call["initial"] = host.dtype.type(options["initial"])
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(host, **call)
        for found in (
            getattr(usmx, name)(array, **call),
            getattr(np, name)(array, **call),
            getattr(array, name)(**call),
        ):
            same(found, expected, 1e-6 if dtype == "f4" else 1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
@pytest.mark.parametrize("dtype", ["?", "u1", "f4"])
def test_an_initial_value_is_joined_to_each_result_of_nothing_too(name, dtype):
    for host in (of_type(dtype) if dtype != "u1" else HOST.astype("u1"), np.zeros((0, 3), dtype)):
        array = usmx.asarray(host)
        expected = getattr(np, name)(host, axis=0, initial=1)
        same(getattr(usmx, name)(array, axis=0, initial=1), expected, 1e-6)
        out = usmx.empty_like(usmx.asarray(expected))
        assert getattr(array, name)(0, out=out, initial=1) is out
        same(out, expected, 1e-6)
    ufunc = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name]
    mask = HOST > 2
    host = of_type("f4")
    same(
        ufunc.reduce(usmx.asarray(host), initial=1, where=mask),
        ufunc.reduce(host, initial=1, where=mask),
        1e-6,
    )


@pytest.mark.parametrize("initial", [True, False])
@pytest.mark.parametrize("ufunc", [np.logical_and, np.logical_or])
def test_truth_values_are_joined_to_an_initial_one(ufunc, initial):
    host = np.array([[0, 1], [2, 3], [0, 0]])
    array, mask = usmx.asarray(host), np.array([[True], [False], [True]])
    for options in ({"axis": 0}, {"axis": 1}, {"axis": 1, "where": mask}, {"axis": None}):
        expected = ufunc.reduce(host, initial=initial, **options)
        same(ufunc.reduce(array, initial=initial, **options), expected)
    same(ufunc.reduce(array[:0], initial=initial), ufunc.reduce(host[:0], initial=initial))


def test_initial_value_of_nothing_keeps_its_sign():
    host = np.zeros((0, 2), "f4")
    same(usmx.sum(usmx.asarray(host), axis=0, initial=-0.0), np.sum(host, axis=0, initial=-0.0))
    assert np.signbit(usmx.asnumpy(usmx.sum(usmx.zeros(0), initial=-0.0)))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_are_written_to_shorter_integers(name):
    host = np.array([[1.0, 5, 2], [7, 1, 1]])
    out = usmx.zeros(2, "i2")
    assert getattr(usmx, name)(usmx.asarray(host), axis=1, out=out) is out
    assert out.tolist() == getattr(np, name)(host, axis=1).tolist()
    with pytest.raises(
        TypeError, match="a result of type int64 cannot be written to an array of type bool"
    ):
        getattr(usmx, name)(usmx.asarray(host), axis=1, out=usmx.zeros(2, "?"))


@pytest.mark.slow
def test_means_of_some_in_half_precision_and_of_complex_numbers():
    mask = HOST > 0
    half = usmx.asarray(np.full((300, 300), 1000, "f2"))
    assert float(half.mean(where=np.arange(300) % 2 == 0)) == 1000
    host = of_type("c16")
    same(usmx.asarray(host).mean(1, where=mask), host.mean(1, where=mask), 1e-14)
    same(usmx.asarray(host).var(1, where=mask), host.var(1, where=mask), 1e-14)
    out = usmx.empty(6, "f4")
    assert usmx.mean(usmx.asarray(HOST), axis=1, where=mask, out=out) is out
    same(out, HOST.mean(1, where=mask, dtype="f4"), 1e-6)


@pytest.mark.parametrize("name", ["std", "var"])
def test_deviations_from_a_mean_that_is_known(name):
    host = of_type("f8")
    array = usmx.asarray(host)
    mean = host.mean(1, keepdims=True) + 1
    for where in (True, HOST > 0):
        expected = getattr(np, name)(host, axis=1, mean=mean, where=where)
        call = {"axis": 1, "mean": usmx.asarray(mean), "where": where}
        for found in (getattr(usmx, name)(array, **call), getattr(array, name)(**call)):
            same(found, expected, 1e-14)
    same(
        getattr(np, name)(array, 1, mean=usmx.asarray(mean)),
        getattr(host, name)(1, mean=mean),
        1e-14,
    )
    with pytest.raises(TypeError, match="mean must be an object with"):
        getattr(array, name)(mean=0.5)


def test_numbers_and_lists_are_masks_by_their_truth():
    host = HOST.astype("f8")
    array = usmx.asarray(host)
    for mask in (1, 0, 2, 0.5, [1, 0, 2, 0, 1, 0, 1], [[3]], (True, 0, 0, 0, 0, 0, 0)):
        truth = np.array(mask, bool)
        for name in OF_SOME:
            more = {"initial": 4} if name in ("max", "min") else {}
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(np, name)(host, axis=1, where=truth, **more)
            for function in (getattr(usmx, name), getattr(np, name)):
                same(function(array, axis=1, where=mask, **more), expected, 1e-14)
    for function in (np.nansum, np.nanmean, np.nanvar):
        same(function(array, axis=1, where=1), function(host, axis=1), 1e-13)


def test_errors_of_reductions_of_some():
    array = usmx.zeros((2, 3), "i4")
    with pytest.raises(ValueError, match="max of no elements has no value: where= needs initial="):
        array.max(where=[True, False, True])
    with pytest.raises(TypeError, match="sum: where must be bools, found elements of type int64"):
        array.sum(where=np.array([1, 0, 1]))
    with pytest.raises(ValueError, match="broadcast"):
        array.sum(where=np.ones((2, 2, 3), bool))
    with pytest.raises(OverflowError):
        array.max(initial=-np.inf)
    with pytest.raises(TypeError):
        array.sum(initial=1j)
    with pytest.raises(TypeError, match="fuse: sum takes no initial= and where="):
        usmx.fuse(lambda x: usmx.sum(x, initial=1))(array)
    with pytest.raises(TypeError, match="unexpected keyword argument 'where'"):
        usmx.argmax(array, where=True)


# ---- cumulative sums


@pytest.mark.parametrize("n", SIZES)
def test_sums_so_far_of_every_length(n):
    host = np.random.default_rng(n).integers(-100, 100, (3, n))
    array = usmx.asarray(host)
    same(usmx.cumulative_sum(array, axis=1), host.cumsum(1))
    same(
        usmx.cumulative_sum(array, axis=1, include_initial=True),
        np.cumulative_sum(host, axis=1, include_initial=True),
    )
    same(array.cumsum(), host.cumsum())


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "f2", "f4", "c8"])
def test_types_of_sums_and_products_so_far(dtype):
    host = of_type(dtype)[:, 0]
    array = usmx.asarray(host)
    bound = 2e-3 if dtype == "f2" else 1e-6
    with np.errstate(over="ignore"):
        same(usmx.cumulative_sum(array), np.cumulative_sum(host), bound)
        same(usmx.cumulative_prod(array), np.cumulative_prod(host), bound)


def test_sums_so_far_of_nothing_and_without_an_axis():
    assert usmx.cumulative_sum(usmx.zeros(0), include_initial=True).tolist() == [0]
    assert usmx.cumulative_prod(usmx.zeros((2, 0)), axis=1, include_initial=True).tolist() == [[1], [1]]  # fmt: skip
    assert usmx.cumulative_sum(usmx.asarray(3)).tolist() == [3]
    with pytest.raises(ValueError, match="axis is needed"):
        usmx.cumulative_sum(usmx.zeros((2, 2)))


@pytest.mark.parametrize("n", [1, 9, 20_000])
def test_first_sums_and_products_are_the_first_element_as_it_is(n):
    sums = usmx.asnumpy(usmx.cumulative_sum(usmx.asarray(np.full(n, -0.0))))
    assert not sums.any()
    assert np.signbit(sums).all() or not usmx.SyclDevice().is_cpu  # docs/limits.md
    infinite = np.ones(n, "c8")
    infinite[0] = complex(-np.inf, 3)
    products = usmx.cumulative_prod(usmx.asarray(infinite), include_initial=True)
    assert usmx.asnumpy(products[:2]).tolist() == [1, complex(-np.inf, 3)]


def test_differences():
    array = usmx.asarray(HOST)
    same(usmx.diff(array), np.diff(HOST))
    same(usmx.diff(array, axis=0, n=3), np.diff(HOST, 3, axis=0))
    same(usmx.diff(array, prepend=array[:, :1], append=array), np.diff(HOST, prepend=HOST[:, :1], append=HOST))  # fmt: skip
    same(usmx.diff(array > 0), np.diff(HOST > 0))
    for xp in (usmx, np):
        same(xp.diff(array, 2, 0), np.diff(HOST, 2, 0))
        same(xp.diff(array, prepend=0, append=[[5]] * len(HOST)), np.diff(HOST, prepend=0, append=[[5]] * len(HOST)))  # fmt: skip
        same(xp.diff(array, 1, 0, usmx.asarray(7)), np.diff(HOST, 1, 0, 7))
    assert usmx.diff(array, n=0) is array
    with pytest.raises(ValueError, match="n must not be negative"):
        usmx.diff(array, n=-1)


# ---- sorting and searching


@pytest.fixture(params=["the host", "kernels"])
def sorted_by(request, monkeypatch):
    """Who sorts. The host sorts rows that it reaches, if they are not long."""
    if request.param == "kernels":
        monkeypatch.setattr(_core, "_sort", partial(_core._sort, only="kernel"))
    elif not usmx.SyclDevice().is_cpu:
        pytest.skip("the host does not reach the memory")


@pytest.mark.slow
@pytest.mark.usefixtures("sorted_by")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("descending", [False, True])
def test_rows_of_every_length_are_sorted_stably(n, descending):
    host = np.random.default_rng(n).integers(0, 50, (2, n)).astype("f4")
    host[:, ::7] = np.nan
    array = usmx.asarray(host)
    sign = -1 if descending else 1
    order = np.argsort(np.where(np.isnan(host), np.inf, host) * sign, stable=True)
    same(usmx.argsort(array, descending=descending), order)
    same(usmx.sort(array, descending=descending), np.take_along_axis(host, order, 1))


@pytest.mark.usefixtures("sorted_by")
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["u1", "f4", "i8"])
def test_many_short_rows_are_sorted_stably(dtype):
    host = np.random.default_rng(3).integers(0, 60, (20, 300)).astype(dtype)
    host[3], host[4, 1:] = 7, 9  # no element, and one, differs from the others
    if dtype == "f4":
        host[:2] -= 30
        host[:2, ::9], host[:2, 1::9] = np.nan, -0.0
    order = np.argsort(host, stable=True)
    same(usmx.argsort(usmx.asarray(host)), order)
    same(usmx.sort(usmx.asarray(host)), np.take_along_axis(host, order, 1))


SORTED = ["?", "i1", "u1", "i2", "i8", "u8", "f2", "f8", "c8", "c16"]


def numbers_to_sort(dtype, n):
    random = np.random.default_rng(46)
    host = (random.normal(size=n) * 40).astype(dtype)
    if host.dtype.kind in "fc":
        host[::9] = np.nan
        host[1::9] = -np.nan
        host[2::9] = random.choice([0.0, -0.0, np.inf, -np.inf], host[2::9].size)
    if host.dtype.kind == "c":
        host += (random.integers(-2, 3, n) * 1j).astype(dtype)
        host[1::11] = complex(1, np.nan)
    return host


@pytest.mark.drawn(3)
@pytest.mark.usefixtures("sorted_by")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "n", "descending"), drawn(SORTED, [300, 5000], [False, True], share=2)
)
def test_every_type_is_sorted_as_numpy_does(dtype, n, descending):
    host = numbers_to_sort(dtype, n)
    array = usmx.asarray(host)
    places = usmx.asnumpy(usmx.argsort(array, descending=descending))
    if descending:
        assert np.array_equal(np.sort(places), np.arange(n))
        np.testing.assert_array_equal(host[places][::-1], np.sort(host))
    else:
        np.testing.assert_array_equal(places, np.argsort(host, stable=True))
    same(usmx.sort(array, descending=descending), host[places])


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 5000])
@pytest.mark.parametrize("dtype", SORTED)
def test_every_type_is_searched_as_numpy_does(dtype, n):
    host = numbers_to_sort(dtype, n)
    array = usmx.asarray(host)
    for side in ("left", "right"):
        same(
            usmx.searchsorted(usmx.asarray(np.sort(host)), array[::3], side=side),
            np.searchsorted(np.sort(host), host[::3], side),
        )


def test_searching():
    host = np.array([5, 1, 3, 3])
    array = usmx.asarray(host)
    order = usmx.argsort(array)
    same(
        usmx.searchsorted(array, 3, sorter=order), np.searchsorted(host, 3, sorter=np.argsort(host))
    )
    same(usmx.searchsorted(array[:0], array), np.zeros(4, "i8"))
    same(array[order].searchsorted(usmx.asarray([2.5, 9])), np.array([1, 4]))
    assert usmx.searchsorted(order, 0).shape == ()
    for wrong in ({"side": "middle"}, {"sorter": order[:2]}):
        with pytest.raises(ValueError, match="side must be|sorter must have"):
            usmx.searchsorted(array, array, **wrong)
    with pytest.raises(ValueError, match="1 dimension"):
        usmx.searchsorted(usmx.zeros((2, 2)), array)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"), [("i8", "u8"), ("u8", "i8"), ("i1", "u8"), ("u4", "i2"), ("?", "i8")]
)
def test_integers_of_two_types_are_searched_exactly(first, second):
    """As Python's integers are, which have no common type that rounds."""
    x1, x2 = (extremes(dtype) for dtype in (first, second))
    ordered = np.sort(x1)
    for side, find in (("left", bisect.bisect_left), ("right", bisect.bisect_right)):
        expected = [find(ordered.tolist(), value) for value in x2.tolist()]
        found = usmx.searchsorted(usmx.asarray(ordered), usmx.asarray(x2), side=side)
        assert found.tolist() == expected
        assert int(usmx.searchsorted(usmx.asarray(ordered), x2[0], side=side)) == expected[0]
    for invert in (False, True):
        expected = [(value in x1.tolist()) != invert for value in x2.tolist()]
        assert usmx.isin(usmx.asarray(x2), usmx.asarray(x1), invert=invert).tolist() == expected


@pytest.mark.parametrize("dtype", [each for each in SORTED if each not in ("f2", "c8", "c16")])
def test_few_elements_are_found_as_numpy_finds_them(dtype):
    host = numbers_to_sort(dtype, 144).reshape(12, 12)
    array = usmx.asarray(host)
    for view, part in ((lambda a: a, lambda a: a[0]), (lambda a: a.T, lambda a: a[::-2, ::3])):
        for invert in (False, True):
            found = usmx.isin(view(array), part(array), invert=invert)
            same(found, np.isin(view(host), part(host), invert=invert))
            assert found.strides == view(array).strides


def extremes(dtype):
    if dtype == "?":
        return np.array([False, True])
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.array([high, low, 1, high - 1, low + 1, 0, high // 2 + 1], dtype)


@pytest.mark.parametrize("side", ["left", "right"])
def test_bools_of_every_length_are_searched(side):
    """Vectors of compared bools are wrong on CPUs from 8 values on (docs/limits.md)."""
    for n in range(258):
        x1, x2 = np.arange(n) >= n // 3, np.arange(n) % 2 == 0
        found = usmx.searchsorted(usmx.asarray(x1), usmx.asarray(x2), side=side)
        assert np.array_equal(usmx.asnumpy(found), np.searchsorted(x1, x2, side)), n


@pytest.mark.parametrize("dtype", ["i1", "i8", "u2", "u8"])
def test_sorter_is_checked_as_indices_are(dtype):
    host = np.array([5, 1, 3, 9, 7])
    array = usmx.asarray(host)
    limits = np.iinfo(dtype)
    for wrong in {limits.max, limits.min, -6, 5, 100} - set(range(-5, 5)):
        if limits.min <= wrong <= limits.max:
            sorter = usmx.asarray(np.array([1, 2, 0, 4, wrong], dtype))
            with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
                usmx.searchsorted(array, 3, sorter=sorter)
    order = np.array([1, 2, 0, 4, 3], dtype)
    same(
        usmx.searchsorted(array, array, sorter=usmx.asarray(order)),
        np.searchsorted(host, host, sorter=order.astype("i8")),
    )
    if limits.min < 0:
        same(usmx.searchsorted(array, array, sorter=usmx.asarray(order - 5)), [2, 0, 1, 4, 3])


@pytest.mark.parametrize("dtype", ["f4", "c8", "?"])
def test_sorter_of_other_numbers_is_refused(dtype):
    array = usmx.asarray([1, 2])
    with pytest.raises(TypeError, match="sorter must be of integers, found"):
        usmx.searchsorted(array, 1, sorter=usmx.asarray([0, 1]).astype(dtype))


def test_errors_of_searches_name_the_function_that_was_called():
    array, other = usmx.asarray([1]), usmx.asarray([1], sycl_queue=usmx.SyclQueue())
    for function in (usmx.isin, usmx.searchsorted):
        with pytest.raises(
            usmx.ExecutionPlacementError, match=f"^{function.__name__}: .* x1 on .* x2 on"
        ):
            function(array, other)
    with pytest.raises(usmx.ExecutionPlacementError, match="^searchsorted: .* x1 on .* sorter on"):
        usmx.searchsorted(array, array, sorter=other)
    fields = usmx.zeros(3, dtype=[("a", "i4")])
    functions = "sort argsort unique_all unique_counts unique_inverse unique_values".split()  # noqa: SIM905
    for name in functions:
        with pytest.raises(TypeError, match=f"^{name} is not defined for structured elements"):
            getattr(usmx, name)(fields)
    for name in ("partition", "argpartition"):
        with pytest.raises(TypeError, match=f"^{name} is not defined for structured elements"):
            getattr(usmx, name)(fields, 0)
    for call in (lambda: usmx.isin(fields, fields), lambda: usmx.isin(fields, array)):
        with pytest.raises(TypeError, match="^isin is not defined for structured elements"):
            call()
    for pair in ((fields, array), (array, fields), (fields, fields)):
        with pytest.raises(TypeError, match="^searchsorted is not defined for structured elements"):
            usmx.searchsorted(*pair)


@pytest.mark.parametrize("side", ["left", "right"])
def test_any_byte_but_zero_is_true_where_values_are_searched(side):
    array = usmx.asarray(np.array([0, 0, 2, 3, 255], "u1")).view("?")
    host = np.array([0, 0, 1, 1, 1], "?")
    for values in ([False, True], [0, 1, 2], [0.5]):
        same(usmx.searchsorted(array, values, side=side), np.searchsorted(host, values, side))


@pytest.mark.parametrize(
    "kind",
    [None, "quicksort", "heapsort", "mergesort", "stable", "quick", "heap", "merge", "q", "s"],
)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_numpys_forms_of_sorting(axis, kind):
    array = usmx.asarray(HOST)
    for xp, x in ((usmx, array), (np, array)):
        same(xp.sort(x, axis, kind), np.sort(HOST, axis, "stable"))
        same(xp.argsort(x, axis=axis, kind=kind), np.argsort(HOST, axis, "stable"))
    same(array.argsort(axis, kind), HOST.argsort(axis, "stable"))
    same(usmx.argsort(array, axis=axis, stable=None), HOST.argsort(axis, "stable"))
    if axis is None:
        with pytest.raises(TypeError, match="NoneType"):
            array.sort(axis)
    else:
        array.sort(axis, kind=kind)
        same(array, np.sort(HOST, axis))


def test_what_is_no_algorithm_is_refused():
    array = usmx.arange(3)
    for call in (usmx.sort, usmx.argsort, type(array).sort, type(array).argsort):
        with pytest.raises(ValueError, match="kind must be None or one of quicksort.*found 'fast'"):
            call(array, kind="fast")
    with pytest.raises(ValueError, match="kind must be None or one of sort, table"):
        usmx.isin(array, array, kind="stable")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4"])
@pytest.mark.parametrize("number", [300, -300, 2**64, 10**40])
def test_number_that_the_type_lacks_is_searched(dtype, number):
    array, host = usmx.asarray([0, 1], dtype=dtype), np.array([0, 1], dtype)
    assert not usmx.isin(number, array)
    assert not usmx.isin(array, number).any()
    for side in ("left", "right"):
        expected = np.searchsorted(host.astype("f8"), float(number), side)
        same(usmx.searchsorted(array, number, side), expected)
        same(array.searchsorted(number, side, usmx.asarray([0, 1])), expected)


def test_membership():
    array = usmx.asarray(HOST)
    same(usmx.isin(array, usmx.asarray([3, -4, 100])), np.isin(HOST, [3, -4, 100]))
    same(usmx.isin(array, usmx.asarray(HOST[0]), invert=True), np.isin(HOST, HOST[0], invert=True))
    same(usmx.isin(array, 3), HOST == 3)
    same(usmx.isin(3, array), np.array(3 in HOST))
    same(usmx.isin(array, array[:0]), np.zeros(HOST.shape, bool))
    same(usmx.isin(array, array[0], True, True, kind="sort"), np.isin(HOST, HOST[0], invert=True))
    same(np.isin(array, array[0], kind="table"), np.isin(HOST, HOST[0]))
    for xp in (usmx, np):
        same(xp.isin(array, [3, -4]), np.isin(HOST, [3, -4]))
        same(xp.isin(array, ()), np.zeros(HOST.shape, bool))
        ordered = usmx.asarray([1, 3, 5])
        same(xp.searchsorted(ordered, [0, 3.5]), np.array([0, 2]))
        same(xp.searchsorted(ordered, [[0], [9]], "right"), np.array([[0], [3]]))
    with pytest.raises(TypeError, match="found"):
        usmx.isin(array, ["a"])
    nan = usmx.asarray([np.nan, 1])
    assert usmx.isin(nan, nan).tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["i4", "f8", "c16"])
def test_sets_are_numpys(dtype):
    host = np.random.default_rng(46).integers(0, 9, (5, 30)).astype(dtype)
    array = usmx.asarray(host)
    for found, expected in zip(usmx.unique_all(array), np.unique_all(host), strict=True):
        same(found, expected)
    same(usmx.unique_values(array), np.unique(host))  # NumPy's unique_values are in no order
    same(usmx.unique_counts(array).counts, np.unique(host, return_counts=True)[1])
    found = usmx.unique_inverse(array)
    same(found.values[found.inverse_indices], host)


def test_each_nan_is_a_value_of_its_own():
    found = usmx.unique_all(usmx.asarray([np.nan, 1, np.nan]))
    assert (found.values.tolist()[0], found.counts.tolist()) == (1, [1, 1, 1])
    assert usmx.unique_values(usmx.zeros(0)).shape == (0,)


BY_GROUPS = ["?", "u1", "u4", "i2", "i8", "f4", "f2", "f8"]


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize(
    ("dtype", "descending"),
    [
        # A direction inverts the key of any type: in CI every other type has one of them.
        pytest.param(dtype, is_down, marks=[pytest.mark.nightly] if k % 2 != is_down else [])
        for k, dtype in enumerate(BY_GROUPS)
        for is_down in (False, True)
    ],
)
def test_sorting_by_groups_is_numpys(dtype, descending, monkeypatch):
    """As on GPUs."""
    monkeypatch.setattr(_core, "_sort", partial(_core._sort, only="groups"))
    rng = np.random.default_rng(46)
    for shape in ((3, 4_096), (2, 4_097), (1, 9_000), (1, 70_000)):
        x = (rng.normal(size=shape) * 100).astype(dtype)
        if dtype[0] == "f":
            x[:, ::7] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], x[:, ::7].shape)
        array = usmx.asarray(x)
        places = usmx.asnumpy(usmx.argsort(array, descending=descending))
        expected = np.argsort(x[:, ::-1] if descending else x, kind="stable")
        if descending:
            expected = (x.shape[1] - 1 - expected)[:, ::-1]
        np.testing.assert_array_equal(places, expected)
        found = usmx.asnumpy(usmx.sort(array, descending=descending))
        np.testing.assert_array_equal(found, np.take_along_axis(x, places, 1))


# ---- products


@pytest.fixture(params=["vendor", "kernel"])
def multiply(request):
    """The product by the vendor's library, for all types that it has, or by usmx's own kernels."""

    def compute(x, y):
        found = usmx._core._matmul(x, y, request.param)
        if found is None:
            assert request.param == "vendor"
            assert x.dtype.str[1:] in ("b1", "i1", "u8", "f2")
            found = usmx._core._matmul(x, y, "kernel")
        return found

    return compute


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shapes", [((33, 17), (17, 50)), ((2, 1, 5, 3), (4, 3, 7)), ((5,), (5,)), ((4, 5), (5,)), ((5,), (5, 2))], ids=str)  # fmt: skip
def test_products_of_matrices_are_numpys(multiply, dtype, shapes):
    random = np.random.default_rng(46)
    x, y = ((random.normal(size=shape) * 3).astype(dtype) for shape in shapes)
    bound = {"f2": 2e-2, "f4": 1e-4, "c8": 1e-4}.get(dtype, 1e-12)
    wide = "f4" if dtype == "f2" else dtype
    expected = np.matmul(x.astype(wide), y.astype(wide)).astype(dtype)
    host = usmx.asnumpy(multiply(usmx.asarray(x), usmx.asarray(y)))
    assert (host.dtype, host.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(host, expected, bound, bound)


@pytest.mark.parametrize("turn_x", [False, True])
@pytest.mark.parametrize("turn_y", [False, True])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_products_of_matrices_of_every_layout(multiply, turn_x, turn_y, step):
    random = np.random.default_rng(46)
    x, y = random.normal(size=(3, 8, 6)), random.normal(size=(3, 6, 10))
    a, b = (usmx.asarray(each.mT if turn else each) for each, turn in ((x, turn_x), (y, turn_y)))
    a, b = (each.mT if turn else each for each, turn in ((a, turn_x), (b, turn_y)))
    found = multiply(a[:, ::step, :5], b[::-1, :5, ::step])
    same(found, np.matmul(x[:, ::step, :5], y[::-1, :5, ::step]), 1e-12)


def test_products_come_after_the_work_on_their_operands(multiply):
    x = usmx.ones((200, 200))
    for _ in range(10):
        x = multiply(x, x)
        x /= 200
    assert usmx.max(abs(x - 1)) < 1e-12


def test_products_of_other_layouts_types_and_nothing():
    x, y = HOST[:, ::2].astype("f4"), HOST[::-1, :4].T.astype("i4")
    same(usmx.asarray(HOST.astype("f4"))[:, ::2] @ usmx.asarray(HOST.astype("i4"))[::-1, :4].T, x.astype("f8") @ y)  # fmt: skip
    same(usmx.zeros((3, 0)) @ usmx.zeros((0, 2)), np.zeros((3, 2)))
    assert (usmx.zeros((0, 3)) @ usmx.zeros((3, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(2, 3\)"):
        usmx.zeros((2, 3)) @ usmx.zeros((2, 3))
    with pytest.raises(ValueError, match="without"):
        usmx.zeros((2, 3)) @ usmx.asarray(3)
    with pytest.raises(TypeError, match="x2 must be an array, found 3"):
        usmx.zeros((2, 3)) @ 3


def test_other_products():
    x, y = HOST[:, :6], HOST[:, 1:]
    a, b = usmx.asarray(x), usmx.asarray(y)
    same(usmx.tensordot(a, b), np.tensordot(x, y))
    same(usmx.tensordot(a, b, axes=0), np.tensordot(x, y, axes=0))
    same(usmx.tensordot(a, b, axes=((0,), (-1,))), np.tensordot(x, y, axes=((0,), (-1,))))
    same(usmx.tensordot(a, b, axes=(1, -1)), np.tensordot(x, y, axes=(1, -1)))
    same(usmx.vecdot(a, b), np.vecdot(x, y))
    same(usmx.vecdot(a, b[:, :1], axis=0), np.vecdot(x, y[:, :1], axis=0))
    z = x * (1 + 2j)
    same(usmx.vecdot(usmx.asarray(z), b), np.vecdot(z, y))
    same(a.dot(b), x.dot(y))
    same(a[0].dot(b), x[0].dot(y))
    same(a.dot(3), x * 3)
    cube = np.arange(24).reshape(2, 3, 4)
    same(usmx.asarray(cube).dot(usmx.asarray(cube[:, :, :2].reshape(3, 4))[:, :]. T), cube.dot(cube[:, :, :2].reshape(3, 4).T))  # fmt: skip
    same(a.trace(1), x.trace(1))
    out = usmx.empty((), "f8")
    for found in (a.trace(1, 0, 1, "f8", out), np.trace(a, 1, dtype="f8", out=out)):
        assert found is out
        same(found, x.trace(1, dtype="f8"))
    conjugate = usmx.empty_like(usmx.asarray(z))
    assert usmx.asarray(z).conjugate(conjugate) is conjugate
    same(conjugate, z.conj())
    for axes in (3, ([0], [0, 1]), ([0], [5])):
        with pytest.raises((ValueError, np.exceptions.AxisError)):
            usmx.tensordot(a, b, axes=axes)


# ---- clip and rounding


def test_limits():
    array = usmx.asarray(HOST)
    same(usmx.clip(array, -2, 5), HOST.clip(-2, 5))
    same(array.clip(max=usmx.asarray(HOST[0])), HOST.clip(max=HOST[0]))
    same(usmx.clip(array, 0), HOST.clip(0))
    same(usmx.clip(array), HOST)
    small = usmx.asarray(HOST.astype("i1"))
    same(usmx.clip(small, -1000, 1000), HOST.astype("i1"))
    same(usmx.clip(small, 0.5, None), np.clip(HOST.astype("i1"), 0.5, None))
    nan = np.array([1, np.nan, 3], "f4")
    same(usmx.clip(usmx.asarray(nan), 2, 2.5), nan.clip(2, 2.5))
    same(usmx.clip(usmx.asarray(nan), np.nan, 2.5), np.full(3, np.nan, "f4"))


@pytest.mark.parametrize("decimals", [0, 2, -1, -30])
def test_rounded_integers_are_written_to_out(decimals):
    host = np.array([15, 25, -149])
    out = usmx.full(3, 7)
    for array in (usmx.asarray(host), usmx.asarray(host, usm_type="shared")):
        assert usmx.round(array, decimals, out=out) is out
        same(out, host.round(decimals))
        out[...] = 7


@pytest.mark.parametrize("decimals", [0, 2, -1])
def test_rounding_to_decimals(decimals):
    host = np.array([1.2345, -25.555, 2.5, 15, 1e6])
    same(usmx.asarray(host).round(decimals), host.round(decimals))
    same(usmx.asarray(HOST * 7).round(decimals), (HOST * 7).round(decimals))


def test_choosing():
    array = usmx.asarray(HOST)
    same(usmx.where(array > 0, array, 0), np.where(HOST > 0, HOST, 0))
    same(usmx.where(array, 1.5, usmx.asarray(HOST[0])), np.where(HOST, 1.5, HOST[0]))
    same(usmx.where(True, array, -array), HOST)
    with pytest.raises(OverflowError, match="300"):
        usmx.where(array > 0, array.astype("i1"), 300)


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_sums_and_products_so_far_by_groups_are_numpys(dtype, monkeypatch):
    """As on GPUs."""
    monkeypatch.setattr(_core, "_accumulate", partial(_core._accumulate, only="groups"))
    rng = np.random.default_rng(47)
    for rows, columns in ((1, 1), (3, 255), (2, 256), (1, 257), (2, 1_025), (3, 5_000), (1, 700_000)):  # fmt: skip
        x = rng.integers(-9, 9, (rows, columns)).astype(dtype)
        found = usmx.cumulative_sum(usmx.asarray(x), axis=1, include_initial=True)
        np.testing.assert_array_equal(usmx.asnumpy(found)[:, 1:], np.cumsum(x, axis=1))
        assert not usmx.asnumpy(found)[:, 0].any()
        signs = np.sign(x * 2 + 1)
        found = usmx.cumulative_prod(usmx.asarray(signs), axis=1)
        np.testing.assert_array_equal(usmx.asnumpy(found), np.cumprod(signs, axis=1))


def test_flags_without_a_truth_are_errors():
    both = np.array([True, False])
    with pytest.raises(ValueError, match="ambiguous"):
        usmx.sort(usmx.ones(2), descending=both)
    with pytest.raises(ValueError, match="ambiguous"):
        usmx.argsort(usmx.ones(2), descending=both)
    with pytest.raises(ValueError, match="ambiguous"):
        usmx.cumulative_sum(usmx.ones(2), include_initial=both)


# ---- arguments in NumPy's order


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var"])
def test_reductions_take_numpys_order_of_arguments(name):
    ddof = [1] if name in ("std", "var") else []
    out = usmx.empty((6, 1), "f4")
    found = getattr(usmx, name)(usmx.asarray(HOST), 1, "f4", out, *ddof, True)
    assert found is out
    same(out, getattr(np, name)(HOST, 1, "f4", None, *ddof, True), 1e-5)


@pytest.mark.parametrize("name", ["max", "min", "any", "all"])
def test_reductions_to_their_type_take_numpys_order_of_arguments(name):
    expected = getattr(np, name)(HOST, 0, None, True)
    out = usmx.empty(expected.shape, expected.dtype)
    assert getattr(usmx, name)(usmx.asarray(HOST), 0, out, True) is out
    same(out, expected)


@pytest.mark.parametrize("name", ["max", "min", "any", "all"])
def test_result_is_written_to_another_type(name):
    array = usmx.asarray(HOST.astype("i4"))
    expected = getattr(np, name)(HOST, 0)
    for function in (getattr(usmx, name), getattr(np, name), getattr(type(array), name)):
        out = usmx.empty(expected.shape, "f8")
        assert function(array, axis=0, out=out) is out
        same(out, expected.astype("f8"))
        with pytest.raises((TypeError, ValueError), match="out must have shape|expected an array"):
            function(array, axis=0, out=usmx.empty(3, out.dtype))
    with pytest.raises(TypeError, match="cannot be written to an array of type bool"):
        usmx.max(array, out=usmx.empty((), "?"))


def test_other_functions_take_numpys_order_of_arguments():
    array = usmx.asarray(HOST.astype("f8"))
    out = usmx.empty(HOST.shape)
    assert usmx.sin(array, out) is out
    assert usmx.add(array, 1, out) is out
    assert usmx.round(array, 1, out) is out
    same(out, HOST.astype("f8"))
    same(usmx.tensordot(array, array, 2), np.tensordot(HOST.astype("f8"), HOST.astype("f8"), 2))


# ---- results written to an array that exists


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cumulative_sum", "cumulative_prod"])
def test_sums_so_far_are_written_to_an_array(name):
    array = usmx.asarray(HOST)
    ways = [lambda out: getattr(np, name)(array, axis=1, out=out)]
    ways.append(
        (lambda out: getattr(usmx, name)(array, axis=1, out=out))
        if "cumulative" in name
        else (lambda out: getattr(array, name)(1, None, out))
    )
    for way in ways:
        out = usmx.empty(HOST.shape)
        assert way(out) is out
        same(out, getattr(np, name)(HOST, axis=1).astype("f8"))
        with pytest.raises(ValueError, match="out must have shape"):
            way(usmx.empty(3))
        with pytest.raises(TypeError, match="elements of type int64 cannot be of type bool"):
            way(usmx.empty(HOST.shape, "?"))


def test_dot_is_written_to_an_array():
    matrix = usmx.asarray(np.arange(4.0).reshape(2, 2))
    for dot in (type(matrix).dot, np.dot):
        out = usmx.empty((2, 2))
        assert dot(matrix, matrix, out) is out
        same(out, usmx.asnumpy(matrix) @ usmx.asnumpy(matrix))


@pytest.mark.parametrize(
    "axes",
    [[(0, 1), (1, 2), (0, 1)], [(1, 0), (2, 1), (-1, -2)], [(0, -1), (2, 0), (2, 0)]],
    ids=str,
)
def test_product_of_matrices_along_other_axes_is_numpys(axes):
    x, y = np.random.default_rng(49).normal(size=(2, 4, 4, 4))
    expected = np.matmul(x, y, axes=axes)
    a, b = usmx.asarray(x), usmx.asarray(y)
    same(usmx.matmul(a, b, axes=axes), expected, 1e-12)
    out = usmx.empty((4, 4, 4), "f8")
    assert np.matmul(a, b, axes=axes, out=out) is out
    same(out, expected, 1e-12)


def test_product_of_vectors_takes_an_axis_of_each():
    x, y = np.arange(12.0).reshape(3, 4), np.arange(3.0)
    a, b = usmx.asarray(x), usmx.asarray(y)
    axes = [(1, 0), (0,), (0,)]
    same(usmx.matmul(a, b, axes=axes), np.matmul(x, y, axes=axes), 1e-12)
    same(usmx.matmul(b, b, axes=[0, 0, ()]), y @ y, 1e-12)


@pytest.mark.parametrize(
    "axes",
    [
        [(0, 1), (0, 1)],
        [(0,), (0, 1), (0, 1)],
        [(0, 1), (0, 1), (0,)],
        [(0, 9), (0, 1), (0, 1)],
    ],
)
def test_product_of_matrices_along_axes_that_do_not_fit_is_a_value_error(axes):
    a = usmx.ones((2, 2))
    with pytest.raises(ValueError, match="ax[ei]s"):
        usmx.matmul(a, a, axes=axes)


@pytest.mark.parametrize("out_type", ["i2", "f4", "?"])
def test_sums_so_far_are_computed_in_the_type_of_out(out_type):
    x = np.array([1, 0, 3, 40000], "?" if out_type == "?" else "i4")
    for name in ("cumsum", "cumprod"):
        out = usmx.empty(4, out_type)
        assert getattr(np, name)(usmx.asarray(x), out=out) is out
        same(out, getattr(np, name)(x, out=np.empty(4, out_type)))


# ---- partitions

PARTITIONS = {
    "function": lambda xp, x, kth, axis: xp.partition(x, kth, axis),
    "function of indices": lambda xp, x, kth, axis: xp.take_along_axis(
        x, xp.argpartition(x, kth, axis), axis=axis
    ),
    "method of indices": lambda xp, x, kth, axis: xp.take_along_axis(
        x, x.argpartition(kth, axis), axis=axis
    ),
    "numpy's function": lambda xp, x, kth, axis: np.partition(x, kth, axis=axis),
}


@pytest.mark.parametrize("partition", PARTITIONS.values(), ids=PARTITIONS)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("kth", [0, 3, -1, (1, -2), np.int64(2)], ids=repr)
def test_partition_has_at_kth_what_numpys_has(partition, axis, kth):
    found = usmx.asnumpy(partition(usmx, usmx.asarray(HOST), kth, axis))
    expected = partition(np, HOST, kth, axis)
    for k in np.atleast_1d(kth):
        np.testing.assert_array_equal(found.take(k, axis), expected.take(k, axis))
        rows, at_k = np.moveaxis(found, axis, -1), found.take([k], axis)
        assert (rows[..., :k] <= np.moveaxis(at_k, axis, -1)).all()
        assert (rows[..., k:] >= np.moveaxis(at_k, axis, -1)).all()


def test_partition_of_an_array_is_in_place_and_that_of_all_elements_has_one_dimension():
    array = usmx.asarray(HOST)
    array.partition(2, axis=0)
    same(array[2], np.partition(HOST, 2, axis=0)[2])
    same(usmx.partition(array, 5, axis=None)[5], np.partition(HOST, 5, axis=None)[5])
    assert usmx.argpartition(usmx.zeros((0, 2)), 0).shape == (0, 2)


@pytest.mark.parametrize("kth", [7, -8, (0, 7), 1.5, "1"])
def test_partition_at_a_place_that_is_none_is_numpys_error(kth):
    with pytest.raises((TypeError, ValueError)) as theirs:
        np.partition(HOST, kth)
    for function in (usmx.partition, usmx.argpartition):
        with pytest.raises(theirs.type, match="kth must be"):
            function(usmx.asarray(HOST), kth)
    with pytest.raises(ValueError, match="kind must be None or one of introselect, found 'quick'"):
        usmx.partition(usmx.asarray(HOST), 0, kind="quick")


# ---- arguments that are axes

AXES = [1.0, True, np.True_, "0", [1], [0, 1], (1,), (0, 1), (), 5, np.int64(1), np.array(1), -1]
ALONG = {
    "cumulative_sum": lambda xp, x, axis: xp.cumulative_sum(x, axis=axis),
    "cumulative_prod": lambda xp, x, axis: xp.cumulative_prod(x, axis=axis),
    "cumsum": lambda xp, x, axis: x.cumsum(axis),
    "cumprod": lambda xp, x, axis: x.cumprod(axis),
    "add.accumulate": lambda xp, x, axis: np.add.accumulate(x, axis=axis),
    "vecdot": lambda xp, x, axis: xp.vecdot(x, x, axis=axis),
    "take": lambda xp, x, axis: xp.take(x, xp.asarray([0]), axis=axis),
    "repeat": lambda xp, x, axis: xp.repeat(x, 2, axis=axis),
    "concat": lambda xp, x, axis: xp.concat([x, x], axis=axis),
    "argsort": lambda xp, x, axis: xp.argsort(x, axis=axis),
}


def outcome(call, xp, x, axis):
    """The shape of the result, or the error."""
    try:
        return call(xp, x, axis).shape
    except Exception as error:
        return error


@pytest.mark.slow
@pytest.mark.parametrize("axis", AXES, ids=repr)
@pytest.mark.parametrize("name", ALONG)
def test_axes_are_numpys_and_errors_name_them(name, axis):
    found = outcome(ALONG[name], usmx, usmx.ones((2, 3)), axis)
    expected = outcome(ALONG[name], np, np.ones((2, 3)), axis)
    if isinstance(expected, Exception):
        assert type(found) is type(expected)
        assert "axis" in str(found) or "axes" in str(found)
        assert "source" not in str(found)
    else:
        assert found == expected


@pytest.mark.parametrize("reduce", [usmx.sum, usmx.max, usmx.all, usmx.mean, usmx.count_nonzero])
def test_a_bool_is_no_axis_of_a_reduction(reduce):
    with pytest.raises(TypeError, match="'axis' must be an integer or a tuple of integers"):
        reduce(usmx.ones((2, 3)), axis=True)


@pytest.mark.parametrize(
    ("axes", "error"),
    [
        (1.0, TypeError),
        ("0", ValueError),
        ((1,), ValueError),
        ((0, 1, 2), ValueError),
        (((0, 0), (0, 0)), ValueError),
    ],
)
def test_axes_of_tensordot_that_are_none_are_named(axes, error):
    with pytest.raises(error, match="tensordot: a"):
        usmx.tensordot(usmx.ones((2, 3)), usmx.ones((2, 3)), axes=axes)


def test_axes_of_tensordot_may_be_an_array_of_numpys():
    x = usmx.ones((2, 3))
    assert usmx.tensordot(x, x, axes=np.array([[0], [0]])).shape == (3, 3)


# ---- outer products of any function


@pytest.mark.slow
@pytest.mark.parametrize("other", [3, 2.5, True, 1j, np.float32(3), np.array(3), [1, 2], np.ones((2, 2)), (4,)], ids=repr)  # fmt: skip
@pytest.mark.parametrize("dtype", ["i1", "f4"])
@pytest.mark.parametrize("name", ["add", "equal", "logical_and"])
def test_other_operand_of_outer_may_be_a_number_or_array(name, dtype, other):
    host = np.arange(3).astype(dtype)
    x = usmx.asarray(host)
    for pair, mine in (((host, other), (x, other)), ((other, host), (other, x))):
        expected = getattr(np, name).outer(*pair)
        found = getattr(np, name).outer(*mine)
        assert type(found) is usmx.USMArray
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(usmx.asnumpy(found), expected)
