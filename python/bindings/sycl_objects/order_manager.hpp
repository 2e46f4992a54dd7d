// The order of usmx's work and dpnp's: dpnp keeps the events of its unfinished work in dpctl's
// order manager, and submits new work after them. usmx takes its events from there, and adds its
// own (src/runtime/partner_bridge.hpp).
#pragma once

namespace usmx::bindings {

/// Lets the library ask and tell the order manager from now on.
void connect_order_manager() noexcept;

}  // namespace usmx::bindings
