"""Element types: constants, can_cast, result_type, finfo, iinfo, isdtype, and what names a type."""

import itertools
import re
import subprocess
import sys

import dpnp.tensor
import ml_dtypes
import numpy as np
import pytest
import usmx
from helpers import TYPESTRS
from hypothesis import given
from hypothesis import strategies as st
from usmx._container.types import _can_cast_on

TYPES = [np.dtype(typestr) for typestr in TYPESTRS]
NAMES = [dtype.name for dtype in TYPES]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
KINDS = [
    "bool",
    "signed integer",
    "unsigned integer",
    "integral",
    "real floating",
    "complex floating",
    "numeric",
]

# ---- constants


@pytest.mark.parametrize("name", NAMES)
def test_types_are_numpys_under_their_names(name):
    assert getattr(usmx, name) == np.dtype(name)
    assert getattr(usmx, name) is getattr(np, name)
    assert name in dir(usmx)
    assert usmx.empty(2, getattr(usmx, name)).dtype == np.dtype(name)


def test_numbers_and_newaxis_are_those_of_the_array_api():
    assert (usmx.e, usmx.pi, usmx.inf) == (np.e, np.pi, np.inf)
    assert np.isnan(usmx.nan)
    assert usmx.newaxis is None
    assert usmx.dtype is np.dtype


def test_name_that_there_is_not_is_an_attribute_error():
    for name in ("float128", "byteswap", "int", "str"):
        with pytest.raises(AttributeError, match=f"usmx.*{name}"):
            getattr(usmx, name)


def test_only_the_use_of_a_type_imports_numpy():
    code = (
        "import sys, usmx; print('numpy' in sys.modules); usmx.pi; print('numpy' in sys.modules);"
        "usmx.float32; print('numpy' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=240
    )
    assert result.stdout.split() == ["False", "False", "True"]


# ---- what names a type

SPELLINGS = {
    "bool": [bool, "?", "bool", "b1", "|b1", np.bool_, np.dtype("?")],
    "int8": ["b", "i1", "|i1", "<i1", np.int8, "byte"],
    "int32": ["i", "<i4", "=i4", "|i4", np.intc, "intc", np.dtype("i4")],
    "int64": [int, "int", "l", "q", "i8", np.int64, np.longlong, "long", "longlong", "intp"],
    "uint8": ["B", "u1", "ubyte", np.ubyte],
    "uint64": ["L", "Q", "uint", "uintp", np.uint, "ulonglong"],
    "float16": ["e", "f2", "half", np.half],
    "float32": ["f", "f4", "single", np.single],
    "float64": [float, "float", "d", "<f8", "|f8", "=f8", "double", np.double, np.dtype("f8")],
    "complex64": ["F", "c8", "csingle", np.complex64],
    "complex128": [complex, "complex", "D", "c16", "cdouble", np.complex128],
}


@pytest.mark.parametrize(
    ("name", "spelling"), [(n, s) for n, spellings in SPELLINGS.items() for s in spellings]
)
def test_every_spelling_of_numpy_names_a_type(name, spelling):
    assert usmx.empty(2, spelling).dtype == np.dtype(name)
    assert usmx.USMArray(2, spelling).dtype == np.dtype(name)


@pytest.mark.parametrize(
    "text", [">f8", ">i2", ">c16", "S3", "U", "O", "f16", "g", "G", "M8[D]", "V4"]
)
def test_types_that_usmx_has_not_are_value_errors(text):
    with pytest.raises(ValueError, match="found"):
        usmx.empty(2, text)


@pytest.mark.parametrize("text", ["", "foo", "float128x", "?x"])
def test_text_that_names_no_type_is_a_value_error_that_shows_it(text):
    with pytest.raises(ValueError, match="found '" + re.escape(text)):
        usmx.empty(2, text)


@pytest.mark.parametrize("given", [5, 1.5, object(), np.zeros(2), lambda: 1])
def test_objects_that_name_no_type_are_type_errors(given):
    with pytest.raises(TypeError):
        usmx.empty(2, given)


# ---- can_cast


@pytest.mark.parametrize("casting", CASTINGS)
def test_can_cast_is_numpys_for_all_pairs(casting):
    for source, target in itertools.product(TYPES, repeat=2):
        expected = np.can_cast(source, target, casting)
        assert usmx.can_cast(source, target, casting=casting) is expected
        assert usmx.can_cast(source.name, target.str, casting=casting) is expected


