"""usmx.USMArray: the constructor, attributes and flags. Indexing: test_indexing.py."""

import copy
import operator
import pickle
import weakref

import dpctl
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, TYPESTRS, Producer, interface_of
from usmx import USMArray
from usmx.memory import MemoryUSMHost, MemoryUSMShared


def elements_of_memory(array):
    """How many elements the array's memory object has room for."""
    return array.base.nbytes / array.itemsize


# ---- the constructor: new memory


def test_defaults_are_doubles_in_device_memory_in_c_order():
    array = USMArray((2, 3))
    assert array.dtype == np.float64
    assert array.usm_type == "device"
    assert (array.shape, array.strides, array.offset) == ((2, 3), (3, 1), 0)
    assert array.flags.c_contiguous
    assert array.flags.writable


def test_arguments_are_the_documents_in_their_order():
    memory = MemoryUSMShared(96)
    array = USMArray((2, 2), "i4", memory, (-3, 1), 5, "F", {"alignment": 4})
    assert (array.shape, array.strides, array.offset) == ((2, 2), (-3, 1), 5)
    assert array.base is memory


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
def test_every_type_exists_in_every_kind(kind, typestr):
    array = USMArray((2, 3), typestr, kind)
    assert array.dtype == np.dtype(typestr)
    assert array.usm_type == kind
    assert type(array.base) is MEMORY_CLASSES[kind]
    assert array.base.nbytes == array.nbytes == 6 * np.dtype(typestr).itemsize


@pytest.mark.parametrize(
    "given", ["f4", "<f4", "=f4", "|f4", "float32", np.float32, np.dtype("f4"), np.dtype("=f4")]
)
def test_element_type_can_be_given_in_many_ways(given):
    assert USMArray(3, given).dtype == np.float32


@pytest.mark.parametrize(
    ("given", "expected"), [(bool, "?"), (int, "i8"), (float, "f8"), (complex, "c16")]
)
def test_python_types_are_element_types(given, expected):
    assert USMArray(3, given).dtype == np.dtype(expected)


@pytest.mark.parametrize(
    "given",
    [
        ">f8",
        "f16",
        "m8",
        "M8[s]",
        "O",
        "S3",
        "U3",
        "V8",
        "",
        "real",
        np.dtype(">i4"),
        np.longdouble,
        object,
        str,
    ],
)
def test_element_type_that_no_device_has_is_a_value_error(given):
    with pytest.raises(ValueError, match="typestr"):
        USMArray(3, given)


@pytest.mark.parametrize("given", [5, 1.5, b"f8x", ("f8", "f4"), object()])
def test_element_type_that_is_none_is_a_type_error(given):
    with pytest.raises((TypeError, ValueError)):
        USMArray(3, given)


def test_order_f_makes_columns_contiguous():
    array = USMArray((2, 3, 4), order="F")
    assert array.strides == (1, 2, 6)
    assert array.flags.f_contiguous
    assert not array.flags.c_contiguous


@pytest.mark.parametrize("order", ["A", "K", "k", "", 5, b"C"])
def test_order_other_than_c_or_f_is_a_value_error(order):
    with pytest.raises(ValueError, match="'C' or 'F'"):
        USMArray((2, 3), order=order)


@pytest.mark.parametrize(("order", "strides"), [("c", (3, 1)), ("f", (1, 2)), (None, (3, 1))])
def test_order_may_be_in_lower_case_and_is_c_unless_given(order, strides):
    assert USMArray((2, 3), order=order).strides == strides


def test_strides_decide_over_order():
    assert USMArray((2, 3), strides=(3, 1), order="F").strides == (3, 1)


