// Layouts of the same elements whose axes are reordered, reversed, removed or added. A negative
// axis counts from the end, as in NumPy. layout.hpp has subscripts, broadcasting and reshaping.
// This header does not need SYCL.
#pragma once

#include <cstddef>
#include <span>

#include "usmx/base/api.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

/// A list of axes. A negative axis counts from the end.
using axis_span = std::span<const std::ptrdiff_t>;

/// Returns `axis` counted from the front. Throws axis_error when an array of `ndim` dimensions does
/// not have the axis. Its message begins with `what` if that is not null.
USMX_API int normalized_axis(std::ptrdiff_t axis, int ndim, const char* what = nullptr);

/// Reorders the axes: axis k of the result is axis axes[k]. Throws axis_error when there is no such
/// axis, and value_error unless `axes` names every axis once.
[[nodiscard]] USMX_API layout permuted_axes(const layout&, axis_span axes);
/// Moves axis source[k] to place destination[k]. The other axes keep their order. Throws axis_error
/// when there is no such axis, and value_error when the lists have different lengths or one of them
/// names an axis twice.
[[nodiscard]] USMX_API layout moved_axes(const layout&, axis_span source, axis_span destination);
/// Exchanges two axes. Throws axis_error when there is no such axis.
[[nodiscard]] USMX_API layout swapped_axes(const layout&, std::ptrdiff_t axis1,
                                           std::ptrdiff_t axis2);
/// Exchanges the last two axes. Throws value_error when there are fewer than two.
[[nodiscard]] USMX_API layout matrix_transposed(const layout&);
/// Reverses the order of the elements along all axes.
[[nodiscard]] USMX_API layout flipped(const layout&);
/// Reverses the order of the elements along these axes. Throws axis_error when there is no such
/// axis, and value_error when one is named twice.
[[nodiscard]] USMX_API layout flipped(const layout&, axis_span axes);
/// Removes all axes of size 1.
[[nodiscard]] USMX_API layout squeezed(const layout&);
/// Removes these axes. Throws axis_error when there is no such axis, and value_error when the size
/// of one is not 1 or one is named twice. As in NumPy, a layout without dimensions accepts axis 0.
[[nodiscard]] USMX_API layout squeezed(const layout&, axis_span axes);
/// Adds axes of size 1 and stride 0. `axes` are their places in the result. Throws axis_error when
/// the result has no such axis, value_error when one is named twice, and index_error when the
/// result would have more than max_ndim dimensions.
[[nodiscard]] USMX_API layout expanded(const layout&, axis_span axes);

}  // namespace usmx::inline v1
