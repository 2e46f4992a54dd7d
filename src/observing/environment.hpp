// What the environment asks to be told about memory. Private to the library.
#pragma once

#include "usmx/memory/memory_observer.hpp"

namespace usmx::inline v1::detail {

/// The log of all memory, whose file USMX_MEMORY_LOG names. Null where none is wanted. The file is
/// made at the first event: programs that use no memory leave none.
const memory_observer* environment_log() noexcept;

/// Whether USMX_LEAK_REPORT asks what is alive when the process ends, by anything but nothing.
bool leak_report_is_wanted();

}  // namespace usmx::inline v1::detail
