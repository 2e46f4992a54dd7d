"""Complex elements that become real ones: NumPy's ComplexWarning, whichever way they are copied."""

import warnings

import numpy as np
import pytest
import usmx

COMPLEX = np.array([1 + 2j, 3])


def into_host(c, out):
    usmx.copy_async(out, c, casting="unsafe").wait()


WAYS = {
    "astype": lambda c: usmx.astype(c, "f8"),
    "method": lambda c: c.astype("f4"),
    "asarray": lambda c: usmx.asarray(c, dtype="f8"),
    "asarray of NumPy's": lambda c: usmx.asarray(COMPLEX, dtype="f8"),
    "assignment": lambda c: usmx.zeros(2).__setitem__(..., c),
    "assignment of NumPy's": lambda c: usmx.zeros(2).__setitem__(..., COMPLEX),
    "assignment by a mask": lambda c: usmx.zeros(2).__setitem__(usmx.ones(2, bool), c),
    "assignment of a NumPy scalar": lambda c: usmx.zeros(2).__setitem__(0, COMPLEX[0]),
    "copy_async": lambda c: usmx.copy_async(usmx.zeros(2), c, casting="unsafe").wait(),
    "copy_async from the host": lambda c: usmx.copy_async(
        usmx.zeros(2), COMPLEX, casting="unsafe"
    ).wait(),
    "copy_async to the host": lambda c: into_host(c, np.zeros(2)),
    "fill": lambda c: usmx.zeros(2).fill(c[0]),
    "full": lambda c: usmx.full(2, COMPLEX, dtype="f8"),
    "put": lambda c: usmx.put(usmx.zeros(2), [0, 1], c),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_lost_imaginary_parts_warn_once_where_the_program_calls(way):
    with pytest.warns(np.exceptions.ComplexWarning) as caught:
        way(usmx.asarray(COMPLEX))
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_warning_may_be_an_error(way):
    c = usmx.asarray(COMPLEX)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(np.exceptions.ComplexWarning):
            way(c)


def test_nothing_is_written_if_the_warning_is_an_error():
    a, c = usmx.zeros(2), usmx.asarray(COMPLEX)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(np.exceptions.ComplexWarning):
            a[...] = c
    assert a.tolist() == [0, 0]


@pytest.mark.parametrize("wanted", ["c8", "?"])
def test_nothing_is_lost_by_complex_numbers_and_bools(wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        usmx.asarray(COMPLEX).astype(wanted)


@pytest.mark.parametrize("value", [1j, [1j, 2]])
def test_pythons_complex_numbers_are_type_errors(value):
    with pytest.raises(TypeError):
        usmx.zeros(2)[...] = value
