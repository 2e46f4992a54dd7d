"""Operators of arrays, what they refuse, hashing, and NumPy's ufuncs and functions."""

import collections.abc
import operator

import dpnp
import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS, KINDS, MEMORY_CLASSES

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lshift,
    operator.rshift,
    operator.and_,
    operator.or_,
    operator.xor,
]
IN_PLACE = [
    getattr(operator, name)
    for name in [
        "iadd",
        "isub",
        "imul",
        "ifloordiv",
        "imod",
        "ipow",
        "ilshift",
        "irshift",
        "iand",
        "ior",
        "ixor",
    ]
]
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]

X = np.array([[5, -7, 1], [0, 3, -9]], "i4")
Y = np.array([[2, 3, 1], [4, 1, 2]], "i4")


def new_array(kind="shared"):
    return usmx.asarray(X, usm_type=kind)


@pytest.fixture(params=KINDS)
def array(request):
    return new_array(request.param)


def is_same(found, expected):
    """Also a pair of arrays."""
    if isinstance(expected, tuple):
        return all(map(is_same, found, expected))
    host = usmx.asnumpy(found)
    expected = np.asarray(expected)
    return (host.dtype, host.shape) == (expected.dtype, expected.shape) and (host == expected).all()


# ---- operators


@pytest.mark.parametrize("function", [*BINARY, *COMPARISONS, divmod])
def test_binary_operator_is_numpys(function):
    found = function(new_array(), usmx.asarray(Y, usm_type="host"))
    assert is_same(found, function(X, Y))
    assert (found[1] if isinstance(found, tuple) else found).usm_type == "shared"


@pytest.mark.parametrize("function", [*BINARY, *COMPARISONS, divmod])
def test_operator_takes_a_number_on_either_side(function):
    assert is_same(function(new_array(), 3), function(X, 3))
    assert is_same(function(3, usmx.asarray(Y)), function(3, Y))


@pytest.mark.parametrize("function", IN_PLACE)
def test_in_place_operator_writes_to_the_array(function):
    array, host = new_array(), X.copy()
    same = array
    array = function(array, usmx.asarray(Y))
    assert array is same
    assert is_same(array, function(host, Y))


@pytest.mark.parametrize("function", UNARY)
def test_unary_operator_is_numpys(function):
    assert is_same(function(new_array()), function(X))


def test_products_of_matrices(array):
    assert is_same(array @ usmx.asarray(Y.T), X @ Y.T)
    square = usmx.asarray(X[:, :2])
    square @= square
    assert is_same(square, X[:, :2] @ X[:, :2])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_result_has_the_kind_that_is_coerced(kind, other):
    made = new_array(kind) + new_array(other)
    assert made.usm_type == usmx.get_coerced_usm_type([kind, other])


@pytest.mark.parametrize(
    "number",
    [True, 3, 2.5, 1 + 2j, np.int8(3), np.uint64(3), np.float32(2.5), np.bool(True), np.array(2.5)],
    ids=repr,
)
@pytest.mark.parametrize("dtype", ["?", "u1", "f4"])
def test_type_with_a_number_is_numpys(dtype, number):
    host = np.array([1, 0, 1]).astype(dtype)
    array = usmx.asarray(host)
    assert is_same(array * number, host * number)
    assert is_same(number * array, number * host)


def test_integer_that_the_type_lacks_is_an_overflow_error_but_in_comparisons():
    array = usmx.asarray([1, 2, 3], dtype="i1")
    for function in (operator.add, operator.pow, operator.iadd):
        with pytest.raises(OverflowError, match="300 out of bounds for int8"):
            function(array, 300)
    for number in (300, -300, 2**63, 2**64, -(2**70)):
        assert (array < number).tolist() == [number > 0] * 3
        assert (array >= number).tolist() == [number < 0] * 3
        assert (array == number).tolist() == [False] * 3
        assert (number > array).tolist() == [number > 0] * 3


