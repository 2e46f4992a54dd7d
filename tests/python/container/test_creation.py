"""empty, zeros, asarray, asnumpy."""

import array as stdlib_array
import copy
import inspect

import dpctl
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, Producer, assert_takes_calls_of, producer_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


def sample(shape=(3, 4), typestr="<f8"):
    """Values that every type holds exactly, and that tell elements from each other."""
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 100
    values = values % 2 if typestr == "|b1" else values
    return values.astype(typestr) * (1 - 2j if "c" in typestr else 1)


def same(array, expected):
    """Same type and values, bit by bit."""
    found = usmx.asnumpy(array)
    return found.dtype == expected.dtype and found.tobytes() == np.asarray(expected).tobytes()


# ---- empty and zeros


@pytest.mark.parametrize("make", [usmx.empty, usmx.zeros])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
def test_new_array_has_shape_type_and_kind(make, kind, typestr):
    array = make((2, 3), typestr, usm_type=kind)
    assert (array.shape, array.strides, array.offset) == ((2, 3), (3, 1), 0)
    assert array.dtype == np.dtype(typestr)
    assert array.usm_type == kind
    assert array.flags.writable
    assert array.sycl_queue == usmx.empty(1).sycl_queue


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_zeros_are_zero(kind, typestr, order):
    for _ in range(3):  # into memory that was used before, too
        array = usmx.zeros((5, 7), typestr, usm_type=kind, order=order)
        assert not usmx.asnumpy(array).any()
        array.base.memset(255)


@pytest.mark.parametrize("make", [usmx.empty, usmx.zeros])
def test_defaults_of_a_new_array(make):
    array = make(5)
    assert (array.shape, array.dtype, array.usm_type) == ((5,), np.float64, "device")
    assert make(5, None).dtype == np.float64


@pytest.mark.parametrize("make", [usmx.empty, usmx.zeros])
@pytest.mark.parametrize("shape", [(), 0, (0,), (3, 0, 2), (2,) * 6, (1,) * 64])
def test_new_array_of_every_shape(make, shape):
    array = make(shape)
    expected = np.zeros(shape)
    assert (array.shape, array.size) == (expected.shape, expected.size)
    assert array._pointer != 0
    assert array.base.nbytes == max(1, expected.size) * 8


@pytest.mark.parametrize("make", [usmx.empty, usmx.zeros])
def test_order_f_of_a_new_array(make):
    array = make((2, 3, 4), order="F")
    assert array.strides == (1, 2, 6)


@pytest.mark.parametrize("make", [usmx.empty, usmx.zeros])
def test_place_of_a_new_array_can_be_given(make):
    device = usmx.SyclDevice()
    mine, theirs = usmx.SyclQueue(), dpctl.SyclQueue()
    for place in (device, device.filter_string, device.device_type):
        assert make(3, device=place).sycl_device == device
    for queue in (mine, theirs):
        assert make(3, device=queue).sycl_queue == queue
        assert make(3, sycl_queue=queue).sycl_queue == queue
    assert make(3, sycl_queue=mine, device=device).sycl_queue == mine
    assert make(3, sycl_queue=mine, device=mine).sycl_queue == mine


@pytest.mark.parametrize("make", [usmx.empty, usmx.asarray, usmx.arange])
def test_two_different_queues_for_a_new_array_are_a_value_error(make):
    mine = usmx.SyclQueue()
    for other in (usmx.SyclQueue(), dpctl.SyclQueue(), usmx.empty(1).device):
        with pytest.raises(ValueError, match="must agree, found two different queues"):
            make(3, sycl_queue=mine, device=other)


