// The C interface of usmx, in C99 or C++: arrays in USM as plain data, who keeps them alive, SYCL's
// objects as opaque pointers, errors as numbers. It needs no header of SYCL or of Python, and no
// library to link: all functions are in one table, which usmx_import() of usmx/python/c_api.h
// takes from the Python package at run time. Python's objects are `struct _object*`, which is
// PyObject*.
//
// The table keeps its order and grows at its end. What was built against an older minor version
// runs on every newer one of the same major version (usmx_import() says ImportError otherwise); the
// other structs of this header do not change before the major version does.
#ifndef USMX_C_API_H
#define USMX_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The interface that this header describes. Major: something has changed. Minor: functions were
/// added.
#define USMX_C_API_MAJOR 1
#define USMX_C_API_MINOR 0
#define USMX_C_API_CAPSULE "usmx._core._c_api"

struct _object;  // PyObject

/// What `usmx_view::dtype` says.
enum usmx_dtype {
  USMX_BOOL = 0,
  USMX_INT8 = 1,
  USMX_INT16 = 2,
  USMX_INT32 = 3,
  USMX_INT64 = 4,
  USMX_UINT8 = 5,
  USMX_UINT16 = 6,
  USMX_UINT32 = 7,
  USMX_UINT64 = 8,
  USMX_FLOAT16 = 9,
  USMX_FLOAT32 = 10,
  USMX_FLOAT64 = 11,
  USMX_COMPLEX64 = 12,
  USMX_COMPLEX128 = 13,
  USMX_STRUCTURED = 14  // several fields: see `usmx_view::format`
};

/// What `usmx_view::kind` says. The host may read and write shared and host memory.
enum usmx_kind {
  USMX_KIND_UNKNOWN = 0,  // no USM
  USMX_KIND_DEVICE = 1,
  USMX_KIND_SHARED = 2,
  USMX_KIND_HOST = 3
};

/// Bits of `usmx_view::flags`. Those that this header does not name are not to be looked at.
enum usmx_flag {
  USMX_READ_ONLY = 1  // the elements may not be written to
};

/// What went wrong, and the exception of Python that it stands for.
enum usmx_error {
  USMX_OK = 0,
  USMX_VALUE_ERROR = 1,        // ValueError
  USMX_TYPE_ERROR = 2,         // TypeError
  USMX_INDEX_ERROR = 3,        // IndexError
  USMX_AXIS_ERROR = 4,         // numpy.exceptions.AxisError
  USMX_OVERFLOW_ERROR = 5,     // ValueError: a size, stride or offset that 64 bits cannot hold
  USMX_READ_ONLY_ERROR = 6,    // ValueError: memory that may not be written to
  USMX_BUFFER_ERROR = 7,       // BufferError
  USMX_ALLOCATION_ERROR = 8,   // usmx.USMAllocationError, a MemoryError: no USM
  USMX_MEMORY_ERROR = 9,       // MemoryError: no memory for something else
  USMX_DEVICE_ERROR = 10,      // usmx.SyclDeviceCreationError, a RuntimeError
  USMX_FORK_ERROR = 11,        // RuntimeError: a forked child cannot use the SYCL runtime
  USMX_RUNTIME_CONFLICT = 12,  // RuntimeError: more than one SYCL runtime in the process
  USMX_SYCL_ERROR = 13,        // RuntimeError: the SYCL runtime reports it
  USMX_OTHER_ERROR = 14        // RuntimeError
};

/// An array as plain data. What the pointers point to belongs to the array's owner, or to the
/// Python object that the view was taken from, and lives as long as that.
typedef struct usmx_view {
  void* data;              // element zero; not to be used when there are no elements
  const int64_t* shape;    // `ndim` numbers, none negative
  const int64_t* strides;  // `ndim` numbers, in elements; zero and negative ones occur
  int64_t offset;          // of element zero from the first byte of the owner's memory, in elements
  int64_t size;            // the number of elements
  int64_t itemsize;        // bytes of one element
  const char* typestr;     // NumPy's: "<f8"
  const char* format;      // PEP 3118's: "d"; null for a structured type that it cannot write
  int32_t dtype;           // an usmx_dtype
  int32_t ndim;            // at most 64
  int32_t kind;            // an usmx_kind
  uint32_t flags;          // of usmx_flag
  void* queue;             // a sycl::queue*, on which usmx works on the elements
  void* context;           // the queue's sycl::context*
} usmx_view;

/// Keeps one array alive: its memory, its view and what that points to.
typedef struct usmx_owner usmx_owner;

/// The functions. Each is of one of two sorts, as the headings say.
///
/// "With the lock": the caller holds the interpreter lock (an attached thread state). A function
/// that fails leaves Python's error set.
///
/// "Without the lock": the function needs no interpreter, and may be called on any thread, with or
/// without the lock. A function that fails notes what went wrong for its thread: see `last_error`.
///
/// None throws an exception of C++. Where a comment says "waits", work on a device may have to end
/// first: functions with the lock let it go meanwhile, and around the others the caller does so.
typedef struct usmx_api usmx_api;
struct usmx_api {
  // ---- The same in every version.

  size_t size;  // bytes of the table that is there
  uint32_t major;
  uint32_t minor;

  /// With the lock. Whether code that was built for that version may use the table: 0, or -1 with
  /// an ImportError that names the file with the address `code`, both versions and what to do.
  /// usmx_import() asks.
  int (*accept)(const usmx_api* self, uint32_t major, uint32_t minor, const void* code);

