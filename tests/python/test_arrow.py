"""Arrow both ways: with pyarrow, and with strangers that lie."""

import ctypes
import gc
import threading

import numpy as np
import pyarrow as pa
import pytest
import usmx
from arrow_structures import (
    CPU,
    CUDA,
    ONEAPI,
    Array,
    DeviceArray,
    OnDevice,
    Release,
    Schema,
    Stranger,
    Stream,
    capsule_of,
    held_by,
)
from helpers import HOST_KINDS, KINDS, TYPESTRS, capsule_name, make_capsule, output_of

NUMBERS = [typestr for typestr in TYPESTRS if typestr[1] in "iuf"]
COMPLEX = [typestr for typestr in TYPESTRS if typestr[1] == "c"]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=HOST_KINDS)
def reachable(request):
    return request.param


def sample(typestr="<f8", size=6):
    return np.arange(size).astype(typestr)


def mine(typestr="<f8", kind="shared", size=6):
    return usmx.asarray(sample(typestr, size), usm_type=kind)


def bytes_in_use(kind="shared"):
    return usmx.memory.memory_stats(kind)["used_bytes.current"]


def address(column):
    """Where pyarrow has the first element."""
    return column.buffers()[1].address + column.offset * column.type.byte_width


# ---- out, to pyarrow


@pytest.mark.parametrize("typestr", NUMBERS)
def test_array_of_every_type_of_numbers_is_viewed_by_pyarrow(reachable, typestr):
    array = mine(typestr, reachable)
    column = pa.array(array)
    assert address(column) == array._pointer
    assert column.type == pa.from_numpy_dtype(typestr)
    assert column.null_count == 0
    assert np.array_equal(column.to_numpy(), sample(typestr))
    column.validate(full=True)


def test_both_methods_give_pyarrow_the_same(reachable):
    array = mine(kind=reachable)
    direct = pa.Array._import_from_c_capsule(*array.__arrow_c_array__())
    device = pa.Array._import_from_c_device_capsule(*array.__arrow_c_device_array__())
    assert address(direct) == address(device) == array._pointer
    assert direct.equals(device)


@pytest.mark.parametrize("key", [np.s_[2:], np.s_[3:4], np.s_[2:2], np.s_[4::7]])
def test_part_without_gaps_is_viewed(reachable, key):
    part = mine(kind=reachable)[key]
    column = pa.array(part)
    assert column.to_pylist() == sample()[key].tolist()
    if part.size:
        assert address(column) == part._pointer


def test_pyarrow_keeps_the_memory_alive(reachable):
    before = bytes_in_use(reachable)
    column = pa.array(mine(kind=reachable))
    others = [usmx.zeros(6, "f8", usm_type=reachable) for _ in range(50)]
    assert column.to_pylist() == sample().tolist()
    del others
    assert bytes_in_use(reachable) > before
    del column
    assert bytes_in_use(reachable) == before


def test_pyarrow_sees_what_is_written_later(reachable):
    array = mine(kind=reachable)
    column = pa.array(array)
    array[0] = 100
    assert column[0].as_py() == 100


def test_work_on_the_array_is_finished_when_pyarrow_has_it(reachable):
    array = usmx.zeros(1 << 20, usm_type=reachable)
    for value in range(1, 20):
        usmx.fill_async(array, value)
        assert pa.array(array)[-1].as_py() == value


def test_read_only_array_goes_out():
    assert pa.array(mine().readonly()).to_pylist() == sample().tolist()


def test_pyarrow_may_say_which_type_it_wants():
    assert pa.array(mine(), type=pa.float64()).type == pa.float64()


def test_columns_of_a_table_are_the_arrays():
    arrays = [mine(), mine("<i4")]
    table = pa.table({"x": pa.array(arrays[0]), "y": pa.array(arrays[1])})
    assert [address(table[name].chunk(0)) for name in "xy"] == [a._pointer for a in arrays]


