// Every function of the first C interface (1.0), from an extension in C99 for Python's stable ABI.
// Its compiled form, extension_1_0.abi3.so, was made by compile.py when that interface was new: it
// must load and work with every later usmx of major version 1. So this file does not change;
// functions that come later have tests of their own.
#include "usmx/python/c_api.h"

#include <pthread.h>

static const char owner_name[] = "owner";
static int deleted_count = 0;

static PyObject* raise_last(const usmx_api* usmx) {
  const char* text;
  const int error = usmx->last_error(&text);
  usmx->set_error(error, text);
  return NULL;
}

static PyObject* none_or_error(const usmx_api* usmx, int status) {
  return status < 0 ? raise_last(usmx) : Py_NewRef(Py_None);
}

// ---- owners in capsules

static void release_in_capsule(PyObject* capsule) {
  usmx_import()->release((usmx_owner*)PyCapsule_GetPointer(capsule, owner_name));
}

static usmx_owner* owner_in(PyObject* capsule) {
  return (usmx_owner*)PyCapsule_GetPointer(capsule, owner_name);
}

static PyObject* owner_capsule(const usmx_api* usmx, usmx_owner* owner) {
  PyObject* capsule;
  if (owner == NULL) {
    return raise_last(usmx);
  }
  capsule = PyCapsule_New(owner, owner_name, release_in_capsule);
  if (capsule == NULL) {
    usmx->release(owner);
  }
  return capsule;
}

// ---- arrays

static PyObject* numbers(const int64_t* first, int32_t count) {
  PyObject* tuple = PyTuple_New(count);
  int32_t k;
  for (k = 0; tuple != NULL && k < count; ++k) {
    PyTuple_SetItem(tuple, k, PyLong_FromLongLong(first[k]));
  }
  return tuple;
}

static PyObject* description(const usmx_view* view) {
  return Py_BuildValue(
      "{s:K,s:N,s:N,s:L,s:L,s:L,s:s,s:z,s:i,s:i,s:I,s:O,s:K,s:K}", "data",
      (unsigned long long)(uintptr_t)view->data, "shape", numbers(view->shape, view->ndim),
      "strides", numbers(view->strides, view->ndim), "offset", (long long)view->offset, "size",
      (long long)view->size, "itemsize", (long long)view->itemsize, "typestr", view->typestr,
      "format", view->format, "dtype", (int)view->dtype, "kind", (int)view->kind, "flags",
      (unsigned int)view->flags, "c_contiguous", usmx_is_c_contiguous(view) ? Py_True : Py_False,
      "queue", (unsigned long long)(uintptr_t)view->queue, "context",
      (unsigned long long)(uintptr_t)view->context);
}

// What as_array and as_array_for found: a dict, or None. Releases the owner.
static PyObject* description_of_found(const usmx_api* usmx, int status, const usmx_view* view,
                                      usmx_owner* owner) {
  PyObject* result;
  if (status == 0) {
    return Py_NewRef(Py_None);
  }
  result = description(view);
  usmx->release(owner);
  return result;
}

// describe(object) -> dict of a producer's view, or None
static PyObject* describe(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  usmx_view view;
  usmx_owner* owner;
  int status;
  (void)self;
  if (usmx == NULL || (status = usmx->as_array(object, &view, &owner)) < 0) {
    return NULL;
  }
  return description_of_found(usmx, status, &view, owner);
}

// keep(object) -> capsule of an owner that does not need the object
static PyObject* keep(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  usmx_owner *owner, *kept;
  int status;
  (void)self;
  if (usmx == NULL || (status = usmx->as_array(object, NULL, &owner)) < 0) {
    return NULL;
  }
  if (status == 0) {
    PyErr_SetString(PyExc_TypeError, "no array");
    return NULL;
  }
  kept = usmx->retain(owner);
  usmx->release(owner);
  return owner_capsule(usmx, kept);
}

// retain(capsule) -> another capsule
static PyObject* retain(PyObject* self, PyObject* capsule) {
  const usmx_api* usmx = usmx_import();
  (void)self;
  return owner_capsule(usmx, usmx->retain(owner_in(capsule)));
}

// describe_owner(capsule) -> dict
static PyObject* describe_owner(PyObject* self, PyObject* capsule) {
  const usmx_api* usmx = usmx_import();
  usmx_view view;
  (void)self;
  return usmx->view_of(owner_in(capsule), &view) < 0 ? raise_last(usmx) : description(&view);
}

