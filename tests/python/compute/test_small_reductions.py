"""Elements are reduced on the host: the same bits as the kernels', and only where nobody can tell."""

import numpy as np
import pytest
import usmx
from helpers import DENSITY
from usmx._compute import reductions
from usmx._compute.table import REDUCTIONS

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
on_host = dict(reductions._ON_HOST)

reaches_memory = on_host["sum"](usmx.ones(2), None, False) is not None
pytestmark = pytest.mark.skipif(not reaches_memory, reason="the host does not reach the memory")


@pytest.fixture
def by_kernels(monkeypatch):
    """A function that reduces by kernels alone."""
    none = {name: lambda *_: None for name in REDUCTIONS}

    def reduce(name, *arguments, **how):
        with monkeypatch.context() as patch:
            patch.setattr(reductions, "_ON_HOST", none)
            return reductions.function_of(REDUCTIONS[name])(*arguments, **how)

    return reduce


def call(name, x, axis, keepdims):
    more = (0.5,) if name in ("var", "std") else ()
    return on_host[name](x, axis, keepdims, *more)


def values(random, dtype, shape):
    """Numbers of all sizes; for floats infinities and NaN, too."""
    if dtype == "?":
        return random.random(shape) < 0.5
    if dtype[0] in "iu":
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    made = random.standard_normal(shape) * 10.0 ** random.integers(-6, 6, shape)
    odd = random.random(shape)
    made[odd < 0.002], made[odd > 0.998] = np.nan, -np.inf
    return made.astype(dtype)


LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: usmx.permute_dims(a, tuple(range(a.ndim))[::-1]),
    "every second one": lambda a: a[..., ::2],
    "backwards": lambda a: a[::-1, ..., ::-1],
    "one for all": lambda a: a[:1],
}
SHAPES = [(1, 1), (3, 5), (8, 8), (64, 64), (2, 300), (300, 2), (7, 4, 33), (1, 4099), (130, 1, 65)]


def is_same(found, expected):
    """Also the signs of zeros; a NaN has no sign."""
    hosts = [usmx.asnumpy(each) for each in (found, expected)]
    bits = [np.where(each != each, np.abs(each), each).tobytes() for each in hosts]
    return (hosts[0].dtype, hosts[0].shape, bits[0]) == (hosts[1].dtype, hosts[1].shape, bits[1])


def compare(by_kernels, names, dtype, layout, shapes):
    """Each function along each axis; arrays that kernels have read may still be busy."""
    random = np.random.default_rng(7)
    for shape in shapes:
        host = values(random, dtype, shape)
        x, read = (LAYOUTS[layout](usmx.asarray(host)) for _ in range(2))
        for name in names:
            more = {"correction": 0.5} if name in ("var", "std") else {}
            for axis in [None, 0, x.ndim - 1, (0, x.ndim - 1)]:
                keepdims = bool(random.integers(2))
                found = call(name, x, axis, keepdims)
                assert found is not None
                expected = by_kernels(name, read, axis=axis, keepdims=keepdims, **more)
                assert is_same(found, expected), (name, shape, axis, keepdims)


@pytest.mark.nightly
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_results_have_the_bits_of_the_kernels(by_kernels, dtype, layout):
    with np.errstate(all="ignore"):
        compare(by_kernels, REDUCTIONS, dtype, layout, SHAPES)


ROUNDED = ["sum", "prod", "mean", "var"]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_results_that_are_rounded_have_the_bits_of_the_kernels(by_kernels, dtype):
    with np.errstate(all="ignore"):
        compare(by_kernels, ROUNDED, dtype, "rows", [(64, 64), (7, 4, 33)])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_sums_of_complex_numbers_have_the_bits_of_the_kernels(by_kernels, dtype):
    random = np.random.default_rng(8)
    for shape in [(3, 5), (64, 64), (7, 4, 33), (1, 4099)]:
        host = (values(random, "f8", shape) + 1j * random.standard_normal(shape)).astype(dtype)
        for layout in LAYOUTS.values():
            x, read = (layout(usmx.asarray(host)) for _ in range(2))
            for name in ("sum", "mean"):
                for axis in (None, 0, x.ndim - 1):
                    found = call(name, x, axis, False)
                    assert found is not None
                    expected = usmx.asnumpy(by_kernels(name, read, axis=axis))
                    for part in ("real", "imag"):
                        np.testing.assert_array_equal(
                            getattr(usmx.asnumpy(found), part), getattr(expected, part)
                        )


# Rows that are short and long, with and without whole vectors, several parts, and several tasks.
LARGE = [(8, 16384), (300, 1029), (16411, 40), (5000, 31), (2, 60, 1700), (1, 262147)]
CHOSEN = ["max", "min", "argmax", "argmin"]


