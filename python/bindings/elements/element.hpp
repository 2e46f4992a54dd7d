// Converts Python's numbers, and other objects that NumPy accepts as an item, to one element of an
// array, and back.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "support/nanobind.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::bindings {

/// The bytes of one element of a type.
class element {
 public:
  explicit element(dtype type) : type_(type) {
    if (type.itemsize() > few_.size()) {
      many_.resize(type.itemsize());
    }
  }
  dtype type() const noexcept { return type_; }
  std::byte* data() noexcept { return many_.empty() ? few_.data() : many_.data(); }
  const std::byte* data() const noexcept { return many_.empty() ? few_.data() : many_.data(); }

  /// Any plain C++ value, converted as an element of its type would be.
  template <element_type T>
  void set(T value) {
    set(dtype::of<T>(), reinterpret_cast<const std::byte*>(&value));
  }
  void set(dtype from, const std::byte* value);

 private:
  dtype type_;
  std::array<std::byte, 16> few_{};
  std::vector<std::byte> many_;
};

/// Converts a scalar as NumPy's assignment of an item does: a Python int that does not fit raises
/// OverflowError.
element to_element(dtype type, nb::handle scalar);

/// Throws type_error where copies do not convert from one type to the other.
void require_convertible(dtype found, dtype expected);

/// NumPy's ComplexWarning where the imaginary parts of elements are lost. Before a copy starts,
/// since the warning may be an error. Arrays warn and Python's scalars raise, as with NumPy
/// (docs/decisions.md, 95).
void warn_of_lost_parts(dtype found, dtype wanted);

/// A plain element as Python's bool, int, float or complex: a new reference, or null with Python's
/// error set; type_error for a structured one.
PyObject* new_number(const std::byte* element, type_code code);

/// A bool, int, float or complex of Python's own.
bool is_python_number(PyObject* object);

/// The type of a plain element; none for any other. The size of a letter depends on the byte order
/// before it, so the buffer's item size decides.
std::optional<dtype> plain_type(const Py_buffer& host);

}  // namespace usmx::bindings
