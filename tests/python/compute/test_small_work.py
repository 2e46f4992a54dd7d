"""Little work is the host's: the same bits as the kernels', and only where nobody can tell."""

import operator

import numpy as np
import pytest
import usmx
from helpers import DENSITY, drawn
from table_kernels import computed, values
from usmx._compute.table import ROWS
from usmx._core import _row_function

ON_HOST = {name: _row_function(name, "host") for name in ROWS if _row_function(name, "host")}
KERNELS = {name: _row_function(name, "kernel") for name in ON_HOST}
TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8"]
SHARE = (
    3 if DENSITY < 1 else 1
)  # of so many types that become another one, one has a kernel of its own
CHUNK = 1_003  # elements: no whole number of vectors

reaches_memory = _row_function("add", "host")(usmx.ones(1), usmx.ones(1)) is not None
pytestmark = pytest.mark.skipif(not reaches_memory, reason="the host does not reach the memory")


def chunked(function, operands):
    """The host's results for arrays of any length."""
    parts = []
    for start in range(0, operands[0].size, CHUNK):
        part = function(*(usmx.asarray(each[start : start + CHUNK]) for each in operands))
        parts.append(usmx.asnumpy(part))
    return np.concatenate(parts)


def is_same(found, expected):
    """Also the signs of zeros; all NaN are one."""

    def bits(array):
        if array.dtype.kind in "fc":
            array = np.array(array, order="C", ndmin=1).view(np.zeros(1, array.dtype).real.dtype)
            array[np.isnan(array)] = np.nan
        return array.tobytes()

    return found.dtype == expected.dtype and bits(found) == bits(expected)


def tried(dtype, count):
    """Functions of so many operands that the host has for the type."""
    one = [usmx.ones(1, dtype)] * count
    usmx.sin(usmx.ones(2000, "f4")).wait()  # the driver loads its functions with the first of them

    def is_there(name):
        try:
            return ON_HOST[name](*one) is not None
        except TypeError:  # it is not defined for the type
            return False

    return [name for name in ON_HOST if len(ROWS[name].operands) == count and is_there(name)]


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("dtype", TYPES)
def test_results_have_the_bits_of_the_kernels(dtype, count):
    names = tried(dtype, count)
    assert len(names) >= 4
    with np.errstate(all="ignore"):
        operands = values(np.random.default_rng(46), dtype, count)
        by_kernels = computed(dtype, operands)
        for number, name in enumerate(names):
            # Beside its cosine, a kernel computes a sine in another way, and beside others products.
            if ROWS[name].errors[0] if dtype != "c8" else name in ("multiply", "square"):
                if dtype[0] not in "fc" and (number + TYPES.index(dtype)) % SHARE:
                    continue  # a kernel each: of the nine types that become floating-point ones, three
                made = KERNELS[name](*map(usmx.asarray, operands), None)
                expected = usmx.asnumpy(made)
            else:
                expected = by_kernels[name]
            assert is_same(chunked(ON_HOST[name], operands), expected), name


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_numbers_that_the_driver_is_not_asked_for_have_the_bits_of_the_kernels(dtype):
    rare = [np.nan, np.inf, 0, 1e-45, 1e-40, 3e-30, 2e-19, 3e-17, 0.7, 2e17, 1e19, 7e25, 2e38, 3e38]
    some = np.concatenate([rare, np.negative(rare)]).astype(dtype)
    x, y = (each.ravel() for each in np.meshgrid(some, some))
    units = np.finfo(dtype).eps * 4, np.finfo(dtype).smallest_subnormal * 2
    with np.errstate(all="ignore"):
        for name in ("sin", "cos", "expm1", "hypot", "abs"):
            numbers = np.stack([x, y], -1).view({"f4": "c8", "f8": "c16"}[dtype])[:, 0]
            operands = {"hypot": (x, y), "abs": (numbers,)}.get(name, (x,))
            arrays = [usmx.asarray(each) for each in operands]
            found = usmx.asnumpy(ON_HOST[name](*arrays))
            assert is_same(found, usmx.asnumpy(KERNELS[name](*arrays, None)))
            np.testing.assert_allclose(found, getattr(np, name)(*operands), *units)


def test_nearly_all_exact_rows_are_there():
    exact = {name for name, row in ROWS.items() if row.errors[0] == 0}
    assert exact <= ON_HOST.keys()
    assert {name for d in TYPES for n in (1, 2, 3) for name in tried(d, n)} == set(ON_HOST)


