#include "exchange/exchange.hpp"

#include <string_view>
#include <utility>

#include "elements/element.hpp"
#include "objects/memory_object.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/exchange/cuda_array_interface.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {
namespace {

/// The bytes from the lowest to the highest element.
buffer touched_part(const array& a, detail::release_action release) {
  const auto itemsize = static_cast<std::ptrdiff_t>(a.type().itemsize());
  const auto span = a.layout().span();
  const std::ptrdiff_t first = span ? span->first * itemsize : 0;
  const std::ptrdiff_t end = span ? (span->last + 1) * itemsize : 0;
  return buffer::part_of(a.owner(), a.owner()->data() + first,
                         static_cast<std::size_t>(end - first), a.readonly(), std::move(release));
}

nb::object view_of_any(nb::handle object) {
  nb::object view = view_of_producer(object);
  if (!view.is_valid()) {
    throw_wrong_type("obj", "an object with __sycl_usm_array_interface__", object.ptr());
  }
  return view;
}

/// Whether NumPy's functions take an object in the place of an array, although it is none.
bool has_elements(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object) ||
         PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object) ||
         is_numpys_number(object);
}

/// A USMArray itself, a view of another producer, or a copy of elements; null for other objects.
nb::object array_or_copy(nb::handle object) {
  nb::object found = array_or_view(object);
  if (found.is_valid() || !has_elements(object.ptr())) {
    return found;
  }
  const nb::object none = nb::none();
  return hooks::array_of_host_object(object, none, none, none, none, none, nb::str("K"));
}

}  // namespace

std::optional<array> array_of_other_producer(PyObject* object) {
  if (const std::shared_ptr<buffer> own = as_memory(object)) {
    return as_bytes(own);
  }
  return import_producer(object);
}

nb::object view_of_producer(nb::handle object) {
  if (const py_array* own = value_in<py_array>(object.ptr())) {
    return to_python(*own, array(own->value));
  }
  if (std::shared_ptr<buffer> own = as_memory(object.ptr())) {
    return to_python(as_bytes(own), nb::borrow(object));
  }
  std::optional<array> imported = import_producer(object.ptr());
  return imported ? to_python(*std::move(imported)) : nb::object();
}

nb::object array_or_view(nb::handle object) {
  if (Py_TYPE(object.ptr()) != python_class<py_array>) {
    return view_of_producer(object);
  }
  ready_instance<py_array>(object.ptr());  // refuses what __new__ alone has made
  return nb::borrow(object);
}

array_argument::array_argument(const char* what, nb::handle object)
    : array_argument(what, object, array_or_view(object)) {}

array_argument::array_argument(const char* what, nb::handle object, nb::object found)
    : held_(std::move(found)) {
  if (!held_.is_valid()) {
    throw_wrong_type(what, "an object with __sycl_usm_array_interface__ (usmx.asarray makes one)",
                     object.ptr());
  }
}

elements_argument::elements_argument(const char* what, nb::handle object)
    : array_argument(what, object, array_or_copy(object)) {}

std::shared_ptr<buffer> memory_of_producer(PyObject* object) {
  if (const std::shared_ptr<buffer> own = as_memory(object)) {
    return is_plain_memory(object)
               ? own
               : std::make_shared<buffer>(buffer::part_of(own, own->data(), own->nbytes(),
                                                          own->readonly(), keep_alive(object)));
  }
  if (const array* own = as_array(object)) {
    const bool is_plain = Py_TYPE(object) == python_class<py_array>;
    return std::make_shared<buffer>(
        touched_part(*own, is_plain ? detail::release_action() : keep_alive(object)));
  }
  const std::optional<array> imported = import_producer(object);
  return imported ? imported->owner() : nullptr;
}

void bind_producers(nb::module_& m) {
  declare<"def from_usm_array_interface(obj: _Producer) -> USMArray">(m, &view_of_any);
  declare<"def _as_array(obj: object) -> USMArray | None">(
      m,
      [](nb::handle obj) {
        nb::object view = array_or_view(obj);
        return view.is_valid() ? view : nb::none();
      },
      "The array itself, a view of any other producer, or None.");
}