def test_integers_of_both_signs_compare_exactly():
    x = usmx.asarray([-1, 2**62 + 1, 2**63 - 1], dtype="i8")
    y = usmx.asarray([2**64 - 1, 2**62, 2**63 - 1], dtype="u8")
    assert (x == y).tolist() == [False, False, True]
    assert (x < y).tolist() == [True, False, False]
    assert (y >= x).tolist() == [True, False, True]


def test_floating_point_number_that_the_type_lacks_is_infinite():
    assert (usmx.ones(2, "f4") * 1e300).tolist() == [np.inf, np.inf]


def test_arrays_on_different_queues_are_an_error():
    other = usmx.ones((2, 3), sycl_queue=usmx.SyclQueue())
    with pytest.raises(usmx.ExecutionPlacementError, match="add: arguments must be on the same"):
        new_array() + other


def test_shapes_that_do_not_fit_are_a_value_error():
    with pytest.raises(ValueError, match=r"\(2, 3\), \(4,\)"):
        new_array() == usmx.ones(4)  # noqa: B015


@pytest.mark.parametrize("function", [operator.iadd, operator.imul])
def test_result_of_another_kind_of_type_is_not_written_in_place(function):
    array = new_array()
    with pytest.raises(TypeError, match="float64 cannot be written to an array of type int32"):
        function(array, 2.5)
    assert is_same(array, X)


def test_narrower_array_of_the_same_kind_is_written_in_place():
    array = usmx.ones(2, "f4")
    array += usmx.asarray([0.5, 1e-30])
    assert (array.dtype, array.tolist()) == (np.dtype("f4"), [1.5, 1])


@pytest.mark.parametrize("other", ["read-only", "too small"])
def test_array_that_cannot_take_the_result_is_a_value_error(other):
    if other == "read-only":
        array, operand = usmx.broadcast_to(usmx.ones(3, "i4"), (2, 3)), new_array()
    else:
        array, operand = usmx.ones((1, 3), "i4"), new_array()
    with pytest.raises(ValueError, match="add.*(read-only|writable|shape)"):
        array += operand


# ---- other objects

OTHERS = {
    "None": None,
    "text": "text",
    "tuple": (1, "2"),
    "list": [[1, 2, 3], [4, 5, None]],
    "set": {1, 2},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_other_objects_are_left_to_python(array, other):
    for function in (operator.add, operator.matmul, operator.lt, divmod):
        with pytest.raises(TypeError):
            function(array, other)
        with pytest.raises(TypeError):
            function(other, array)
    with pytest.raises(TypeError):
        array += other
    assert (array == other, array != other, other == array) == (False, True, False)
    assert other not in array


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.lt, divmod])
def test_numpy_array_is_copied_to_the_array_on_both_sides(array, function):
    for operands in ((array, Y), (Y, array + 20)):
        found = function(*operands)
        assert is_same(
            found, function(*(each if each is Y else usmx.asnumpy(each) for each in operands))
        )
        one = found[0] if isinstance(found, tuple) else found
        assert (one.usm_type, one.sycl_queue) == (array.usm_type, array.sycl_queue)


def test_numpy_matrix_is_copied_on_both_sides(array):
    assert is_same(array @ Y.T, X @ Y.T)
    assert is_same(Y.T @ array, Y.T @ X)


def test_numpy_array_is_read_but_not_written_in_place(array):
    same = array
    array += Y
    assert array is same
    assert is_same(array, X + Y)
    host = X.copy()
    with pytest.raises(
        TypeError, match=r"add: out must be a USMArray, found ndarray; .*usmx\.asnumpy"
    ):
        host += array
    assert (host == X).all()


@pytest.mark.parametrize("host", [X.astype(object), X.astype("S3"), np.ma.masked_equal(X, 3)])
def test_numpy_array_of_other_elements_or_with_a_mask_is_a_type_error(host, strict_host):
    with pytest.raises(TypeError):
        usmx.asarray(X) + host


