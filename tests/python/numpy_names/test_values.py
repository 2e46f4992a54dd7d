"""Functions by NumPy's names give what NumPy's give: values, types and shapes."""

import warnings

import numpy as np
import pytest
import usmx

rng = np.random.default_rng(66)
X = rng.normal(size=(4, 5)).round(3)  # values that occur once
ROW = rng.normal(size=12).round(3)
NANS = np.where(rng.random((4, 5)) < 0.3, np.nan, X)
NANS[2] = np.nan
N = rng.integers(-5, 6, size=(3, 4))
BITS = rng.integers(0, 2, size=(3, 11))
K = rng.integers(0, 7, size=40)
C = X + 1j * X[::-1]
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, 1e300, 5e-324])
EMPTY = np.zeros((0, 3))
WEIGHTS = rng.random((4, 5))
GRID = np.sort(rng.random(6))
CASES = {}


def case(text, *arrays):
    """A call, with `xp` for the module, and `a`, `b` and `c` for the arrays."""
    call = eval(f"lambda xp, a=None, b=None, c=None: {text}")
    CASES[f"{text} #{len(CASES)}"] = (text, call, arrays)


def cases(text, *arrays):
    for array in arrays:
        case(text, array)


# ---- creation
cases("xp.array(a, ndmin=3)", X, N, C)
case("xp.array([[1, 2], [3, 4]], dtype='f4')")
case("xp.array([1, 2.5, True])")
case("xp.identity(4)")
case("xp.identity(3, dtype='i4')")
for args in ("3", "3, 5", "3, 5, 1", "4, 2, -1", "4, None, -2, 'i4'"):
    case(f"xp.tri({args})")
for args in ("0, 2", "0, 2, 5", "0, 3, 4, False", "1, 4, 4, base=2.0"):
    case(f"xp.logspace({args})")
for args in ("1, 1000, 4", "1, 256, 9", "1000, 1, 4, endpoint=False", "-1, -8, 4"):
    case(f"xp.geomspace({args})")
cases("xp.vander(a)", ROW, N[0])
cases("xp.vander(a, 3, increasing=True)", ROW, N[0])
cases("xp.diagflat(a)", ROW, N)
case("xp.diagflat(a, -2)", ROW)
case("xp.fromfunction(lambda i, j: i * 10 + j, (3, 4))")
case("xp.fromfunction(lambda i, j: i == j, (3, 3), dtype=int)")
case("xp.fromiter((k * k for k in range(5)), 'f8')")
case("xp.fromstring('1, 2, 3', sep=',')")
case("xp.loadtxt(['1 2', '3 4'])")
case("xp.genfromtxt(['1,2', '3,'], delimiter=',')")
case("xp.mask_indices(4, xp.triu, 1)")
case("xp.asarray_chkfinite(a)", X)
case("xp.indices(n for n in (2, 3))")
for order in ("big", "little"):
    for axis in (None, 0, 1, -1):
        case(f"xp.packbits(a, {axis}, {order!r})", BITS)
        case(f"xp.unpackbits(xp.packbits(a, axis=1), {axis}, bitorder={order!r})", BITS)
for count in (5, -3, 20):
    case(f"xp.unpackbits(xp.packbits(a, axis=1), 1, {count})", BITS)
case("xp.broadcast(a, b).shape", X, ROW[:5])
case("xp.array2string(a)", N)
case("xp.array_str(a)", N)
# ---- elementwise
for name in ("deg2rad", "rad2deg", "radians", "degrees", "fabs", "sinc"):
    cases(f"xp.{name}(a)", X, X.astype("f4"))
    case(f"xp.{name}(a)", N)
cases("xp.i0(a)", X, X * 100, X.astype("f4"))
cases("xp.modf(a)", X * 10, SPECIAL)
cases("xp.frexp(a)", X * 10, SPECIAL, X.astype("f4"))
case("xp.ldexp(a, b)", X, rng.integers(-1100, 1100, X.shape))
case("xp.spacing(a)", SPECIAL)
cases("xp.rint(a)", X * 10, SPECIAL)
cases("xp.angle(a)", C, X)
case("xp.angle(a, True)", C)
cases("xp.nan_to_num(a)", SPECIAL, SPECIAL.astype("f4"), N, SPECIAL + 1j * SPECIAL[::-1])
case("xp.nan_to_num(a, nan=3.0, posinf=5.0, neginf=-5.0)", SPECIAL)
cases("xp.real_if_close(a)", C, X, X + 1e-18j)
for name in ("isposinf", "isneginf", "isreal", "iscomplex"):
    case(f"xp.{name}(a)", SPECIAL)
