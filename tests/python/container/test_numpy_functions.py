"""NumPy's functions on arrays: those that usmx has give USMArrays, the others do as the memory allows."""

import warnings

import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS, KINDS
from usmx._compute.numpy_protocol import (
    _PRODUCTS,
    FUNCTIONS,
    UFUNCS,
    _is_made,
    _is_of_the_numpy_room,
)
from usmx._container.numpy_functions import OF_ATTRIBUTES, name_of

HOST = np.arange(24.0).reshape(2, 3, 4)


def as_given(a, host):
    """The indices as the array is: NumPy leaves the function to usmx where all arrays are usmx's."""
    return host if type(a) is np.ndarray else usmx.asarray(host, usm_type=a.usm_type)


def with_nan(a):
    return np.where(a % 5 == 2, np.nan, a)


MOVES = {
    "einsum": lambda a: np.einsum("ijk->kij", a),
    "kron": lambda a: np.kron(a, a[:1]),
    "append": lambda a: np.append(a, a, 1),
    "atleast_1d": lambda a: np.atleast_1d(a),
    "block": lambda a: np.block([[a], [a]]),
    "choose": lambda a: np.choose(as_given(a, np.array([1, 0])), [a[0, 0, :2], a[1, 1, :2]]),
    "column_stack": lambda a: np.column_stack([a, a]),
    "compress": lambda a: np.compress([True, False], a, 0),
    "delete": lambda a: np.delete(a, np.array([1, 2]), 2),
    "extract": lambda a: np.extract(as_given(a, HOST > 3), a),
    "fliplr": np.fliplr,
    "flipud": np.flipud,
    "insert": lambda a: np.insert(a, np.array([1, 2]), 7, 2),
    "pad": lambda a: np.pad(a, 1, "reflect"),
    "ravel_multi_index": lambda a: np.ravel_multi_index(
        as_given(a, HOST[0].astype("i8") // 8), (2, 3, 4)
    ),
    "resize": lambda a: np.resize(a, (5, 7)),
    "rollaxis": lambda a: np.rollaxis(a, 2),
    "select": lambda a: np.select([as_given(a, HOST > 3)], [a], 9),
    "sliding_window_view": lambda a: np.lib.stride_tricks.sliding_window_view(a, 2, 1),
    "trim_zeros": lambda a: np.trim_zeros(a),
    "astype": lambda a: np.astype(a, "f4"),
    "astype without a copy": lambda a: np.astype(a, "f8", copy=False),
    "broadcast_to": lambda a: np.broadcast_to(a, (5, 2, 3, 4)),
    "concatenate": lambda a: np.concatenate([a, a]),
    "concatenate along an axis": lambda a: np.concatenate((a, a), 2),
    "concatenate flat": lambda a: np.concatenate([a, a], axis=None),
    "copy": np.copy,
    "copy in an order": lambda a: np.copy(a, order="F", subok=True),
    "diag": lambda a: np.diag(a[0, 0]),
    "diag of a matrix": lambda a: np.diag(a[0], k=-1),
    "diagonal": lambda a: np.diagonal(a, 1, 0, 2),
    "dstack": lambda a: np.dstack([a, a]),
    "expand_dims": lambda a: np.expand_dims(a, 1),
    "expand_dims by keyword": lambda a: np.expand_dims(a, axis=(0, 2)),
    "flip": np.flip,
    "flip an axis": lambda a: np.flip(a, axis=1),
    "full_like": lambda a: np.full_like(a, 7),
    "full_like of a shape": lambda a: np.full_like(a, 7, dtype="i4", shape=(5, 2)),
    "hstack": lambda a: np.hstack([a, a]),
    "imag": np.imag,
    "imag of complex numbers": lambda a: np.imag(np.astype(a, "c16")),
    "matrix_transpose": np.matrix_transpose,
    "moveaxis": lambda a: np.moveaxis(a, 0, -1),
    "ones_like": np.ones_like,
    "ones_like of a shape": lambda a: np.ones_like(a, shape=()),
    "permute_dims": lambda a: np.permute_dims(a, (2, 0, 1)),
    "ravel": np.ravel,
    "ravel in an order": lambda a: np.ravel(a, order="F"),
    "real": np.real,
    "repeat": lambda a: np.repeat(a, 2, axis=1),
    "repeat flat": lambda a: np.repeat(a, 2),
    "reshape": lambda a: np.reshape(a, (4, -1)),
    "reshape by keyword": lambda a: np.reshape(a, shape=(4, 6), order="F"),
    "roll": lambda a: np.roll(a, 1, axis=2),
    "rot90": lambda a: np.rot90(a, 3, axes=(0, 2)),
    "squeeze": lambda a: np.squeeze(a[:1]),
    "stack": lambda a: np.stack([a, a], axis=1),
    "swapaxes": lambda a: np.swapaxes(a, 0, 1),
    "take": lambda a: np.take(a, [2, 0], axis=1),
    "take flat": lambda a: np.take(a, 5),
    "take with a mode": lambda a: np.take(a, [30], mode="wrap"),
    "take_along_axis": lambda a: np.take_along_axis(a, as_given(a, np.zeros((2, 1, 4), "i8")), 1),
    "tile": lambda a: np.tile(a, (2, 1, 1)),
    "transpose": np.transpose,
    "transpose by axes": lambda a: np.transpose(a, (1, 0, 2)),
    "tril": lambda a: np.tril(a, 1),
    "triu": np.triu,
    "vstack": lambda a: np.vstack([a, a]),
    "where": lambda a: np.where(a, a[:1], a),
    "all": lambda a: np.all(a, axis=0),
    "amax": lambda a: np.amax(a, 1),
    "amin": lambda a: np.amin(a, 1, keepdims=True),
    "any": np.any,
    "argmax": lambda a: np.argmax(a, axis=2),
    "argmin": np.argmin,
    "argpartition": lambda a: np.take_along_axis(a, np.argpartition(a, 1, 2), 2)[..., 1],
    "argsort": lambda a: np.argsort(-a, 2),
    "around": np.around,
    "clip": lambda a: np.clip(a, 3, 9),
    "clip by keyword": lambda a: np.clip(a, min=3, max=None),
    "count_nonzero": lambda a: np.astype(np.asarray(np.count_nonzero(a, 0), like=a), "i8"),
    "cumprod": lambda a: np.cumprod(a, 1),
    "cumsum": np.cumsum,
    "cumsum of a type": lambda a: np.cumsum(a, 2, "f4"),
    "cumulative_prod": lambda a: np.cumulative_prod(a, axis=1),
    "cumulative_sum": lambda a: np.cumulative_sum(a, axis=1, include_initial=True),
    "diff": lambda a: np.diff(a, 2, axis=1),
    "dot": lambda a: np.dot(a[0], a[1].T),
    "isin": lambda a: np.isin(a, a[0, 1], invert=True),
    "max": np.max,
    "mean": lambda a: np.mean(a, (0, 2)),
    "min": lambda a: np.min(a, axis=-1),
    "nanargmax": lambda a: np.nanargmax(with_nan(a), axis=1),
    "nanargmin": lambda a: np.nanargmin(with_nan(a), 1),
    "nancumsum": lambda a: np.nancumsum(with_nan(a), 2),
    "nanmax": lambda a: np.nanmax(with_nan(a), axis=1, keepdims=True),
    "nanmean": lambda a: np.nanmean(with_nan(a), axis=0),
    "nanmin": lambda a: np.nanmin(with_nan(a), 2),
    "nanprod": lambda a: np.nanprod(with_nan(a), 0),
    "nanstd": lambda a: np.round(np.nanstd(with_nan(a), axis=1), 9),
    "nansum": lambda a: np.nansum(with_nan(a)),
    "nanvar": lambda a: np.round(np.nanvar(with_nan(a), axis=1, ddof=1), 9),
    "partition": lambda a: np.partition(-a, 1, axis=1)[:, 1],
    "prod": lambda a: np.prod(a, 1),
    "round": lambda a: np.round(a / 8, 1),
    "searchsorted": lambda a: np.searchsorted(a[0, 0], a[0, :, 0], "right"),
    "sort": lambda a: np.sort(-a, axis=1),
    "std": lambda a: np.round(np.std(a, ddof=1, axis=1), 9),
    "sum": lambda a: np.sum(a, axis=0, keepdims=True),
    "sum of a type": lambda a: np.sum(a, dtype="f4"),
    "tensordot": lambda a: np.tensordot(a, a, ([0, 1], [0, 1])),
    "trace": np.trace,
    "unique_values": lambda a: np.unique_values(a // 5),
    "var": lambda a: np.var(a, 2),
    "zeros_like": np.zeros_like,
    "zeros_like of a shape": lambda a: np.zeros_like(a, shape=(2, 5), order="F"),
}
ANSWERS = {
    "can_cast": lambda a: np.can_cast(a.dtype, "f4"),
    "einsum_path": lambda a: np.einsum_path("ijk,jk", a, a[0]),
    "may_share_memory": lambda a: np.may_share_memory(a[:1], a[1:]),
    "shares_memory": lambda a: np.shares_memory(a, a[1:]),
    "ndim": np.ndim,
    "result_type": lambda a: np.result_type(a, "c8"),
    "shape": np.shape,
    "size": np.size,
}


@pytest.fixture(params=KINDS)
def array(request):
    return usmx.asarray(HOST, usm_type=request.param)


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_function_that_moves_data_gives_what_numpy_gives_in_the_kind_of_its_argument(array, move):
    found, expected = move(array), move(HOST)
    assert type(found) is usmx.USMArray
    assert (found.usm_type, found.sycl_queue) == (array.usm_type, array.sycl_queue)
    assert found.dtype == expected.dtype
    assert np.array_equal(usmx.asnumpy(found), expected)
    if found.size and expected.flags.owndata:
        assert found.flags.fnc == expected.flags.fnc


@pytest.mark.parametrize("function", [np.nanmean, np.nanvar, np.nanstd])
def test_half_precision_counts_more_numbers_than_it_can_hold(function):
    host = np.where(np.arange(70000) % 7, 1, 3).astype("f2")
    host[0] = np.nan
    expected = function(host.astype("f4")).astype("f2")
    found = function(usmx.asarray(host))
    assert found.dtype == "f2"
    np.testing.assert_allclose(float(found), float(expected), rtol=2e-3)


NAN_FUNCTIONS = (
    np.nanargmax, np.nanargmin, np.nancumsum, np.nanmax, np.nanmean, np.nanmin, np.nanprod,
    np.nanstd, np.nansum, np.nanvar,
)  # fmt: skip


@pytest.mark.parametrize("function", NAN_FUNCTIONS)
@pytest.mark.parametrize("dtype", ["i4", "f2", "f8"])
def test_result_without_nan_is_written_to_an_array(function, dtype):
    host = np.array([[1, 2, 4], [4, 1, 3]], dtype)
    host[0, 1] = np.nan if host.dtype.kind == "f" else 2
    expected = function(host, axis=1)
    out = usmx.empty_like(usmx.asarray(expected))
    assert function(usmx.asarray(host), axis=1, out=out) is out
    np.testing.assert_allclose(usmx.asnumpy(out), expected, rtol=2e-3)
    with pytest.raises((TypeError, ValueError), match="cannot be|shape"):
        function(usmx.asarray(host), axis=1, out=usmx.empty(7, dtype="?"))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("function", [np.nanmax, np.nanmin, np.nanargmax, np.nanargmin])
def test_complex_numbers_with_a_nan_in_a_part_are_left_out(function, dtype):
    nan = np.nan
    host = np.array([[1 + 2j, complex(nan, 9), 1 - 1j], [complex(8, nan), 3, -4j]], dtype)
    array = usmx.asarray(host)
    for axis in (None, 1):
        found = function(array, axis=axis)
        assert usmx.asnumpy(found).tolist() == function(host, axis=axis).tolist()
    if function in (np.nanmax, np.nanmin):
        assert usmx.isnan(function(array[0, 1:2]))


MASK = np.array([[True, True, False], [False, True, False]])


@pytest.mark.parametrize("dtype", ["i4", "f2", "f8", "c16"])
@pytest.mark.parametrize("function", [np.nanmean, np.nanprod, np.nanstd, np.nansum, np.nanvar])
def test_only_elements_where_a_mask_holds_count_without_nan(function, dtype):
    host = np.array([[1, 2, 4], [4, 1, 3]], dtype)
    host[0, 1] = np.nan if host.dtype.kind in "fc" else 2
    array, mask = usmx.asarray(host), usmx.asarray(MASK)
    for axis in (None, 0, 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            expected = function(host, axis=axis, where=MASK)
        found = function(array, axis=axis, where=mask)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=2e-3)


@pytest.mark.parametrize("dtype", ["i4", "f4"])
@pytest.mark.parametrize("function", [np.nanmax, np.nanmin, np.nanprod, np.nansum])
def test_initial_value_is_joined_to_the_numbers(function, dtype):
    host = np.array([[1, 2, 4], [4, 1, 3]], dtype)
    if host.dtype.kind == "f":
        host[0] = np.nan
    for more in ({}, {"where": MASK}):
        expected = function(host, axis=1, initial=2, **more)
        found = function(usmx.asarray(host), axis=1, initial=2, **more)
        assert found.dtype == expected.dtype
        assert np.array_equal(usmx.asnumpy(found), expected)


def test_variance_without_nan_takes_a_known_mean():
    host = np.array([[1, 2, 4], [4, np.nan, 3]])
    array, mean = usmx.asarray(host), np.nanmean(host, axis=1, keepdims=True)
    for function in (np.nanvar, np.nanstd):
        found = function(array, axis=1, mean=usmx.asarray(mean))
        np.testing.assert_allclose(usmx.asnumpy(found), function(host, axis=1))


@pytest.mark.parametrize(
    "host",
    [[1 + 2j, complex(np.nan, np.inf), 3], [np.inf, 1.0, np.nan], [[1, np.inf], [2, np.nan]]],
    ids=["an infinity beside a NaN", "an infinity", "an infinity in a column"],
)
@pytest.mark.parametrize("function", [np.nanvar, np.nanstd])
def test_variance_without_nan_is_numpys_of_infinities(function, host):
    with np.errstate(invalid="ignore"):
        expected = function(np.array(host), axis=0)
    found = function(usmx.asarray(np.array(host)), axis=0)
    np.testing.assert_allclose(usmx.asnumpy(found), expected)


def test_variance_without_nan_has_one_correction():
    host = np.array([1, 2, 4, np.nan])
    array = usmx.asarray(host)
    np.testing.assert_allclose(float(np.nanvar(array, correction=1)), np.nanvar(host, ddof=1))
    np.testing.assert_allclose(float(np.nanstd(array, correction=1)), np.nanstd(host, ddof=1))
    with pytest.raises(ValueError, match="nanstd takes correction or ddof, found both"):
        np.nanstd(array, ddof=1, correction=1)
    assert np.nanvar(array.astype("c8")).dtype == "f4"


@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("ddof", [0, 2, 3, 4])
def test_variance_of_too_few_numbers_is_numpys(dtype, ddof):
    host = np.array([[1, 2, 4], [4, 5, 7]], dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = np.nanvar(host, axis=1, ddof=ddof)
    found = np.nanvar(usmx.asarray(host), axis=1, ddof=ddof)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=2e-3)


@pytest.mark.parametrize("ask", ANSWERS.values(), ids=ANSWERS)
def test_question_has_numpys_answer(array, ask):
    assert ask(array) == ask(HOST)


INDICES = np.array([1, 2])
SEVERAL = (
    (np.array_split, lambda a: np.array_split(a, [1, 2], 1)),
    (np.atleast_2d, lambda a: np.atleast_2d(a, a)),
    (np.atleast_3d, lambda a: np.atleast_3d(a, a)),
    (np.diag_indices_from, lambda a: np.diag_indices_from(a[:, :2, :2])),
    (np.dsplit, lambda a: np.dsplit(a, INDICES)),
    (np.hsplit, lambda a: np.hsplit(a, INDICES)),
    (np.ix_, lambda a: np.ix_(a[0, 0], a[:, 0, 0])),
    (np.nonzero, np.nonzero),
    (np.split, lambda a: np.split(a, 2, axis=2)),
    (np.split, lambda a: np.split(a, INDICES, axis=2)),
    (np.split, lambda a: np.split(a, as_given(a, INDICES), axis=2)),
    (np.tril_indices_from, lambda a: np.tril_indices_from(a[0])),
    (np.triu_indices_from, lambda a: np.triu_indices_from(a[0], 1)),
    (np.unravel_index, lambda a: np.unravel_index(as_given(a, INDICES), (3, 4))),
    (np.unique_all, lambda a: np.unique_all(a // 5)),
    (np.unique_counts, lambda a: np.unique_counts(a // 5)),
    (np.unique_inverse, lambda a: np.unique_inverse(a // 5)),
    (np.unstack, lambda a: np.unstack(a, axis=1)),
    (np.vsplit, lambda a: np.vsplit(a, 2)),
    (np.where, np.where),
)


@pytest.mark.parametrize("call", [call for _, call in SEVERAL])
def test_several_results_are_usm_arrays(array, call):
    found, expected = call(array), call(HOST)
    assert [type(each) for each in found] == [usmx.USMArray] * len(expected)
    assert all(map(np.array_equal, map(usmx.asnumpy, found), expected))


SETTING = {
    "copyto": lambda a: np.copyto(a, as_given(a, HOST + 1)),
    "fill_diagonal": lambda a: np.fill_diagonal(a[:, :2, :2], 7),
    "place": lambda a: np.place(a, HOST > 3, [7, 8]),
    "put": lambda a: np.put(a, INDICES, [7, 8]),
    "put_along_axis": lambda a: np.put_along_axis(a, as_given(a, INDICES)[None, None], 7, 2),
}


@pytest.mark.parametrize("call", SETTING.values(), ids=SETTING)
def test_functions_that_set_elements_do_so_in_every_kind(array, call):
    expected = HOST.copy()
    call(array)
    call(expected)
    assert np.array_equal(usmx.asnumpy(array), expected)


def test_device_array_is_copied_to_an_array_of_numpys(array):
    target = np.zeros(HOST.shape, "f4")
    np.copyto(target, array)
    assert np.array_equal(target, HOST)
    mask = HOST % 2 == 0
    usmx.copyto(target, array[:1], where=usmx.asarray(mask, usm_type=array.usm_type))
    assert np.array_equal(target, np.where(mask, HOST[:1], HOST))
    with pytest.raises(TypeError, match="Cannot cast"):
        usmx.copyto(np.zeros(HOST.shape, "i4"), array)


def test_every_function_of_the_table_is_numpys_and_tested(array):
    tested = {*MOVES, *ANSWERS, *SETTING, *OF_USMX, "empty_like", "nonzero"}
    tested |= {function.__name__ for function, _ in SEVERAL} | {f"linalg.{name}" for name in LINALG}
    numpys = {*dir(np), "sliding_window_view", *(f"linalg.{name}" for name in dir(np.linalg))}
    assert set(FUNCTIONS) <= numpys
    assert {name for name in FUNCTIONS if not any(name in each.split() for each in tested)} == set()


@pytest.mark.parametrize("shape", [None, (5, 2)])
def test_empty_like_has_place_shape_and_type(array, shape):
    made = np.empty_like(array, "i4", shape=shape)
    assert (made.shape, made.dtype) == (shape or HOST.shape, np.dtype("i4"))
    assert (made.usm_type, made.sycl_queue) == (array.usm_type, array.sycl_queue)


@pytest.mark.parametrize("convert", [np.asarray, np.asanyarray, np.array])
def test_conversion_like_an_array_is_beside_it(array, convert):
    made = convert([[1, 2], [3, 4]], dtype="i4", order=None, like=array)
    assert type(made) is usmx.USMArray
    assert (made.usm_type, made.sycl_queue) == (array.usm_type, array.sycl_queue)
    assert (made.dtype, made.tolist()) == (np.dtype("i4"), [[1, 2], [3, 4]])
    again = convert(array, like=array)
    assert (again._pointer == array._pointer) == (convert is not np.array)


def test_argument_that_usmx_does_not_have_is_a_type_error(array):
    with pytest.raises(
        TypeError,
        match="flip of USMArrays takes m, axis, found 1 by position and keepdims",
    ):
        array.__array_function__(np.flip, (usmx.USMArray,), (array,), {"keepdims": True})
    with pytest.raises(
        TypeError,
        match="diag of USMArrays takes v, k, found 3 by position and no keywords",
    ):
        array.__array_function__(np.diag, (usmx.USMArray,), (array, 0, 1), {})


LATER_ONES = {
    "diff": lambda x: np.diff(x, axis=0),
    "diagonal": lambda x: np.diagonal(x, axis1=1, axis2=2),
    "trace": lambda x: np.trace(x, axis1=2, axis2=0),
    "sort": lambda x: np.sort(x, stable=True),
    "sum": lambda x: np.sum(x, keepdims=True),
    "roll": lambda x: np.roll(x, axis=1, shift=1),
    "clip": lambda x: np.clip(x, a_max=5, a_min=None),
}


@pytest.mark.parametrize("name", LATER_ONES)
def test_argument_by_name_is_not_the_one_before_it(name, array):
    found = LATER_ONES[name](array)
    assert np.array_equal(usmx.asnumpy(found), LATER_ONES[name](HOST))
    with pytest.raises(TypeError, match="numpy.clip of USMArrays needs a_min, if a_max is given"):
        np.clip(array, a_max=5)


def test_arrays_are_joined_in_an_array_that_exists(array):
    out = usmx.zeros((4, 3, 4), usm_type=array.usm_type)
    assert np.concatenate([array, array], out=out) is out
    assert np.array_equal(usmx.asnumpy(out), np.concatenate([HOST, HOST]))


def test_wrong_value_has_usmx_error(array):
    with pytest.raises(ValueError, match="axis"):
        np.concatenate([array, array], axis=7)


def test_function_that_usmx_lacks_is_refused_where_the_host_gets_no_view(strict_host):
    with pytest.raises(TypeError, match=r"cannot read device memory: usmx\.asnumpy.*'shared'"):
        np.array_repr(usmx.zeros((2, 2)))


# What NumPy's own function does with USM arrays although usmx has that name, and why.
STAY_NUMPYS = {
    **dict.fromkeys(
        ("array_equal", "save", "savez"),
        "usmx's copies the elements to the host, which a call of NumPy's does not say",
    ),
    "min_scalar_type": "it is NumPy's in usmx, too, and reads the value of an array of no dimensions",
}


def is_ours(name):
    function = getattr(np, name)
    if isinstance(function, np.ufunc):
        full = function.__name__
        return full in UFUNCS or full in _PRODUCTS or _is_made(function, full)
    return name_of(function) in FUNCTIONS or _is_of_the_numpy_room(function, name_of(function))


def test_every_function_of_numpys_that_usmx_has_is_usmxs_for_usm_arrays():
    dispatched = {
        name
        for name in dir(np)
        if hasattr(getattr(np, name), "_implementation") or isinstance(getattr(np, name), np.ufunc)
    }
    shared = {name for name in dispatched if hasattr(usmx, name)} - set(OF_ATTRIBUTES)
    assert len(shared) > 300
    assert {name for name in shared if not is_ours(name)} == STAY_NUMPYS.keys()


OF_USMX = {
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[0], subok=True)[1],
    "einsum_path": lambda x: np.einsum_path("ij,jk", x, x.T)[0],
    "fix": np.fix,
    "linspace": lambda x: np.linspace(x, x + 1, 3, axis=1),
    "meshgrid": lambda x: np.meshgrid(x[0], x[0].astype("f4"), indexing="ij", sparse=True)[1],
    "degrees": np.degrees,
    "fmod": lambda x: np.fmod(x, 2),
    "fmax": lambda x: np.fmax(1.5, x),
    "bitwise_count": lambda x: np.bitwise_count(x.astype("i4")),
    "frexp": lambda x: np.frexp(x)[1],
    "vecmat": lambda x: np.vecmat(x[:, 0], x),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=1),
    "bitwise_or.reduce": lambda x: np.bitwise_or.reduce(x.astype("i8"), axis=None),
    "hypot.reduce": lambda x: np.hypot.reduce(x, keepdims=True),
}


@pytest.mark.parametrize("name", OF_USMX)
def test_function_gives_numpys_values_where_the_host_reads_nothing(name, strict_host):
    host = np.array([[2.0, -1.5, 5.0], [0.5, 1.0, 2.0]])
    found, expected = OF_USMX[name](usmx.asarray(host)), OF_USMX[name](host)
    if isinstance(expected, (bool, list)):
        assert found == expected
    else:
        assert type(found) is usmx.USMArray
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(usmx.asnumpy(found), expected, 1e-14)


def test_grid_of_numpys_function_is_new_memory():
    x = usmx.ones(3)
    np.meshgrid(x, x)[0][...] = 7
    assert x.tolist() == [1, 1, 1]


def test_ufunc_writes_to_an_array_and_takes_what_only_numpy_has():
    x, out = usmx.asarray([5.0, 7.0]), usmx.zeros(2)
    assert np.fmod(x, 3, out=out) is out
    assert out.tolist() == [2, 1]
    x = usmx.asarray([5.0, 7.0], usm_type=HOST_KINDS[0])  # NumPy reads it
    found = np.fmod(x, 3, where=np.array([True, False]), out=np.zeros(2))
    assert found.tolist() == [2, 0]


LINALG = {
    "diagonal": lambda x: np.linalg.diagonal(x, offset=1),
    "trace": lambda x: np.linalg.trace(x, offset=-1),
    "matrix_transpose": np.linalg.matrix_transpose,
    "matmul": lambda x: np.linalg.matmul(x, np.linalg.matrix_transpose(x)),
    "tensordot": lambda x: np.linalg.tensordot(x, x, axes=3),
    "vecdot": lambda x: np.linalg.vecdot(x, x, axis=-2),
}


@pytest.mark.parametrize("name", LINALG)
def test_functions_of_numpy_linalg_are_not_their_namesakes_in_numpy(name, array):
    """numpy.diagonal and numpy.trace take the first two axes, those of linalg the last two."""
    result = LINALG[name](array)
    assert type(result) is usmx.USMArray
    assert np.array_equal(usmx.asnumpy(result), LINALG[name](HOST))


def test_refusal_has_numpys_whole_name(strict_host):
    with pytest.raises(TypeError, match=r"^numpy\.array_repr cannot read device memory"):
        np.array_repr(usmx.zeros((2, 2)))


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_function_that_usmx_lacks_is_numpys_where_the_host_may_read(kind):
    assert np.array_repr(usmx.asarray([2, 1, 5], usm_type=kind)) == "array([2, 1, 5])"


OF_NUMPYS_NAMES = {
    "median": np.median,
    "percentile": lambda x: np.percentile(x, [25, 75], axis=1),
    "unique": lambda x: np.unique(x, return_counts=True)[1],
    "histogram": lambda x: np.histogram(x, bins=4)[0],
    "cov": np.cov,
    "interp": lambda x: np.interp(x, np.arange(3.0), np.arange(3.0) ** 2),
    "nan_to_num": lambda x: np.nan_to_num(x, nan=1.0),
}


@pytest.mark.parametrize("name", OF_NUMPYS_NAMES)
def test_function_that_usmx_has_under_numpys_name_computes_on_the_device(name, strict_host):
    host = np.array([[2.0, 1.0, 5.0], [0.5, 1.0, 2.0]])
    found = OF_NUMPYS_NAMES[name](usmx.asarray(host))
    assert type(found) is usmx.USMArray
    np.testing.assert_allclose(usmx.asnumpy(found), OF_NUMPYS_NAMES[name](host), 1e-14)


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_function_of_the_host_that_writes_to_an_array_returns_it(kind):
    array, out = (
        usmx.asarray(values, usm_type=kind) for values in ([[2.0, 1, 5], [0, 3, 9]], [0.0, 0])
    )
    assert np.median(array, axis=1, out=out) is out
    assert out.tolist() == [2, 3]


def test_numpy_arrays_among_the_arguments_stay_numpys(strict_host):
    shared = usmx.ones(2, usm_type="shared")
    assert type(np.concatenate([np.zeros(1), shared])) is np.ndarray
    with pytest.raises(TypeError, match=r"numpy\.concatenate cannot read device memory"):
        np.concatenate([np.zeros(1), usmx.ones(2)])


def test_arrays_on_different_queues_are_an_error():
    other = usmx.SyclQueue()
    with pytest.raises(usmx.ExecutionPlacementError):
        np.concatenate([usmx.ones(2), usmx.ones(2, sycl_queue=other)])


@pytest.mark.parametrize("join", [np.concatenate, np.stack, np.hstack, np.vstack])
def test_joined_arrays_are_converted_as_numpys_are(array, join):
    joined = join([array, array], dtype="f4")
    assert type(joined) is usmx.USMArray
    expected = join([HOST, HOST], dtype="f4")
    assert joined.dtype == expected.dtype
    assert np.array_equal(usmx.asnumpy(joined), expected)
    with pytest.raises(TypeError, match="float64 cannot be cast to float32 with casting='safe'"):
        join([array, array], dtype="f4", casting="safe")
