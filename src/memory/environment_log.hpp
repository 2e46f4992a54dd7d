// The log of all memory, on request: USMX_MEMORY_LOG in the environment names its file. Private to
// the library.
#pragma once

#include "usmx/memory/memory_observer.hpp"

namespace usmx::inline v1::detail {

/// Null where no log is wanted. The file is made at the first event: programs that use no memory
/// leave none.
const memory_observer* environment_log() noexcept;

}  // namespace usmx::inline v1::detail
