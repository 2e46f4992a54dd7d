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
/// The keys, in the order in which usmx and dpnp write them.
enum class key { data, shape, strides, typestr, version, syclobj, offset, typedescr };
constexpr std::size_t key_count = 8;
std::array<interned, key_count> key_names{
    interned("data"),    interned("shape"),   interned("strides"), interned("typestr"),
    interned("version"), interned("syclobj"), interned("offset"),  interned("typedescr")};

PyObject* name_of(key k) { return key_names[static_cast<std::size_t>(k)].get(); }

/// The entries of the attribute's value, whatever happens to that value meanwhile.
class entries {
 public:
  explicit entries(nb::object mapping) : mapping_(std::move(mapping)) {
    if (PyDict_CheckExact(mapping_.ptr())) {
      take_values();
    } else if (!PyDict_Check(mapping_.ptr()) && !is_mapping(mapping_)) {
      throw type_error(
          detail::message("__sycl_usm_array_interface__ must be a dict or another Mapping, found ",
                          Py_TYPE(mapping_.ptr())->tp_name));
    }
  }

  /// Null when missing; alive as long as this.
  PyObject* find(key k) {
    nb::object& value = values_[static_cast<std::size_t>(k)];
    if (!value.is_valid() && !complete_) {
      value = look_up(name_of(k));
    }
    return value.ptr();
  }

  /// Null when missing or None.
  PyObject* find_optional(key k) {
    PyObject* value = find(k);
    return value == Py_None ? nullptr : value;
  }

  PyObject* require(key k) {
    PyObject* value = find(k);
    if (value == nullptr) {
      throw value_error(detail::message("__sycl_usm_array_interface__ must have the key ",
                                        repr_text(name_of(k)), ", found none"));
    }
    return value;
  }

 private:
  static bool is_mapping(nb::handle object) {
    return nb::isinstance(object, nb::module_::import_("collections.abc").attr("Mapping"));
  }

  /// A dict, or a subclass without a __getitem__ of its own. Its __missing__ is not asked: a
  /// defaultdict would make up values, and keep them.
  static bool is_looked_up_as_a_dict(PyObject* object) {
    return PyDict_Check(object) &&
           Py_TYPE(object)->tp_as_mapping->mp_subscript == PyDict_Type.tp_as_mapping->mp_subscript;
  }

  /// All entries whose keys are the interned strings that every literal is, in one walk, which
  /// takes a third of the time of looking each up.
  void take_values() {
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    std::size_t next = 0;
    complete_ = true;
    while (PyDict_Next(mapping_.ptr(), &position, &name, &value) != 0) {
      const std::size_t found = find_name(name, next);
      if (found == key_count) {
        complete_ = false;
      } else {
        values_[found] = nb::borrow(value);
        next = found + 1;
      }
    }
  }

  static std::size_t find_name(PyObject* name, std::size_t guess) {
    if (guess < key_count && key_names[guess].get() == name) {
      return guess;
    }
    std::size_t k = 0;
    while (k < key_count && key_names[k].get() != name) {
      ++k;
    }
    return k;
  }

  nb::object look_up(PyObject* name) const {
    PyObject* value = nullptr;
    if (is_looked_up_as_a_dict(mapping_.ptr())) {
      value = PyDict_GetItemWithError(mapping_.ptr(), name);
      Py_XINCREF(value);
    } else {
      value = PyObject_GetItem(mapping_.ptr(), name);
      if (value == nullptr && PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Clear();
      }
    }
    if (value == nullptr && PyErr_Occurred()) {
      nb::raise_python_error();
    }
    return nb::steal(value);
  }

  nb::object mapping_;
  std::array<nb::object, key_count> values_;
  /// Whether what is not among the values is not in the mapping either.
  bool complete_ = false;
};

void check_version(PyObject* version) {
  if (PyBool_Check(version)) {
    throw_wrong_type("version", "the integer 1", version);
  }
  const std::ptrdiff_t number = to_count("version", "the integer 1", version);
  if (number != 1) {
    throw value_error(detail::message("'version' must be 1, found ", number));
  }
}