namespace {

// ---- entries that dictionaries of both protocols have

lazy_import mapping_class("collections.abc", "Mapping");

/// Whether an object is a dict, or a subclass without a __getitem__ of its own. Its __missing__ is
/// not asked: a defaultdict would make up values, and keep them.
bool is_looked_up_as_a_dict(PyObject* object) {
  return PyDict_Check(object) &&
         Py_TYPE(object)->tp_as_mapping->mp_subscript == PyDict_Type.tp_as_mapping->mp_subscript;
}

constexpr const char* expected_data = "(integer pointer, bool read-only)";

bool to_flag(PyObject* object) {
  if (PyBool_Check(object)) {
    return object == Py_True;
  }
  const std::string_view type = Py_TYPE(object)->tp_name;
  if (!PyIndex_Check(object) && type != "numpy.bool" && type != "numpy.bool_") {
    throw_wrong_type("data", expected_data, object);
  }
  const int truth = run_python([&] { return PyObject_IsTrue(object); });
  if (truth < 0) {
    nb::raise_python_error();
  }
  return truth == 1;
}

/// Throws type_error naming the attribute when the value is no Mapping.
void require_mapping(const char* attribute, nb::handle value) {
  if (!PyDict_Check(value.ptr()) && !nb::isinstance(value, mapping_class.get())) {
    throw type_error(detail::message(attribute, " must be a dict or another Mapping, found ",
                                     type_name(value.ptr())));
  }
}

/// The entry of a Mapping; null when missing.
nb::object look_up(PyObject* mapping, PyObject* key) {
  if (is_looked_up_as_a_dict(mapping)) {
    return optional_item(mapping, key);
  }
  PyObject* value = run_python([&] { return PyObject_GetItem(mapping, key); });
  if (value == nullptr && PyErr_ExceptionMatches(PyExc_KeyError)) {
    PyErr_Clear();
  }
  if (value == nullptr && PyErr_Occurred()) {
    nb::raise_python_error();
  }
  return nb::steal(value);
}

/// Throws value_error naming the attribute.
[[noreturn]] void throw_missing_key(const char* attribute, PyObject* key) {
  throw value_error(
      detail::message(attribute, " must have the key ", repr_text(key), ", found none"));
}

struct pointer_and_flag {
  std::uintptr_t pointer;
  bool readonly;
};

/// Reads `data`; type_error or value_error for anything that it cannot be.
pointer_and_flag read_data(PyObject* data) {
  const nb::object pair = snapshot("data", expected_data, data);
  if (PyTuple_GET_SIZE(pair.ptr()) != 2) {
    throw value_error(
        detail::message("'data' must have 2 entries, found ", PyTuple_GET_SIZE(pair.ptr())));
  }
  return {to_address("data[0]", "an integer address", PyTuple_GET_ITEM(pair.ptr(), 0)),
          to_flag(PyTuple_GET_ITEM(pair.ptr(), 1))};
}

/// Checks a description of fields, which may only repeat `typestr` for a plain type. Throws
/// value_error, naming its key, if it says anything else.
void require_same_type(const char* key, PyObject* fields, PyObject* typestr) {
  nb::list same;
  same.append(nb::make_tuple("", nb::handle(typestr)));
  const int equal = run_python([&] { return PyObject_RichCompareBool(fields, same.ptr(), Py_EQ); });
  if (equal < 0) {
    nb::raise_python_error();
  }
  if (equal == 0) {
    throw value_error(detail::message("'", key, "' must be one unnamed field equal to 'typestr' ",
                                      repr_text(typestr), ", found ", repr_text(fields)));
  }
}

// ---- __cuda_array_interface__

/// The entries of the attribute's value.
class cuda_entries {
 public:
  explicit cuda_entries(nb::object mapping) : mapping_(std::move(mapping)) {
    require_mapping(cuda_interface_text, mapping_);
  }

