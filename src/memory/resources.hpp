// The check of requests that resources make before they ask anybody, if they make or divide blocks.
// Private to the library.
#pragma once

#include <cstddef>

#include "usmx/base/error.hpp"
#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

/// Throws value_error as check_request does, and allocation_error for more bytes than ptrdiff_t
/// tells: below, such a size may wrap when it is rounded up, and a small block come back.
inline void require_possible_request(std::size_t nbytes, std::size_t alignment, usm_kind kind,
                                     const sycl::queue& queue) {
  check_request(nbytes, alignment);
  if (!is_possible_request(nbytes, alignment)) {
    throw allocation_error(
        refusal(nbytes, kind, queue, "no block may be larger than ptrdiff_t tells"));
  }
}

}  // namespace usmx::inline v1::detail
