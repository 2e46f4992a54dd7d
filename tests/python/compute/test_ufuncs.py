"""Functions of the table have the methods of NumPy's ufuncs, which give what NumPy's give."""

import warnings

import numpy as np
import pytest
import usmx
from usmx._compute.table import ROWS

rng = np.random.default_rng(3)
BINARY = sorted(row.name for row in ROWS.values() if len(row.operands) == 2)
REALS = rng.uniform(0.5, 2, (4, 5))
INTEGERS = rng.integers(1, 5, (4, 5))
OF_INTEGERS = [n for n in BINARY if n.startswith("bitwise")]
COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def numbers(name):
    return INTEGERS if name in OF_INTEGERS else REALS


def agree(found, expected):
    mine = usmx.asnumpy(found)
    assert mine.shape == np.shape(expected)
    assert mine.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(mine, expected, 1e-12)


class OnePairAfterAnother:
    """A function of NumPy's whose vector loops reduce contiguous axes to other numbers (2.4)."""

    def __init__(self, function):
        self.function = function

    def accumulate(self, host, axis=0):
        rows = np.moveaxis(host, axis, 0)
        parts = [rows[0]]
        for row in rows[1:]:
            parts.append(self.function(parts[-1], row))
        return np.moveaxis(np.stack(parts), 0, axis)

    def reduce(self, host, axis=0, keepdims=False):
        made = np.take(self.accumulate(host, axis), [-1], axis)
        return made if keepdims else made.squeeze(axis)

    def reduceat(self, host, indices, axis=0):
        ends = [*indices[1:], host.shape[axis]]
        parts = [
            self.reduce(np.take(host, range(start, max(start + 1, end)), axis), axis)
            for start, end in zip(indices, ends, strict=True)
        ]
        return np.stack(parts, axis)


def fold(name):
    mine, theirs = pair(name)
    return mine, OnePairAfterAnother(theirs) if name in ("pow", "atan2") else theirs


def pair(name):
    return getattr(usmx, name), getattr(np, ROWS[name].numpy)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", sorted(set(BINARY) - COMPARISONS))
def test_reductions_and_scans_are_numpys(name, axis):
    mine, theirs = fold(name)
    host = numbers(name)
    x = usmx.asarray(host)
    agree(mine.reduce(x, axis), theirs.reduce(host, axis))
    agree(mine.reduce(x, axis, keepdims=True), theirs.reduce(host, axis, keepdims=True))
    agree(mine.accumulate(x, axis), theirs.accumulate(host, axis))
    for length in (1, 3):
        part = (slice(length), slice(length))
        agree(mine.accumulate(x[part], axis), theirs.accumulate(host[part], axis))
        agree(mine.reduce(x[part], axis), theirs.reduce(host[part], axis))


@pytest.mark.parametrize("name", sorted(set(BINARY) - COMPARISONS))
def test_parts_are_reduced_as_by_numpy(name):
    mine, theirs = fold(name)
    host = numbers(name)
    for indices in ([0, 2, 1, 3], [1], [3, 0]):
        agree(mine.reduceat(usmx.asarray(host), indices), theirs.reduceat(host, indices))
    agree(mine.reduceat(usmx.asarray(host), [0, 3], axis=1), theirs.reduceat(host, [0, 3], axis=1))
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        mine.reduceat(usmx.asarray(host), [4])


@pytest.mark.parametrize("name", BINARY)
def test_outer_calls_are_numpys(name):
    mine, theirs = pair(name)
    host = numbers(name)
    x = usmx.asarray(host)
    agree(mine.outer(x[0], x), theirs.outer(host[0], host))
    agree(mine.outer(x[0], host[1].tolist()), theirs.outer(host[0], host[1]))


@pytest.mark.parametrize(
    "name", sorted(set(BINARY) - COMPARISONS - {"logical_and", "logical_or", "logical_xor"})
)
def test_calls_in_place_count_equal_indices(name):
    mine, theirs = pair(name)
    host = numbers(name).copy()
    x = usmx.asarray(host)
    mine.at(x, [0, 2, 0], 1)
    theirs.at(host, [0, 2, 0], 1)
    agree(x, host)
    y, other = usmx.asarray(numbers(name)), numbers(name).copy()
    values = numbers(name)[:2]
    mine.at(y, [1, 1], usmx.asarray(values))
    theirs.at(other, [1, 1], values)
    agree(y, other)


def test_one_operand_in_place():
    x, host = usmx.asarray(REALS), REALS.copy()
    usmx.sqrt.at(x, [1, 1])
    np.sqrt.at(host, [1, 1])
    agree(x, host)


@pytest.mark.parametrize("name", [n for n in ROWS if len(ROWS[n].operands) < 3 and n != "round"])
def test_functions_describe_themselves_as_numpys(name):
    mine, theirs = pair(name)
    assert (mine.nin, mine.nout, mine.nargs) == (theirs.nin, theirs.nout, theirs.nargs)
    if name not in ("hypot", "logaddexp"):  # whose identities are no numbers of every type
        assert mine.identity == theirs.identity
    assert mine.__name__ == name


def test_types_outputs_and_nothing():
    x = usmx.asarray(INTEGERS)
    agree(usmx.add.reduce(x, None), np.add.reduce(INTEGERS, None))
    agree(usmx.add.reduce(x, dtype="f4"), np.add.reduce(INTEGERS, dtype="f4"))
    agree(usmx.maximum.reduce(x, (0, 1), initial=9), np.maximum.reduce(INTEGERS, (0, 1), initial=9))
    out = usmx.zeros(5, "i8")
    assert usmx.bitwise_or.reduce(x, out=out) is out
    agree(out, np.bitwise_or.reduce(INTEGERS))
    assert usmx.subtract.reduce([7, 2, 1]).item() == 4
    for name in ("bitwise_or", "bitwise_and", "logical_xor", "add", "multiply"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name).reduce(np.zeros((0, 2), "i8"))
        assert (
            usmx.asnumpy(getattr(usmx, name).reduce(usmx.zeros((0, 2), "i8"))).tolist()
            == expected.tolist()
        )
    for name in ("subtract", "maximum"):
        with pytest.raises(ValueError, match="no elements|identity|no value"):
            getattr(usmx, name).reduce(usmx.zeros(0))
    with pytest.raises(ValueError, match="along one axis"):
        usmx.subtract.reduce(x, None)


def test_only_elements_where_a_mask_holds_are_written():
    mask = REALS > 1
    for name in ("divide", "subtract", "less"):
        mine, theirs = pair(name)
        dtype = bool if name == "less" else "f8"
        out, host = usmx.ones((4, 5), dtype), np.ones((4, 5), dtype)
        for given in (mask, mask[0], [True, False, True, False, True], False):
            found = mine(usmx.asarray(REALS), 2, out=out, where=given)
            assert found is out
            agree(out, theirs(REALS, 2, out=host, where=given))
    agree(usmx.sqrt(usmx.asarray(REALS), where=mask)[usmx.asarray(mask)], np.sqrt(REALS)[mask])
    with pytest.raises(TypeError, match="where must be bools"):
        usmx.sqrt(usmx.ones(3), where=usmx.arange(3))
    with pytest.raises(TypeError, match="fuse: sqrt takes no where="):
        usmx.fuse(lambda x: usmx.sqrt(x, where=False))(usmx.ones(3))
