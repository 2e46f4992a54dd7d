"""PEP 3118: what shared and host memory gives the host without a copy, and what device memory says."""

import itertools
import textwrap

import dpctl.memory
import numpy as np
import pytest
import usmx
from helpers import (
    ANY_CONTIGUOUS,
    C_CONTIGUOUS,
    F_CONTIGUOUS,
    FORMAT,
    FULL_RO,
    HOST_KINDS,
    KINDS,
    MEMORY_CLASSES,
    ND,
    SIMPLE,
    STRIDES,
    TYPESTRS,
    WRITABLE,
    output_of,
    requested_buffer,
)

KEYS = {
    "c": np.s_[...],
    "f": np.s_[...],  # of the transposed array
    "rows": np.s_[1:],
    "columns": np.s_[:, 1:3],
    "reversed": np.s_[::-1, ::-1],
    "steps": np.s_[::2, ::-3],
    "row": np.s_[2],
    "column": np.s_[:, 1],
    "element": np.s_[2, 3],
    "new axes": np.s_[None, :, None],
    "none": np.s_[2:2],
    "no columns": np.s_[:, :0],
}


@pytest.fixture(params=HOST_KINDS)
def kind(request):
    return request.param


def layouts(kind, typestr="<f4"):
    """{name: (array, NumPy's view of the same numbers)}"""
    host = np.arange(24).reshape(4, 6).astype(typestr)
    array = usmx.asarray(host, usm_type=kind)
    views = {name: (array[key], host[key]) for name, key in KEYS.items()}
    views["f"] = (array.T, host.T)
    return views


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("typestr", TYPESTRS)
def test_numpy_sees_the_same_memory(kind, name, typestr):
    array, expected = layouts(kind, typestr)[name]
    view = np.asarray(array)
    assert view.dtype == array.dtype
    assert view.shape == array.shape
    assert np.array_equal(view, expected)
    if array.size > 0:
        assert view.__array_interface__["data"] == (array._pointer, False)
        assert view.strides == memoryview(expected).strides


def test_repeated_elements_are_seen_without_a_copy(kind):
    array = usmx.USMArray((5, 3), "i4", kind, (0, 1))
    view = np.asarray(array)
    view[2] = [7, 8, 9]
    assert view.tolist() == [[7, 8, 9]] * 5
    assert array.base.nbytes == 12


def test_writes_go_both_ways(kind):
    array = usmx.zeros((3, 4), "i4", usm_type=kind)
    view = np.asarray(array)
    view[1, 2] = 42
    assert usmx.asnumpy(array)[1, 2] == 42
    array.base.memset(1)
    assert (view == 0x01010101).all()


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_format_is_numpys(kind, typestr):
    array = usmx.empty((2, 3), typestr, usm_type=kind)
    numpys = memoryview(np.empty((2, 3), typestr))
    mine = memoryview(array)
    for name in ("format", "itemsize", "ndim", "shape", "strides", "nbytes", "readonly"):
        assert getattr(mine, name) == getattr(numpys, name)
    assert mine.obj is array


@pytest.mark.parametrize("name", KEYS)
def test_memoryview_is_numpys(kind, name):
    array, expected = layouts(kind)[name]
    mine, numpys = memoryview(array), memoryview(expected)
    for attribute in (
        "format",
        "itemsize",
        "ndim",
        "shape",
        "nbytes",
        "c_contiguous",
        "f_contiguous",
    ):
        assert getattr(mine, attribute) == getattr(numpys, attribute)
    assert mine.tobytes() == numpys.tobytes()
    assert mine.tolist() == numpys.tolist()


def test_buffer_of_no_dimensions_is_one_element(kind):
    array = usmx.asarray(2.5, usm_type=kind)
    assert float(np.asarray(array)) == 2.5
    assert memoryview(array).shape == ()
    with requested_buffer(array, FULL_RO) as buffer:
        assert (buffer.ndim, buffer.len) == (0, 8)
        assert not buffer.shape  # NULL, as PEP 3118 wants it for ndim 0
        assert not buffer.strides


