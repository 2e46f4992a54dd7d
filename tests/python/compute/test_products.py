"""Products of matrices and vectors by the host are NumPy's, for all shapes, layouts and types."""

import contextlib
import itertools

import numpy as np
import pytest
import usmx
from usmx import _core

pytestmark = pytest.mark.skipif(
    not usmx.ones(1).sycl_device.is_cpu, reason="the host does not reach the memory"
)
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
SHAPES = [
    ((8, 8), (8, 8)), ((1, 1), (1, 1)), ((3, 200), (200, 5)), ((9, 17), (17, 33)), ((17, 300), (300, 64)),
    ((1, 40), (40, 1)), ((40, 1), (1, 40)), ((2, 3), (3, 1)), ((65, 20), (20, 8)), ((5, 260), (260, 70)),
    ((20,), (20,)), ((200,), (200,)), ((3,), (3,)), ((8, 3), (3,)), ((33, 20), (20,)), ((33, 70), (70,)),
    ((7, 300), (300,)), ((20,), (20, 70)), ((70,), (70, 20)), ((5,), (5, 3)), ((300,), (300, 200)), ((40,), (40, 9)),
]  # fmt: skip
LAYOUTS = {
    "C": lambda a: a,
    "F": lambda a: usmx.asarray(a, order="F", copy=True),
    "reversed": lambda a: usmx.copy(usmx.flip(a))[(slice(None, None, -1),) * a.ndim],
    "every third": lambda a: spread(a, 3),
    "in a row": lambda a: usmx.copy(usmx.concat((a, a), axis=-1))[..., : a.shape[-1]],
}


def spread(a, step):
    """The elements with gaps of others between them, along all axes."""
    wide = usmx.full([each * step for each in a.shape], 7, dtype=a.dtype)
    part = wide[(slice(None, None, step),) * a.ndim]
    part[...] = a
    return part


def whole(dtype, shape, seed=0):
    """Small integers: their sums are exact in any order."""
    random = np.random.default_rng(seed)
    if dtype == "?":
        return random.random(shape) < 0.2
    made = random.integers(0 if dtype[0] == "u" else -5, 6, shape)
    return (made + 1j * made[::-1] if dtype[0] == "c" else made).astype(dtype)


