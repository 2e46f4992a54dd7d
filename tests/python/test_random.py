"""`usmx.random`: the generator's words, its distributions, and what it refuses."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from math import erf, erfc, log

import numpy as np
import pytest
import usmx
from helpers import KINDS

INTEGERS = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
WORD = 2**32


def philox(counter, key):
    """Four words of Philox4x32-10, by the paper's definition."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second // WORD ^ c[1] ^ k[0], second % WORD, first // WORD ^ c[3] ^ k[1], first % WORD]
        k = [(k[0] + 0x9E3779B9) % WORD, (k[1] + 0xBB67AE85) % WORD]
    return c


def at(key, first):
    """A generator of that key, whose next element is number `first`."""
    rng = usmx.random.Generator(0)
    rng.__setstate__((key, first))
    return rng


def pairs(key, first, count):
    """The first 64 bits of each element."""
    found = []
    for place in range(first, first + count):
        words = philox((place % WORD, place // WORD % WORD, 0, 0), (key % WORD, key // WORD))
        found.append(words[1] * WORD + words[0])
    return np.array(found, "u8")


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (0, [56, 61, 0, 63, 54, 59]),
        (7, [12, 60, 77, 92, 2, 28]),
        (1 << 40 | 5, [97, 54, 26, 79, 48, 18]),
    ],
)
def test_seeds_make_the_numbers_that_they_make_in_cpp(seed, expected):
    """Those that tests/cpp/compute/random_test.cpp expects."""
    assert usmx.random.default_rng(seed).integers(100, size=6).tolist() == expected


