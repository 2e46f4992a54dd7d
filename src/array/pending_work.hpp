// The unfinished work on the elements of arrays and views: memory/pending_work.hpp has it by
// address. Private to the library.
#pragma once

#include <cstddef>
#include <optional>

#include "memory/pending_work.hpp"
#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::inline v1::detail {

/// The bytes from the lowest to the highest element; none if there are no elements.
inline std::optional<byte_range> range_of(const std::byte* origin, dtype type,
                                          const layout& where) {
  return where.size() == 0 ? std::nullopt : std::optional(bytes_of(origin, where, type.itemsize()));
}
inline std::optional<byte_range> range_of(const array_view& view) {
  return range_of(view.origin(), view.type(), view.layout());
}

/// The rule of waiting (docs/decisions.md, 24): code that reads or writes the elements of an array
/// on the host, or by commands that do not wait for events, calls this first. Waits for the work on
/// the elements that usmx has started or that was recorded, and for all work of the queues through
/// which others may work on the memory. Does not call the runtime if there can be no such work.
void wait_before(const array&, access wanted);

}  // namespace usmx::inline v1::detail
