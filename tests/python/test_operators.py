"""What arrays refuse: mathematics, comparisons, hashing, NumPy's functions on device memory."""

import collections.abc
import operator

import dpnp
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.matmul,
    operator.lshift,
    operator.rshift,
    operator.and_,
    operator.or_,
    operator.xor,
    divmod,
]
IN_PLACE = [
    getattr(operator, name)
    for name in [
        "iadd",
        "isub",
        "imul",
        "itruediv",
        "ifloordiv",
        "imod",
        "ipow",
        "imatmul",
        "ilshift",
        "irshift",
        "iand",
        "ior",
        "ixor",
    ]
]
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def new_array(kind="shared"):
    return usmx.zeros((2, 2), "i4", usm_type=kind)


OTHERS = {
    "int": lambda: 1,
    "float": lambda: 1.5,
    "complex": lambda: 1j,
    "None": lambda: None,
    "tuple": lambda: (1, 2),
    "list": lambda: [[1, 2], [3, 4]],
    "NumPy scalar": lambda: np.float32(1),
    "NumPy array": lambda: np.ones((2, 2), "i4"),
    "NumPy 0-d array": lambda: np.array(1),
    "NumPy array of objects": lambda: np.ones((2, 2), object),
    "USMArray": new_array,
    "device USMArray": lambda: new_array("device"),
    "memory": lambda: usmx.memory.MemoryUSMShared(16),
}


@pytest.fixture(params=KINDS)
def array(request):
    return new_array(request.param)


@pytest.fixture(params=OTHERS.values(), ids=OTHERS)
def other(request):
    return request.param()


def says_what_to_use(error):
    return "usmx.to_dpnp(a)" in str(error.value) and "usmx.asnumpy" in str(error.value)


def refuses(function, *arguments):
    with pytest.raises(TypeError) as error:
        function(*arguments)
    assert says_what_to_use(error)


# ---- operators


@pytest.mark.parametrize("function", BINARY)
def test_binary_operator_is_refused_in_both_directions(array, other, function):
    refuses(function, array, other)
    refuses(function, other, array)


@pytest.mark.parametrize("function", IN_PLACE)
def test_in_place_operator_is_refused_in_both_directions(array, other, function):
    refuses(function, array, other)
    with pytest.raises(TypeError):  # in the words of NumPy's ufuncs and of list, where these answer
        function(other, array)
    assert not usmx.asnumpy(array).any()


@pytest.mark.parametrize("function", COMPARISONS)
def test_comparison_is_refused_in_both_directions(array, other, function):
    refuses(function, array, other)
    refuses(function, other, array)


@pytest.mark.parametrize("function", UNARY)
def test_unary_operator_is_refused(array, function):
    refuses(function, array)


@pytest.mark.parametrize("function", [*BINARY, *COMPARISONS])
def test_dpnp_array_on_the_right_does_not_compute_either(array, function):
    refuses(function, array, dpnp.ones((2, 2), dtype="i4"))
    refuses(function, array, dpnp.tensor.ones((2, 2), dtype="i4"))


@pytest.mark.parametrize("function", [operator.add, operator.matmul, operator.lt])
def test_dpnp_array_on_the_left_refuses_with_a_type_error_of_its_own(array, function):
    with pytest.raises(TypeError):
        function(dpnp.ones((2, 2), dtype="i4"), array)


def test_power_with_a_modulus_is_refused(array):
    refuses(pow, array, 2, 3)
    refuses(pow, 2, array, 3)


def test_array_equals_not_even_itself(array):
    refuses(operator.eq, array, array)
    with pytest.raises(TypeError, match="a is b"):
        array != array  # noqa: B015


def test_comparison_of_identities_stays(array):
    assert array in [1.5, array][1:]
    assert any(candidate is array for candidate in [1, array])


def test_containment_is_refused(array, other):
    refuses(operator.contains, array, other)


@pytest.mark.parametrize("shape", [(), 0, (3, 0)])
def test_containment_is_refused_by_arrays_of_every_shape(shape):
    refuses(operator.contains, usmx.zeros(shape), 1)


def test_subclass_can_have_operators_of_its_own():
    class Adding(usmx.USMArray):
        def __add__(self, other):
            return "added"

        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    array = Adding(3)
    assert (array + 1, array == 1, array in {array}) == ("added", True, True)


# ---- hashing


def test_array_cannot_be_hashed(array):
    assert not isinstance(array, collections.abc.Hashable)
    with pytest.raises(TypeError, match="unhashable"):
        hash(array)
    with pytest.raises(TypeError, match="unhashable"):
        {array}  # noqa: B018


