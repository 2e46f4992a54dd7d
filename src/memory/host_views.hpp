// The views that host code has of USM: buffers of Python, DLPack tensors of the host, columns of
// Arrow's. Nobody can tell their owners of work, so a call that starts work on such bytes, and
// gives no event, waits for the work while a view of these bytes lives (docs/concepts.md). By
// address, as the unfinished work. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/layout.hpp"
#include "memory/access_history.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// A view of the bytes [first, first + nbytes), for its life. May end on any thread.
class USMX_API host_view {
 public:
  host_view(std::uintptr_t first, std::size_t nbytes, bool writable);
  host_view(const host_view&) = delete;
  host_view& operator=(const host_view&) = delete;
  ~host_view();

 private:
  detail::byte_range bytes_;
  bool writable_;
};

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// Whether the host has a view of any of these bytes with which work that makes such an access
/// would race. Work that only reads does not race with a view that only reads.
bool has_host_view(byte_range, access) noexcept;

}  // namespace usmx::inline v1::detail
