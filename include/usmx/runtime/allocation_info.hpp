// What is known about an allocation of USM. No SYCL here. Who is asked: memory/usm.hpp.
#pragma once

#include <cstddef>

#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// What is known about the allocation that a pointer points into.
struct allocation_info {
  usm_kind kind = usm_kind::unknown;
  /// First byte and size; null and 0 where the back end cannot say (`extent_known` false).
  const std::byte* base = nullptr;
  std::size_t nbytes = 0;
  bool extent_known = false;
};

}  // namespace usmx::inline v1
