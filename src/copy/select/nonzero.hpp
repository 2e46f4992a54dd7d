// Counts and finds elements that are not zero, in views without pending work.
// usmx/copy/select/selection.hpp does the same for arrays. Private to the library.
#pragma once

#include <cstddef>
#include <span>

#include "usmx/array/array_view.hpp"

namespace usmx::inline v1::detail {

std::ptrdiff_t count_nonzero(const array_view&);
void nonzero(const array_view&, std::span<const array_view> coordinates);

}  // namespace usmx::inline v1::detail
