"""NumPy's forms of calls: joining, orders, patterns, indices, choosing, borders and strides."""

import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import DTYPES, arrays, numbered
from like_numpy import (
    Own,
    check,
    dressed,
    index_arrays,
    integers,
    masks,
    modes,
    on_host,
    orders,
    same,
    slices,
    small,
    steps,
    truths,
    with_strides_of,
)

ONE = usmx.zeros(1)  # of calls that need no array

# ---- joining: types, casting, out


JOIN = ("concatenate", "stack", "hstack", "vstack")


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", JOIN)
@given(
    st.lists(st.sampled_from(TYPESTRS), min_size=1, max_size=3),
    st.one_of(st.none(), st.sampled_from(TYPESTRS)),
    st.sampled_from(("no", "equiv", "safe", "same_kind", "unsafe")),
)
def test_arrays_are_joined_in_the_type_that_casting_allows(name, types, dtype, casting):
    rows = [Own(numbered((2, 3), each)) for each in types]
    check(lambda xp, a, *rows: getattr(xp, name)(rows, dtype=dtype, casting=casting), ONE, rows)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", ["concatenate", "stack"])
@given(
    st.sampled_from(TYPESTRS),
    st.sampled_from(TYPESTRS),
    st.sampled_from(((4, 3), (2, 2, 3), (2, 6))),
    st.sampled_from((0, 1, None)),
)
def test_arrays_are_joined_in_an_array_that_exists(name, dtype, out_type, shape, axis):
    def join(xp, a, row, out):
        along = 0 if name == "stack" and axis is None else axis
        made = getattr(xp, name)([row, row], along, out)
        assert made is out
        return made

    check(join, ONE, [Own(numbered((2, 3), dtype)), Own(np.zeros(shape, out_type))])


@pytest.mark.parametrize("name", [*JOIN, "dstack", "column_stack"])
def test_lists_among_arrays_go_where_the_arrays_are(name):
    queue = usmx.SyclQueue()
    array = usmx.ones(3, "i4", usm_type="shared", sycl_queue=queue)
    made = getattr(usmx, name)([[1, 2, 3], array, np.zeros(3)])
    expected = getattr(np, name)([[1, 2, 3], np.ones(3, "i4"), np.zeros(3)])
    assert (made.usm_type, made.sycl_queue, made.dtype) == ("shared", queue, expected.dtype)
    assert np.array_equal(usmx.asnumpy(made), expected)


def test_out_is_an_array_of_the_same_queue_and_beside_no_dtype():
    a, out = usmx.zeros((2, 3)), usmx.zeros((4, 3))
    with pytest.raises(TypeError, match="out and dtype cannot be given both"):
        usmx.concat([a, a], out=out, dtype="f4")
    with pytest.raises(ValueError, match="read-only"):
        usmx.concat([a, a], out=out.readonly())
    with pytest.raises(usmx.ExecutionPlacementError):
        usmx.concat([a, a], out=usmx.zeros((4, 3), sycl_queue=usmx.SyclQueue()))
    with pytest.raises(TypeError, match="out must be an object with __sycl"):
        usmx.concat([a, a], out=np.zeros((4, 3)))


def of_arrays(nested, array):
    """Nested lists with an array in the place of each "a"."""
    if isinstance(nested, (list, tuple)):
        return type(nested)(of_arrays(item, array) for item in nested)
    return array if nested == "a" else nested


@pytest.mark.parametrize(
    "nested",
    [
        [],
        [[], []],
        ["a", ["a"]],
        [["a", "a"], ["a"]],
        [["a"], [2]],
        [[2, "a"], [[1, 2]]],
        ("a", "a"),
        [["a", 7]],
        "a",
    ],
    ids=repr,
)
def test_blocks_are_numpys(nested):
    for shape in ((), (1,), (2,), (2, 1), (1, 2, 3)):
        array = usmx.asarray(numbered(shape, "i4"))
        check(lambda xp, a: xp.block(of_arrays(nested, a)), array)


@pytest.mark.parametrize("orders", ["CC", "CF", "FF"])
def test_blocks_have_numpys_order(orders):
    hosts = [np.ones((2, 3), order=order) for order in orders]
    mine = [usmx.asarray(host, order="K") for host in hosts]
    found, expected = (xp.block([given, given]) for xp, given in ((usmx, mine), (np, hosts)))
    assert found.flags.fnc == expected.flags.fnc
    assert usmx.block(mine[1]).flags.fnc == np.block(hosts[1]).flags.fnc