@pytest.mark.parametrize("make", [usmx.empty, usmx.zeros, usmx.asarray])
@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({"device": 5}, TypeError),
        ({"device": "CPU"}, ValueError),
        ({"device": "accelerator:99"}, usmx.SyclDeviceCreationError),
        ({"device": usmx.SyclContext}, TypeError),
        ({"sycl_queue": 5}, TypeError),
        ({"sycl_queue": "cpu"}, TypeError),
        ({"sycl_queue": usmx.SyclContext}, TypeError),
        ({"usm_type": "system"}, ValueError),
        ({"usm_type": 5}, TypeError),
        ({"order": "Q"}, ValueError),
        ({"order": 5}, ValueError),
        ({"dtype": ">f8"}, ValueError),
        ({"dtype": "S3"}, ValueError),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_argument_that_is_none_of_its_kind_is_an_error(make, keywords, error):
    keywords = {k: v() if v is usmx.SyclContext else v for k, v in keywords.items()}
    with pytest.raises(error):
        make((2,), **keywords)


@pytest.mark.parametrize("make", [usmx.empty, usmx.zeros])
@pytest.mark.parametrize(
    ("shape", "error"),
    [
        (-1, ValueError),
        ((3, -1), ValueError),
        ((2**62, 4), ValueError),
        ((2**61,), ValueError),
        (1.5, TypeError),
        ("3", TypeError),
        (None, TypeError),
        ((2**50,), MemoryError),
    ],
)
def test_shape_that_cannot_be_is_an_error(make, shape, error):
    with pytest.raises(error):
        make(shape)


def test_order_of_a_new_array_cannot_be_kept():
    for order in ("A", "K"):
        with pytest.raises(ValueError, match="'C' or 'F'"):
            usmx.empty(3, order=order)


# ---- asarray of objects of the host


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (2, 3, 4), (3, 0)])
def test_numpy_array_is_copied_with_its_type(kind, typestr, shape):
    host = sample(shape, typestr)
    array = usmx.asarray(host, usm_type=kind)
    assert (array.shape, array.dtype, array.usm_type) == (shape, host.dtype, kind)
    assert same(array, host)


def test_default_kind_is_device():
    assert usmx.asarray([1, 2]).usm_type == "device"


@pytest.mark.parametrize(
    "given",
    [
        5,
        True,
        2.5,
        1 - 2j,
        [1, 2, 3],
        [],
        [[1.5, 2], [3, 4]],
        (1, 2),
        range(5),
        np.float32(3),
        np.int8(-3),
        bytearray(b"abc"),
        pytest.param(memoryview(b"abc"), id="memoryview"),  # its repr is an address
        stdlib_array.array("h", [1, -2]),
    ],
    ids=repr,
)
def test_everything_that_numpy_takes_is_taken(given):
    expected = np.asarray(given)
    array = usmx.asarray(given)
    assert array.shape == expected.shape
    assert same(array, expected)


@pytest.mark.parametrize(
    "given",
    [
        None,
        "text",
        b"bytes",
        object(),
        ["a", 1],
        np.array(["2020"], "M8[D]"),
        np.zeros(3, "i4,S8"),
        np.longdouble(1),
    ],
)
def test_what_has_no_element_type_is_refused(given):
    with pytest.raises((TypeError, ValueError), match="found"):
        usmx.asarray(given)


@pytest.mark.parametrize("dtype", [">i4", ">c16", [("x", ">f4"), ("y", "u1")]])
def test_host_array_of_foreign_byte_order_is_converted(dtype):
    host = np.arange(3).astype(dtype)
    native = host.dtype.newbyteorder("=")
    array = usmx.asarray(host)
    assert same(array, host.astype(native))
    assert same(usmx.asarray(host, native), host.astype(native))
    array[...] = array[::-1]
    usmx.copy_async(array, host).wait()
    assert same(array, host.astype(native))
    assert same(usmx.full_like(array, host[2]), np.full_like(host.astype(native), host[2]))