@pytest.mark.parametrize(
    ("shape", "strides", "elements", "offset"),
    [
        ((2, 3), (6, 1), 9, 0),
        ((2, 2), (2, -1), 4, 1),
        ((4, 2), (-5, -2), 18, 17),
        ((4,), (-2,), 7, 6),
        ((5,), (0,), 1, 0),
        ((1, 1), (7, -7), 1, 0),
        ((3, 4), (0, -1), 4, 3),
        ((), (), 1, 0),
        ((0, 4), (9, -9), 1, 0),
        ((4, 0), (-100, 1), 1, 0),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_new_memory_has_exactly_the_bytes_of_the_span(kind, shape, strides, elements, offset):
    array = USMArray(shape, "i2", kind, strides)
    assert elements_of_memory(array) == elements
    assert array.offset == offset
    assert (array.shape, array.strides) == (shape, strides)
    assert array._pointer == array.base._pointer + 2 * offset


def test_offset_of_new_memory_may_be_given_when_it_is_the_one_that_fits():
    assert USMArray((2, 2), "u1", "host", (2, -1), 1).offset == 1
    for offset in (2, -1, 17):
        with pytest.raises(ValueError, match=f"offset {offset} does not fit.*expected 1"):
            USMArray((2, 2), "u1", "host", (2, -1), offset)
    with pytest.raises(ValueError, match="offset 3 does not fit.*expected 0"):
        USMArray((2, 3), offset=3)


@pytest.mark.parametrize("shape", [5, np.int16(5), (5,), [5], (np.int64(5),)])
def test_shape_may_be_an_integer_or_a_sequence(shape):
    assert USMArray(shape).shape == (5,)


@pytest.mark.parametrize("shape", [1.0, "5", None, (1.0,), {5}, (None,), ((5,),)])
def test_shape_of_another_type_is_a_type_error(shape):
    with pytest.raises(TypeError, match="shape"):
        USMArray(shape)


@pytest.mark.parametrize(
    "shape", [(-1,), (3, -1), (2**40, 2**40), (2**62, 4), (2**61,), 2**63, (1,) * 65]
)
def test_shape_that_cannot_be_is_a_value_error(shape):
    with pytest.raises(ValueError, match="shape|number of bytes"):
        USMArray(shape)


def test_number_of_strides_must_match_the_shape():
    with pytest.raises(ValueError, match=r"2 entries to match shape \(2, 3\), found 1: \(3,\)"):
        USMArray((2, 3), strides=(3,))


@pytest.mark.parametrize("strides", [1, 1.0, "ab", (1.0, 1), (None, 1), {1, 2}])
def test_strides_of_another_type_are_a_type_error(strides):
    with pytest.raises(TypeError, match="strides"):
        USMArray((2, 3), strides=strides)


@pytest.mark.parametrize("strides", [(2**62, 1), (2**63, 1), (-(2**63), 1), (2**61, 1)])
def test_strides_that_wrap_around_are_a_value_error(strides):
    with pytest.raises(ValueError, match="fit|number of bytes"):
        USMArray((3, 3), strides=strides)


@pytest.mark.parametrize("offset", [1.0, "1", (1,), object()])
def test_offset_of_another_type_is_a_type_error(offset):
    with pytest.raises(TypeError):
        USMArray((2, 3), buffer=MemoryUSMShared(96), offset=offset)


def test_offset_may_be_any_integer_object():
    assert USMArray(2, buffer=MemoryUSMShared(96), offset=np.int16(3)).offset == 3


@pytest.mark.parametrize("buffer", ["Device", "system", "", "unknown"])
def test_unknown_kind_of_memory_is_a_value_error_that_names_it(buffer):
    with pytest.raises(ValueError, match=f"'device', 'shared' or 'host', found '{buffer}'"):
        USMArray(3, buffer=buffer)


@pytest.mark.parametrize("buffer", [5, b"device", np.zeros(3), bytearray(24), object()])
def test_buffer_that_is_no_usm_is_a_type_error_that_names_its_type(buffer):
    with pytest.raises(TypeError, match=type(buffer).__name__):
        USMArray(3, buffer=buffer)


def test_too_much_memory_is_an_allocation_error():
    with pytest.raises(usmx.USMAllocationError, match=str(2**58)):
        USMArray(2**55)


# ---- the constructor: keywords for the memory


def test_queue_of_new_memory_can_be_given():
    queue = usmx.SyclQueue()
    assert USMArray(3, buffer_ctor_kwargs={"queue": queue}).sycl_queue == queue
    assert USMArray(3, buffer_ctor_kwargs={"queue": dpctl.SyclQueue()}).sycl_queue != queue


def test_alignment_of_new_memory_can_be_given():
    arrays = [USMArray(1, buffer_ctor_kwargs={"alignment": 1024}) for _ in range(4)]
    assert [array._pointer % 1024 for array in arrays] == [0] * 4


def test_copy_of_existing_memory_can_be_asked_for():
    memory = MemoryUSMShared(24)
    memory.memset(1)
    array = USMArray(3, "u8", memory, buffer_ctor_kwargs={"copy": True})
    memory.memset(0)
    assert array.base is not memory
    assert array.usm_type == "shared"
    assert usmx.asnumpy(array).tolist() == [0x0101010101010101] * 3


def test_unknown_keyword_is_a_type_error_that_names_it():
    with pytest.raises(TypeError, match="'size'"):
        USMArray(3, buffer_ctor_kwargs={"size": 3})
    with pytest.raises(TypeError, match="5"):
        USMArray(3, buffer_ctor_kwargs={5: 3})


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"copy": "yes"}, "copy"),
        ({"copy": 1}, "copy"),
        ({"alignment": 1.0}, "alignment"),
        ({"queue": 5}, "queue"),
        (None, "buffer_ctor_kwargs"),
        ([], "buffer_ctor_kwargs"),
    ],
)
def test_keyword_of_another_type_is_a_type_error_that_names_it(keywords, message):
    with pytest.raises(TypeError, match=message):
        USMArray(3, buffer=MemoryUSMShared(24), buffer_ctor_kwargs=keywords)