@pytest.mark.parametrize("mode", ["constant", "edge", "linear_ramp", "empty", "reflect"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("width", [0, 1])
def test_padded_array_has_the_order_of_the_array(mode, order, width):
    host = np.ones((2, 3), order=order)
    found = usmx.pad(usmx.asarray(host, order=order), width, mode)
    assert found.flags.fnc == np.pad(host, width, mode).flags.fnc == (order == "F")


# ---- orders, shapes, kinds of memory


def strides_in_elements(array):
    """Those that say something."""
    unit = array.itemsize if isinstance(array, np.ndarray) else 1
    pairs = zip(array.shape, array.strides, strict=True)
    return [stride // unit for extent, stride in pairs if extent > 1] if array.size else []


LIKE = {
    "empty_like": lambda xp, a, **options: xp.empty_like(a, **options),
    "zeros_like": lambda xp, a, **options: xp.zeros_like(a, **options),
    "ones_like": lambda xp, a, **options: xp.ones_like(a, **options),
    "full_like": lambda xp, a, **options: xp.full_like(a, 1, **options),
}


@pytest.mark.parametrize("name", LIKE)
@settings(max_examples=50)
@given(
    arrays(DTYPES, max_ndim=4),
    orders,
    st.one_of(st.none(), st.integers(0, 3), st.lists(st.integers(0, 3), max_size=4).map(tuple)),
)
def test_array_like_another_has_numpys_strides(name, pair, order, shape):
    options = {"order": order, "shape": shape}
    theirs = LIKE[name](np, with_strides_of(pair[0]), **options)
    mine = LIKE[name](usmx, pair[0], **options)
    assert (mine.shape, mine.dtype, mine.usm_type) == (theirs.shape, theirs.dtype, pair[0].usm_type)
    assert strides_in_elements(mine) == strides_in_elements(theirs)
    if name != "empty_like":
        assert same(usmx.asnumpy(mine), theirs)


def asarray(xp, a, order):
    """With order 'A' NumPy leaves gaps and negative strides; usmx's result is contiguous."""
    has_gaps = xp is np and not (a.flags.c_contiguous or a.flags.f_contiguous)
    return (
        np.array(a, order=order) if has_gaps and order in ("A", "a") else xp.asarray(a, order=order)
    )


ORDERED = {
    "asarray": asarray,
    "asarray of the host": lambda xp, a, order: (
        np.array(np.array(a), order=order) if xp is np else xp.asarray(usmx.asnumpy(a), order=order)
    ),
    "astype": lambda xp, a, order: a.astype("f4", order),
    "copy": lambda xp, a, order: xp.copy(a, order),
    "method copy": lambda xp, a, order: a.copy(order),
    "flatten": lambda xp, a, order: a.flatten(order),
    "ravel": lambda xp, a, order: a.ravel(order),
    "reshape": lambda xp, a, order: a.reshape((-1, 1, a.size or 1), order=order),
    "empty": lambda xp, a, order: xp.empty((2, 3), "f4", order),
    "zeros": lambda xp, a, order: xp.zeros((2, 3), "f4", order),
    "ones": lambda xp, a, order: xp.ones((2, 3), "f4", order),
    "full": lambda xp, a, order: xp.full((2, 3), 7, "f4", order),
    "eye": lambda xp, a, order: xp.eye(2, M=3, order=order),
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", ORDERED)
@settings(max_examples=50)
@given(arrays(DTYPES, max_ndim=3), orders)
def test_order_means_what_it_means_in_numpy(name, pair, order):
    call = ORDERED[name]
    try:
        theirs = call(np, with_strides_of(pair[0]), order)
    except ValueError:
        with pytest.raises(ValueError, match="order must be"):
            call(usmx, pair[0], order)
        return
    mine = call(usmx, pair[0], order)
    assert (mine.shape, strides_in_elements(mine)) == (theirs.shape, strides_in_elements(theirs))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "call",
    [
        lambda a, kind: usmx.copy(a, usm_type=kind),
        lambda a, kind: a.copy(usm_type=kind),
        lambda a, kind: usmx.astype(a, "f4", usm_type=kind),
        lambda a, kind: a.astype("i8", usm_type=kind),
        lambda a, kind: a.astype("i8", copy=False, usm_type=kind),
        lambda a, kind: usmx.asarray(a, usm_type=kind),
        lambda a, kind: a.to_device(a.device, usm_type=kind),
        lambda a, kind: a.to_device(usmx.SyclQueue(), usm_type=kind),
    ],
)
def test_copy_is_of_the_kind_that_is_asked_for(call, kind):
    for own in KINDS:
        array = usmx.asarray(np.arange(6).reshape(2, 3), usm_type=own)
        made = call(array, kind)
        assert made.usm_type == kind
        assert np.array_equal(usmx.asnumpy(made), np.arange(6).reshape(2, 3))


def test_kind_that_an_array_has_is_no_reason_to_copy():
    array = usmx.zeros(3, usm_type="shared")
    assert array.astype("f8", copy=False, usm_type="shared") is array
    assert array.to_device(array.device, usm_type="shared") is array
    with pytest.raises(ValueError, match="'usm_type' must be"):
        array.to_device(array.device, usm_type="unknown")


# ---- patterns and indices


@settings(max_examples=80)
@given(
    st.one_of(small, dressed(st.lists(small, min_size=1, max_size=3), "f8")),
    st.one_of(st.floats(-5, 5), dressed(st.lists(small, min_size=1, max_size=3), "f8")),
    st.one_of(st.just(()), st.integers(0, 6).map(lambda n: (n,))),
    st.booleans(),
    st.booleans(),
    st.sampled_from((None, "f4", "i4", "c16")),
    st.integers(-2, 2),
)
def test_linspace_takes_arrays(start, stop, num, endpoint, retstep, dtype, axis):
    check(
        lambda xp, a, start, stop: xp.linspace(
            start, stop, *num, endpoint=endpoint, retstep=retstep, dtype=dtype, axis=axis
        ),
        ONE,
        (start, stop),
    )


def test_linspace_is_where_its_arrays_are():
    queue = usmx.SyclQueue()
    first = usmx.zeros(2, usm_type="shared", sycl_queue=queue)
    for made in usmx.linspace(first, [1, 2], 5, retstep=True):
        assert (made.usm_type, made.sycl_queue) == ("shared", queue)
    assert usmx.linspace(first, 1, usm_type="host").usm_type == "host"
    assert isinstance(usmx.linspace(0, 1, retstep=True)[1], float)
    with pytest.raises(usmx.ExecutionPlacementError):
        usmx.linspace(first, usmx.zeros(2, sycl_queue=usmx.SyclQueue()))


@given(
    st.lists(st.integers(0, 3), max_size=3),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("xy", "ij")),
)
def test_meshgrid_is_numpys(sizes, copy, sparse, indexing):
    check(
        lambda xp, a, *xs: tuple(xp.meshgrid(*xs, copy=copy, sparse=sparse, indexing=indexing)),
        ONE,
        [Own(numbered((n,), "f4", n)) for n in sizes],
    )


def test_meshgrid_copies_where_it_is_asked_to():
    x = usmx.arange(3)
    view, copied = (usmx.meshgrid(x, x, copy=copy)[0] for copy in (False, True))
    x[0] = 7
    assert (view.tolist()[0], copied.tolist()[0]) == ([7, 1, 2], [0, 1, 2])


INDEX_MAKERS = {
    "eye": lambda xp, n, m, k: xp.eye(n, M=m, k=k, dtype="i4"),
    "diag_indices": lambda xp, n, m, k: xp.diag_indices(n, m),
    "tril_indices": lambda xp, n, m, k: xp.tril_indices(n, k, m),
    "triu_indices": lambda xp, n, m, k: xp.triu_indices(n, k, m),
    "indices": lambda xp, n, m, k: xp.indices((n, m)),
    "indices of a type": lambda xp, n, m, k: xp.indices((n, m, 2), "i2"),
    "sparse indices": lambda xp, n, m, k: xp.indices((n, m), sparse=True),
    "no indices": lambda xp, n, m, k: xp.indices(()),
    "ndindex": lambda xp, n, m, k: tuple(xp.ndindex(n, m)),
    "ndindex of a tuple": lambda xp, n, m, k: tuple(xp.ndindex((n, m))),
    "ndindex of no axes": lambda xp, n, m, k: tuple(xp.ndindex()),
}


@pytest.mark.parametrize("name", INDEX_MAKERS)
@pytest.mark.parametrize("n", range(4))
def test_indices_are_numpys(name, n):
    call = INDEX_MAKERS[name]
    for m in range(4):
        for k in (-2, 0, 1):
            assert same(on_host(call(usmx, n, m, k)), call(np, n, m, k))


@given(st.lists(st.one_of(integers, masks), max_size=3))
def test_open_grids_are_numpys(sequences):
    check(lambda xp, a, *args: xp.ix_(*args), ONE, sequences)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple),
    index_arrays,
    st.sampled_from(("C", "F")),
)
def test_places_have_numpys_indices(shape, places, order):
    check(lambda xp, a, i: xp.unravel_index(i, shape, order), ONE, [places])


