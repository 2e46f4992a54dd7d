#include "interface.hpp"

#include <nanobind/stl/string_view.h>

#include <array>

#include "arguments.hpp"
#include "dpctl_types.hpp"
#include "owners.hpp"
#include "producer_buffer.hpp"
#include "sycl_objects.hpp"
#include "syclobj.hpp"
#include "typedescr.hpp"
#include "usmx/exchange/usm_array_interface.hpp"
#include "usmx/runtime.hpp"

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

  /// Null when missing. Asked nine times an import, where a call would show.
  [[gnu::always_inline]] nb::object find(interned& key) const {
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
  [[gnu::always_inline]] nb::object find_optional(interned& key) const {
    nb::object value = find(key);
    return value.is_valid() && value.is_none() ? nb::object() : value;
  }

  [[gnu::always_inline]] nb::object require(interned& key) const {
    nb::object value = find(key);
    if (!value.is_valid()) {
      throw value_error(detail::message("__sycl_usm_array_interface__ must have the key ",
                                        repr_text(key.get()), ", found none"));
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

void read_data(const nb::object& data, exchange::usm_array_interface& result) {
  const nb::object pair = snapshot("data", "(integer pointer, bool read-only)", data.ptr());
  if (PyTuple_GET_SIZE(pair.ptr()) != 2) {
    throw value_error(
        detail::message("'data' must have 2 entries, found ", PyTuple_GET_SIZE(pair.ptr())));
  }
  result.data = to_address("data[0]", "an integer address", PyTuple_GET_ITEM(pair.ptr(), 0));
  result.readonly = to_flag(PyTuple_GET_ITEM(pair.ptr(), 1));
}

/// The producer's buffer, which takes the place of a missing `data`.
std::unique_ptr<held_buffer> read_buffer(PyObject* producer,
                                         exchange::usm_array_interface& result) {
  auto taken = buffer_in_place_of_data(producer);
  result.data = reinterpret_cast<std::uintptr_t>(taken->data());
  result.readonly = taken->view().readonly != 0;
  result.buffer_nbytes = taken->nbytes();
  return taken;
}

/// What a dictionary describes, and the producer's buffer if that gave the pointer.
struct description {
  exchange::checked_import checked;
  std::unique_ptr<held_buffer> taken;
};

description read(PyObject* producer, const entries& given) {
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
  std::unique_ptr<held_buffer> taken;
  if (const nb::object data = given.find_optional(data_key); data.is_valid()) {
    read_data(data, values);
    values.readonly = values.readonly && has_truthful_readonly_flag(producer);
  } else {
    taken = read_buffer(producer, values);
  }
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
  return {exchange::check(values, where), std::move(taken)};
}

/// The attribute; null when there is none. A property of the class that raises AttributeError is
/// there: its error passes through, as any other's.
nb::object describe_yourself(PyObject* producer) {
  PyObject* value = PyObject_GetAttr(producer, attribute_name.get());
  if (value != nullptr) {
    return nb::steal(value);
  }
  nb::python_error error;
  if (!error.matches(PyExc_AttributeError) ||
      PyObject_HasAttr(reinterpret_cast<PyObject*>(Py_TYPE(producer)), attribute_name.get()) == 1) {
    throw error;
  }
  return nb::object();
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
  nb::object value = describe_yourself(producer);
  if (!value.is_valid()) {
    return std::nullopt;
  }
  auto [checked, taken] = read(producer, entries(std::move(value)));
  auto memory = std::make_shared<buffer>(buffer::adopt_checked(
      checked.memory, checked.nbytes, checked.kind, checked.queue,
      taken ? keep_alive(producer, std::move(taken)) : keep_alive(producer), checked.readonly));
  return array::unchecked(std::move(memory), checked.type, std::move(checked.where),
                          checked.readonly);
}

void wait_for(buffer& memory) {
  require_usable_process();
  if (memory.may_be_busy()) {
    const without_interpreter_lock unlocked;
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
