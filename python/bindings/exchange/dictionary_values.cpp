#include "exchange/dictionary_values.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include "support/arguments.hpp"

namespace usmx::bindings {
namespace {

constexpr const char* expected_data = "(integer pointer, bool read-only)";

bool to_flag(PyObject* object) {
  if (PyBool_Check(object)) {
    return object == Py_True;
  }
  const std::string_view type = Py_TYPE(object)->tp_name;
  if (!PyIndex_Check(object) && type != "numpy.bool" && type != "numpy.bool_") {
    throw_wrong_type("data", expected_data, object);
  }
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) {
    nb::raise_python_error();
  }
  return truth == 1;
}

}  // namespace

pointer_and_flag read_data(PyObject* data) {
  const nb::object pair = snapshot("data", expected_data, data);
  if (PyTuple_GET_SIZE(pair.ptr()) != 2) {
    throw value_error(
        detail::message("'data' must have 2 entries, found ", PyTuple_GET_SIZE(pair.ptr())));
  }
  return {to_address("data[0]", "an integer address", PyTuple_GET_ITEM(pair.ptr(), 0)),
          to_flag(PyTuple_GET_ITEM(pair.ptr(), 1))};
}

void require_same_type(const char* key, PyObject* fields, PyObject* typestr) {
  nb::list same;
  same.append(nb::make_tuple("", nb::handle(typestr)));
  const int equal = PyObject_RichCompareBool(fields, same.ptr(), Py_EQ);
  if (equal < 0) {
    nb::raise_python_error();
  }
  if (equal == 0) {
    throw value_error(detail::message("'", key, "' must be one unnamed field equal to 'typestr' ",
                                      repr_text(typestr), ", found ", repr_text(fields)));
  }
}

nb::object typestr_object(dtype type) {
  const std::string_view text = type.typestr();
  if (type.is_structured()) {
    return nb::str(text.data(), text.size());
  }
  static std::array<PyObject*, type_count> made{};
  PyObject*& entry = made[static_cast<std::size_t>(type.code())];
  if (entry == nullptr) {
    entry = nb::str(text.data(), text.size()).release().ptr();
  }
  return nb::borrow(entry);
}

nb::object data_object(std::uintptr_t pointer, bool readonly) {
  return checked(Py_BuildValue("(KO)", static_cast<unsigned long long>(pointer),
                               readonly ? Py_True : Py_False));
}

}  // namespace usmx::bindings
