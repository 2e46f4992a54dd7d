"""Vectors of the compiler: what is computed of n elements is what one alone gives, and what NumPy gives, for every n.

Intel's compiler makes wrong vectors of some expressions (docs/limits.md). A vector begins at 4, 8 or 16 elements, and
leaves a rest; so all lengths below USMX_TEST_LENGTHS are tried, of every type, and all pairs of bools and int8. Without
that variable a few lengths and types are.
"""

import os

import numpy as np
import pytest
import usmx
from table_kernels import DTYPES, NUMPYS, rows_of, special
from usmx._compute.call import launch
from usmx._compute.table import ROWS

LENGTHS = range(int(os.environ.get("USMX_TEST_LENGTHS", "0"))) or (1, 7, 8, 16, 33, 257)
IS_FULL = len(LENGTHS) > 6
TYPES = os.environ.get("USMX_TEST_TYPES", " ".join(DTYPES if IS_FULL else ["?", "i1"])).split()
SEVERAL = ("bitwise_right_shift", "equal", "greater", "logical_not", "negative", "sign")
LAYOUTS = {"adjacent": 1, "every other": 2, "reversed": -1} if IS_FULL else {"adjacent": 1}
# Between a number alone and the same one in a vector: single functions differ in the last places.
TOLERANCES = {"f2": 1e-2, "f4": 1e-5, "f8": 1e-13, "c8": 1e-4, "c16": 1e-12}


