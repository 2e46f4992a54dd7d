"""`usmx.fuse`: the function's results as without it, by one kernel; and what it refuses."""

import operator
import pickle

import numpy as np
import pytest
import usmx

X = np.linspace(-2, 3, 12).reshape(3, 4)
Y = np.linspace(0.1, 5, 4)


def polynomial(x, y):
    return usmx.where(x > 0, x * y + 2, -x) ** 2


def with_numpy(x, y):
    z = np.exp(x) - np.hypot(x, y)
    z += 1
    return np.clip(usmx.round(z), -3, 3)


def of_integers(x, y):
    return (x.astype("i4") << 2) % 7 == 3


def of_halves(x, y):
    return x.astype("f2") * 0.1 + y.astype("f2")


def comparing(x, y):
    return (x.astype("i1") < 1000) & (y.astype("u1") > -1)


def total(x, y):
    return usmx.sum(x * y, axis=1)


def furthest(x, y):
    return abs(x - y).argmax(axis=0, keepdims=True)


def middle(x, y):
    return (x * 2 + y).mean()


@usmx.fuse
def scaled(x, s, *, power=1):
    """Its own words."""
    return x * s**power


@pytest.mark.parametrize(
    "function",
    [polynomial, with_numpy, of_integers, of_halves, comparing, total, furthest, middle],
    ids=lambda f: f.__name__,
)
def test_results_are_those_without_fusion(function):
    x, y = usmx.asarray(X.astype("f4")), usmx.asarray(Y.astype("f4"), usm_type="host")
    found, expected = usmx.fuse(function)(x, y), function(x, y)
    assert (found.dtype, found.shape, found.usm_type) == (expected.dtype, expected.shape, "device")
    np.testing.assert_allclose(usmx.asnumpy(found), usmx.asnumpy(expected), 1e-6)
    if function not in (total, middle):
        assert (found == expected).all()


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("to", ["i1", "i2", "i4", "i8", "f4", "f8"])
def test_signs_are_right_in_every_type(dtype, to):
    x = usmx.asarray(np.array([-128, -3, -1, 0, 1, 7, 127], dtype))
    found = usmx.fuse(lambda x: usmx.sign(x).astype(to))(x)
    assert usmx.asnumpy(found).tolist() == [-1, -1, -1, 0, 1, 1, 1]


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8"])
@pytest.mark.parametrize(
    "negated", [lambda x: -x, lambda x: 0 - x, lambda x: ~x + 1, lambda x: x * -1]
)
def test_sign_of_the_least_integer_negated_is_its_own(dtype, negated):
    """Intel's compiler made 0 of the difference of the two comparisons."""
    limits = np.iinfo(dtype)
    x = usmx.asarray(np.resize(np.array([limits.min, 5, 0, -7, limits.max], dtype), 400))
    found = usmx.fuse(lambda x: usmx.sign(negated(x)))(x)
    assert usmx.asnumpy(found)[:5].tolist() == [-1, -1, 0, 1, -1]
    assert usmx.asnumpy(found).tolist() == usmx.asnumpy(usmx.sign(negated(x))).tolist()


def test_layouts_and_out():
    x, y = usmx.asarray(X), usmx.asarray(Y)
    fused = usmx.fuse(polynomial)
    out = usmx.empty((4, 3)).T
    assert fused(x, y, out=out) is out
    assert (out == polynomial(x, y)).all()
    assert (fused(x.T, y[:3]) == polynomial(x.T, y[:3])).all()
    assert fused(x[:0], y).shape == (0, 4)


def test_numbers_are_parameters_and_other_arguments_make_other_kernels():
    x = usmx.ones(3, "f4")
    for s in (2.5, np.float32(0.5), 3, True):
        assert (scaled(x, s) == x * s).all()
    assert (scaled(x, 3.0, power=2) == x * 9).all()
    assert scaled(x, 1j).dtype == np.dtype("c8")
    assert (scaled(2.5, x) == x * 2.5).all()
    prepared = len(scaled._prepared)
    scaled(x, 7.25)
    assert len(scaled._prepared) == prepared
    with pytest.raises(OverflowError, match="300"):
        scaled(usmx.ones(3, "i1"), 300)


def test_numbers_stay_weak_and_elements_keep_their_type_in_place():
    x, y = usmx.ones(3, "f4"), usmx.asarray([0.1, 0.2, 0.3])

    def function(a, b, s):
        a = a * (s / 3 + 1)
        a += b
        s -= 0.5
        return a * s

    found, expected = usmx.fuse(function)(x, y, 1.5), function(x, y, 1.5)
    assert found.dtype == expected.dtype == np.dtype("f4")
    assert (found == expected).all()
    with pytest.raises(TypeError, match="float64 cannot be written to an array of type int32"):
        usmx.fuse(operator.iadd)(x.astype("i4"), y)


def test_fused_function_keeps_its_name_and_is_pickled_by_it():
    assert (scaled.__name__, scaled.__doc__) == ("scaled", "Its own words.")
    import sys

    sys.modules.setdefault(scaled.__module__, sys.modules[__name__])
    assert pickle.loads(pickle.dumps(scaled)) is scaled


REFUSED = {
    "a condition": (lambda x, y: x if x > 0 else y, "usmx.where chooses"),
    "and": (lambda x, y: (x > 0) and (y > 0), "usmx.where chooses"),
    "a product of matrices": (lambda x, y: usmx.matmul(x, y), "matmul is no function for each"),
    "an index": (lambda x, y: x[0], "subscriptable"),
    "an attribute": (lambda x, y: x.shape, "'shape' is no operator"),
    "another function": (lambda x, y: usmx.sort(x), "__sycl_usm_array_interface__"),
    "an array from outside": (lambda x, y: x + usmx.ones(4), "make it an argument"),
    "something after a reduction": (lambda x, y: x.sum() + 1, "end of the function|unsupported"),
    "std": (lambda x, y: usmx.std(x), "std cannot be the end|'std'|found"),
    "two results": (lambda x, y: (x, y), "must return one result"),
    "no result": (lambda x, y: None, "must return one result"),
    "text": (lambda x, y: x + "y", "unsupported|must be a USMArray"),
    "out": (lambda x, y: usmx.add(x, y, out=usmx.zeros(4)), "out="),
    "list": (lambda x, y: x + y * [1, 2, 3, 4], "make it an argument"),
}


@pytest.mark.parametrize(("function", "match"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_traced_is_an_error_that_says_so(function, match):
    with pytest.raises((TypeError, AttributeError), match=match):
        usmx.fuse(function)(usmx.asarray(X), usmx.asarray(Y))


def test_arguments_must_be_arrays_or_numbers():
    with pytest.raises(TypeError, match="polynomial: argument 2 must be a USMArray, a number"):
        usmx.fuse(polynomial)(usmx.asarray(X), "y")
    assert usmx.fuse(polynomial)(1.0, 2.0).tolist() == polynomial(1.0, 2.0)
