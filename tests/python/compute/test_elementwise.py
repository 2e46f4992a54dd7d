"""The element-wise functions of the table: NumPy's results in every type, or as near as the table says."""

import math
import operator

import numpy as np
import pytest
import usmx
from accuracy import bound_of, table_errors, table_results
from fused_programs import is_same
from table_kernels import DTYPES, NUMPYS, computed, rows_of
from usmx._compute.call import compute, launch
from usmx._compute.table import ROWS


@pytest.fixture(scope="module", params=[(dtype, n) for dtype in DTYPES for n in (1, 2)], ids=str)
def results(request):
    dtype, count = request.param
    return dtype, *table_results(dtype, count)


@pytest.mark.drawn(3)
@pytest.mark.slow
def test_functions_are_numpys_or_as_near_as_the_table_says(results):
    dtype, all_operands, found = results
    assert len(found) >= 14
    for name, of_all in found.items():
        bound = bound_of(name, dtype)
        errors, operands, of_function = table_errors(name, dtype, all_operands, of_all)
        wrong = np.flatnonzero(~(errors <= bound))
        examples = [
            (*(e[k] for e in operands), of_function[k], float(errors[k])) for k in wrong[:3]
        ]
        assert examples == [], f"{name} of {dtype}: {wrong.size} of {errors.size}"


# ---- where NumPy has another rule


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_floor_divide_of_infinities_is_the_array_apis(dtype):
    inf, nan = np.inf, np.nan
    cases = [
        (inf, 2, inf), (inf, -2, -inf), (-inf, 2, -inf), (inf, inf, nan), (1, inf, 0.0), (1, -inf, -0.0), (-1, inf, -0.0),
        (-1, -inf, 0.0), (0.0, -inf, -0.0), (1, 0.0, inf), (-1, 0.0, -inf), (0.0, 0.0, nan), (nan, 1, nan),
    ]  # fmt: skip
    x, y, wanted = (np.array(column, dtype) for column in zip(*cases, strict=True))
    found = usmx.asnumpy(usmx.floor_divide(usmx.asarray(x), usmx.asarray(y)))
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found[wanted == 0]), np.signbit(wanted[wanted == 0]))


@pytest.mark.parametrize("dtype", ["i1", "i8"])
def test_negative_exponents_of_integers_give_the_whole_part(dtype):
    x = np.array([2, 1, -1, -1, 0, -2], dtype)
    y = np.array([-1, -3, -3, -2, -1, -1], dtype)
    assert (usmx.asarray(x) ** usmx.asarray(y)).tolist() == [0, 1, -1, 1, 0, 0]


PARTS = [0.0, -0.0, 1.0, -2.5, 100.0, np.inf, -np.inf, np.nan]
CORNERS = np.array([complex(x, y) for x in PARTS for y in PARTS])


def test_special_complex_numbers_of_inverse_functions_are_as_c99_has_them():
    """NumPy has them from the C library. C99 leaves some signs open."""
    results = computed("c16", [CORNERS])
    for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh"):
        with np.errstate(all="ignore"):
            numpys = NUMPYS[name](CORNERS)
        found = results[name]
        is_open = np.isnan(numpys) | np.isnan(found) | np.isnan(CORNERS)
        for part in ("real", "imag"):
            a, b = getattr(found, part), getattr(numpys, part)
            np.testing.assert_allclose(
                np.where(is_open, np.abs(a), a), np.where(is_open, np.abs(b), b), 1e-14
            )
            zeros = ~is_open & (a == 0)
            np.testing.assert_array_equal(
                np.signbit(a[zeros]), np.signbit(b[zeros]), f"{name}, {part} part"
            )


SEE_SIGN_OF_NAN = {"signbit", "copysign"}


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_sign_of_nan_decides_no_number(dtype, count):
    """No standard says which sign a NaN has that was computed: one compiler's differs from another's."""

    def results(sign):
        parts = np.array([*PARTS[:-1], math.copysign(np.nan, sign)])
        if np.dtype(dtype).kind == "c":
            numbers = np.empty((parts.size, parts.size), dtype)
            numbers.real, numbers.imag = parts[:, None], parts
        else:
            numbers = parts.astype(dtype)
        operands = np.meshgrid(*[numbers] * count)
        return computed(dtype, [each.ravel() for each in operands])

    positive, negative = results(1), results(-1)
    assert positive.keys() == rows_of(dtype, count).keys()
    for name in positive.keys() - SEE_SIGN_OF_NAN:
        assert is_same(positive[name], negative[name]), name


