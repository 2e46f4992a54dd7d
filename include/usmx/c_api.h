// The C interface of usmx, in C99 or C++: arrays in USM as plain data, owners that keep them alive,
// SYCL's objects as opaque pointers, and errors as numbers. It needs no header of SYCL or of Python
// and no library to link: all functions are in one table, which usmx_import() of
// usmx/python/c_api.h takes from the Python package at run time. A Python object is a
// `struct _object*`, which is another name of PyObject*.
//
// The table keeps its order and grows at its end. Code that was built against an older minor
// version runs with every newer one of the same major version; otherwise usmx_import() raises
// ImportError. The other structs of this header change only with the major version.
#ifndef USMX_C_API_H
#define USMX_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The major version of the interface that this header describes. It is raised when something
/// changes that is there already.
#define USMX_C_API_MAJOR 1
/// The minor version of the interface that this header describes. It is the number of the latest
/// release that has added functions: 1 is 0.1, and 102 would be 1.2 (docs/compatibility.md).
#define USMX_C_API_MINOR 1
/// The name of the Python capsule that holds the table.
#define USMX_C_API_CAPSULE "usmx._core._c_api"

struct _object;  // PyObject

/// The element types, which are the values of `usmx_view::dtype`.
enum usmx_dtype {
  USMX_BOOL = 0,         ///< bool, of one byte
  USMX_INT8 = 1,         ///< signed integer of 8 bits
  USMX_INT16 = 2,        ///< signed integer of 16 bits
  USMX_INT32 = 3,        ///< signed integer of 32 bits
  USMX_INT64 = 4,        ///< signed integer of 64 bits
  USMX_UINT8 = 5,        ///< unsigned integer of 8 bits
  USMX_UINT16 = 6,       ///< unsigned integer of 16 bits
  USMX_UINT32 = 7,       ///< unsigned integer of 32 bits
  USMX_UINT64 = 8,       ///< unsigned integer of 64 bits
  USMX_FLOAT16 = 9,      ///< IEEE binary16
  USMX_FLOAT32 = 10,     ///< float
  USMX_FLOAT64 = 11,     ///< double
  USMX_COMPLEX64 = 12,   ///< complex number of two floats
  USMX_COMPLEX128 = 13,  ///< complex number of two doubles
  USMX_STRUCTURED = 14   ///< several fields: see `usmx_view::format`
};

/// The kinds of memory, which are the values of `usmx_view::kind`.
enum usmx_kind {
  USMX_KIND_UNKNOWN = 0,  ///< not USM
  USMX_KIND_DEVICE = 1,   ///< device memory, which the host may not touch
  USMX_KIND_SHARED = 2,   ///< shared memory, which the host may read and write
  USMX_KIND_HOST = 3      ///< host memory, which the host may read and write
};

/// The bits of `usmx_view::flags`. Ignore bits that this header does not name.
enum usmx_flag {
  USMX_READ_ONLY = 1  ///< the elements must not be written
};

/// The use that a function makes of an array that it takes: see `as_array_for` of usmx_api.
enum usmx_use {
  /// Anything: the elements are ready, and usmx expects work on them that nobody records. As
  /// `as_array`.
  USMX_USE_ANY = 0,
  /// Work that comes after `pending_events` and is recorded by `record_read` and `record_write`.
  /// Nothing is waited for, and usmx expects no other work.
  USMX_USE_ORDERED = 1,
  /// Work that the caller orders by other means. Nothing is waited for.
  USMX_USE_UNORDERED = 2,
  /// The host reads or writes the elements: they are ready, and in memory that the host may touch.
  USMX_USE_HOST = 3
};

/// The kind of an error, and the Python exception that it stands for.
enum usmx_error {
  USMX_OK = 0,                 ///< nothing went wrong
  USMX_VALUE_ERROR = 1,        ///< ValueError
  USMX_TYPE_ERROR = 2,         ///< TypeError
  USMX_INDEX_ERROR = 3,        ///< IndexError
  USMX_AXIS_ERROR = 4,         ///< numpy.exceptions.AxisError
  USMX_OVERFLOW_ERROR = 5,     ///< ValueError: a size, stride or offset that 64 bits cannot hold
  USMX_READ_ONLY_ERROR = 6,    ///< ValueError: memory that must not be written
  USMX_BUFFER_ERROR = 7,       ///< BufferError
  USMX_ALLOCATION_ERROR = 8,   ///< usmx.USMAllocationError, a MemoryError: no USM
  USMX_MEMORY_ERROR = 9,       ///< MemoryError: no memory for something else
  USMX_DEVICE_ERROR = 10,      ///< usmx.SyclDeviceCreationError, a RuntimeError
  USMX_FORK_ERROR = 11,        ///< RuntimeError: a forked child cannot use the SYCL runtime
  USMX_RUNTIME_CONFLICT = 12,  ///< RuntimeError: more than one SYCL runtime in the process
  USMX_SYCL_ERROR = 13,        ///< RuntimeError: the SYCL runtime reports it
  USMX_OTHER_ERROR = 14        ///< RuntimeError
};