  // ---- Python's objects. With the lock.
  //
  // Those named as_... return 1 when they have a result; 0, without an error, for an object that is
  // nothing of the kind; -1 when it claims to be and fails. Each asks the object once. 2 in place
  // of 1: code of others was asked, which may be slow; such a result is worth keeping.

  /// An array: a USMArray, an object of usmx.memory, or any object with
  /// __sycl_usm_array_interface__. All of it has been checked, and its elements are ready to be
  /// read: waits. `view` may be null where only the owner is of interest.
  ///
  /// The caller releases the owner. Until then, and as long as the caller has a reference to
  /// `object`, owner and view are valid. Who needs them for longer retains the owner.
  int (*as_array)(struct _object* object, usmx_view* view, usmx_owner** owner);

  /// A new USMArray of elements of the owner's memory, which it keeps alive; the caller keeps his
  /// owner. `view` null: the owner's own. Else its data, dtype, ndim, shape and strides (null:
  /// C-contiguous) count, and USMX_READ_ONLY: the owner's view with another layout, for example.
  /// ValueError where elements lie outside of the memory; a structured type must be the owner's.
  struct _object* (*from_array)(const usmx_view* view, usmx_owner* owner);

  /// A new sycl::queue*, for free_queue: the queue of a SyclQueue of usmx or dpctl, of a capsule
  /// "SyclQueueRef", or of an object whose _get_capsule() returns one.
  int (*as_queue)(struct _object* object, void** queue);
  /// The Python object of a sycl::queue*, which stays the caller's: a usmx.SyclQueue, or dpctl's
  /// where dpctl is loaded.
  struct _object* (*from_queue)(const void* queue);

  /// The same of a sycl::context*, "SyclContextRef" and SyclContext.
  int (*as_context)(struct _object* object, void** context);
  struct _object* (*from_context)(const void* context);

  /// The same of a sycl::device* and SyclDevice; devices have no capsules.
  int (*as_device)(struct _object* object, void** device);
  struct _object* (*from_device)(const void* device);

  /// The same of a sycl::event*, "SyclEventRef" and SyclEvent.
  int (*as_event)(struct _object* object, void** event);
  struct _object* (*from_event)(const void* event);

  /// Sets the Python error that an usmx_error stands for, with that text (null: none).
  void (*set_error)(int error, const char* text);

  // ---- Owners. Without the lock, also when the interpreter is gone.

  /// Keeps the array alive until the result is released. The result may be another pointer than
  /// `owner` (usmx arrays lie in their Python objects, until somebody retains them) and its view at
  /// other addresses: see view_of. Null on failure: there is no memory.
  usmx_owner* (*retain)(usmx_owner* owner);
  /// Once for each owner that a function gave; null is nothing to release. The last one lets the
  /// memory go. That does not wait: memory with work on it is freed later.
  void (*release)(usmx_owner* owner);
  /// The owner's view, which lives as long as the owner does. 0, or -1 on failure.
  int (*view_of)(usmx_owner* owner, usmx_view* view);

  /// A new array in new memory, whose elements are not set. Of `view` its dtype, ndim, shape, kind
  /// and queue (null: the default one) count; the rest is filled in. C-contiguous, of no structured
  /// type. The caller releases the result. Null on failure.
  usmx_owner* (*allocate)(usmx_view* view);
  /// A new array of memory that is there: USM of the queue's context, which must hold all elements.
  /// Of `view` its data, dtype, ndim, shape, strides (null: C-contiguous), queue (not null) and
  /// USMX_READ_ONLY count; the rest is filled in. Of no structured type. The caller releases the
  /// result. Null on failure.
  ///
  /// `deleter(state)` runs exactly once, also where this function fails: when the array is let go
  /// and the work on it has ended, on any thread, without the interpreter lock, perhaps after the
  /// interpreter is gone. A null `deleter` is for memory that is never freed.
  usmx_owner* (*adopt)(usmx_view* view, void (*deleter)(void* state), void* state);

  // ---- Unfinished work. Without the lock. 0, or -1 on failure.

  /// Announces work on the array that ends with a sycl::event*, which stays the caller's: whoever
  /// takes the array next waits for it, and the memory outlives it.
  int (*record)(usmx_owner* owner, const void* event);
  /// Waits for all work on the array that usmx can know of.
  int (*wait)(usmx_owner* owner);
  /// Waits for a sycl::event*.
  int (*wait_event)(const void* event);

  // ---- SYCL's objects. Without the lock. Null is nothing to free.

  void (*free_queue)(void* queue);
  void (*free_context)(void* context);
  void (*free_device)(void* device);
  void (*free_event)(void* event);

  // ---- Errors. Without the lock.

  /// The usmx_error of the latest function without the lock that failed on this thread; USMX_OK
  /// where none has. `text`, unless null, is given what it says, which lives until the next one
  /// fails. `set_error(last_error(&text), text)` in two steps makes it Python's error.
  int (*last_error)(const char** text);
};

/// Whether the host may read the elements, and write them unless they are read-only.
static inline int usmx_is_host_accessible(const usmx_view* view) {
  return view->kind == USMX_KIND_SHARED || view->kind == USMX_KIND_HOST;
}

/// Whether the elements lie one after the other in C order: shape alone says where each is.
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
