// The arithmetic of a description: which elements it means and which bytes they touch, before
// anybody asks what memory that is. Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::inline v1::exchange {

/// Throws as check() for a type that is none.
held_dtype parse_type(const usm_array_interface&);

struct elements {
  held_dtype type;
  layout where;
};

/// Throws as check() for a type, shape, strides and offset that are none.
elements parse_elements(const usm_array_interface&);

struct byte_range {
  std::uintptr_t first;
  std::size_t nbytes;
};

/// From the lowest to the highest byte of elements of that extent. Throws value_error for a null
/// pointer, overflow_error where a byte is outside of the address space.
byte_range touched_bytes(const usm_array_interface&, dtype, element_range extent);

}  // namespace usmx::inline v1::exchange
