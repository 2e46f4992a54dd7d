"""Masks that the host walks through, and few integers: the elements are NumPy's, in any layout."""

import numpy as np
import pytest
import usmx

RNG = np.random.default_rng(11)
TYPES = ["u1", "f2", "i4", "f8", "c16", [("a", "u1"), ("b", "<f4"), ("c", "u2")]]
SHARES = [0.0, 0.03, 0.5, 1.0]
LONG = 70_001  # parts of a mask, which several threads may take


def both(values):
    return usmx.asarray(values), values.copy()


def elements(shape, dtype):
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = RNG.integers(0, 60, count, dtype="u1")  # no NaN, which equals nothing
    return raw.view(dtype).reshape(shape)


def assert_same(found, expected):
    assert found.shape == expected.shape
    assert usmx.asnumpy(found).tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (61,), (5, 13), (2, 3, 4)], ids=str)
def test_selected_elements_are_read_and_set(shape, share, dtype):
    mine, numpys = both(elements(shape, dtype))
    mask = RNG.random(shape) < share
    for layout in (lambda a: a, lambda a: a[::-1], lambda a: a.T, lambda a: a[..., ::2]):
        where = layout(mask)
        key = usmx.asarray(np.ascontiguousarray(where))
        assert_same(layout(mine)[key], layout(numpys)[where])
        values = elements(int(where.sum()), dtype)
        layout(mine)[key] = usmx.asarray(values)
        layout(numpys)[where] = values
        assert_same(mine, numpys)
        one = elements((1,), dtype)
        layout(mine)[key] = usmx.asarray(one)
        layout(numpys)[where] = one
        assert_same(mine, numpys)


@pytest.mark.parametrize("share", SHARES)
def test_long_masks_are_walked_through_in_parts(share):
    mine, numpys = both(elements(LONG, "i8"))
    mask = RNG.random(LONG) < share
    mask[LONG // 2 :] &= RNG.random(LONG - LONG // 2) < 0.5
    key = usmx.asarray(mask)
    assert_same(mine[key], numpys[mask])
    values = np.arange(mask.sum())
    mine[key] = usmx.asarray(values)
    numpys[mask] = values
    assert_same(mine, numpys)
    mine[key] = 5
    numpys[mask] = 5
    assert_same(mine, numpys)


def test_every_byte_but_zero_is_true():
    raw = np.arange(40, dtype="u1") % 3 * 0x40
    raw[1] = 0xFF
    mine = usmx.asarray(raw).view("?")
    numbers = np.arange(40)
    assert_same(usmx.asarray(numbers)[mine], numbers[raw != 0])
    set_to = usmx.asarray(numbers)
    set_to[mine] = -1
    assert_same(set_to, np.where(raw != 0, -1, numbers))


def test_mask_that_is_written_selects_what_it_selected():
    mine, numpys = both(RNG.random(100) < 0.5)
    values = RNG.random(int(numpys.sum())) < 0.5
    mine[mine] = usmx.asarray(values)
    numpys[numpys] = values
    assert_same(mine, numpys)
    mine[mine] = False
    assert not usmx.asnumpy(mine).any()


def test_values_that_are_written_keep_what_they_were():
    mine, numpys = both(np.arange(64))
    mask = np.arange(64) % 2 == 1
    mine[usmx.asarray(mask)] = mine[:32]
    numpys[mask] = numpys[:32].copy()
    assert_same(mine, numpys)


def test_last_value_of_repeated_elements_stays():
    zeros = usmx.zeros(1, dtype="i8")
    repeated = usmx.lib.stride_tricks.as_strided(zeros, (9,), (0,))
    mask = np.arange(9) % 2 == 0
    repeated[usmx.asarray(mask)] = usmx.arange(5)
    # On a GPU work items write in any order.
    assert zeros.item() in ([4] if usmx.SyclDevice().is_cpu else range(5))


@pytest.mark.parametrize("kind", ["i4", "i8"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_few_integers_take_rows(dtype, kind):
    for shape in ((9,), (9, 1), (9, 3, 2)):
        mine, numpys = both(elements(shape, dtype))
        for indices in ([0], [8, -9, -1, 3], [[1, 2, 2]], [[]]):
            chosen = np.array(indices, kind)
            assert_same(mine[usmx.asarray(chosen)], numpys[chosen])
            assert_same(usmx.take(mine, usmx.asarray(chosen), axis=0), numpys[chosen])
        for outside in ([9], [0, -10], [[2, 11]]):
            with pytest.raises(IndexError, match="out of bounds for axis 0 with size 9"):
                mine[usmx.asarray(np.array(outside, kind))]


@pytest.mark.parametrize(
    "numbers",
    [
        [1, 2], [1.5], (3, 4.5), [2**63 - 1, -(2**63)], [2**63], [2**53 + 1, 0.5], [2**63, 0.5],
        [float("nan"), -0.0], [True, 2], [1, 2j], [], [[1, 2]], [np.float32(1)], [-(2**62) - 1, 1.0],
    ],
    ids=str,
)  # fmt: skip
def test_short_lists_are_what_numpy_makes_of_them(numbers):
    expected = np.array(numbers)
    for make in (usmx.asarray, usmx.array):
        found = make(numbers)
        assert found.dtype == expected.dtype
        assert_same(found, expected)


def test_lists_that_numpy_makes_no_numbers_of_are_refused():
    for numbers in ([10**400, 1.0], [10**400], [2**64, 1.0]):
        with pytest.raises(TypeError, match="elements must be bool, integers"):
            usmx.asarray(numbers)
    with pytest.raises(ValueError, match="copy=False cannot be met"):
        usmx.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="order"):
        usmx.asarray([1, 2], order="X")


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_by_numpy_and_by_kernels_agree(side):
    for first, second in (("i4", "i8"), ("f4", "f8"), ("f8", "f8"), ("i8", "f4"), ("u1", "i2")):
        known = np.sort(elements(50, first))
        values = elements((6, 7), second)
        expected = np.searchsorted(known, values, side=side)
        here = usmx.searchsorted(usmx.asarray(known), usmx.asarray(values), side=side)
        with usmx.host_access("strict"):
            there = usmx.searchsorted(usmx.asarray(known), usmx.asarray(values), side=side)
        assert_same(here, expected)
        assert_same(there, expected)
