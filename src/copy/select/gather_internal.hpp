// Gathering into a new array, for usmx's Python module. Not installed.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1::internal {

/// As gather, into memory that nobody else has, and that nobody may be given where this throws:
/// then part of it may have been written. A kernel checks the integers as it uses them, where they
/// would have to be checked before that.
USMX_API void gather_to_fresh(const array& source, const selection&, const array& destination);

}  // namespace usmx::inline v1::internal
