// A fault of the SYCL compiler that is mended in what it made. No SYCL here. Private to the library
// and the programs that compile.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace usmx::inline v1::detail {

/// The module of SPIR-V with the right signs where booleans become signed numbers; nothing if it
/// has them. LLVM makes `sitofp i1`, which is -1.0 or 0.0, of `x < 0 ? -1 : 0` that becomes a
/// floating-point number; the translator to SPIR-V makes 1.0 of it (docs/decisions.md, 230). The
/// optimizer makes `uitofp` of all other conversions of a boolean, so a module that it has not seen
/// may be right as it is. Throws value_error for bytes that are no module.
std::optional<std::string> with_boolean_signs(std::string_view module);

/// Mends each module in an object that the runtime saved; nothing if none needs it. Throws
/// std::runtime_error for bytes in another form.
std::optional<std::string> object_with_boolean_signs(std::string_view object);

}  // namespace usmx::inline v1::detail