@given(
    st.tuples(st.integers(1, 4), st.integers(1, 4)),
    st.tuples(index_arrays, index_arrays),
    st.one_of(modes, st.tuples(modes, modes)),
    st.sampled_from(("C", "F")),
)
def test_indices_have_numpys_places(shape, parts, mode, order):
    check(lambda xp, a, *parts: xp.ravel_multi_index(parts, shape, mode, order), ONE, parts)


def test_elements_are_enumerated():
    host = numbered((2, 3), "i4")
    mine = list(usmx.ndenumerate(usmx.asarray(host).T))
    assert [(index, int(x)) for index, x in mine] == list(np.ndenumerate(host.T))


def test_sizes_of_ndindex_are_integers_that_are_not_negative():
    for wrong, error in (((-1, 2), ValueError), ((1.5,), TypeError)):
        with pytest.raises(error):
            usmx.ndindex(*wrong)


# ---- choosing


@settings(max_examples=80)
@given(st.data(), st.sampled_from(KINDS))
def test_select_is_numpys(data, kind):
    shapes = st.sampled_from(((3,), (2, 3), (2, 1), ()))
    # NumPy refuses Python's integers, also those that fit, beside unsigned ones.
    types = st.sampled_from([dtype for dtype in DTYPES if np.dtype(dtype).kind != "u"])
    some_array = st.builds(lambda shape, dtype: Own(numbered(shape, dtype, 3)), shapes, types)
    choice = st.one_of(small, st.floats(-5, 5), some_array)
    count = data.draw(st.integers(0, 3))
    conditions = [Own(np.resize(data.draw(truths), data.draw(shapes))) for _ in range(count)]
    choices = [data.draw(choice) for _ in range(count)]
    check(
        lambda xp, a, conditions, choices, default: xp.select(conditions, choices, default),
        usmx.zeros(1, usm_type=kind),
        [conditions, choices, data.draw(choice)],
    )


