// Element types of Python, `__usm_typedescr__`, and Python's numbers, and other objects that NumPy
// accepts as an item, as one element of an array, and back.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <sycl/device.hpp>

#include "support/nanobind.hpp"
#include "usmx/exchange/usm_array_interface.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::bindings {

// Element types of Python: arguments and attributes that name one, and `__usm_typedescr__`.

// Python's ways to name an element type: typestr, name, NumPy dtype or scalar type, Python type, a
// list of fields.

/// The type of an argument. Throws value_error/type_error naming what was found. The common
/// spellings are cached.
dtype dtype_argument(nb::handle argument);

/// The element type of a new array on a device: the one that was asked for, which the device must
/// have (value_error if not), else the device's type in place of `natural`.
dtype dtype_argument_on(const sycl::device& device, nb::handle asked, dtype natural);

/// The NumPy dtype, made once for each plain type. Imports NumPy on first use.
nb::object to_numpy_dtype(dtype);

void bind_dtype_functions(nb::module_& m);

// Descriptions of structured types in Python: reads and writes the list of a `typedescr` or of
// NumPy's `dtype.descr`, and checks the Python types in it. Which values are right is decided in
// usmx/exchange.

/// Reads a list of (name, typestr or list[, shape]) tuples. Throws type_error/value_error for
/// anything else, for nesting deeper than usmx::exchange::max_typedescr_depth, and for too many
/// entries.
exchange::typedescr to_typedescr(PyObject* list);

/// Reads a list as to_typedescr(list) does, for a dictionary with that typestr, which a value_error
/// names.
exchange::typedescr to_typedescr(PyObject* list, std::string_view typestr);

/// The list, as NumPy's `dtype.descr` has it.
nb::object to_python(const exchange::typedescr& entries);

// Converts Python's numbers, and other objects that NumPy accepts as an item, to one element of an
// array, and back.

/// Whether an object is one of NumPy's scalars. Asks without an import of NumPy.
bool is_numpys_number(PyObject* object);

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

  /// Makes an element of any plain C++ value, converted as an element of its type would be.
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

/// Throws type_error if copies do not convert from one type to the other.
void require_convertible(dtype found, dtype expected);

/// Gives NumPy's ComplexWarning if the imaginary parts of elements are lost. Called before a copy
/// starts, since the warning may be an error. Arrays warn and Python's scalars raise, as with NumPy
/// (docs/decisions.md, 95).
void warn_of_lost_parts(dtype found, dtype wanted);

/// A plain element as Python's bool, int, float or complex: a new reference, or null with Python's
/// error set; type_error for a structured one.
PyObject* new_number(const std::byte* element, type_code code);

/// Whether an object is a bool, int, float or complex of Python's own.
bool is_python_number(PyObject* object);

/// The type of a plain element in a buffer; none for any other element. The size of a letter
/// depends on the byte order before it, so the buffer's item size decides.
std::optional<dtype> plain_type(const Py_buffer& host);

}  // namespace usmx::bindings