  /// The entry under a key; null when it is missing or None.
  nb::object find(interned& key) const {
    nb::object value = look_up(mapping_.ptr(), key.get());
    return value.is_valid() && !value.is_none() ? std::move(value) : nb::object();
  }

  /// The entry under a key; value_error when it is missing.
  nb::object require(interned& key) const {
    nb::object value = look_up(mapping_.ptr(), key.get());
    if (!value.is_valid()) {
      throw_missing_key(cuda_interface_text, key.get());
    }
    return value;
  }

 private:
  nb::object mapping_;
};

/// The version: 2 or 3, which has `stream` in addition.
std::ptrdiff_t read_version(const cuda_entries& given) {
  const nb::object version = given.require(cuda_keys::version);
  constexpr const char* expected = "the integer 2 or 3";
  if (PyBool_Check(version.ptr())) {
    throw_wrong_type("version", expected, version.ptr());
  }
  const std::ptrdiff_t number = to_count("version", expected, version.ptr());
  if (number != 2 && number != 3) {
    throw value_error(detail::message("'version' must be 2 or 3, found ", number));
  }
  return number;
}

/// Work on CUDA streams that usmx's use of the elements has to come after.
struct earlier_work {
  bool on_any_stream = false;
  /// The stream of such work; empty if there is none.
  std::optional<std::uintptr_t> stream{};
};

earlier_work read_stream(const cuda_entries& given) {
  if (read_version(given) < 3) {
    return {.on_any_stream = true};
  }
  const nb::object stream = given.find(cuda_keys::stream);
  if (!stream.is_valid()) {
    return {};
  }
  constexpr const char* expected = "None or an integer";
  if (PyBool_Check(stream.ptr())) {
    throw_wrong_type("stream", expected, stream.ptr());
  }
  const std::uintptr_t number = to_address("stream", expected, stream.ptr());
  if (number == 0) {
    throw value_error(
        "'stream' must be None, 1 (the legacy default stream), 2 (the per-thread default stream) "
        "or a cudaStream_t, found 0, which may mean 1 or 2");
  }
  return {.stream = number};
}

void refuse_mask(const cuda_entries& given) {
  if (given.find(cuda_keys::mask).is_valid()) {
    throw value_error("'mask' must be missing or None: usmx has no masked arrays");
  }
}

exchange::checked_import read(const cuda_entries& given) {
  refuse_mask(given);
  exchange::cuda_array_interface values;
  const nb::object shape_entry = given.require(cuda_keys::shape);
  const counts shape("shape", shape_entry.ptr());
  values.shape = shape.span();
  const nb::object typestr = given.require(cuda_keys::typestr);
  values.typestr = to_text("typestr", typestr.ptr());
  if (const nb::object fields = given.find(cuda_keys::descr)) {
    if (exchange::is_structured_typestr(values.typestr)) {
      values.fields = to_typedescr(fields.ptr(), values.typestr);
    } else {
      require_same_type("descr", fields.ptr(), typestr.ptr());
    }
  }
  const nb::object data = given.require(cuda_keys::data);
  const pointer_and_flag where = read_data(data.ptr());
  values.data = where.pointer;
  values.readonly = where.readonly;
  if (const nb::object found = given.find(cuda_keys::strides)) {
    const counts strides("strides", found.ptr());
    values.strides.emplace(strides.span().begin(), strides.span().end());
  }
  return exchange::check(values);
}

/// The attribute; null when there is none. A property that raises AttributeError says that this
/// array is not on such a device. Only properties can depend on the current device.
nb::object describe_yourself_on_cuda(PyObject* producer) {
  PyObject* name = cuda_interface_name.get();
  std::optional<internal::current_cuda_device> current;
  if (_PyType_Lookup(Py_TYPE(producer), name) != nullptr && internal::has_several_cuda_devices()) {
    if (const auto number = cuda_device_of(producer)) {
      current.emplace(*number);
    }
  }
  return optional_attribute(producer, name);
}

/// Orders usmx's work after earlier work, without the interpreter lock: the driver may wait for
/// threads that need it.
void order(const array& imported, const earlier_work& before) {
  const without_interpreter_lock unlocked;
  if (before.on_any_stream) {
    exchange::wait_for_cuda_streams(imported);
  } else if (before.stream) {
    exchange::follow_cuda_stream(imported, *before.stream);
  }
}

}  // namespace

