"""`usmx.fuse`: the function's results as without it, by one kernel; and what it refuses."""

import copy
import math
import operator
import os
import pickle
import random
import threading

import fused_programs
import numpy as np
import pytest
import usmx
from table_kernels import DTYPES, special
from usmx._compute.call import cpp, preamble
from usmx._compute.fusion import Recent

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


@pytest.mark.slow
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


@pytest.mark.drawn(3)
@pytest.mark.slow
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
    kernels = len(scaled._kernels.entries)
    for s in (7.25, 5, -1, False, np.float32(3), 2j):
        scaled(x, s)
    assert len(scaled._kernels.entries) == kernels
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
    "an index": (lambda x, y: x[0], "__getitem__ asks for values"),
    "a shape": (lambda x, y: x * getattr(x, "ndim", 7), "'ndim' is no operator"),
    "a length": (lambda x, y: x * len(x), "__len__ asks for"),
    "a number of Python's": (lambda x, y: math.sqrt(x) * y, "__float__ asks for"),
    "an iteration": (lambda x, y: sum(each for each in x), "__iter__ asks for"),
    "membership": (lambda x, y: 1 in x, "__contains__ asks for"),
    "text of it": (lambda x, y: x * len(f"{x}"), "__format__ asks for"),
    "an operator of matrices": (lambda x, y: x @ y, "__matmul__ asks for"),
    "a pickle": (lambda x, y: pickle.loads(pickle.dumps(x)), "__reduce_ex__ asks for"),
    "a hash": (lambda x, y: {x: y}[x], "unhashable"),
    "NumPy's array": (lambda x, y: np.asarray(x), "__array__ asks for"),
    "an array of both": (lambda x, y: np.array([x, y]), "__array__ asks for"),
    "a part of an ufunc": (lambda x, y: np.modf(x)[0], "numpy.modf"),
    "an outer product": (lambda x, y: np.add.outer(x, y), "add is no function for each"),
    "a list to write to": (lambda x, y: np.add(usmx.ones(4), 1, out=x), "make it an argument"),
    "numbers alone": (lambda x, y: usmx.sqrt(2), "a result of its arrays, found numbers"),
    "a generator": (lambda x, y: (each for each in [x]), "must return one result"),
    "a number": (lambda x, y: 1, "must return one result"),
    "a comparison with a reduction": (lambda x, y: x.sum() == 3, "sum must be the end"),
    "the truth of a reduction": (lambda x, y: x if x.sum() else y, "__bool__ asks for"),
    "the place of a reduction": (lambda x, y: usmx.where(x == x.max(), 1, 0), "must be the end"),
    "an object": (lambda x, y: x.astype(object), "dtype|object"),
    "structures": (lambda x, y: x.astype([("a", "f4")]), "structured elements"),
    "casting": (lambda x, y: x.astype("i4", casting="safe"), "cannot cast float64 to int32"),
    "a dtype": (lambda x, y: usmx.add(x, y, dtype="f8"), "takes no dtype="),
    "an attribute": (lambda x, y: x.shape, "'shape' is no operator"),
    "another function": (lambda x, y: usmx.sort(x), "__sycl_usm_array_interface__"),
    "an array from outside": (lambda x, y: x + usmx.ones(4), "make it an argument"),
    "something after a reduction": (lambda x, y: x.sum() + 1, "sum must be the end"),
    "a second reduction": (lambda x, y: x.sum().max(), "sum must be the end"),
    "std": (lambda x, y: usmx.std(x), "std cannot be the end"),
    "two results": (lambda x, y: (x, y), "must return one result"),
    "no result": (lambda x, y: None, "must return one result"),
    "text": (lambda x, y: x + "y", "unsupported|must be a USMArray"),
    "out": (lambda x, y: usmx.add(x, y, out=usmx.zeros(4)), "out="),
    "list": (lambda x, y: x + y * [1, 2, 3, 4], "make it an argument"),
}


