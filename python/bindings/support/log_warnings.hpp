// Warnings of the library as records of Python's logger "usmx".
#pragma once

namespace usmx::bindings {

/// From now on: see usmx/base/warnings.hpp.
void log_warnings() noexcept;

}  // namespace usmx::bindings