def test_reference_gives_the_papers_known_answers():
    assert philox((0,) * 4, (0,) * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = philox((WORD - 1,) * 4, (WORD - 1,) * 2)
    assert ones == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@pytest.mark.parametrize(
    ("key", "first"), [(0, 0), (0x0123456789ABCDEF, 2**32 - 3), (2**64 - 1, 7)]
)
def test_words_are_philoxs(key, first):
    expected = pairs(key, first, 9)
    made = at(key, first).integers(0, 2**64, (3, 3), "u8")
    assert np.array_equal(usmx.asnumpy(made), expected.reshape(3, 3))
    fractions = usmx.asnumpy(at(key, first).random(9))
    assert np.array_equal(fractions, (expected >> np.uint64(11)) * 2.0**-53)
    single = usmx.asnumpy(at(key, first).random(9, "f4"))
    low = expected % WORD
    assert np.array_equal(single, (low >> np.uint64(8)).astype("f4") * np.float32(2.0**-24))


def draws(rng):
    return {
        "random": rng.random,
        "uniform": lambda *where, **more: rng.uniform(-2, 3, *where, **more),
        "standard_normal": rng.standard_normal,
        "normal": lambda *where, **more: rng.normal(5, 2, *where, **more),
        "integers": lambda *where, **more: rng.integers(-3, 9, *where, **more),
    }


@pytest.mark.parametrize("name", draws(usmx.random.default_rng(0)))
def test_numbers_depend_on_the_seed_and_the_place_alone(name):
    made = usmx.asnumpy(draws(usmx.random.default_rng(7))[name]((4, 6)))
    rng = usmx.random.default_rng(7)
    parts = [draws(rng)[name]((2, 6), usm_type=kind) for kind in ("shared", "host")]
    assert [part.usm_type for part in parts] == ["shared", "host"]
    assert np.array_equal(np.concatenate([usmx.asnumpy(part) for part in parts]), made)
    for out in (
        usmx.empty((6, 4), made.dtype).T,
        usmx.empty((8, 6), made.dtype)[::-2],
        usmx.empty((4, 6), made.dtype, sycl_queue=usmx.SyclQueue()),
    ):
        assert draws(usmx.random.default_rng(7))[name](out=out) is out
        assert np.array_equal(usmx.asnumpy(out), made)
    other = draws(usmx.random.default_rng(8))[name]((4, 6))
    assert not np.array_equal(usmx.asnumpy(other), made)


def test_moments_are_those_of_the_distributions():
    rng, n = usmx.random.default_rng(46), 400_000
    for made, mean, spread, third, fourth in (
        (rng.random(n), 0.5, 12**-0.5, 0, 1.8),
        (rng.random(n, "f4"), 0.5, 12**-0.5, 0, 1.8),
        (rng.uniform(-2, 6, n), 2, 8 * 12**-0.5, 0, 1.8),
        (rng.standard_normal(n), 0, 1, 0, 3),
        (rng.standard_normal(n, "f4"), 0, 1, 0, 3),
        (rng.normal(10, 0.25, n), 10, 0.25, 0, 3),
    ):
        x = (usmx.asnumpy(made).astype("f8") - mean) / spread
        assert abs(x.mean()) < 5 * n**-0.5
        assert x.var() == pytest.approx(1, abs=0.01)
        assert (x**3).mean() == pytest.approx(third, abs=0.03)
        assert (x**4).mean() == pytest.approx(fourth, abs=0.05)
        assert abs((x[1:] * x[:-1]).mean()) < 5 * n**-0.5  # neighbours


def test_normal_numbers_have_their_share_of_each_interval():
    x = usmx.asnumpy(usmx.random.default_rng(1).standard_normal(400_000))
    edges = np.linspace(-4, 4, 33)
    counts, _ = np.histogram(x, edges)
    below = np.array([(1 + erf(edge / 2**0.5)) / 2 for edge in edges])
    expected = np.diff(below) * x.size
    assert ((counts - expected) ** 2 / expected).sum() < 62.5  # chi squared, 31: 0.1 %


def test_tails_have_their_share():
    x = np.abs(usmx.asnumpy(usmx.random.default_rng(46).standard_normal(4_000_000, "f4")))
    for away in (3, 4, 4.5):
        expected = erfc(away / 2**0.5) * x.size
        assert abs((x > away).sum() - expected) < 5 * expected**0.5


def reciprocal_root(x):
    bits = x.dtype.itemsize * 8
    word = x.view(f"u{bits // 8}")
    magic = {32: 0x5F3759DF, 64: 0x5FE6EB50C7B537A9}[bits]
    y = (word.dtype.type(magic) - (word >> 1)).view(x.dtype)
    half, three_halves = x.dtype.type(0.5), x.dtype.type(1.5)
    for _ in range(4):
        y = y * (three_halves - half * x * y * y)
    return y


def minus_log(x):
    kind = x.dtype.type
    mantissa, exponent = np.frexp(x)
    is_low = mantissa < kind(0.5**0.5)
    mantissa, exponent = np.where(is_low, mantissa * 2, mantissa), exponent - is_low
    root = reciprocal_root(mantissa + kind(1))
    s = (mantissa - kind(1)) * root * root
    total = kind(0)
    for k in range(21, 0, -2):
        total = total * s * s + kind(1 / k)
    return (-exponent).astype(x.dtype) * kind(np.log(2)) - kind(2) * s * total


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_normal_numbers_have_the_bits_that_additions_and_products_give(dtype):
    """So every device that rounds these as IEEE 754 says makes the same numbers."""
    key, count = 0x0123456789ABCDEF, 300
    kind = np.dtype(dtype).type
    expected = []
    for place in range(count):
        for attempt in range(20):
            words = philox((place, 0, attempt, 0), (key % WORD, key // WORD))
            parts = [(words[2 * k] + words[2 * k + 1] * WORD) for k in (0, 1)]
            if dtype == "f4":
                fractions = [kind(words[2 * k] >> 8) * kind(2.0**-24) for k in (0, 1)]
            else:
                fractions = [kind(part >> 11) * kind(2.0**-53) for part in parts]
            x, y = (np.array([kind(2) * each - kind(1)]) for each in fractions)
            size = x * x + y * y
            if 0 < size < 1:
                break
        length = kind(2) * minus_log(size)
        expected += (x * length * reciprocal_root(size * length)).tolist()
    found = usmx.asnumpy(at(key, 0).standard_normal(count, dtype))
    np.testing.assert_array_equal(found, np.array(expected, dtype))
    exact = minus_log(np.array([0.3, 1e-12, 0.999]))
    np.testing.assert_allclose(exact, [-log(0.3), -log(1e-12), -log(0.999)], 1e-15)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_all_as_likely(dtype):
    rng = usmx.random.default_rng(3)
    low, high = (0, 2) if dtype == "b1" else (3, 10)
    made = rng.integers(low, high, 70_000, dtype)
    assert made.dtype == np.dtype(dtype)
    counts = np.bincount(usmx.asnumpy(made).astype("i8"), minlength=high)[low:]
    expected = 70_000 / (high - low)
    assert len(counts) == high - low
    assert ((counts - expected) ** 2 / expected).sum() < 22.5  # chi squared, 6: 0.1 %


@pytest.mark.parametrize("dtype", INTEGERS[1:])
def test_integers_reach_both_ends_of_their_type(dtype):
    limits = np.iinfo(dtype)
    rng = usmx.random.default_rng(3)
    made = usmx.asnumpy(rng.integers(limits.min, limits.max, 2000, dtype, endpoint=True))
    span = float(limits.max) - float(limits.min)
    assert (made.astype("f8").min() - limits.min) / span < 0.02
    assert (limits.max - made.astype("f8").max()) / span < 0.02
    for value in (limits.min, limits.max):
        assert rng.integers(value, value, 3, dtype, endpoint=True).tolist() == [value] * 3


def test_large_ranges_have_no_likelier_numbers():
    """Of 3 * 2**62 numbers, a remainder of 64 bits would give a third of them twice as often."""
    made = usmx.asnumpy(usmx.random.default_rng(5).integers(0, 3 * 2**62, 30_000, "u8"))
    counts, _ = np.histogram(made.astype("f8"), 3, (0, 3 * 2.0**62))
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 13.8  # chi squared, 2: 0.1 %


def test_seeds_are_numpys():
    for seed in (0, 2**100, [1, 2, 3], np.random.SeedSequence(4)):
        first = usmx.random.default_rng(seed).random(4)
        again = usmx.random.Generator(
            np.random.SeedSequence(4) if isinstance(seed, np.random.SeedSequence) else seed
        ).random(4)
        assert (first == again).all()
    assert not (usmx.random.default_rng().random(4) == usmx.random.default_rng().random(4)).all()
    rng = usmx.random.default_rng(1)
    assert usmx.random.default_rng(rng) is rng
    with pytest.raises((TypeError, ValueError)):
        usmx.random.default_rng(-1)


def test_pickled_generator_goes_on():
    rng = usmx.random.default_rng(9)
    rng.random(10)
    other = pickle.loads(pickle.dumps(rng))
    assert (other.random(5) == rng.random(5)).all()


def test_threads_never_share_numbers():
    rng = usmx.random.default_rng(2)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda _: usmx.asnumpy(rng.integers(0, 2**63, 500)), range(32)))
    assert len(np.unique(np.concatenate(parts))) == 32 * 500


def test_shapes_and_defaults():
    rng = usmx.random.default_rng(0)
    assert rng.random().shape == ()
    assert rng.random(3).shape == (3,)
    assert rng.random((0, 2)).shape == (0, 2)
    assert rng.integers(5).dtype == np.int64
    queue = usmx.SyclQueue()
    for kind in KINDS:
        made = rng.normal(size=2, usm_type=kind, sycl_queue=queue)
        assert (made.usm_type, made.sycl_queue) == (kind, queue)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda rng: rng.random(3, "i4"), TypeError, "float32 or float64, found int32"),
        (lambda rng: rng.random(3, "f2"), TypeError, "float32 or float64, found float16"),
        (lambda rng: rng.random((-1,)), ValueError, "-1"),
        (lambda rng: rng.random(out=np.zeros(3)), TypeError, "out must be a USMArray"),
        (lambda rng: rng.random(4, out=usmx.zeros(3)), ValueError, r"must have shape \(4,\)"),
        (lambda rng: rng.random(3, "f4", usmx.zeros(3)), TypeError, "float32, found float64"),
        (lambda rng: rng.random(out=usmx.zeros(3).readonly()), ValueError, "read-only"),
        (lambda rng: rng.uniform(-1e308, 1e308), OverflowError, "finite"),
        (lambda rng: rng.uniform(0, float("nan")), OverflowError, "finite"),
        (lambda rng: rng.uniform("1", 2), TypeError, "uniform: low must be a number, found '1'"),
        (lambda rng: rng.uniform(1, b"2"), TypeError, "uniform: high must be a number, found b'2'"),
        (lambda rng: rng.uniform(1j), TypeError, "low must be a number, found 1j"),
        (lambda rng: rng.uniform(None), TypeError, "low must be a number, found None"),
        (lambda rng: rng.uniform(0, 10**400), OverflowError, "high must be in the range"),
        (lambda rng: rng.uniform(-3e38, 3e38, 2, "f4"), OverflowError, "finite in float32"),
        (lambda rng: rng.uniform(1e300, 2e300, 2, "f4"), OverflowError, "finite in float32"),
        (lambda rng: rng.uniform(0, 1e39, out=usmx.zeros(2, "f4")), OverflowError, "in float32"),
        (lambda rng: rng.uniform(0, float("inf")), OverflowError, "finite in float64"),
        (lambda rng: rng.uniform(5, 1), ValueError, "high must not be less than low"),
        (lambda rng: rng.normal("1"), TypeError, "normal: loc must be a number, found '1'"),
        (lambda rng: rng.normal(0, "1"), TypeError, "normal: scale must be a number, found '1'"),
        (lambda rng: rng.normal(1e300, 1, 2, "f4"), OverflowError, "loc must be in the range"),
        (lambda rng: rng.normal(0, 1e300, 2, "f4"), OverflowError, "scale must be in the range"),
        (lambda rng: rng.normal(0, -1), ValueError, "scale must be 0 or more"),
        (lambda rng: rng.normal(0, float("nan")), ValueError, "scale must be 0 or more"),
        (lambda rng: rng.integers(0), ValueError, "one between the ends"),
        (lambda rng: rng.integers(5, 5), ValueError, "one between the ends"),
        (lambda rng: rng.integers(0, 300, 3, "u1"), ValueError, "from 0 to 255, found 0 to 299"),
        (lambda rng: rng.integers(-1, 3, 3, "u1"), ValueError, "found -1 to 2"),
        (lambda rng: rng.integers(0, 3, 3, "b1"), ValueError, "from 0 to 1"),
        (lambda rng: rng.integers(1.5), TypeError, "integers: low must be an integer, found 1.5"),
        (lambda rng: rng.integers(0, "1"), TypeError, "integers: high must be an integer"),
        (lambda rng: rng.integers(0, float("inf")), TypeError, "high must be an integer"),
        (lambda rng: rng.integers(3, dtype="f4"), TypeError, "integer type or bool"),
    ],
)
def test_what_is_refused_makes_no_numbers(call, error, match):
    rng = usmx.random.default_rng(0)
    before = rng.__getstate__()
    with pytest.raises(error, match=match):
        call(rng)
    assert rng.__getstate__() == before