@pytest.mark.parametrize(
    "scalar",
    [np.longdouble(1), np.clongdouble(1), np.timedelta64(1, "s"), np.str_("1"), np.bytes_(b"1")],
    ids=lambda scalar: type(scalar).__name__,
)
def test_scalar_of_a_type_that_usmx_lacks_is_a_type_error(array, scalar):
    for operand in (scalar, np.array(scalar)):
        for call in (operator.eq, operator.add, np.add, usmx.isin, lambda x, y: y in x):
            with pytest.raises(TypeError, match="x2 is of type .*, which usmx lacks"):
                call(array, operand)
        with pytest.raises(TypeError, match="y is of type .*, which usmx lacks"):
            usmx.where(array > 0, array, operand)


@pytest.mark.parametrize("module", [dpnp, dpnp.tensor])
def test_dpnp_array_on_the_right_computes(module):
    array = usmx.asarray(X, usm_type="host")
    made = array + module.asarray(Y)
    assert type(made) is usmx.USMArray
    assert is_same(made, X + Y)
    assert made.usm_type == "device"


@pytest.mark.parametrize("function", [operator.add, operator.matmul, operator.lt])
def test_dpnp_array_on_the_left_refuses_with_a_type_error_of_its_own(array, function):
    with pytest.raises(TypeError):
        function(dpnp.ones((2, 2), dtype="i4"), array)


@pytest.mark.parametrize("base", [np.float64, np.int64, np.float32])
@pytest.mark.parametrize("size", [4, 40_000])
def test_number_of_a_class_made_of_numpys_is_one_of_numpys(base, size):
    number = type("named", (base,), {})(2)
    host = np.arange(size, dtype="f4")
    x = usmx.asarray(host)
    calls = (operator.add, operator.lt, usmx.add, usmx.logical_and, np.add, lambda x, y: y**x)
    for call in calls:
        wanted = usmx.asnumpy(call(x, base(2)))
        found = usmx.asnumpy(call(x, number))
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted)
    x += number
    assert np.array_equal(usmx.asnumpy(x), host + 2)


def test_power_with_a_modulus_is_refused(array):
    with pytest.raises(TypeError, match="unsupported operand type"):
        pow(array, 2, 3)
    with pytest.raises(TypeError, match="unsupported operand type"):
        pow(2, array, 3)


def test_containment_compares_elements(array):
    assert 3 in array
    assert 4 not in array
    assert array in [1.5, array][1:]
    assert 0 not in usmx.zeros((3, 0))
    with pytest.raises(TypeError, match="USMArray.__init__ was never called"):
        3 in usmx.USMArray.__new__(usmx.USMArray)  # noqa: B015


def test_subclass_computes_to_usm_arrays_and_can_have_operators_of_its_own():
    class Plain(usmx.USMArray):
        pass

    class Adding(usmx.USMArray):
        def __add__(self, other):
            return "added"

        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    plain = Plain(3)
    plain.fill(2)
    assert type(plain * plain) is type(plain * 2) is usmx.USMArray
    assert (plain * plain).tolist() == [4, 4, 4]
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


# ---- NumPy's ufuncs


@pytest.mark.parametrize("kind", KINDS)
def test_ufunc_computes_on_the_device_for_every_kind(kind):
    array = new_array(kind)
    made = np.add(array, 1)
    assert type(made) is usmx.USMArray
    assert (made.usm_type, made.sycl_queue) == (kind, array.sycl_queue)
    assert is_same(made, X + 1)


