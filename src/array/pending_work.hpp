// The unfinished work on the elements of arrays and views: memory/pending_work.hpp has it by
// address. Private to the library.
#pragma once

#include <cstddef>
#include <optional>

#include "memory/pending_work.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::detail {

/// From the lowest to the highest byte of elements that lie there; none where there are no
/// elements.
inline std::optional<address_range> addresses_of(const void* origin, dtype type,
                                                 const layout& where) {
  const auto extent = where.extent();
  if (!extent) {
    return std::nullopt;
  }
  const auto item = static_cast<std::ptrdiff_t>(type.itemsize());
  return range_of(static_cast<const std::byte*>(origin) + extent->first * item,
                  static_cast<std::size_t>((extent->last - extent->first + 1) * item));
}
inline std::optional<address_range> addresses_of(const array_view& view) {
  return addresses_of(view.origin(), view.type(), view.layout());
}

/// Waits for the work that an access to these elements must come after.
inline void wait_for_pending_work(const array_view& view, access wanted) {
  if (has_pending_work()) {
    if (const auto bytes = addresses_of(view)) {
      wait_for_pending_work(*bytes, wanted);
    }
  }
}

}  // namespace usmx::detail
