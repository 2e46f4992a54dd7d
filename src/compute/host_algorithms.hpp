// Cumulative sums and sorting on the host, for few elements: the results have the bits of the
// kernels. Not installed.
//
// Each function returns false, and has done nothing, for types or shapes that are left to kernels.
// The memory of all arrays is idle and in C order, if nothing else is said, and the host reaches
// it.
#pragma once

#include <cstdint>
#include <string_view>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// No call by the host has more elements.
inline constexpr std::ptrdiff_t max_host_scan = 16384;
inline constexpr std::ptrdiff_t max_host_sort = 4096;

/// Writes the cumulative sums ("sum") or products ("prod") of the rows of `x` to those of `z`,
/// which are `lead` elements longer, with what comes before the first element in front.
USMX_API bool scan_on_host(std::string_view name, const array& x, const array& z, int lead);

/// Writes the sorted elements of the rows of `x` to `z`, or their indices if `z` is for these,
/// which are int64. Equal elements keep their order.
USMX_API bool sort_on_host(const array& x, const array& z, bool is_descending, bool wants_indices);

}  // namespace usmx::inline v1::internal