/// The typedescr of a plain type may say once more what typestr says, and nothing else.
void check_typedescr(PyObject* typedescr, PyObject* typestr) {
  nb::list same;
  same.append(nb::make_tuple("", nb::handle(typestr)));
  const int equal = PyObject_RichCompareBool(typedescr, same.ptr(), Py_EQ);
  if (equal < 0) {
    nb::raise_python_error();
  }
  if (equal == 0) {
    throw value_error(detail::message("'typedescr' must be one unnamed field equal to 'typestr' ",
                                      repr_text(typestr), ", found ", repr_text(typedescr)));
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

void read_data(PyObject* data, exchange::usm_array_interface& result) {
  const nb::object pair = snapshot("data", "(integer pointer, bool read-only)", data);
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

description read(PyObject* producer, entries given) {
  check_version(given.require(key::version));
  exchange::usm_array_interface values;
  const counts shape("shape", given.require(key::shape));
  values.shape = shape.span();
  PyObject* typestr = given.require(key::typestr);
  values.typestr = to_text("typestr", typestr);
  if (PyObject* typedescr = given.find_optional(key::typedescr)) {
    if (exchange::is_structured_typestr(values.typestr)) {
      values.typedescr = to_typedescr(typedescr, values.typestr);
    } else {
      check_typedescr(typedescr, typestr);
    }
  }
  std::unique_ptr<held_buffer> taken;
  if (PyObject* data = given.find_optional(key::data)) {
    read_data(data, values);
    values.readonly = values.readonly && has_truthful_readonly_flag(producer);
  } else {
    taken = read_buffer(producer, values);
  }
  PyObject* found = given.find_optional(key::strides);
  const counts strides = found == nullptr ? counts() : counts("strides", found);
  if (found != nullptr) {
    values.strides = strides.span();
  }
  if (PyObject* offset = given.find_optional(key::offset)) {
    values.offset = to_count("offset", "an integer", offset);
  }
  return {exchange::check(values, resolve_syclobj(given.require(key::syclobj))), std::move(taken)};
}

/// The attribute; null when there is none. A property of the class that raises AttributeError is
/// there: its error passes through, as any other's.
nb::object describe_yourself(PyObject* producer) {
  PyObject* name = attribute_name.get();
  if (_PyType_Lookup(Py_TYPE(producer), name) == nullptr) {
    return optional_attribute(producer, name);
  }
  PyObject* value = run_python([&] { return PyObject_GetAttr(producer, name); });
  if (value == nullptr) {
    nb::raise_python_error();
  }
  return nb::steal(value);
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

void put(PyObject* dictionary, key k, const nb::object& value) {
  if (!value.is_valid() || PyDict_SetItem(dictionary, name_of(k), value.ptr()) != 0) {
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
  auto memory = buffer::adopt_checked(
      checked.memory, checked.nbytes, checked.kind, std::move(checked.queue),
      taken ? keep_alive(producer, std::move(taken)) : keep_alive(producer), checked.readonly);
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
  wait_for(*described.owner());
  described.owner()->expose();
  const exchange::usm_array_interface values = exchange::describe(described);
  nb::object result = nb::steal(PyDict_New());
  PyObject* dictionary = result.ptr();
  put(dictionary, key::data,
      nb::steal(Py_BuildValue("(KO)", static_cast<unsigned long long>(values.data),
                              values.readonly ? Py_True : Py_False)));
  put(dictionary, key::shape, to_tuple(values.shape));
  put(dictionary, key::strides, values.strides ? to_tuple(*values.strides) : nb::none());
  put(dictionary, key::typestr, typestr_object(described.type()));
  if (values.typedescr) {
    put(dictionary, key::typedescr, to_python(*values.typedescr));
  }
  put(dictionary, key::version, nb::steal(PyLong_FromLong(1)));
  put(dictionary, key::syclobj, to_python(described.queue()));
  put(dictionary, key::offset, nb::steal(PyLong_FromSsize_t(values.offset)));
  return result;
}

}  // namespace usmx::bindings