@pytest.mark.parametrize("alignment", [-1, 3, -(2**40)])
def test_alignment_that_is_no_power_of_two_is_a_value_error(alignment):
    with pytest.raises(ValueError, match="alignment"):
        USMArray(3, buffer_ctor_kwargs={"alignment": alignment})


# ---- the constructor: existing memory


@pytest.mark.parametrize("kind", KINDS)
def test_memory_object_becomes_the_base(kind):
    memory = MEMORY_CLASSES[kind](96)
    array = USMArray((3, 2), "i8", memory, offset=2)
    assert array.base is memory
    assert array.usm_data is memory
    assert array.usm_type == kind
    assert array._pointer == memory._pointer + 16
    assert array.sycl_queue == memory.sycl_queue


def test_offset_counts_from_the_start_of_another_arrays_memory():
    whole = USMArray(12, "i4", "shared")
    part = whole[6:]
    again = USMArray((3,), "i4", part, offset=1)
    assert again.base is whole.base
    assert again._pointer == whole._pointer + 4


def test_any_producer_can_be_the_buffer():
    memory = MemoryUSMShared(96)
    producer = Producer(interface_of(memory, shape=(4,), offset=2), memory)
    array = USMArray((4,), "f8", producer)
    assert array._pointer == memory._pointer + 16
    assert array.base.reference_obj is producer
    with pytest.raises(ValueError, match="needs bytes 0 to 39 of its memory, which has 32 bytes"):
        USMArray((5,), "f8", producer)


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "first", "last"),
    [
        ((13,), None, 0, 0, 103),
        ((12,), None, 1, 8, 103),
        ((1,), None, 12, 96, 103),
        ((1,), None, -1, -8, -1),
        ((4,), (-2,), 5, -8, 47),
        ((4, 2), (-5, -2), 0, -136, 7),
        ((), None, 100, 800, 807),
    ],
)
def test_elements_outside_of_existing_memory_are_a_value_error_with_the_bytes(
    shape, strides, offset, first, last
):
    with pytest.raises(ValueError, match=f"bytes {first} to {last} .*which has 96 bytes"):
        USMArray(shape, "f8", MemoryUSMShared(96), strides, offset)


@pytest.mark.parametrize("offset", [0, 12, 100, -100, 2**62])
def test_array_without_elements_fits_anywhere(offset):
    array = USMArray((0,), "f8", MemoryUSMShared(8), offset=offset)
    assert array.size == 0
    assert array.offset == offset
    assert usmx.asnumpy(array).shape == (0,)


def test_offset_in_bytes_that_wraps_around_is_a_value_error():
    for offset in (2**61, 2**62, -(2**61)):
        with pytest.raises(ValueError, match="fit|bytes"):
            USMArray((1,), "f8", MemoryUSMShared(96), offset=offset)


