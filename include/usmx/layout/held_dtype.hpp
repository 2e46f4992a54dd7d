// A dtype that keeps its fields alive. Structured types that are described by others may be very
// many, so their fields live only as long as somebody holds them. The types that the program itself
// makes by dtype::structured live for ever. This header does not need SYCL.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// A dtype that keeps the fields of a structured type alive. A dtype that is copied from it is
/// valid as long as this object, or another held_dtype of the same type, exists. Each array has
/// one.
class USMX_API held_dtype : public dtype {
 public:
  /// Holds a type. Precondition: the type lives for ever, or another held_dtype holds it.
  held_dtype(dtype type) noexcept : dtype(type) { hold(); }
  /// Holds the type of `other`.
  held_dtype(const held_dtype& other) noexcept : dtype(other) { hold(); }
  /// Lets the old type go, and holds the type of `other`.
  held_dtype& operator=(const held_dtype& other) noexcept {
    held_dtype copy(other);
    std::swap(static_cast<dtype&>(*this), static_cast<dtype&>(copy));
    return *this;
  }
  /// Lets the type go.
  ~held_dtype() { let_go(); }

  /// The structured type of `itemsize` bytes with these fields, which live as long as a held_dtype
  /// holds them. Throws value_error unless there is at least one field, every name is unique and
  /// not empty, `itemsize` is 1 to max_structure_itemsize, and the fields follow each other inside
  /// these bytes without overlap. Throws allocation_error when the structured types of this process
  /// would take too much memory together.
  static held_dtype structured(std::vector<field> fields, std::size_t itemsize);

 private:
  void hold() const noexcept {
    if (is_structured()) [[unlikely]] {
      add_holder();
    }
  }
  void let_go() const noexcept {
    if (is_structured()) [[unlikely]] {
      remove_holder();
    }
  }
  void add_holder() const noexcept;
  void remove_holder() const noexcept;
};

}  // namespace usmx::inline v1
