"""Elements as Python's numbers: int, float, complex, bool, operator.index, item, tolist."""

import itertools
import math
import operator

import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

CONVERSIONS = (bool, int, float, complex)
INTEGERS = [typestr for typestr in TYPESTRS if typestr[1] in "iu"]
STRUCTURED = np.dtype([("a", "<i4"), ("b", "<f8", (2,))], align=True)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def extremes(typestr):
    dtype = np.dtype(typestr)
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [0, 1, int(info.min), int(info.max)]
    info = np.finfo(dtype)
    parts = [0.0, -0.0, 1.5, float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    return parts if dtype.kind == "f" else [complex(a, -b) for a, b in itertools.pairwise(parts)]


def elements(typestrs=TYPESTRS):
    return st.sampled_from(typestrs).flatmap(lambda t: hnp.from_dtype(np.dtype(t)))


def arrays(**shape):
    return hnp.arrays(
        st.sampled_from([np.dtype(t) for t in TYPESTRS]),
        hnp.array_shapes(**({"min_dims": 0, "max_dims": 4, "min_side": 0, "max_side": 4} | shape)),
    )


def outcome(function, *arguments):
    """What it returns, with its type; or the class of its error."""
    try:
        result = function(*arguments)
    except Exception as error:
        return type(error)
    return type(result), repr(result)  # so that NaN equals itself, and -0.0 differs from 0.0


# ---- int, float, complex, bool


@given(elements(), st.sampled_from(KINDS))
def test_0d_array_converts_as_numpys_does(element, kind):
    host = np.array(element)
    array = usmx.asarray(host, usm_type=kind)
    for conversion in CONVERSIONS:
        if host.dtype.kind == "c" and conversion in (int, float):
            continue  # NumPy drops the imaginary part with a warning
        assert outcome(conversion, array) == outcome(conversion, host)


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_extreme_elements_convert_exactly(kind, typestr):
    for value in extremes(typestr):
        array = usmx.asarray(np.array(value, typestr), usm_type=kind)
        assert outcome(array.item) == outcome(np.array(value, typestr).item)
        assert complex(array) == complex(value)
        assert bool(array) is bool(value)


@pytest.mark.parametrize("key", [(1, 2), (-1, -1), (0, 0)])
def test_element_of_a_view_converts(kind, key):
    host = np.arange(24.0).reshape(4, 6)[::-2, 1::2]
    array = usmx.asarray(np.arange(24.0).reshape(4, 6), usm_type=kind)[::-2, 1::2]
    assert float(array[key]) == host[key]
    assert int(array[key]) == int(host[key])


def test_read_only_array_converts(kind):
    assert float(usmx.asarray(2.5, usm_type=kind).readonly()) == 2.5


@pytest.mark.parametrize("conversion", [int, float])
@pytest.mark.parametrize("typestr", ["<c8", "<c16"])
def test_complex_element_is_no_real_number(kind, conversion, typestr):
    array = usmx.asarray(np.array(1 + 2j, typestr), usm_type=kind)
    with pytest.raises(TypeError, match="complex"):
        conversion(array)
    assert complex(array) == 1 + 2j


@pytest.mark.parametrize(
    ("value", "error"), [(math.nan, ValueError), (math.inf, OverflowError)], ids=["nan", "inf"]
)
def test_int_of_no_finite_number_is_pythons_error(value, error):
    with pytest.raises(error):
        int(usmx.asarray(value))
    assert bool(usmx.asarray(value))


@pytest.mark.parametrize("conversion", CONVERSIONS)
@pytest.mark.parametrize("shape", [(1,), (1, 1), (1,) * 7], ids=str)
def test_one_element_with_an_axis_is_no_scalar(conversion, shape):
    with pytest.raises(TypeError, match=r"only 0-dimensional arrays.*found shape \(1,.*item") as e:
        conversion(usmx.zeros(shape))
    assert str(shape) in str(e.value)


@pytest.mark.parametrize("conversion", CONVERSIONS)
@pytest.mark.parametrize("shape", [(2,), (0,), (3, 0), (1, 2, 3)], ids=str)
def test_several_or_no_elements_are_a_value_error_that_names_the_shape(conversion, shape):
    with pytest.raises(ValueError, match="array") as error:
        conversion(usmx.zeros(shape))
    assert f"found shape {shape}" in str(error.value)


def test_truth_of_several_and_of_no_elements_is_ambiguous():
    with pytest.raises(ValueError, match="more than one element is ambiguous"):
        bool(usmx.zeros(2))
    with pytest.raises(ValueError, match=r"empty array is ambiguous.*a\.size"):
        bool(usmx.zeros(0))


@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_structured_element_is_no_number(conversion):
    with pytest.raises(TypeError, match="structured"):
        conversion(usmx.zeros((), STRUCTURED))


def test_conversion_reads_what_numpy_wrote():
    array = usmx.zeros((), usm_type="shared")
    host = np.asarray(array)
    for value in (1.0, -2.0):
        host[...] = value
        assert float(array) == value


# ---- operator.index


@pytest.mark.parametrize("typestr", INTEGERS)
def test_integer_array_is_an_index(kind, typestr):
    for value in extremes(typestr):
        index = operator.index(usmx.asarray(np.array(value, typestr), usm_type=kind))
        assert (type(index), index) == (int, value)
    assert "abc"[usmx.asarray(np.array(1, typestr), usm_type=kind)] == "b"
    assert np.arange(5)[usmx.asarray(np.array(3, typestr), usm_type=kind).item()] == 3


@pytest.mark.parametrize("typestr", [t for t in TYPESTRS if t not in INTEGERS])
@pytest.mark.parametrize("shape", [(), (1,)], ids=str)
def test_other_types_are_no_index(typestr, shape):
    with pytest.raises(TypeError, match="only 0-dimensional integer arrays .* and dtype"):
        operator.index(usmx.zeros(shape, typestr))


def test_index_needs_a_0d_array():
    for shape in (1, 2, (0, 3)):
        with pytest.raises(TypeError, match="only 0-dimensional integer arrays are an index"):
            operator.index(usmx.zeros(shape, "i4"))


@pytest.mark.parametrize("typestr", ["u1", "i4", "f8"])
def test_bytes_are_those_of_the_elements_and_no_count(typestr):
    host = np.arange(3).astype(typestr)
    array = usmx.asarray(host, usm_type="shared")
    assert bytes(array) == bytearray(array) == host.tobytes()
    assert bytes(usmx.asarray(host, usm_type="device")[::-1]) == host[::-1].tobytes()


def test_integer_array_counts_as_a_shape():
    assert usmx.empty(usmx.asarray(3)).shape == (3,)
    assert usmx.empty((usmx.asarray(3), 2)).shape == (3, 2)


# ---- item


@given(arrays(min_side=1), st.sampled_from(KINDS), st.data())
def test_item_is_numpys(host, kind, data):
    array = usmx.asarray(host, usm_type=kind)
    flat = data.draw(st.integers(-host.size, host.size - 1))
    assert outcome(array.item, flat) == outcome(host.item, flat)
    index = tuple(data.draw(st.integers(-side, side - 1)) for side in host.shape)
    assert outcome(array.item, index) == outcome(host.item, index)
    if len(index) != 1:
        assert outcome(array.item, *index) == outcome(host.item, *index)
    if host.size == 1:
        assert outcome(array.item) == outcome(host.item)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)], ids=str)