def elements(dtype):
    """All bools and int8, else the extremes and small numbers."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        if np.dtype(dtype).itemsize == 1:
            return np.arange(low, high + 1).astype(dtype)
        few = {
            low,
            low + 1,
            low // 2,
            -33,
            -2,
            -1,
            0,
            1,
            2,
            3,
            31,
            63,
            64,
            high // 2 + 1,
            high - 1,
            high,
        }
        return np.array(sorted(each for each in few if low <= each <= high), dtype)
    if kind == "f":
        return special(dtype)
    parts = special(np.dtype(dtype).type(0).real.dtype)[[0, 1, 2, 3, 4, 13, 17, 20, 21, 22, 25, 27]]
    return np.array([complex(x, y) for x in parts for y in parts], dtype)


def operands(dtype, count):
    """Each element, or each pair, in a mixed order, and 600 at least."""
    few = elements(dtype)
    columns = [few] if count == 1 else [each.ravel() for each in np.meshgrid(few, few)]
    order = np.random.default_rng(46).permutation(columns[0].size)
    return [np.resize(column[order], max(column.size, 600)) for column in columns]


def agree(found, wanted, tolerance=0):
    with np.errstate(all="ignore"):
        same = (found == wanted) | ((found != found) & (wanted != wanted))
        if tolerance:
            away = np.abs(found.astype("c16") - wanted)
            size = np.abs(wanted.astype("c16"))
            same |= (away <= tolerance * size) | ~np.isfinite(size)
    return same


def laid_out(host, step):
    """A USMArray of the elements with that step in memory."""
    spread = np.zeros(abs(step) * host.size, host.dtype)
    spread[::step] = host
    return usmx.asarray(spread)[::step]


def of_every_length(row, arrays, size):
    """The results of all lengths, one after the other, where each begins, and in one call of all elements."""
    starts = [n * 37 % max(size - n, 1) for n in LENGTHS]
    whole = launch(row, arrays)
    parts = usmx.empty(sum(LENGTHS), dtype=whole.dtype)
    at = 0
    for n, start in zip(LENGTHS, starts, strict=True):
        if n:
            launch(row, tuple(each[start : start + n] for each in arrays), parts[at : at + n])
        at += n
    indices = [np.arange(start, start + n) for n, start in zip(LENGTHS, starts, strict=True)]
    return usmx.asnumpy(parts), np.concatenate(indices), usmx.asnumpy(whole)


def one_by_one(row, arrays, dtype, count):
    """Alone, elements are in no vector."""
    results = usmx.empty(count, dtype=dtype)
    for k in range(count):
        launch(row, tuple(each[k : k + 1] for each in arrays), results[k : k + 1])
    return usmx.asnumpy(results)


def cases():
    for dtype in TYPES:
        for count in (1, 2):
            names = rows_of(dtype, count)
            yield from ((dtype, name) for name in names if IS_FULL or name in SEVERAL)


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "name"), list(cases()))
def test_function_of_every_length_is_that_of_each_element(dtype, name):
    row = ROWS[name]
    hosts = operands(dtype, len(row.operands))
    is_exact = np.dtype(dtype).kind in "biu" and row.result != "float"
    for step in LAYOUTS.values():
        arrays = tuple(laid_out(each, step) for each in hosts)
        parts, indices, whole = of_every_length(row, arrays, hosts[0].size)
        if is_exact:
            # NumPy has no integers to the power of negative ones.
            kept = np.flatnonzero((hosts[-1] >= 0) | (name != "pow"))
            with np.errstate(all="ignore"):
                wanted = NUMPYS[name](*(each[kept] for each in hosts))
            wrong = kept[~agree(whole[kept], wanted)]
        else:
            alone = one_by_one(row, arrays, whole.dtype, 600)
            wrong = np.flatnonzero(~agree(whole[:600], alone, TOLERANCES.get(dtype, 1e-13)))
        examples = [(*(each[k] for each in hosts), whole[k]) for k in wrong[:4]]
        assert examples == [], f"{wrong.size} of {whole.size}"
        different = ~agree(parts, whole[indices], TOLERANCES.get(whole.dtype.str[1:], 0))
        examples = [(*(each[k] for each in hosts),) for k in indices[different][:4]]
        assert examples == [], f"{different.sum()} of {parts.size}, with step {step}"


# ---- what goes through rows


ALGORITHMS = {
    "sort": lambda xp, x: xp.sort(x),
    "argsort": lambda xp, x: xp.argsort(x, stable=True),
    "unique_values": lambda xp, x: np.unique(x) if xp is np else usmx.unique_values(x),
    "unique_counts": lambda xp, x: np.unique_counts(x).counts if xp is np else usmx.unique_counts(x).counts,
    "cumulative_sum": lambda xp, x: xp.cumulative_sum(x),
    "cumulative_prod": lambda xp, x: xp.cumulative_prod(x),
    "diff": lambda xp, x: xp.diff(x),
    "nonzero": lambda xp, x: xp.nonzero(x)[0],
    "mask": lambda xp, x: x[x != x[:1]],
    "sum": lambda xp, x: xp.sum(x),
    "prod": lambda xp, x: xp.prod(x),
    "any": lambda xp, x: xp.any(x),
    "all": lambda xp, x: xp.all(x),
    "count_nonzero": lambda xp, x: xp.count_nonzero(x),
    "max": lambda xp, x: xp.max(x) if x.size else x,
    "min": lambda xp, x: xp.min(x) if x.size else x,
    "argmax": lambda xp, x: xp.argmax(x) if x.size else x,
    "argmin": lambda xp, x: xp.argmin(x) if x.size else x,
    "search left": lambda xp, x: xp.searchsorted(xp.sort(x), x, side="left"),
    "search right": lambda xp, x: xp.searchsorted(xp.sort(x), x, side="right"),
    "search by sorter": lambda xp, x: xp.searchsorted(x, x, side="right", sorter=xp.argsort(x)),
    "isin": lambda xp, x: xp.isin(x, x[::3]),
}  # fmt: skip
INEXACT = ("cumulative_sum", "cumulative_prod", "sum", "prod", "diff")
NOT_OF_BOOLS = ("diff",)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("dtype", TYPES)
def test_rows_of_every_length_are_numpys(dtype, name):
    if dtype == "?" and name in NOT_OF_BOOLS:
        return
    call = ALGORITHMS[name]
    host = operands(dtype, 1)[0]
    if host.dtype.kind in "fc":
        host = np.where(np.isfinite(host) & (np.abs(host) < 1e3), host, host.dtype.type(1))
    array = usmx.asarray(host)
    for n in LENGTHS:
        start = n * 37 % max(host.size - n, 1)
        for step in LAYOUTS.values():
            part = slice(start, start + n)
            with np.errstate(all="ignore"):
                wanted = np.asarray(call(np, host[part][::step]))
            found = usmx.asnumpy(call(usmx, array[part][::step]))
            if name in INEXACT and host.dtype.kind in "fc":
                bound = {"f2": 2e-2, "f4": 1e-4, "c8": 1e-4}.get(dtype, 1e-11)
                size = np.abs(wanted.astype("c16")).max(initial=1)
                right = np.abs(found.astype("c16") - wanted) <= bound * size
                assert right.all() or not np.isfinite(size), (n, step)
            else:
                assert np.array_equal(found, wanted.astype(found.dtype)), (n, step)
