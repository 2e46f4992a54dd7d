"""copy, astype and their methods; asarray of producers; order of copies: against NumPy."""

import warnings

import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, producer_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

pytestmark = pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")

ORDERS = ["C", "F", "A", "K"]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]


@st.composite
def hosts_and_views(draw, typestrs=TYPESTRS):
    """A NumPy view of any layout, and the same view of a USM array of any kind."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
    dtype = np.dtype(draw(st.sampled_from(typestrs)))
    host = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 100).astype(dtype)
    axes = draw(st.permutations(range(len(shape))))
    host = np.ascontiguousarray(host.transpose(axes))
    array = usmx.asarray(host, usm_type=draw(st.sampled_from(KINDS)))
    index = tuple(
        draw(st.sampled_from([slice(None), slice(None, None, -1), slice(1, None, 2), None]))
        for _ in shape
    )
    axes = draw(st.permutations(range(host[index].ndim)))
    return host[index].transpose(axes), permuted(array[index], axes)


def permuted(array, axes):
    """The view with its dimensions in that order."""
    return usmx.USMArray(
        tuple(array.shape[k] for k in axes),
        array.dtype,
        array,
        tuple(array.strides[k] for k in axes),
        array.offset,
    )


def same(array, expected):
    """Type, shape and values; strides too, where elements are reached by them."""
    found = usmx.asnumpy(array)
    return (
        found.dtype == expected.dtype
        and found.shape == expected.shape
        and found.tobytes() == expected.tobytes()
    )


def same_order(array, expected):
    """Whether USM and NumPy's compact copies have their elements in one order."""
    return same_strides([stride * array.itemsize for stride in array.strides], expected)


def same_strides(strides, expected):
    """In bytes; those that lead from no element to another may be anything."""
    ends = zip(expected.shape, strides, expected.strides, strict=True)
    return expected.size == 0 or all(
        extent == 1 or stride == wanted for extent, stride, wanted in ends
    )


# ---- copies and their order


@given(hosts_and_views(), st.sampled_from(ORDERS))
def test_copy_has_numpys_elements_and_order(pair, order):
    host, view = pair
    expected = host.copy(order=order)
    for copied in (
        usmx.copy(view, order=order),
        view.copy(order),
        view.copy(order=order),
        usmx.asarray(view, copy=True, order=order),
        usmx.astype(view, view.dtype, order=order),
    ):
        assert same(copied, expected)
        assert same_order(copied, expected)
        assert (copied.usm_type, copied.sycl_queue) == (view.usm_type, view.sycl_queue)
        assert copied.base.nbytes == max(1, host.size) * host.itemsize
        assert copied.flags.writable


@given(hosts_and_views(), st.sampled_from(ORDERS))
def test_new_arrays_like_another_have_numpys_order(pair, order):
    host, view = pair
    expected = np.empty_like(host, order=order)
    for made in (
        usmx.empty_like(view, order=order),
        usmx.zeros_like(view, order=order),
        usmx.ones_like(view, order=order),
        usmx.full_like(view, 1, order=order),
    ):
        assert (made.shape, made.dtype, made.usm_type) == (host.shape, host.dtype, view.usm_type)
        assert same_order(made, expected)


@given(hosts_and_views(), st.sampled_from(ORDERS), st.sampled_from(KINDS))
def test_array_of_a_host_array_has_numpys_order(pair, order, kind):
    host, _ = pair
    made = usmx.asarray(host, order=order, usm_type=kind)
    assert same(made, host)
    assert same_order(made, host.copy(order=order))


@given(hosts_and_views())
def test_asnumpy_has_the_order_of_the_view(pair):
    host, view = pair
    found = usmx.asnumpy(view)
    assert found.tobytes() == host.tobytes()
    assert found.flags.owndata
    assert same_strides(found.strides, host.copy(order="K"))


def test_order_of_a_host_array_of_odd_strides_is_kept():
    packed = np.zeros((3, 4), [("a", "i1"), ("b", "f8")])
    packed["b"] = np.arange(12).reshape(3, 4)
    made = usmx.asarray(packed["b"].T)
    assert made.strides == (1, 4)
    assert usmx.asnumpy(made).tolist() == packed["b"].T.tolist()