def test_pyarrow_says_that_it_has_no_device_of_oneapi(strict_host):
    array = mine(kind="device")
    if array.__dlpack_device__()[0] != ONEAPI:
        pytest.skip("this device is CUDA's for Arrow")
    with pytest.raises(pa.ArrowKeyError, match="Device type 14"):
        pa.array(array)


# ---- out, as it is written


def test_capsules_are_named_as_the_protocol_says(reachable):
    array = mine(kind=reachable)
    assert [capsule_name(c) for c in array.__arrow_c_array__()] == ["arrow_schema", "arrow_array"]
    names = [capsule_name(c) for c in array.__arrow_c_device_array__()]
    assert names == ["arrow_schema", "arrow_device_array"]


def test_place_of_reachable_memory_is_the_host(reachable):
    made = held_by(mine(kind=reachable).__arrow_c_device_array__()[1], DeviceArray)
    assert (made.device_type, made.device_id, made.sync_event) == (CPU, -1, None)


def test_place_of_device_memory_is_its_device(strict_host):
    array = mine(kind="device")
    capsules = array.__arrow_c_device_array__()
    made = held_by(capsules[1], DeviceArray)
    assert (made.device_type, made.device_id) == array.__dlpack_device__()
    assert made.array.buffers[1] == array._pointer


def test_device_memory_is_not_for_the_host(strict_host):
    with pytest.raises(BufferError, match="device memory"):
        mine(kind="device").__arrow_c_array__()


@pytest.mark.parametrize("method", ["__arrow_c_array__", "__arrow_c_device_array__"])
@pytest.mark.parametrize("typestr", COMPLEX)
def test_elements_that_are_no_numbers_are_refused_by_name(method, typestr):
    array = usmx.zeros(3, typestr, usm_type="shared")
    with pytest.raises(BufferError, match=str(array.dtype)):
        getattr(array, method)()


@pytest.mark.parametrize("method", ["__arrow_c_array__", "__arrow_c_device_array__"])
@pytest.mark.parametrize(
    ("key", "part"),
    [
        (np.s_[::2], "side by side"),
        (np.s_[::-1], "side by side"),
        (np.s_[0], "one dimension"),
    ],
)
def test_other_layouts_are_refused_by_name(method, key, part):
    with pytest.raises(BufferError, match=part):
        getattr(mine()[key], method)()


def test_structured_array_is_refused():
    with pytest.raises(BufferError, match="dtype"):
        usmx.zeros(3, np.dtype([("x", "f4")]), usm_type="shared").__arrow_c_array__()


def test_requested_schema_is_a_capsule_or_none():
    array = mine()
    schema = pa.int8().__arrow_c_schema__()
    for method in (array.__arrow_c_array__, array.__arrow_c_device_array__):
        capsules = method(requested_schema=schema)
        assert held_by(capsules[0], Schema).format == b"g"  # what there is, as the protocol allows
        for wrong in (3, "g", make_capsule("arrow_array")):
            with pytest.raises(TypeError, match="requested_schema"):
                method(wrong)


def test_arguments_of_later_versions_may_be_none():
    array = mine()
    array.__arrow_c_device_array__(stream=None)
    with pytest.raises(NotImplementedError, match="stream"):
        array.__arrow_c_device_array__(None, stream=3)


def test_capsules_that_nobody_takes_let_the_memory_go():
    before = bytes_in_use()
    array = mine(size=1 << 16)
    capsules = [array.__arrow_c_array__(), array.__arrow_c_device_array__()]
    del array
    assert bytes_in_use() > before
    del capsules
    assert bytes_in_use() == before


def test_what_a_consumer_has_moved_out_it_releases_on_any_thread():
    before = bytes_in_use()
    capsules = mine(size=1 << 16).__arrow_c_array__()
    held = held_by(capsules[1], Array)
    moved = Array.from_buffer_copy(held)
    ctypes.c_void_p.from_address(ctypes.addressof(held) + Array.release.offset).value = None
    del capsules, held
    gc.collect()
    assert bytes_in_use() > before
    thread = threading.Thread(target=lambda: moved.release(ctypes.addressof(moved)))
    thread.start()
    thread.join()
    usmx.synchronize()
    assert not moved.release
    assert bytes_in_use() == before