// to_array(capsule) -> USMArray
static PyObject* to_array(PyObject* self, PyObject* capsule) {
  (void)self;
  return usmx_import()->from_array(NULL, owner_in(capsule));
}

// part(capsule, skipped bytes, dtype, shape, strides or None, flags) -> USMArray
static PyObject* part(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  PyObject* capsule;
  usmx_view view;
  int64_t shape[1], strides[1];
  long long skipped, extent, stride;
  int dtype, is_strided;
  unsigned int flags;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "OLiLpLI", &capsule, &skipped, &dtype, &extent, &is_strided,
                        &stride, &flags)) {
    return NULL;
  }
  if (usmx->view_of(owner_in(capsule), &view) < 0) {
    return raise_last(usmx);
  }
  shape[0] = extent;
  strides[0] = stride;
  view.data = (char*)view.data + skipped;
  view.dtype = dtype;
  view.ndim = 1;
  view.shape = shape;
  view.strides = is_strided ? strides : NULL;
  view.flags = flags;
  return usmx->from_array(&view, owner_in(capsule));
}

// allocate(dtype, extent, kind) -> capsule
static PyObject* allocate(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  usmx_view view = {0};
  long long extent;
  int dtype, kind;
  int64_t shape[1];
  (void)self;
  if (!PyArg_ParseTuple(arguments, "iLi", &dtype, &extent, &kind)) {
    return NULL;
  }
  shape[0] = extent;
  view.dtype = dtype;
  view.ndim = 1;
  view.shape = shape;
  view.kind = kind;
  return owner_capsule(usmx, usmx->allocate(&view));
}

// bytes(count, kind, value) -> the sum of that many bytes, each set to a value; the address of
// those in device memory is only given back. free_bytes is called twice, so the second call has to
// fail.
static PyObject* bytes(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  long long count, k, sum = 0;
  int kind, value, freed, freed_again;
  unsigned char* first;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "Lii", &count, &kind, &value)) {
    return NULL;
  }
  first = (unsigned char*)usmx->allocate_bytes((size_t)count, kind, NULL);
  if (first == NULL) {
    return raise_last(usmx);
  }
  for (k = 0; kind != USMX_KIND_DEVICE && k < count; ++k) {
    first[k] = (unsigned char)value;
    sum += first[k];
  }
  freed = usmx->free_bytes(first);
  freed_again = usmx->free_bytes(first);
  return Py_BuildValue("Lii", sum, freed, freed_again);
}

static void release_and_count(void* owner) {
  ++deleted_count;
  usmx_import()->release((usmx_owner*)owner);
}

// adopt(capsule, dtype, extent, flags, has a queue) -> capsule of another array of that memory,
// whose deleter releases the former
static PyObject* adopt(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  PyObject* capsule;
  usmx_view view;
  long long extent;
  int dtype, has_queue;
  unsigned int flags;
  int64_t shape[1];
  (void)self;
  if (!PyArg_ParseTuple(arguments, "OiLIp", &capsule, &dtype, &extent, &flags, &has_queue)) {
    return NULL;
  }
  if (usmx->view_of(owner_in(capsule), &view) < 0) {
    return raise_last(usmx);
  }
  shape[0] = extent;
  view.dtype = dtype;
  view.ndim = 1;
  view.shape = shape;
  view.strides = NULL;
  view.flags = flags;
  if (!has_queue) {
    view.queue = NULL;
  }
  return owner_capsule(usmx,
                       usmx->adopt(&view, release_and_count, usmx->retain(owner_in(capsule))));
}

static PyObject* deleted(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return PyLong_FromLong(deleted_count);
}

static void* release_on_thread(void* owner) {
  usmx_import()->release((usmx_owner*)owner);
  return NULL;
}

// release_elsewhere(object): on a thread that Python does not know, while this one has the lock
static PyObject* release_elsewhere(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  usmx_owner *owner, *kept;
  pthread_t thread;
  (void)self;
  if (usmx->as_array(object, NULL, &owner) <= 0) {
    return NULL;
  }
  kept = usmx->retain(owner);
  usmx->release(owner);
  pthread_create(&thread, NULL, release_on_thread, kept);
  pthread_join(thread, NULL);
  Py_RETURN_NONE;
}

// keep_for_ever(object): until the process ends, after the interpreter is gone
static usmx_owner* kept_for_ever = NULL;

