"""Cumulative sums, sorts and products of few elements are the host's, with the bits of the kernels."""

from functools import partial

import numpy as np
import pytest
import usmx
from usmx import _core

TYPES = ["?", "i1", "i4", "i8", "u2", "u8", "f4", "f8"]
NAMES = ["_accumulate", "_sort"]


def only(monkeypatch, way, function, *arguments, **how):
    """What the function computes in that way; None if it cannot."""
    with monkeypatch.context() as patch:
        for name in NAMES:
            patch.setattr(_core, name, partial(getattr(_core, name), only=way))
        return function(*arguments, **how)


reaches_memory = usmx.ones(1).sycl_device.is_cpu
pytestmark = pytest.mark.skipif(not reaches_memory, reason="the host does not reach the memory")


def values(dtype, shape):
    random = np.random.default_rng(5)
    if dtype == "?":
        return random.random(shape) < 0.5
    if dtype[0] in "iu":
        return random.integers(-9 if dtype[0] == "i" else 0, 9, shape).astype(dtype)
    made = np.round(random.standard_normal(shape) * 4) / 3
    made.flat[::17], made.flat[3::29], made.flat[5::31] = np.nan, -0.0, np.inf
    return made.astype(dtype)


def is_same(found, expected):
    """Also the signs of zeros; a NaN has no sign."""
    bits = [np.where(each != each, np.abs(each), each).tobytes() for each in (found, expected)]
    return (found.dtype, found.shape, bits[0]) == (expected.dtype, expected.shape, bits[1])


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", TYPES)
def test_sorted_elements_and_places_are_the_kernels(monkeypatch, dtype):
    for shape, axis in [((64, 9), -1), ((9, 64), 0), ((9, 3), None), ((300,), 0)]:
        host = values(dtype, shape)
        for function in (usmx.sort, usmx.argsort):
            for descending in (False, True):
                found, expected = (
                    only(
                        monkeypatch, way, function, usmx.asarray(host), axis, descending=descending
                    )
                    for way in ("host", "kernel")
                )
                assert is_same(usmx.asnumpy(found), usmx.asnumpy(expected))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 300])
def test_different_elements_are_the_kernels(dtype, n):
    host = values(dtype, (n, 2)).T
    found = usmx.unique_all(usmx.asarray(host))
    parts = [
        (usmx.unique_values, found[:1]),
        (usmx.unique_counts, (found[0], found[3])),
        (usmx.unique_inverse, (found[0], found[2])),
    ]
    with usmx.host_access("strict"):  # then the host does not reach memory of a device
        expected = usmx.unique_all(usmx.asarray(host))
        assert expected.values.usm_type == "device"
        alone = [(function(usmx.asarray(host)), of) for function, of in parts]
    alone += [(function(usmx.asarray(host)), of) for function, of in parts]
    for all_found, all_expected in [(found, expected), *alone]:
        all_found = all_found if isinstance(all_found, tuple) else (all_found,)
        for one, other in zip(all_found, all_expected, strict=True):
            assert is_same(usmx.asnumpy(one), usmx.asnumpy(other))


# Rows beside each other and alone, of less and more than a whole vector, on one thread and on more.
ROWS = [
    (1, 1),
    (3, 2),
    (9, 7),
    (17, 8),
    (5, 33),
    (2, 65),
    (40, 100),
    (3, 257),
    (1, 700),
    (250, 300),
]


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", TYPES)
def test_rows_of_many_lengths_are_sorted_stably(dtype):
    for shape in ROWS:
        host = values(dtype, shape)
        array = usmx.asarray(host)
        up = np.argsort(host, stable=True)
        down = shape[1] - 1 - np.argsort(host[:, ::-1], stable=True)[:, ::-1]
        for order, descending in ((up, False), (down, True)):
            assert (
                usmx.asnumpy(usmx.argsort(array, descending=descending)).tolist() == order.tolist()
            )
            found = usmx.asnumpy(usmx.sort(array, descending=descending))
            assert is_same(found, np.take_along_axis(host, order, 1))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
