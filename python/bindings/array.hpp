// usmx.USMArray in Python: holds one usmx::array, and the memory object it was made from.
#pragma once

#include "python_thread.hpp"
#include "support.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

struct py_array {
  py_array(array&& made, nb::object made_from) noexcept
      : value(std::move(made)), base(std::move(made_from)) {}
  /// Other elements of the same memory.
  py_array(const py_array& parent, layout&& where)
      : value(parent.value.with_layout(std::move(where))), base(parent.base) {}
  py_array(py_array&&) noexcept = default;
  ~py_array() {
    // Only who lets go last may free the memory.
    if (value.owner().use_count() == 1) {
      note_python_thread();
    }
  }

  array value;
  /// The memory object given to the constructor; null: made when somebody asks for `base`.
  nb::object base;
};

void bind_array(nb::module_& m);

/// The array inside a USMArray; null for any other object.
const array* as_array(PyObject* object);

/// A view of anything that describes USM memory: usmx's arrays and memory, foreign producers.
/// Null for any other object.
nb::object view_of_producer(nb::handle object);
/// The same, but an array itself.
nb::object array_or_view(nb::handle object);

/// A new USMArray.
nb::object to_python(array&& value, nb::object base = nb::object());
nb::object to_python(const array& value, nb::object base = nb::object());
/// The same of other elements of the memory of one that exists.
nb::object to_python(const py_array& parent, layout&& where);

}  // namespace usmx::bindings
