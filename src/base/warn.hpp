// Giving a warning. Private to the library.
#pragma once

#include <string>

namespace usmx::inline v1::detail {

/// Gives the text to the handler of usmx/base/warnings.hpp.
void warn(const char* text) noexcept;
inline void warn(const std::string& text) noexcept { warn(text.c_str()); }

}  // namespace usmx::inline v1::detail