def test_item_of_one_element_needs_no_index(kind, shape):
    array = usmx.asarray(np.full(shape, 5, "i2"), usm_type=kind)
    assert array.item() == array.item(0) == array.item(-1) == 5


@pytest.mark.parametrize("shape", [(0,), (2,), (2, 3)], ids=str)
def test_item_without_index_needs_size_1(shape):
    with pytest.raises(ValueError, match="size 1, found shape") as error:
        usmx.zeros(shape).item()
    assert str(shape) in str(error.value)


@pytest.mark.parametrize("index", [6, -7])
def test_flat_item_outside_is_an_index_error(index):
    with pytest.raises(IndexError, match=f"index {index} is out of bounds for .* size 6"):
        usmx.zeros((2, 3)).item(index)


def test_item_of_no_elements_is_an_index_error():
    with pytest.raises(IndexError, match="index 0 is out of bounds for an array of size 0"):
        usmx.zeros(0).item(0)


def test_item_outside_of_an_axis_names_index_axis_and_size():
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 1 with size 3"):
        usmx.zeros((2, 3)).item(1, 3)


@pytest.mark.parametrize("indices", [((),), ((1,),), (1, 1, 1), ((0, 0, 0),)], ids=str)
def test_item_with_too_few_or_many_indices_is_a_value_error(indices):
    with pytest.raises(ValueError, match="2 axes"):
        usmx.zeros((2, 3)).item(*indices)


@pytest.mark.parametrize("index", ["a", 1.5, None, slice(None), (0, "a")], ids=str)
def test_item_with_no_integer_is_a_type_error(index):
    with pytest.raises(TypeError, match="index"):
        usmx.zeros((2, 3)).item(index)


def test_item_of_structured_elements_is_numpys(kind):
    host = np.zeros(3, STRUCTURED)
    host["a"], host["b"] = [1, 2, 3], 4.5
    array = usmx.asarray(host, usm_type=kind)
    assert array.item(1)[0] == host.item(1)[0] == 2
    assert np.array_equal(array.item(1)[1], host.item(1)[1])


# ---- tolist


@given(arrays(), st.sampled_from(KINDS))
def test_tolist_is_numpys(host, kind):
    assert outcome(usmx.asarray(host, usm_type=kind).tolist) == outcome(host.tolist)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1, 1:],
        lambda a: a.T,
        lambda a: a[..., ::-2],
        lambda a: a[1, 2],
        lambda a: a[:0],
        lambda a: a[None, :, None],
    ],
)
def test_tolist_of_a_view_is_numpys(kind, view):
    host = np.arange(12, dtype="u2").reshape(3, 4)
    assert view(usmx.asarray(host, usm_type=kind)).tolist() == view(host).tolist()


def test_tolist_of_repeated_elements_is_numpys(kind):
    memory = usmx.asarray([1.5, 2.5], usm_type=kind)
    assert usmx.USMArray((2, 3), "f8", memory, strides=(1, 0)).tolist() == [[1.5] * 3, [2.5] * 3]


def test_tolist_has_32_dimensions(kind):
    host = np.arange(4.0).reshape((2, 2) + (1,) * 30)
    assert usmx.asarray(host, usm_type=kind).tolist() == host.tolist()


def test_tolist_of_structured_elements_is_numpys(kind):
    host = np.array([(1, 2.5), (3, -4.5)], [("a", "<i8"), ("b", "<f8")])
    assert usmx.asarray(host, usm_type=kind).tolist() == host.tolist() == [(1, 2.5), (3, -4.5)]


@pytest.mark.parametrize("function", [float, lambda a: a.item(), lambda a: a.tolist(), repr])
def test_reading_waits_for_work_on_the_arrays_queue(function):
    import dpnp

    array = usmx.zeros((), usm_type="shared")
    there = dpnp.tensor.asarray(array)
    for value in range(1, 20):
        work = dpnp.tensor.ones(1 << 18, sycl_queue=there.sycl_queue)
        there[...] = dpnp.tensor.sum(work) * value / (1 << 18)
        assert "".join(c for c in repr(function(array)) if c.isdigit()).startswith(str(value))
