"""A usmx whose C interface says that it has another version."""

import ctypes

import usmx

NAME = b"usmx._core._c_api"


def pretend_version(major, minor):
    """From now on, extensions that import the table find that version in it."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    table = pointer(usmx._core._c_api, NAME)
    size = ctypes.c_size_t.from_address(table)
    copy = ctypes.create_string_buffer(ctypes.string_at(table, size.value), size.value)
    (ctypes.c_uint32 * 2).from_buffer(copy, ctypes.sizeof(size))[:] = [major, minor]
    usmx._core._c_api = new(ctypes.addressof(copy), NAME, None)
    usmx._core._c_api_copy = copy  # lives as long
