// The ranges of memory that pools have from the runtime. A byte in such a range that is in no live
// block belongs to nobody, although the driver knows it as memory. Thread-safe. Private to the
// library.
#pragma once

#include <cstddef>

namespace usmx::inline v1::detail::pooled_ranges {

/// To be called before any block of the range is handed out; may throw bad_alloc.
void add(const std::byte* first, std::size_t nbytes);
/// To be called before the range returns to the runtime.
void remove(const std::byte* first) noexcept;
bool contains(const void* pointer) noexcept;

}  // namespace usmx::inline v1::detail::pooled_ranges