KEYS = [
    np.s_[::-1],
    np.s_[:, ::-2],
    np.s_[1:, 1:3],
    np.s_[..., 0],
    np.s_[:0],
    np.s_[None, :, ::3, None],
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("typestr", ["|b1", "<i2", "<f4", "<c16"])
def test_strided_arrays_are_copied_both_ways(kind, key, typestr):
    host = sample((4, 6, 3), typestr)
    array = usmx.asarray(host, usm_type=kind)
    assert same(usmx.asarray(host[key], usm_type=kind), host[key])
    assert same(array[key], host[key])
    assert same(array[key].transpose(), host[key].T)


def test_host_array_with_odd_strides_is_copied():
    packed = np.zeros(5, np.dtype([("a", "u1"), ("b", "<f8")]))
    packed["b"] = np.arange(5)
    assert same(usmx.asarray(packed["b"]), np.arange(5.0))
    misaligned = np.frombuffer(b"x" + np.arange(4.0).tobytes(), "f8", offset=1)
    assert same(usmx.asarray(misaligned), np.arange(4.0))
    assert same(usmx.asarray(np.broadcast_to(np.arange(3), (4, 3))), np.tile(np.arange(3), (4, 1)))


def test_host_array_is_read_before_asarray_returns():
    host = np.arange(1 << 16)
    array = usmx.asarray(host)
    host[:] = -1
    assert same(array, np.arange(1 << 16))


@given(
    hnp.arrays(
        st.sampled_from([np.dtype(typestr) for typestr in TYPESTRS]),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
    ),
    st.sampled_from(KINDS),
    st.permutations(range(4)),
    st.integers(0, 15),
)
def test_any_array_comes_back_as_it_went_in(host, kind, permutation, reversals):
    axes = [axis for axis in permutation if axis < host.ndim]
    host = host.transpose(axes)[tuple(np.s_[:: -1 if reversals >> k & 1 else 1] for k in axes)]
    array = usmx.asarray(host, usm_type=kind)
    assert array.shape == host.shape
    assert same(array, host)


@pytest.mark.parametrize(
    ("order", "of_c", "of_f", "of_neither"),
    [("C", "C", "C", "C"), ("F", "F", "F", "F"), ("A", "C", "F", "C"), ("K", "C", "F", "C")],
)
def test_order_of_a_copy(order, of_c, of_f, of_neither):
    sources = [
        (np.ones((3, 4)), of_c),
        (np.ones((3, 4), order="F"), of_f),
        (np.ones((6, 4))[::2], of_neither),
    ]
    for source, expected in sources:
        flags = usmx.asarray(source, order=order).flags
        assert flags.c_contiguous is (expected == "C")
        assert flags.f_contiguous is (expected == "F")


def test_type_of_a_copy_can_be_given():
    array = usmx.asarray([1.7, -2.2], "i4")
    assert array.dtype == np.int32
    assert usmx.asnumpy(array).tolist() == [1, -2]


def test_host_objects_are_never_viewed():
    for host in (np.ones(3), [1, 2], 5, bytearray(8)):
        with pytest.raises(ValueError, match=f"copy=False.*{type(host).__name__}"):
            usmx.asarray(host, copy=False)
        assert usmx.asarray(host, copy=True).usm_type == "device"


# ---- asarray of producers


def test_array_is_returned_as_it_is():
    array = usmx.empty((3, 4))
    assert usmx.asarray(array) is array
    assert usmx.asarray(array, copy=False) is array
    assert (
        usmx.asarray(array, "f8", usm_type="device", device=array.sycl_device, order="C") is array
    )


def test_memory_becomes_bytes():
    memory = usmx.memory.MemoryUSMShared(10)
    array = usmx.asarray(memory)
    assert (array.shape, array.dtype, array.base) == ((10,), np.uint8, memory)


def test_producer_becomes_a_view():
    memory = usmx.memory.MemoryUSMShared(96)
    array = usmx.asarray(producer_of(memory))
    assert (array.shape, array._pointer) == ((3, 4), memory._pointer)


DEMANDS = {
    "copy": lambda: {"copy": True},
    "dtype": lambda: {"dtype": "f4"},
    "usm_type": lambda: {"usm_type": "host"},
    "order": lambda: {"order": "F"},
    "queue": lambda: {"sycl_queue": usmx.SyclQueue()},
    "dpctl queue": lambda: {"sycl_queue": dpctl.SyclQueue()},
}


@pytest.mark.parametrize("demanded", DEMANDS)
@pytest.mark.parametrize("kind", ["device", "shared"])
def test_demand_that_a_view_cannot_meet_makes_a_copy(kind, demanded):
    demand = DEMANDS[demanded]()
    host = sample()
    array = usmx.asarray(host, usm_type=kind)
    copied = usmx.asarray(array, **demand)
    assert copied.base is not array.base
    assert copied.usm_type == demand.get("usm_type", kind)
    assert copied.dtype == demand.get("dtype", "f8")
    assert copied.flags.f_contiguous is ("order" in demand)
    assert np.array_equal(usmx.asnumpy(copied), host)
    array.base.memset(0)
    assert np.array_equal(usmx.asnumpy(copied), host)
    if "sycl_queue" in demand:
        assert copied.sycl_queue == demand["sycl_queue"]
    else:
        assert copied.sycl_queue == array.sycl_queue


@pytest.mark.parametrize("demanded", [demanded for demanded in DEMANDS if demanded != "copy"])
def test_copy_false_that_cannot_be_met_is_a_value_error(demanded):
    array = usmx.asarray(sample(), usm_type="shared")
    with pytest.raises(ValueError, match="copy=False cannot be met"):
        usmx.asarray(array, copy=False, **DEMANDS[demanded]())


@pytest.mark.parametrize("copy", [0, 1, "no", np.zeros(2), []])
def test_copy_is_true_false_or_none(copy):
    with pytest.raises(TypeError, match="copy must be"):
        usmx.asarray(usmx.empty(3), copy=copy)
    with pytest.raises(TypeError, match="copy must be"):
        usmx.asarray([1, 2], copy=copy)


def test_place_that_is_where_the_array_is_needs_no_copy():
    array = usmx.empty((3, 4), usm_type="shared")
    device = array.sycl_device
    for demand in (
        {"device": device},
        {"device": device.filter_string},
        {"device": array.sycl_queue},
        {"sycl_queue": array.sycl_queue},
        {"sycl_queue": dpctl.SyclQueue(array.sycl_queue._get_capsule())},
        {"usm_type": "shared", "dtype": float, "order": "A", "copy": False},
    ):
        assert usmx.asarray(array, **demand) is array


def test_copy_of_a_view_is_compact():
    array = usmx.asarray(sample((4, 6)))
    copied = usmx.asarray(array[::2, ::-1], copy=True)
    assert copied.flags.c_contiguous
    assert copied.base.nbytes == copied.nbytes
    assert same(copied, sample((4, 6))[::2, ::-1])


def test_copy_of_a_fortran_ordered_array_stays_so():
    array = usmx.asarray(np.asfortranarray(sample()))
    assert usmx.asarray(array, copy=True).flags.fnc
    assert usmx.asarray(array, copy=True, order="C").flags.c_contiguous


def test_copy_of_a_producer_lets_the_producer_go():
    memory = usmx.memory.MemoryUSMShared(96)
    memory.memset(0)
    copied = usmx.asarray(producer_of(memory), copy=True)
    assert copied._pointer != memory._pointer
    assert copied.base.reference_obj is None
    assert copied.flags.writable


# ---- asnumpy


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
def test_asnumpy_is_a_copy(kind, typestr):
    host = sample(typestr=typestr)
    array = usmx.asarray(host, usm_type=kind)
    copied = usmx.asnumpy(array)
    assert type(copied) is np.ndarray
    assert copied.flags.owndata
    assert copied.flags.writeable
    copied[...] = 0
    assert same(array, host)


def test_asnumpy_keeps_the_order():
    assert usmx.asnumpy(usmx.asarray(np.ones((3, 4), order="F"))).flags.fnc
    assert usmx.asnumpy(usmx.asarray(np.ones((3, 4)))).flags.c_contiguous
    assert usmx.asnumpy(usmx.asarray(np.ones((3, 4)))[:, ::2]).flags.c_contiguous


def test_asnumpy_of_a_0d_array_is_a_0d_array():
    copied = usmx.asnumpy(usmx.asarray(2.5))
    assert (copied.shape, float(copied)) == ((), 2.5)


def test_asnumpy_takes_any_producer():
    memory = usmx.memory.MemoryUSMDevice(96)
    memory.copy_from_host(sample().tobytes())
    assert np.array_equal(usmx.asnumpy(producer_of(memory)), sample())
    assert usmx.asnumpy(memory).tobytes() == sample().tobytes()


@pytest.mark.parametrize("given", [np.ones(3), [1], 5, None, b"abc"])
def test_asnumpy_of_no_producer_is_a_type_error_that_names_it(given):
    with pytest.raises(TypeError, match=type(given).__name__):
        usmx.asnumpy(given)


def test_bits_of_nan_survive_both_ways():
    bits = np.array([0x7FF0000000000001, 0xFFF8000000000123, 0x8000000000000000], "u8")
    for kind in KINDS:
        found = usmx.asnumpy(usmx.asarray(bits.view("f8"), usm_type=kind)[::-1])
        assert found.view("u8").tolist() == bits.tolist()[::-1]


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_bool_that_are_neither_0_nor_1_are_moved_as_they_are(kind):
    host = np.array([0, 1, 2, 255], "u1").view("?")
    assert usmx.asnumpy(usmx.asarray(host, usm_type=kind)).view("u1").tolist() == [0, 1, 2, 255]


# ---- ones and full


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize("shape", [(), 0, (3, 0), (4, 5)])
def test_ones_and_full_are_numpys(kind, typestr, shape):
    assert same(usmx.ones(shape, typestr, usm_type=kind), np.ones(shape, typestr))
    made = usmx.full(shape, 1, typestr, order="F", usm_type=kind)
    assert same(made, np.full(shape, 1, typestr))
    assert made.flags.f_contiguous
    assert made.usm_type == kind


@pytest.mark.parametrize(
    "value", [True, 3, -1, 2.5, 1 - 2j, np.int8(3), np.float32(0.1), np.bool(1)]
)
def test_type_of_full_is_that_of_the_value(value):
    assert same(usmx.full((2, 3), value), np.full((2, 3), value))


@given(
    st.sampled_from(TYPESTRS), st.sampled_from([0, 1, 100, 2.75, True, np.float16(7), np.uint8(9)])
)
def test_full_converts_as_numpy_assigns(typestr, value):
    assert same(usmx.full(3, value, typestr), np.full(3, value, typestr))


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**63, 2**64, -(2**63) - 1, 10**40])
def test_integers_that_fill_bools_are_those_of_numpy(value):
    calls = [
        lambda module: module.full(3, value, "?"),
        lambda module: module.full_like(module.zeros(3), value, "?"),
        lambda module: module.full_like(module.zeros(3, "?"), value),
    ]
    for call in calls:
        try:
            expected = call(np)
        except OverflowError as error:
            with pytest.raises(OverflowError, match=str(error)):
                call(usmx)
        else:
            assert same(call(usmx), expected)


