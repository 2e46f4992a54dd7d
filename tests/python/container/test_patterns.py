"""arange, linspace, eye, tril, triu, meshgrid: against NumPy, and dpnp.tensor where they differ."""

import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS
from hypothesis import given
from hypothesis import strategies as st

NUMERIC = [typestr for typestr in TYPESTRS if typestr != "|b1"]


def same(array, expected):
    found = usmx.asnumpy(array)
    return (
        found.dtype == expected.dtype
        and found.shape == expected.shape
        and found.tobytes() == expected.tobytes()
    )


# ---- arange


@given(
    st.integers(-20, 20),
    st.integers(-20, 20),
    st.integers(-5, 5).filter(bool),
    st.sampled_from(KINDS),
)
def test_arange_of_integers_is_numpys(start, stop, step, kind):
    made = usmx.arange(start, stop, step, usm_type=kind)
    assert same(made, np.arange(start, stop, step))
    assert (made.usm_type, made.flags.writable) == (kind, True)
    assert same(usmx.arange(stop), np.arange(stop))
    assert same(usmx.arange(start, stop), np.arange(start, stop))


@given(st.floats(-20, 20), st.floats(-20, 20), st.floats(0.3, 5), st.sampled_from([1, -1]))
def test_arange_of_floats_is_numpys(start, stop, step, sign):
    assert same(usmx.arange(start, stop, sign * step), np.arange(start, stop, sign * step))


@pytest.mark.parametrize("typestr", NUMERIC)
def test_arange_of_every_type_is_numpys(typestr):
    assert same(usmx.arange(0, 9, 2, dtype=typestr), np.arange(0, 9, 2, typestr))
    assert same(usmx.arange(7.0, dtype=typestr), np.arange(7.0, dtype=typestr))


@pytest.mark.parametrize(
    "numbers", [(5,), (np.int8(5),), (True,), (2.5,), (np.float32(2),), (1, 5, None), (0, 4, 1.0)]
)
def test_default_type_of_arange_is_the_devices_for_the_kind_of_the_numbers(numbers):
    theirs = dpnp.tensor.arange(*numbers)
    assert same(usmx.arange(*numbers), dpnp.tensor.asnumpy(theirs))


def test_arange_takes_numbers_of_arrays_without_dimensions():
    count = usmx.prod(usmx.asarray([2, 3]))
    assert same(usmx.arange(count), np.arange(6))
    assert same(usmx.arange(usmx.asarray(0.5), np.asarray(3), count / 6), np.arange(0.5, 3, 1.0))
    with pytest.raises(TypeError, match="stop must be a number, found USMArray"):
        usmx.arange(0, usmx.asarray([3]))


def test_arange_of_bool_has_at_most_two_elements():
    assert same(usmx.arange(2, dtype=bool), np.array([False, True]))
    with pytest.raises(TypeError, match="booleans"):
        usmx.arange(3, dtype=bool)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((0, 5, 0), ZeroDivisionError),
        ((0.0, 5.0, 0.0), ZeroDivisionError),
        (([1],), TypeError),
        (("5",), TypeError),
        ((None,), TypeError),
        ((0, np.ones(2)), TypeError),
    ],
)
def test_numbers_that_arange_cannot_count_with_are_errors(arguments, error):
    with pytest.raises(error):
        usmx.arange(*arguments)


def test_number_that_does_not_fit_the_type_is_an_overflow_error():
    with pytest.raises(OverflowError):
        usmx.arange(-2, 2, dtype="u1")


# ---- linspace


@given(
    st.floats(-100, 100),
    st.floats(-100, 100),
    st.integers(0, 30),
    st.booleans(),
    st.sampled_from(KINDS),
)
def test_linspace_is_numpys(start, stop, num, endpoint, kind):
    made = usmx.linspace(start, stop, num, endpoint=endpoint, usm_type=kind)
    assert same(made, np.linspace(start, stop, num, endpoint=endpoint))
    assert made.usm_type == kind


@pytest.mark.parametrize("typestr", NUMERIC)
def test_linspace_of_every_type_is_numpys(typestr):
    assert same(usmx.linspace(0, 10, 4, dtype=typestr), np.linspace(0, 10, 4, dtype=typestr))


def test_linspace_between_complex_numbers_is_complex():
    assert same(usmx.linspace(0, 1j, 3), np.linspace(0, 1j, 3))
    assert usmx.linspace(np.float32(0), 1, 3).dtype == np.float64