cases("xp.isreal(a)", C, N)
for name in ("fmod", "fmax", "fmin", "logaddexp2", "float_power", "heaviside", "remainder", "mod"):
    case(f"xp.{name}(xp.abs(a), b)", X * 10, X[::-1])
    case(f"xp.{name}(xp.abs(a), 2)", X)
cases("xp.fmod(a, 3)", N, N.astype("i1"), SPECIAL)
case("xp.fmod(a, b)", np.array([-1e-20, 1e300, 5.0]), np.array([1.0, 3.7, -3.0]))
case("xp.fmax(a, b)", SPECIAL, SPECIAL[::-1])
case("xp.fmin(a, b)", SPECIAL, SPECIAL[::-1])
case("xp.heaviside(a, 0.5)", SPECIAL)
case("xp.logaddexp2(a, b)", SPECIAL[:7], SPECIAL[6::-1])
for name in ("gcd", "lcm"):
    case(f"xp.{name}(a, b)", N, N[::-1])
    case(f"xp.{name}(a, 12)", N.astype("i4"))
cases("xp.bitwise_count(a)", N, N.astype("i1"), np.array([-128, 127], "i1"), K.astype("u2"))
cases("xp.divmod(a, 3)", N, X)
for options in ("", "axis=0", "discont=4", "period=2.0"):
    case(f"xp.unwrap(a, {options})", np.cumsum(X, axis=1) * 7)
case("xp.unwrap(a, period=4)", K)
case("xp.vectorize(lambda u, v: u + v)(a, b)", X, X)
for alias in (
    "absolute",
    "arcsin",
    "arctan",
    "arcsinh",
    "conjugate",
    "fix",
    "invert",
    "bitwise_not",
):
    case(f"xp.{alias}(a)", N if alias in ("invert", "bitwise_not") else X / 4)
for alias in ("arctan2", "power", "true_divide"):
    case(f"xp.{alias}(xp.absolute(a), b)", X, X[::-1])
cases("xp.left_shift(a, 2)", N)
for name in ("amax", "amin"):
    case(f"xp.{name}(a, axis=0)", X)
case("xp.around(a, 1)", X)
# ---- logic
for options in ("", ", equal_nan=True", ", rtol=1e-3", ", atol=1.0"):
    case(f"xp.isclose(a, b{options})", SPECIAL, SPECIAL * (1 + 1e-7))
    case(f"xp.allclose(a, b{options})", SPECIAL, SPECIAL * (1 + 1e-7))
case("xp.allclose(a, a)", X)
case("xp.allclose(a, a)", C)
case("xp.isclose(a, b)", N, N + 1)
case("xp.array_equiv(a, b)", np.ones((2, 3)), np.ones(3))
case("xp.array_equiv(a, b)", np.ones((2, 3)), np.ones(4))
for name in ("iscomplexobj", "isrealobj", "isfortran", "isscalar", "shape", "ndim", "size"):
    cases(f"xp.{name}(a)", X, C, EMPTY)
case("xp.size(a, 1)", X)
case("xp.common_type(a, b)", X.astype("f4"), N)
# ---- nan
for name in ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"):
    for axis in ("None", "0", "(0, 1)", "0, keepdims=True"):
        case(f"xp.{name}(a, axis={axis})", NANS[:2])
    case(f"xp.{name}(a)", N)
for name in ("nanargmax", "nanargmin"):
    case(f"xp.{name}(a)", NANS)
    case(f"xp.{name}(a, axis=1)", NANS[:2])
for name in ("nancumsum", "nancumprod", "cumsum", "cumprod"):
    case(f"xp.{name}(a)", NANS)
    case(f"xp.{name}(a, axis=1)", NANS)
    case(f"xp.{name}(a, 0)", N)
# ---- statistics
for name in ("median", "nanmedian"):
    for axis in ("None", "0", "1", "-1", "(0, 1)", "1, keepdims=True"):
        cases(f"xp.{name}(a, axis={axis})", X, NANS, N, X.astype("f4"))
for name in ("quantile", "nanquantile"):
    for method in (
        "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
        "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher",
        "midpoint", "nearest",
    ):  # fmt: skip
        cases(f"xp.{name}(a, [0.0, 0.1, 0.25, 0.5, 0.9, 1.0], axis=1, method={method!r})", X, NANS)
    cases(f"xp.{name}(a, [[0.2, 0.5]], axis=(0, 1), keepdims=True)", X, N)
    case(f"xp.{name}(a, 0.3)", X)