@pytest.mark.parametrize("cls", MEMORY_CLASSES.values())
def test_memory_compares_and_hashes_by_identity(cls):
    memory, other = cls(8), cls(8)
    assert memory == memory
    assert memory != other
    assert {memory: 1, other: 2}[memory] == 1


# ---- NumPy's functions


@pytest.mark.parametrize(
    "function",
    [np.add, np.matmul, np.equal, np.maximum, np.multiply.outer, np.add.reduce],
)
@pytest.mark.parametrize("kind", KINDS)
def test_ufunc_is_a_type_error(function, kind):
    array = new_array(kind)
    arguments = (array,) if function is np.add.reduce else (array, 1)
    name = f"numpy.{'multiply.outer' if function == np.multiply.outer else ''}"
    with pytest.raises(TypeError, match=f"^{name}.*: USMArray does no mathematics: ") as error:
        function(*arguments)
    assert says_what_to_use(error)
    assert ("np.asarray(a)" in str(error.value)) == (kind != "device")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("out", ["out", "where"])
def test_ufunc_with_an_array_as_option_is_a_type_error(kind, out):
    with pytest.raises(TypeError):
        np.add(np.ones((2, 2)), 1, **{out: new_array(kind)})


FUNCTIONS = {
    "sum": np.sum,
    "mean": np.mean,
    "sort": np.sort,
    "block": lambda array: np.block([[array, array], [array, array]]),
    "clip": lambda array: np.clip(array, 1, 2),
    "copyto": lambda array: np.copyto(np.ones((2, 2), "i4"), array),
    "linalg.norm": np.linalg.norm,
    "array_equal": lambda array: np.array_equal(array, array),
    "array_equal of host and device": lambda array: np.array_equal(new_array(), array),
    "allclose": lambda array: np.allclose(np.ones(2), b=array),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_function_of_numpy_refuses_device_memory(function):
    with pytest.raises(TypeError, match=r"device memory.*usmx\.to_dpnp.*usmx\.asnumpy"):
        function(new_array("device"))


def test_conversion_of_device_memory_is_refused():
    for convert in (np.asarray, np.array, np.ascontiguousarray):
        with pytest.raises(TypeError, match=r"usmx\.asnumpy"):
            convert(new_array("device"))


@pytest.mark.parametrize("options", [{"dtype": "f4"}, {"copy": False}, {"copy": True}], ids=str)
def test_conversion_of_device_memory_is_refused_whatever_is_asked(options):
    with pytest.raises(TypeError, match=r"usmx\.asnumpy"):
        np.asarray(new_array("device"), **options)


@pytest.mark.parametrize("kind", ["shared", "host"])
def test_conversion_of_host_accessible_memory_does_as_it_is_asked(kind):
    array = usmx.asarray([1, 2, 3], usm_type=kind)
    for options in ({}, {"copy": False}, {"dtype": "i8"}, {"dtype": "i8", "copy": False}):
        assert np.asarray(array, **options).ctypes.data == array._pointer
    for options in ({"copy": True}, {"dtype": "f4"}):
        converted = np.asarray(array, **options)
        assert converted.ctypes.data != array._pointer
        assert converted.tolist() == [1, 2, 3]
        assert converted.dtype == options.get("dtype", "i8")
    with pytest.raises(ValueError, match="copy"):
        np.asarray(array, dtype="f4", copy=False)


@pytest.mark.parametrize("kind", ["shared", "host"])
def test_function_of_numpy_reads_host_accessible_memory(kind):
    array = usmx.asarray(np.arange(4.0), usm_type=kind)
    assert (np.mean(array), np.sum(array), np.linalg.norm([array, array])) == (1.5, 6, 28**0.5)
    assert np.shape(array) == (4,)
    total = usmx.zeros((), usm_type=kind)
    np.sum(array, out=total)
    assert float(total) == 6
    assert np.array_equal(array, np.arange(4.0))


@pytest.mark.parametrize("kind", KINDS)
def test_attributes_can_be_asked_of_numpy(kind):
    array = new_array(kind)
    assert (np.shape(array), np.ndim(array), np.size(array)) == ((2, 2), 2, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_numpy_array_like_an_array_is_usmx(kind):
    for make in (np.asarray, np.array):
        made = make([1.0], like=new_array(kind))
        assert isinstance(made, usmx.USMArray)
        assert made.tolist() == [1.0]
    with pytest.raises(TypeError):
        np.arange(3, like=new_array(kind))
