"""One function, of any USM array that the host may touch."""

from libc.stdint cimport int64_t
from usmx.c_api cimport (
    USMX_FLOAT64,
    usmx_api,
    usmx_import,
    usmx_is_host_accessible,
    usmx_owner,
    usmx_raise,
    usmx_view,
)

cdef const usmx_api* usmx = usmx_import()


def scaled(x, double factor):
    """Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D."""
    cdef usmx_view view
    cdef usmx_owner* owner = NULL
    if usmx.as_array(x, &view, &owner) == 0:
        raise TypeError(f"scaled: expected a USM array, found {type(x).__name__}")
    try:
        require_numbers_of_the_host(&view)
        return scaled_view(&view, factor)
    finally:
        usmx.release(owner)


cdef int require_numbers_of_the_host(const usmx_view* x) except -1:
    if x.dtype != USMX_FLOAT64:
        raise TypeError(f"scaled: expected float64, found typestr {x.typestr.decode()}")
    if x.ndim != 1:
        raise TypeError(f"scaled: expected 1 dimension, found {x.ndim}")
    if not usmx_is_host_accessible(x):
        raise TypeError("scaled: expected shared or host memory")
    return 0


# A new array like `x`, whose type, shape, kind and queue it takes.
cdef object scaled_view(const usmx_view* x, double factor):
    cdef usmx_view result = x[0]
    cdef usmx_owner* owner = usmx.allocate(&result)
    if owner == NULL:
        usmx_raise(usmx)
    try:
        with nogil:
            multiply(x, factor, <double*>result.data)
        return usmx.from_array(NULL, owner)
    finally:
        usmx.release(owner)


cdef void multiply(const usmx_view* x, double factor, double* result) noexcept nogil:
    cdef const double* numbers = <const double*>x.data
    cdef int64_t i
    for i in range(x.size):
        result[i] = factor * numbers[i * x.strides[0]]
