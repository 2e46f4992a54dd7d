// The unfinished work on the elements of arrays and views: memory/pending_work.hpp has it by
// address. Private to the library.
#pragma once

#include <cstddef>
#include <optional>

#include "memory/pending_work.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::inline v1::detail {

/// From the lowest to the highest element; none where there are no elements.
inline std::optional<byte_range> range_of(const std::byte* origin, dtype type,
                                          const layout& where) {
  return where.size() == 0 ? std::nullopt : std::optional(bytes_of(origin, where, type.itemsize()));
}
inline std::optional<byte_range> range_of(const array_view& view) {
  return range_of(view.origin(), view.type(), view.layout());
}

/// Waits for the work that an access to these elements must come after.
inline void wait_for_pending_work(const array_view& view, access wanted) {
  if (has_pending_work()) {
    if (const auto bytes = range_of(view)) {
      wait_for_pending_work(*bytes, wanted);
    }
  }
}

}  // namespace usmx::inline v1::detail
