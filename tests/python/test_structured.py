"""Structured arrays: NumPy's fields, offsets and values, in USM, and every description that is refused."""

import numpy as np
import pytest
import usmx
from helpers import FORMAT, KINDS, ND, TYPESTRS, Producer, requested_buffer
from hypothesis import given, settings
from hypothesis import strategies as st
from usmx import USMArray, asarray, asnumpy, from_usm_array_interface

PACKED = np.dtype([("a", "i1"), ("b", "f8")])
ALIGNED = np.dtype([("a", "i1"), ("b", "f8")], align=True)
NESTED = np.dtype([("p", ALIGNED, (2,)), ("q", "c8", (2, 3)), ("r", "?")], align=True)


def noise(shape, dtype):
    """A NumPy array of any bits."""
    nbytes = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(np.random.default_rng(3).bytes(nbytes), dtype).reshape(shape)


def raw(array):
    """The same elements as plain bytes; NumPy leaves out the padding where it copies fields."""
    return array.view(f"V{array.dtype.itemsize}")


def interface_of(array, **changes):
    return array.__sycl_usm_array_interface__ | changes


def refused(typestr, typedescr, error, *parts):
    array = USMArray(64, "u1", "shared")
    changes = {"shape": (1,), "typestr": typestr, "typedescr": typedescr}
    with pytest.raises(error) as caught:
        from_usm_array_interface(Producer(interface_of(array, **changes), array))
    for part in parts:
        assert part in str(caught.value)


# ---- Containers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [PACKED, ALIGNED, NESTED], ids=["packed", "aligned", "nested"])
def test_array_has_numpys_dtype(kind, dtype):
    array = USMArray((2, 3), dtype, kind)
    assert array.dtype == dtype
    assert array.itemsize == dtype.itemsize
    assert array.nbytes == array.base.nbytes == 6 * dtype.itemsize


@pytest.mark.parametrize(
    "fields",
    [
        [("a", "<f4"), ("b", "|i1", (2, 3))],
        [("a", "float32"), ("b", int)],
        [("a", [("x", "f4"), ("y", "f4")]), ("b", PACKED)],
        [("", "f4"), ("", "i4")],
        {"names": ["a"], "formats": ["f4"], "offsets": [4], "itemsize": 16},
    ],
)
def test_element_type_can_be_given_as_numpy_takes_it(fields):
    assert USMArray(3, fields).dtype == np.dtype(fields)


def test_entries_without_a_name_and_of_void_type_are_padding():
    assert USMArray(3, [("a", "|i1"), ("", "|V7"), ("b", "<f8")]).dtype == ALIGNED


def test_zeros_are_zero():
    assert not asnumpy(usmx.zeros(3, NESTED)).view("u1").any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [PACKED, ALIGNED, NESTED], ids=["packed", "aligned", "nested"])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0, 3)])
def test_numpy_arrays_come_back_bit_by_bit(kind, dtype, shape):
    expected = noise(shape, dtype)
    found = asnumpy(asarray(expected, usm_type=kind))
    assert found.dtype == dtype
    assert found.tobytes() == expected.tobytes()


def test_lists_of_tuples_are_taken_with_a_dtype():
    found = asnumpy(asarray([(1, 2.5), (3, 4.5)], dtype=PACKED))
    assert found.tolist() == [(1, 2.5), (3, 4.5)]


@pytest.mark.parametrize("kind", KINDS)
def test_slices_are_numpys(kind):
    expected = noise((4, 6), NESTED)
    array = asarray(expected, usm_type=kind)
    for key in (
        1,
        (slice(None), 2),
        (slice(3, 0, -2), slice(None, None, 2)),
        (Ellipsis, None),
        (3, 5),
    ):
        assert raw(asnumpy(array[key])).tobytes() == raw(expected)[key].tobytes()
    assert raw(asnumpy(array.T)).tobytes() == raw(expected).T.tobytes()


@pytest.mark.parametrize(
    ("dtype", "match"),
    [
        ([("a", "S3")], "field 'a'.*S3"),
        ([("a", ">f4")], "field 'a'.*byte order"),
        ([("a", "V4")], "field 'a'.*V4"),
        ([("a", "O")], "field 'a'.*O"),
        (
            np.dtype({"names": ["a", "b"], "formats": ["f4", "f4"], "offsets": [0, 2]}),
            "overlapping",
        ),
        (
            np.dtype({"names": ["a", "b"], "formats": ["f4", "f4"], "offsets": [4, 0]}),
            "out-of-order",
        ),
        (np.dtype([]), "found 0"),
        (np.dtype({"names": [], "formats": [], "offsets": [], "itemsize": 8}), "named field"),
    ],
)
def test_fields_that_no_device_has_are_a_value_error(dtype, match):
    with pytest.raises(ValueError, match=match):
        USMArray(3, dtype)


