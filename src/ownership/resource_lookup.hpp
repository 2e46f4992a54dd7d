// The look-ups of usmx/memory/current_resource.hpp, for callers that have the context's state
// already. Private to the library.
#pragma once

#include <memory>
#include <optional>

#include "runtime/context_state.hpp"
#include "usmx/memory/current_resource.hpp"

namespace usmx::inline v1::detail {

/// As usmx::current_resource.
any_resource current_resource(std::shared_ptr<context_state>, const sycl::queue&, usm_kind);
/// The same if it is known already; none if not. Does not call the runtime.
std::optional<any_resource> known_resource(std::shared_ptr<context_state>, const sycl::queue&,
                                           usm_kind);

}  // namespace usmx::inline v1::detail