def test_numbers_beside_unsigned_ones_are_selected_if_they_fit():
    mask, numbers = usmx.asarray([True, False]), usmx.ones(2, "u2")
    assert usmx.select([mask], [7], numbers).tolist() == [7, 1]
    with pytest.raises(OverflowError):
        usmx.select([mask], [-1], numbers)


def test_results_are_written_where_they_are_asked_to():
    a, places = usmx.asarray([[1, 2], [3, 4]]), usmx.asarray([1, 0])
    out = usmx.zeros(2, a.dtype)
    assert usmx.compress([False, True], a, 0, out=usmx.zeros((1, 2), a.dtype)).tolist() == [[3, 4]]
    assert usmx.choose(places, a, out=out) is out
    assert out.tolist() == [3, 2]
    with pytest.raises(ValueError, match="out must have shape"):
        usmx.choose(places, a, out=usmx.zeros(3, a.dtype))
    with pytest.raises(TypeError, match="out must have dtype int64, found float32"):
        usmx.choose(places, a, out=usmx.zeros(2, "f4"))
    with pytest.raises(ValueError, match="there are 2 choices"):
        usmx.choose(usmx.asarray([-1]), a)


def test_arrays_on_different_queues_are_not_chosen_from():
    a, b = (usmx.zeros(3, "i4", sycl_queue=usmx.SyclQueue()) for _ in range(2))
    for call in (
        lambda: usmx.choose(a, [b]),
        lambda: usmx.select([a.astype(bool)], [b]),
        lambda: usmx.append(a, b),
    ):
        with pytest.raises(usmx.ExecutionPlacementError):
            call()


# ---- borders


