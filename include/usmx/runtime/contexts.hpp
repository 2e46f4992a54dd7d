// Contexts: the one that users of a platform share, and how a message names any. Next: queues.hpp.
#pragma once

#include <string>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The platform's default context, which all users of that platform share.
USMX_API sycl::context default_context(const sycl::device&);

/// "context 0x55d0... of 1 device (...)": for messages.
USMX_API std::string describe(const sycl::context&);

}  // namespace usmx::inline v1
