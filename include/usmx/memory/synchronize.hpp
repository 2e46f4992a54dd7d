// Waiting for everything at once.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx {

/// Waits until everything submitted to usmx's own queues has finished. Happens by itself at exit.
USMX_API void synchronize();

}  // namespace usmx
