// What copies are asked to do: whether they may, and their sides as the ends of a plan. Private to
// the library.
#pragma once

#include <cstddef>
#include <string_view>

#include "copy/plan.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1::detail {

/// Throws as copy() does on unequal shapes, structured types that differ and a read-only
/// destination, and on host memory without an address or with another number of strides.
void require_copyable(const array_view& source, const array_view& destination);
void require_copyable(const host_array& source, const array_view& destination);
void require_copyable(const array_view& source, const host_array& destination);

/// Throws as fill() does on a read-only destination, and on no element.
void require_fillable(const array_view& destination, const std::byte* element);

/// Throws value_error for a view of USM, whose array has to be given: `function` orders itself.
/// Also for elements without an address.
void require_host_memory(std::string_view function, const array_view&);

/// Whether the host may read and write the elements in place.
inline bool touched_by_host(const array_view& view) {
  return host_may_touch(view.kind(), view.device());
}

/// Who may write: throws read_only_error, which calls a read-only view `what`.
void require_writable(const array_view&, std::string_view what);
/// What copies and fills call theirs.
inline constexpr std::string_view destination_of_copies = "destination of a copy";

inline copy_end end_of(const array_view& view) {
  return {view.data(), view.type(), view.strides(),
          static_cast<std::ptrdiff_t>(view.type().itemsize())};
}
inline copy_end end_of(const host_array& host) {
  return {host.data, host.type, host.strides_bytes, 1};
}

}  // namespace usmx::inline v1::detail
