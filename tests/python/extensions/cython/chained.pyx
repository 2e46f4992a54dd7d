# Chains work without waiting through the C interface: as_array_for, pending_events, record_read and
# record_write. The command is SYCL's, in C++; usmx is called from Cython alone.

from libc.stdint cimport int64_t
from usmx.c_api cimport (
    USMX_FLOAT64,
    USMX_USE_HOST,
    USMX_USE_ORDERED,
    usmx_api,
    usmx_import,
    usmx_owner,
    usmx_raise,
    usmx_view,
)

cdef extern from *:
    """
    #include <cstddef>
    #include <vector>

    #include <sycl/queue.hpp>

    #include "support/gate.hpp"

    static void* start_copy(void* queue, const void* from, void* to, std::size_t nbytes,
                            void** events, std::size_t count) {
      std::vector<sycl::event> after;
      for (std::size_t k = 0; k < count; ++k) after.push_back(*static_cast<sycl::event*>(events[k]));
      return new sycl::event(static_cast<sycl::queue*>(queue)->memcpy(to, from, nbytes, after));
    }
    static void end_event(void* event) { delete static_cast<sycl::event*>(event); }
    static support::gate* new_gate(const void* context) {
      return new support::gate(*static_cast<const sycl::context*>(context));
    }
    static const void* event_of(support::gate* gate) { return &gate->event(); }
    """
    void* start_copy(void*, const void*, void*, size_t, void**, size_t) except +
    void end_event(void*) noexcept
    cppclass gate "support::gate":
        void open() except + nogil
    gate* new_gate(const void*) except +
    const void* event_of(gate*) noexcept

cdef const usmx_api* usmx = usmx_import()


cdef class Array:
    """An array of contiguous float64 as C code has it."""

    cdef usmx_view view
    cdef usmx_owner* owner

    def __cinit__(self, x, int use=USMX_USE_ORDERED):
        if usmx.as_array_for(x, use, &self.view, &self.owner) == 0:
            raise TypeError(f"expected a USM array, found {type(x).__name__}")
        if self.view.dtype != USMX_FLOAT64:
            raise TypeError("expected float64")

    def __dealloc__(self):
        usmx.release(self.owner)


def copy(x, y):
    """Copy x to y, after the work on both; returns the event, which usmx knows."""
    cdef Array source = Array(x), destination = Array(y)
    cdef void** events = NULL
    cdef int64_t count
    with nogil:
        count = usmx.pending_events(&source.owner, 1, &destination.owner, 1, &events)
    if count < 0:
        usmx_raise(usmx)
    cdef void* copied = NULL
    try:
        copied = start_copy(source.view.queue, source.view.data, destination.view.data,
                            source.view.size * sizeof(double), events, count)
        if (usmx.record_read(source.owner, copied) != 0
                or usmx.record_write(destination.owner, copied) != 0):
            usmx_raise(usmx)
        return usmx.from_event(copied)
    finally:
        usmx.free_events(events, count)
        if copied != NULL:
            end_event(copied)


def copied(x):
    """Copy x into a new array, in order."""
    cdef Array source = Array(x)
    cdef usmx_view view = source.view
    cdef usmx_owner* owner
    with nogil:
        owner = usmx.allocate_for(&view, USMX_USE_ORDERED)
    if owner == NULL:
        usmx_raise(usmx)
    try:
        result = usmx.from_array(NULL, owner)
    finally:
        usmx.release(owner)
    copy(x, result)
    return result


def new_array(int kind, int use):
    """Three numbers in new memory, for a use."""
    cdef int64_t extent = 3
    cdef usmx_view view
    view.dtype, view.ndim, view.shape, view.kind, view.queue = USMX_FLOAT64, 1, &extent, kind, NULL
    cdef usmx_owner* owner = usmx.allocate_for(&view, use)
    if owner == NULL:
        usmx_raise(usmx)
    try:
        return usmx.from_array(NULL, owner)
    finally:
        usmx.release(owner)


def number_of_pending(reads, writes):
    """How many events new work would come after. With a list that has no array, an error."""
    cdef Array read = Array(reads), write = Array(writes)
    cdef void** events = NULL
    cdef int64_t count = usmx.pending_events(&read.owner, 1, &write.owner, 1, &events)
    if count < 0:
        usmx_raise(usmx)
    usmx.free_events(events, count)
    return count


def first_number(x):
    """The first element, for the host: waits."""
    cdef Array array = Array(x, USMX_USE_HOST)
    return (<double*>array.view.data)[0]


cdef class Gate:
    """Unfinished work in an array's context, until it is opened."""

    cdef gate* held

    def __cinit__(self, x):
        self.held = new_gate(Array(x).view.context)

    def event(self):
        return usmx.from_event(event_of(self.held))

    def open(self):
        with nogil:
            self.held.open()

    def __dealloc__(self):
        del self.held
