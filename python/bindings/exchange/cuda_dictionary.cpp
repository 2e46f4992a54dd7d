#include "exchange/cuda_dictionary.hpp"

#include "elements/typedescr.hpp"
#include "exchange/cuda_keys.hpp"
#include "exchange/dictionary_values.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "usmx/exchange/cuda_array_interface.hpp"

namespace usmx::bindings {
namespace {

void put(PyObject* dictionary, interned& key, const nb::object& value) {
  if (PyDict_SetItem(dictionary, key.get(), value.ptr()) != 0) {
    nb::raise_python_error();
  }
}

/// So that hasattr() is False where there is no such dictionary.
exchange::cuda_array_interface describe(const array& described) {
  try {
    return exchange::describe_for_cuda(described);
  } catch (const buffer_error& reason) {
    throw nb::attribute_error(reason.what());
  }
}

}  // namespace

nb::object to_cuda_dictionary(const array& described) {
  const exchange::cuda_array_interface values = describe(described);
  wait_for(described);
  nb::object result = checked(PyDict_New());
  PyObject* dictionary = result.ptr();
  put(dictionary, cuda_keys::shape, to_tuple(values.shape));
  put(dictionary, cuda_keys::typestr, typestr_object(described.type()));
  if (values.fields) {
    put(dictionary, cuda_keys::descr, to_python(*values.fields));
  }
  put(dictionary, cuda_keys::data, data_object(values.data, values.readonly));
  put(dictionary, cuda_keys::strides, values.strides ? to_tuple(*values.strides) : nb::none());
  put(dictionary, cuda_keys::version, checked(PyLong_FromLong(3)));
  put(dictionary, cuda_keys::stream, nb::none());
  return result;
}

}  // namespace usmx::bindings
