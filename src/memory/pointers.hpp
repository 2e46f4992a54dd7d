// The questions of usmx/memory/usm.hpp about memory, for callers that have looked up the context's
// state already, and what tests change of the answers. Not installed.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/contexts.hpp"
#include "usmx/base/api.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1 {
class buffer;
}

namespace usmx::inline v1::detail {

/// Does as usmx::query_allocation, for a pointer that is not null.
allocation_info query_allocation(const void* pointer, const context_state&);
/// The kind of an array without elements, whose pointer may be any: the kind that was found there,
/// or device.
constexpr usm_kind kind_without_elements(usm_kind found) noexcept {
  return found == usm_kind::unknown ? usm_kind::device : found;
}

struct checked_memory {
  usm_kind kind;
  /// The buffer that keeps the memory alive, if it is usmx's own.
  std::shared_ptr<buffer> own;
};

/// Does as usmx::check_access.
checked_memory check_access(const void* pointer, std::size_t nbytes, const context_state&);

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

/// Makes every device count as one whose memory is apart from the host's, so that tests can run the
/// code for such devices on a machine without one.
USMX_API void count_all_devices_as_remote(bool on) noexcept;

}  // namespace usmx::inline v1::internal
