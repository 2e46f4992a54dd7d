// Information about an allocation of USM. query_allocation() of memory/usm.hpp fills it in. This
// header does not need SYCL.
#pragma once

#include <cstddef>

#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// Information about the allocation that a pointer points into.
struct allocation_info {
  /// The kind of memory, or `unknown` if the pointer is not USM in the context.
  usm_kind kind = usm_kind::unknown;
  /// The first byte of the allocation, or null if `bounds_known` is false.
  const std::byte* base = nullptr;
  /// The size of the allocation in bytes, or 0 if `bounds_known` is false.
  std::size_t nbytes = 0;
  /// Whether the back end can tell where the allocation begins and ends.
  bool bounds_known = false;
};

}  // namespace usmx::inline v1
