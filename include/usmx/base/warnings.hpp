// What the library puts right by itself and people may still want to know: a damaged file of the
// kernel cache, kernels that cannot be built. No SYCL here.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Is given each warning, one or more lines without "usmx: " in front. It is called on any thread,
/// with locks of the library held: it must return soon, call nothing of usmx and wait for no lock
/// under which others call usmx. The text is its own only during the call.
using warning_handler = void (*)(const char* text) noexcept;

/// Replaces the handler, which at first writes to stderr; null brings that one back. The Python
/// package has one that hands warnings to the logger "usmx".
USMX_API void set_warning_handler(warning_handler) noexcept;

}  // namespace usmx::inline v1
