// Arguments that the bindings take in several places: shapes, counts, orders, kinds of memory.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "support/nanobind.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::bindings {

/// A list of up to max_ndim integers of one argument or dictionary key. Allocates nothing.
class counts {
 public:
  counts() noexcept {}  // values_ needs no zeros
  /// Reads a tuple or list of objects with __index__. Throws type_error, or value_error when there
  /// are too many, or overflow_error when one is too large, naming `what`.
  counts(const char* what, PyObject* sequence);
  /// Takes at most max_ndim values.
  explicit counts(std::span<const std::ptrdiff_t> values) noexcept : size_(values.size()) {
    std::ranges::copy(values, values_.begin());
  }

  std::span<const std::ptrdiff_t> span() const { return {values_.data(), size_}; }
  std::span<std::ptrdiff_t> span() { return {values_.data(), size_}; }

 private:
  friend counts shape_argument(nb::handle);

  std::array<std::ptrdiff_t, max_ndim> values_;
  std::size_t size_ = 0;
};

/// A shape: several integers, or a single one.
counts shape_argument(nb::handle shape);

/// Any object with __index__ as a Python int; type_error naming `what` and what was `expected`.
nb::object to_integer(const char* what, const char* expected, PyObject* object);
/// Any object with __index__ as a C++ integer: throws as to_integer(), and overflow_error when it
/// does not fit.
std::ptrdiff_t to_count(const char* what, const char* expected, PyObject* object);

/// A number of bytes or elements, named `what`: value_error when it is negative.
std::size_t size_argument(const char* what, nb::handle value);

/// Any object with __index__ as an address; value_error naming `what` when it is negative or wider
/// than a pointer.
std::uintptr_t to_address(const char* what, const char* expected, PyObject* object);

/// The text of a Python string, for as long as that lives; type_error naming `what` for anything
/// else.
std::string_view to_text(const char* what, PyObject* object, const char* expected = "a string");

/// A tuple with the items that a tuple or list has now; type_error for anything else.
nb::object snapshot(const char* what, const char* expected, PyObject* sequence);

/// A kind of memory: "device", "shared" or "host"; value_error/type_error for anything else.
usm_kind kind_argument(nb::handle kind);

/// The letters that `order=` takes for a new array, for an array in another shape, and for an array
/// like another.
inline constexpr std::string_view c_or_f = "CF";
inline constexpr std::string_view c_f_or_a = "CFA";
inline constexpr std::string_view any_order = "CFAK";

/// An order: one of the letters in `allowed`, in upper or lower case, or `unless_given` for None;
/// value_error for anything else.
element_order order_argument(nb::handle order, std::string_view allowed,
                             element_order unless_given);

/// A flag: True or False and nothing else; type_error naming `what`.
bool flag_argument(const char* what, nb::handle flag);

/// The values of `copy=` of NumPy and the array API: never (False), when needed (None), always
/// (True).
enum class copying { never, if_needed, always };
copying copy_argument(nb::handle copy);

/// The repr of an object, for messages.
std::string repr_text(PyObject* object);

/// Throws type_error with the message that `what` must be `expected`, and the type of the object
/// that was found.
[[noreturn]] void throw_wrong_type(const char* what, const char* expected, PyObject* found);

/// Python's tuple of integers.
nb::object to_tuple(std::span<const std::ptrdiff_t> values);

}  // namespace usmx::bindings
