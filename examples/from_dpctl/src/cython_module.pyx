# distutils: language = c++
"""dpctl's examples/cython/use_dpctl_sycl and sycl_buffer."""

from libcpp.string cimport string
from usmx.c_api cimport USMX_USE_ORDERED, usmx_api, usmx_import, usmx_owner

cdef extern from "cython_functions.hpp":
    string c_device_name "device_name"(const void*) except +
    string c_driver_version "driver_version"(const void*) except +
    usmx_owner* c_columnwise_total "columnwise_total"(const usmx_owner*) except + nogil

cdef const usmx_api* usmx = usmx_import()


# The sycl::device of a Python object; the caller frees it.
cdef void* device_of(object device) except NULL:
    cdef void* found = NULL
    if usmx.as_device(device, &found) == 0:
        raise TypeError(f"expected a device, found {type(device).__name__}")
    return found


def device_name(device):
    cdef void* found = device_of(device)
    try:
        return c_device_name(found).decode()
    finally:
        usmx.free_device(found)


def device_driver_version(device):
    cdef void* found = device_of(device)
    try:
        return c_driver_version(found).decode()
    finally:
        usmx.free_device(found)


def device_copy(device):
    cdef void* found = device_of(device)
    try:
        return usmx.from_device(found)
    finally:
        usmx.free_device(found)


def columnwise_total(matrix):
    """Return the sums of the columns of a matrix in USM, on its queue."""
    cdef usmx_owner* given = NULL
    cdef usmx_owner* made = NULL
    if usmx.as_array_for(matrix, USMX_USE_ORDERED, NULL, &given) == 0:
        raise TypeError(f"expected a USM array, found {type(matrix).__name__}")
    try:
        with nogil:
            made = c_columnwise_total(given)
        return usmx.from_array(NULL, made)
    finally:
        usmx.release(given)
        usmx.release(made)
