// The orders in which elements can lie in memory, by NumPy's names, and what each of them means for
// a layout. This header does not need SYCL.
#pragma once

#include <cstddef>
#include <span>

#include "usmx/base/api.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

/// An order of elements in memory. The values are the letters of NumPy's argument `order`.
enum class element_order : char {
  c = 'C',     ///< Row-major: the last index varies fastest.
  f = 'F',     ///< Column-major: the first index varies fastest.
  any = 'A',   ///< Row-major or column-major, whichever the layout in question has.
  keep = 'K',  ///< The order of the axes that the layout in question has.
};

/// Replaces `any` by the order that it means for the layout: f if the layout is contiguous in
/// Fortran order only, else c. Returns any other order as it is.
USMX_API element_order resolved(element_order, const layout&) noexcept;

/// Whether the elements lie in that order without gaps. For `any`, one of C and Fortran order is
/// enough. For `keep` the result is always true, even if there are gaps, because every order will
/// do.
USMX_API bool is_contiguous_in(const layout&, element_order) noexcept;

/// A layout of that shape without gaps: in Fortran order for f, in C order for all other values.
/// `offset` is the offset of the first element, in elements. Throws value_error for a negative
/// extent or more than max_ndim of them, and overflow_error when the number of elements or the last
/// offset does not fit std::ptrdiff_t.
[[nodiscard]] USMX_API layout compact(std::span<const std::ptrdiff_t> shape, element_order,
                                      std::ptrdiff_t offset = 0);
/// A layout without gaps that has the source's shape and offset 0, in an order that may depend on
/// the source. Throws overflow_error when the last offset does not fit std::ptrdiff_t.
[[nodiscard]] USMX_API layout compact_like(const layout& source, element_order);
/// The same of another shape. For `keep`, the axes have the source's order if there are as many of
/// them, and C order otherwise. Throws as compact().
[[nodiscard]] USMX_API layout compact_like(const layout& source, element_order,
                                           std::span<const std::ptrdiff_t> shape);

/// The same elements with the axes in the order in which NumPy's iterators walk through memory: the
/// axis with the longest stride first. So the elements of the result follow each other in C order
/// as those of the source do in memory, but negative strides stay negative. An axis of size 1 or of
/// stride 0 has no place in memory: it keeps its own, and other axes may move past it.
USMX_API layout with_axes_as_in_memory(const layout& source);

}  // namespace usmx::inline v1
