"""DLPack's table of C functions: called as a stranger would, and by tvm-ffi."""

import ctypes

import numpy as np
import pytest
import tvm_ffi
import usmx
from helpers import KINDS, capsule_name
from usmx.testing._tensors import (
    CPU,
    CUDA,
    ONEAPI,
    READ_ONLY,
    DataType,
    Device,
    Managed,
    Stranger,
    Tensor,
)

OWN = usmx.zeros(1).__dlpack_device__()
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_pointer.restype = ctypes.c_void_p
SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
ManagedPointer = ctypes.POINTER(Managed)


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        (
            "allocate",
            ctypes.PYFUNCTYPE(
                ctypes.c_int,
                ctypes.POINTER(Tensor),
                ctypes.POINTER(ManagedPointer),
                ctypes.c_void_p,
                SetError,
            ),
        ),
        (
            "from_object",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ManagedPointer)),
        ),
        (
            "to_object",
            ctypes.PYFUNCTYPE(ctypes.c_int, ManagedPointer, ctypes.POINTER(ctypes.py_object)),
        ),
        ("look_into", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))),
        (
            "current_stream",
            ctypes.PYFUNCTYPE(
                ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
            ),
        ),
    ]


def table():
    capsule = usmx.USMArray.__dlpack_c_exchange_api__
    return Table.from_address(_pointer(capsule, b"dlpack_exchange_api"))


def exported(array):
    """What the table makes of an array; to be let go by its deleter."""
    made = ManagedPointer()
    table().from_object(array, ctypes.byref(made))
    return made


def imported(managed):
    """The object that the table makes of a tensor."""
    made = ctypes.py_object()
    table().to_object(managed, ctypes.byref(made))
    array = made.value
    ctypes.pythonapi.Py_DecRef(made)  # the reference that the table has given
    return array


def let_go(managed):
    managed.contents.deleter(ctypes.cast(managed, ctypes.c_void_p))


FLOAT, BFLOAT = DataType(2, 32, 1), DataType(4, 16, 1)


def allocated(shape, device, dtype=FLOAT):
    """What the table allocates, or the error that it reports."""
    errors = []
    prototype = Tensor(device=Device(*device), dtype=dtype, ndim=len(shape))
    prototype.shape = (ctypes.c_int64 * len(shape))(*shape)
    made = ManagedPointer()
    note = SetError(lambda context, kind, text: errors.append((context, kind, text)))
    code = table().allocate(ctypes.byref(prototype), ctypes.byref(made), 7, note)
    assert code == (-1 if errors else 0)
    return errors or made


# ---- called by a stranger


def test_table_is_on_the_class_and_says_its_version():
    assert capsule_name(usmx.USMArray.__dlpack_c_exchange_api__) == "dlpack_exchange_api"
    assert (table().major, table().minor, table().previous) == (1, 3, None)


@pytest.mark.parametrize("kind", KINDS)
def test_array_goes_out_and_comes_back(kind):
    array = usmx.asarray(np.arange(6.0).reshape(2, 3), usm_type=kind)[:, ::-1]
    made = exported(array)
    tensor = made.contents.tensor
    assert (tensor.data, tensor.device.type) == (array._pointer, array.__dlpack_device__()[0])
    assert tensor.strides[:2] == [3, -1]
    again = imported(made)
    assert again._pointer == array._pointer
    assert np.array_equal(usmx.asnumpy(again), usmx.asnumpy(array))


def test_array_of_a_subclass_goes_out():
    class Named(usmx.USMArray):
        pass

    array = Named((3,), "f4")
    made = exported(array)
    assert made.contents.tensor.data == array._pointer
    let_go(made)


def test_read_only_array_says_so():
    made = exported(usmx.zeros(3).readonly())
    assert made.contents.flags == READ_ONLY
    let_go(made)


def test_tensor_without_owner_is_the_array_as_it_lies():
    array = usmx.zeros((4, 6), "i2").T
    seen = Tensor()
    assert table().look_into(array, ctypes.byref(seen)) == 0
    assert (seen.data, seen.ndim, seen.byte_offset) == (array._pointer, 2, 0)
    assert (seen.shape[:2], seen.strides[:2]) == ([6, 4], [1, 6])
    assert (seen.dtype.code, seen.dtype.bits, seen.dtype.lanes) == (0, 16, 1)