__attribute__((destructor)) static void release_kept_for_ever(void) {
  if (kept_for_ever != NULL) {
    usmx_import()->release(kept_for_ever);
  }
}

static PyObject* keep_for_ever(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  usmx_owner* owner;
  (void)self;
  if (usmx->as_array(object, NULL, &owner) <= 0) {
    return NULL;
  }
  kept_for_ever = usmx->retain(owner);
  usmx->release(owner);
  Py_RETURN_NONE;
}

// ---- SYCL's objects

typedef int (*as_function)(PyObject*, void**);
typedef PyObject* (*from_function)(const void*);
typedef void (*free_function)(void*);

// (status, the same object again or None)
static PyObject* there_and_back(PyObject* object, as_function as, from_function from,
                                free_function end) {
  void* found = NULL;
  PyObject* back;
  const int status = as(object, &found);
  if (status < 0) {
    return NULL;
  }
  back = status == 0 ? Py_NewRef(Py_None) : from(found);
  end(found);
  return back == NULL ? NULL : Py_BuildValue("(iN)", status, back);
}

static PyObject* same_queue(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  (void)self;
  return there_and_back(object, usmx->as_queue, usmx->from_queue, usmx->free_queue);
}
static PyObject* same_context(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  (void)self;
  return there_and_back(object, usmx->as_context, usmx->from_context, usmx->free_context);
}
static PyObject* same_device(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  (void)self;
  return there_and_back(object, usmx->as_device, usmx->from_device, usmx->free_device);
}
static PyObject* same_event(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  (void)self;
  return there_and_back(object, usmx->as_event, usmx->from_event, usmx->free_event);
}

// (status, USMArray or None)
static PyObject* same_array(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  usmx_owner* owner = NULL;
  PyObject* back;
  const int status = usmx->as_array(object, NULL, &owner);
  (void)self;
  if (status < 0) {
    return NULL;
  }
  back = status == 0 ? Py_NewRef(Py_None) : usmx->from_array(NULL, owner);
  usmx->release(owner);
  return back == NULL ? NULL : Py_BuildValue("(iN)", status, back);
}

// ---- work

// record(capsule, event)
static PyObject* record(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  PyObject *capsule, *object;
  void* event;
  int status;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &object) ||
      usmx->as_event(object, &event) <= 0) {
    return NULL;
  }
  status = usmx->record(owner_in(capsule), event);
  usmx->free_event(event);
  return none_or_error(usmx, status);
}

// record_read(capsule, event), record_write(capsule, event)
static PyObject* record_by(int (*record)(usmx_owner*, const void*), PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  PyObject *capsule, *object;
  void* event;
  int status;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &object) ||
      usmx->as_event(object, &event) <= 0) {
    return NULL;
  }
  status = record(owner_in(capsule), event);
  usmx->free_event(event);
  return none_or_error(usmx, status);
}

static PyObject* record_read(PyObject* self, PyObject* arguments) {
  (void)self;
  return record_by(usmx_import()->record_read, arguments);
}

static PyObject* record_write(PyObject* self, PyObject* arguments) {
  (void)self;
  return record_by(usmx_import()->record_write, arguments);
}

// pending_events(read capsule or None, written capsule or None) -> list
static PyObject* pending_events(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  PyObject *read_capsule, *write_capsule, *list;
  usmx_owner *reads = NULL, *writes = NULL;
  void** events = NULL;
  int64_t count, k;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "OO", &read_capsule, &write_capsule)) {
    return NULL;
  }
  if (read_capsule != Py_None) {
    reads = owner_in(read_capsule);
  }
  if (write_capsule != Py_None) {
    writes = owner_in(write_capsule);
  }
  Py_BEGIN_ALLOW_THREADS;
  count = usmx->pending_events(&reads, reads != NULL, &writes, writes != NULL, &events);
  Py_END_ALLOW_THREADS;
  if (count < 0) {
    return raise_last(usmx);
  }
  list = PyList_New((Py_ssize_t)count);
  for (k = 0; list != NULL && k < count; ++k) {
    PyList_SetItem(list, (Py_ssize_t)k, usmx->from_event(events[k]));
  }
  usmx->free_events(events, count);
  return list;
}

// use(object, number of usmx_use) -> dict of the view, or None
static PyObject* use(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  PyObject* object;
  usmx_view view;
  usmx_owner* owner;
  int number, status;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "Oi", &object, &number) ||
      (status = usmx->as_array_for(object, number, &view, &owner)) < 0) {
    return NULL;
  }
  return description_of_found(usmx, status, &view, owner);
}