def test_numbers_that_linspace_cannot_space_are_errors():
    with pytest.raises(ValueError, match="found -1"):
        usmx.linspace(0, 1, -1)
    for arguments in ((0, 1, 2.5), (0, "1", 3), (0, [None], 3)):
        with pytest.raises(TypeError):
            usmx.linspace(*arguments)


# ---- eye


@given(
    st.integers(0, 6),
    st.one_of(st.none(), st.integers(0, 6)),
    st.integers(-8, 8),
    st.sampled_from(TYPESTRS),
    st.sampled_from("CF"),
    st.sampled_from(KINDS),
)
def test_eye_is_numpys(rows, columns, k, typestr, order, kind):
    made = usmx.eye(rows, columns, k=k, dtype=typestr, order=order, usm_type=kind)
    expected = np.eye(rows, columns, k=k, dtype=typestr, order=order)
    assert same(made, expected)
    assert made.flags.f_contiguous is expected.flags.f_contiguous
    assert made.usm_type == kind


def test_eye_of_far_diagonals_is_zero():
    for k in (10**30, -(10**30)):
        assert usmx.asnumpy(usmx.eye(3, k=k)).tolist() == np.zeros((3, 3)).tolist()


@pytest.mark.parametrize(
    ("arguments", "keywords", "error"),
    [
        ((2.0,), {}, TypeError),
        ((2, 2.0), {}, TypeError),
        ((2,), {"k": 0.5}, TypeError),
        ((-1,), {}, ValueError),
        ((2,), {"order": "K"}, ValueError),
        ((2,), {"dtype": "S1"}, ValueError),
    ],
)
def test_eye_of_what_is_no_shape_is_an_error(arguments, keywords, error):
    with pytest.raises(error):
        usmx.eye(*arguments, **keywords)


# ---- tril and triu


@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=4),
    st.integers(-7, 7),
    st.sampled_from(TYPESTRS),
    st.sampled_from(KINDS),
    st.booleans(),
    st.booleans(),
)
def test_triangles_are_numpys(shape, k, typestr, kind, fortran, reversed_):
    host = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(typestr)
    host = np.asfortranarray(host) if fortran else host
    array = usmx.asarray(host, usm_type=kind)
    if reversed_:
        host, array = host[..., ::-1], array[..., ::-1]
    for ours, numpys in ((usmx.tril, np.tril), (usmx.triu, np.triu)):
        made = ours(array.readonly(), k=k)
        assert np.array_equal(usmx.asnumpy(made), numpys(host, k))
        assert (made.dtype, made.usm_type) == (host.dtype, kind)
        assert made.sycl_queue == array.sycl_queue
        assert made.flags.writable
        assert made.size == 0 or made.strides == usmx.copy(array).strides
    assert np.array_equal(usmx.asnumpy(array), host)


def test_triangle_of_a_long_matrix_is_numpys():
    for shape in ((2000, 3), (3, 2000)):
        host = np.ones(shape)
        for k in (-1500, -1, 0, 2, 1500):
            assert np.array_equal(
                usmx.asnumpy(usmx.tril(usmx.asarray(host), k=k)), np.tril(host, k)
            )
            assert np.array_equal(
                usmx.asnumpy(usmx.triu(usmx.asarray(host), k=k)), np.triu(host, k)
            )


@pytest.mark.parametrize("function", [usmx.tril, usmx.triu])
def test_triangle_of_what_is_no_matrix_is_an_error(function):
    with pytest.raises(ValueError, match=r"at least 1 dimension, found shape \(\)"):
        function(usmx.ones(()))
    with pytest.raises(TypeError, match="found str"):
        function("text")
    with pytest.raises(TypeError, match="k must be an integer, found 0.5"):
        function(usmx.ones((2, 2)), k=0.5)


# ---- meshgrid


@given(
    st.lists(st.integers(0, 4), max_size=5), st.sampled_from(["xy", "ij"]), st.sampled_from(KINDS)
)
def test_meshgrid_is_numpys(lengths, indexing, kind):
    hosts = [np.arange(10 * k, 10 * k + length) for k, length in enumerate(lengths)]
    arrays = [usmx.asarray(host[::-1], usm_type=kind)[::-1] for host in hosts]
    made = usmx.meshgrid(*arrays, indexing=indexing)
    assert type(made) is tuple
    assert len(made) == len(hosts)
    for ours, expected, array in zip(
        made, np.meshgrid(*hosts, indexing=indexing), arrays, strict=True
    ):
        assert same(ours, expected)
        assert ours.usm_type == kind
        assert ours.size == 0 or ours._pointer == array._pointer


