"""Cumulative sums, sorts and products of few elements are the host's, with the bits of the kernels."""

import numpy as np
import pytest
import usmx
from usmx import _core

TYPES = ["?", "i1", "i4", "i8", "u2", "u8", "f4", "f8"]
NAMES = ["_scan_on_host", "_sort_on_host", "_multiply_on_host"]


def taken(monkeypatch, name):
    """The answers of one of the functions from now on."""
    answers = []
    function = getattr(_core, name)

    def ask(*arguments):
        answers.append(function(*arguments))
        return answers[-1]

    monkeypatch.setattr(_core, name, ask)
    return answers


reaches_memory = usmx.ones(1).sycl_device.is_cpu
pytestmark = pytest.mark.skipif(not reaches_memory, reason="the host does not reach the memory")


@pytest.fixture
def by_kernels(monkeypatch):
    """A function that computes by kernels alone."""

    def compute(function, *arguments, **how):
        with monkeypatch.context() as patch:
            for name in NAMES:
                patch.setattr(_core, name, lambda *_: False)
            patch.setattr(_core, "_product", lambda *_: None)
            patch.setattr(_core, "_start_product", lambda *_: False)
            return usmx.asnumpy(function(*arguments, **how))

    return compute


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


@pytest.mark.parametrize("dtype", TYPES)
def test_sorted_elements_and_places_are_the_kernels(monkeypatch, by_kernels, dtype):
    answers = taken(monkeypatch, "_sort_on_host")
    for shape, axis in [((64, 9), -1), ((9, 64), 0), ((300,), 0)]:
        host = values(dtype, shape)
        for function in (usmx.sort, usmx.argsort):
            for descending in (False, True):
                found = function(usmx.asarray(host), axis=axis, descending=descending)
                expected = by_kernels(
                    function, usmx.asarray(host), axis=axis, descending=descending
                )
                assert is_same(usmx.asnumpy(found), expected)
    assert set(answers) == {True}


@pytest.mark.parametrize("dtype", TYPES)
def test_cumulative_sums_have_the_bits_of_the_kernels(monkeypatch, by_kernels, dtype):
    answers = taken(monkeypatch, "_scan_on_host")
    for shape, axis in [((5, 70), 1), ((70, 5), 0), ((1,), 0), ((512,), 0)]:
        host = values(dtype, shape)
        for function in (usmx.cumulative_sum, usmx.cumulative_prod):
            for lead in (False, True):
                with np.errstate(all="ignore"):
                    found = function(usmx.asarray(host), axis=axis, include_initial=lead)
                    expected = by_kernels(
                        function, usmx.asarray(host), axis=axis, include_initial=lead
                    )
                assert is_same(usmx.asnumpy(found), expected)
    assert set(answers) == {True}


SHAPES = [
    ((8, 8), (8, 8)),
    ((64, 64), (64,)),
    ((3,), (3, 5)),
    ((7, 33), (33, 1)),
    ((4, 2, 3), (3, 2)),
]


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_products_are_the_kernels(monkeypatch, by_kernels, dtype):
    monkeypatch.setattr(_core, "_product", lambda *_: None)
    answers = taken(monkeypatch, "_multiply_on_host")
    for left, right in SHAPES:
        x, y = values(dtype, left), values(dtype, right)
        for view in (
            lambda a: a,
            lambda a: a[..., ::-1][..., ::-1],
            lambda a: usmx.asarray(a, order="F"),
        ):
            a, b = view(usmx.asarray(x)), view(usmx.asarray(y))
            found = usmx.asnumpy(usmx.matmul(a, b))
            expected = by_kernels(usmx.matmul, usmx.asarray(x), usmx.asarray(y))
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            rounded = {"rtol": 2e-6, "atol": 1e-6} if dtype[0] == "f" else {"rtol": 0}
            np.testing.assert_allclose(found, expected, **rounded)
    assert set(answers) == {True}


def test_products_of_transposed_matrices_are_numpys():
    x, y = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4) - 5
    found = usmx.asarray(x).T @ usmx.asarray(y)
    np.testing.assert_array_equal(usmx.asnumpy(found), x.T @ y)
    found = usmx.asarray(x) @ usmx.asarray(y).T
    np.testing.assert_array_equal(usmx.asnumpy(found), x @ y.T)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("_scan_on_host", lambda: usmx.cumulative_sum(usmx.ones(513))),
        ("_scan_on_host", lambda: usmx.cumulative_sum(usmx.ones(5, "c8"))),
        ("_sort_on_host", lambda: usmx.sort(usmx.ones(5000))),
        ("_sort_on_host", lambda: usmx.sort(usmx.ones(5, "f2"))),
        ("_multiply_on_host", lambda: usmx.ones((4, 4), "f2") @ usmx.ones((4, 4), "f2")),
    ],
)
def test_other_calls_are_left_to_kernels(monkeypatch, name, call):
    answers = taken(monkeypatch, name)
    call().wait()
    assert set(answers) == {False}
