// The Python module usmx_with_c._native: one function, of any USM array that the host may touch.
#include <usmx/python/c_api.h>

static const usmx_api* usmx;

static int require_numbers_of_the_host(const usmx_view* x) {
  if (x->dtype != USMX_FLOAT64) {
    PyErr_Format(PyExc_TypeError, "scaled: expected float64, found typestr %s", x->typestr);
    return -1;
  }
  if (x->ndim != 1) {
    PyErr_Format(PyExc_TypeError, "scaled: expected 1 dimension, found %d", x->ndim);
    return -1;
  }
  if (!usmx_is_host_accessible(x)) {
    PyErr_SetString(PyExc_TypeError, "scaled: expected shared or host memory");
    return -1;
  }
  return 0;
}

static void multiply(const usmx_view* x, double factor, double* result) {
  const double* numbers = x->data;
  for (int64_t i = 0; i < x->size; ++i) {
    result[i] = factor * numbers[i * x->strides[0]];
  }
}

// A new array like `x`, whose type, shape, kind and queue it takes.
static PyObject* scaled_view(const usmx_view* x, double factor) {
  usmx_view result = *x;
  usmx_owner* owner = usmx->allocate(&result);
  if (owner == NULL) {
    const char* text;
    const int error = usmx->last_error(&text);
    usmx->set_error(error, text);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS
  multiply(x, factor, result.data);
  Py_END_ALLOW_THREADS
  PyObject* array = usmx->from_array(NULL, owner);
  usmx->release(owner);
  return array;
}

static PyObject* scaled(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* object;
  double factor;
  if (!PyArg_ParseTuple(arguments, "Od", &object, &factor)) {
    return NULL;
  }
  usmx_view x;
  usmx_owner* owner;
  const int found = usmx->as_array(object, &x, &owner);
  if (found < 0) {
    return NULL;
  }
  if (found == 0) {
    return PyErr_Format(PyExc_TypeError, "scaled: expected a USM array, found %R",
                        (PyObject*)Py_TYPE(object));
  }
  PyObject* result = require_numbers_of_the_host(&x) == 0 ? scaled_view(&x, factor) : NULL;
  usmx->release(owner);
  return result;
}

static PyMethodDef functions[] = {
    {"scaled", scaled, METH_VARARGS,
     "scaled(x, factor)\n--\n\n"
     "Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", NULL, 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) {
  usmx = usmx_import();
  return usmx == NULL ? NULL : PyModule_Create(&definition);
}