CALLS = {
    "of another name": lambda a: np.arcsin(a * 0.01),
    "of comparison": lambda a: np.maximum(a, 1),
    "matmul": lambda a: np.matmul(a, a.T),
    "vecdot": lambda a: np.vecdot(a, a),
    "divmod": lambda a: np.divmod(a, 2),
    "outer": lambda a: np.multiply.outer(a[0], a),
    "reduce": lambda a: np.add.reduce(a),
    "reduce along an axis": lambda a: np.multiply.reduce(a, axis=1, keepdims=True),
    "reduce of maximum": lambda a: np.maximum.reduce(a, axis=None),
    "accumulate": lambda a: np.add.accumulate(a, axis=1),
    "conjugate": np.conjugate,
    "of another type": lambda a: np.add(a, 1, dtype="f4"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ufunc_gives_what_numpy_gives(call):
    found, expected = call(new_array()), call(X)
    if isinstance(found, tuple):
        assert all(map(is_same, found, expected))
    else:
        assert np.allclose(usmx.asnumpy(found), expected, rtol=1e-15)
        assert found.dtype == expected.dtype


def test_ufunc_writes_to_out(array):
    out = usmx.empty((2, 3), "f8")
    assert np.multiply(array, 2, out=out) is out
    assert out.tolist() == (X * 2.0).tolist()
    assert np.matmul(array, array.T, out=out[:, :2]).tolist() == (X @ X.T).tolist()
    np.add.reduce(array, out=out[0])
    assert out[0].tolist() == X.sum(0).tolist()


def test_ufunc_writes_where_a_mask_holds(array):
    mask = X > 0
    out = usmx.full((2, 3), 7.0)
    expected = np.full((2, 3), 7.0)
    assert np.add(array, 1, out=out, where=mask) is out
    np.add(X, 1, out=expected, where=mask)
    assert out.tolist() == expected.tolist()
    assert np.add(array, 1, where=usmx.asarray(mask))[mask].tolist() == (X + 1)[mask].tolist()
    with pytest.raises(TypeError, match="add: a result of type float64 cannot be written to an"):
        np.add(array, 0.5, out=usmx.empty((2, 3), "i4"), where=mask)
    with pytest.raises(TypeError, match="add: where must be bools, found elements of type int64"):
        np.add(array, 1, where=X.astype("i8"))


@pytest.mark.parametrize("kind", KINDS)
def test_quotients_and_rests_may_be_written_to_the_operands(kind):
    first, second = np.array([7, 8, 9]), np.array([2, 3, 4])
    expected = divmod(first, second)
    for outs in ((0, 1), (1, 0), (0, None), (None, 1)):
        operands = [usmx.asarray(each, usm_type=kind) for each in (first, second)]
        out = tuple(None if place is None else operands[place] for place in outs)
        found = np.divmod(*operands, out=out)
        assert [usmx.asnumpy(each).tolist() for each in found] == [e.tolist() for e in expected]
        assert all(asked is None or one is asked for one, asked in zip(found, out, strict=True))


def test_ufunc_takes_casting_beside_a_mask():
    array, mask = usmx.asarray([1.5, 2.5]), usmx.asarray([True, False])
    out = usmx.zeros(2, "i4")
    assert np.add(array, 1, out=out, where=mask, casting="unsafe") is out
    assert out.tolist() == [2, 0]
    with pytest.raises(TypeError, match="add: a result of type float64 cannot be written"):
        np.add(array, 1, out=usmx.zeros(2, "f4"), where=mask, casting="safe")
    floors, rests = np.divmod(array, 1, out=(out, None), casting="unsafe")
    assert (floors is out, floors.tolist(), rests.tolist()) == (True, [1, 2], [0.5, 0.5])
    with pytest.raises(TypeError, match="divmod: a result of type float64 cannot be written"):
        np.divmod(array, 1, out=(out, None))


def test_ufunc_takes_casting(array):
    out, expected = usmx.empty((2, 3), "i4"), np.empty((2, 3), "i4")
    assert np.multiply(array, 0.5, out=out, casting="unsafe") is out
    np.multiply(X, 0.5, out=expected, casting="unsafe")
    assert out.tolist() == expected.tolist()
    found = np.add(array, 1, dtype="i1", casting="unsafe")
    assert is_same(found, np.add(X, 1, dtype="i1", casting="unsafe"))
    for options in ({"out": usmx.empty((2, 3), "i1")}, {"dtype": "i1"}):
        with pytest.raises(TypeError, match="casting='safe'|cannot be written"):
            np.add(array, array, casting="safe", **options)
    with pytest.raises((TypeError, ValueError), match="casting"):
        np.matmul(array, array.T, casting="nonsense")


@pytest.mark.parametrize("options", [{"order": "F"}, {"subok": False}], ids=str)
def test_other_options_of_a_ufunc_are_a_type_error(array, options):
    with pytest.raises(
        TypeError,
        match=f"numpy.add of USMArrays takes out= and dtype=, found {next(iter(options))}=",
    ):
        np.add(array, 1, **options)


@pytest.mark.parametrize("function", [np.heaviside.outer, np.gcd.outer, np.subtract.reduce])
def test_method_that_usmx_lacks_is_numpys_where_the_host_reaches_the_memory(array, function):
    arguments = (array,) if function == np.subtract.reduce else (array, 1)
    if array.usm_type in HOST_KINDS:
        hosts = [usmx.asnumpy(each) if each is array else each for each in arguments]
        found = function(*arguments)
        assert isinstance(found, np.ndarray)
        assert np.array_equal(found, function(*hosts))


def test_method_that_usmx_lacks_is_refused_where_the_host_gets_no_view(strict_host):
    with pytest.raises(TypeError, match=r"usmx does not compute it.*usmx\.asnumpy\(a\).*'shared'"):
        np.heaviside.outer(new_array("device"), 1)


AT_KEYS = {
    "index that occurs twice": [0, 0, 1, 0],
    "rows": (slice(None), [1, 1]),
    "integer": 1,
    "mask": X > 0,
    "no index": ([],),
    "all": Ellipsis,
    "pairs": ([0, 1, 0], [2, 2, 2]),
}


@pytest.mark.parametrize("key", AT_KEYS.values(), ids=AT_KEYS)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "negative"])
def test_ufunc_at_counts_each_time_that_an_index_occurs(name, key):
    expected = X.astype("f8")
    shape = expected[key].shape
    values = np.arange(1.0, 1.0 + expected[key].size).reshape(shape)
    values = () if name == "negative" else (values,)
    reversed_rows = usmx.asarray(expected[:, ::-1].copy())[:, ::-1]
    adjacent = usmx.asarray(expected)
    for each in (reversed_rows, adjacent):
        assert getattr(np, name).at(each, key, *map(usmx.asarray, values)) is None
    getattr(np, name).at(expected, key, *values)
    assert usmx.asnumpy(reversed_rows).tolist() == expected.tolist()
    assert usmx.asnumpy(adjacent).tolist() == expected.tolist()