def test_can_cast_takes_the_type_of_an_array():
    for source, target in itertools.product(TYPES, repeat=2):
        theirs = dpnp.tensor.can_cast(dpnp.tensor.empty(1, dtype=source), target)
        assert usmx.can_cast(usmx.empty(1, source), target) is theirs


def test_without_fp64_single_precision_takes_all_integers():
    def safe(source, target):
        return _can_cast_on(np.dtype(source), np.dtype(target), "safe", True, False)

    assert all(safe(source, target) for source in ("i8", "u8", "?") for target in ("f4", "c8"))
    assert not any(safe("f4", target) for target in ("f8", "c16"))
    assert not safe("i8", "f2")
    assert not safe("c8", "f4")
    assert not safe("i8", "i4")
    assert not _can_cast_on(np.dtype("i8"), np.dtype("f4"), "no", True, False)
    assert not _can_cast_on(np.dtype("i1"), np.dtype("f2"), "safe", False, True)
    assert not _can_cast_on(np.dtype("i8"), np.dtype("f4"), "safe", False, True)


def test_casting_rule_that_there_is_not_is_a_value_error():
    with pytest.raises(ValueError, match="'foo'"):
        usmx.can_cast("f4", "f8", casting="foo")


@pytest.mark.parametrize("given", [None, 1, 1.5, [1, 2]])
def test_can_cast_of_what_is_no_type_is_a_type_error(given):
    with pytest.raises(TypeError):
        usmx.can_cast(given, "f4")
    with pytest.raises(TypeError):
        usmx.can_cast("f4", given)


def test_can_cast_to_an_array_or_a_structure_is_refused():
    with pytest.raises(TypeError, match="USMArray"):
        usmx.can_cast("f4", usmx.empty(2))
    with pytest.raises(ValueError, match="fields"):
        usmx.can_cast("f4", [("a", "f4")])


# ---- result_type

operands = st.one_of(
    st.sampled_from(TYPES),
    st.sampled_from(NAMES),
    st.sampled_from([True, 3, -1, 2**62, 2.5, 1j]),
    st.sampled_from(TYPES).map(lambda dtype: dtype.type(1)),
    st.sampled_from(TYPES).map(lambda dtype: usmx.empty((2, 0), dtype)),
    st.sampled_from(TYPES).map(lambda dtype: np.empty(3, dtype)),
)


def for_numpy(operand):
    """NumPy takes a string for a type, too, but not an array of usmx."""
    return operand.dtype if isinstance(operand, usmx.USMArray) else operand


@given(st.lists(operands, min_size=1, max_size=5))
def test_result_type_is_numpys(arguments):
    expected = np.result_type(*map(for_numpy, arguments))
    assert usmx.result_type(*arguments) == expected


def test_result_type_is_dpnps_for_pairs_and_weak_scalars():
    scalars = [True, 3, 2.5, 1j]
    for first, second in itertools.product(TYPES, [*TYPES, *scalars]):
        assert usmx.result_type(first, second) == dpnp.tensor.result_type(first, second)
        assert usmx.result_type(second, first) == dpnp.tensor.result_type(second, first)


def test_result_type_needs_an_argument_that_has_one():
    with pytest.raises(ValueError, match="at least one"):
        usmx.result_type()
    for argument in (None, [1, 2], object(), min):
        with pytest.raises(TypeError):
            usmx.result_type("f4", argument)
    for argument in ("S3", ">f8", "O"):
        with pytest.raises(ValueError, match="found"):
            usmx.result_type(argument)


def test_devices_without_a_type_have_single_precision_in_its_place():
    nearest = usmx._core._nearest_supported
    for dtype in TYPES:
        assert nearest(dtype, True, True) == dtype
        without = {"float64": "float32", "complex128": "complex64"}.get(dtype.name, dtype.name)
        assert nearest(dtype, True, False) == np.dtype(without)
        without = {"float16": "float32"}.get(dtype.name, dtype.name)
        assert nearest(dtype, False, True) == np.dtype(without)


# ---- finfo, iinfo


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64", "complex128"])
def test_finfo_is_numpys_in_python_numbers(name):
    expected = np.finfo(name)
    for argument in (name, np.dtype(name), usmx.empty(2, name), np.dtype(name).type(1)):
        found = usmx.finfo(argument)
        for attribute in ("eps", "epsneg", "max", "min", "smallest_normal", "tiny", "resolution"):
            assert type(getattr(found, attribute)) is float
            assert getattr(found, attribute) == getattr(expected, attribute)
        assert (found.bits, found.precision) == (expected.bits, expected.precision)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("name", [name for name in NAMES if "int" in name])
