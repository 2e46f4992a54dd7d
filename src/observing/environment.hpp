// What the environment asks to be told about memory. Private to the library.
#pragma once

#include "usmx/memory/memory_observer.hpp"

namespace usmx::inline v1::detail {

/// The log of all memory, in the file that USMX_MEMORY_LOG names; null if it names none. The file
/// is made at the first event, so programs that use no memory leave none.
const memory_observer* environment_log() noexcept;

/// Whether USMX_LEAK_REPORT asks what is alive when the process ends: it is set, and not empty.
bool leak_report_is_wanted();

}  // namespace usmx::inline v1::detail
