// The memory that pools have from the runtime: a byte of it that is in no live block is nobody's,
// though the driver calls it memory. Thread-safe. Private to the library.
#pragma once

#include <cstddef>

namespace usmx::inline v1::detail::pooled_ranges {

/// Before any block of it is handed out; may throw bad_alloc.
void add(const std::byte* first, std::size_t nbytes);
/// Before it returns to the runtime.
void remove(const std::byte* first) noexcept;
bool contains(const void* pointer) noexcept;

}  // namespace usmx::inline v1::detail::pooled_ranges
