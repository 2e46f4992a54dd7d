// What the library itself asks the registry. A copy of the context is left out: all threads would
// write to its count. Private to the library.
#pragma once

#include <memory>
#include <optional>

#include "usmx/memory/registry_internal.hpp"
#include "usmx/runtime/allocation_info.hpp"

namespace usmx::inline v1::registry {

/// The live block that holds the byte, as the context sees it: a context knows no memory of
/// others.
std::optional<allocation_info> find(const void* pointer, const sycl::context&);
/// Who keeps the live block that holds the byte alive, where that is known.
std::shared_ptr<buffer> owner_of(const void* pointer);

}  // namespace usmx::inline v1::registry