def large_values(random, shape, dtype):
    """Few numbers, so that many are equal, zeros of both signs, and rows with and without NaN."""
    made = random.integers(-3, 4, shape).astype(dtype) * 0.25
    made[made == 0] *= random.choice([-1.0, 1.0], int((made == 0).sum()))
    made.flat[random.integers(0, made.size, 40)] = np.nan
    return made


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("shape", LARGE)
def test_many_elements_have_the_bits_of_the_kernels(by_kernels, shape):
    random = np.random.default_rng(11)
    cases = [("sum", random.standard_normal(shape).astype("f4"))]
    cases += [("var", cases[0][1]), ("mean", random.standard_normal(shape))]
    cases += [(name, large_values(random, shape, "f4")) for name in CHOSEN]
    for name, host in cases:
        x, read = usmx.asarray(host), usmx.asarray(host)
        more = {"correction": 0.5} if name == "var" else {}
        for axis in (None, 0, -1):
            found = call(name, x, axis, False)
            if found is not None:  # else few vectors would help
                expected = by_kernels(name, read, axis=axis, **more)
                assert is_same(found, expected), (name, axis)


BY_KERNELS = (40000, 3)  # many short rows, of which the kernels choose
CHOICES = [
    (shape, dtype)
    for shape in ((3, 40000), BY_KERNELS, (300, 129), (129, 300), (70, 31, 33))
    for dtype in ("f2", "f4", "f8", "i1", "i2", "u1", "u2", "i4", "u4", "u8", "?")
    if shape != BY_KERNELS or DENSITY >= 1 or dtype in ("f4", "f8", "i4", "?")
]


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "dtype"), CHOICES)
def test_choices_among_many_elements_are_numpys(shape, dtype):
    random = np.random.default_rng(13)
    host = large_values(random, shape, "f8")
    host = (
        host.astype(dtype)
        if dtype[0] == "f"
        else np.nan_to_num(host * 4).astype("i1").astype(dtype)
    )
    x = usmx.asarray(host)
    for name in CHOSEN:
        for axis in (None, 0, -1):
            np.testing.assert_array_equal(
                usmx.asnumpy(getattr(usmx, name)(x, axis=axis)), getattr(np, name)(host, axis=axis)
            )


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_the_least_and_the_greatest_integers_are_chosen(dtype):
    limits = np.iinfo(dtype)
    some = [1, limits.max - 1, limits.min, limits.max, limits.min + 1, limits.max, limits.min]
    host = np.resize(np.array(some, dtype), (45, 66))
    x = usmx.asarray(host)
    for name in CHOSEN:
        for axis in (None, 0, 1):
            found = call(name, x, axis, False)
            np.testing.assert_array_equal(usmx.asnumpy(found), getattr(np, name)(host, axis=axis))


@pytest.mark.parametrize("name", CHOSEN)
def test_the_host_chooses_halves(name):
    for host in (np.array([2, 5, 0, np.inf, -3], "f2"), np.array([2, -np.inf, np.nan, 1], "f2")):
        found = call(name, usmx.asarray(host), None, False)
        expected = getattr(np, name)(host)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(usmx.asnumpy(found), expected)


@pytest.mark.parametrize("name", ["sum", "max", "argmin", "var"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_host_reduces_many_adjacent_elements(name, axis):
    assert call(name, usmx.ones((300, 200), "f4"), axis, False) is not None


@pytest.mark.parametrize("dtype", TYPES)
def test_results_are_numpys(dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for name in REDUCTIONS:
        for axis in (None, 1, -1):
            found = call(name, usmx.asarray(host), axis, False)
            numpys = getattr(np, name)
            expected = numpys(host, axis=axis, **({"ddof": 0.5} if name in ("var", "std") else {}))
            assert found.shape == np.shape(expected)
            np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "arguments",
    [
        lambda: (usmx.zeros((1 << 22) + 1, "i1"), None, False),
        lambda: (usmx.ones(1 << 16)[::2], None, False),
        lambda: (usmx.ones((1 << 15, 2)), 1, False),
        lambda: (usmx.zeros(0), None, False),
        lambda: (usmx.ones(4, "f2"), None, False),
        lambda: (usmx.ones(1 << 15, "c8"), None, False),
        lambda: (usmx.zeros(4, dtype=[("x", "f4")]), None, False),
        lambda: (usmx.ones(4), [0], False),
        lambda: (usmx.ones(4), 2**70, False),
        lambda: (np.ones(4), None, False),
    ],
)
def test_other_calls_are_left_to_kernels(arguments):
    assert on_host["sum"](*arguments()) is None


def test_products_of_many_elements_are_left_to_kernels():
    """There the compiler multiplies the parts of a result in another order."""
    assert on_host["prod"](usmx.ones(1 << 15), None, False) is None


def test_busy_arrays_are_left_to_kernels():
    x = usmx.zeros(4)
    kernel = usmx.ElementwiseKernel("raw float64 x", "float64 y", "for (long k = 0; k < 20000; ++k) y += x[k % 4];", "slow_sum")  # fmt: skip
    kernel(usmx.ones(4), out=x)
    assert on_host["sum"](x, None, False) is None
    assert float(usmx.sum(x)) == 80000


def test_axes_that_are_not_there_are_refused():
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        usmx.sum(usmx.ones((2, 2)), axis=2)
    with pytest.raises(ValueError, match="twice"):
        usmx.sum(usmx.ones((2, 2)), axis=(0, -2))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "any", "argmax"])
def test_the_host_is_asked_once(name, monkeypatch):
    x = usmx.ones(3)
    asked = []
    monkeypatch.setitem(reductions._ON_HOST, name, lambda *_: asked.append(name))
    function = reductions.function_of(REDUCTIONS[name])
    assert function(x).tolist() == getattr(np, name)(np.ones(3))
    assert asked == [name]