def test_title_is_refused():
    with pytest.raises(TypeError, match="title"):
        USMArray(3, [(("title", "a"), "f4")])


# ---- Exchange


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [PACKED, ALIGNED, NESTED], ids=["packed", "aligned", "nested"])
def test_typedescr_is_numpys_descr(kind, dtype):
    interface = USMArray(3, dtype, kind).__sycl_usm_array_interface__
    assert interface["typestr"] == dtype.str
    assert interface["typedescr"] == dtype.descr
    assert len(interface) == 8


def test_plain_array_has_no_typedescr():
    assert "typedescr" not in USMArray(3).__sycl_usm_array_interface__


@pytest.mark.parametrize("dtype", [PACKED, ALIGNED, NESTED], ids=["packed", "aligned", "nested"])
def test_array_made_from_a_dictionary_emits_the_same(dtype):
    array = USMArray((4, 6), dtype, "shared")[1:, ::-2]
    i = array.__sycl_usm_array_interface__
    same = USMArray(i["shape"], i["typedescr"], array, i["strides"], i["offset"])
    assert same.__sycl_usm_array_interface__ == i


@pytest.mark.parametrize("kind", KINDS)
def test_foreign_structured_memory_is_viewed(kind):
    expected = noise((4, 6), NESTED)
    owner = asarray(expected, usm_type=kind)
    view = from_usm_array_interface(Producer(owner[::-1].__sycl_usm_array_interface__, owner))
    assert view.dtype == NESTED
    assert asnumpy(view).tobytes() == raw(expected)[::-1].tobytes()


def test_lists_of_lists_and_tuples_of_tuples_are_a_typedescr():
    array = USMArray(3, PACKED, "shared")
    for typedescr in ([["a", "|i1"], ["b", "<f8", ()]], (("a", "|i1"), ("b", "<f8", []))):
        producer = Producer(interface_of(array, typedescr=typedescr), array)
        assert from_usm_array_interface(producer).dtype == PACKED


@pytest.mark.parametrize("typestr", ["V9", "|V9", "<V9", "=V9"])
def test_every_native_prefix_is_accepted(typestr):
    array = USMArray(3, PACKED, "shared")
    producer = Producer(interface_of(array, typestr=typestr), array)
    assert from_usm_array_interface(producer).dtype == PACKED


def test_structured_memory_need_not_be_aligned():
    array = USMArray(19, "u1", "shared")
    i = interface_of(array, shape=(2,), typestr="|V9", typedescr=PACKED.descr)
    i["data"] = (i["data"][0] + 1, False)
    assert from_usm_array_interface(Producer(i, array)).dtype == PACKED


def test_structured_memory_must_lie_inside_its_allocation():
    array = USMArray(17, "u1", "shared")
    i = interface_of(array, shape=(2,), typestr="|V9", typedescr=PACKED.descr)
    with pytest.raises(ValueError, match="alloc"):
        from_usm_array_interface(Producer(i, array))


@pytest.mark.parametrize("typedescr", [None, "missing"])
def test_missing_typedescr_is_a_value_error_that_names_the_typestr(typedescr):
    array = USMArray(3, PACKED, "shared")
    i = interface_of(array, typedescr=typedescr)
    if typedescr == "missing":
        del i["typedescr"]
    with pytest.raises(ValueError, match=r"'\|V9' must come with a 'typedescr'"):
        from_usm_array_interface(Producer(i, array))


def test_fields_that_do_not_add_up_are_a_value_error_that_names_both():
    refused("|V12", PACKED.descr, ValueError, "'|V12'", repr(PACKED.descr), "9 bytes")


@pytest.mark.parametrize(
    "typestr", ["|V", "|V0", "|V09", "|V9 ", "|V-9", "|V9x", ">V9", "|V99999999999999999999"]
)
def test_typestr_without_a_size_is_a_value_error(typestr):
    refused(typestr, PACKED.descr, ValueError, repr(typestr))


@pytest.mark.parametrize("typestr", ["<f16", "|O", "|S8", "<M8", ">f8", "|V8", "", "float64"])
def test_unknown_field_type_is_a_value_error_that_names_the_field(typestr):
    refused("|V8", [("odd", typestr)], ValueError, "'|V8'", "field 'odd'", repr(typestr))