/// An array as plain data. What the pointers point to belongs to the array's owner, or to the
/// Python object that the view was taken from, and lives as long as that.
typedef struct usmx_view {
  void* data;              ///< address of element zero; not to be used when there are no elements
  const int64_t* shape;    ///< `ndim` extents, none negative
  const int64_t* strides;  ///< `ndim` strides in elements; they can be zero or negative
  int64_t offset;          ///< elements from the first byte of the owner's memory to element zero
  int64_t size;            ///< number of elements
  int64_t itemsize;        ///< bytes of one element
  const char* typestr;     ///< element type as NumPy writes it: "<f8"
  const char* format;      ///< element type by PEP 3118: "d"; null if it cannot write the type
  int32_t dtype;           ///< element type as a number of usmx_dtype
  int32_t ndim;            ///< number of dimensions, at most 64
  int32_t kind;            ///< kind of memory as a number of usmx_kind
  uint32_t flags;          ///< bits of usmx_flag
  void* queue;             ///< the sycl::queue* on which usmx works on the elements
  void* context;           ///< the queue's sycl::context*
} usmx_view;

/// Keeps one array alive: its memory, its view and what that points to.
typedef struct usmx_owner usmx_owner;

/// The name of the table's type without the word struct.
typedef struct usmx_api usmx_api;

/// The table of functions. Each function is of one of two sorts, which its comment names.
///
/// "With the lock": the caller holds the interpreter lock (an attached thread state), or has let it
/// go for a while: then the function takes it by itself. A function that fails sets Python's error.
///
/// "Without the lock": the function needs no interpreter and may be called on any thread, with or
/// without the lock. A function that fails notes what went wrong for its thread: see `last_error`.
///
/// No function throws an exception of C++. Where a comment says that a function waits, work on a
/// device may have to finish first. Functions with the lock release it meanwhile; around the others
/// the caller releases it.
struct usmx_api {
  // ---- Members that every version has.

  size_t size;     ///< bytes of the table of the installed usmx
  uint32_t major;  ///< major version of the installed usmx's interface
  uint32_t minor;  ///< minor version of the installed usmx's interface

  /// With the lock. Decides whether code that was built for a version may use the table;
  /// usmx_import() asks. Returns 0, or -1 with an ImportError that names the file that has the
  /// address `code`, both versions and what to do.
  int (*accept)(const usmx_api* self, uint32_t major, uint32_t minor, const void* code);

  // ---- Python's objects. With the lock.
  //
  // The functions as_... return 1 when they have a result; 0, without an error, for an object of
  // another kind; -1 when the object claims to be of the kind and fails. 2 in place of 1 says that
  // code of others was asked, which may be slow: such a result is worth keeping. Each function asks
  // the object once.

  /// With the lock. Takes an array: a USMArray, an object of usmx.memory, or any object with
  /// __sycl_usm_array_interface__. usmx has checked all of it, and waits until the elements are
  /// ready to be read. `view` may be null if only the owner is of interest. Returns 1 or 2 with a
  /// result, 0 for an object that is no array, -1 on failure.
  ///
  /// The caller releases the owner. Owner and view are valid until then, and as long as the caller
  /// has a reference to `object`. To keep them for longer, retain the owner.
  int (*as_array)(struct _object* object, usmx_view* view, usmx_owner** owner);

  /// With the lock. Makes a new USMArray of elements of the owner's memory, which it keeps alive.
  /// The caller keeps the owner. If `view` is null, the elements are those of the owner's view.
  /// Else the view's data, dtype, ndim, shape, strides (null: C-contiguous) and USMX_READ_ONLY say
  /// which: it may be the owner's view with another layout, for example. A structured type must be
  /// the owner's. Returns null with a ValueError when elements lie outside of the memory.
  struct _object* (*from_array)(const usmx_view* view, usmx_owner* owner);

  /// With the lock. Makes a new sycl::queue*, which the caller frees by free_queue, of a SyclQueue
  /// of usmx or dpctl, of a capsule "SyclQueueRef", or of an object whose _get_capsule() returns
  /// one. Returns 1 or 2 with a result, 0 for an object of another kind, -1 on failure.
  int (*as_queue)(struct _object* object, void** queue);
  /// With the lock. Makes the Python object of a sycl::queue*, which stays the caller's: a
  /// usmx.SyclQueue, or dpctl's class if dpctl is loaded. Returns null on failure.
  struct _object* (*from_queue)(const void* queue);

