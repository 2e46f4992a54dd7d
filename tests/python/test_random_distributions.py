"""`usmx.random`: further distributions, tails included, choices, and the names of the module."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from math import e

import numpy as np
import pytest
import usmx
from helpers import output_of

stats = pytest.importorskip("scipy.stats")

N = 100_000
# For each call, the distribution that it draws from.
REAL = {
    "exponential(2.0, n)": stats.expon(scale=2),
    "standard_exponential(n)": stats.expon(),
    "gamma(3.0, 2.0, n)": stats.gamma(3, scale=2),
    "gamma(0.1, 1.0, n)": stats.gamma(0.1),
    "standard_gamma(1.0, n)": stats.gamma(1),
    "chisquare(3, n)": stats.chi2(3),
    "beta(2, 6, n)": stats.beta(2, 6),
    "beta(0.2, 0.3, n)": stats.beta(0.2, 0.3),
    "f(3, 5, n)": stats.f(3, 5),
    "standard_t(3, n)": stats.t(3),
    "standard_cauchy(n)": stats.cauchy,
    "lognormal(1, 0.5, n)": stats.lognorm(0.5, scale=e),
    "rayleigh(2, n)": stats.rayleigh(scale=2),
    "weibull(1.5, n)": stats.weibull_min(1.5),
    "pareto(3, n)": stats.lomax(3),
    "power(3, n)": stats.powerlaw(3),
    "gumbel(1, 2, n)": stats.gumbel_r(1, 2),
    "laplace(1, 2, n)": stats.laplace(1, 2),
    "logistic(1, 2, n)": stats.logistic(1, 2),
    "triangular(-1, 0.5, 2, n)": stats.triang(0.5, -1, 3),
}
COUNTS = {
    "poisson(0.5, n)": stats.poisson(0.5),
    "poisson(9.99, n)": stats.poisson(9.99),
    "poisson(10, n)": stats.poisson(10),
    "poisson(1000, n)": stats.poisson(1000),
    "binomial(10, 0.3, n)": stats.binom(10, 0.3),
    "binomial(100, 0.99, n)": stats.binom(100, 0.99),
    "binomial(40, 0.5, n)": stats.binom(40, 0.5),
    "binomial(1000, 0.9, n)": stats.binom(1000, 0.9),
    "negative_binomial(3.5, 0.3, n)": stats.nbinom(3.5, 0.3),
    "geometric(0.2, n)": stats.geom(0.2),
    "geometric(1.0, n)": stats.geom(1.0),
}


def drawn(text, seed, **more):
    return eval(
        f"rng.{text[:-1]}, **more)", {"rng": usmx.random.default_rng(seed), "n": N, "more": more}
    )


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("text", REAL)
def test_numbers_have_their_share_of_each_interval_and_of_the_tails(text):
    x = usmx.asnumpy(drawn(text, 11))
    edges = REAL[text].ppf([1e-4, 1e-3, 0.01, *np.linspace(0.05, 0.95, 19), 0.99, 0.999, 1 - 1e-4])
    below = REAL[text].cdf(edges)
    counts = np.diff([0, *(np.count_nonzero(x <= edge) for edge in edges), N])
    expected = np.diff([0, *below, 1]) * N
    assert ((counts - expected) ** 2 / expected).sum() < 59  # chi squared, 25: 0.01 %


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("text", COUNTS)
def test_counts_have_their_share_of_each_number_and_of_the_tails(text):
    made = drawn(text, 12)
    assert made.dtype == np.int64
    x = usmx.asnumpy(made)
    counts = np.bincount(x)
    expected = COUNTS[text].pmf(np.arange(len(counts))) * N
    common = expected > 10
    rest = [counts[~common].sum(), N - expected[common].sum()]
    squares = (counts[common] - expected[common]) ** 2 / expected[common]
    total = squares.sum() + (rest[0] - rest[1]) ** 2 / max(rest[1], 1)
    assert total < stats.chi2(common.sum() + 1).ppf(1 - 1e-4)


@pytest.mark.parametrize("text", ["exponential(2.0, n)", "gamma(3.0, 2.0, n)", "standard_t(3, n)"])
def test_single_precision_has_the_distribution_too(text):
    made = drawn(text, 13, dtype="f4")
    assert made.dtype == np.float32
    assert stats.kstest(usmx.asnumpy(made).astype("f8"), REAL[text].cdf).pvalue > 1e-4


def test_exponential_numbers_have_the_bits_that_additions_and_products_give():
    from test_random import at, minus_log, pairs

    key = 0x0123456789ABCDEF
    fractions = ((pairs(key, 0, 200) >> np.uint64(11)).astype("f8") + 0.5) * 2.0**-53
    np.testing.assert_array_equal(
        usmx.asnumpy(at(key, 0).exponential(size=200)), minus_log(fractions)
    )


def test_tail_of_small_gamma_numbers_is_not_cut():
    """exp(-100) and less: the numbers come from their logarithms."""
    x = usmx.asnumpy(usmx.random.default_rng(5).gamma(0.01, size=N))
    for small in (1e-43, 1e-100):
        expected = stats.gamma(0.01).cdf(small) * N
        assert abs(np.count_nonzero(x < small) - expected) < 5 * expected**0.5


def test_parameters_may_be_arrays():
    rng = usmx.random.default_rng(3)
    means = usmx.asarray([1.0, 100.0, 1e6], usm_type="shared")
    made = rng.poisson(means, (20_000, 3))
    np.testing.assert_allclose(usmx.asnumpy(made.mean(axis=0)), [1, 100, 1e6], 0.03)
    assert rng.gamma([[1.0], [2.0]], [1.0, 2.0, 3.0]).shape == (2, 3)
    assert rng.binomial([10, 20], 0.5, (4, 2)).shape == (4, 2)
    x = rng.normal(usmx.asarray([0.0, 10.0]), [1.0, 0.1], (20_000, 2))
    np.testing.assert_allclose(usmx.asnumpy(x.mean(axis=0)), [0, 10], atol=0.04)
    np.testing.assert_allclose(usmx.asnumpy(x.std(axis=0)), [1, 0.1], 0.03)
    y = usmx.asnumpy(rng.uniform([0.0, -5.0], [1.0, 5.0], (20_000, 2)))
    np.testing.assert_allclose(y.mean(axis=0), [0.5, 0], atol=0.1)
    assert (y.min(axis=0) >= [0, -5]).all()
    assert (y.max(axis=0) <= [1, 5]).all()
    out = usmx.zeros(2, "f4")
    assert rng.normal([1e6, -1e6], 1.0, out=out) is out
    assert (out > 0).tolist() == [True, False]
    with pytest.raises(ValueError, match="scale must be 0 or more"):
        rng.normal(0, [1, -1])
    with pytest.raises(ValueError, match="width must be 0 or more"):
        rng.uniform([1, 2], 0)
    with pytest.raises(ValueError, match="lam must be from 0 to 2"):
        rng.poisson(usmx.asarray([1.0, -1.0]))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda r: r.exponential(-1.0), "exponential: scale must be 0 or more, found -1.0"),
        (lambda r: r.gamma(-1.0), "gamma: shape must be 0 or more"),
        (lambda r: r.beta(0, 1), "beta: a must be above 0"),
        (lambda r: r.chisquare(-3), "chisquare: df must be above 0, found -3"),
        (lambda r: r.chisquare([1.0, -3.0]), "chisquare: df must be above 0"),
        (lambda r: r.poisson(float("nan")), "lam must be from 0"),
        (lambda r: r.poisson(1e30), "lam must be from 0"),
        (lambda r: r.binomial(10, 1.5), "p must be from 0 to 1"),
        (lambda r: r.geometric(0.0), "p must be above 0 and at most 1"),
        (lambda r: r.triangular(0, 3, 2), "left, mode and right must grow"),
        (lambda r: r.choice(3, 4, replace=False), "at most 3 without replacement, found 4"),
        (lambda r: r.choice(0), "nothing to choose from"),
        (lambda r: r.choice(3, p=[0.5, 0.5]), r"p must have shape \(3,\)"),
        (lambda r: r.choice(2, p=[0.5, 0.6]), "sum up to 1"),
        (lambda r: r.choice(2, p=[1.5, -0.5]), "must be 0 or more"),
        (lambda r: r.choice(3, 2, False, [1, 0, 0]), "fewer probabilities are above 0"),
        (lambda r: r.multivariate_normal([0], [[1, 2]]), "a vector and its square matrix"),
        (lambda r: r.multivariate_normal([0], [[-1]], check_valid="raise"), "semidefinite"),
    ],
)
def test_wrong_parameter_is_named(call, match):
    with pytest.raises(ValueError, match=match):
        call(usmx.random.default_rng(0))


# ---- choosing and mixing


def test_parts_are_chosen_by_their_probabilities():
    rng = usmx.random.default_rng(8)
    weights = np.array([0.1, 0.2, 0.0, 0.7])
    counts = np.bincount(usmx.asnumpy(rng.choice(4, N, p=weights)), minlength=4)
    assert counts[2] == 0
    expected = weights[weights > 0] * N
    assert ((counts[weights > 0] - expected) ** 2 / expected).sum() < 18.4  # chi squared, 2: 0.01 %
    equal = np.bincount(usmx.asnumpy(rng.choice(7, N)))
    assert ((equal - N / 7) ** 2 / (N / 7)).sum() < 27.9  # 6


def test_first_part_without_replacement_has_its_probability():
    rng = usmx.random.default_rng(8)
    weights = np.array([0.1, 0.2, 0.7])
    first = [int(rng.choice(3, 2, replace=False, p=weights)[0]) for _ in range(500)]
    counts = np.bincount(first, minlength=3)
    assert ((counts - weights * 500) ** 2 / (weights * 500)).sum() < 18.4


def test_choice_has_numpys_shapes():
    rng, x = usmx.random.default_rng(0), np.arange(12).reshape(3, 4)
    theirs = np.random.default_rng(0)
    for arguments in (
        (5,),
        (5, 3),
        (5, (2, 3)),
        (x,),
        (x, 2),
        (x, (2, 3), True, None, 1),
        ([1, 2], 2),
    ):
        assert rng.choice(*arguments).shape == np.shape(theirs.choice(*arguments))
    made = rng.choice(usmx.asarray(x, usm_type="shared"), 2, axis=1)
    assert made.usm_type == "shared"
    assert sorted(usmx.asnumpy(rng.choice(20, 20, replace=False))) == list(range(20))


def test_all_orders_are_as_likely():
    rng = usmx.random.default_rng(1)
    rows = usmx.asnumpy(rng.permuted(usmx.broadcast_to(usmx.arange(3), (24_000, 3)), axis=1))
    counts = np.bincount(rows @ [9, 3, 1])
    counts = counts[counts > 0]
    assert len(counts) == 6
    assert ((counts - 4000) ** 2 / 4000).sum() < 25.8  # chi squared, 5: 0.01 %


@pytest.mark.parametrize("axis", [0, 1])
def test_parts_stay_whole(axis):
    rng, x = usmx.random.default_rng(1), usmx.asarray(np.arange(30).reshape(5, 6))
    made = usmx.asnumpy(rng.permutation(x, axis=axis))
    y = x.copy()
    assert rng.shuffle(y, axis=axis) is None
    for mixed in (made, usmx.asnumpy(y)):
        rows = mixed if axis == 0 else mixed.T
        expected = np.arange(30).reshape(5, 6)
        assert sorted(map(tuple, rows)) == sorted(map(tuple, expected if axis == 0 else expected.T))


def test_lists_and_numpys_arrays_are_mixed_in_place():
    values, host = list(range(50)), np.arange(50)
    rng = usmx.random.default_rng(1)
    rng.shuffle(values)
    rng.shuffle(host)
    assert values != list(range(50)) != host.tolist()
    assert sorted(values) == sorted(host) == list(range(50))
    with pytest.raises(TypeError, match="an array or a list"):
        rng.shuffle((1, 2))


def test_vectors_have_their_mean_and_covariance():
    matrix = np.array([[2, 0.5, 0], [0.5, 1, -0.3], [0, -0.3, 0.5]])
    for method in ("svd", "eigh", "cholesky"):
        made = usmx.random.default_rng(4).multivariate_normal(
            [1, 2, 3], matrix, 50_000, method=method
        )
        x = usmx.asnumpy(made)
        np.testing.assert_allclose(x.mean(axis=0), [1, 2, 3], atol=0.03)
        np.testing.assert_allclose(np.cov(x.T), matrix, atol=0.04)
    with pytest.warns(RuntimeWarning, match="positive semidefinite"):
        usmx.random.default_rng(4).multivariate_normal([0], [[-1]])


def test_parts_of_dirichlet_sum_up_to_1():
    made = usmx.random.default_rng(4).dirichlet([1.0, 2.0, 5.0], 20_000)
    np.testing.assert_allclose(usmx.asnumpy(made.sum(axis=1)), 1)
    np.testing.assert_allclose(usmx.asnumpy(made.mean(axis=0)), [1 / 8, 2 / 8, 5 / 8], atol=0.01)


# ---- the names of the module


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("alpha", [[1e-5] * 3, [0.001, 0.002], [0.05, 0.09, 0.01]], ids=str)
def test_parts_of_small_parameters_are_numbers(alpha, dtype):
    parts = usmx.asnumpy(usmx.random.default_rng(3).dirichlet(alpha, 4000, dtype=dtype))
    assert parts.dtype == dtype
    np.testing.assert_allclose(parts.sum(-1), 1, rtol=1e-5)
    mean = np.array(alpha) / sum(alpha)
    # The variance of a part is mean (1 - mean) / (sum + 1).
    assert (abs(parts.mean(0) - mean) < 6 * np.sqrt(mean * (1 - mean) / 4000)).all()


def test_unknown_keywords_of_distributions_are_refused():
    generator = usmx.random.default_rng(1)
    for call in (
        lambda **word: generator.gamma(2.0, **word),
        lambda **word: generator.beta(2.0, 3.0, **word),
        lambda **word: generator.poisson(2.0, **word),
        lambda **word: generator.dirichlet([1.0, 2.0], **word),
        lambda **word: generator.standard_exponential(3, **word),
        lambda **word: usmx.random.beta(2.0, 3.0, **word),
    ):
        for word in ("siez", "usmtype"):
            with pytest.raises(TypeError, match=word):
                call(**{word: 3})


@pytest.mark.parametrize(
    ("name", "arguments"), [("standard_exponential", ()), ("standard_gamma", (2.0,))]
)
def test_numbers_are_written_to_out(name, arguments):
    out = usmx.zeros((2, 3), dtype="f4")
    draw = getattr(usmx.random.default_rng(5), name)
    assert draw(*arguments, out=out) is out
    expected = getattr(usmx.random.default_rng(5), name)(*arguments, (2, 3), dtype="f4")
    np.testing.assert_array_equal(usmx.asnumpy(out), usmx.asnumpy(expected))
    with pytest.raises(ValueError, match="shape"):
        draw(*arguments, 4, out=out)


@pytest.mark.parametrize(("n", "p"), [(1e300, 0.5), (5, 1e-300), (1e19, 0.5)])
def test_counts_beyond_int64_are_refused(n, p):
    with pytest.raises(ValueError, match="n is too large, or p too small"):
        usmx.random.default_rng(1).negative_binomial(n, p)


def test_calls_that_raise_draw_nothing():
    fixed = usmx.broadcast_to(usmx.asarray(1.0), (4,))
    for call in (
        lambda g: g.shuffle(fixed),
        lambda g: g.permuted(usmx.ones(4), out=fixed),
        lambda g: g.permuted(usmx.ones(4), out=usmx.empty(3)),
        lambda g: g.permuted(usmx.ones(4), out=usmx.empty(4, dtype="i4")),
        lambda g: g.standard_gamma(2.0, out=fixed),
        lambda g: g.normal(out=fixed),
    ):
        generator = usmx.random.default_rng(9)
        with pytest.raises((TypeError, ValueError)):
            call(generator)
        found, expected = generator.random(2), usmx.random.default_rng(9).random(2)
        np.testing.assert_array_equal(usmx.asnumpy(found), usmx.asnumpy(expected))


def test_seed_begins_again():
    usmx.random.seed(5)
    first = [usmx.random.rand(3), usmx.random.randint(0, 9, 3), usmx.random.randn(2, 2)]
    usmx.random.seed(5)
    again = [usmx.random.rand(3), usmx.random.randint(0, 9, 3), usmx.random.randn(2, 2)]
    other = usmx.random.RandomState(5)
    third = [other.rand(3), other.randint(0, 9, 3), other.randn(2, 2)]
    for one, two, three in zip(first, again, third, strict=True):
        assert usmx.array_equal(one, two)
        assert usmx.array_equal(one, three)
    state = usmx.random.get_state()
    one = usmx.random.random_sample(4)
    usmx.random.set_state(state)
    assert usmx.array_equal(usmx.random.random(4), one)
    assert usmx.array_equal(pickle.loads(pickle.dumps(other)).rand(3), other.rand(3))


def test_shared_generator_begins_with_the_systems_numbers():
    code = "import usmx; print(usmx.random.randint(2**62))"
    assert output_of(code) != output_of(code)


def test_threads_share_one_generator():
    usmx.random.seed(0)
    with ThreadPoolExecutor(4) as pool:
        parts = list(
            pool.map(lambda _: usmx.asnumpy(usmx.random.randint(0, 2**62, 200)), range(16))
        )
    assert len(np.unique(np.concatenate(parts))) == 16 * 200


def test_shapes_are_numpys():
    for name, arguments in (
        ("rand", ()), ("rand", (2, 3)), ("randn", (2,)), ("randint", (5,)), ("randint", (1, 5, (2, 2))),
        ("random", ()), ("random_sample", (4,)), ("uniform", (0, 1, 3)), ("normal", (0, 1, (2, 3))),
        ("permutation", (5,)), ("exponential", (1.0, 3)), ("choice", (5, 2)), ("beta", (1, 2, 3)),
    ):  # fmt: skip
        made = getattr(usmx.random, name)(*arguments)
        expected = getattr(np.random, name)(*arguments)
        assert made.shape == np.shape(expected)
        assert made.dtype == np.asarray(expected).dtype


def test_names_that_are_not_there_name_numpys():
    assert "rand" in dir(usmx.random)
    with pytest.raises(AttributeError, match=r"use usmx.asarray\(numpy.random.default_rng"):
        usmx.random.vonmises  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'vonmises': use usmx.asarray"):
        usmx.random.default_rng(0).vonmises  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'$"):
        usmx.random.nosuch  # noqa: B018
    with pytest.raises(AttributeError, match=r"bytes") as raised:
        usmx.random.bytes  # noqa: B018
    advice = str(raised.value).partition(": use ")[2].replace("seed", "7").replace("...", "5")
    assert eval(advice, {"usmx": usmx, "numpy": np}).shape == (5,)