# ---- in, from pyarrow


@pytest.mark.parametrize("typestr", NUMBERS)
def test_column_of_every_type_of_numbers_is_copied(kind, typestr):
    copied = usmx.from_arrow(pa.array(sample(typestr)), usm_type=kind)
    assert (copied.usm_type, copied.dtype, copied.shape) == (kind, typestr, (6,))
    assert np.array_equal(usmx.asnumpy(copied), sample(typestr))


def test_copy_is_of_kind_device_and_on_the_default_queue():
    copied = usmx.from_arrow(pa.array(sample()))
    assert copied.usm_type == "device"
    assert copied.sycl_queue == usmx.zeros(1).sycl_queue


def test_copy_is_on_the_queue_that_is_asked_for():
    queue = usmx.SyclQueue()
    assert usmx.from_arrow(pa.array(sample()), sycl_queue=queue).sycl_queue == queue
    assert usmx.from_arrow(pa.array(sample()), device=queue).sycl_queue == queue


def test_part_of_a_column_is_copied():
    column = pa.array([None, 1.0, 2.0, 3.0, None])[1:4]
    assert usmx.from_arrow(column).tolist() == [1, 2, 3]


def test_chunks_are_copied_one_after_the_other():
    chunks = [[1, 2, 3], [], [4], list(range(1000))]
    column = pa.chunked_array(chunks, type=pa.int16())
    copied = usmx.from_arrow(column)
    assert (copied.dtype, copied.tolist()) == ("i2", column.to_pylist())
    assert usmx.from_arrow(column[2:5]).tolist() == [3, 4, 0]


def test_columns_without_elements_are_copied():
    for column in (pa.array([], pa.float32()), pa.chunked_array([], type=pa.float32())):
        copied = usmx.from_arrow(column)
        assert (copied.shape, copied.dtype) == ((0,), "f4")


def test_array_comes_back_as_a_copy(reachable):
    array = mine(kind=reachable)
    for again in (usmx.from_arrow(array), usmx.from_arrow(pa.array(array))):
        assert again._pointer != array._pointer
        assert np.array_equal(usmx.asnumpy(again), sample())


def test_asarray_copies_a_column_as_numpy_sees_it():
    assert usmx.asarray(pa.array(sample())).tolist() == sample().tolist()
    assert usmx.asarray(pa.chunked_array([sample(), sample()])).shape == (12,)


# ---- bools, lists, dates, dictionaries, tables


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 1000])
def test_bools_go_both_ways_packed_into_bits(reachable, kind, size):
    values = np.arange(size) % 3 == 0
    column = pa.array(usmx.asarray(values, usm_type=reachable))
    column.validate(full=True)
    assert (column.type, column.to_pylist()) == (pa.bool_(), values.tolist())
    for part in (column, column[3:], pa.chunked_array([column, column[1:4]])):
        copied = usmx.from_arrow(part, usm_type=kind)
        assert (copied.dtype, copied.usm_type) == (bool, kind)
        assert copied.tolist() == part.to_pylist()


def test_bools_of_device_memory_cannot_be_packed(strict_host):
    with pytest.raises(BufferError, match="pack them into bits"):
        mine("|b1", "device").__arrow_c_device_array__()


@pytest.mark.parametrize("shape", [(2, 3), (3, 1), (2, 0), (0, 3), (2, 3, 4), (1, 2, 1, 2)])
@pytest.mark.parametrize("typestr", ["<f8", "<i2", "|b1"])
def test_dimensions_are_lists_of_one_size(reachable, shape, typestr):
    values = np.arange(np.prod(shape)).astype(typestr).reshape(shape)
    array = usmx.asarray(values, usm_type=reachable)
    column = pa.array(array)
    column.validate(full=True)
    assert column.to_pylist() == values.tolist()
    elements = column
    for _ in shape[1:]:
        assert pa.types.is_fixed_size_list(elements.type)
        elements = elements.flatten()
    if typestr != "|b1" and array.size:
        assert elements.buffers()[-1].address == array._pointer
    for part in (column, column[1:], pa.chunked_array([column, column])):
        copied = usmx.from_arrow(part)
        assert (copied.shape[1:], copied.dtype) == (shape[1:], values.dtype)
        assert copied.tolist() == part.to_pylist()


