// Element types for tests.
#pragma once

#include <cstddef>

#include "usmx/layout/dtype.hpp"

namespace support {

/// A structured type with items of that many bytes.
inline usmx::dtype structure_of(std::size_t nbytes) {
  return usmx::dtype::structured({{"a", usmx::type_code::int8, {}, 0}}, nbytes);
}

}  // namespace support