def test_cumulative_sums_have_the_bits_of_the_kernels(monkeypatch, dtype):
    for shape, axis in [((5, 70), 1), ((70, 5), 0), ((1,), 0), ((512,), 0), ((2, 1029), 1)]:
        host = values(dtype, shape)
        for function in (usmx.cumulative_sum, usmx.cumulative_prod):
            for lead in (False, True):
                with np.errstate(all="ignore"):
                    found, expected = (
                        only(
                            monkeypatch,
                            way,
                            function,
                            usmx.asarray(host),
                            axis=axis,
                            include_initial=lead,
                        )
                        for way in ("host", "kernel")
                    )
                assert is_same(usmx.asnumpy(found), usmx.asnumpy(expected))


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("f4", (1023,)), ("f8", (4096,)), ("f8", (3, 4096)), ("u4", (4097,)), ("i8", (3, 5461))],
    ids=str,
)
def test_cumulative_sums_of_long_rows_have_the_bits_of_the_kernels(monkeypatch, dtype, shape):
    host = np.random.default_rng(3).standard_normal(shape) * 9
    x = usmx.asarray(np.abs(host).astype(dtype))
    found, expected = (
        only(monkeypatch, way, usmx.cumulative_sum, x, axis=-1) for way in ("host", "kernel")
    )
    assert is_same(usmx.asnumpy(found), usmx.asnumpy(expected))


def test_bytes_of_bools_that_are_not_1_count_as_true(monkeypatch):
    x = usmx.asarray(np.arange(6, dtype="u1")).view("?")
    for way in ("host", "kernel"):
        assert usmx.asnumpy(only(monkeypatch, way, usmx.cumulative_sum, x))[-1] == 5
        found = only(monkeypatch, way, usmx.sort, x)
        assert usmx.asnumpy(found).view("u1").tolist() == [0, 1, 1, 1, 1, 1]


SHAPES = [
    ((8, 8), (8, 8)),
    ((64, 64), (64,)),
    ((3,), (3, 5)),
    ((7, 33), (33, 1)),
    ((4, 2, 3), (3, 2)),
]


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_products_are_the_kernels(dtype):
    for left, right in SHAPES:
        x, y = values(dtype, left), values(dtype, right)
        for view in (
            lambda a: a,
            lambda a: a[..., ::-1][..., ::-1],
            lambda a: usmx.asarray(a, order="F"),
        ):
            a, b = view(usmx.asarray(x)), view(usmx.asarray(y))
            found, expected = (usmx.asnumpy(_core._matmul(a, b, way)) for way in ("host", "kernel"))
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            rounded = {"rtol": 2e-6, "atol": 1e-6} if dtype[0] == "f" else {"rtol": 0}
            np.testing.assert_allclose(found, expected, **rounded)


def test_products_of_transposed_matrices_are_numpys():
    x, y = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4) - 5
    found = usmx.asarray(x).T @ usmx.asarray(y)
    np.testing.assert_array_equal(usmx.asnumpy(found), x.T @ y)
    found = usmx.asarray(x) @ usmx.asarray(y).T
    np.testing.assert_array_equal(usmx.asnumpy(found), x @ y.T)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (usmx.cumulative_sum, (4097, "f4")),
        (usmx.cumulative_sum, (16385, "i8")),
        (usmx.cumulative_sum, (5, "c8")),
        (usmx.sort, (32769, "f8")),
        (usmx.sort, (5, "f2")),
        (usmx.argsort, (32_769, "f8")),
        (usmx.argsort, (5, "f2")),
    ],
)
def test_other_calls_are_left_to_kernels(monkeypatch, function, x):
    assert only(monkeypatch, "host", function, usmx.ones(*x)) is None


def test_products_of_other_types_are_left_to_kernels():
    assert _core._matmul(usmx.ones((4, 4), "f2"), usmx.ones((4, 4), "f2"), "host") is None