NUMBERS = [True, 3, -3, 2.5, float("inf"), 1e300, 2**40]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f4", "f8"])
def test_numbers_are_as_numpys(dtype, number):
    host = np.arange(1, 8).astype(dtype)
    array = usmx.asarray(host)
    for function in (operator.add, operator.mul, operator.lt, operator.truediv):
        for flip in (False, True):
            mine, numpys = ((number, a) if flip else (a, number) for a in (array, host))
            try:
                with np.errstate(all="ignore"):
                    expected = function(*numpys)
            except OverflowError:
                with pytest.raises(OverflowError):
                    function(*mine)
                continue
            with np.errstate(all="ignore"):
                found = function(*mine)
            if function is operator.truediv and expected.dtype == "f2":
                continue  # of small integers, where the array API has the default type
            assert is_same(usmx.asnumpy(found), expected)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_first_of_equal_numbers_and_any_nan_is_chosen(dtype):
    some = np.array([np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -2.5, 1e-42, 7.0], dtype)
    x, low, high = (each.ravel() for each in np.meshgrid(some, some, some))
    a, b, c = (usmx.asarray(each) for each in (x, low, high))
    greater = np.where(np.isnan(x) | (x >= low), x, low)
    smaller = np.where(np.isnan(x) | (x <= low), x, low)
    clipped = np.where(np.isnan(greater) | (greater <= high), greater, high)
    for found, expected in (
        (usmx.maximum(a, b), greater),
        (usmx.minimum(a, b), smaller),
        (usmx.clip(a, b, c), clipped),
    ):
        assert np.abs(usmx.asnumpy(found)).tobytes() == np.abs(expected).tobytes()
        signs = [np.signbit(each)[~np.isnan(expected)] for each in (usmx.asnumpy(found), expected)]
        np.testing.assert_array_equal(*signs)


def test_results_are_written_to_an_operand_and_to_others():
    host = np.linspace(-2, 2, 50)
    array, out = usmx.asarray(host), usmx.zeros(50)
    same = array
    array += 1
    array *= array
    assert same is array
    assert is_same(usmx.asnumpy(array), (host + 1) * (host + 1))
    assert usmx.sqrt(array, out=out) is out
    assert is_same(usmx.asnumpy(out), np.sqrt((host + 1) * (host + 1)))
    truth = usmx.zeros(50, "?")
    usmx.less(out, 1, out=truth)
    assert is_same(usmx.asnumpy(truth), usmx.asnumpy(out) < 1)


add = _row_function("add", "host")
one = usmx.ones(4)


def busy():
    array = usmx.zeros(4)
    usmx.copy_async(array, usmx.ones(1 << 22)[:4])
    kernel = usmx.ElementwiseKernel("raw float64 x", "float64 y", "for (long k = 0; k < 20000; ++k) y += x[k % 4];", "slow")  # fmt: skip
    kernel(usmx.ones(4), out=array)
    return array


@pytest.mark.parametrize(
    "operands",
    [
        lambda: (usmx.ones(1 << 18), 1),
        lambda: (usmx.ones((1, 2000)), usmx.ones((2000, 1))),
        lambda: (usmx.zeros(0), 1),
        lambda: (usmx.zeros(4, "i1"), 300),
        lambda: (usmx.zeros(4, "f4"), 1e300),
        lambda: (one, np.ones(4)),
        lambda: (one, None),
        lambda: (1, 2),
        lambda: (usmx.zeros(4, dtype=[("x", "f4")]), 1),
        lambda: (one, usmx.ones(4, sycl_queue=usmx.SyclQueue())),
        lambda: (one, usmx.ones(4, usm_type="shared")),
        lambda: (one, one, usmx.zeros(4, "f4")),
        lambda: (one, one, usmx.zeros(5)),
        lambda: (one, one, usmx.zeros(4).readonly()),
        lambda: (one[:3], one[:3], one[1:]),
        lambda: (busy(), 1),
        lambda: (1, one, busy()),
    ],
)  # fmt: skip
def test_other_calls_are_left_to_kernels(operands):
    assert add(*operands()) is None


def test_what_kernels_only_read_the_host_reads_too():
    array = usmx.ones(4)
    kernel = usmx.ElementwiseKernel("raw float64 x", "float64 y", "for (long k = 0; k < 20000; ++k) y += x[k % 4];", "slow")  # fmt: skip
    sums = usmx.zeros(4)
    kernel(array, out=sums)
    assert add(array, 1).tolist() == [2] * 4
    array += 1
    assert sums.tolist() == [20000] * 4


def test_memory_that_others_work_on_is_left_to_kernels():
    dpnp = pytest.importorskip("dpnp")
    array = usmx.ones(4)
    theirs = usmx.to_dpnp(array)
    assert add(array, 1) is None
    for k in range(2, 30):
        theirs += dpnp.sum(dpnp.ones(100_000)) / 100_000
        assert (array + 1).tolist() == [k + 1] * 4


def test_results_may_be_written_over_part_of_an_operand_by_kernels():
    array = usmx.arange(6.0)
    usmx.add(array[:4], array[:4], out=array[1:5])
    assert array.tolist() == [0, 0, 2, 4, 6, 5]