def test_iinfo_is_numpys(name):
    expected = np.iinfo(name)
    for argument in (name, np.dtype(name), usmx.empty(2, name)):
        found = usmx.iinfo(argument)
        assert (found.bits, found.min, found.max) == (expected.bits, expected.min, expected.max)
        assert type(found.max) is int
        assert found.dtype == np.dtype(name)


def test_limits_of_another_kind_are_a_value_error_that_names_the_type():
    for name in NAMES:
        if np.dtype(name).kind not in "fc":
            with pytest.raises(ValueError, match=f"floating-point type, found {name}"):
                usmx.finfo(name)
        if np.dtype(name).kind not in "iu":
            with pytest.raises(ValueError, match=f"integer type, found {name}"):
                usmx.iinfo(usmx.empty(1, name))
    for argument in (None, 5, 1.5):
        with pytest.raises(TypeError):
            usmx.finfo(argument)


# ---- isdtype


@pytest.mark.parametrize("kind", KINDS)
def test_isdtype_is_numpys(kind):
    for dtype in TYPES:
        expected = np.isdtype(dtype, kind)
        assert usmx.isdtype(dtype, kind) is bool(expected)
        assert usmx.isdtype(dtype.type, kind) is bool(expected)
        assert usmx.isdtype(dtype, (kind, "bool")) is bool(np.isdtype(dtype, (kind, "bool")))


def test_isdtype_of_a_type_is_equality():
    for first, second in itertools.product(TYPES, repeat=2):
        assert usmx.isdtype(first, second) is (first == second)
        assert usmx.isdtype(first, (second, np.dtype("f4"))) is (first in (second, np.dtype("f4")))
    assert not usmx.isdtype(usmx.int8, ())


@pytest.mark.parametrize(
    ("dtype", "kind", "error"),
    [
        ("i1", "integral", TypeError),
        (5, "integral", TypeError),
        (int, "integral", TypeError),
        (np.dtype("i1"), "foo", ValueError),
        (np.dtype("i1"), 5, TypeError),
        (np.dtype("i1"), None, TypeError),
        (np.dtype("i1"), ["bool"], TypeError),
        (np.dtype("i1"), ("foo",), ValueError),
    ],
)
def test_isdtype_of_anything_else_is_an_error(dtype, kind, error):
    with pytest.raises(error):
        usmx.isdtype(dtype, kind)


def test_a_number_names_its_own_type_whatever_equal_number_came_before():
    for cls in (np.uint8, np.float32, np.int16, np.bool_):
        assert usmx.zeros(2, cls(0)).dtype == usmx.result_type(cls(0), cls) == cls
    assert usmx.can_cast(np.int8(0), "i8")
    assert not usmx.can_cast(np.uint64(0), "i8")


# ---- types that another library has registered with NumPy

OTHERS = [
    name
    for name, found in sorted(vars(ml_dtypes).items())
    if isinstance(found, type) and issubclass(found, np.generic)
]


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_types_of_others_are_refused_alike(name):
    """float8_e5m2 is of kind 'f', and float8_e4m3b11fnuz has a letter of NumPy's."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    host, array = np.ones(3, dtype), usmx.zeros(3, "f4")
    refused = f"elements must be bool, .* found {name}"
    for call in (
        lambda: usmx.asarray(host),
        lambda: usmx.asarray(host[::2]),
        lambda: usmx.full(3, host[0]),
        lambda: usmx.add(array, host),
        lambda: usmx.copyto(array, host),
        lambda: usmx.frombuffer(b"abcd", dtype=dtype),
    ):
        with pytest.raises(TypeError, match=refused):
            call()
    for call in (usmx.finfo, array.astype, array.view, lambda dtype: usmx.empty(3, dtype)):
        with pytest.raises(ValueError, match=rf"'dtype' must be bool, .* found dtype\({name}\)"):
            call(dtype)
    with pytest.raises(TypeError, match=f"equal: x2 is of type {name}, which usmx lacks"):
        usmx.equal(array, host[0])
    with pytest.raises(TypeError, match="add: x2 must be a USMArray, a number or a list"):
        usmx.add(array, [host[0]] * 3)
    kinds = ("bool", "integral", "real floating", "complex floating", "numeric")
    assert not any(usmx.isdtype(dtype, kind) for kind in kinds)
    for index in (slice(None), [0, 1, 2]):
        array[index] = host  # NumPy converts it
        assert array.tolist() == host.astype("f4").tolist()
    assert usmx.asarray(host, dtype="f4").tolist() == host.astype("f4").tolist()
