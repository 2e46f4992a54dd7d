#include "exchange/dictionary.hpp"

#include "elements/typedescr.hpp"
#include "exchange/dictionary_keys.hpp"
#include "exchange/dictionary_values.hpp"
#include "objects/owners.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {
namespace {

void put(PyObject* dictionary, interface_key k, const nb::object& value) {
  if (PyDict_SetItem(dictionary, key_name(k), value.ptr()) != 0) {
    nb::raise_python_error();
  }
}

}  // namespace

nb::object to_dictionary(const array& described) {
  wait_for(described);
  described.owner()->expose();
  const exchange::usm_array_interface values = exchange::describe(described);
  nb::object result = checked(PyDict_New());
  PyObject* dictionary = result.ptr();
  put(dictionary, interface_key::data, data_object(values.data, values.readonly));
  put(dictionary, interface_key::shape, to_tuple(values.shape));
  put(dictionary, interface_key::strides, values.strides ? to_tuple(*values.strides) : nb::none());
  put(dictionary, interface_key::typestr, typestr_object(described.type()));
  if (values.typedescr) {
    put(dictionary, interface_key::typedescr, to_python(*values.typedescr));
  }
  put(dictionary, interface_key::version, checked(PyLong_FromLong(1)));
  put(dictionary, interface_key::syclobj, queue_object_of(*described.owner()));
  put(dictionary, interface_key::offset, checked(PyLong_FromSsize_t(values.offset)));
  return result;
}

}  // namespace usmx::bindings