def test_lists_live_as_long_as_what_was_moved_out_of_them(reachable):
    before = bytes_in_use(reachable)
    column = pa.array(usmx.asarray(sample(size=1 << 12).reshape(-1, 4), usm_type=reachable))
    elements = column.flatten()
    del column
    assert bytes_in_use(reachable) > before
    assert elements.to_pylist()[:5] == [0, 1, 2, 3, 4]
    del elements
    assert bytes_in_use(reachable) == before


COUNTED = {
    "date32": (pa.int32(), pa.date32()),
    "date64": (pa.int64(), pa.date64()),
    "time32": (pa.int32(), pa.time32("s")),
    "time64": (pa.int64(), pa.time64("us")),
    "timestamp": (pa.int64(), pa.timestamp("ns")),
    "timestamp of a zone": (pa.int64(), pa.timestamp("ms", "Europe/Paris")),
    "duration": (pa.int64(), pa.duration("s")),
}


@pytest.mark.parametrize(("integers", "counted"), COUNTED.values(), ids=COUNTED)
def test_dates_and_times_are_the_integers_that_count_them(integers, counted):
    counts = [0, 86_400_000, 2 * 86_400_000] if counted == pa.date64() else [0, 1, 59]
    column = pa.array(counts, integers).cast(counted)
    copied = usmx.from_arrow(column)
    assert (copied.dtype, copied.tolist()) == (integers.to_pandas_dtype(), counts)


@pytest.mark.parametrize("values", [[1.5, -2.0, 7.0], [True, False], [[1, 2], [3, 4]]])
@pytest.mark.parametrize("index", [pa.int8(), pa.uint16(), pa.int64()])
def test_indices_into_a_dictionary_are_the_values(values, index, kind):
    type_ = pa.list_(pa.int32(), 2) if isinstance(values[0], list) else None
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, 0], index), pa.array(values, type_))
    other = pa.DictionaryArray.from_arrays(pa.array([1, 0], index), pa.array(values[::-1], type_))
    copied = usmx.from_arrow(column, usm_type=kind)
    assert (copied.usm_type, copied.tolist()) == (kind, column.to_pylist())
    assert usmx.from_arrow(column[1:3]).tolist() == column[1:3].to_pylist()
    chunks = pa.chunked_array([column, other])
    assert usmx.from_arrow(chunks).tolist() == chunks.to_pylist()


def test_index_that_the_dictionary_does_not_have_is_refused():
    indices = pa.array([0, 2], pa.int8())
    column = pa.DictionaryArray.from_arrays(indices, pa.array([1.0, 2.0]), safe=False)
    with pytest.raises(ValueError, match="the dictionary has no such value"):
        usmx.from_arrow(column)


def test_table_is_a_dictionary_of_arrays(kind):
    columns = {
        "x": pa.chunked_array([[1.0, 2.0], [3.0]]),
        "flags": pa.chunked_array([[True], [False, True]]),
        "vectors": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int16(), 2)),
        "kinds": pa.array([7, 8, 7]).dictionary_encode(),
        "days": pa.array([0, 1, 2], pa.int32()).cast(pa.date32()),
    }
    table = pa.table(columns)
    for given in (table, table.combine_chunks().to_batches()[0], table.slice(1, 2)):
        arrays = usmx.from_arrow(given, usm_type=kind)
        assert list(arrays) == list(columns)
        for name, array in arrays.items():
            expected = given[name]
            expected = expected.cast(pa.int32()) if name == "days" else expected
            assert (array.usm_type, array.tolist()) == (kind, expected.to_pylist())
    assert usmx.from_arrow(pa.table({})) == {}


def test_names_of_columns_are_different():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])
    with pytest.raises(ValueError, match="different names, found two of 'x'"):
        usmx.from_arrow(table)


