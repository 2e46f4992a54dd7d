// The resource that a `with` block of Python's has chosen for the running thread or asynchronous
// task: runtime/scopes.hpp. Not installed.
#pragma once

#include <optional>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1::internal {

/// That of the innermost scope which holds for the calling thread; none if there is none. Callers
/// may hold any lock.
using scoped_resource_function = std::optional<any_resource> (*)(const sycl::queue&, usm_kind);
/// Sets what scoped_resource() asks while there are scopes.
USMX_API void set_scoped_resource_function(scoped_resource_function) noexcept;

/// The resource for new memory on that queue, if a scope has chosen one.
USMX_API std::optional<any_resource> scoped_resource(const sycl::queue&, usm_kind);

}  // namespace usmx::inline v1::internal
