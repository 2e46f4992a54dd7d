"""DLPack's structures through ctypes: what is in capsules, and capsules that say what one likes."""

from __future__ import annotations

import ctypes
from typing import Any

CPU, CUDA, ONEAPI = 1, 2, 14
READ_ONLY, COPIED = 1, 2
KINDS_OF_TYPES = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}  # NumPy's, by DLPack's code


def _structure(_name: str, *fields: tuple[str, Any], **attributes: Any) -> Any:
    return type(_name, (ctypes.Structure,), {"_fields_": fields, **attributes})


Device = _structure("Device", ("type", ctypes.c_int32), ("id", ctypes.c_int32))
DataType = _structure(
    "DataType", ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)
)
Tensor = _structure(
    "Tensor",
    ("data", ctypes.c_void_p),
    ("device", Device),
    ("ndim", ctypes.c_int32),
    ("dtype", DataType),
    ("shape", ctypes.POINTER(ctypes.c_int64)),
    ("strides", ctypes.POINTER(ctypes.c_int64)),
    ("byte_offset", ctypes.c_uint64),
)
LegacyManaged = _structure(  # before version 1.0
    "LegacyManaged",
    ("tensor", Tensor),
    ("context", ctypes.c_void_p),
    ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    name=b"dltensor",
    used_name=b"used_dltensor",
)
Managed = _structure(
    "Managed",
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("context", ctypes.c_void_p),
    ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ("flags", ctypes.c_uint64),
    ("tensor", Tensor),
    name=b"dltensor_versioned",
    used_name=b"used_dltensor_versioned",
)


_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new.restype = ctypes.py_object
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_pointer.restype = ctypes.c_void_p
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = (ctypes.py_object, ctypes.c_char_p)


def held_by(capsule: object, structure: Any = Managed) -> Any:
    """The structure that a capsule holds, as long as nobody releases it."""
    return structure.from_address(_pointer(capsule, structure.name))


def capsule_of(managed: Any) -> object:
    """A capsule that owns nothing: whoever holds the structure keeps it."""
    return _new(ctypes.addressof(managed), type(managed).name, None)


class Taken:
    """The tensor in a producer's capsule, as long as this lives."""

    def __init__(self, capsule: object) -> None:
        found = [s for s in (Managed, LegacyManaged) if _is_valid(capsule, s.name)]
        if not found:
            raise TypeError(f"{capsule!r} is no capsule of DLPack that is still to be used")
        self._capsule = capsule
        self.is_versioned = found[0] is Managed
        self.name = found[0].name.decode()
        self.managed = held_by(capsule, found[0])

    def let_go(self) -> None:
        """Do what a consumer does that has taken the tensor and needs it no more."""
        _set_name(self._capsule, type(self.managed).used_name)
        if self.managed.deleter:
            self.managed.deleter(ctypes.addressof(self.managed))

    def said(self) -> tuple:
        """All but what keeps the memory."""
        tensor = self.managed.tensor
        return (
            self.name,
            tensor.data,
            (tensor.device.type, tensor.device.id),
            (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
            tuple(tensor.shape[: tensor.ndim]) if tensor.shape else None,
            tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None,
            tensor.byte_offset,
        )


def _numbers(values):
    return None if values is None else (ctypes.c_int64 * len(values))(*values)


class Stranger:
    """A producer of one capsule, which holds whatever it is told to, and counts its deletions."""

    def __init__(
        self,
        data: int | None,
        shape: Any = (),
        strides: Any = None,
        code: int = 2,
        bits: int = 64,
        structure: Any = Managed,
        **changes: Any,
    ) -> None:
        self.deleted = 0
        self.shape, self.strides = _numbers(shape), _numbers(strides)
        self.managed = structure()
        if structure is Managed:
            self.managed.major, self.managed.minor = 1, 3
        self.managed.deleter = type(self.managed.deleter)(self._delete)
        tensor = self.managed.tensor
        tensor.data, tensor.ndim = data, len(shape or ())
        tensor.shape, tensor.strides = self.shape, self.strides
        tensor.device = Device(ONEAPI, 0)
        tensor.dtype = DataType(code, bits, 1)
        for name, value in changes.items():
            setattr(tensor if hasattr(tensor, name) else self.managed, name, value)
        self.capsule = capsule_of(self.managed)

    def _delete(self, managed):
        assert managed == ctypes.addressof(self.managed)
        self.deleted += 1

    @property
    def is_taken(self) -> bool:
        """Whether a consumer has renamed the capsule."""
        return not _is_valid(self.capsule, type(self.managed).name)

    def __dlpack__(self, **_: Any) -> object:
        """The one capsule."""
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the tensor says that it is."""
        device = self.managed.tensor.device
        return device.type, device.id
