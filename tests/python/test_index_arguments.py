"""Every argument that holds indices, with indices that no array has: NumPy's answer or an error, and nothing else is touched."""

import inspect
import warnings

import numpy as np
import pytest
import usmx
from usmx.lib import stride_tricks

BASE = np.arange(100, 140)
PART = slice(10, 20)  # the array, between elements that nobody may touch
VALID = [1, 0, 3]
EXTREMES = {
    "beyond": 10,
    "before": -11,
    "far": 10**6,
    "least of int32": -(2**31),
    "greatest of int64": 2**63 - 1,
    "least of int64": -(2**63),
    "above int64": 2**63,
    "greatest of uint64": 2**64 - 1,
}


def _set(xp, a, i):
    a[i] = 7
    return a


def _put(xp, a, i, **how):
    xp.put(a, i, 7, **how)
    return a


def _put_along_axis(xp, a, i):
    xp.put_along_axis(a, i, 7, axis=0)
    return a


def _add_at(xp, a, i):
    np.add.at(a, i, 7)
    return a


# (function, parameter): a call with an array of ten elements and an array of indices.
CALLS = {
    ("a.take", "indices"): lambda xp, a, i: a.take(i),
    ("take", "indices"): lambda xp, a, i: xp.take(a, i),
    ("take", "indices", "wrap"): lambda xp, a, i: xp.take(a, i, mode="wrap"),
    ("take", "indices", "clip"): lambda xp, a, i: xp.take(a, i, mode="clip"),
    ("take_along_axis", "indices"): lambda xp, a, i: xp.take_along_axis(a, i, axis=0),
    ("a.put", "indices"): _put,
    ("put", "ind"): _put,
    ("put", "ind", "wrap"): lambda xp, a, i: _put(xp, a, i, mode="wrap"),
    ("put", "ind", "clip"): lambda xp, a, i: _put(xp, a, i, mode="clip"),
    ("put_along_axis", "indices"): _put_along_axis,
    ("a[i]",): lambda xp, a, i: a[i],
    ("a[i] =",): _set,
    ("add.at",): _add_at,
    ("a.searchsorted", "sorter"): lambda xp, a, i: _searched(xp, a, i),
    ("searchsorted", "sorter"): lambda xp, a, i: _searched(xp, a, i),
    ("a.repeat", "repeats"): lambda xp, a, i: a[:3].repeat(i),
    ("repeat", "repeats"): lambda xp, a, i: xp.repeat(a[:3], i),
    ("unravel_index", "indices"): lambda xp, a, i: xp.unravel_index(i, (2, 5))[1],
    ("ravel_multi_index", "multi_index"): lambda xp, a, i: xp.ravel_multi_index((i, i), (10, 10)),
    ("ravel_multi_index", "multi_index", "clip"): lambda xp, a, i: xp.ravel_multi_index(
        (i, i), (10, 10), mode="clip"
    ),
    ("delete", "obj"): lambda xp, a, i: xp.delete(a, i),
    ("insert", "obj"): lambda xp, a, i: xp.insert(a, i, 7),
    ("a.choose", "self"): lambda xp, a, i: i.choose([a[:3], a[3:6], a[6:9], a[1:4]]),
    ("choose", "a"): lambda xp, a, i: xp.choose(i, [a[:3], a[3:6], a[6:9], a[1:4]]),
    ("choose", "a", "wrap"): lambda xp, a, i: xp.choose(i, [a[:3], a[3:6]], mode="wrap"),
    ("ix_", "args"): lambda xp, a, i: a.reshape(10, 1)[xp.ix_(i, [0])],
    ("a.partition", "kth"): lambda xp, a, i: _partitioned(a, i),
    ("a.argpartition", "kth"): lambda xp, a, i: a[a.argpartition(_listed(i))],
    ("partition", "kth"): lambda xp, a, i: xp.partition(a, _listed(i)),
    ("argpartition", "kth"): lambda xp, a, i: a[xp.argpartition(a, _listed(i))],
    ("a.item", "args"): lambda xp, a, i: xp.asarray(a.item(_listed(i)[-1])),
    ("roll", "shift"): lambda xp, a, i: xp.roll(a, tuple(_listed(i)), (0, 0, 0)),
    **{
        (name, "indices_or_sections"): lambda xp, a, i, name=name: getattr(xp, name)(
            a.reshape({"hsplit": (1, 10), "dsplit": (1, 1, 10)}.get(name, (10, 1))),
            _listed(i),
        )[0]
        for name in ("split", "array_split", "vsplit", "hsplit", "dsplit")
    },
}  # fmt: skip
# Parameters whose names are those of indices, and that hold other things.
OTHERS = {
    ("ix_", "sparse"), ("unravel_index", "shape"), ("asarray", "obj"), ("from_usm_array_interface", "obj"),
    ("savez", "args"), ("broadcast_arrays", "args"), ("print_options", "args"), ("a.setitem", "args"),
    ("SupportsUsmArrayInterface", "args"), ("asanyarray", "obj"),
    *((name, "args") for name in (
        "apply_along_axis", "array2string", "array_str", "benchmark", "genfromtxt", "loadtxt", "piecewise",
        "printoptions", "savetxt", "savez_compressed",
    )),
}  # fmt: skip
NAMES = {
    "args",
    "ind",
    "indices",
    "indices_or_sections",
    "kth",
    "multi_index",
    "obj",
    "repeats",
    "shift",
    "sorter",
}


