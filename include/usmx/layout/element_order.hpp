// The orders in which elements can lie in memory, as NumPy names them, and what each means for a
// layout. No SYCL here.
#pragma once

#include <cstddef>
#include <span>

#include "usmx/base/api.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

/// By the letters that Python's `order=` takes.
enum class element_order : char {
  c = 'C',     // row-major: the last index varies fastest
  f = 'F',     // column-major: the first one does
  any = 'A',   // either of them, as the layout in question has it
  keep = 'K',  // the order of the layout's own axes
};

/// What `any` means for a layout: f where it is contiguous that way alone, else c. Other orders are
/// themselves.
USMX_API element_order resolved(element_order, const layout&) noexcept;

/// Whether the elements lie in that order without gaps: for `any` in one of the two, and for `keep`
/// always, gaps or not, since no other order is asked for.
USMX_API bool is_contiguous_in(const layout&, element_order) noexcept;

/// A compact layout of that shape: f for f, otherwise c. Throws as layout::c_order.
USMX_API layout compact(std::span<const std::ptrdiff_t> shape, element_order,
                        std::ptrdiff_t offset = 0);
/// The compact layout of a source's shape in an order that may depend on the source. Offset 0.
/// Throws overflow_error.
USMX_API layout compact_like(const layout& source, element_order);

/// The axes in the order in which NumPy's iterators walk through memory, the longest strides first:
/// in C order its elements follow each other as the source's do in memory, but for negative
/// strides, which stay negative. Axes without a stride compare with no other: one that is shorter
/// passes them.
USMX_API layout with_axes_as_in_memory(const layout& source);

}  // namespace usmx::inline v1