REFUSED = {
    "missing": (pa.array([1, None, 3]), "1 missing"),
    "missing in a chunk": (pa.chunked_array([[1.0], [None]]), "1 missing"),
    "missing in a table": (pa.table({"x": [1, 2], "y": [1, None]}), "1 missing"),
    "missing in a list": (pa.array([[1, None]], pa.list_(pa.int8(), 2)), "1 missing"),
    "missing list": (pa.array([[1, 2], None], pa.list_(pa.int8(), 2)), "1 missing"),
    "missing index": (pa.array([1, None]).dictionary_encode(), "1 missing"),
    "missing bool": (pa.array([True, None]), "1 missing"),
    "strings": (pa.array(["a"]), "strings"),
    "strings in a dictionary": (pa.array(["a"]).dictionary_encode(), "strings"),
    "strings in a table": (pa.table({"x": ["a"]}), "strings"),
    "binary": (pa.array([b"a"]), "binary"),
    "lists of any size": (pa.array([[1]]), "nested"),
    "nested tables": (pa.table({"x": [{"y": 1}]}), "nested"),
    "decimal": (pa.array([1]).cast(pa.decimal128(20)), "decimal"),
    "intervals": (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "intervals"),
    "nothing": (pa.nulls(3), "missing"),
}


@pytest.mark.parametrize(("column", "part"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_equivalent_is_refused_by_name(column, part):
    with pytest.raises(BufferError, match=part):
        usmx.from_arrow(column)


# ---- strangers


def test_stranger_is_copied_and_let_go_once():
    stranger = Stranger(sample())
    assert np.array_equal(usmx.asnumpy(usmx.from_arrow(stranger)), sample())
    assert stranger.released == 1
    assert not stranger.array.release  # the consumer has it no more


def test_stranger_with_a_place_is_copied_and_let_go_once():
    stranger = Stranger(sample(), offset=2, length=3)
    assert usmx.from_arrow(OnDevice(stranger)).tolist() == [2, 3, 4]
    assert stranger.released == 1


def test_other_places_are_refused():
    stranger = Stranger(sample(), device_type=CUDA, device_id=1)
    with pytest.raises(BufferError, match="device type 2 with number 1"):
        usmx.from_arrow(OnDevice(stranger))
    assert stranger.released == 0  # it is the capsule's still


MOST = 2**63 - 1
HOSTILE = {
    "length": ({"length": -1}, ValueError, "-1"),
    "offset": ({"offset": -1}, ValueError, "-1"),
    "no buffers": ({"buffers": None}, ValueError, "null pointer"),
    "one buffer": ({"n_buffers": 1}, ValueError, "2 buffers"),
    "children": ({"n_children": 1}, ValueError, "children"),
    "null count": ({"null_count": -2}, ValueError, "null_count"),
    "bytes wrap": ({"length": MOST}, ValueError, "ptrdiff_t"),
    "offset wraps": ({"offset": MOST}, ValueError, "ptrdiff_t"),
}


@pytest.mark.parametrize(("changes", "error", "part"), HOSTILE.values(), ids=HOSTILE)
def test_array_that_lies_is_refused_and_let_go_once(changes, error, part):
    stranger = Stranger(sample(), **changes)
    with pytest.raises(error, match=part):
        usmx.from_arrow(stranger)
    assert stranger.released == 1


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [("format", None, "'format'"), ("release", Release(), "schema was released")],
)
def test_schema_that_lies_is_refused(name, value, part):
    stranger = Stranger(sample())
    setattr(stranger.schema, name, value)
    with pytest.raises(ValueError, match=part):
        usmx.from_arrow(stranger)
    assert stranger.released == 0


def test_array_is_taken_once():
    stranger = Stranger(sample())
    usmx.from_arrow(stranger)
    with pytest.raises(ValueError, match="released"):
        usmx.from_arrow(stranger)
    assert stranger.released == 1


class Answer:
    """A producer that answers as it is told to."""

    def __init__(self, method, answer):
        def answered():
            if isinstance(answer, Exception):
                raise answer
            return answer

        setattr(self, method, answered)


PAIRS = ["__arrow_c_array__", "__arrow_c_device_array__"]


@pytest.mark.parametrize("method", PAIRS)
@pytest.mark.parametrize("answer", [None, 3, (), (1, 2), [1, 2], make_capsule("arrow_array")])
def test_producer_without_two_capsules_is_refused(method, answer):
    with pytest.raises(TypeError, match="capsule"):
        usmx.from_arrow(Answer(method, answer))


@pytest.mark.parametrize("method", PAIRS)
@pytest.mark.parametrize("name", ["arrow_schema_", None, "dltensor"])
def test_capsules_of_other_names_are_refused(method, name):
    answer = (make_capsule(name), make_capsule("arrow_array"))
    with pytest.raises(ValueError, match="arrow_schema"):
        usmx.from_arrow(Answer(method, answer))


@pytest.mark.parametrize("method", [*PAIRS, "__arrow_c_stream__"])
def test_error_of_the_producer_passes_through(method):
    with pytest.raises(RuntimeError, match="late"):
        usmx.from_arrow(Answer(method, RuntimeError("late")))


@pytest.mark.parametrize("x", [None, 3, [1, 2], np.ones(3), object()])
def test_object_without_the_methods_is_refused(x):
    with pytest.raises(TypeError, match="__arrow_c_array__"):
        usmx.from_arrow(x)


class Streamed:
    """A stream of strangers, which fails with `code` at the end, if that is not 0."""

    def __init__(self, strangers, code=0):
        self.strangers, self.code, self.released = list(strangers), code, 0
        self.text = ctypes.create_string_buffer(b"the tape is torn")
        self.kept = Release(lambda _: None)
        self.stream = Stream(
            type(Stream().get_schema)(self._schema),
            type(Stream().get_next)(self._next),
            type(Stream().get_last_error)(lambda _: ctypes.addressof(self.text)),
            Release(lambda _: None),
        )

    def _schema(self, _, out):
        out[0].format, out[0].release = b"g", self.kept
        return 0

    def _next(self, _, out):
        if not self.strangers:
            return self.code
        ctypes.memmove(out, ctypes.addressof(self.strangers.pop(0).array), ctypes.sizeof(Array))
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        return capsule_of(self.stream)


def test_stream_of_strangers_is_read_and_let_go_once():
    strangers = [Stranger(sample()), Stranger(sample(size=3))]
    assert usmx.from_arrow(Streamed(strangers)).shape == (9,)
    assert [s.released for s in strangers] == [1, 1]


def test_stream_that_fails_is_an_error_in_its_words():
    stranger = Stranger(sample())
    with pytest.raises(RuntimeError, match="the tape is torn"):
        usmx.from_arrow(Streamed([stranger], code=5))
    assert stranger.released == 1


def test_producer_of_a_stream_may_need_other_threads():
    class Threaded(Streamed):
        def _next(self, stream, out):
            codes = []
            thread = threading.Thread(
                target=lambda: codes.append(super(Threaded, self)._next(stream, out))
            )
            thread.start()
            thread.join()
            return codes[0]

    assert usmx.from_arrow(Threaded([Stranger(sample())])).shape == (6,)


@pytest.mark.slow
def test_columns_and_capsules_that_outlive_the_interpreter_do_no_harm():
    code = """
import sys, pyarrow as pa, usmx
class Keeper:
    pass
keeper = Keeper()
keeper.self = keeper
keeper.mine = usmx.zeros(1000, usm_type="shared")
keeper.capsules = [keeper.mine.__arrow_c_array__(), keeper.mine.__arrow_c_device_array__()]
keeper.column = pa.array(keeper.mine)
keeper.table = pa.table({"x": pa.array(keeper.mine)})
sys.kept_for_ever = keeper
print("done")
"""
    assert output_of(code) == "done"


# ---- lengths beyond the buffers


class Telling:
    """What a stranger describes, and how large its buffers are, as pyarrow's arrays tell it."""

    def __init__(self, stranger, *sizes):
        self.stranger = stranger
        self.sizes = sizes

    def __arrow_c_array__(self, requested_schema=None):
        return self.stranger.__arrow_c_array__(requested_schema)

    def buffers(self):
        return [
            size if size is None else pa.foreign_buffer(address or 0, size)
            for address, size in zip(self.stranger.buffers, self.sizes, strict=True)
        ]


class OfPyarrow:
    """An array of pyarrow's, of which it tells another length."""

    def __init__(self, column, **changes):
        self.column = column
        self.changes = changes

    def __arrow_c_array__(self, requested_schema=None):
        schema, values = self.column.__arrow_c_array__()
        for name, value in self.changes.items():
            setattr(held_by(values, Array), name, value)
        return schema, values

    def buffers(self):
        return self.column.buffers()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": 9}, r"'length' 9 after 'offset' 0 takes 72 bytes of buffer 1, which has 64"),
        ({"length": 7, "offset": 2}, r"'length' 7 after 'offset' 2 takes 72 bytes of buffer 1"),
        ({"length": 1 << 40}, r"takes 8796093022208 bytes of buffer 1, which has 64"),
    ],
)
def test_length_beyond_a_buffer_that_tells_its_size_is_refused(changes, message):
    stranger = Stranger(sample(size=8), **changes)
    with pytest.raises(ValueError, match=message):
        usmx.from_arrow(Telling(stranger, None, 64))
    assert stranger.released == 1


