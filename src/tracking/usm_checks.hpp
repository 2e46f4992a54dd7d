// The questions of usmx/memory/usm.hpp about memory, for callers that have looked up the context's
// state already. Private to the library.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/context_state.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1 {
class buffer;
}

namespace usmx::inline v1::detail {

/// As usmx::query_allocation; the pointer is not null.
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

/// As usmx::check_access.
checked_memory check_access(const void* pointer, std::size_t nbytes, const context_state&);

}  // namespace usmx::inline v1::detail
