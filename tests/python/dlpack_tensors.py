"""DLPack's structures through ctypes: what is in a capsule, and capsules of a stranger's."""

import ctypes

CPU, CUDA, ONEAPI = 1, 2, 14
READ_ONLY, COPIED = 1, 2


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class LegacyManaged(ctypes.Structure):
    name = b"dltensor"
    _fields_ = [
        ("tensor", Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


class Managed(ctypes.Structure):
    name = b"dltensor_versioned"
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new.restype = ctypes.py_object
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_pointer.restype = ctypes.c_void_p


def held_by(capsule, structure=Managed):
    """The structure that a capsule holds, as long as nobody lets it go."""
    return structure.from_address(_pointer(capsule, structure.name))


def _numbers(values):
    return None if values is None else (ctypes.c_int64 * len(values))(*values)


class Stranger:
    """A producer of one capsule, which holds whatever it is told to, and counts its deletions."""

    def __init__(self, data, shape=(), strides=None, code=2, bits=64, structure=Managed, **changes):
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
        self.capsule = _new(ctypes.addressof(self.managed), structure.name, None)

    def _delete(self, managed):
        assert managed == ctypes.addressof(self.managed)
        self.deleted += 1

    def __dlpack__(self, **_):
        return self.capsule
