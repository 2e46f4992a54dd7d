// Views of a layout with its axes in another order, turned around, left out or added. An axis that
// is negative counts from the end. Cutting, broadcasting and reshaping are in layout.hpp. No SYCL
// here.
#pragma once

#include <cstddef>
#include <span>

#include "usmx/base/api.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

/// Several axes, as the caller gave them.
using axis_span = std::span<const std::ptrdiff_t>;

// All of these throw axis_error, naming axis and dimensions, when there is no such axis, and
// value_error when a list names one twice.

/// `axis` counted from the front. `what`, when given, is named in the message.
USMX_API int normalized_axis(std::ptrdiff_t axis, int ndim, const char* what = nullptr);

/// Dimension k of the result is dimension axes[k]. Throws value_error unless all are named.
USMX_API layout permuted_axes(const layout&, axis_span axes);
/// The axes source[k] go to destination[k], the others keep their order. Throws value_error when
/// the lengths differ.
USMX_API layout moved_axes(const layout&, axis_span source, axis_span destination);
/// Two axes trade places.
USMX_API layout swapped_axes(const layout&, std::ptrdiff_t axis1, std::ptrdiff_t axis2);
/// The last two axes trade places. Throws value_error when there are fewer.
USMX_API layout matrix_transposed(const layout&);
/// The elements in reverse order along all axes.
USMX_API layout flipped(const layout&);
/// The same along these axes.
USMX_API layout flipped(const layout&, axis_span axes);
/// Without any axis of size 1.
USMX_API layout squeezed(const layout&);
/// Without these axes, whose size must be 1 (value_error). Without axes there is, as in NumPy,
/// still an axis 0 to leave out.
USMX_API layout squeezed(const layout&, axis_span axes);
/// With new axes of size 1 and stride 0, named as the result counts them. Throws index_error when
/// that are more than max_ndim.
USMX_API layout expanded(const layout&, axis_span axes);

}  // namespace usmx::inline v1
