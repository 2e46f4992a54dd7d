// What stands on the right of a[key] = value.
#pragma once

#include <memory>
#include <variant>

#include "elements/element.hpp"
#include "objects/held_array.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::bindings {

/// Elements to be assigned: a scalar, an array, a producer, a buffer or a nested list.
class assigned_value {
 public:
  /// TypeError (type_error) when the elements are structured and destination's are not equally so,
  /// or the other way round. The errors of NumPy's conversions pass through.
  assigned_value(PyObject* value, const array& destination);

  /// Whether copying the elements is short work: see objects/waiting.hpp.
  bool is_short() const;

  // Both order themselves and wait.

  /// Sets all elements of an array. Throws value_error naming both shapes when the elements cannot
  /// be repeated to the array's.
  void copy_to(const array& destination) const;
  /// Sets the selected elements. Throws as usmx::scatter. To be called without the interpreter
  /// lock.
  void scatter_to(const array& destination, selection) const;

 private:
  using source = std::variant<element, array, std::unique_ptr<held_array>>;
  static source source_of(PyObject* value, const array& destination);

  array_view host_view() const;

  dtype type_;
  sycl::queue queue_;
  source source_;
};

/// Sets all elements of an array. Waits. Throws as assigned_value and its copy_to.
void assign(const array& destination, PyObject* value);

}  // namespace usmx::bindings
