#include "interface.hpp"

#include <nanobind/stl/string_view.h>

#include <array>

#include "arguments.hpp"
#include "dpctl_types.hpp"
#include "sycl_objects.hpp"
#include "syclobj.hpp"
#include "typedescr.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {
namespace {

interned attribute_name("__sycl_usm_array_interface__");
interned version_key("version");
interned shape_key("shape");
interned typestr_key("typestr");
interned typedescr_key("typedescr");
interned data_key("data");
interned strides_key("strides");
interned offset_key("offset");
interned syclobj_key("syclobj");

/// The entries of the attribute's value, whatever happens to that value meanwhile.
class entries {
 public:
  explicit entries(nb::object mapping) : mapping_(std::move(mapping)) {
    if (!PyDict_Check(mapping_.ptr()) && !is_mapping(mapping_)) {
      throw type_error(
          detail::message("__sycl_usm_array_interface__ must be a dict or another Mapping, found ",
                          Py_TYPE(mapping_.ptr())->tp_name));
    }
  }

  /// Null when missing.
  nb::object find(interned& key) const {
    PyObject* value = nullptr;
    if (PyDict_CheckExact(mapping_.ptr())) {
      value = PyDict_GetItemWithError(mapping_.ptr(), key.get());
      Py_XINCREF(value);
    } else {
      value = PyObject_GetItem(mapping_.ptr(), key.get());
      if (value == nullptr && PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Clear();
      }
    }
    if (value == nullptr && PyErr_Occurred()) {
      nb::raise_python_error();
    }
    return nb::steal(value);
  }

  /// Null when missing or None.
  nb::object find_optional(interned& key) const {
    nb::object value = find(key);
    return value.is_valid() && value.is_none() ? nb::object() : value;
  }

  nb::object require(interned& key) const {
    nb::object value = find(key);
    if (!value.is_valid()) {
      throw value_error(detail::message(
          "__sycl_usm_array_interface__ must have the key ", repr_text(key.get()), ", found none"));
    }
    return value;
  }

 private:
  static bool is_mapping(nb::handle object) {
    return nb::isinstance(object, nb::module_::import_("collections.abc").attr("Mapping"));
  }

  nb::object mapping_;
};

void check_version(const entries& given) {
  const nb::object version = given.require(version_key);
  if (PyBool_Check(version.ptr())) {
    throw_wrong_type("version", "the integer 1", version.ptr());
  }
  const std::ptrdiff_t number = to_count("version", "the integer 1", version.ptr());
  if (number != 1) {
    throw value_error(detail::message("'version' must be 1, found ", number));
  }
}

/// The typedescr of a plain type may say once more what typestr says, and nothing else.
void check_typedescr(const nb::object& typedescr, const nb::object& typestr) {
  nb::list same;
  same.append(nb::make_tuple("", typestr));
  const int equal = PyObject_RichCompareBool(typedescr.ptr(), same.ptr(), Py_EQ);
  if (equal < 0) {
    nb::raise_python_error();
  }
  if (equal == 0) {
    throw value_error(detail::message("'typedescr' must be one unnamed field equal to 'typestr' ",
                                      repr_text(typestr.ptr()), ", found ",
                                      repr_text(typedescr.ptr())));
  }
}

std::uintptr_t to_pointer(PyObject* object) {
  const nb::object integer = to_integer("data", "(integer pointer, bool read-only)", object);
  const unsigned long long value = PyLong_AsUnsignedLongLong(integer.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw value_error(detail::message("'data' pointer must be an address of 64 bits, found ",
                                      repr_text(integer.ptr())));
  }
  return value;
}

bool to_flag(PyObject* object) {
  if (PyBool_Check(object)) {
    return object == Py_True;
  }
  const std::string_view type = Py_TYPE(object)->tp_name;
  if (!PyIndex_Check(object) && type != "numpy.bool" && type != "numpy.bool_") {
    throw_wrong_type("data", "(integer pointer, bool read-only)", object);
  }
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) {
    nb::raise_python_error();
  }
  return truth == 1;
}

void read_data(const entries& given, exchange::usm_array_interface& result) {
  const nb::object data = given.find_optional(data_key);
  if (!data.is_valid()) {
    throw value_error("'data' must be (integer pointer, bool read-only), found none");
  }
  const nb::object pair = snapshot("data", "(integer pointer, bool read-only)", data.ptr());
  if (PyTuple_GET_SIZE(pair.ptr()) != 2) {
    throw value_error(
        detail::message("'data' must have 2 entries, found ", PyTuple_GET_SIZE(pair.ptr())));
  }
  result.data = to_pointer(PyTuple_GET_ITEM(pair.ptr(), 0));
  result.readonly = to_flag(PyTuple_GET_ITEM(pair.ptr(), 1));
}