def test_field_name_that_is_there_twice_is_a_value_error():
    refused("|V2", [("a", "|i1"), ("a", "|i1")], ValueError, "'a' twice")


@pytest.mark.parametrize("entry", [("", "<f8"), ("", "|V8", (1,)), ("", [("a", "<f8")])])
def test_entry_without_a_name_that_is_no_padding_is_a_value_error(entry):
    refused("|V8", [entry], ValueError, "padding")


def test_padding_alone_is_a_value_error():
    refused("|V8", [("", "|V8")], ValueError, "at least one named field")


@pytest.mark.parametrize(
    "typedescr", [5, "text", {}, [5], ["ab"], [("a",)], [("a", "<f8", (), 1)], [(1, "<f8")], [("a", 5)],
                  [("a", "<f8", 1)], [("a", "<f8", ("x",))], [(("title", "a"), "<f8")]]
)  # fmt: skip
def test_what_is_no_typedescr_is_a_value_error_that_names_both_keys(typedescr):
    refused("|V8", typedescr, ValueError, "typedescr", "'|V8'")


def test_negative_extent_is_a_value_error():
    refused("|V8", [("a", "|i1", (-8,))], ValueError, "'a'", "(-8,)")


def test_typedescr_that_holds_itself_is_a_value_error():
    endless = []
    endless.append(("a", endless))
    refused("|V8", endless, ValueError, "16 deep")


def test_typedescr_of_very_many_entries_is_a_value_error():
    entries = [("a", "|i1")]
    for _ in range(10):
        entries = [(f"f{k}", entries) for k in range(10)]
    refused("|V8", entries, ValueError, "65536 entries")


def test_error_inside_of_a_typedescr_passes_through():
    class Raising:
        def __index__(self):
            raise ZeroDivisionError

    refused("|V8", [("a", "|i1", (Raising(),))], ZeroDivisionError)


# ---- PEP 3118


@pytest.mark.parametrize("kind", ["shared", "host"])
@pytest.mark.parametrize("dtype", [PACKED, ALIGNED, NESTED], ids=["packed", "aligned", "nested"])
def test_numpy_sees_the_fields_without_a_copy(kind, dtype):
    expected = noise((2, 3), dtype)
    array = asarray(expected, usm_type=kind)
    view = np.asarray(array)
    assert view.dtype == dtype
    assert view.ctypes.data == array._pointer
    assert view.tobytes() == expected.tobytes()
    view.view("u1")[...] = 0
    assert not asnumpy(array).view("u1").any()


def test_format_writes_every_gap():
    padded = np.dtype(
        {"names": ["a", "b"], "formats": ["i8", "2c8"], "offsets": [1, 16], "itemsize": 40}
    )
    with requested_buffer(USMArray(2, padded, "shared"), ND | FORMAT) as buffer:
        assert buffer.format == b"T{x=q:a:7x(2)=Zf:b:8x}"
        assert buffer.itemsize == 40


def test_field_name_with_a_colon_is_no_format_and_still_copied():
    expected = noise(3, np.dtype([("a:b", "i4")]))
    array = asarray(expected, usm_type="shared")
    assert asnumpy(array).tobytes() == expected.tobytes()
    with pytest.raises(BufferError, match="':'"):
        memoryview(array)


# ---- Fields


@pytest.mark.parametrize("kind", KINDS)
def test_field_is_a_view(kind):
    expected = noise((4, 6), NESTED)
    array = asarray(expected, usm_type=kind)
    assert array["r"].base is array["r"].base
    for key in ("q", "r"):
        assert array[key].shape == expected[key].shape
        assert asnumpy(array[key]).tobytes() == expected[key].tobytes()
        assert asnumpy(array[1:, ::-2][key]).tobytes() == expected[1:, ::-2][key].tobytes()


def test_what_is_written_to_a_field_is_in_the_array():
    array = usmx.zeros(3, ALIGNED, usm_type="shared")
    np.asarray(array["b"])[:] = [1, 2, 3]
    assert asnumpy(array)["b"].tolist() == [1, 2, 3]
    assert asnumpy(array)["a"].tolist() == [0, 0, 0]


def test_nested_field_is_structured():
    dtype = np.dtype([("in", ALIGNED, (2,)), ("f", "f8", (2,))])
    expected = noise(3, dtype)
    view = asarray(expected)["in"]
    assert view.dtype == ALIGNED
    assert asnumpy(view).tobytes() == raw(expected["in"]).tobytes()
    assert asnumpy(view["b"]).tobytes() == expected["in"]["b"].tobytes()


