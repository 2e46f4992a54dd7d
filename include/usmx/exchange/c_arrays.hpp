// Arrays as the C interface has them: views as plain data, and owners. The casters for extensions
// in C++ use the owners; the rest is for usmx's Python module, whose table of C functions stands on
// it. Next: python/exchanged.hpp.
#pragma once

#include <cstdint>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/c_api.h"

namespace usmx::inline v1::exchange {

// ---- owners

// An owner is the address of an array. The lowest bit says that somebody lends the array; otherwise
// it is counted.
inline constexpr std::uintptr_t lent_bit = 1;

/// The owner that an array itself is, for as long as it lives and stays where it is. Nobody need
/// release it.
inline usmx_owner* lend(const array& lender) noexcept {
  return reinterpret_cast<usmx_owner*>(reinterpret_cast<std::uintptr_t>(&lender) | lent_bit);
}
inline bool is_lent(const usmx_owner* owner) noexcept {
  return (reinterpret_cast<std::uintptr_t>(owner) & lent_bit) != 0;
}
/// The array of an owner, for as long as that is valid.
inline const array& array_of(const usmx_owner* owner) noexcept {
  return *reinterpret_cast<const array*>(reinterpret_cast<std::uintptr_t>(owner) & ~lent_bit);
}
/// An owner that lives until it is released.
USMX_API usmx_owner* new_owner(array&&);
USMX_API usmx_owner* retain(usmx_owner*);
USMX_API void release(usmx_owner*) noexcept;

// ---- views

/// What an array says of itself, valid as long as the array. Others know the memory from here on.
USMX_API usmx_view describe_to_c(const array&);

/// Elements of an array's memory as a view has them; read-only if either is. Throws value_error
/// where they lie outside of the memory, or its type is no plain one and not the array's;
/// overflow_error.
USMX_API array with_view(const array&, const usmx_view&);
/// As allocate() of the C interface: value_error, overflow_error, allocation_error.
USMX_API array allocate(const usmx_view& wanted);
/// As adopt() of the C interface: value_error, overflow_error.
USMX_API array adopt(const usmx_view& described, detail::release_action release);

}  // namespace usmx::inline v1::exchange
