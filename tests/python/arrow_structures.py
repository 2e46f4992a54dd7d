"""Arrow's structures through ctypes: what is in a capsule, and capsules of a stranger's."""

import ctypes

CPU, CUDA, ONEAPI = 1, 2, 14
Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Schema(ctypes.Structure):
    name = b"arrow_schema"
    _fields_ = [
        ("format", ctypes.c_char_p),
        ("field_name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", Release),
        ("context", ctypes.c_void_p),
    ]


class Array(ctypes.Structure):
    name = b"arrow_array"
    _fields_ = [
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", Release),
        ("context", ctypes.c_void_p),
    ]


class DeviceArray(ctypes.Structure):
    name = b"arrow_device_array"
    _fields_ = [
        ("array", Array),
        ("device_id", ctypes.c_int64),
        ("device_type", ctypes.c_int32),
        ("sync_event", ctypes.c_void_p),
        ("reserved", ctypes.c_int64 * 3),
    ]


class Stream(ctypes.Structure):
    name = b"arrow_array_stream"
    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)),
        ("release", Release),
        ("context", ctypes.c_void_p),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new.restype = ctypes.py_object
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_pointer.restype = ctypes.c_void_p


def held_by(capsule, structure):
    """The structure that a capsule holds, as long as the capsule lives."""
    return structure.from_address(_pointer(capsule, structure.name))


def capsule_of(structure):
    """A capsule that owns nothing: whoever holds the structure keeps it."""
    return _new(ctypes.addressof(structure), type(structure).name, None)


class Stranger:
    """A producer of one column, which says whatever it is told to, and counts its releases."""

    def __init__(self, values, **changes):
        self.values = values
        self.released = 0
        self.buffers = (ctypes.c_void_p * 2)(None, values.ctypes.data)
        self.schema = Schema(format=b"g", release=Release(self._release_schema))
        self.device_array = DeviceArray(device_type=CPU, device_id=-1)
        self.array = self.device_array.array
        self.array.length, self.array.n_buffers = len(values), 2
        self.array.buffers = self.buffers
        self.array.release = Release(self._release)
        for name, value in changes.items():
            setattr(self.array if hasattr(self.array, name) else self.device_array, name, value)

    def _release(self, _):
        self.released += 1

    def _release_schema(self, _):
        raise AssertionError("the capsule keeps the schema")

    def __arrow_c_array__(self, requested_schema=None):
        return capsule_of(self.schema), capsule_of(self.array)


class OnDevice:
    """The same by __arrow_c_device_array__ alone."""

    def __init__(self, stranger):
        self.stranger = stranger

    def __arrow_c_device_array__(self, requested_schema=None, **_):
        return capsule_of(self.stranger.schema), capsule_of(self.stranger.device_array)