@pytest.mark.parametrize("function", ["from_object", "look_into"])
def test_object_of_another_class_is_refused(function):
    into = {"from_object": ManagedPointer(), "look_into": Tensor()}[function]
    with pytest.raises(TypeError, match="USMArray"):
        getattr(table(), function)(3, ctypes.byref(into))


@pytest.mark.parametrize("function", ["from_object", "look_into"])
def test_array_that_was_not_made_is_refused(function):
    result = (ManagedPointer if function == "from_object" else Tensor)()
    with pytest.raises(TypeError, match="__init__ was never called"):
        getattr(table(), function)(usmx.USMArray.__new__(usmx.USMArray), ctypes.byref(result))


def test_array_that_dlpack_has_no_words_for_is_refused():
    with pytest.raises(BufferError, match="structured"):
        exported(usmx.zeros(3, np.dtype([("x", "f4")])))


def test_tensor_of_host_memory_is_copied_and_let_go():
    values = np.arange(3.0)
    stranger = Stranger(values.ctypes.data, (3,), device=Device(CPU, 0))
    array = imported(ctypes.pointer(stranger.managed))
    assert np.array_equal(usmx.asnumpy(array), values)
    assert stranger.deleted == 1


def test_tensor_that_is_refused_is_let_go():
    stranger = Stranger(4096, (3,), device=Device(CUDA, 99))
    with pytest.raises(BufferError, match="CUDA memory of device 99"):
        imported(ctypes.pointer(stranger.managed))
    assert stranger.deleted == 1


@pytest.mark.parametrize(("device", "kind"), [(OWN, "device"), ((CPU, 0), "host")])
def test_memory_is_allocated_like_a_prototype(device, kind):
    made = allocated((4, 6), device)
    assert (made.contents.tensor.device.type, made.contents.tensor.device.id) == device
    array = imported(made)
    assert (array.shape, array.dtype, array.usm_type) == ((4, 6), "f4", kind)


@pytest.mark.parametrize(
    ("arguments", "kind", "part"),
    [
        (((3,), (CUDA, 99)), b"BufferError", b"CUDA memory of device 99"),
        (((3,), (10, 0)), b"BufferError", b"device type 10"),
        (((3,), (ONEAPI, 99)), b"ValueError", b"99"),
        (((-3,), OWN), b"ValueError", b"-3"),
        (((2**62, 4), OWN), b"ValueError", b""),
        (((2**50,), OWN), b"MemoryError", b"bytes"),
        (((3,), OWN, BFLOAT), b"BufferError", b"type code 4"),
    ],
)
def test_prototype_that_cannot_be_is_an_error_in_words(arguments, kind, part):
    ((context, found, text),) = allocated(*arguments)
    assert (context, found) == (7, kind)
    assert part in text


@pytest.mark.parametrize("device", [OWN, (CPU, 0)])
def test_there_is_no_stream_to_wait_for(device):
    stream = ctypes.c_void_p(1)
    assert table().current_stream(*device, ctypes.byref(stream)) == 0
    assert stream.value is None


# ---- by tvm-ffi


@pytest.mark.parametrize("kind", KINDS)
def test_tvm_ffi_views_an_array_and_gives_it_back(kind):
    array = usmx.asarray(np.arange(6, dtype="f4").reshape(2, 3), usm_type=kind)
    tensor = tvm_ffi.from_dlpack(array)
    assert tensor.shape == (2, 3)
    assert tensor.__dlpack_device__() == array.__dlpack_device__()
    again = usmx.from_dlpack(tensor)
    assert again._pointer == array._pointer
    assert again.sycl_queue == array.sycl_queue
    assert np.array_equal(usmx.asnumpy(again), usmx.asnumpy(array))


def test_tvm_ffi_keeps_the_memory_alive():
    tensor = tvm_ffi.from_dlpack(usmx.asarray(np.arange(6)))
    others = [usmx.zeros(6, "i8") for _ in range(50)]
    assert np.array_equal(usmx.asnumpy(usmx.from_dlpack(tensor)), np.arange(6))
    assert len(others) == 50


def test_array_passes_through_a_function_of_tvm_ffi():
    array = usmx.asarray(np.arange(6))
    seen = []
    echo = tvm_ffi.convert(lambda tensor: seen.append(usmx.from_dlpack(tensor)) or tensor)
    back = echo(array)
    assert seen[0]._pointer == array._pointer
    assert usmx.from_dlpack(back)._pointer == array._pointer