for name in ("percentile", "nanpercentile"):
    cases(f"xp.{name}(a, [5, 50, 97.5], axis=0)", X, NANS, N)
    case(f"xp.{name}(a, 50)", X)
case("xp.average(a)", X)
case("xp.average(a, axis=0, returned=True)", X)
case("xp.average(a, weights=b, returned=True)", X, WEIGHTS)
case("xp.average(a, axis=1, weights=b)", X, WEIGHTS[0])
case("xp.average(a, axis=0, weights=b, keepdims=True)", X, WEIGHTS)
case("xp.average(a, axis=0, weights=b)", N, N[:, 0] ** 2 + 1)
case("xp.average(a, axis=(1, 0), weights=b)", X, WEIGHTS.T)
case("xp.average(a, axis=0, weights=b, returned=True)", C.astype("c8"), WEIGHTS.astype("f4"))
cases("xp.average(a, axis=0, weights=[1, 2, 3, 4])", C.astype("c8"), C)
for axis in ("None", "0", "1", "1, keepdims=True"):
    cases(f"xp.ptp(a, axis={axis})", X, N)
for options in ("", ", rowvar=False", ", bias=True", ", ddof=0"):
    cases(f"xp.cov(a{options})", X, C, N)
case("xp.cov(a)", ROW)
case("xp.cov(a, b)", X, X[::-1] ** 2)
case("xp.cov(a, fweights=b)", X, np.array([1, 2, 3, 1, 2]))
case("xp.cov(a, aweights=b)", X, WEIGHTS[0])
case("xp.cov(a, aweights=b, fweights=c)", X, WEIGHTS[0], np.array([1, 2, 3, 1, 2]))
case("xp.cov(a, aweights=b, ddof=0)", X, WEIGHTS[0])
cases("xp.corrcoef(a)", X, C, ROW)
case("xp.corrcoef(a, rowvar=False)", X)
case("xp.corrcoef(a, b)", ROW, ROW[::-1])
case("xp.lexsort((a, b))", N[0], N[1])
case("xp.lexsort(a)", N)
cases("xp.sort_complex(a)", C, N, X)
# ---- histograms
cases("xp.bincount(a)", K, K.astype("u1"))
case("xp.bincount(a, minlength=20)", K)
case("xp.bincount(a, b)", K, rng.random(40))
case("xp.bincount(a)", np.zeros(0, int))
for right in (False, True):
    case(f"xp.digitize(a, b, right={right})", np.concatenate([ROW, GRID]), GRID)
    case(f"xp.digitize(a, b, {right})", np.concatenate([ROW, GRID]), GRID[::-1])
for options in ("", ", 7", ", 7, (-1, 1)", ", 7, density=True", ", [-1, 0, 0.5, 2]", ", 'auto'"):
    cases(f"xp.histogram(a{options})", X, N)
    cases(f"xp.histogram_bin_edges(a{options.replace(', density=True', '')})", X)
case("xp.histogram(a, 5, weights=b)", X, WEIGHTS)
case("xp.bincount(a, b)", K, 10.0 ** rng.integers(-20, 20, 40))
case("xp.bincount(a[:0], b[:0], 3)", K, ROW)
case("xp.histogram(a, b)", K, np.arange(7.0))
case("xp.histogram(a, 3)", EMPTY)
for options in ("", ", bins=3", ", bins=[2, 4]", ", bins=[-1, 0, 1, 2]", ", density=True, bins=3"):
    case(f"xp.histogram2d(a, b{options})", ROW, ROW[::-1])
case("xp.histogram2d(a, b, 3, [[-1, 1], [-2, 2]], weights=c)", ROW, ROW[::-1], WEIGHTS.ravel()[:12])
case("xp.histogramdd(a, 3)", X[:, :3])
case("xp.histogramdd((a, b), (2, 3), density=True)", ROW, ROW[::-1])
# ---- polynomials
for name in ("polyadd", "polysub", "polymul", "polydiv"):
    case(f"xp.{name}(a, b)", ROW[:5], ROW[5:8])
    case(f"xp.{name}(a, b)", ROW[:3], ROW[3:8])
