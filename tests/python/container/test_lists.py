"""Lists, ranges and numbers in the place of an array, as programs of NumPy's pass them."""

import numpy as np
import pytest
import usmx

ROW, ROWS, NUMBERS = [1.5, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]], range(4)
CALLS = {
    "array_split": lambda xp: xp.array_split(ROW, 2)[0],
    "block": lambda xp: xp.block([1.5, 2.5]),
    "broadcast_arrays": lambda xp: xp.broadcast_arrays(ROW, 1)[1],
    "broadcast_to": lambda xp: xp.broadcast_to(ROW, (2, 3)),
    "broadcast_to of a number": lambda xp: xp.broadcast_to(np.int32(7), (2, 3)),
    "concatenate": lambda xp: xp.concatenate([ROW, (4, 5)]),
    "copy": lambda xp: xp.copy(ROWS),
    "dstack": lambda xp: xp.dstack((ROW, ROW)),
    "empty_like": lambda xp: xp.empty_like(ROWS) * 0,
    "expand_dims": lambda xp: xp.expand_dims(3, 0),
    "flip": lambda xp: xp.flip(NUMBERS),
    "fliplr": lambda xp: xp.fliplr(ROWS),
    "flipud": lambda xp: xp.flipud(ROWS),
    "full_like": lambda xp: xp.full_like(ROW, 7),
    "hstack": lambda xp: xp.hstack([1, 2]),
    "matrix_transpose": lambda xp: xp.matrix_transpose(ROWS),
    "moveaxis": lambda xp: xp.moveaxis([ROWS, ROWS, ROWS], 0, -1),
    "ones_like": lambda xp: xp.ones_like([True, False]),
    "permute_dims": lambda xp: xp.permute_dims(ROWS, (1, 0)),
    "reshape": lambda xp: xp.reshape([1, 2, 3, 4], (2, 2)),
    "reshape of a range": lambda xp: xp.reshape(NUMBERS, (2, -1), order="F"),
    "reshape of a number": lambda xp: xp.reshape(2.5, (1, 1)),
    "roll": lambda xp: xp.roll(ROW, 1),
    "rot90": lambda xp: xp.rot90(ROWS),
    "split": lambda xp: xp.split(ROW, [1])[1],
    "squeeze": lambda xp: xp.squeeze([ROW]),
    "stack": lambda xp: xp.stack((1, 2.5)),
    "swapaxes": lambda xp: xp.swapaxes(ROWS, 0, 1),
    "transpose": lambda xp: xp.transpose((ROW, ROW)),
    "vstack": lambda xp: xp.vstack(ROW),
    "zeros_like": lambda xp: xp.zeros_like(1j),
}


@pytest.mark.parametrize("name", CALLS)
def test_elements_of_the_host_are_copied_to_the_current_queue(name):
    expected = CALLS[name](np)
    with usmx.using_queue(usmx.SyclQueue()) as queue:
        found = CALLS[name](usmx)
    assert type(found) is usmx.USMArray
    assert found.sycl_queue == queue
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(usmx.asnumpy(found), expected)


def test_list_of_arrays_is_an_array_beside_them():
    x = usmx.asarray(ROW, usm_type="shared")
    found = usmx.reshape([x, x], (3, 2))
    assert (found.usm_type, found.tolist()) == ("shared", np.reshape([ROW, ROW], (3, 2)).tolist())


@pytest.mark.parametrize("wrong", [None, "12", np.ones(2), {1: 2}, object], ids=str)
def test_array_of_numpys_and_what_has_no_elements_are_refused(wrong):
    for call in (usmx.flip, usmx.copy, usmx.zeros_like):
        with pytest.raises(TypeError, match="must be .*, found "):
            call(wrong)


def test_lists_that_are_no_array_have_the_errors_of_asarray():
    with pytest.raises(ValueError, match="inhomogeneous"):
        usmx.reshape([[1], [2, 3]], (3,))
    with pytest.raises(TypeError, match="elements must be"):
        usmx.squeeze(["a"])
    nested = []
    nested.append(nested)
    with pytest.raises(ValueError, match="nested at most"):
        usmx.flip(nested)