std::optional<array> import_cuda_producer(PyObject* producer) {
  nb::object value = describe_yourself_on_cuda(producer);
  if (!value.is_valid()) {
    return std::nullopt;
  }
  const cuda_entries given(std::move(value));
  const earlier_work before = read_stream(given);
  array imported = exchange::to_array(read(given), keep_alive(producer));
  order(imported, before);
  return imported;
}

namespace {

// ---- a producer without `data` in its dictionary: its PEP 3118 buffer says where its bytes are

/// Whether the error is one that exporters raise when they cannot give the buffer that is asked
/// for; NumPy raises ValueError.
bool is_refusal(const nb::python_error& error) {
  return error.matches(PyExc_BufferError) || error.matches(PyExc_ValueError) ||
         error.matches(PyExc_TypeError);
}

/// A producer's contiguous buffer, read-only or not as the producer has it. Throws value_error when
/// it has none, or (with the reason as __cause__) does not give it. Does not ask whether the bytes
/// are USM.
std::unique_ptr<held_buffer> buffer_in_place_of_data(PyObject* producer) {
  const std::string type = type_name(producer);
  if (PyObject_CheckBuffer(producer) == 0) {
    throw value_error(
        detail::message("'data' must be (integer pointer, bool read-only), or be left "
                        "out by an object with a buffer (PEP 3118) of USM: found "
                        "neither, ",
                        type, " has no buffer"));
  }
  try {
    return std::make_unique<held_buffer>(producer, PyBUF_ANY_CONTIGUOUS);
  } catch (nb::python_error& error) {
    if (!is_refusal(error)) {
      throw;
    }
    nb::raise_from(error, PyExc_ValueError,
                   "'data' is missing or None, and %s gives no contiguous buffer (PEP 3118) in its "
                   "place",
                   type.c_str());
  }
}

// ---- the dictionary

/// The entries of the attribute's value, a dictionary or another Mapping, under the protocol's
/// keys. They stay the same if other code changes that value meanwhile.
class entries {
 public:
  /// Takes the attribute's value. Throws type_error if it is no Mapping.
  explicit entries(nb::object mapping) : mapping_(std::move(mapping)) {
    if (PyDict_CheckExact(mapping_.ptr())) {
      take_values();
    } else {
      require_mapping(interface_text, mapping_);
    }
  }

  /// The entry under a key, alive as long as this; null when it is missing.
  PyObject* find(interface_key k) {
    nb::object& value = values_[static_cast<std::size_t>(k)];
    if (!value.is_valid() && !complete_) {
      value = look_up(mapping_.ptr(), key_name(k));
    }
    return value.ptr();
  }

  /// The entry under a key; null when it is missing or None.
  PyObject* find_optional(interface_key k) {
    PyObject* value = find(k);
    return value == Py_None ? nullptr : value;
  }

  /// The entry under a key; value_error when it is missing.
  PyObject* require(interface_key k) {
    PyObject* value = find(k);
    if (value == nullptr) {
      throw_missing_key(interface_text, key_name(k));
    }
    return value;
  }