# Of a few functions, which have all forms of loops: each kind of layout is a kernel of its own.
FORMS = ["negative", "subtract", "less", "where", "clip"]
VIEWS = {
    "strided": lambda a: a[::2, 1:-1],
    "transposed": lambda a: a.T,
    "backwards": lambda a: a[::-1, ::-1],
    "a row for all": lambda a: a[:1],
    "a column for all": lambda a: a[:, :1],
    "one element": lambda a: a[1, 1],
}


def views(dtype, name):
    """The same view of an array that no kernel reads, and of one that kernels do."""
    random = np.random.default_rng(11)
    host = (random.standard_normal((12, 12)) * 9).astype(dtype)
    return [VIEWS[name](usmx.asarray(host)) for _ in range(2)]


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("types", "view"),
    drawn([("f4", "f4"), ("i2", "f8"), ("f2", "f4"), ("i4", "i4")], VIEWS),
    ids=str,
)
def test_views_and_mixed_types_have_the_results_of_the_kernels(types, view):
    for name in FORMS:
        more = view if view == "strided" else "transposed"  # which has another shape
        pairs = [
            views(types[k % 2], view if k == 0 else more) for k in range(len(ROWS[name].operands))
        ]
        mine, kernels = zip(*pairs, strict=True)
        found = ON_HOST[name](*mine, None)
        assert found is not None, name
        expected = KERNELS[name](*kernels, None)
        assert is_same(usmx.asnumpy(found), usmx.asnumpy(expected)), name
        assert found.strides == expected.strides


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
def test_every_row_has_the_bits_of_compact_operands_in_every_layout(dtype):
    random = np.random.default_rng(13)
    host = random.choice(values(random, dtype, 1)[0], (3, 12, 12))
    for count in (1, 2, 3):
        for name in tried(dtype, count):
            for view in VIEWS.values():
                given = [view(usmx.asarray(each)) for each in host[:count]]
                found = ON_HOST[name](*given, None)
                expected = ON_HOST[name](*(each.copy("C") for each in given), None)
                assert found is not None
                assert is_same(usmx.asnumpy(found), usmx.asnumpy(expected)), name


@pytest.mark.parametrize("view", VIEWS)
def test_complex_products_of_views_have_the_bits_of_the_kernels(view):
    usmx.sin(
        usmx.ones(2000, "f4")
    ).wait()  # the driver loads its functions, which say how it multiplies
    make = np.random.default_rng(12)
    host = (make.standard_normal((12, 12)) + 1j * make.standard_normal((12, 12))).astype("c8")
    mine, kernels = (VIEWS[view](usmx.asarray(host)) for _ in range(2))
    for other in (2.5, 1 - 2j, None):
        found = ON_HOST["multiply"](mine, mine if other is None else other, None)
        assert found is not None
        expected = KERNELS["multiply"](kernels, kernels if other is None else other, None)
        assert is_same(usmx.asnumpy(found), usmx.asnumpy(expected))


def test_numbers_of_the_call_and_outputs_of_any_layout():
    host = np.arange(36.0).reshape(6, 6)
    out = usmx.zeros((6, 12))
    a = usmx.asarray(host)
    function = ON_HOST["where"]
    assert function(a > 7, 1, a, out[:, ::2]) is not None
    assert is_same(usmx.asnumpy(out[:, ::2]), np.where(host > 7, 1, host))
    assert not usmx.asnumpy(out[:, 1::2]).any()
    a[1:-1, 1:-1] += a[2:, 1:-1]
    host[1:-1, 1:-1] += host[2:, 1:-1]
    assert is_same(usmx.asnumpy(a), host)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_squares_are_powers(dtype):
    host = np.array([0.0, -0.0, 1.5, -3, np.inf, -np.inf, np.nan, 200, 1e-5], dtype)
    with np.errstate(all="ignore"):
        assert is_same(usmx.asnumpy(usmx.asarray(host) ** 2), host**2)
        out = usmx.asarray(host)
        out **= 2
        assert is_same(usmx.asnumpy(out), host**2)
    assert (usmx.asarray([3, -4]) ** 2).tolist() == [9, 16]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_squares_of_complex_numbers_have_the_same_bits_in_all_ways(dtype):
    usmx.sin(usmx.ones(2000, "f4")).wait()  # the driver loads its functions
    parts = [0.0, -0.0, 1.5, -3.0, np.inf, -np.inf, np.nan]
    special = np.array([complex(x, y) for x in parts for y in parts], dtype)
    random = np.random.default_rng(47).standard_normal((2, 4000))
    plain = (random[0] + 1j * random[1]).astype(dtype)
    with np.errstate(all="ignore"):
        found = usmx.asnumpy(usmx.asarray(special) ** 2)
        assert is_same(found, special**2)
        in_place = usmx.asarray(special)
        in_place **= 2.0
        assert is_same(usmx.asnumpy(in_place), found)
    host = np.concatenate([special, plain])
    found = usmx.asnumpy(usmx.asarray(host) ** 2)
    for other in (
        KERNELS["square"](usmx.asarray(host), None),
        usmx.fuse(lambda z: z**2)(usmx.asarray(host)),
        usmx.asarray(np.tile(host, 100)) ** 2,
    ):
        assert is_same(usmx.asnumpy(other)[: host.size], found)
    # In a kernel that has other exponents, too, the compiler rounds the products apart.
    by_arrays = usmx.asnumpy(usmx.asarray(host) ** usmx.full(host.size, 2, dtype=dtype))
    assert is_same(by_arrays[: special.size], found[: special.size])
    np.testing.assert_allclose(by_arrays, found, 1e-5)


