// What stands on the right of a[key] = value.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "elements/element.hpp"
#include "objects/held_array.hpp"
#include "objects/host_copy.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// Elements to be assigned: a scalar, an array, a producer, a buffer or a nested list.
class assigned_value {
 public:
  /// TypeError (type_error) when the elements are structured and destination's are not equally so,
  /// or the other way round. The errors of NumPy's conversions pass through.
  assigned_value(PyObject* value, const array& destination);

  /// As that of arrays, in copy_lock.hpp.
  bool is_worth_unlocking() const;

  // Both wait, and are to be called without the interpreter lock; views live as long as this.

  /// The elements as they are.
  array_view view() const;
  /// The same in destination's type.
  array_view converted();

 private:
  using source = std::variant<element, array, std::unique_ptr<held_array>>;
  static source source_of(PyObject* value, const array& destination);

  dtype type_;
  sycl::queue queue_;
  source source_;
  std::optional<host_copy> converted_;
};

/// Sets all elements of an array. Waits. Throws value_error naming both shapes when the value
/// cannot be repeated to the array's, otherwise as assigned_value.
void assign(const array& destination, PyObject* value);

}  // namespace usmx::bindings