 private:
  /// Takes, as a fast path, all entries whose keys are interned strings, as literals are, in one
  /// pass. That takes a third of the time of looking each up.
  void take_values() {
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    std::size_t next = 0;
    complete_ = true;
    const nb::ft_object_guard unchanged(mapping_);
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

  nb::object mapping_;
  std::array<nb::object, key_count> values_;
  /// Whether a key without a value is certainly missing in the mapping.
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

/// The producer's buffer, which takes the place of a missing `data`.
std::unique_ptr<held_buffer> read_buffer(PyObject* producer,
                                         exchange::usm_array_interface& result) {
  auto taken = buffer_in_place_of_data(producer);
  result.data = reinterpret_cast<std::uintptr_t>(taken->data());
  result.readonly = taken->view().readonly != 0;
  result.buffer_nbytes = taken->nbytes();
  return taken;
}

/// The array that a dictionary describes, the producer's buffer if that gave the pointer, and the
/// producer's object for its queue if it is of dpctl's class.
struct description {
  exchange::checked_import checked;
  std::unique_ptr<held_buffer> taken;
  nb::object queue;
};

description read(PyObject* producer, entries given) {
  check_version(given.require(interface_key::version));
  exchange::usm_array_interface values;
  const counts shape("shape", given.require(interface_key::shape));
  values.shape = shape.span();
  PyObject* typestr = given.require(interface_key::typestr);
  values.typestr = to_text("typestr", typestr);
  if (PyObject* typedescr = given.find_optional(interface_key::typedescr)) {
    if (exchange::is_structured_typestr(values.typestr)) {
      values.typedescr = to_typedescr(typedescr, values.typestr);
    } else {
      require_same_type("typedescr", typedescr, typestr);
    }
  }
  std::unique_ptr<held_buffer> taken;
  if (PyObject* data = given.find_optional(interface_key::data)) {
    const pointer_and_flag found = read_data(data);
    values.data = found.pointer;
    values.readonly = found.readonly && has_truthful_readonly_flag(producer);
  } else {
    taken = read_buffer(producer, values);
  }
  PyObject* found = given.find_optional(interface_key::strides);
  const counts strides = found == nullptr ? counts() : counts("strides", found);
  if (found != nullptr) {
    values.strides = strides.span();
  }
  if (PyObject* offset = given.find_optional(interface_key::offset)) {
    values.offset = to_count("offset", "an integer", offset);
  }
  PyObject* syclobj = given.require(interface_key::syclobj);
  description result{exchange::check(values, resolve_syclobj(syclobj)), std::move(taken), {}};
  if (as_dpctl<sycl::queue>(syclobj) != nullptr) {
    result.queue = nb::borrow(syclobj);
  }
  return result;
}

/// The attribute; null when there is none. A property of the class that raises AttributeError is
/// there: its error passes through, as any other's.
nb::object describe_yourself(PyObject* producer) {
  PyObject* name = interface_name.get();
  if (_PyType_Lookup(Py_TYPE(producer), name) == nullptr) {
    return optional_attribute(producer, name);
  }
  return checked(run_python([&] { return PyObject_GetAttr(producer, name); }));
}

/// Whether a producer keeps memory of usmx's own alive and nothing else.
bool keeps_only(PyObject* producer, const buffer& own) {
  const nb::object kept = kept_by_wrappers(producer);
  if (Py_TYPE(kept.ptr()) == python_class<py_array>) {
    return value_in<py_array>(kept.ptr())->value.owner()->keeps_only(own);
  }
  if (!is_plain_memory(kept.ptr())) {
    return false;
  }
  const std::shared_ptr<buffer> memory = as_memory(kept.ptr());
  return memory != nullptr && memory->keeps_only(own);
}

}  // namespace

std::optional<array> import_producer(PyObject* producer) {
  nb::object value = describe_yourself(producer);
  if (!value.is_valid()) {
    return import_cuda_producer(producer);
  }
  auto [checked, taken, queue] = read(producer, entries(std::move(value)));
  detail::release_action release;
  if (taken) {
    release = keep_alive(producer, std::move(taken));
  } else if (!checked.own && queue.is_valid()) {
    release = keep_alive_with_queue(producer, queue.ptr());
  } else if (!checked.own || !keeps_only(producer, *checked.own)) {
    release = keep_alive(producer);
  }  // else the buffer below stands for all of the chain that led here
  array imported = exchange::to_array(std::move(checked), std::move(release));
  if (is_dpnp_array(producer)) {
    internal::buffer_access::note_partners(*imported.owner());
  }
  return imported;
}

}  // namespace usmx::bindings