@pytest.mark.parametrize("dtype", ["i1", "i8", "?"])
def test_integers_have_no_power_of_a_negative_integer_of_pythons(dtype):
    x = usmx.ones(3, dtype)
    for power in (
        lambda: x**-1,
        lambda: usmx.pow(x, -2),
        lambda: usmx.power(x, -1, out=usmx.empty(3, dtype)),
        lambda: np.power(x, -(2**70)),
        lambda: operator.ipow(usmx.ones(3, dtype), -1),
    ):
        with pytest.raises(ValueError, match="integers to negative integer powers are not allowed"):
            power()
    assert (x**-1.0).tolist() == [1, 1, 1]
    assert (usmx.asarray([2.0, -4.0]) ** -1).tolist() == [0.5, -0.25]


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_an_element_beside_an_array_is_read_once(dtype):
    host = np.arange(1, 200, dtype=dtype)
    x, y = usmx.asarray(host), usmx.asarray(host)
    for name in ("add", "subtract", "multiply", "not_equal"):
        numpys = getattr(np, name)
        for operands in ((x, x[3]), (x[3], x), (x[5:6], x[3]), (x[3], x[4])):
            found = ON_HOST[name](*operands, None)
            assert found is not None
            expected = numpys(*(usmx.asnumpy(each) for each in operands))
            assert found.shape == expected.shape
            np.testing.assert_array_equal(usmx.asnumpy(found), expected)
    y *= y[2]
    assert is_same(usmx.asnumpy(y), host * host[2])
    y[1:] -= y[7]
    assert usmx.asnumpy(y)[7] == 0
    with pytest.raises(ValueError, match="shape"):
        y[0:1][0] += y[:2]


def test_many_complex_numbers_are_shared_out_to_threads():
    """In a kernel each vector would gather their parts."""
    host = np.arange(300_001) + 1j * np.arange(300_001)[::-1]
    x = usmx.asarray(host)
    for name, operands in (
        ("add", (x, x)),
        ("subtract", (2 - 1j, x)),
        ("negative", (x,)),
        ("equal", (x, x[7])),
        ("multiply", (x, 3)),
    ):
        found = ON_HOST[name](*operands, None)
        assert found is not None
        hosts = [each.to_numpy() if isinstance(each, usmx.USMArray) else each for each in operands]
        expected = getattr(np, name)(*hosts)
        assert is_same(usmx.asnumpy(found), expected)
    y = usmx.asarray(host)
    y -= y[200_000]
    assert is_same(usmx.asnumpy(y), host - host[200_000])
    assert ON_HOST["add"](x[::2], x[::2], None) is None
    assert ON_HOST["sqrt"](x, None) is None


def test_numpys_numbers_and_ufuncs_reach_the_arrays_functions():
    x = usmx.asarray([1.0, 4.0])
    for _ in range(2):  # the second time without the way through the protocol
        assert (np.float64(2) * x).tolist() == [2, 8]
        assert (np.float32(2) * x[1]).dtype == np.float64
        assert np.sqrt(x).tolist() == [1, 2]
        assert np.power(x, 2, dtype="f4").dtype == np.float32
        assert isinstance(np.add(np.ones(2), x), usmx.USMArray)
        with pytest.raises(TypeError):
            np.add(x, "text")
        with pytest.raises(TypeError):
            np.arctan2(x)


@pytest.mark.parametrize("exponent", [2.0, 3, -1, 0.5, 1.7])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_powers_with_one_exponent_have_the_bits_of_the_kernel(dtype, exponent):
    operands = values(np.random.default_rng(46), dtype, 1)
    host = np.concatenate(
        [operands[0][:900], np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)]
    )
    found, expected = (of["pow"](usmx.asarray(host), exponent, None) for of in (ON_HOST, KERNELS))
    assert is_same(usmx.asnumpy(found), usmx.asnumpy(expected))