def by_host(x, y, *, is_certain):
    """The product by the host's loops; where it may be another's, that one."""
    found = _core._matmul(x, y, "host")
    assert found is not None or not is_certain
    return usmx.matmul(x, y) if found is None else found


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_all_layouts_are_numpys(dtype):
    for number, (left, right) in enumerate(SHAPES):
        x, y = whole(dtype, left, number), whole(dtype, right, number + 100)
        expected = np.matmul(x, y)
        for of_x, of_y in zip(LAYOUTS.values(), (*list(LAYOUTS.values())[1:], LAYOUTS["F"]), strict=True):  # fmt: skip
            a, b = of_x(usmx.asarray(x)), of_y(usmx.asarray(y))
            host = usmx.asnumpy(by_host(a, b, is_certain=dtype != "?"))
            assert (host.dtype, host.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(host, expected)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u2"])
def test_products_of_integers_wrap_around(dtype):
    limits = np.iinfo(dtype)
    x = np.array([limits.max, limits.min, limits.max, limits.max - 1] * 20, dtype)
    for a, b in ((x, x), (x[:3], x[:3]), (x.reshape(4, 20), x.reshape(20, 4)), (x.reshape(4, 20), x[:20])):  # fmt: skip
        np.testing.assert_array_equal(usmx.asnumpy(usmx.asarray(a) @ usmx.asarray(b)), a @ b)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("length", [3, 8, 17, 20, 31, 40, 67, 130])
def test_each_element_counts_once(dtype, length):
    """An infinite one is that, and a NaN stays in its row and column."""
    for place in range(length):
        for value in (np.inf, np.nan):
            x = np.ones((3, length), dtype)
            x[1, place] = value
            a, v = usmx.asarray(x), usmx.ones(length, dtype)
            expected = [length, value, length]
            np.testing.assert_array_equal(usmx.asnumpy(a @ v), expected)
            np.testing.assert_array_equal(usmx.asnumpy(v @ a.T), expected)
            np.testing.assert_array_equal(usmx.asnumpy(a[1] @ v), expected[1])
            tall = usmx.copy(a.T) @ usmx.ones((3, 2), dtype)
            assert usmx.asnumpy(tall)[place, 0] != 3
            assert (usmx.asnumpy(tall) == 3).sum() == 2 * length - 2


LARGE = [
    ((20_000, 20), (20,)), ((20, 20_000), (20_000,)), ((700, 600), (600,)), ((600,), (600, 700)),
    ((300_000,), (300_000,)), ((3, 100_000), (100_000,)), ((200_000, 3), (3,)), ((2000, 16), (16, 90)),
    ((16, 9000), (9000, 16)), ((1030, 120), (120, 65)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f4", "i4"])
@pytest.mark.parametrize("shapes", LARGE, ids=str)
def test_products_by_all_threads_are_numpys(dtype, shapes):
    x, y = (whole(dtype, shape, 3) for shape in shapes)
    expected = np.matmul(x.astype("f8"), y.astype("f8"))
    for a, b in (
        (usmx.asarray(x), usmx.asarray(y)),
        (usmx.asarray(x, order="F"), spread(usmx.asarray(y), 2)),
    ):
        np.testing.assert_array_equal(usmx.asnumpy(by_host(a, b, is_certain=True)), expected)


def test_numbers_of_products_differ_by_roundings_only():
    random = np.random.default_rng(2)
    for left, right in SHAPES:
        x, y = random.normal(size=left), random.normal(size=right)
        expected, bound = np.matmul(x, y), np.matmul(abs(x), abs(y)) * 1e-15 * left[-1]
        found = usmx.asnumpy(usmx.asarray(x) @ usmx.asarray(y))
        assert (abs(found - expected) <= bound).all()
        narrow = usmx.asnumpy(usmx.asarray(x, dtype="f4") @ usmx.asarray(y, dtype="f4"))
        assert (abs(narrow - expected) <= bound * 2**30).all()


def test_products_come_after_unfinished_work():
    x = usmx.ones((600, 600), "f4")
    v = usmx.ones(600, "f4")
    for _ in range(20):
        busy = usmx.sin(x * 0) + 1  # kernels
        assert (usmx.asnumpy(busy @ v) == 600).all()
        assert (usmx.asnumpy(v @ (busy + 1)) == 1200).all()
        assert (usmx.asnumpy((busy + 1)[:8, :8] @ (busy[:8, :8] + 1)) == 32).all()
        assert (usmx.asnumpy((x + 1) @ (busy[0] + 1)) == 2400).all()


def test_long_products_are_submitted():
    """Those that take more than milliseconds come in the order of work on the elements."""
    a, v = usmx.full((3000, 3000), 2, dtype="f4"), usmx.ones(3000, "f4")
    made = _core._matmul(a, v, "host")
    a[...] = 1
    again = _core._matmul(a, made, "host")
    assert (usmx.asnumpy(made) == 6000).all()
    assert (usmx.asnumpy(again) == 6000 * 3000).all()


@pytest.mark.parametrize("dtype", ["i4", "f4", "c8"])
def test_large_matrices_are_the_hosts_without_a_library(dtype):
    x, y = whole(dtype, (230, 210), 1), whole(dtype, (210, 220), 2)
    found = _core._matmul(usmx.asarray(x), usmx.asarray(y), "host")
    np.testing.assert_array_equal(usmx.asnumpy(found), x @ y)


def test_stacks_and_mixed_types_are_numpys():
    x, y = whole("f4", (3, 1, 9, 8), 1), whole("i2", (4, 8, 5), 2)
    found = usmx.matmul(usmx.asarray(x), usmx.asarray(y))
    assert found.dtype == np.matmul(x, y).dtype
    np.testing.assert_array_equal(usmx.asnumpy(found), np.matmul(x, y))


@pytest.mark.parametrize("dtype", ["?", "i2", "i8", "f4", "f8"])
def test_other_names_give_the_same(dtype):
    x, y, v = whole(dtype, (7, 7), 1), whole(dtype, (7, 7), 2), whole(dtype, 7, 3)
    a, b, w = map(usmx.asarray, (x, y, v))
    for found, expected in (
        (usmx.dot(a, b), x.dot(y)), (a.dot(w), x.dot(v)), (usmx.inner(a, b), np.inner(x, y)),
        (usmx.inner(w, w), np.inner(v, v)), (usmx.inner(a, w), np.inner(x, v)),
        (usmx.tensordot(a, b, 1), np.tensordot(x, y, 1)), (usmx.vecdot(w, w[::-1]), np.vecdot(v, v[::-1])),
    ):  # fmt: skip
        assert (found.dtype, found.shape) == (expected.dtype, np.shape(expected))
        np.testing.assert_array_equal(usmx.asnumpy(found), expected)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sums_of_products_of_vectors_have_the_bits_of_the_kernel(dtype):
    random = np.random.default_rng(7)
    for length in (1, 7, 64, 1000, 16_000):
        x, y = (usmx.asarray(random.normal(size=length), dtype=dtype) for _ in "xy")
        found, expected = (_core._vecdot(x, y, -1, way) for way in ("host", "kernel"))
        assert float(found) == float(expected)


def layouts_of_rows(dtype, rows, columns):
    """Arrays of that shape."""
    random = np.random.default_rng(8)

    def some(*shape):
        return usmx.asarray((random.normal(size=shape) * 40).astype(dtype))

    return [
        some(rows, columns),
        some(columns, rows).mT,
        some(rows, columns)[::-1, ::-1],
        some(2 * rows, 3 * columns)[::2, ::3],
        usmx.broadcast_to(some(columns), (rows, columns)),
        usmx.broadcast_to(some(rows, 1), (rows, columns)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "f8"])
def test_sums_of_products_of_rows_have_the_bits_of_the_kernel(dtype):
    for shape in ((8, 8), (1, 300), (37, 41), (3, 1000)):
        pairs = itertools.product(*(layouts_of_rows(dtype, *shape) for _ in "xy"))
        for (x, y), axis in itertools.product(pairs, (-1, 0)):
            x.wait()
            y.wait()
            found, expected = (_core._vecdot(x, y, axis, way) for way in ("host", "kernel"))
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            assert usmx.asnumpy(found).tobytes() == usmx.asnumpy(expected).tobytes()


def test_no_vectors_are_the_hosts_that_it_would_round_otherwise():
    half, many = usmx.ones(3, "f2"), usmx.ones(20_000)
    for x, y in (
        (half, half),
        (many, many),
        (usmx.ones(3), usmx.ones(3, "f4")),
        (usmx.ones((2, 3)), usmx.ones(3)),
        (usmx.ones((2, 3), "c8"),) * 2,
    ):
        assert _core._vecdot(x, y, -1, "host") is None


@pytest.mark.parametrize("call", [usmx.matmul, usmx.dot, lambda x, y: x @ y])
def test_shapes_that_do_not_fit_are_refused(call):
    for left, right in (((2, 3), (2, 3)), ((3,), (2,)), ((3,), (2, 3)), ((2, 3), (2,))):
        with pytest.raises(ValueError, match="agree"):
            call(usmx.ones(left), usmx.ones(right))


@pytest.mark.parametrize("has_out", [False, True])
def test_errors_of_dot_name_dot(has_out):
    out = usmx.ones(2) if has_out else None
    with pytest.raises(ValueError, match="dot: shapes must agree"):
        usmx.dot(usmx.ones((2, 3)), usmx.ones((2, 3)), out=out)


def test_products_of_two_kinds_of_memory_and_of_two_queues():
    x = usmx.ones((4, 4))
    shared = usmx.ones((4, 4), usm_type="shared")
    assert (x @ shared).usm_type == "device"
    with contextlib.suppress(usmx.ExecutionPlacementError):
        other = usmx.ones((4, 4), sycl_queue=usmx.SyclQueue())
        assert (usmx.asnumpy(x @ other) == 4).all()


def test_a_matrix_is_multiplied_in_place():
    x = usmx.asarray([[1.0, 2], [3, 4]])
    same = x
    x @= x
    assert same is x
    assert x.tolist() == [[7, 10], [15, 22]]


def test_functions_of_the_library_refuse_objects_of_other_classes():
    x, other = usmx.ones(3), usmx.SyclDevice()
    for call in (
        lambda: _core._vecdot(x, other, -1),
        lambda: _core._tensordot(other, x, [0], [0]),
        lambda: _core._sort("sort", other, -1),
    ):
        with pytest.raises(
            TypeError, match="expected a USMArray, found an object of type SyclDevice"
        ):
            call()
    assert _core._matmul(x, other) is None