def test_field_keeps_the_memory_object():
    memory = usmx.memory.MemoryUSMShared(64)
    assert USMArray(4, ALIGNED, memory)["b"].base is memory


def test_field_of_a_read_only_array_is_read_only():
    assert not USMArray(4, ALIGNED).readonly()["b"].flags.writable


def test_field_of_an_empty_array_is_empty():
    assert USMArray((0, 3), PACKED)["b"].shape == (0, 3)


def test_field_whose_stride_is_no_whole_number_of_elements_is_a_value_error():
    with pytest.raises(ValueError, match=r"'b'.*item size 8.*offset 1.*strides \(9,\)"):
        USMArray(4, PACKED)["b"]


def test_field_whose_offset_is_no_whole_number_of_elements_is_a_value_error():
    dtype = np.dtype({"names": ["b"], "formats": ["f8"], "offsets": [4], "itemsize": 16})
    with pytest.raises(ValueError, match=r"'b'.*item size 8.*offset 4.*strides \(16,\)"):
        USMArray(4, dtype)["b"]


@pytest.mark.parametrize("name", ["nope", "", "A"])
def test_field_that_does_not_exist_is_a_key_error(name):
    with pytest.raises(KeyError) as caught:
        USMArray(4, PACKED)[name]
    assert caught.value.args == (name,)


@pytest.mark.parametrize("key", ["a", ["a"], (0, "a")])
def test_name_is_no_index_of_a_plain_array(key):
    with pytest.raises(IndexError):
        USMArray(4)[key]


@pytest.mark.parametrize("key", [(0, "a"), b"a", ["a", 0], [["a"]], ("a", "b")])
def test_what_is_no_name_and_no_list_of_names_is_no_index(key):
    with pytest.raises(IndexError):
        USMArray(4, PACKED)[key]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", [["p"], ["p", "r"], ["q", "r"], ["p", "q", "r"]], ids="".join)
def test_several_fields_are_a_read_only_view_of_the_elements(kind, names):
    expected = noise((4, 6), NESTED)
    array = asarray(expected, usm_type=kind)
    view = array[::2, ::-1][names]
    assert view.dtype == expected[names].dtype
    assert view.base is array.base
    assert not view.flags.writable
    there = expected[::2, ::-1][names]
    for name in names:
        mine, numpys = asnumpy(view)[name], there[name]
        parts = numpys.dtype.names or [...]  # NumPy does not copy the padding between these
        assert all(mine[part].tobytes() == numpys[part].tobytes() for part in parts)
    assert asnumpy(array[["q", "r"]]["q"]).tobytes() == expected["q"].tobytes()


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (["nope"], KeyError, "nope"),
        (["a", "nope"], KeyError, "nope"),
        (["b", "a"], ValueError, "in the order.*'a' after 'b'"),
        (["a", "a"], ValueError, "named once.*'a' after 'a'"),
    ],
)
def test_several_fields_that_make_no_view_are_named(names, error, words):
    with pytest.raises(error, match=words):
        USMArray(4, PACKED)[names]


def test_several_fields_are_not_assigned_at_once():
    array = usmx.zeros(3, ALIGNED)
    with pytest.raises(IndexError, match=r"one by one.*\['a', 'b'\]"):
        array[["a", "b"]] = (1, 2.0)


# ---- What structured arrays cannot do, and how they look


@pytest.mark.parametrize("wanted", ["f8", ALIGNED, [("x", "i1"), ("y", "f8")]])
@pytest.mark.parametrize("make", [asarray, asnumpy], ids=["usm", "host"])
def test_conversion_is_a_type_error(make, wanted):
    source = make(asarray(noise(3, PACKED)))
    with pytest.raises(TypeError, match="structured elements are not converted"):
        asarray(source, dtype=wanted)


def test_plain_array_does_not_become_structured():
    with pytest.raises(TypeError, match="structured elements are not converted"):
        asarray(np.arange(3), dtype=PACKED)


def test_own_dtype_is_no_conversion():
    array = asarray(noise(3, PACKED))
    assert asarray(array, dtype=PACKED)._pointer == array._pointer
    assert asnumpy(asarray(array, dtype=PACKED, copy=True)).tobytes() == asnumpy(array).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_repr_shows_elements_and_fields(kind):
    array = asarray([(1, 2.5)], dtype=ALIGNED, usm_type=kind)
    assert "(1, 2.5)" in repr(array)
    assert f"dtype={array.dtype}" in repr(array)
    assert "..." in repr(usmx.zeros(5000, ALIGNED, usm_type=kind))


# ---- Any structure


