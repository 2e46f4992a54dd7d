// Warnings of the library as records of Python's logger "usmx".
#pragma once

namespace usmx::bindings {

/// Makes the library's warnings such records from now on (usmx/base/warnings.hpp).
void log_warnings() noexcept;

}  // namespace usmx::bindings
