// What usmx's own parts, its Python module among them, do with arrays and nobody else may. Not
// installed.
#pragma once

#include <memory>
#include <utility>

#include "usmx/array/array.hpp"

namespace usmx::internal {

struct array_access {
  static array unchecked(std::shared_ptr<buffer> owner, dtype type, layout where,
                         bool readonly) noexcept {
    return array(std::move(owner), type, std::move(where), readonly, 0);
  }
  static array_view private_view(const array& of) { return of.private_view(); }
  static std::byte* first_element(const array& of) noexcept { return of.first_element(); }
};

/// Elements inside a buffer where the rules of array's constructor are known to hold: parts of an
/// existing array, checked imports.
inline array unchecked_array(std::shared_ptr<buffer> owner, dtype type, layout where,
                             bool readonly) noexcept {
  return array_access::unchecked(std::move(owner), type, std::move(where), readonly);
}

/// What array::view() gives, for synchronous work of usmx's own: nobody else gets to know the
/// memory and its queue.
inline array_view private_view(const array& of) { return array_access::private_view(of); }

/// What array::data() gives, so.
inline std::byte* first_element(const array& of) noexcept {
  return array_access::first_element(of);
}

}  // namespace usmx::internal