def test_full_repeats_arrays():
    host = np.arange(3.0)
    expected = np.full((2, 3), host)
    for value in (usmx.asarray(host, usm_type="shared"), host, [0.0, 1.0, 2.0]):
        assert same(usmx.full((2, 3), value), expected)
        assert same(usmx.full((2, 3), value, "i4"), expected.astype("i4"))
        assert same(usmx.full_like(usmx.ones((2, 3)), value), expected)
    assert usmx.full(3, usmx.asarray(2, usm_type="host")).usm_type == "host"
    queue = usmx.SyclQueue()
    assert usmx.full(3, usmx.asarray(2, sycl_queue=queue)).sycl_queue == queue
    assert usmx.full(3, usmx.asarray(2, sycl_queue=queue), usm_type="shared").usm_type == "shared"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((3, 300, "i1"), OverflowError),
        ((3, -1, "u4"), OverflowError),
        ((3, 1j, "f4"), TypeError),
        ((3, "1"), TypeError),
        ((3, None), TypeError),
        ((3, float("nan"), "i4"), ValueError),
        ((3, [1, 2]), ValueError),
        (((2, 3), np.ones((2, 2))), ValueError),
        ((-1, 1), ValueError),
    ],
)
def test_value_that_cannot_fill_is_an_error(arguments, error):
    with pytest.raises(error):
        usmx.full(*arguments)


