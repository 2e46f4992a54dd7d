"""Sums of weights are added in the order of the elements, by the host and by kernels alike."""

import numpy as np
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
