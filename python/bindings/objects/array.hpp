// What a USMArray holds: one usmx::array, and the memory object that it was made from. The class
// and its methods are bound in container/.
#pragma once

#include <utility>

#include "internals.hpp"
#include "objects/lent_part.hpp"
#include "support/nanobind.hpp"
#include "support/python_thread.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

struct py_array {
  py_array(array&& made, nb::object made_from) noexcept
      : value(std::move(made)), base(std::move(made_from)) {}
  /// A view: an array over the memory of one that exists.
  py_array(const py_array& parent, array&& elements) noexcept
      : value(std::move(elements)), base(parent.base), is_view(true) {}
  py_array(const py_array& parent, layout&& where)
      : py_array(parent, internal::with_layout(parent.value, std::move(where))) {}
  py_array(py_array&&) noexcept = default;
  ~py_array() {
    lent = {};
    // Only the last user can free the memory.
    if (value.owner().use_count() == 1) {
      note_python_thread();
    }
  }

  array value;
  /// The memory object that was given to the constructor. If null, it is made when somebody asks
  /// for `base`.
  nb::object base;
  /// Whether the memory was there before this array was.
  bool is_view = false;
  lent_part lent;
};

/// The array inside a USMArray; null for any other object.
inline const array* as_array(PyObject* object) {
  const py_array* found = value_in<py_array>(object);
  return found == nullptr ? nullptr : &found->value;
}

// New USMArrays.

inline nb::object to_python(array&& value, nb::object base = nb::object()) {
  return make_instance_by<py_array>(
      [&](void* at) { new (at) py_array(std::move(value), std::move(base)); });
}
inline nb::object to_python(const array& value, nb::object base = nb::object()) {
  return to_python(array(value), std::move(base));
}
/// Views of one that exists.
inline nb::object to_python(const py_array& parent, array&& elements) {
  return make_instance_by<py_array>(
      [&](void* at) { new (at) py_array(parent, std::move(elements)); });
}
inline nb::object to_python(const py_array& parent, layout&& where) {
  return make_instance_by<py_array>([&](void* at) { new (at) py_array(parent, std::move(where)); });
}

}  // namespace usmx::bindings
