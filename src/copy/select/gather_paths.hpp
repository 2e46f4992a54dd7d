// The two ways to read and write what is selected; gather.cpp chooses. Private to the library,
// apart so that tests can ask for each.
#pragma once

#include "usmx/array/array_view.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1::detail {

// The indexed side has the layout selection::basic(), the other one what was selected's shape, and
// there are elements. Both have one element type and do not overlap, or do so when staged.

/// Over memory that the host may touch.
void gather_on_host(const array_view& source, const selection&, const array_view& destination);
void scatter_on_host(const array_view& values, const selection&, const array_view& destination);

/// Through compact ordinary memory for each side.
void gather_staged(const array_view& source, const selection&, const array_view& destination);
void scatter_staged(const array_view& values, const selection&, const array_view& destination);

}  // namespace usmx::inline v1::detail