// make_ready(capsule)
static PyObject* make_ready(PyObject* self, PyObject* capsule) {
  (void)self;
  return usmx_import()->make_ready(owner_in(capsule)) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject* wait_for(PyObject* self, PyObject* capsule) {
  const usmx_api* usmx = usmx_import();
  int status;
  (void)self;
  Py_BEGIN_ALLOW_THREADS;
  status = usmx->wait(owner_in(capsule));
  Py_END_ALLOW_THREADS;
  return none_or_error(usmx, status);
}

static PyObject* wait_event(PyObject* self, PyObject* object) {
  const usmx_api* usmx = usmx_import();
  void* event;
  int status;
  (void)self;
  if (usmx->as_event(object, &event) <= 0) {
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS;
  status = usmx->wait_event(event);
  Py_END_ALLOW_THREADS;
  usmx->free_event(event);
  return none_or_error(usmx, status);
}

// ---- errors and versions

// last_error() -> (code, text)
static PyObject* last_error(PyObject* self, PyObject* unused) {
  const char* text;
  const int code = usmx_import()->last_error(&text);
  (void)self;
  (void)unused;
  return Py_BuildValue("(is)", code, text);
}

// set_error(code, text) raises
static PyObject* set_error(PyObject* self, PyObject* arguments) {
  int code;
  const char* text;
  (void)self;
  if (PyArg_ParseTuple(arguments, "iy", &code, &text)) {
    usmx_import()->set_error(code, text);
  }
  return NULL;
}

// accept(major, minor): as if this extension had been built for that version
static PyObject* accept(PyObject* self, PyObject* arguments) {
  const usmx_api* usmx = usmx_import();
  unsigned int major, minor;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "II", &major, &minor) ||
      usmx->accept(usmx, major, minor, &deleted_count) < 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

// version() -> (size, major, minor) of the table, and those that this was built for
static PyObject* version(PyObject* self, PyObject* unused) {
  const usmx_api* usmx = usmx_import();
  (void)self;
  (void)unused;
  return Py_BuildValue("((nII)(nII))", (Py_ssize_t)usmx->size, (unsigned int)usmx->major,
                       (unsigned int)usmx->minor, (Py_ssize_t)sizeof(usmx_api),
                       (unsigned int)USMX_C_API_MAJOR, (unsigned int)USMX_C_API_MINOR);
}

static PyMethodDef methods[] = {{"describe", describe, METH_O, NULL},
                                {"keep", keep, METH_O, NULL},
                                {"retain", retain, METH_O, NULL},
                                {"describe_owner", describe_owner, METH_O, NULL},
                                {"to_array", to_array, METH_O, NULL},
                                {"part", part, METH_VARARGS, NULL},
                                {"allocate", allocate, METH_VARARGS, NULL},
                                {"bytes", bytes, METH_VARARGS, NULL},
                                {"adopt", adopt, METH_VARARGS, NULL},
                                {"deleted", deleted, METH_NOARGS, NULL},
                                {"release_elsewhere", release_elsewhere, METH_O, NULL},
                                {"keep_for_ever", keep_for_ever, METH_O, NULL},
                                {"same_array", same_array, METH_O, NULL},
                                {"same_queue", same_queue, METH_O, NULL},
                                {"same_context", same_context, METH_O, NULL},
                                {"same_device", same_device, METH_O, NULL},
                                {"same_event", same_event, METH_O, NULL},
                                {"record", record, METH_VARARGS, NULL},
                                {"record_read", record_read, METH_VARARGS, NULL},
                                {"record_write", record_write, METH_VARARGS, NULL},
                                {"pending_events", pending_events, METH_VARARGS, NULL},
                                {"use", use, METH_VARARGS, NULL},
                                {"make_ready", make_ready, METH_O, NULL},
                                {"wait", wait_for, METH_O, NULL},
                                {"wait_event", wait_event, METH_O, NULL},
                                {"last_error", last_error, METH_NOARGS, NULL},
                                {"set_error", set_error, METH_VARARGS, NULL},
                                {"accept", accept, METH_VARARGS, NULL},
                                {"version", version, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "extension", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_extension(void) {
  return usmx_import() == NULL ? NULL : PyModule_Create(&module);
}