@pytest.mark.parametrize("exponent", [0, 0.5, 1, -1, 2, 3, -2, np.inf, np.nan])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_powers_with_frequent_exponents_are_those_of_c(dtype, exponent):
    """As a number and as an array; NumPy takes C's function for an array of exponents."""
    edges = [5e-324, 1e-160, 1e-45, 3e-23, 1e-19, 6e-8, 1e-3, 40, 1e13, 1e19, 1e103, 1e154]
    with np.errstate(all="ignore"):
        random = np.random.default_rng(3).normal(size=500) * 10
        host = np.concatenate([[*PARTS, *edges, *(-e for e in edges)], random]).astype(dtype)
        exponents = np.full_like(host, exponent)
        wanted = np.power(host.astype("g"), exponents.astype("g")).astype(dtype)
        if dtype == "f2":  # computed in float32
            wanted = np.power(host.astype("f4"), exponents.astype("f4")).astype(dtype)
    x = usmx.asarray(host)
    found = usmx.asnumpy(x**exponent)
    assert found.dtype == host.dtype
    assert is_same(found, usmx.asnumpy(x ** usmx.asarray(exponents)))
    is_number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[is_number]), np.signbit(wanted[is_number]))
    finite = np.isfinite(wanted) & np.isfinite(found)
    np.testing.assert_array_equal(found[~finite], wanted[~finite])
    np.testing.assert_array_max_ulp(found[finite], wanted[finite], 2)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_powers_of_special_complex_numbers_are_nan_only_where_numpys_are(dtype):
    large = 1e30 if dtype == "c8" else 1e200
    parts = [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, large, 1 / large, 2.5]
    numbers = np.array([complex(x, y) for x in parts for y in parts], dtype)
    few = [2, -2, 3, -3, 4, 5, 7, -7, 0.5, -0.5, 99, 100, 101, -100]
    base, power = map(
        np.ravel, np.meshgrid(numbers, np.concatenate([numbers, np.array(few, dtype)]))
    )
    with np.errstate(all="ignore"):
        numpys = np.power(base, power)
        # A logarithm times such a power leaves too few digits of the angle for its quadrant.
        has_angle = ~((abs(power) >= 100) & np.isfinite(power) & np.isfinite(base))
        size = abs(numpys)
    found = usmx.asnumpy(usmx.pow(usmx.asarray(base), usmx.asarray(power)))
    for part in ("real", "imag"):
        a, b = getattr(found, part), getattr(numpys, part)
        assert not np.any(np.isnan(a) & ~np.isnan(b))
        is_infinite = np.isinf(b) & has_angle
        np.testing.assert_array_equal(a[is_infinite], b[is_infinite])
        is_finite = np.isfinite(b) & np.isfinite(size) & has_angle
        unit = 64 * np.finfo(b.dtype).eps
        error = abs(a[is_finite] - b[is_finite])
        assert np.all(error <= unit * size[is_finite] + np.finfo(b.dtype).tiny)


# ---- the table itself


def test_every_row_is_tested():
    tested = {name for dtype in DTYPES for n in (1, 2) for name in rows_of(dtype, n)}
    assert tested == {name for name, row in ROWS.items() if len(row.operands) < 3}


@pytest.mark.parametrize("x", [np.ones(3), "text"], ids=repr)
def test_what_is_no_array_says_what_makes_one(x):
    for call in (usmx.sin, lambda operand: usmx.add(operand, operand)):
        with pytest.raises(TypeError, match=r"usmx\.asarray makes (arrays$|one\), found ndarray$)"):
            call(x)


LISTS = {
    "operators": lambda a: [
        a - [1, 2.5, 3],
        [1, 2, 3] * a,
        a ** (2, 1, 0),
        divmod([7, 8, 9], a)[1],
        [1, 2, 3] @ a,
    ],
    "comparisons": lambda a: [
        a == [1, 5, 4],
        a != (1, 2, 4),
        a < [[2], [9]],
        operator.eq([1, 5, 4], a),
    ],
    "ufuncs": lambda a: [
        np.add([1, 2, 3], a),
        np.maximum(a, (2, 2, 2)),
        np.where(a > [1, 1, 9], a, [7, 8, 9]),
    ],
    "nested arrays": lambda a: [a == [a[0], 2, a[2]], a - [a, a * 2]],
    "lists of one type": lambda a: [
        a * [True, False, True],
        a * [1j, 2, 3],
        a.clip([2, 2, 2], (3, 3, 3)),
    ],
}


