#include "exchange/import.hpp"

#include <array>
#include <memory>
#include <utility>

#include "elements/typedescr.hpp"
#include "exchange/dictionaries.hpp"
#include "objects/array.hpp"
#include "objects/memory.hpp"
#include "objects/owners.hpp"
#include "support/arguments.hpp"
#include "support/held_buffer.hpp"
#include "sycl_objects/dpctl_types.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {
namespace {

// ---- a producer without `data` in its dictionary: its PEP 3118 buffer says where its bytes are

/// What exporters raise when they cannot give the buffer that is asked for; NumPy raises
/// ValueError.
bool is_refusal(const nb::python_error& error) {
  return error.matches(PyExc_BufferError) || error.matches(PyExc_ValueError) ||
         error.matches(PyExc_TypeError);
}

/// A producer's contiguous buffer, read-only or not as the producer has it. value_error when it has
/// none, or (with the reason as __cause__) does not give it. Whether the bytes are USM is not
/// asked.
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
  /// Throws type_error if it is no Mapping.
  explicit entries(nb::object mapping) : mapping_(std::move(mapping)) {
    if (PyDict_CheckExact(mapping_.ptr())) {
      take_values();
    } else {
      require_mapping(interface_text, mapping_);
    }
  }

  /// Null when missing; alive as long as this.
  PyObject* find(interface_key k) {
    nb::object& value = values_[static_cast<std::size_t>(k)];
    if (!value.is_valid() && !complete_) {
      value = look_up(mapping_.ptr(), key_name(k));
    }
    return value.ptr();
  }

  /// Null when missing or None.
  PyObject* find_optional(interface_key k) {
    PyObject* value = find(k);
    return value == Py_None ? nullptr : value;
  }

  /// value_error when missing.
  PyObject* require(interface_key k) {
    PyObject* value = find(k);
    if (value == nullptr) {
      throw_missing_key(interface_text, key_name(k));
    }
    return value;
  }

 private:
  /// Fast path: takes all entries whose keys are interned strings, as literals are, in one pass.
  /// That takes a third of the time of looking each up.
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
  /// Whether a key without a value is certainly not in the mapping.
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

/// What a dictionary describes, the producer's buffer if that gave the pointer, and the producer's
/// object for its queue if it is of dpctl's class.
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