case("xp.polyval(a, b)", ROW[:4], X)
cases("xp.polyder(a)", ROW, N[0])
case("xp.polyder(a, 2)", ROW)
cases("xp.polyint(a)", ROW, N[0])
case("xp.polyint(a, 2, [1, 2])", ROW)
case("xp.poly(a)", ROW[:4])
case("xp.roots(a)", ROW[:4])
case("xp.polyfit(a, b, 2)", ROW, ROW**2 + 1)
case("xp.polyfit(a, b, 1, cov=True)", ROW, ROW**3)
# ---- products
case("xp.dot(a, b)", X, X.T)
case("xp.dot(a, b)", X, ROW[:5])
case("xp.dot(a, 3)", X)
case("xp.dot(a, b)", np.ones((2, 3, 4)), np.ones((2, 4, 3)))
case("xp.inner(a, b)", X, ROW[:5])
case("xp.inner(a, b)", X, X)
case("xp.outer(a, b)", X, ROW)
case("xp.outer(a, b)", N, N)
case("xp.vdot(a, b)", C, C[::-1])
case("xp.vdot(a, b)", N, N)
case("xp.matvec(a, b)", X, ROW[:5])
case("xp.vecmat(a, b)", C[:, 0], C)
case("xp.trace(a)", X)
case("xp.trace(a, 1, dtype='f4')", X)
case("xp.cross(a, b)", X[:, :3], X[:, 2:])
case("xp.cross(a, b, axis=0)", X[:3], X[1:])
case("xp.cross(a, b, 0, -1, 0)", X[:3, :4], X[:, :3])
# ---- sets
for array in (K, N, NANS, EMPTY, C, N > 0):
    for options in ("", "return_index=True", "return_inverse=True", "return_counts=True",
                    "return_index=True, return_inverse=True, return_counts=True",
                    "equal_nan=False, return_counts=True"):  # fmt: skip
        case(f"xp.unique(a, {options})", array)
for axis in (0, 1, -1):
    case(f"xp.unique(a, axis={axis})", BITS[:, :2])
    case(f"xp.unique(a, True, True, True, {axis})", rng.integers(0, 2, (6, 2)))
for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
    case(f"xp.{name}(a, b)", K, N)
    case(f"xp.{name}(a, b)", N, EMPTY.astype(int))
    case(f"xp.{name}(a, b)", ROW, ROW[::2])
case("xp.intersect1d(a, b, return_indices=True)", K, N)
case("xp.setdiff1d(a, b, assume_unique=True)", ROW, ROW[::2])
# ---- shapes
cases("xp.ravel(a)", X, X.T, N)
case("xp.ravel(a, 'F')", X)
cases("xp.argwhere(a)", N, BITS, np.array(3), np.array(0), EMPTY)
cases("xp.flatnonzero(a)", N, EMPTY)
case("xp.piecewise(a, [a < 0, a >= 0], [lambda v: -v, lambda v: v * 2])", X)
case("xp.piecewise(a, [a < -1, a > 1], [-1, 1, 0])", X)
case("xp.piecewise(a, a < 0, [lambda v, k: v * k, 0], 3)", ROW)
case("xp.apply_along_axis(xp.sum, 0, a)", X)
case("xp.apply_along_axis(lambda r: r[::-1], 1, a)", X)
case("xp.apply_along_axis(lambda r: xp.stack([r, r]), 0, a)", np.arange(24.0).reshape(2, 3, 4))
case("xp.apply_over_axes(xp.sum, a, [0, 2])", np.arange(24).reshape(2, 3, 4))
# ---- signals
for mode in ("full", "same", "valid"):
    for name in ("convolve", "correlate"):
        case(f"xp.{name}(a, b, {mode!r})", ROW, ROW[:4])
        case(f"xp.{name}(a, b, {mode!r})", ROW[:5], ROW)
        case(f"xp.{name}(a, b, {mode!r})", C[0], C[1, :2])
        case(f"xp.{name}(a, b, {mode!r})", C[1, :2], C[0])
        case(f"xp.{name}(a, b, {mode!r})", N[0], N[1])
case("xp.interp(a, b, c)", ROW, GRID, GRID**2)
case("xp.interp(a, b, c, left=-7, right=7)", np.append(ROW, np.nan), GRID, GRID**2)
case("xp.interp(a, b, c, period=1.5)", ROW, ROW[:6], GRID)
case("xp.interp(2.5, [1, 2, 3], [3, 2, 0])")
for options in ("", ", to_end=3", ", to_begin=[1, 2], to_end=9"):
    cases(f"xp.ediff1d(a{options})", ROW, N)
for options in ("", ", 2.0", ", axis=0", ", edge_order=2", ", 0.5, axis=1, edge_order=2"):
    cases(f"xp.gradient(a{options})", X, N)
for order in (1, 2):
    case(f"xp.gradient(a, b, edge_order={order})", ROW[:6], GRID)
    case(f"xp.gradient(a, b, c, edge_order={order})", X, GRID[:4], GRID[:5])