def test_ufunc_at_takes_numbers_lists_and_arrays_of_the_host(array):
    expected = X.copy()
    for value in (2, [1, 2, 3], np.array([3], "i2"), 1.75):
        np.add.at(array, [1, 1], value)
        np.add.at(expected, [1, 1], value)
    assert is_same(array, expected)


@pytest.mark.parametrize(
    ("indices", "values", "error", "text"),
    [
        ([9], (1,), IndexError, "index 9 is out of bounds for axis 0 with size 2"),
        ([0, 1], ([1, 2],), ValueError, "cannot broadcast shape"),
        ([0], (1j,), TypeError, "add.at: a result of type complex128 cannot be written to an"),
    ],
)
def test_ufunc_at_that_does_not_fit_is_an_error(array, indices, values, error, text):
    before = usmx.asnumpy(array)
    with pytest.raises(error, match=text):
        np.add.at(array, indices, *values)
    assert is_same(array, before)


def test_ufunc_at_of_two_queues_is_refused():
    own, other = (usmx.ones(3, sycl_queue=usmx.SyclQueue()) for _ in range(2))
    with pytest.raises(usmx.ExecutionPlacementError):
        np.add.at(own, [0, 1, 2], other)
    assert own.tolist() == [1, 1, 1]


def test_ufunc_at_of_a_read_only_array_is_a_value_error(array):
    with pytest.raises(ValueError, match="add.at: the array is read-only"):
        np.add.at(array.readonly(), [0], 1)