def test_buffer_without_elements_has_no_bytes(kind):
    array = usmx.empty((3, 0, 2), usm_type=kind)
    assert memoryview(array).nbytes == 0
    assert np.asarray(array).shape == (3, 0, 2)


@pytest.mark.parametrize("shape", [(0, 2**60, 2), (0, 2**61), (4, 0, 2**62 + 1)])
def test_strides_in_bytes_do_not_wrap_where_there_are_no_elements(kind, shape):
    array = usmx.empty(shape, usm_type=kind)
    for axis, stride in enumerate(memoryview(array).strides):
        assert stride in (array.strides[axis] * 8, 0)


def test_buffer_of_64_dimensions(kind):
    array = usmx.zeros((1,) * 63 + (2,), usm_type=kind)
    assert np.asarray(array).shape == (1,) * 63 + (2,)


def test_buffer_keeps_the_array_alive(kind):
    view = np.asarray(usmx.asarray(np.arange(10000.0), usm_type=kind))
    others = [usmx.zeros(10000, usm_type=kind) for _ in range(20)]
    assert np.array_equal(view, np.arange(10000.0))
    assert len(others) == 20
    raw = memoryview(usmx.asarray([1, 2, 3], usm_type=kind))
    assert raw.tolist() == [1, 2, 3]
    raw.release()


def test_many_buffers_of_one_array_are_independent(kind):
    array = usmx.asarray(np.arange(6).reshape(2, 3), usm_type=kind)
    first, second = memoryview(array), memoryview(array[:, ::-1])
    first.release()
    assert second.tolist() == [[2, 1, 0], [5, 4, 3]]
    assert memoryview(array).tolist() == [[0, 1, 2], [3, 4, 5]]


# ---- requests: what is asked for is given, or refused

# (request, layouts that can meet it)
EVERYTHING = set(KEYS)
C_ONES = {"c", "rows", "row", "element", "none", "no columns", "new axes"}
F_ONES = {"f", "row", "element", "none", "no columns"}
REQUESTS = {
    "simple": (SIMPLE, C_ONES),
    "nd": (ND, C_ONES),
    "strides": (STRIDES, EVERYTHING),
    "c": (C_CONTIGUOUS, C_ONES),
    "f": (F_CONTIGUOUS, F_ONES),
    "any": (ANY_CONTIGUOUS, C_ONES | F_ONES),
    "full": (FULL_RO, EVERYTHING),
}


@pytest.mark.parametrize("request_name", REQUESTS)
@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("extra", [0, WRITABLE, FORMAT, WRITABLE | FORMAT])
def test_request_is_met_exactly_by_the_layouts_that_can(kind, request_name, name, extra):
    flags, able = REQUESTS[request_name]
    array = layouts(kind)[name][0]
    if name not in able:
        with pytest.raises(BufferError, match="contiguous"), requested_buffer(array, flags | extra):
            pass
        return
    with requested_buffer(array, flags | extra) as buffer:
        assert buffer.buf == array._pointer
        assert buffer.len == array.nbytes
        assert buffer.itemsize == 4
        assert buffer.readonly == 0
        assert buffer.obj is array
        asks = (flags | extra).__and__
        assert buffer.ndim == (array.ndim if asks(ND) == ND else 0)
        assert buffer.format == (b"f" if asks(FORMAT) else None)
        if array.ndim > 0:
            assert bool(buffer.shape) == (asks(ND) == ND)
            assert bool(buffer.strides) == (asks(STRIDES) == STRIDES)
        assert not buffer.suboffsets
        if asks(STRIDES) == STRIDES and array.ndim > 0:
            assert tuple(buffer.shape[: array.ndim]) == array.shape
            for stride, extent, own in zip(
                buffer.strides[: array.ndim], array.shape, array.strides, strict=True
            ):
                assert stride == 4 * own or extent == 1 or array.size == 0