exchange::checked_import read(PyObject* producer, const entries& given) {
  check_version(given);
  exchange::usm_array_interface values;
  const counts shape("shape", given.require(shape_key).ptr());
  values.shape = shape.span();
  const nb::object typestr = given.require(typestr_key);
  values.typestr = to_text("typestr", typestr.ptr());
  if (const nb::object typedescr = given.find_optional(typedescr_key); typedescr.is_valid()) {
    if (exchange::is_structured_typestr(values.typestr)) {
      values.typedescr = to_typedescr(typedescr.ptr(), values.typestr);
    } else {
      check_typedescr(typedescr, typestr);
    }
  }
  read_data(given, values);
  std::optional<counts> strides;
  if (const nb::object found = given.find_optional(strides_key); found.is_valid()) {
    strides.emplace("strides", found.ptr());
    values.strides = strides->span();
  }
  if (const nb::object offset = given.find_optional(offset_key); offset.is_valid()) {
    values.offset = to_count("offset", "an integer", offset.ptr());
  }
  const nb::object syclobj = given.require(syclobj_key);
  const exchange::placement where = resolve_syclobj(syclobj.ptr());
  values.readonly = values.readonly && has_truthful_readonly_flag(producer);
  return exchange::check(values, where);
}

bool this_thread_holds_the_interpreter() noexcept {
  const PyThreadState* mine = PyGILState_GetThisThreadState();
#if PY_VERSION_HEX >= 0x030D0000
  return mine != nullptr && mine == PyThreadState_GetUnchecked();
#else
  return mine != nullptr && mine == _PyThreadState_UncheckedGet();
#endif
}

/// Lets a producer go, on whatever thread. While the interpreter ends only the thread that ends it
/// can; after that the producer stays: better than a crash.
void release_reference(void* state) noexcept {
  auto* object = static_cast<PyObject*>(state);
  if (this_thread_holds_the_interpreter()) {
    Py_DECREF(object);
  } else if (Py_IsInitialized() != 0) {
    const PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(object);
    PyGILState_Release(gil);
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

void put(PyObject* dictionary, interned& key, const nb::object& value) {
  if (!value.is_valid() || PyDict_SetItem(dictionary, key.get(), value.ptr()) != 0) {
    nb::raise_python_error();
  }
}

}  // namespace

PyObject* interface_name() { return attribute_name.get(); }

std::optional<array> import_producer(PyObject* producer) {
  nb::object value = optional_attribute(producer, attribute_name.get());
  if (!value.is_valid()) {
    return std::nullopt;
  }
  exchange::checked_import checked = read(producer, entries(std::move(value)));
  auto memory = std::make_shared<buffer>(
      buffer::adopt_checked(checked.memory, checked.nbytes, checked.kind, checked.queue,
                            keep_alive(producer), checked.readonly));
  return array::unchecked(std::move(memory), checked.type, std::move(checked.where),
                          checked.readonly);
}

detail::release_action keep_alive(PyObject* object) noexcept {
  Py_INCREF(object);
  return {release_reference, object};
}

PyObject* producer_behind(const buffer& memory) noexcept {
  return memory.release().run() == release_reference
             ? static_cast<PyObject*>(memory.release().state())
             : nullptr;
}

void wait_for(buffer& memory) {
  if (memory.may_be_busy()) {
    const nb::gil_scoped_release unlocked;
    memory.wait();
  }
}

nb::object to_dictionary(const array& described) {
  wait_for(*described.memory());
  described.memory()->expose();
  const exchange::usm_array_interface values = exchange::describe(described);
  nb::object result = nb::steal(PyDict_New());
  PyObject* dictionary = result.ptr();
  put(dictionary, data_key,
      nb::steal(Py_BuildValue("(KO)", static_cast<unsigned long long>(values.data),
                              values.readonly ? Py_True : Py_False)));
  put(dictionary, shape_key, to_tuple(values.shape));
  put(dictionary, strides_key, values.strides ? to_tuple(*values.strides) : nb::none());
  put(dictionary, typestr_key, typestr_object(described.type()));
  if (values.typedescr) {
    put(dictionary, typedescr_key, to_python(*values.typedescr));
  }
  put(dictionary, version_key, nb::steal(PyLong_FromLong(1)));
  put(dictionary, syclobj_key, to_python(described.queue()));
  put(dictionary, offset_key, nb::steal(PyLong_FromSsize_t(values.offset)));
  return result;
}

}  // namespace usmx::bindings