def test_ufunc_of_the_host_writes_to_arrays():
    array, out = (usmx.asarray([1.5, -2.5, 3], usm_type="shared") for _ in range(2))
    assert np.fmod(array, 2, out=out) is out
    assert out.tolist() == [1.5, -0.5, 1]
    assert all(map(operator.is_, np.modf(array, out=(out, array)), (out, array)))
    assert (out.tolist(), array.tolist()) == ([0.5, -0.5, 0], [1, -2, 3])
    parts = np.modf(usmx.asarray([1.5, -2.5], usm_type="shared"), out=(None, out[:2]))
    assert ([*map(float, parts[0])], out[:2].tolist()) == ([0.5, -0.5], [1, -2])
    np.add.at(array, [0, 0], 1)
    np.fabs(array, out=array, where=usmx.asarray([True, True, False], usm_type="shared"))
    assert array.tolist() == [3, 2, 3]


def test_device_memory_among_the_options_of_a_ufunc_of_the_host_is_a_type_error(strict_host):
    with pytest.raises(TypeError, match=r"^numpy\.fmod: usmx does not compute it, use usmx\.fmod;"):
        np.fmod(usmx.ones(2, usm_type="shared"), 2, where=usmx.asarray([True, False]))


def test_ufunc_that_is_no_row_of_the_table_cannot_be_traced():
    with pytest.raises(TypeError, match=r"fmod.* cannot be traced"):
        usmx.fuse(lambda x: np.fmod(x, 2))(usmx.ones(2, usm_type="shared"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("out", ["out", "where"])
def test_ufunc_of_host_arrays_with_an_array_as_option_is_a_type_error(kind, out):
    with pytest.raises(TypeError):
        np.add(np.ones((2, 3)), 1, **{out: new_array(kind)})


# ---- NumPy's functions

FUNCTIONS = {
    "array_repr": np.array_repr,
    "array_equal": lambda array: np.array_equal(array, array),
    "array_equal of host and device": lambda array: np.array_equal(new_array(), array),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_function_of_numpy_refuses_device_memory(function, strict_host):
    with pytest.raises(TypeError, match=r"device memory.*usmx\.asnumpy.*usm_type='shared'"):
        function(new_array("device"))


def test_conversion_of_device_memory_is_refused(strict_host):
    for convert in (np.asarray, np.array, np.ascontiguousarray):
        with pytest.raises(TypeError, match=r"usmx\.asnumpy"):
            convert(new_array("device"))


@pytest.mark.parametrize("options", [{"dtype": "f4"}, {"copy": False}, {"copy": True}], ids=str)
def test_conversion_of_device_memory_is_refused_whatever_is_asked(options, strict_host):
    with pytest.raises(TypeError, match=r"usmx\.asnumpy"):
        np.asarray(new_array("device"), **options)


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_method_that_numpy_asks_gives_host_accessible_memory(kind):
    array = usmx.asarray([[1, 2, 3]], usm_type=kind)
    assert array.__array__().ctypes.data == array._pointer
    assert array.__array__(copy=True).ctypes.data != array._pointer
    assert array.__array__("f4").tolist() == [[1, 2, 3]]
    with pytest.raises(ValueError, match="copy"):
        array.__array__("f4", copy=False)


@pytest.mark.parametrize("kind", HOST_KINDS)
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


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_function_of_numpy_reads_host_accessible_memory(kind):
    array = usmx.asarray(np.arange(4.0), usm_type=kind)
    assert (np.median(array), np.ptp(array), np.linalg.norm([array, array])) == (1.5, 3, 28**0.5)
    assert np.shape(array) == (4,)
    total = usmx.zeros((), usm_type=kind)
    np.sum(array, out=total)
    assert float(total) == 6
    assert np.array_equal(array, np.arange(4.0))


@pytest.mark.parametrize("kind", KINDS)
def test_attributes_can_be_asked_of_numpy(kind):
    array = new_array(kind)
    assert (np.shape(array), np.ndim(array), np.size(array)) == ((2, 3), 2, 6)


@pytest.mark.parametrize("kind", KINDS)
def test_numpy_array_like_an_array_is_usmx(kind):
    for make in (np.asarray, np.array):
        made = make([1.0], like=new_array(kind))
        assert isinstance(made, usmx.USMArray)
        assert made.tolist() == [1.0]
    with pytest.raises(TypeError):
        np.arange(3, like=new_array(kind))


# ---- structured arrays

RECORDS = np.zeros(3, [("x", "i4"), ("y", "f4", (2,)), ("z", [("p", "i2"), ("q", "i2")])])
RECORDS["x"] = [1, 2, 3]
CHANGES = {
    "nothing": lambda t: None,
    "a field": lambda t: t["x"].__setitem__(1, 7),
    "an element of a subarray": lambda t: t["y"].__setitem__((2, 1), 7),
    "a field of a field": lambda t: t["z"]["q"].__setitem__(0, 7),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("key", [slice(None), slice(0, 1), (None, slice(None)), 0], ids=str)
def test_structured_elements_are_equal_if_all_fields_are(change, key):
    other = RECORDS.copy()
    change(other)
    a, b = usmx.asarray(RECORDS), usmx.asarray(other)
    for found, expected in (
        (a == b[key], other[key] == RECORDS),
        (a[key] != b, RECORDS[key] != other),
    ):
        assert usmx.asnumpy(found).tolist() == expected.tolist()


def test_structured_elements_with_other_fields_are_not_compared():
    a = usmx.asarray(RECORDS)
    for other in (a.astype([("a", "i4"), *RECORDS.dtype.descr[1:]]), usmx.ones(3)):
        with pytest.raises(TypeError, match="same fields|not defined for structured"):
            a == other  # noqa: B015


def test_numbers_are_not_compared_with_arrays_in_elements():
    numbers = usmx.zeros(2, [("v", "f4")])
    for shape in ((2,), (2, 1)):  # as many as there are elements
        with pytest.raises(TypeError, match="structured elements with the same fields"):
            numbers == usmx.zeros(2, [("v", "f4", shape)])  # noqa: B015


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("types", [("f8", "i4"), ("f8", "f4"), ("f4", "f8"), ("i4", "i4")], ids=str)
@pytest.mark.parametrize("name", ["add", "matmul"])
def test_results_are_converted_to_the_type_of_out_as_casting_allows(name, types, casting):
    of, into = types
    x = np.array([1.0, 2.0], of)
    expected = np.zeros((2,) if name == "add" else (), into)
    a, out = usmx.asarray(x), usmx.zeros(expected.shape, into)
    try:
        getattr(np, name)(x, x, out=expected, casting=casting)
    except TypeError:
        for function in (getattr(np, name), getattr(usmx, name)):
            with pytest.raises(TypeError, match="cannot be written to an array of type"):
                function(a, a, out=out, casting=casting)
        return
    for function in (getattr(np, name), getattr(usmx, name)):
        out[...] = 0
        assert function(a, a, out=out, casting=casting) is out
        assert out.tolist() == expected.tolist()


def test_operands_are_converted_to_a_type_as_casting_allows():
    a = usmx.asarray([1.5, 2.5])
    for add in (usmx.add, np.add):
        assert add(a, 1, dtype="i4", casting="unsafe").tolist() == [2, 3]
        with pytest.raises(TypeError):
            add(a, 1, dtype="f4", casting="safe")
    with pytest.raises(ValueError, match="casting must be one of"):
        usmx.add(a, 1, casting="any")


def test_functions_take_out_in_a_tuple():
    a, out = usmx.ones(2), usmx.zeros(2)
    assert usmx.add(a, 1, out=(out,)) is out
    assert usmx.negative(a, out=(out,), casting="unsafe") is out
    assert out.tolist() == [-1, -1]
    with pytest.raises(TypeError, match="out must be a USMArray, found tuple"):
        usmx.add(a, 1, out=(out, out))


def test_conjugate_of_a_real_array_is_the_array():
    for dtype in ("?", "i4", "f8"):
        a = usmx.ones(2, dtype)
        assert a.conj() is a
        assert a.conjugate() is a
