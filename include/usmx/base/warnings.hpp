// Warnings: problems that the library works around and that users may want to know, such as a
// damaged file of the kernel cache. This header does not need SYCL.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// A function that takes a warning. The text has one or more lines, does not begin with "usmx: ",
/// and is valid during the call only. Any thread may call the handler, while usmx holds locks. So
/// it must return soon, must not call usmx, and must not wait for a lock that others hold while
/// they call usmx.
using warning_handler = void (*)(const char* text) noexcept;

/// Sets the handler of all warnings of the process. The first handler writes to stderr, and null
/// brings it back. The Python package sets one that passes warnings to the logger "usmx".
USMX_API void set_warning_handler(warning_handler) noexcept;

}  // namespace usmx::inline v1