@pytest.mark.parametrize("make", [usmx.empty_like, usmx.zeros_like, usmx.ones_like])
def test_what_is_new_about_an_array_like_another_can_be_given(make):
    queue = usmx.SyclQueue()
    x = usmx.asarray(sample(), usm_type="shared", sycl_queue=queue)
    made = make(x)
    assert (made.shape, made.dtype, made.usm_type) == (x.shape, x.dtype, "shared")
    assert made.sycl_queue == queue
    made = make(x, dtype="i2", usm_type="host", device=x.sycl_device)
    assert (made.dtype, made.usm_type) == (np.int16, "host")
    assert made.sycl_queue == usmx.empty(1).sycl_queue
    assert make(x, sycl_queue=queue, order="F").flags.f_contiguous
    assert make(x.readonly()).flags.writable


@pytest.mark.parametrize("kind", KINDS)
def test_elements_of_arrays_like_another_are_set(kind):
    x = usmx.asarray(sample(), usm_type=kind)[::-1, ::2]
    assert same(usmx.zeros_like(x), np.zeros((3, 2)))
    assert same(usmx.ones_like(x, dtype="?"), np.ones((3, 2), "?"))
    assert same(usmx.full_like(x, 2.5), np.full((3, 2), 2.5))
    assert same(usmx.full_like(x, 2.5, dtype="i4"), np.full((3, 2), 2, "i4"))