def test_element_zero_must_be_aligned():
    memory = usmx.memory.as_usm_memory(USMArray(64, "u1", "shared")[1:])
    with pytest.raises(ValueError, match="aligned to 8"):
        USMArray((2,), "f8", memory)
    assert USMArray((2,), "u1", memory)._pointer == memory._pointer


def test_same_memory_through_other_types():
    memory = MemoryUSMHost(16)
    memory.copy_from_host(np.array([1.0, 2.0]))
    assert usmx.asnumpy(USMArray(2, "f8", memory)).tolist() == [1.0, 2.0]
    assert usmx.asnumpy(USMArray(1, "c16", memory)).tolist() == [1 + 2j]
    assert usmx.asnumpy(USMArray(2, "u8", memory, (-1,), 1)).tolist() == [2**62, 0x3FF << 52]


# ---- attributes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (2, 0, 3), (1,) * 32, (1,) * 64])
def test_attributes_are_numpys(kind, shape):
    array = usmx.zeros(shape, "c8", usm_type=kind)
    expected = np.zeros(shape, "c8")
    for name in ("ndim", "shape", "size", "nbytes", "itemsize", "dtype"):
        assert getattr(array, name) == getattr(expected, name)
    assert array.nd == expected.ndim
    if expected.size > 0:  # those of no elements differ between NumPy's releases
        assert array.strides == tuple(stride // 8 for stride in expected.strides)
    assert type(array.shape) is tuple
    assert isinstance(array.dtype, np.dtype)


def test_attributes_of_the_queue_agree():
    queue = usmx.SyclQueue()
    array = usmx.empty(3, sycl_queue=queue)
    assert array.sycl_queue == queue
    assert array.sycl_context == queue.sycl_context
    assert array.sycl_device == queue.sycl_device


@pytest.mark.parametrize(
    "name",
    [
        "shape",
        "strides",
        "dtype",
        "offset",
        "base",
        "usm_data",
        "flags",
        "T",
        "mT",
        "size",
        "usm_type",
    ],
)
def test_attributes_cannot_be_set(name):
    array = usmx.zeros((2, 3))
    with pytest.raises(AttributeError):
        setattr(array, name, getattr(array, name))


def test_array_has_no_other_attributes():
    with pytest.raises(AttributeError):
        usmx.empty(3).data_pointer = 0


def test_len_is_the_first_extent():
    assert len(usmx.empty((4, 2))) == 4
    assert len(usmx.empty((0, 2))) == 0
    with pytest.raises(TypeError, match="0-dimensional"):
        len(usmx.empty(()))


def test_base_is_one_object_and_that_of_every_view():
    array = usmx.empty((4, 6))
    assert array.base is array.base is array.usm_data
    for view in (array[1:], array[2, 3], array.T, array.readonly(), array[::2].T[1:]):
        assert view.base is array.base


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3), (1, 1), (2, 3, 4), (1, 2, 3, 2)])
def test_transposed_view_is_numpys(shape):
    host = np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape)
    array = usmx.asarray(host)
    assert array.T.shape == host.T.shape
    assert array.T.strides == tuple(stride // 4 for stride in host.T.strides)
    assert array.T._pointer == array._pointer
    assert np.array_equal(usmx.asnumpy(array.T), host.T)


def test_matrix_transposed_view_is_numpys():
    host = np.arange(24).reshape(2, 3, 4)
    array = usmx.asarray(host)
    assert array.mT.shape == (2, 4, 3)
    assert np.array_equal(usmx.asnumpy(array.mT), host.mT)
    assert array[0].mT.strides == array[0].T.strides


@pytest.mark.parametrize("ndim", [0, 1])
def test_matrix_transposed_needs_two_dimensions(ndim):
    with pytest.raises(ValueError, match=f"at least 2 dimensions, found {ndim}"):
        _ = usmx.empty((3,) * ndim).mT


@pytest.mark.parametrize("typestr", ["<c8", "<c16"])
@pytest.mark.parametrize("key", [np.s_[...], np.s_[::-1, 1::2], np.s_[1, 2], np.s_[:0]])
def test_components_of_complex_elements_are_views(typestr, key):
    host = (np.arange(12) - 3j * np.arange(12)).astype(typestr).reshape(3, 4)[key]
    array = usmx.asarray((np.arange(12) - 3j * np.arange(12)).astype(typestr).reshape(3, 4))[key]
    for mine, numpys in ((array.real, np.real(host)), (array.imag, np.imag(host))):
        assert mine.dtype == numpys.dtype
        assert mine.base is array.base
        assert np.array_equal(usmx.asnumpy(mine), numpys)
    assert array.real.offset == 2 * array.offset
    assert array.imag.offset == 2 * array.offset + 1


@pytest.mark.parametrize("typestr", ["|b1", "<i4", "<u2", "<f2", "<f8"])
def test_components_of_real_elements(typestr):
    array = usmx.zeros((2, 3), typestr, usm_type="shared")
    assert array.real is array
    imaginary = array.imag
    assert imaginary.dtype == array.dtype
    assert imaginary.usm_type == "shared"
    assert not imaginary.flags.writable
    assert not usmx.asnumpy(imaginary).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("value", [7, True, [[1], [2]], np.arange(3.0), np.int8(-1)], ids=repr)
def test_components_are_set_as_numpys(kind, part, value):
    host = (np.arange(6) - 3j * np.arange(6)).reshape(2, 3)
    array = usmx.asarray(host, usm_type=kind)
    setattr(array, part, value)
    setattr(host, part, value)
    assert np.array_equal(usmx.asnumpy(array), host)
    setattr(array, part, usmx.asarray([5, 6, 7], usm_type="host"))
    setattr(host, part, [5, 6, 7])
    assert np.array_equal(usmx.asnumpy(array), host)


def test_real_elements_are_set_by_their_real_part_and_have_no_other():
    array = usmx.zeros(3)
    array.real = [1, 2, 3]
    assert array.tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="float64 have no imaginary part"):
        array.imag = 0


