// What usmx's own parts, its Python module among them, do with arrays and nobody else may. Not
// installed.
#pragma once

#include <memory>
#include <utility>

#include "usmx/array/array.hpp"

namespace usmx::inline v1::internal {

struct array_access {
  static array unchecked(std::shared_ptr<buffer> owner, dtype type, layout where,
                         bool readonly) noexcept {
    return array(std::move(owner), type, std::move(where), readonly, 0);
  }
  static array with_layout(const array& of, layout where) {
    if (where.size() > of.size()) {
      checked_nbytes(where.size(), of.type_);
    }
    return array(of.owner_, of.type_, std::move(where), of.readonly(), 0);
  }
  static array_view private_view(const array& of) { return of.private_view(); }
  static std::byte* first_element(const array& of) {
    of.memory();
    return of.first_element();
  }
};

/// Elements inside a buffer where the rules of array's constructor are known to hold: parts of an
/// existing array, checked imports.
inline array unchecked_array(std::shared_ptr<buffer> owner, dtype type, layout where,
                             bool readonly) noexcept {
  return array_access::unchecked(std::move(owner), type, std::move(where), readonly);
}

/// Other elements of an array's memory where they are known to lie inside of it: what a subscript
/// or a broadcast makes. overflow_error when they, some in several places, are more bytes than can
/// be counted.
inline array with_layout(const array& of, layout where) {
  return array_access::with_layout(of, std::move(where));
}

/// What array::view() gives, for synchronous work of usmx's own: nobody else gets to know the
/// memory and its queue.
inline array_view private_view(const array& of) { return array_access::private_view(of); }

/// What array::data() gives, so.
inline std::byte* first_element(const array& of) { return array_access::first_element(of); }

}  // namespace usmx::inline v1::internal
