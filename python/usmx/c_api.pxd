# The C interface for Cython: include/usmx/c_api.h says what everything means. The compiler needs
# usmx.get_include(). Declared as it fails: functions "with the lock" raise, and usmx_raise() raises what one
# "without the lock" has noted.

from libc.stdint cimport int32_t, int64_t, uint32_t

cdef extern from "usmx/python/c_api.h":
    enum:
        USMX_BOOL
        USMX_INT8
        USMX_INT16
        USMX_INT32
        USMX_INT64
        USMX_UINT8
        USMX_UINT16
        USMX_UINT32
        USMX_UINT64
        USMX_FLOAT16
        USMX_FLOAT32
        USMX_FLOAT64
        USMX_COMPLEX64
        USMX_COMPLEX128
        USMX_STRUCTURED

    enum:
        USMX_KIND_UNKNOWN
        USMX_KIND_DEVICE
        USMX_KIND_SHARED
        USMX_KIND_HOST

    enum:
        USMX_READ_ONLY

    enum:
        USMX_USE_ANY
        USMX_USE_ORDERED
        USMX_USE_UNORDERED
        USMX_USE_HOST

    enum:
        USMX_OK
        USMX_VALUE_ERROR
        USMX_TYPE_ERROR
        USMX_INDEX_ERROR
        USMX_AXIS_ERROR
        USMX_OVERFLOW_ERROR
        USMX_READ_ONLY_ERROR
        USMX_BUFFER_ERROR
        USMX_ALLOCATION_ERROR
        USMX_MEMORY_ERROR
        USMX_DEVICE_ERROR
        USMX_FORK_ERROR
        USMX_RUNTIME_CONFLICT
        USMX_SYCL_ERROR
        USMX_OTHER_ERROR

    ctypedef struct usmx_view:
        void* data
        const int64_t* shape
        const int64_t* strides
        int64_t offset
        int64_t size
        int64_t itemsize
        const char* typestr
        const char* format
        int32_t dtype
        int32_t ndim
        int32_t kind
        uint32_t flags
        void* queue
        void* context

    ctypedef struct usmx_owner:
        pass

    ctypedef struct usmx_api:
        size_t size
        uint32_t major
        uint32_t minor
        # with the lock
        int (*as_array)(object, usmx_view*, usmx_owner**) except -1
        object (*from_array)(const usmx_view*, usmx_owner*)
        int (*as_queue)(object, void**) except -1
        object (*from_queue)(const void*)
        int (*as_context)(object, void**) except -1
        object (*from_context)(const void*)
        int (*as_device)(object, void**) except -1
        object (*from_device)(const void*)
        int (*as_event)(object, void**) except -1
        object (*from_event)(const void*)
        void (*set_error)(int, const char*) noexcept
        # without the lock
        usmx_owner* (*retain)(usmx_owner*) noexcept nogil
        void (*release)(usmx_owner*) noexcept nogil
        int (*view_of)(usmx_owner*, usmx_view*) noexcept nogil
        usmx_owner* (*allocate)(usmx_view*) noexcept nogil
        usmx_owner* (*adopt)(usmx_view*, void (*deleter)(void*) noexcept nogil, void*) noexcept nogil
        int (*record)(usmx_owner*, const void*) noexcept nogil
        int (*wait)(usmx_owner*) noexcept nogil
        int (*wait_event)(const void*) noexcept nogil
        void (*free_queue)(void*) noexcept nogil
        void (*free_context)(void*) noexcept nogil
        void (*free_device)(void*) noexcept nogil
        void (*free_event)(void*) noexcept nogil
        int (*last_error)(const char**) noexcept nogil
        # with the lock
        int (*as_array_for)(object, int, usmx_view*, usmx_owner**) except -1
        int (*make_ready)(usmx_owner*) except -1
        # without the lock
        int64_t (*pending_events)(usmx_owner* const*, int64_t, usmx_owner* const*, int64_t, void***) noexcept nogil
        void (*free_events)(void**, int64_t) noexcept nogil
        int (*record_read)(usmx_owner*, const void*) noexcept nogil
        int (*record_write)(usmx_owner*, const void*) noexcept nogil
        void* (*allocate_bytes)(size_t, int, const void*) noexcept nogil
        int (*free_bytes)(void*) noexcept nogil
        usmx_owner* (*allocate_for)(usmx_view*, int) noexcept nogil
        void (*release_object)(void*) noexcept nogil

    bint usmx_is_host_accessible(const usmx_view*) noexcept nogil
    bint usmx_is_c_contiguous(const usmx_view*) noexcept nogil
    const usmx_api* usmx_import() except NULL


# Raises the error that the latest function without the lock has noted on this thread.
cdef inline int usmx_raise(const usmx_api* api) except -1:
    cdef const char* text = NULL
    cdef int error = api.last_error(&text)
    api.set_error(error, text)
    return -1