PADDED = (
    "constant", "edge", "empty", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect",
    "symmetric", "wrap",
)  # fmt: skip
OPTIONS = {
    "constant": {"constant_values": st.one_of(small, st.tuples(small, small))},
    "linear_ramp": {"end_values": small},
    "maximum": {"stat_length": st.one_of(st.none(), st.integers(1, 3))},
    "mean": {"stat_length": st.one_of(st.none(), st.integers(1, 3))},
    "reflect": {"reflect_type": st.sampled_from(("even", "odd"))},
    "symmetric": {"reflect_type": st.sampled_from(("even", "odd"))},
}


@st.composite
def widths(draw, ndim):
    width = st.integers(-1 if draw(st.integers(0, 9)) == 0 else 0, 4)
    pair = st.tuples(width, width)
    forms = [width, pair, st.lists(pair, min_size=ndim, max_size=ndim)]
    if ndim > 0:
        forms.append(st.dictionaries(st.integers(-ndim, ndim - 1), st.one_of(width, pair)))
    return draw(st.one_of(forms))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the mean of nothing
@pytest.mark.parametrize("mode", PADDED)
@settings(max_examples=40)
@given(arrays(("i4", "f8", "c16", "?"), max_ndim=3), st.data())
def test_borders_are_numpys(mode, pair, data):
    width = data.draw(widths(pair[0].ndim))
    options = {
        name: data.draw(strategy)
        for name, strategy in OPTIONS.get(mode, {}).items()
        if data.draw(st.booleans())
    }

    def padded(xp, a):
        found = xp.pad(a, width, mode, **options)
        return found.shape if mode == "empty" else found

    check(padded, pair[0])


def test_border_may_be_made_by_a_function():
    def ends(vector, width, axis, options):
        vector[: width[0]] = options.get("value", 9)
        vector[vector.size - width[1] :] = axis

    array = usmx.asarray(numbered((2, 3), "i4"))
    check(lambda xp, a: xp.pad(a, 2, ends), array)
    check(lambda xp, a: xp.pad(a, 1, ends, value=4), array)


def test_options_of_another_mode_are_errors():
    for mode, options in (("edge", {"constant_values": 1}), ("nosuch", {}), ("constant", {"x": 1})):
        with pytest.raises(ValueError, match="not supported|unsupported"):
            usmx.pad(usmx.zeros(3), 1, mode, **options)
    with pytest.raises(TypeError, match="pad_width must be integers"):
        usmx.pad(usmx.zeros(3), 1.5)


# ---- strides


@given(
    arrays(("i4", "u2", "c16"), max_ndim=3),
    st.one_of(st.integers(0, 3), st.lists(st.integers(0, 3), max_size=3).map(tuple)),
    st.one_of(st.none(), small, st.lists(small, max_size=3).map(tuple)),
    st.booleans(),
)
def test_windows_are_numpys(pair, window, axis, writeable):
    def windows(xp, a):
        view = xp.lib.stride_tricks.sliding_window_view(a, window, axis, writeable=writeable)
        assert view.flags.writeable == writeable
        return view

    check(windows, pair[0])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-4, 4)), max_size=3), st.integers(0, 11))
def test_strides_that_leave_the_memory_are_refused(axes, first):
    shape, strides = [n for n, _ in axes], [step for _, step in axes]
    reach = [step * (n - 1) for n, step in axes]
    lowest = first + sum(step for step in reach if step < 0)
    highest = first + sum(step for step in reach if step > 0)
    mine = usmx.asarray(np.arange(12, dtype="i4"))[first:]
    if 0 not in shape and not (lowest >= 0 and highest < 12):
        with pytest.raises(ValueError, match="needs bytes"):
            usmx.lib.stride_tricks.as_strided(mine, shape, strides)
        return
    view = usmx.lib.stride_tricks.as_strided(mine, shape, strides)
    theirs = np.arange(12, dtype="i4")[first:]
    expected = np.lib.stride_tricks.as_strided(theirs, shape, [4 * step for step in strides])
    assert same(usmx.asnumpy(view), expected)


def test_view_by_strides_shares_memory_and_rights():
    array = usmx.zeros(4)
    usmx.lib.stride_tricks.as_strided(array, (2,), (2,))[...] = 7
    assert array.tolist() == [7, 0, 7, 0]
    assert not usmx.lib.stride_tricks.as_strided(array, writeable=False).flags.writeable
    assert not usmx.lib.stride_tricks.as_strided(array.readonly()).flags.writeable
    with pytest.raises(ValueError, match="'strides' must have 2 entries"):
        usmx.lib.stride_tricks.as_strided(array, (2, 2))


