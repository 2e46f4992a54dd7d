// Copies and fills of views. These order nothing: what they read and write must be finished, and
// they wait for what they submit themselves. Whoever has arrays calls copy/copy.hpp, which orders
// itself. Not installed.
#pragma once

#include <cstddef>

#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1::internal {

/// As the functions for arrays. A view of kind `unknown` is ordinary host memory.
USMX_API void copy_elements(const array_view& source, const array_view& destination,
                            copy_path path = copy_path::automatic);
USMX_API void copy_elements(const host_array& source, const array_view& destination);
USMX_API void copy_elements(const array_view& source, const host_array& destination);
USMX_API void fill_elements(const array_view& destination, const std::byte* element,
                            copy_path path = copy_path::automatic);

/// Whether copies convert from one type to the other: structured elements are not converted.
constexpr bool is_convertible(dtype from, dtype to) noexcept {
  return from == to || !(from.is_structured() || to.is_structured());
}

/// Sets every byte of a buffer. This one orders itself, as those for arrays do: it waits for all
/// work on the bytes, and until they are set.
USMX_API void fill_bytes(buffer&, std::byte value);

}  // namespace usmx::inline v1::internal
