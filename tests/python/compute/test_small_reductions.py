"""Few elements are reduced on the host: the same bits as the kernels', and only where nobody can tell."""

import numpy as np
import pytest
import usmx
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
            return getattr(usmx, name)(*arguments, **how)

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


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_results_that_are_rounded_have_the_bits_of_the_kernels(by_kernels, dtype):
    with np.errstate(all="ignore"):
        compare(by_kernels, ROUNDED, dtype, "rows", [(64, 64), (7, 4, 33)])


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
        lambda: (usmx.ones(1 << 15), None, False),
        lambda: (usmx.zeros(0), None, False),
        lambda: (usmx.ones(4, "f2"), None, False),
        lambda: (usmx.ones(4, "c8"), None, False),
        lambda: (usmx.zeros(4, dtype=[("x", "f4")]), None, False),
        lambda: (usmx.ones(4), [0], False),
        lambda: (usmx.ones(4), 2**70, False),
        lambda: (np.ones(4), None, False),
    ],
)
def test_other_calls_are_left_to_kernels(arguments):
    assert on_host["sum"](*arguments()) is None


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