@pytest.mark.parametrize("function", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("dtype", ["i2", "f4"])
def test_lists_among_operands_give_what_numpy_gives(function, dtype):
    host = np.array([1, 2, 4], dtype)
    for found, numpys in zip(function(usmx.asarray(host)), function(host), strict=True):
        assert found.dtype == numpys.dtype
        np.testing.assert_allclose(usmx.asnumpy(found), numpys, rtol=1e-6)


def test_list_is_added_in_place_where_its_type_stays():
    array = usmx.asarray([1, 2])
    array += [3, 4]
    assert array.tolist() == [4, 6]
    with pytest.raises(TypeError, match="cannot be written to an array of type int64"):
        array += [0.5, 1]
    assert [1, 2] not in array
    assert [9, 6] in array


@pytest.mark.parametrize(
    "values", [["x", "y"], [None, 1], [[1], [2, 3]], ("x",), [2**70, None]], ids=repr
)
def test_list_of_other_things_is_no_operand(values):
    array = usmx.asarray([1, 2])
    assert (array == values) is False
    assert (array != values) is True
    with pytest.raises(TypeError, match="unsupported operand"):
        array + values
    with pytest.raises(TypeError, match="x2 must be a USMArray, a number or a list of numbers"):
        usmx.add(array, values)


LONG = [2**70, -(2**70), 2**64, 2**63, -(2**63) - 1, 2**63 - 1, -1, 0, 1, 3]


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "u8"])
def test_integers_that_no_type_has_are_compared_exactly(name, dtype):
    limits = np.iinfo(dtype) if dtype != "?" else None
    elements = [0, 1, 3, *([limits.min, limits.max] if limits else [])]
    host = np.array(elements, dtype)
    array, numpys = usmx.asarray(host), getattr(np, name)
    function = getattr(usmx, name)
    columns = host[:, None]
    assert usmx.asnumpy(function(array[:, None], LONG)).tolist() == numpys(columns, LONG).tolist()
    assert usmx.asnumpy(function(LONG, array[:, None])).tolist() == numpys(LONG, columns).tolist()
    out = usmx.zeros((host.size, len(LONG)), bool)
    assert function(array[:, None], LONG, out=out) is out
    assert out.tolist() == numpys(columns, LONG).tolist()


@pytest.mark.parametrize("dtype", ["?", "i4", "u8"])
def test_integers_that_no_type_has_are_searched(dtype):
    host = np.array([0, 1, 3], dtype)
    array = usmx.asarray(host)
    for invert in (False, True):
        expected = np.isin(host, LONG, invert=invert).tolist()
        assert usmx.isin(array, LONG, invert=invert).tolist() == expected
        expected = np.isin(LONG, host, invert=invert).tolist()
        assert usmx.isin(LONG, array, invert=invert).tolist() == expected
    for side in ("left", "right"):
        expected = np.searchsorted(host.astype(object), LONG, side).tolist()
        assert usmx.searchsorted(array, LONG, side).tolist() == expected


def test_integers_that_no_type_has_are_floats_beside_floats_and_overflow_elsewhere():
    assert usmx.add(usmx.asarray([1.0, 2.0]), [2**70, 1]).tolist() == [2.0**70 + 1, 3]
    assert (usmx.asarray([1j, 2]) == [2**70, 2]).tolist() == [False, True]
    with pytest.raises(OverflowError, match="add: Python integer -1180591620717411303424 out of"):
        usmx.add(usmx.asarray([1, 2]), [-(2**70), 1])
    for call in (lambda: usmx.equal([2**70], [1]), lambda: usmx.negative([2**70])):
        with pytest.raises(OverflowError, match="Python integer .* out of bounds for int64"):
            call()
    assert usmx.isin(usmx.asarray([1, 2]), [2**70, 2**80]).tolist() == [False, False]


def test_list_of_another_length_does_not_fit():
    with pytest.raises(ValueError, match=r"broadcast together, found \(2,\), \(3,\)"):
        _ = usmx.asarray([1, 2]) == [1, 2, 3]


# ---- the type of the result