  /// With the lock. Makes a new sycl::context*, which the caller frees by free_context, of a
  /// SyclContext of usmx or dpctl, of a capsule "SyclContextRef", or of an object whose
  /// _get_capsule() returns one. Returns 1 or 2 with a result, 0 for an object of another kind, -1
  /// on failure.
  int (*as_context)(struct _object* object, void** context);
  /// With the lock. Makes the Python object of a sycl::context*, which stays the caller's: a
  /// usmx.SyclContext, or dpctl's class if dpctl is loaded. Returns null on failure.
  struct _object* (*from_context)(const void* context);

  /// With the lock. Makes a new sycl::device*, which the caller frees by free_device, of a
  /// SyclDevice of usmx or dpctl; devices have no capsules. Returns 1 or 2 with a result, 0 for an
  /// object of another kind, -1 on failure.
  int (*as_device)(struct _object* object, void** device);
  /// With the lock. Makes the Python object of a sycl::device*, which stays the caller's: a
  /// usmx.SyclDevice, or dpctl's class if dpctl is loaded. Returns null on failure.
  struct _object* (*from_device)(const void* device);

  /// With the lock. Makes a new sycl::event*, which the caller frees by free_event, of a SyclEvent
  /// of usmx or dpctl, of a capsule "SyclEventRef", or of an object whose _get_capsule() returns
  /// one. Returns 1 or 2 with a result, 0 for an object of another kind, -1 on failure.
  int (*as_event)(struct _object* object, void** event);
  /// With the lock. Makes the Python object of a sycl::event*, which stays the caller's: a
  /// usmx.SyclEvent, or dpctl's class if dpctl is loaded. Returns null on failure.
  struct _object* (*from_event)(const void* event);

  /// With the lock. Sets the Python error that an usmx_error stands for, with the given text, which
  /// may be null.
  void (*set_error)(int error, const char* text);

  // ---- Owners. Without the lock, also when the interpreter is gone.

  /// Without the lock. Keeps the array alive until the caller releases the result. The result can
  /// be another pointer than `owner`, with its view at other addresses (see view_of): an array of
  /// usmx lies in its Python object until somebody retains it. Returns null on failure, which is
  /// that there is no memory.
  usmx_owner* (*retain)(usmx_owner* owner);
  /// Without the lock. Releases an owner, which the caller does once for each owner that a function
  /// gave. Does nothing for null. The last release lets the memory go. It does not wait: memory
  /// with work on it is freed later.
  void (*release)(usmx_owner* owner);
  /// Without the lock. Gives the owner's view, which lives as long as the owner. Returns 0, or -1
  /// on failure.
  int (*view_of)(usmx_owner* owner, usmx_view* view);

  /// Without the lock. Makes a new C-contiguous array in new memory, whose elements are not set. Of
  /// `view` its dtype (which is not structured), ndim, shape, kind and queue (null: the default
  /// queue) count; usmx fills in the rest. The caller releases the result. Returns null on failure.
  usmx_owner* (*allocate)(usmx_view* view);
  /// Without the lock. Makes an array of existing memory, which it takes over: USM of the queue's
  /// context that holds all elements. Of `view` its data, dtype (which is not structured), ndim,
  /// shape, strides (null: C-contiguous), queue (not null) and USMX_READ_ONLY count; usmx fills in
  /// the rest. The caller releases the result. Returns null on failure.
  ///
  /// `deleter(state)` runs exactly once, also when this function fails: after the array was
  /// released and the work on it has finished, on any thread, without the interpreter lock, and
  /// possibly after the interpreter is gone. A null `deleter` is for memory that is never freed.
  usmx_owner* (*adopt)(usmx_view* view, void (*deleter)(void* state), void* state);

  // ---- Unfinished work. Without the lock. 0, or -1 on failure.

  /// Without the lock. Announces unfinished work on the array that ends with a sycl::event*, which
  /// stays the caller's. Whoever takes the array next waits for the work, and the memory outlives
  /// it. Returns 0, or -1 on failure.
  int (*record)(usmx_owner* owner, const void* event);
  /// Without the lock. Waits for all work on the array that usmx can know of. Returns 0, or -1 on
  /// failure.
  int (*wait)(usmx_owner* owner);
  /// Without the lock. Waits for a sycl::event*. Returns 0, or -1 on failure.
  int (*wait_event)(const void* event);

  // ---- SYCL's objects. Without the lock. Null is nothing to free.