def test_copy_method_is_in_c_order_as_numpys():
    host = np.ones((2, 3), order="F")
    assert usmx.asarray(host).copy().flags.c_contiguous
    assert usmx.copy(usmx.asarray(host)).flags.fnc


@pytest.mark.parametrize("order", ["Q", "", "CF", "\xe7", 5, b"C"])
def test_order_that_there_is_not_is_a_value_error(order):
    x = usmx.ones((2, 3))
    for call in (
        lambda: x.copy(order),
        lambda: usmx.copy(x, order=order),
        lambda: usmx.asarray(x, order=order),
        lambda: usmx.asarray([1], order=order),
        lambda: usmx.asarray([x[0]], order=order),
        lambda: usmx.astype(x, "f4", order=order),
        lambda: usmx.empty_like(x, order=order),
    ):
        with pytest.raises(ValueError, match="order must be 'C', 'F', 'A' or 'K', found"):
            call()


def test_copies_take_any_producer_and_nothing_else():
    memory = usmx.memory.MemoryUSMShared(96)
    memory.memset(0)
    assert usmx.copy(producer_of(memory)).shape == (3, 4)
    assert usmx.astype(producer_of(memory), "i4").dtype == np.int32
    for function in (usmx.copy, lambda x: usmx.astype(x, "f4"), usmx.empty_like, usmx.zeros_like):
        with pytest.raises(TypeError, match="__sycl_usm_array_interface__ .*found .*ndarray"):
            function(np.ones(3))


def test_copy_of_a_read_only_view_is_writable():
    assert usmx.ones(3).readonly().copy().flags.writable


# ---- element types


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", TYPESTRS)
def test_astype_is_numpys_for_all_pairs(source, kind):
    host = np.array([[0, 1, 2], [3, 5, 100]]).astype(source)
    array = usmx.asarray(host, usm_type=kind)
    for target in TYPESTRS:
        with warnings.catch_warnings(action="ignore"):  # of complex numbers, the imaginary part
            expected = host.astype(target)
        for converted in (
            usmx.astype(array, target),
            array.astype(target),
            usmx.asarray(array, target),
            usmx.asarray(array, dtype=np.dtype(target)),
            usmx.asarray(host, target),
        ):
            assert same(converted, expected)
        assert array.astype(target).usm_type == kind


@given(hosts_and_views(["<i4", "<f8", "<f4", "|b1"]), st.sampled_from(["<f4", "<i8", "<c16"]))
def test_astype_of_any_view_keeps_values_and_order(pair, target):
    host, view = pair
    expected = host.astype(target)
    for converted in (view.astype(target), usmx.asarray(view, target, copy=True)):
        assert same(converted, expected)
        assert same_order(converted, expected)


def test_astype_without_need_copies_unless_told_not_to():
    x = usmx.ones((2, 3))
    assert x.astype("f8").base is not x.base
    assert x.astype("f8", copy=True)._pointer != x._pointer
    for order in ("C", "A", "K"):
        assert x.astype("f8", copy=False, order=order) is x
    assert x.astype("f8", copy=False, order="F") is not x
    assert x.astype("f4", copy=False).dtype == np.float32
    other = usmx.SyclQueue()
    assert x.astype("f8", copy=False, device=other).sycl_queue == other


def test_method_is_called_as_numpys():
    host = np.ones((2, 3), order="F")
    x = usmx.asarray(host)
    for arguments, keywords in (
        (("f4",), {}),
        (("f4", "C"), {}),
        (("f4", "C", "same_kind"), {}),
        ((), {"dtype": "f4", "order": "A", "casting": "unsafe", "copy": False}),
    ):
        ours, numpys = x.astype(*arguments, **keywords), host.astype(*arguments, **keywords)
        assert same(ours, numpys)
        assert same_order(ours, numpys)
    with pytest.raises(TypeError):
        x.astype()


