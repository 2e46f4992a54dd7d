// Reads environment variables of usmx's. Private to the library.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace usmx::inline v1::detail {

/// The size in an environment variable: a number of bytes, or one with K, M or G. None if it is not
/// set, or malformed, which gives a warning; `otherwise` ends it, and says what is the case then.
std::optional<std::size_t> size_in(const char* variable, std::string_view otherwise);

}  // namespace usmx::inline v1::detail