case("xp.trapezoid(a)", X)
case("xp.trapezoid(a, dx=0.5, axis=0)", X)
case("xp.trapezoid(a, b)", X, GRID[:5])
case("xp.trapezoid(a, b, axis=0)", X, np.cumsum(WEIGHTS, axis=0))
for name in ("bartlett", "blackman", "hamming", "hanning"):
    for length in (0, 1, 2, 7, 12):
        case(f"xp.{name}({length})")
case("xp.kaiser(9, 8.6)")
case("xp.kaiser(6, 0)")
# ---- indices
case("xp.r_[1:4, 0, 7]")
case("xp.r_[a, 0, b]", ROW, ROW)
case("xp.r_['0,2', a, b]", ROW, ROW)
case("xp.r_['1,2,0', a, b]", ROW, ROW)
case("xp.r_[-1:1:5j, 2.5]")
case("xp.r_['-1', a, b]", X, X)
case("xp.c_[a, b]", ROW, ROW)
case("xp.c_[a, b]", X, X[:, :2])
case("xp.c_[0:3, 3:6]")
case("xp.mgrid[0:3, 1:5]")
case("xp.mgrid[0:1:3j, 0:2]")
case("xp.mgrid[0:4:0.5]")
case("xp.ogrid[0:3, 1:5:2]")
case("a[xp.s_[1:, ::2]]", X)
case("a[xp.index_exp[1:]]", X)


def flat(result):
    return (
        [each for part in result for each in flat(part)]
        if isinstance(result, tuple | list)
        else [result]
    )


def compare(found, expected):
    if not isinstance(found, usmx.USMArray):
        assert found == expected
        return
    mine, theirs = usmx.asnumpy(found), np.asarray(expected)
    assert mine.shape == theirs.shape
    if theirs.size:  # NumPy's type of nothing is float64
        assert mine.dtype == theirs.dtype
    single = theirs.dtype.char in "fF"
    np.testing.assert_allclose(
        mine, theirs, rtol=2e-5 if single else 1e-10, atol=1e-6 if single else 1e-12
    )


@pytest.mark.parametrize("name", CASES)
def test_call_gives_what_numpys_gives(name):
    _, call, arrays = CASES[name]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = flat(call(np, *(array.copy() for array in arrays)))
        found = flat(call(usmx, *map(usmx.asarray, arrays)))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        compare(one, other)


@pytest.mark.parametrize("count", [3, 1500])
@pytest.mark.parametrize("equal_nan", [True, False])
def test_rows_with_nan_are_all_different_as_in_numpy(count, equal_nan):
    rows = np.array([[1, np.nan]] * count + [[0, 0]] * 2)
    found = usmx.unique(usmx.asarray(rows), axis=0, equal_nan=equal_nan)
    np.testing.assert_array_equal(usmx.asnumpy(found), np.unique(rows, axis=0, equal_nan=equal_nan))


@pytest.mark.parametrize("count", [1, 3000])
def test_nan_is_in_no_order_with_other_edges(count):
    x = np.zeros(count)
    found = usmx.digitize(usmx.asarray(x), [-1.0, np.nan])
    np.testing.assert_array_equal(usmx.asnumpy(found), np.digitize(x, [-1.0, np.nan]))


def test_sorter_may_be_a_list():
    found = usmx.searchsorted(usmx.asarray([3, 1, 2]), [2], sorter=[1, 2, 0])
    assert usmx.asnumpy(found).tolist() == [1]


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_complex_numbers_have_no_quantiles(name):
    with pytest.raises(TypeError, match=f"{name}: the elements must be real numbers, found compl"):
        getattr(usmx, name)(usmx.asarray(C), 0.5)


def test_setxor1d_compares_in_the_type_of_the_result():
    for x, y in (
        (np.asarray([2**53], "i8"), np.asarray([2**53 + 1, 2**53 + 3], "u8")),  # merge in float64
        (np.asarray([1], "i8"), np.asarray([2**53, 2**53 + 1], "u8")),
        (np.asarray([], "i4"), np.asarray([], "i4")),
        (np.asarray([np.nan, 1.0]), np.asarray([np.nan, 2.0])),
    ):
        found = usmx.setxor1d(usmx.asarray(x), usmx.asarray(y))
        np.testing.assert_array_equal(usmx.asnumpy(found), np.setxor1d(x, y), strict=True)
    repeated = np.asarray([1, 1, 3])
    found = usmx.setxor1d(usmx.asarray(repeated), [3, 4], assume_unique=True)
    assert usmx.asnumpy(found).tolist() == np.setxor1d(repeated, [3, 4], True).tolist()