@pytest.mark.parametrize("casting", CASTINGS)
def test_casting_allows_what_numpy_allows(casting):
    for source in ("i4", "f4", "f8", "c8", "?"):
        x = usmx.ones(2, source)
        for target in ("i4", "i8", "f4", "f8", "c16"):
            if np.can_cast(source, target, casting):
                assert x.astype(target, casting=casting).dtype == np.dtype(target)
                assert x.astype(target, "K", casting).dtype == np.dtype(target)
            else:
                with pytest.raises(TypeError, match=f"{np.dtype(target)}.*casting='{casting}'"):
                    usmx.astype(x, target, casting=casting)


@pytest.mark.parametrize("casting", ["foo", None, 5])
def test_casting_rule_that_there_is_not_is_a_value_error(casting):
    with pytest.raises(ValueError, match="casting must be one of"):
        usmx.astype(usmx.ones(3), "f4", casting=casting)


def test_types_with_fields_are_not_converted():
    fields = np.dtype([("a", "<i8"), ("b", "<f8")])
    structured = usmx.zeros(3, fields)
    for call in (
        lambda: structured.astype("f8"),
        lambda: usmx.ones(3).astype(fields),
        lambda: usmx.asarray(structured, "f8"),
        lambda: usmx.asarray(np.zeros(3, fields), "f8"),
    ):
        with pytest.raises(TypeError, match="structured elements are not converted"):
            call()
    assert structured.astype(fields).dtype == fields


@pytest.mark.parametrize(
    "dtype",
    [
        [("x", "f4"), ("y", "i4")],
        [("a", "f8"), ("b", "i8")],
        [("a", "<i8"), ("b", "<f8")],
        [("a", "u2"), ("b", "f2")],
    ],
)
def test_fields_are_converted_one_by_one(dtype):
    host = np.array([(1, 2.5), (3, 4.5)], [("a", "<i8"), ("b", "<f8")])
    found = usmx.asarray(host).astype(dtype)
    assert found.dtype == dtype
    assert usmx.asnumpy(found).tolist() == host.astype(dtype).tolist()


def test_fields_of_fields_are_converted_one_by_one():
    inner = [("p", "i4"), ("q", "f4")]
    host = np.array([(1, (2, 3.5)), (4, (5, 6.5))], [("a", "f4"), ("b", inner)])
    dtype = [("a", "i4"), ("b", [("r", "f4"), ("s", "f4")])]
    assert usmx.asarray(host).astype(dtype).tolist() == host.astype(dtype).tolist()


def test_number_becomes_each_element_of_an_array_in_an_element():
    host = np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f4")])
    dtype = [("a", "i4"), ("b", "f4", (2,))]  # as many as there are elements
    found = usmx.asnumpy(usmx.asarray(host).astype(dtype))
    np.testing.assert_array_equal(found["b"], host.astype(dtype)["b"])
    for other in (host.dtype, [("a", "i4"), ("b", "f4", (3,))], [("a", "i4"), ("b", "f4", (2, 1))]):
        with pytest.raises(TypeError, match="structured elements are not converted"):
            usmx.asarray(found).astype(other)


# ---- places


@settings(max_examples=50)
@given(hosts_and_views(), st.sampled_from(KINDS), st.booleans())
def test_asarray_moves_any_view_to_any_place(pair, kind, elsewhere):
    host, view = pair
    queue = usmx.SyclQueue() if elsewhere else view.sycl_queue
    moved = usmx.asarray(view, usm_type=kind, sycl_queue=queue)
    assert (moved.usm_type, moved.sycl_queue) == (kind, queue)
    assert same(moved, host)
    if kind == view.usm_type and not elsewhere:
        assert moved is view


def test_conversions_run_between_dpnp_and_usmx():
    theirs = dpnp.tensor.asarray(np.arange(12.0).reshape(3, 4))[1:, ::2]
    converted = usmx.asarray(theirs, "i4", usm_type="host")
    assert usmx.asnumpy(converted).tolist() == [[4, 6], [8, 10]]
    assert converted.sycl_queue == theirs.sycl_queue
    assert usmx.astype(theirs, "c8").dtype == np.complex64


@pytest.mark.parametrize("copy", ["no", "never", ""])
def test_a_word_is_no_copy_argument(copy):
    with pytest.raises(TypeError, match="copy must be True or False, found"):
        usmx.ones(3).astype("f4", copy=copy)