@given(arrays(("u1", "i4"), max_ndim=3), st.data())
def test_arrays_share_the_memory_that_numpys_share(pair, data):
    keys = st.tuples(*(st.one_of(slices, steps) for _ in pair[0].shape))
    first, second = data.draw(keys), data.draw(keys)
    theirs = with_strides_of(pair[0])
    for name in ("shares_memory", "may_share_memory"):
        mine = getattr(usmx, name)(pair[0][first], pair[0][second])
        assert mine is getattr(np, name)(theirs[(*first, ...)], theirs[(*second, ...)])


def test_array_shares_memory_with_its_host_view_and_not_with_others():
    array = usmx.zeros(4, usm_type="shared")
    view = np.asarray(array)
    assert usmx.shares_memory(array, view[1:])
    assert not usmx.shares_memory(array[:1], view[1:])
    assert not usmx.shares_memory(array, usmx.zeros(4))
    assert not usmx.may_share_memory(array, np.zeros(4))


# ---- nothing


@pytest.mark.parametrize("nothing", [(), []])
@pytest.mark.parametrize("axis", [None, 1])
def test_nothing_is_left_out_of_a_copy(nothing, axis):
    def insert_after_delete(xp, a):
        left = xp.delete(a, nothing, axis)
        a[...] = 0
        return xp.insert(left, nothing, 1, axis)

    check(insert_after_delete, usmx.ones((2, 3)), [])


# ---- lists and numbers as the main argument

OF_LISTS = {
    "append": lambda xp: xp.append([1, 2], [3.5]),
    "append to a number": lambda xp: xp.append(1, 2),
    "append to a number of NumPy's": lambda xp: xp.append(np.int16(1), 2),
    "delete": lambda xp: xp.delete([[1, 2], [3, 4]], [0], axis=1),
    "resize": lambda xp: xp.resize(2, (2, 3)),
    "diag": lambda xp: xp.diag((1, 2), 1),
    "diag of a matrix": lambda xp: xp.diag([[1, 2], [3, 4]]),
    "real": lambda xp: xp.real([1j, 2]),
    "imag": lambda xp: xp.imag(2.0 + 1j),
    "atleast_1d": lambda xp: xp.atleast_1d(3),
    "atleast_3d": lambda xp: xp.atleast_3d([1, 2]),
    "tril": lambda xp: xp.tril([[1, 2], [3, 4]]),
    "triu": lambda xp: xp.triu([1, 2]),
}


@pytest.mark.parametrize("call", OF_LISTS.values(), ids=OF_LISTS)
def test_lists_and_numbers_are_copied_to_the_current_queue(call):
    queue = usmx.SyclQueue()
    with usmx.using_queue(queue):
        found = call(usmx)
    assert found.sycl_queue == queue
    assert same(on_host(found), call(np))


# ---- bytes of elements


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f4", "f8", "c8", "c16", "i4,f4"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_bytes_of_each_element_are_reversed(dtype, step):
    host = np.arange(24).reshape(4, 6).astype(dtype)
    array = usmx.asarray(host)
    swapped = array[:, ::step].byteswap()
    assert usmx.asnumpy(swapped).tobytes() == host[:, ::step].byteswap().tobytes()
    part = array[:, ::step]
    assert part.byteswap(inplace=True) is part
    host[:, ::step].byteswap(inplace=True)
    assert usmx.asnumpy(array).tobytes() == host.tobytes()


def test_bytes_of_a_fortran_contiguous_array_are_reversed_in_its_order():
    assert usmx.zeros((2, 3), order="F").byteswap().flags.f_contiguous
    assert usmx.zeros(()).byteswap().shape == ()
    assert usmx.zeros((0, 3)).byteswap().shape == (0, 3)


def test_array_without_dimensions_is_sorted_by_index_0():
    for axis in (-1, 0, None):
        assert usmx.argsort(usmx.asarray(5), axis).tolist() == [0]
        assert usmx.asarray(5).argsort(axis).tolist() == [0]
        assert usmx.argpartition(usmx.asarray(5), 0, axis).tolist() == [0]
