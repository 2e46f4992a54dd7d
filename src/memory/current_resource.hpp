// The resource of new memory: the look-ups of usmx/memory/current_resource.hpp for callers that
// have the context's state already, and the resource of Python's `with` blocks. Not installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <sycl/queue.hpp>

#include "runtime/contexts.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1::internal {

/// The resource that a `with` block of Python's has chosen (runtime/queues.hpp), of the innermost
/// scope that holds for the calling thread; none if there is no such scope. Callers may hold any
/// lock.
using scoped_resource_function = std::optional<any_resource> (*)(const sycl::queue&, usm_kind);
/// Sets the function that scoped_resource() asks while there are scopes.
USMX_API void set_scoped_resource_function(scoped_resource_function) noexcept;

/// The resource for new memory on that queue, if a scope has chosen one.
USMX_API std::optional<any_resource> scoped_resource(const sycl::queue&, usm_kind);

/// The kind of memory of Python's new arrays, unless a call or a scope names one: the one that is
/// set for the process, or `USMX_DEFAULT_USM_TYPE`, or `device`.
USMX_API usm_kind default_kind();

/// Sets the default kind for the process, or unsets it for none. Returns the one that was set
/// before.
USMX_API std::optional<usm_kind> set_default_kind(std::optional<usm_kind>) noexcept;

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// Does as usmx::current_resource.
any_resource current_resource(std::shared_ptr<context_state>, const sycl::queue&, usm_kind);
/// The current resource if it is known already; none if not. Does not call the runtime.
std::optional<any_resource> known_resource(std::shared_ptr<context_state>, const sycl::queue&,
                                           usm_kind);

/// Throws value_error as check_request does, and allocation_error for more bytes than ptrdiff_t can
/// count. A resource could wrap such a size when it rounds it up, and give a small block.
inline void require_possible_request(std::size_t nbytes, std::size_t alignment, usm_kind kind,
                                     const sycl::queue& queue) {
  check_request(nbytes, alignment);
  if (!is_possible_request(nbytes, alignment)) {
    throw allocation_error(
        refusal(nbytes, kind, queue, "no block may be larger than ptrdiff_t tells"));
  }
}

}  // namespace usmx::inline v1::detail
