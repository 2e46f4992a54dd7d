"""Sums of weights are added in the order of the elements, by the host and by kernels alike."""

import numpy as np
import pytest
import usmx

rng = np.random.default_rng(187)
PLACES = rng.integers(0, 5, 300)
WEIGHTS = rng.normal(size=300) * 10.0 ** rng.integers(-12, 12, 300)


def summed():
    return usmx.bincount(usmx.asarray(PLACES), usmx.asarray(WEIGHTS))


def test_host_adds_weights_in_numpys_order():
    assert usmx.asnumpy(summed()).tobytes() == np.bincount(PLACES, WEIGHTS).tobytes()


def test_kernel_adds_weights_in_numpys_order(strict_host):
    assert usmx.asnumpy(summed()).tobytes() == np.bincount(PLACES, WEIGHTS).tobytes()


def test_weights_of_a_view_are_taken_in_its_order():
    places, weights = usmx.asarray(PLACES)[::-2], usmx.asarray(WEIGHTS)[::-2]
    expected = np.bincount(PLACES[::-2], WEIGHTS[::-2])
    assert usmx.asnumpy(usmx.bincount(places, weights)).tobytes() == expected.tobytes()


COUNTS = {
    "bincount": lambda xp: xp.bincount(xp.asarray(PLACES), minlength=9),
    "bincount of nothing": lambda xp: xp.bincount(
        xp.asarray(PLACES[:0]), xp.asarray(WEIGHTS[:0]), minlength=3
    ),
    "bincount of a view": lambda xp: xp.bincount(xp.asarray(PLACES)[::-2]),
    "histogram": lambda xp: xp.histogram(xp.asarray(WEIGHTS), 7),
    "density": lambda xp: xp.histogram(xp.asarray(WEIGHTS), 7, (-1, 1), density=True),
    "edges": lambda xp: xp.histogram(xp.asarray(PLACES), xp.asarray([0, 1, 3, 4])),
    "rule": lambda xp: xp.histogram(xp.asarray(PLACES * 0.5), "sturges"),
    "planes": lambda xp: xp.histogram2d(xp.asarray(PLACES), xp.asarray(PLACES[::-1].copy()), 3)[0],
    "many": lambda xp: xp.bincount(xp.asarray(np.resize(PLACES, 70_000))),
}


def is_numpys(count):
    found, expected = count(usmx), count(np)
    if not isinstance(found, tuple):
        found, expected = (found,), (expected,)
    return all(
        (usmx.asnumpy(a) == b).all() and a.dtype == b.dtype
        for a, b in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS)
def test_host_counts_as_numpy(count):
    assert is_numpys(count)


@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS)
def test_kernels_count_as_numpy(strict_host, count):
    assert is_numpys(count)


@pytest.mark.parametrize("bins", [10, np.int64(10)])
def test_greatest_complex_number_is_in_the_last_bin(bins):
    x = np.array([-2, 1], "c8")
    counts, _ = usmx.histogram(usmx.asarray(x), bins)
    np.testing.assert_array_equal(usmx.asnumpy(counts), np.histogram(x, bins)[0])
