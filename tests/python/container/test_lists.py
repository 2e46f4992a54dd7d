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


ONE = ["all", "any", "argmax", "argmin", "argsort", "clip", "count_nonzero", "cumulative_sum"]
ONE += ["max", "mean", "min", "prod", "repeat", "roll", "round", "std", "sum", "tile"]
ONE += ["unique_counts", "unique_values", "var"]
MORE = {"clip": (0, 1), "repeat": (3,), "roll": (1,), "tile": (2,)}


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("number", [3, -2.5, True, np.float32(2.5), np.int8(3), range(3), [1, 2]])
def test_what_takes_an_array_takes_numbers_ranges_and_lists(name, number):
    if number is True and name in ("clip", "round"):
        number = 1  # bools have no such function
    more = MORE.get(name, ())
    if name == "argsort" and np.ndim(number) == 0:
        more = (None,)  # the axis
    expected, found = (getattr(xp, name)(number, *more) for xp in (np, usmx))
    if name == "unique_values":
        expected = np.sort(expected)  # NumPy's are in any order
    if name != "unique_counts":
        expected, found = (expected,), (found,)
    for one, other in zip(found, expected, strict=True):
        assert type(one) is usmx.USMArray
        assert (one.shape, one.dtype) == (np.shape(other), np.asarray(other).dtype)
        np.testing.assert_allclose(usmx.asnumpy(one), other, rtol=1e-6)


def test_ranges_are_operands():
    x = usmx.asarray([1.5, 2.5, 3.5])
    with usmx.using_queue(usmx.SyclQueue()) as queue:
        assert usmx.exp(range(3)).sycl_queue == queue
    assert usmx.add(range(3), 1).tolist() == [1, 2, 3]
    assert (x + range(3)).tolist() == (range(3) + x).tolist() == [1.5, 3.5, 5.5]
    assert (usmx.arange(3) == range(3)).tolist() == [True] * 3
    assert usmx.clip(x, range(3), max=range(2, 5)).tolist() == [1.5, 2.5, 3.5]
    with pytest.raises(TypeError):
        usmx.negative(range(2**70, 2**70 + 2))


@pytest.mark.parametrize(
    "call",
    [
        usmx.sum, usmx.sort, usmx.sin, usmx.flip, usmx.linalg.inv, usmx.fft.fft, usmx.special.erf,
        lambda x: usmx.add(x, 1), lambda x: usmx.add(1, x), usmx.hstack, lambda x: usmx.stack([x]),
        lambda x: usmx.putmask(x, [True, False], 1), lambda x: usmx.clip(x, 0, 1),
    ],
)  # fmt: skip
def test_arrays_of_numpys_alone_are_refused_in_the_same_words(call):
    words = (
        r"must be an object with __sycl_usm_array_interface__ \(usmx.asarray makes one\), found "
    )
    with pytest.raises(TypeError, match=f"{words}(numpy.)?ndarray$"):
        call(np.eye(2))


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