@pytest.mark.parametrize("name", ["add", "divide", "floor_divide", "pow", "sqrt", "abs"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_operands_are_converted_to_the_type_that_is_asked_for(name, dtype):
    host = np.array([1, 4, 9], "i4")
    array = usmx.asarray(host)
    others = [] if name in ("sqrt", "abs") else [2]
    theirs = getattr(np, {"pow": "power"}.get(name, name))
    expected = theirs(host, *others, dtype=dtype)
    for function in (getattr(usmx, name), theirs):
        found = function(array, *others, dtype=dtype)
        assert found.dtype == dtype
        np.testing.assert_array_equal(usmx.asnumpy(found), expected)


def test_type_of_another_kind_is_refused():
    array = usmx.ones(3)
    with pytest.raises(TypeError, match="cannot be cast to int32"):
        usmx.add(array, 1, dtype="i4")
    with pytest.raises(TypeError, match="equal takes no dtype=: its result is bool"):
        usmx.equal(array, 1, dtype="f4")
    assert usmx.add(1, 2, dtype="f4").dtype == "f4"
    with pytest.raises(TypeError, match="fuse: add takes no dtype="):
        usmx.fuse(lambda x: usmx.add(x, 1, dtype="f4"))(array)


@pytest.mark.parametrize("decimals", [-1, 0, 1])
def test_rounding_takes_decimals(decimals):
    host = np.array([12.34, -5.55, 15.0])
    array = usmx.asarray(host)
    out = usmx.empty(3)
    assert usmx.round(array, decimals, out=out) is out
    for found in (out, usmx.round(array, decimals=decimals)):
        np.testing.assert_allclose(usmx.asnumpy(found), host.round(decimals))


WITH_BOOLS = {
    "add": lambda x, y: x + y,
    "add transposed": lambda x, y: x.T + y.T,
    "add to transposed": lambda x, y: x.T + y.reshape(x.T.shape),
    "not": lambda x, y: ~x,
    "equal": lambda x, y: x == True,  # noqa: E712
    "maximum": lambda x, y: np.maximum(x, x[::-1]) * 1,
    "where": lambda x, y: np.where(x, y, 0),
    "sum": lambda x, y: x.sum(),
    "sums of columns": lambda x, y: x.sum(axis=0),
    "sums of rows": lambda x, y: x.sum(axis=1),
    "greatest": lambda x, y: x.max(axis=0) * 1,
    "places": lambda x, y: x.argmax(axis=1),
    "place": lambda x, y: x.argmax(),
    "count": lambda x, y: np.count_nonzero(x),
    "cumulative sums": lambda x, y: x.cumsum(0),
    "sorted": lambda x, y: np.sort(x, axis=0) * 1,
    "found": lambda x, y: np.isin(x, x[:1, :1]),
    "values": lambda x, y: np.unique_values(x) * 1,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_BOOLS)
def test_any_byte_but_zero_is_true(name):
    """A view makes bools of integers; a bool of C++ has the bytes 0 and 1 alone."""
    function = WITH_BOOLS[name]
    raw = np.random.default_rng(1).choice(np.array([0, 1, 2, 7, 255], "u1"), (130, 70))
    numbers = np.arange(raw.size).reshape(raw.shape) % 9
    for rows in (slice(None), slice(0, 1)):  # by a kernel, and by the host
        expected = function(raw[rows] != 0, numbers[rows])
        mine = [usmx.asarray(each[rows], usm_type="shared") for each in (raw, numbers)]
        found = function(mine[0].view("?"), mine[1])
        assert np.array_equal(usmx.asnumpy(found), expected)


NUMBERS = (2, 2.5, True, 2j, np.float32(3), np.int8(3))


@pytest.mark.parametrize("name", ["add", "subtract", "divide", "floor_divide", "less", "greater"])
@pytest.mark.parametrize("first", NUMBERS, ids=repr)
def test_numbers_alone_compute_on_the_current_queue(name, first):
    queue = usmx.SyclQueue()
    for second in NUMBERS:
        if name == "floor_divide" and first is second is True:
            continue  # usmx does not divide bools so
        try:
            expected = getattr(np, name)(first, second)
        except TypeError:
            continue  # complex numbers have no such function
        with usmx.using_queue(queue):
            found = getattr(usmx, name)(first, second)
        assert found.sycl_queue == queue
        assert found.shape == ()
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=1e-6)


def test_lists_compute_on_the_current_queue():
    queue = usmx.SyclQueue()
    with usmx.using_queue(queue):
        made = usmx.add([1, 2], (3, 4)), usmx.where([True, False], [1, 2], 5), usmx.sum(range(5))
        made += (*usmx.nonzero([1, 2, 0]), usmx.concat([[1], (2, 3)]), usmx.sort([3, 1]))
    assert [each.tolist() for each in made] == [[4, 6], [1, 5], 10, [0, 1], [1, 2, 3], [1, 3]]
    assert {each.sycl_queue for each in made} == {queue}
    for wrong in (["x"], [None], [[1], [1, 2]]):
        with pytest.raises((TypeError, ValueError)):
            usmx.add(wrong, wrong)
        with pytest.raises((TypeError, ValueError)):
            usmx.sum(wrong)


def test_one_number_computes_on_the_current_queue():
    assert usmx.sin(0.0).tolist() == 0
    assert usmx.where(True, 1, 2.0).tolist() == 1
    with pytest.raises(TypeError, match="add: x1 must be an object with __sycl_usm_array_"):
        usmx.add(np.ones(2), 1)


def test_bounds_of_clip_have_numpys_names_too():
    x = usmx.asarray([1, 5, 9])
    for low, high in ((2, 6), (2, None), (None, 6)):
        expected = np.clip(usmx.asnumpy(x), a_min=low, a_max=high)
        for names in (("a_min", "a_max"), ("min", "max")):
            found = usmx.clip(x, **dict(zip(names, (low, high), strict=True)))
            np.testing.assert_array_equal(usmx.asnumpy(found), expected)
    with pytest.raises(ValueError, match="a_min and a_max, found both"):
        usmx.clip(x, 1, a_max=3)


NUMBERS_OF_TRUTH = [1e300, -1e300, 1e-60, 300, -1, 2**31, 2**64, 10**400, 1e-300j, 0, 0.0, -0.0, 0j]
NUMBERS_OF_TRUTH += [True, False, math.nan, math.inf]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "u8", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("size", [4, 40_000])
@pytest.mark.filterwarnings("error")
def test_only_the_truth_of_numbers_counts_for_logical_functions(name, dtype, size):
    """By the host and by kernels, for numbers that the type lacks or rounds to 0."""
    host = (np.arange(size) % 4).astype(dtype)
    array = usmx.asarray(host)
    for number in NUMBERS_OF_TRUTH:
        expected = getattr(np, name)(host, bool(number))
        for found in (getattr(usmx, name)(array, number), getattr(usmx, name)(number, array)):
            np.testing.assert_array_equal(usmx.asnumpy(found), expected, f"{number}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_first_of_two_zeros_is_the_result_of_hosts_and_kernels(name, dtype):
    """docs/decisions.md, 159: kernels for more than 1 MiB, host loops below."""
    function = getattr(usmx, name)
    for size in (1, 2, 7, 33, 600_000):
        host = np.where(np.arange(size) % 3 == 0, -0.0, 0.0).astype(dtype)
        x = usmx.asarray(host)
        for first, second in ((x, -x), (x, 0.0), (x, -0.0)):
            found = np.signbit(usmx.asnumpy(function(first, second)))
            np.testing.assert_array_equal(found, np.signbit(host))
        for number in (0.0, -0.0):
            found = np.signbit(usmx.asnumpy(function(number, x)))
            np.testing.assert_array_equal(found, np.signbit(np.full(size, number)))
        limits = (-1.0, -0.0) if name == "minimum" else (0.0, 1.0)
        found = np.signbit(usmx.asnumpy(usmx.clip(x, *limits)))
        np.testing.assert_array_equal(found, np.signbit(host))


# ---- complex numbers

PARTS = [0.0, -0.0, 2.0, -3.0, math.inf, -math.inf, math.nan]
NUMBERS = [complex(x, y) for x in PARTS for y in PARTS]


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "other"),
    [("c8", "i1"), ("c8", "f4"), ("c8", "c8"), ("c16", "u8"), ("c16", "f8"), ("c16", "?")],
)
def test_products_and_quotients_of_complex_numbers_are_numpys(dtype, other):
    if np.dtype(other).kind in "fc":
        others = NUMBERS if other[0] == "c" else PARTS
    else:
        others = [0, 1, 3] if other != "?" else [False, True]
    z = np.repeat(np.array(NUMBERS, dtype), len(others))
    x = np.tile(np.array(others, other), len(NUMBERS))
    for name, operands in (("multiply", (z, x)), ("multiply", (x, z)), ("divide", (x, z))):
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(*operands)
        for way in (compute, launch):
            found = usmx.asnumpy(way(ROWS[name], tuple(map(usmx.asarray, operands))))
            assert found.dtype == expected.dtype
            for part in ("real", "imag"):
                mine, theirs = getattr(found, part), getattr(expected, part)
                np.testing.assert_array_equal(mine, theirs)
                signs = (np.signbit(mine) == np.signbit(theirs)) | np.isnan(mine)
                assert signs.all(), (name, way, z[~signs], x[~signs])