NAMES = st.text(
    st.characters(exclude_characters=":\0", exclude_categories=["Cs"]), min_size=1, max_size=4
)
SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@st.composite
def structures(draw, depth=2):
    """A structured dtype of NumPy's: packed, aligned or with gaps, of at least one byte."""
    plain = st.sampled_from(TYPESTRS).map(np.dtype)
    element = plain | structures(depth=depth - 1) if depth else plain
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    formats = [np.dtype((draw(element), draw(SHAPES))) for _ in names]
    how = draw(st.sampled_from(["packed", "aligned", "gaps"]))
    if how != "gaps":
        made = np.dtype({"names": names, "formats": formats}, align=how == "aligned")
    else:
        offsets, end = [], 0
        for field in formats:
            offsets.append(end + draw(st.integers(0, 9)))
            end = offsets[-1] + field.itemsize
        itemsize = max(end, 1) + draw(st.integers(0, 9))
        made = np.dtype(
            {"names": names, "formats": formats, "offsets": offsets, "itemsize": itemsize}
        )
    return made if made.itemsize else np.dtype([("byte", "u1")])


def is_whole(expected, array, name):
    """The rule for views of fields, from NumPy's strides and offsets."""
    field, offset = expected.dtype.fields[name]
    item = field.base.itemsize
    reached = [stride for stride, n in zip(expected.strides, expected.shape, strict=True) if n > 1]
    first = array.offset * expected.dtype.itemsize + offset
    return not any(number % item for number in [first, *reached])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(structures(), st.sampled_from(KINDS), st.sampled_from([(), (1,), (3,), (2, 3)]))
def test_any_structure_is_numpys(dtype, kind, shape):
    expected = noise(shape, dtype)
    array = asarray(expected, usm_type=kind)
    assert array.dtype == dtype
    assert array.dtype.fields == dtype.fields
    assert asnumpy(array).tobytes() == expected.tobytes()
    assert array.__sycl_usm_array_interface__["typedescr"] == dtype.descr
    viewed = from_usm_array_interface(Producer(array.__sycl_usm_array_interface__, array))
    assert viewed.dtype == dtype
    if kind != "device":
        assert np.asarray(array).dtype == dtype
    last = array if shape == () else array[-1:]
    expected = expected if shape == () else expected[-1:]
    for name in dtype.names:
        if is_whole(expected, last, name):
            assert last[name].shape == expected[name].shape
            assert asnumpy(last[name]).tobytes() == raw(expected[name]).tobytes()
        else:
            with pytest.raises(ValueError, match="item size"):
                last[name]


def test_long_names_that_share_one_object_are_refused_in_total():
    name = "n" * 2**16
    fields = [(name + str(k % 7), "|u1") for k in range(17)]
    refused("|V17", fields, ValueError, "at most 1048576 bytes of names and types")
    refused("|V9", [("a", [(name, "|u1")] * 9)] * 60000, ValueError, "at most 1048576 bytes")


# ---- Types that came with imports go with their arrays


def described(number):
    """A producer of one element, whose only field has a name of nearly a megabyte."""
    array = USMArray(64, "u1", "shared")
    name = str(number) + "n" * 1_000_000
    typedescr = {"shape": (1,), "typestr": "|V8", "typedescr": [(name, "<f8")]}
    return Producer(interface_of(array, **typedescr), array)


def test_imports_do_not_use_up_the_room_for_types():
    for number in range(200):
        from_usm_array_interface(described(number))


def test_refused_imports_do_not_use_up_the_room_for_types():
    for number in range(200):
        producer = described(number)
        producer.__sycl_usm_array_interface__["shape"] = (1000,)
        with pytest.raises(ValueError, match="not all inside"):
            from_usm_array_interface(producer)


@pytest.mark.slow
def test_type_of_an_import_lives_as_long_as_any_array_of_it():
    for make in (lambda a: a, lambda a: a[:], usmx.copy, usmx.empty_like):
        array = make(from_usm_array_interface(described("kept")))
        for number in range(100):
            from_usm_array_interface(described(number))
        assert array.dtype.names[0].startswith("keptnnn")


def test_type_of_a_field_lives_as_long_as_the_view_of_it():
    array = USMArray(64, "u1", "shared")
    changes = {"shape": (1,), "typestr": "|V8", "typedescr": [("outer", [("inner", "<f8")])]}
    view = from_usm_array_interface(Producer(interface_of(array, **changes), array))["outer"]
    for number in range(100):
        from_usm_array_interface(described(number))
    assert view.dtype.names == ("inner",)
