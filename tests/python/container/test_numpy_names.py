"""Functions with NumPy's names do what NumPy's do."""

import numpy as np
import pytest
import usmx

N = np.arange(24.0).reshape(2, 3, 4)


def same(result, expected):
    np.testing.assert_array_equal(usmx.asnumpy(result), expected, strict=True)


@pytest.fixture
def a():
    return usmx.asarray(N)


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_at_least_so_many_dimensions(name, shape):
    numbers = np.ones(shape)
    array = usmx.asarray(numbers)
    made = getattr(usmx, name)(array)
    same(made, getattr(np, name)(numbers))
    assert made._pointer == array._pointer


@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_stacks(name, shape):
    numbers = [np.full(shape, k) for k in range(2)]
    same(getattr(usmx, name)([usmx.asarray(n) for n in numbers]), getattr(np, name)(numbers))


@pytest.mark.parametrize("sections", [1, 3, [1], [1, 2], [2, 1], [-1], [7], []])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_parts_are_views(a, sections, axis):
    for part, expected in zip(
        usmx.array_split(a, sections, axis), np.array_split(N, sections, axis), strict=True
    ):
        same(part, expected)
        assert part.base is a.base


def test_split_wants_equal_parts(a):
    for part, expected in zip(usmx.split(a, 2, axis=2), np.split(N, 2, axis=2), strict=True):
        same(part, expected)
    with pytest.raises(ValueError, match="size 3 has no 2 equal parts; usmx.array_split"):
        usmx.split(a, 2, axis=1)
    with pytest.raises(ValueError, match="must be positive, found 0"):
        usmx.split(a, 0)


@pytest.mark.parametrize("k", range(-5, 6))
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0), (-1, 1)])
def test_rotation(a, k, axes):
    turned = usmx.rot90(a, k, axes)
    same(turned, np.rot90(N, k, axes))
    assert turned.base is a.base


def test_rotation_needs_a_plane(a):
    with pytest.raises(ValueError, match="two different axes"):
        usmx.rot90(a, axes=(0, -3))


@pytest.mark.parametrize("offset", range(-4, 6))
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0), (-1, 1)])
def test_diagonal(a, offset, axes):
    same(usmx.diagonal(a, offset, *axes), np.diagonal(N, offset, *axes))
    same(a[:, ::-1, ::2].diagonal(offset, *axes), N[:, ::-1, ::2].diagonal(offset, *axes))


def test_diagonal_is_a_view_as_writable_as_its_source(a):
    usmx.diagonal(a)[...] = 7
    expected = N.copy()
    np.einsum("iij->ij", expected[:, :2])[...] = 7
    same(a, expected)
    assert not usmx.diagonal(a.readonly()).flags.writable


def test_diagonal_needs_two_axes(a):
    with pytest.raises(ValueError, match="different, found 1 and -2"):
        usmx.diagonal(a, 0, 1, -2)
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        usmx.diagonal(a[0, 0])


@pytest.mark.parametrize("k", range(-2, 3))
def test_diag(a, k):
    same(usmx.diag(a[0], k), np.diag(N[0], k))
    same(usmx.diag(a[0, 0], k), np.diag(N[0, 0], k))


def test_parts_of_complex_numbers():
    c = usmx.asarray([1 + 2j])
    same(usmx.real(c), np.array([1.0]))
    same(usmx.imag(c), np.array([2.0]))


def test_copyto_keeps_numpys_rule_of_casting():
    a, expected = usmx.zeros(3, "f4"), np.zeros(3, "f4")
    for target, module in ((a, usmx), (expected, np)):
        module.copyto(target, module.asarray([1.0, 2.0, 3.0]))
        module.copyto(target, 9, where=module.asarray([True, False, False]))
        module.copyto(
            target, module.asarray([4.0, 5, 6]), where=module.asarray([False, True, True])
        )
        with pytest.raises(TypeError, match="same_kind"):
            module.copyto(target, module.asarray([1j, 2, 3]))
    same(a, expected)


def test_contiguous():
    made = usmx.ascontiguousarray(usmx.asarray(N).transpose())
    assert made.flags.c_contiguous
    same(made, N.T)
    assert usmx.ascontiguousarray(usmx.zeros(())).shape == (1,)


def test_bytes_become_elements():
    same(usmx.frombuffer(b"abcdef", "u2", 2, 2), np.frombuffer(b"abcdef", "u2", 2, 2))
    with pytest.raises(ValueError, match="multiple"):
        usmx.frombuffer(b"abc", "u2")


@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "c8"])
def test_where(dtype):
    condition = (N % 3).astype(dtype)
    same(
        usmx.where(usmx.asarray(condition), usmx.asarray(N), usmx.asarray(N[0, 0])),
        np.where(condition, N, N[0, 0]),
    )
    same(usmx.where(usmx.asarray(condition), usmx.asarray(N), 0), np.where(condition, N, 0))
    same(usmx.where(usmx.asarray(condition), 1, usmx.asarray(N)), np.where(condition, 1, N))


def test_where_of_a_condition_alone_is_nonzero():
    for found, expected in zip(usmx.where(usmx.asarray(N)), np.where(N), strict=True):
        same(found, expected)
    with pytest.raises(ValueError, match="both x and y"):
        usmx.where(usmx.asarray(N), 1)


@pytest.mark.parametrize("method", ["take", "repeat", "diagonal"])
def test_method_is_the_function(a, method):
    argument = {"take": ([1, 0], 1), "repeat": (2, 0), "diagonal": (1,)}[method]
    same(getattr(a, method)(*argument), getattr(N, method)(*argument))


def test_put_and_nonzero_are_methods():
    a = usmx.zeros(4)
    a.put([1, -1], [5, 6])
    same(a, np.array([0.0, 5, 0, 6]))
    same(a.nonzero()[0], np.array([1, 3]))


@pytest.mark.parametrize(
    ("value", "how", "error"),
    [
        (1.5, {}, TypeError),
        (np.float64(1.5), {}, TypeError),
        (300, {"casting": "unsafe"}, None),
        (1, {"casting": "foo"}, ValueError),
        ([1, 2, 3], {"casting": "foo"}, ValueError),
        (2**40, {}, OverflowError),
        (1, {"where": np.array([1.0, 0.0, 1.0])}, TypeError),
        (1, {"where": np.array([1, 0, 1])}, TypeError),
        (1, {"where": [True, False, True]}, None),
        (1, {"where": True}, None),
    ],
)
def test_copyto_takes_and_refuses_what_numpys_does(value, how, error):
    mine, numpys = usmx.zeros(3, "i4"), np.zeros(3, "i4")
    for module, array in ((usmx, mine), (np, numpys)):
        if error is None:
            module.copyto(array, value, **how)
        else:
            with pytest.raises(error):
                module.copyto(array, value, **how)
    assert mine.tolist() == numpys.tolist()


def test_copyto_takes_a_mask_of_bools_alone_from_producers():
    mine = usmx.zeros(2, "i4")
    with pytest.raises(TypeError, match="where must be bools, found elements of type float64"):
        usmx.copyto(mine, 1, where=usmx.ones(2))


def test_order_a_of_bytes_is_that_of_the_array():
    numpys = np.arange(24, dtype="i4").reshape(2, 3, 4)
    for view in (
        lambda a: a,
        lambda a: a.transpose(),
        lambda a: a.transpose()[1:],
        lambda a: a[0].T[1:],
        lambda a: a[:, :, 0].T,
        lambda a: a.transpose(1, 2, 0),
    ):
        for order in "CFAK":
            found = view(usmx.asarray(numpys)).tobytes(order)
            assert found == view(numpys).tobytes(order)
