#include "usmx/layout/element_order.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace usmx {

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
  const layout kept = compact_like(source);
  std::array<int, max_ndim> storage;
  const std::span<int> axes(storage.data(), source.shape().size());
  std::iota(axes.begin(), axes.end(), 0);
  std::ranges::stable_sort(axes, std::ranges::greater(), [&](int axis) {
    return kept.strides()[static_cast<std::size_t>(axis)];
  });
  return permuted(source, axes);
}

}  // namespace usmx
