#include "usmx/layout/element_order.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace usmx::inline v1 {
namespace {

/// An axis without one, because its elements repeat or there is only one, has no place in the order
/// of memory.
bool has_stride(const layout& where, std::size_t axis) {
  return where.shape()[axis] != 1 && where.strides()[axis] != 0;
}

}  // namespace

element_order resolved(element_order order, const layout& source) noexcept {
  if (order != element_order::any) return order;
  const bool only_f = source.is_f_contiguous() && !source.is_c_contiguous();
  return only_f ? element_order::f : element_order::c;
}

bool is_contiguous_in(const layout& source, element_order order) noexcept {
  switch (order) {
    case element_order::c:
      return source.is_c_contiguous();
    case element_order::f:
      return source.is_f_contiguous();
    case element_order::any:
      return source.is_c_contiguous() || source.is_f_contiguous();
    case element_order::keep:
      break;
  }
  return true;
}

layout compact(std::span<const std::ptrdiff_t> shape, element_order order, std::ptrdiff_t offset) {
  return order == element_order::f ? layout::f_order(shape, offset)
                                   : layout::c_order(shape, offset);
}

layout compact_like(const layout& source, element_order order) {
  return order == element_order::keep ? compact_like(source)
                                      : compact(source.shape(), resolved(order, source));
}

layout with_axes_as_in_memory(const layout& source) {
  const auto ndim = source.shape().size();
  std::array<int, max_ndim> storage;
  const std::span<int> axes(storage.data(), ndim);  // the innermost first
  for (std::size_t sorted = 0; sorted < ndim; ++sorted) {
    const std::size_t axis = ndim - 1 - sorted;
    std::size_t place = sorted;
    for (std::size_t k = sorted; k > 0; --k) {
      const auto inner = static_cast<std::size_t>(axes[k - 1]);
      if (!has_stride(source, axis) || !has_stride(source, inner)) {
        continue;
      }
      if (std::abs(source.strides()[inner]) <= std::abs(source.strides()[axis])) {
        break;
      }
      place = k - 1;
    }
    std::copy_backward(axes.begin() + static_cast<std::ptrdiff_t>(place),
                       axes.begin() + static_cast<std::ptrdiff_t>(sorted),
                       axes.begin() + static_cast<std::ptrdiff_t>(sorted) + 1);
    axes[place] = static_cast<int>(axis);
  }
  std::ranges::reverse(axes);
  return permuted(source, axes);
}

}  // namespace usmx::inline v1
