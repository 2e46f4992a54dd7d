"""Calls on few elements are NumPy's where the host may compute, and usmx's own elsewhere."""

import numpy as np
import pytest
import usmx
from usmx._container import little

X = np.array([3.0, 1.0, 2.0, 2.0])
CALLS = {
    "append": lambda xp, x: xp.append(x, [7, 8.5]),
    "append complex": lambda xp, x: xp.append(x, [7j, True]),
    "insert": lambda xp, x: xp.insert(x, 1, 5),
    "delete": lambda xp, x: xp.delete(x, [0, 2]),
    "convolve": lambda xp, x: xp.convolve(x, [1.0, 2.0], mode="same"),
    "correlate": lambda xp, x: xp.correlate(x, x, mode="full"),
    "interp": lambda xp, x: xp.interp(x, [0.0, 2.5], [1.0, 2.0]),
    "digitize": lambda xp, x: xp.digitize(x, [1.0, 2.5]),
    "lexsort": lambda xp, x: xp.lexsort(xp.stack([x, x[::-1]])),
    "unique": lambda xp, x: xp.unique(x, return_counts=True),
    "einsum": lambda xp, x: xp.einsum("i,j->ij", x, x),
    "bincount": lambda xp, x: xp.bincount(x.astype(np.int64), weights=x),
}


@pytest.fixture
def by_numpy(monkeypatch):
    """The names of NumPy's functions that were called in place of usmx's, in order."""
    names = []

    class Counting:
        def __getattr__(self, name):
            if name in little_names:
                names.append(name)
            return getattr(np, name)

    little_names = {name.partition(" ")[0] for name in CALLS}
    monkeypatch.setattr(little, "numpy", Counting())
    return names


def compared(call, dtype="f8"):
    found, expected = call(usmx, usmx.asarray(X.astype(dtype))), call(np, X.astype(dtype))
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for a, b in zip(found, expected, strict=True):
        assert np.array_equal(usmx.asnumpy(a), b)
    return found, expected


on_cpu = pytest.mark.skipif(
    not usmx.SyclDevice().is_cpu, reason="the host does not reach this device's memory"
)


@on_cpu
@pytest.mark.parametrize("name", CALLS)
def test_little_is_numpys(by_numpy, name):
    found, expected = compared(CALLS[name])
    assert by_numpy[-1:] == [name.partition(" ")[0]]
    assert [a.dtype for a in found] == [b.dtype for b in expected]
    assert {(a.usm_type, a.sycl_queue) for a in found} == {("device", usmx.empty(0).sycl_queue)}


@pytest.mark.parametrize("name", CALLS)
def test_usmx_computes_the_same_where_the_host_may_not(strict_host, by_numpy, name):
    compared(CALLS[name])
    assert by_numpy == []


@on_cpu
@pytest.mark.parametrize(
    ("function", "of"),
    [
        (usmx.convolve, lambda: (usmx.ones(513), [1.0])),
        (usmx.interp, lambda: (usmx.ones(3, dtype="f4"), [0.0], [1.0])),
        (usmx.append, lambda: (usmx.ones(3), usmx.ones(2, usm_type="shared"))),
        (usmx.append, lambda: ([1.0], [2.0])),
        (usmx.insert, lambda: (usmx.ones(3), usmx.asarray([1, 2], dtype="u8"), 5)),
        (usmx.einsum, lambda: ("ij->ji", usmx.ones((9, 9)))),
    ],
    ids=["many", "another type", "two kinds", "no array", "unsigned indices", "more"],
)
def test_other_calls_are_usmxs(by_numpy, function, of):
    function(*of())
    assert by_numpy == []


def test_output_is_written_by_usmx(by_numpy):
    x, out = usmx.ones((2, 2)), usmx.zeros((2, 2))
    assert usmx.einsum("ij->ji", x, out=out) is out
    assert usmx.asnumpy(out).tolist() == [[1, 1], [1, 1]]
    assert by_numpy == []


def test_error_is_usmxs():
    with pytest.raises(ValueError, match="interp: expected as many points as values"):
        usmx.interp(usmx.ones(2), [1.0, 2.0], [1.0])
    with pytest.raises(TypeError, match="'dim', it takes .*: axis is PyTorch's dim"):
        usmx.append(usmx.ones(2), 1, dim=0)


def test_index_that_no_array_has_is_no_negative_one():
    for obj in ([2**64 - 1, 0], usmx.asarray([2**64 - 1, 0], dtype="u8"), 2**64 - 1):
        for call in (usmx.delete, lambda x, k: usmx.insert(x, k, 5)):
            with pytest.raises((IndexError, OverflowError)):
                call(usmx.ones(3), obj)


@pytest.mark.parametrize("dtype", ["i4", "i8"])
@pytest.mark.parametrize("count", [1, 20_000, 250_000])
def test_elements_at_many_indices_are_numpys(dtype, count):
    random = np.random.default_rng(5)
    rows = random.normal(size=(700, 2))
    indices = random.integers(-700, 700, count).astype(dtype)
    for host in (rows, rows[:, 0].copy(), rows.astype("f4")):
        found = usmx.asarray(host)[usmx.asarray(indices)]
        np.testing.assert_array_equal(usmx.asnumpy(found), host[indices])
    indices[count // 2] = 700
    with pytest.raises(IndexError, match="700"):
        usmx.asarray(rows)[usmx.asarray(indices)]