def test_meshgrid_of_read_only_arrays_is_read_only():
    one, other = usmx.meshgrid(usmx.ones(2).readonly(), usmx.ones(3))
    assert (one.flags.writable, other.flags.writable) == (False, True)


def test_meshgrid_takes_types_and_arrays_of_the_host_together():
    hosts = [np.arange(3), np.ones(2, "f4"), [7.5, 8.5]]
    made = usmx.meshgrid(usmx.asarray(hosts[0], usm_type="shared"), *hosts[1:])
    assert {each.usm_type for each in made} == {"shared"}
    for ours, expected in zip(made, np.meshgrid(*hosts), strict=True):
        assert same(ours, expected)


def test_meshgrid_of_what_does_not_fit_is_an_error():
    x = usmx.ones(3)
    with pytest.raises(ValueError, match="found 'ab'"):
        usmx.meshgrid(x, indexing="ab")
    with pytest.raises(ValueError, match=r"found array 1 of shape \(2, 2\)"):
        usmx.meshgrid(x, usmx.ones((2, 2)))
    with pytest.raises(TypeError, match="array 1 must be .* found ndarray"):
        usmx.meshgrid([1, 2], np.ones(3))
    with pytest.raises(usmx.ExecutionPlacementError):
        usmx.meshgrid(x, usmx.ones(3, sycl_queue=usmx.SyclQueue()))


# ---- sizes that do not fit


TOO_MANY = {
    "all int64": lambda: usmx.arange(2**63 - 1),
    "all int64 as int8": lambda: usmx.arange(0, 2**63 - 1, dtype="i1"),
    "2**63 as int8": lambda: usmx.arange(0, 2**63, dtype="i1"),
    "2**64 downwards": lambda: usmx.arange(2**63, -(2**63), -1),
    "a float of 2**63": lambda: usmx.arange(2.0**63, dtype="i1"),
    "a float": lambda: usmx.arange(1e30),
    "a complex number": lambda: usmx.arange(0, 1e30 + 1e30j, 1),
    "linspace": lambda: usmx.linspace(0, 1, 2**63 - 1),
    "linspace of 2**64": lambda: usmx.linspace(0, 1, 2**64),
    "eye": lambda: usmx.eye(2**62),
    "diag": lambda: usmx.diag(usmx.arange(2), 2**62),
    "tile": lambda: usmx.tile(usmx.arange(4), 2**62),
    "tile of none": lambda: usmx.tile(usmx.arange(4), (2**62, 2**62)),
    "repeat": lambda: usmx.repeat(usmx.arange(4), 2**62),
    "repeat each": lambda: usmx.repeat(usmx.arange(4), [2**62] * 4),
    "repeat each, to 2**63": lambda: usmx.repeat(usmx.arange(2), [2**62] * 2),
    "repeat each, too large a count": lambda: usmx.repeat(usmx.arange(2), [2**64, 0]),
    "repeat each row": lambda: usmx.repeat(usmx.zeros((2, 4)), [2**59, 2**59], axis=0),
    "broadcast_to": lambda: usmx.broadcast_to(usmx.arange(4), (2**62, 4)),
    "empty": lambda: usmx.empty((2**62, 4)),
    "concat": lambda: usmx.concat([usmx.broadcast_to(usmx.arange(1), 2**62)] * 4),
    "stack": lambda: usmx.stack([usmx.broadcast_to(usmx.arange(1), 2**62)] * 4),
    "meshgrid": lambda: usmx.meshgrid(*[usmx.broadcast_to(usmx.arange(1), 2**62)] * 2),
}


@pytest.mark.parametrize("make", TOO_MANY.values(), ids=TOO_MANY)
def test_too_many_elements_are_an_error(make):
    with pytest.raises((ValueError, MemoryError)):
        make()


@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [
        (0, -9007199254740994, -9007199254740993),
        (0, 9007199254740994, 9007199254740993),
        (-(2**63), 2**63 - 1, 2**62 - 1),
        (2**63 - 1, -(2**63), -(2**62)),
        (np.int8(-100), np.int8(100), np.int8(90)),
    ],
)
def test_integers_are_counted_exactly(start, stop, step):
    expected = list(range(int(start), int(stop), int(step)))
    assert usmx.arange(start, stop, step, dtype="i8").tolist() == expected


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1), st.integers(1, 40))
def test_a_few_of_any_integers_are_pythons(start, stop, parts):
    step = (stop - start) // parts or 1
    if not -(2**63) <= start + step < 2**63:
        return
    assert usmx.arange(start, stop, step, dtype="i8").tolist() == [*range(start, stop, step)]