# ---- host arrays in and out


@pytest.mark.parametrize("kind", KINDS)
def test_from_numpy_is_a_copy_of_a_numpy_array(kind):
    host = sample()
    made = usmx.from_numpy(host[::-1], usm_type=kind)
    host[:] = 0
    assert same(made, sample()[::-1])
    assert made.usm_type == kind
    with pytest.raises(TypeError, match="must be a NumPy array, found list"):
        usmx.from_numpy([1, 2])


def test_to_numpy_is_asnumpy():
    assert usmx.to_numpy(usmx.ones(3)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("obj", [None, "abc", ["a"], object(), {1, 2}, [2**70], np.array([1], "g")])
def test_what_has_no_elements_of_usmx_is_a_type_error(obj):
    with pytest.raises(TypeError, match="elements must be"):
        usmx.asarray(obj)


def test_what_numpy_can_convert_is_converted_to_the_type_that_is_asked_for():
    assert usmx.asnumpy(usmx.asarray(np.array(["1.5", "2"]), "f8")).tolist() == [1.5, 2]
    assert usmx.asnumpy(usmx.asarray(np.array([1, None, 3])[::2], "i4")).tolist() == [1, 3]
    assert usmx.asnumpy(usmx.asarray(np.array([1, 2], ">f4"), "i8")).tolist() == [1, 2]


def test_object_that_is_producer_and_buffer_is_a_producer():
    array = usmx.ones(3, usm_type="shared")
    assert usmx.asarray(array) is array
    memory = usmx.memory.MemoryUSMShared(8)
    assert usmx.asarray(memory)._pointer == memory._pointer


CREATION = """empty zeros ones full empty_like zeros_like ones_like full_like arange linspace eye
meshgrid tril triu asarray from_numpy asnumpy to_numpy copy astype can_cast result_type finfo iinfo
isdtype""".split()  # noqa: SIM905
# Programs can set the kind of memory of these (`set_default_usm_type`).
OF_DEFAULT_KIND = ("empty", "zeros", "ones", "arange", "linspace", "eye", "from_numpy")


@pytest.mark.parametrize("name", CREATION)
def test_calls_of_dpnps_functions_are_taken(name):
    theirs = getattr(dpnp.tensor, name)
    other_defaults = ["usm_type"] if name in OF_DEFAULT_KIND else []
    assert_takes_calls_of(getattr(usmx, name), theirs, other_defaults)


def test_asarray_of_one_argument_and_of_more_is_one_function():
    asarray = usmx.asarray
    assert inspect.getdoc(asarray).startswith("Make a USMArray of `obj`")
    assert copy.deepcopy(asarray) is asarray
    with pytest.raises(TypeError, match=r"asarray\(obj: object, /, dtype: "):
        asarray()
    with pytest.raises(TypeError, match=r"asarray\(obj: object, /, dtype: "):
        asarray(1, "f8", "C", 3)
    with pytest.raises(TypeError, match=r"(?s)asarray\(obj: object, .*kind=str"):
        asarray(1, kind="shared")


@pytest.mark.parametrize("arguments", [{}, {"dtype": None}, {"copy": None}, {"order": "K"}])
def test_asarray_of_a_producer_is_the_same_whatever_is_left_out(arguments):
    array = usmx.ones((2, 3), usm_type="shared")
    assert usmx.asarray(array, **arguments) is array
    view = usmx.asarray(Producer(array.__sycl_usm_array_interface__, array), **arguments)
    assert view is not array
    assert (view.shape, view._pointer) == (array.shape, array._pointer)


@pytest.mark.parametrize("arguments", [{}, {"dtype": None}])
def test_asarray_asks_a_producer_once_and_lets_its_errors_pass(arguments):
    class Failing:
        asked = 0

        @property
        def __sycl_usm_array_interface__(self):
            type(self).asked += 1
            raise AttributeError("of its own")

    with pytest.raises(AttributeError, match="of its own"):
        usmx.asarray(Failing(), **arguments)
    assert Failing.asked == 1


@pytest.mark.parametrize("name", ["dtype", "usm_type", "order", "device"])
def test_text_that_is_not_unicode_is_a_value_error(name):
    with pytest.raises(ValueError, match=r"\\udc80"):
        usmx.empty(3, **{name: "\udc80"})


# ---- asnumpy(out=)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
def test_elements_go_into_the_given_array_whatever_its_strides(kind, typestr):
    numbers = sample(typestr=typestr)
    array = usmx.asarray(numbers, usm_type=kind)
    room = np.zeros((6, 8), numbers.dtype)
    for out in (np.empty((3, 4), numbers.dtype), room[::2, 1::2], room[::-2, ::-2], room.T[:3, :4]):
        assert usmx.asnumpy(array, out=out) is out
        assert out.tobytes() == numbers.tobytes()


def test_nothing_but_the_given_array_is_written():
    room = np.zeros((6, 8))
    usmx.asnumpy(usmx.ones((3, 4)), out=room[::2, 1::2])
    assert room.sum() == 12
    assert (room[::2, 1::2] == 1).all()


@pytest.mark.parametrize(
    ("out", "error", "found"),
    [
        (np.empty((4, 3)), ValueError, r"found shape \(4, 3\)"),
        (np.empty((3, 4), "f4"), ValueError, "float32"),
        (np.broadcast_to(0.0, (3, 4)), ValueError, "read-only"),
        ([0.0] * 12, TypeError, "found list"),
    ],
)
def test_room_that_does_not_fit_is_refused(out, error, found):
    with pytest.raises(error, match=found):
        usmx.asnumpy(usmx.ones((3, 4)), out=out)