@pytest.mark.parametrize("part", ["real", "imag"])
def test_components_that_cannot_be_set_are_left(part):
    array = usmx.ones(3, "c8")
    with pytest.raises(ValueError, match=r"shape \(2,\) into shape \(3,\)"):
        setattr(array, part, [1, 2])
    with pytest.raises(ValueError, match="read-only"):
        setattr(array.readonly(), part, 5)
    assert array.tolist() == [1, 1, 1]


def test_wait_waits_for_what_is_pending():
    assert usmx.zeros(5).wait() is None


# ---- flags

LAYOUTS = [
    np.s_[...],
    np.s_[0],
    np.s_[:1],
    np.s_[:, :1],
    np.s_[:, :, :1],
    np.s_[::2],
    np.s_[..., ::2],
    np.s_[::-1],
    np.s_[1:1],
    np.s_[0, 0],
    np.s_[0, 0, 0],
    np.s_[:, 0],
    np.s_[:1, :1, ::3],
]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("key", LAYOUTS)
def test_flags_are_numpys(order, key):
    mine = usmx.empty((3, 4, 5), order=order)[key].flags
    numpys = np.empty((3, 4, 5), order=order)[key].flags
    for name in ("c_contiguous", "f_contiguous", "forc", "fnc"):
        assert getattr(mine, name) is getattr(numpys, name)
        assert mine[name.upper()] is numpys[name.upper()]
    assert mine.contiguous is mine["CONTIGUOUS"] is numpys.forc
    assert mine.fc is mine["FC"] is (numpys.c_contiguous and numpys.f_contiguous)
    assert mine["C"] is numpys["C"]
    assert mine["F"] is numpys["F"]


def test_strides_that_dpctl_calls_contiguous_are_not():
    flags = USMArray((2, 3, 2), strides=(5, 2, 2)).flags
    assert not flags.c_contiguous
    assert not flags.f_contiguous


def test_writable_has_all_its_names():
    flags = usmx.empty(3).flags
    assert flags.writable is flags.writeable is True
    assert flags["WRITABLE"] is flags["WRITEABLE"] is flags["W"] is True


