// A dtype that keeps what it points to. Descriptions come from outside and are as many as others
// like; so what a structured type of theirs consists of lives as long as somebody holds it, while
// the types that this process names itself (dtype::structured) live for ever. No SYCL here.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// A dtype, and for its lifetime the fields behind it. Plain dtypes that are copied from it are
/// valid as long as it, or another one of the same type, exists. An array has one.
class USMX_API held_dtype : public dtype {
 public:
  /// Of a type that is held already, or lives for ever: any that one has.
  held_dtype(dtype type) noexcept : dtype(type) { hold(); }
  held_dtype(const held_dtype& other) noexcept : dtype(other) { hold(); }
  held_dtype& operator=(const held_dtype& other) noexcept {
    held_dtype copy(other);
    std::swap(static_cast<dtype&>(*this), static_cast<dtype&>(copy));
    return *this;
  }
  ~held_dtype() { let_go(); }

  /// As dtype::structured, with the same errors; but the fields are kept only as long as they are
  /// held.
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