@pytest.mark.parametrize(("function", "match"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_traced_is_an_error_that_says_so(function, match):
    with pytest.raises((TypeError, ValueError), match=match):
        usmx.fuse(function)(usmx.asarray(X), usmx.asarray(Y))


@pytest.mark.parametrize(
    "name",
    ["flip", "size", "ndim", "shape", "ravel", "cumsum", "nan_to_num", "copy", "real", "zeros_like", "linalg.norm", "std"],
)  # fmt: skip
def test_functions_of_numpy_that_are_no_rows_are_refused(name):
    function = operator.attrgetter(name)(np)
    with pytest.raises(TypeError, match=f"numpy.{name} is no function for each element"):
        usmx.fuse(lambda x: x * function(x))(usmx.asarray(X))


def test_arguments_must_be_arrays_or_numbers():
    with pytest.raises(TypeError, match="polynomial: argument 2 must be a USMArray, a number"):
        usmx.fuse(polynomial)(usmx.asarray(X), "y")
    assert usmx.fuse(polynomial)(1.0, 2.0).tolist() == polynomial(1.0, 2.0)


def functions_of_numpy():
    """Those that ask the array first, and conversions."""
    for module in (np, np.linalg):
        for name in sorted(module.__all__):
            function = getattr(module, name)
            if hasattr(function, "_implementation") and not isinstance(function, np.ufunc):
                yield function
    yield from (np.asarray, np.array, np.asanyarray, np.ascontiguousarray, np.require)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", [1, 2])
def test_every_function_of_numpy_is_traced_or_refused(count):
    x = usmx.asarray([1.0, 2.0, 4.0], usm_type="shared")
    for function in functions_of_numpy():

        def with_result(x, function=function):
            found = function(*(x,) * count)
            return x * found if isinstance(found, (int, float, np.generic)) else found

        try:
            found = usmx.fuse(with_result)(x)
        except (TypeError, ValueError, AttributeError):
            continue
        expected = with_result(x)
        assert found.dtype == expected.dtype, function
        np.testing.assert_array_equal(usmx.asnumpy(found), usmx.asnumpy(expected), str(function))


# ---- names and objects


def alias(x):
    y = x
    y += 1
    return x * y


def by_out(x):
    np.add(x, 1, out=x)
    return x


def in_intermediate(x):
    y = x * 2
    z, before = y, copy.copy(y)
    y -= 3
    usmx.multiply(z, z, out=(z,))
    return z + before


def in_copy(x):
    y = x.copy()
    y *= y
    return x - y


def rounded_in_place(x):
    y = x.astype("i1")
    y += 200 * x.astype("i4")
    return y


@pytest.mark.slow
@pytest.mark.parametrize("function", [alias, by_out, in_intermediate, in_copy, rounded_in_place])
def test_work_in_place_changes_all_names_of_an_element_and_the_argument(function):
    fused, plain = usmx.asarray([1, 2, -7]), usmx.asarray([1, 2, -7])
    found, expected = usmx.fuse(function)(fused), function(plain)
    assert found.tolist() == expected.tolist()
    assert (found.dtype, found is fused) == (expected.dtype, expected is plain)
    assert fused.tolist() == plain.tolist()


def test_work_in_place_on_an_argument_needs_its_own_writable_memory():
    x = usmx.asarray([1.0, 2.0, 3.0])
    add = usmx.fuse(operator.iadd)
    with pytest.raises(TypeError, match="argument 1, which may share memory with argument 2"):
        add(x, x)
    with pytest.raises(TypeError, match="argument 1, which must be a USMArray, found"):
        add(np.ones(3), x)
    with pytest.raises(ValueError, match=r"shape \(3,\), with others of shape \(2, 3\)"):
        add(x, usmx.ones((2, 3)))
    x.flags.writable = False
    with pytest.raises(ValueError, match="argument 1, which is read-only"):
        add(x, usmx.ones(3))
    assert x.tolist() == [1, 2, 3]


def test_values_in_place_keep_their_shape():
    def function(x, y):
        z = x * y
        np.add(y, 1, out=z)
        return z

    x, y = usmx.ones((2, 3)), usmx.asarray([1.0, 2.0, 3.0])
    assert usmx.fuse(function)(x, y).tolist() == function(x, y).tolist()

    def extended(x, y):
        z = y + 1
        z += x
        return z

    with pytest.raises(ValueError, match="works in place"):
        usmx.fuse(extended)(x, y)


def test_what_the_result_does_not_need_says_nothing_of_its_shape():
    def function(x, y):
        x + y
        return x * 2

    assert usmx.fuse(function)(usmx.ones(3), usmx.ones((2, 3))).shape == (3,)


def test_elements_end_with_the_call_of_the_function():
    kept = []

    def keep(x):
        kept.append(x)
        return x + 1

    x = usmx.asarray(X)
    usmx.fuse(keep)(x)
    with pytest.raises(TypeError, match="kept until its function had returned"):
        kept[0] + 1
    with pytest.raises(TypeError, match="kept from another call"):
        usmx.fuse(lambda x: x + kept[0])(x)
    with pytest.raises(TypeError, match="kept from another call"):
        usmx.fuse(lambda x: kept[0])(x)


def test_fused_functions_may_call_each_other():
    inner = usmx.fuse(lambda x, k: x * k)
    x = usmx.asarray(X)
    assert (usmx.fuse(lambda x: inner(x, 2) + inner(x, k=0.5))(x) == x * 2.5).all()
    with pytest.raises(TypeError, match="takes no out= while a function is traced"):
        usmx.fuse(lambda x: inner(x, 2, out=x))(x)


# ---- numbers


@pytest.mark.slow
def test_numbers_are_told_apart_by_type_and_bits():
    fused = usmx.fuse(lambda x, s=True, *, k=True: x * s * k)
    x, z = usmx.asarray([1, 2]), usmx.asarray([True, False])
    for k in (2, 2.0, 0.0, -0.0, True, 1, np.float64(2), np.float32(2), np.int8(2), 1j):
        for each in (x, z):
            for found, expected in (
                (fused(each, k), each * k * True),
                (fused(each, k=k), each * True * k),
            ):
                assert found.dtype == expected.dtype
                assert usmx.asnumpy(found).tobytes() == usmx.asnumpy(expected).tobytes()
    by_name = usmx.fuse(lambda x, k: x * k[0])
    for k in ([2], (2.0,), [-0.0], (0.0,), [True]):
        assert usmx.asnumpy(by_name(x, k=k)).tobytes() == usmx.asnumpy(x * k[0]).tobytes()
    with pytest.raises(TypeError, match="takes arrays by position, found one as k="):
        fused(x, k=x)


@pytest.mark.slow
def test_what_is_kept_has_a_bound(monkeypatch):
    monkeypatch.setattr(Recent, "most", 5)
    fused = usmx.fuse(lambda x, n, k=1: x * n + k)
    x = usmx.asarray([1, 2])
    for n in range(20):
        assert fused(x, n, k=float("nan") if n % 2 else n).dtype == ("f8" if n % 2 else "i8")
    assert len(fused._programs.entries) == 5
    assert len(fused._kernels.entries) == 2
    powers = usmx.fuse(lambda x, k: [x := x * 2 for _ in range(k)][-1])
    for k in range(1, 8):
        assert powers(x, k=k).tolist() == [2**k, 2 ** (k + 1)]
    assert len(powers._kernels.entries) == 5


def test_more_numbers_than_a_kernel_takes_are_part_of_it():
    def function(x):
        for k in range(40):
            x = x * 0.9 + k
        return x

    x = usmx.asarray(X)
    assert (usmx.fuse(function)(x) == function(x)).all()


@pytest.mark.slow
def test_numbers_alone_are_computed_as_without_fusion():
    x = usmx.asarray(X.astype("f4"))
    for function in (
        lambda x, s: x * usmx.sqrt(s),
        lambda x, s: x * usmx.add(1, s),
        lambda x, s: x * np.sqrt(s),
        lambda x, s: x + s**0.5 * (s // 3),
        lambda x, s: usmx.sqrt(2) * x,
        lambda x, s: usmx.maximum(np.float32(1), s) * x,
        lambda x, s: x * np.array(s),
    ):
        for s in (2.7, 5, np.float32(0.3)):
            found, expected = usmx.fuse(function)(x, s), function(x, s)
            assert found.dtype == expected.dtype
            assert usmx.asnumpy(found).tobytes() == usmx.asnumpy(expected).tobytes()
    assert usmx.fuse(lambda s: s * 2)(3) == 6
    with pytest.raises(ZeroDivisionError):
        usmx.fuse(lambda x, s: x * (1 / s))(x, 0)


@pytest.mark.slow
def test_threads_trace_by_themselves():
    fused = usmx.fuse(lambda x, n: usmx.sqrt(2) * x + n)
    x, wrong = usmx.ones(3), []

    def call(first):
        wrong.extend(
            n for n in range(first, first + 300) if (fused(x, n) != usmx.sqrt(2) * x + n).any()
        )

    threads = [threading.Thread(target=call, args=(1000 * k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    assert len(fused._programs.entries) == Recent.most


# ---- conversions


def edges(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        powers = [sign * 2**k + step for k in range(64) for step in (-1, 0, 1) for sign in (1, -1)]
        return np.array([limits.min, *(k for k in powers if limits.min <= k <= limits.max)], dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    parts = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    with np.errstate(all="ignore"):
        powers = [
            sign * (2.0**k + step)
            for k in range(-30, 66)
            for step in (-1, 0, 0.3, 1)
            for sign in (1, -1)
        ]
        more = [-3.5, 256, 300.7, 70000, 65519.99, 65520, 2.0**-25 * 1.0001]
        real = np.concatenate([special(parts), np.array([*powers, *more]).astype(parts)])
        return real if dtype.kind == "f" else (real + 1j * real[::-1]).astype(dtype)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions_in_kernels_are_those_of_astype(dtype):
    """By the host's loops and by kernels."""
    x = usmx.asarray(edges(dtype))
    outputs = ", ".join(f"{np.dtype(to)} y{k}" for k, to in enumerate(DTYPES))
    lines = [f"y{k} = converted<{cpp(np.dtype(to))}>(x)" for k, to in enumerate(DTYPES)]
    kernel = usmx.ElementwiseKernel(f"{x.dtype} x", outputs, "; ".join(lines), preamble=preamble())
    for to, found in zip(DTYPES, kernel(x), strict=True):
        large = usmx.asnumpy(usmx.asarray(np.resize(edges(dtype), 70000)).astype(to))[: x.size]
        assert fused_programs.is_same(usmx.asnumpy(found), usmx.asnumpy(x.astype(to))), to
        assert fused_programs.is_same(usmx.asnumpy(found), large), to


def test_casts_out_of_range_are_those_of_astype():
    x = usmx.asarray([-1.0, -3.5, 256.0, 300.7, 70000.0, math.nan])
    for to in ("u1", "i1", "u4", "u8"):
        assert usmx.fuse(lambda x, to: x.astype(to))(x, to=to).tolist() == x.astype(to).tolist()
    found, expected = usmx.zeros(1, "u4"), np.zeros(1, "u4")
    for each in (found, expected):
        np.add.at(each, [0, 0], [1, -2.0])
    assert found.tolist() == expected.tolist() == [2**32 - 1]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "f4"])
def test_intels_compiler_keeps_signs_of_intermediate_values(dtype):
    values = [-128, 5, 0, -7, 127] if dtype == "f4" else [np.iinfo(dtype).min, 5, 0, -7, 3]
    x = usmx.asarray(np.resize(np.array(values, dtype), 400))

    def shifted(x):
        return -x >> 7

    def chosen(x):
        return usmx.where(x > 0, 1, usmx.where(x < 0, -1, 0)).astype("f4")

    def chosen_of_negative(x):
        return chosen(-x)

    def difference(x):
        return (usmx.where(-x > 0, 1, 0) - usmx.where(-x < 0, 1, 0)).astype("f8")

    for function in (shifted, chosen, chosen_of_negative, difference):
        if dtype != "f4" or function is not shifted:
            assert usmx.fuse(function)(x).tolist() == function(x).tolist(), function


# ---- random functions

PROGRAMS = int(os.environ.get("USMX_TEST_PROGRAMS", "16"))  # 100000 at night
FIRST = 0 if os.environ.get("CI") else random.randrange(10**9)


@pytest.mark.slow
def test_random_functions_are_the_same_fused():
    happened = []
    for seed in range(FIRST, FIRST + PROGRAMS // 2):
        found, difference = fused_programs.compared(seed, 2)
        happened += found
        assert difference is None, f"compared({seed}, 2):\n{fused_programs.told(difference)}"
    assert happened.count("equal") > len(happened) // 4
    assert [each for each in happened if each.startswith("refused:")] == []


@pytest.mark.slow
def test_random_functions_are_the_same_in_one_kernel():
    """More of them in the same time."""
    count = 0
    while count < PROGRAMS:
        seed = FIRST + count
        found, refused, difference = fused_programs.compared_together(seed)
        assert difference is None, f"compared_together({seed}):\n{fused_programs.told(difference)}"
        assert refused == 0
        count += found
    print(f"{count} random functions compared")


def test_integers_to_negative_integer_powers_are_refused_as_outside():
    x = usmx.asarray([1, 2])
    for power in (
        lambda a: a**-1,
        usmx.fuse(lambda a: a**-1),
        usmx.fuse(lambda a: usmx.pow(a, -2)),
    ):
        with pytest.raises(ValueError, match="integers to negative integer powers are not allowed"):
            power(x)
    assert usmx.fuse(lambda a: a**-1.0)(x).tolist() == [1.0, 0.5]
