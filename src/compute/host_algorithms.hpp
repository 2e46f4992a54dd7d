// Cumulative sums, sorting and products of matrices on the host, for few elements: the results have
// the bits of the kernels, but products of floating-point numbers may differ in the last one, as
// those of vendors' libraries do. Not installed.
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

/// No call by the host has more elements, or products of elements.
inline constexpr std::ptrdiff_t max_host_scan = 16384;
inline constexpr std::ptrdiff_t max_host_sort = 4096;
inline constexpr std::ptrdiff_t max_host_products = std::ptrdiff_t{1} << 17;

/// Writes the cumulative sums ("sum") or products ("prod") of the rows of `x` to those of `z`,
/// which are `lead` elements longer, with what comes before the first element in front.
USMX_API bool scan_on_host(std::string_view name, const array& x, const array& z, int lead);

/// Writes the sorted elements of the rows of `x` to `z`, or their indices if `z` is for these,
/// which are int64. Equal elements keep their order.
USMX_API bool sort_on_host(const array& x, const array& z, bool is_descending, bool wants_indices);

/// Writes the products of matrices, which have the last two of three dimensions, to `z`. The
/// operands are of one type, which is also that of `z`, and of any layout.
USMX_API bool multiply_on_host(const array& x, const array& y, const array& z);

}  // namespace usmx::inline v1::internal
