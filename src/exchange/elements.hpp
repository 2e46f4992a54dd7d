// The arithmetic of a description: which elements it means and which bytes they touch, before usmx
// asks what memory that is. Private to the library.
#pragma once

#include "layout/byte_range.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::inline v1::exchange {

/// Throws as check() does if there is no such type.
held_dtype parse_type(const usm_array_interface&);

struct elements {
  held_dtype type;
  layout where;
};

/// Throws as check() does if type, shape, strides or offset is not possible.
elements parse_elements(const usm_array_interface&);

/// The bytes of elements with that span. Throws value_error for a null pointer, and overflow_error
/// if a byte is outside of the address space.
detail::byte_range touched_bytes(const usm_array_interface&, dtype, element_range span);

}  // namespace usmx::inline v1::exchange