def _listed(indices):
    return indices.tolist()


def _partitioned(a, i):
    a = a.copy()
    a.partition(_listed(i))
    return a


def _searched(xp, a, i):
    """As `take` takes the indices, which NumPy reads without a check."""
    found = a[:3]
    return (
        np.searchsorted(np.take(found, i), found)
        if xp is np
        else usmx.searchsorted(found, found, sorter=i)
    )


def parameters():
    """The function and parameter of everything whose parameter is named as those of indices are."""
    for prefix, holder in (("", usmx), ("a.", usmx.USMArray), ("", stride_tricks)):
        for name in dir(holder):
            function = getattr(holder, name, None)
            if name.startswith("_") or not callable(function) or isinstance(function, type):
                continue
            try:
                found = inspect.signature(function).parameters
            except ValueError:
                continue
            yield from ((prefix + name, each) for each in found if each in NAMES)


def test_every_parameter_that_holds_indices_is_tried():
    assert set(parameters()) - OTHERS <= {key[:2] for key in CALLS}


def outcome(call, xp, a, indices):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = call(xp, a, indices)
    except (IndexError, ValueError, TypeError, MemoryError, OverflowError) as refused:
        return refused
    return usmx.asnumpy(found) if isinstance(found, usmx.USMArray) else np.asarray(found)


def for_numpy(key, value):
    """Integers that NumPy takes: it has no uint64 for indices, and goes around in steps of an axis."""
    if "wrap" in key or "shift" in key:
        value %= 10
    return np.array([*VALID[:2], min(value, 2**63 - 1)])


def may_be_refused(key, value):
    """What has no meaning in NumPy: the last index of several, and uint64 of which NumPy makes others."""
    return key[0] == "insert" or (key[0] == "ravel_multi_index" and value >= 2**63)


@pytest.mark.parametrize("usm_type", ["device", "shared"])
@pytest.mark.parametrize("key", CALLS, ids=" ".join)
def test_indices_that_no_array_has_are_refused_or_numpys(key, usm_type):
    for value in EXTREMES.values():
        if key[1:2] in (("repeats",), ("shift",)) and 10**6 <= value < 2**63 - 1:
            continue  # as many elements are made
        base = usmx.asarray(BASE, usm_type=usm_type)
        expected = BASE.copy()
        host = np.array([*VALID[:2], value], "u8" if value >= 2**63 else "i8")
        wanted = outcome(CALLS[key], np, expected[PART], for_numpy(key, value))
        found = outcome(CALLS[key], usmx, base[PART], usmx.asarray(host, usm_type=usm_type))
        if isinstance(wanted, Exception):
            assert isinstance(found, Exception), (value, found)
            expected = BASE
        elif isinstance(found, Exception):
            assert may_be_refused(key, value), (value, found)
        else:
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(usmx.asnumpy(base), expected)


@pytest.mark.parametrize("key", CALLS, ids=" ".join)
def test_indices_that_are_no_integers_are_refused(key):
    for value in (np.nan, np.inf, 1.5, 1e300, 1j):
        base = usmx.asarray(BASE)
        found = outcome(CALLS[key], usmx, base[PART], usmx.asarray(np.array([1, 0, value])))
        assert isinstance(found, (TypeError, IndexError, ValueError)), (value, found)
        np.testing.assert_array_equal(usmx.asnumpy(base), BASE)