def test_length_beyond_an_array_of_pyarrows_is_refused():
    column = pa.array(sample(size=100))
    assert usmx.asnumpy(usmx.from_arrow(OfPyarrow(column))).tolist() == list(range(100))
    with pytest.raises(ValueError, match="'length' 1000000 after 'offset' 0 takes 8000000 bytes"):
        usmx.from_arrow(OfPyarrow(column, length=1_000_000))


def test_bits_of_missing_values_beyond_their_buffer_are_refused():
    stranger = Stranger(sample(size=64), null_count=-1)
    bits = (ctypes.c_uint8 * 8)(*[255] * 8)
    stranger.buffers[0] = ctypes.addressof(bits)
    assert usmx.from_arrow(Telling(stranger, 8, 512)).shape == (64,)
    stranger = Stranger(sample(size=64), null_count=-1)
    stranger.buffers[0] = ctypes.addressof(bits)
    with pytest.raises(ValueError, match="takes 8 bytes of buffer 0, which has 7"):
        usmx.from_arrow(Telling(stranger, 7, 512))


@pytest.mark.parametrize(
    "column",
    [pa.array([1, 2, 3])[1:], pa.chunked_array([[1], [2, 3]]), pa.chunked_array([[1, 2, 3]])[1:]],
    ids=["slice", "chunks", "slice_of_chunks"],
)
def test_columns_that_tell_their_sizes_are_taken(column):
    assert usmx.asnumpy(usmx.from_arrow(column)).tolist() == column.to_pylist()


@pytest.mark.parametrize(
    "buffers",
    [None, 3, [], [object(), None], ["text"], lambda: 3, lambda needed: needed, lambda: [1, 2]],
)
def test_what_others_call_buffers_is_left_alone(buffers):
    stranger = Stranger(sample())
    column = type("Other", (), {"__arrow_c_array__": lambda _: stranger.__arrow_c_array__()})()
    column.buffers = buffers
    assert usmx.from_arrow(column).shape == (6,)


def test_length_beyond_usm_is_refused(reachable):
    array = mine(kind=reachable, size=1000)
    values = np.asarray(array)
    assert usmx.from_arrow(Stranger(values)).shape == (1000,)
    stranger = Stranger(values, length=1_000_000)
    with pytest.raises(ValueError, match=f"not all inside the {reachable} allocation"):
        usmx.from_arrow(stranger)
    assert stranger.released == 1


def test_usm_that_was_freed_is_refused(reachable):
    array = mine(kind=reachable, size=1000)
    stranger = Stranger(np.asarray(array))
    address = array._pointer
    stranger.buffers[1] = address
    stranger.values = None
    del array
    gc.collect()
    with pytest.raises(ValueError, match="is not USM memory"):
        usmx.from_arrow(stranger)