ONE_BITS = (WRITABLE, FORMAT, ND, 0x10, 0x20, 0x40, 0x80, 0x100)
ALL_FLAGS = [
    sum(bits) for bits in itertools.product(*((0, bit) for bit in ONE_BITS))
]  # strides and orders also without what they need
EXPORTED = {
    "of no dimensions": np.s_[1, 2, 3],
    "of one": np.s_[1, 2],
    "of one, in steps": np.s_[1, 2, ::2],
    "of one, reversed": np.s_[1, 2, ::-1],
    "of one, of one element": np.s_[1, 2, 2:3],
    "of one, without elements": np.s_[1, 2, :0],
    "of two": np.s_[1],
    "of two, in steps": np.s_[1, :, ::2],
    "of two, a column": np.s_[1, :, :1],
    "of two, without rows": np.s_[1, :0],
    "of two, with a new axis": np.s_[1, 2, None, :],
    "of three": np.s_[...],
    "of three, in steps": np.s_[::-1, ::2],
    "of three, without elements": np.s_[:, 2:2],
    "of three, of one element": np.s_[1:, 2:3, 3:4],
    "of three, with one matrix": np.s_[1:, :, 1:3],
    "of four": np.s_[None],
}


def answer(exporter, flags):
    """What a request gets, as far as two exporters of the same elements can agree; None if it is refused."""
    try:
        with requested_buffer(exporter, flags) as buffer:
            axes = buffer.ndim
            return {
                "ndim": axes,
                "shape": buffer.shape[:axes] if buffer.shape else None,
                "strides": buffer.strides[:axes] if buffer.strides else None,
                "suboffsets": bool(buffer.suboffsets),
                "format": buffer.format,
                "itemsize": buffer.itemsize,
                "len": buffer.len,
                "readonly": buffer.readonly,
            }
    except (
        BufferError,
        ValueError,
        SystemError,
    ):  # NumPy raises ValueError; of an invalid flag CPython the last one
        return None


def is_valid(found):
    """As CPython's assertions have it: whoever has two axes or more has extents, and whoever has strides, too."""
    return found["shape"] is not None or (found["ndim"] <= 1 and found["strides"] is None)


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("is_readonly", [False, True])
@pytest.mark.parametrize("name", EXPORTED)
def test_every_request_of_an_array_gets_numpys_answer(kind, name, is_readonly, is_transposed):
    host = np.arange(24, dtype="f4").reshape(2, 3, 4)
    array = usmx.asarray(host, usm_type=kind)
    host, array = host[EXPORTED[name]], array[EXPORTED[name]]
    host = np.asarray(host)  # of an element, NumPy's scalar
    if is_transposed:
        host, array = host.transpose(), array.transpose()
    if is_readonly:
        host.flags.writeable = False
        array = array.readonly()
    for flags in ALL_FLAGS:
        found = answer(array, flags)
        assert found == answer(host, flags), flags
        assert found is None or is_valid(found)


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_every_request_of_any_type_gets_numpys_answer(kind, typestr):
    host = np.zeros((2, 3), typestr)
    array = usmx.asarray(host, usm_type=kind)
    for flags in ALL_FLAGS:
        assert answer(array, flags) == answer(host, flags), flags


def test_every_request_of_memory_gets_numpys_answer(kind):
    memory, host = MEMORY_CLASSES[kind](12), np.zeros(12, "u1")
    for flags in ALL_FLAGS:
        found = answer(memory, flags)
        assert found == answer(host, flags), flags
        assert found is None or is_valid(found)
        pythons = answer(bytearray(12), flags)
        for said in ("shape", "strides", "format", "itemsize", "len", "readonly"):
            assert (found or {}).get(said) == (pythons or {}).get(said), (said, flags)