@pytest.mark.parametrize("key", ["OWNED", "", "writable%s", "c"])
def test_unknown_flag_is_a_key_error_that_names_it(key):
    with pytest.raises(KeyError, match=f"unknown flag '{key}'"):
        usmx.empty(3).flags[key]


@pytest.mark.parametrize("key", [5, None, b"C"])
def test_name_of_a_flag_must_be_a_string(key):
    flags = usmx.empty(3).flags
    with pytest.raises(TypeError, match="'key' must be a string"):
        flags[key]
    with pytest.raises(TypeError, match="'key' must be a string"):
        flags[key] = False


def test_flags_are_compared_and_shown():
    assert usmx.empty((2, 3)).flags == usmx.zeros((4, 5)).flags
    assert usmx.empty((2, 3)).flags != usmx.empty((2, 3)).T.flags
    assert usmx.empty(3).flags != 5
    assert "C_CONTIGUOUS : True" in repr(usmx.empty((2, 3)).flags)
    assert "F_CONTIGUOUS : False" in repr(usmx.empty((2, 3)).flags)


def test_flags_keep_their_array_alive():
    flags = usmx.empty((2, 3)).flags
    assert flags.c_contiguous


@pytest.mark.parametrize(
    "name", ["c_contiguous", "f_contiguous", "forc", "fnc", "fc", "contiguous"]
)
def test_flags_of_the_layout_cannot_be_set(name):
    flags = usmx.empty((2, 3)).flags
    with pytest.raises(AttributeError):
        setattr(flags, name, True)
    with pytest.raises(ValueError, match="only the flag WRITABLE"):
        flags[name.upper()] = True


# ---- as a Python object


def test_array_can_be_referenced_weakly():
    array = usmx.empty(3)
    reference = weakref.ref(array)
    assert reference() is array
    del array
    assert reference() is None


def test_subclass_is_an_array():
    class Labelled(USMArray):
        def __init__(self, *args, label, **kwargs):
            super().__init__(*args, **kwargs)
            self.label = label

    array = Labelled((2, 3), "i4", "shared", label="mine")
    assert array.label == "mine"
    assert array.shape == (2, 3)
    assert usmx.asarray(array)._pointer == array._pointer
    assert np.asarray(array).shape == (2, 3)
    assert array[0].shape == (3,)


def test_subclass_that_never_constructed_its_base_is_refused():
    class Unfinished(USMArray):
        def __init__(self):
            pass

    array = Unfinished()
    for use in (len, usmx.asarray, usmx.memory.as_usm_memory, memoryview, operator.itemgetter(0)):
        with pytest.raises(TypeError, match=r"super\(\).__init__\(\)"):
            use(array)


# ---- what __new__ alone has made


@pytest.mark.parametrize(
    "use",
    [repr, str, format, copy.copy, copy.deepcopy, pickle.dumps, lambda a: a.tobytes(),
     lambda a: a.astype("f4"), lambda a: a.to_device("cpu")],
    ids=["repr", "str", "format", "copy", "deepcopy", "pickle", "tobytes", "astype", "to_device"],
)  # fmt: skip
def test_array_that_was_not_constructed_says_so(use):
    with pytest.raises(TypeError, match="__init__ was never called"):
        use(USMArray.__new__(USMArray))


# ---- tobytes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_bytes_are_numpys(kind, order):
    numbers = np.arange(24.0).reshape(2, 3, 4)
    array = usmx.asarray(numbers, usm_type=kind)
    for index in [(), (slice(None), slice(None, None, -1)), (1,), (0, 0, 0)]:
        assert array[index].tobytes(order) == np.asarray(numbers[index]).tobytes(order)
    assert array.transpose().tobytes(order) == numbers.T.tobytes(order)
    assert array.tobytes() == numbers.tobytes()


# ---- names of element types


@pytest.mark.parametrize("name", ["float33", "", "double precision", "é"])
def test_unknown_name_of_a_type_is_told_with_those_that_there_are(name):
    with pytest.raises(
        ValueError, match="'dtype' must be bool, int8, .*complex128.*found"
    ) as caught:
        usmx.zeros(3, name)
    assert repr(name) in str(caught.value)