  /// Without the lock. Frees a queue that as_queue gave.
  void (*free_queue)(void* queue);
  /// Without the lock. Frees a context that as_context gave.
  void (*free_context)(void* context);
  /// Without the lock. Frees a device that as_device gave.
  void (*free_device)(void* device);
  /// Without the lock. Frees an event that as_event gave.
  void (*free_event)(void* event);

  // ---- Errors. Without the lock.

  /// Without the lock. Returns the usmx_error of the last function without the lock that failed on
  /// this thread, or USMX_OK if none has. If `text` is not null, it is set to the message, which
  /// lives until the next function fails on this thread. To make it Python's error, pass both to
  /// set_error.
  int (*last_error)(const char** text);

  // ---- Order without waiting.

  /// With the lock. As `as_array`, for a use of usmx_use. Raises a TypeError for USMX_USE_HOST
  /// where the host may not touch the memory, and a ValueError for a number that usmx_use does not
  /// have.
  int (*as_array_for)(struct _object* object, int use, usmx_view* view, usmx_owner** owner);
  /// With the lock. Waits until the elements of an array are ready; a signal may interrupt that.
  /// Returns 0, or -1 with Python's error set.
  int (*make_ready)(usmx_owner* owner);

  /// Without the lock. Finds the unfinished work that new work must come after which reads the
  /// elements of `read_count` arrays and writes those of `write_count` others; both may be 0.
  /// `*events` becomes an array of sycl::event*, which the caller frees by free_events; null if
  /// there are none. Where others may work on the memory through an out-of-order queue, this waits
  /// for that queue. Returns the number of events, or -1 on failure.
  int64_t (*pending_events)(usmx_owner* const* reads, int64_t read_count, usmx_owner* const* writes,
                            int64_t write_count, void*** events);
  /// Without the lock. Frees what pending_events gave. Does nothing for null.
  void (*free_events)(void** events, int64_t count);
  /// Without the lock. Announces unfinished work that reads the array and ends with a sycl::event*,
  /// which stays the caller's. Whoever writes the array next waits for the work, and the memory
  /// outlives it. Returns 0, or -1 on failure.
  int (*record_read)(usmx_owner* owner, const void* event);
  /// Without the lock. Announces unfinished work that writes the array and ends with a
  /// sycl::event*, which stays the caller's: as `record`. Returns 0, or -1 on failure.
  int (*record_write)(usmx_owner* owner, const void* event);

  // ---- Bytes. Without the lock. (Not malloc and free: these may be macros of stdlib.h.)

  /// Without the lock. Allocates `nbytes` bytes, at least 1, of a kind (usmx_kind) that work on a
  /// sycl::queue* (null: the default queue) can use, from where arrays get theirs: a pool, unless
  /// the program has chosen another resource. The caller frees them by free_bytes. Waits only if
  /// there is no memory left that is not in use. Returns null on failure.
  void* (*allocate_bytes)(size_t nbytes, int kind, const void* queue);
  /// Without the lock. Frees what allocate_bytes gave; does nothing for null. It does not wait: the
  /// bytes are used again after the work that was submitted to their queue. Work on other queues
  /// must have finished. Returns 0, or -1 for any other pointer, which it leaves alone.
  int (*free_bytes)(void* bytes);

  // ---- New arrays for a use.

  /// Without the lock. As `allocate`, for a use of usmx_use. USMX_USE_ORDERED is for results of
  /// work that is submitted and recorded in order: what comes next need not expect other work on
  /// the array, and so it does not wait. Returns null on failure: also for USMX_USE_HOST and memory
  /// that the host may not touch, and for a number that usmx_use does not have.
  usmx_owner* (*allocate_for)(usmx_view* view, int use);

  // ---- Python's owners.

  /// Without the lock, which it takes meanwhile. Lets a reference to a Python object go; does
  /// nothing for null. Once the interpreter has ended, the object stays. It may be the `deleter` of
  /// `adopt` for memory that belongs to a Python object: the `state` is then a reference to the
  /// object (PyObject*), which the array takes over.
  void (*release_object)(void* object);
};

/// Whether the host may read the elements, and write them unless they are read-only.
static inline int usmx_is_host_accessible(const usmx_view* view) {
  return view->kind == USMX_KIND_SHARED || view->kind == USMX_KIND_HOST;
}

/// Whether the elements lie one after the other in C order, so that strides need not be used.
static inline int usmx_is_c_contiguous(const usmx_view* view) {
  int64_t expected = 1;
  int32_t axis = view->ndim;
  if (view->size == 0) {
    return 1;
  }
  while (axis-- > 0) {
    if (view->shape[axis] != 1 && view->strides[axis] != expected) {
      return 0;
    }
    expected *= view->shape[axis];
  }
  return 1;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // USMX_C_API_H