@pytest.mark.parametrize("name", ["random", "uniform", "standard_normal", "normal", "integers"])
@pytest.mark.parametrize(
    ("size", "error", "match"),
    [
        (-1, ValueError, "size must not be negative, found -1"),
        ((2, -1), ValueError, "size must not be negative"),
        (2.5, TypeError, "size must be an integer, found 2.5"),
        ("3", TypeError, "size must be an integer, found '3'"),
        ((2, "a"), TypeError, "size must be an integer, found 'a'"),
        (True, TypeError, "size must be an integer or a tuple of integers, found True"),
        (np.array([2, 2]), TypeError, "size must be an integer"),
        ((2**40, 2**40), ValueError, "number of elements must be at most"),
    ],
)
def test_size_that_is_none_makes_no_numbers(name, size, error, match):
    rng = usmx.random.default_rng(0)
    before = rng.__getstate__()
    with pytest.raises(error, match=match):
        getattr(rng, name)(*(5,) * (name == "integers"), size=size)
    assert rng.__getstate__() == before


@pytest.mark.parametrize("name", ["random", "uniform", "standard_normal", "normal", "integers"])
@pytest.mark.parametrize("dtype", ["U3", "O", "nonsense", "c8"])
def test_types_without_random_numbers_are_type_errors(name, dtype):
    with pytest.raises(TypeError, match=f"{name}: dtype must be"):
        getattr(usmx.random.default_rng(0), name)(*(5,) * (name == "integers"), dtype=dtype)