def test_cpythons_functions_take_the_answer_to_every_request():
    """In a process of its own: they believe what a buffer says of itself."""
    code = f"""
        import ctypes
        import usmx
        from helpers import requested_buffer

        def is_met(array, flags):
            try:
                with requested_buffer(array, flags):
                    return True
            except BufferError:
                return False

        python = ctypes.pythonapi
        python.PyMemoryView_FromBuffer.restype = ctypes.py_object
        for shape in ((), (6,), (2, 3), (1, 2, 3), (2, 0, 3)):
            array = usmx.asarray(usmx.zeros(shape, dtype="u1"), usm_type="shared")
            for flags in (flags for flags in {ALL_FLAGS} if is_met(array, flags)):
                with requested_buffer(array, flags) as buffer:
                    at = ctypes.byref(buffer)
                    for order in b"CFA":
                        contiguous = python.PyBuffer_IsContiguous(at, ctypes.c_char(order))
                        assert contiguous or order == ord("F")
                    # To reorder, they want strides.
                    order = ctypes.c_char(b"F" if buffer.strides or buffer.ndim == 0 else b"C")
                    taken = ctypes.create_string_buffer(array.nbytes + 1)
                    size = ctypes.c_ssize_t(buffer.len)
                    assert python.PyBuffer_ToContiguous(taken, at, size, order) == 0
                    assert python.PyBuffer_FromContiguous(at, taken, size, order) == 0
                    assert python.PyMemoryView_FromBuffer(at).tobytes() == bytes(array.nbytes)
        print("all taken")
    """
    assert output_of(textwrap.dedent(code)) == "all taken"


def test_refused_request_takes_no_reference(kind):
    array = usmx.empty((3, 4), usm_type=kind).T
    for _ in range(3):
        with pytest.raises(BufferError), requested_buffer(array, C_CONTIGUOUS):
            pass
    assert memoryview(array).shape == (4, 3)


# ---- device memory that the host does not reach


def test_device_memory_has_no_buffer(strict_host):
    for exporter in (usmx.empty(3), usmx.empty(0)):
        with pytest.raises(BufferError, match="device memory"):
            memoryview(exporter)
        for flags in (SIMPLE, FULL_RO):
            with (
                pytest.raises(BufferError, match="device memory"),
                requested_buffer(exporter, flags),
            ):
                pass


def test_memory_object_of_a_device_is_not_bytes_like_as_dpctls_is_not(strict_host):
    for memory in (usmx.memory.MemoryUSMDevice(8), dpctl.memory.MemoryUSMDevice(8)):
        with pytest.raises(TypeError, match="a bytes-like object is required, not"):
            memoryview(memory)


@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        np.array,
        np.ascontiguousarray,
        lambda a: np.asarray(a, "f4"),
        lambda a: np.array([a]),
    ],
)
def test_numpy_gets_no_array_of_device_memory_but_an_explanation(convert, strict_host):
    with pytest.raises(TypeError, match=r"device.*usmx.asnumpy.*usm_type='shared'"):
        convert(usmx.zeros((2, 3)))


def test_bytes_of_device_memory_are_not_taken_silently(strict_host):
    with pytest.raises(BufferError):
        bytearray(usmx.zeros(3))


# ---- memory objects


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_memory_is_a_buffer_of_bytes(kind):
    memory = MEMORY_CLASSES[kind](12)
    view = memoryview(memory)
    assert (view.format, view.shape, view.strides, view.readonly) == ("B", (12,), (1,), False)
    assert view.obj is memory
    assert view.cast("i").shape == (3,)
    assert np.frombuffer(memory, "f4").shape == (3,)
    assert np.frombuffer(memory, "u1").__array_interface__["data"][0] == memory._pointer


@pytest.mark.parametrize("kind", KINDS)
def test_memory_without_bytes(kind, strict_host):
    memory = usmx.memory.as_usm_memory(usmx.empty(0, usm_type=kind))
    if kind == "device":
        with pytest.raises(TypeError):
            memoryview(memory)
    else:
        assert memoryview(memory).nbytes == 0


def test_file_reads_into_memory(tmp_path, kind):
    (tmp_path / "numbers").write_bytes(np.arange(5.0).tobytes())
    array = usmx.zeros(5, usm_type=kind)
    with (tmp_path / "numbers").open("rb") as file:
        assert file.readinto(array) == 40
    assert usmx.asnumpy(array).tolist() == [0, 1, 2, 3, 4]
