// The default context of a platform, and the description of a context in messages. Next:
// queues.hpp.
#pragma once

#include <string>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The default context of the device's platform, which all users of the platform share. It holds
/// all root devices of the platform. Throws fork_error in a forked child.
USMX_API sycl::context default_context(const sycl::device&);

/// Describes a context for messages: "context 0x55d0... of 1 device (...)".
USMX_API std::string describe(const sycl::context&);

}  // namespace usmx::inline v1