def test_kernel_that_fails_makes_no_numbers(monkeypatch):
    def fails(*arguments):
        raise MemoryError

    rng = usmx.random.default_rng(0)
    before = rng.__getstate__()
    monkeypatch.setattr("usmx.random._draw", fails)
    with pytest.raises(MemoryError):
        rng.random(3)
    assert rng.__getstate__() == before


def test_infinite_means_are_numpys():
    made = usmx.random.default_rng(0).normal(float("inf"), 1, 3)
    assert np.isinf(usmx.asnumpy(made)).all()


# ---- names of NumPy's and PyTorch's


@pytest.mark.parametrize("name", sorted(usmx.random._OTHERS))
def test_other_generators_and_old_names_are_answered(name):
    for obj in (usmx.random, usmx.random.default_rng(7)):
        with pytest.raises(AttributeError, match=f"no attribute '{name}': use usmx\\.random\\."):
            getattr(obj, name)


@pytest.mark.parametrize("name", ["nosuch", "_key_of_others"])
def test_other_names_get_no_advice(name):
    for obj in (usmx.random, usmx.random.default_rng(7)):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'$"):
            getattr(obj, name)


def test_advice_for_permutations_permutes():
    rng = usmx.random.default_rng(7)
    a = usmx.arange(1000)
    b = a[usmx.argsort(rng.random(a.shape[0]))]
    assert not usmx.array_equal(a, b)
    assert usmx.array_equal(a, usmx.sort(b))
    a[:] = a[usmx.argsort(rng.random(a.shape[0]))]
    assert usmx.array_equal(usmx.sort(a), usmx.arange(1000))
    chosen = a[rng.integers(a.shape[0], size=20)]
    assert chosen.shape == (20,)
    assert usmx.isin(chosen, a).all()
