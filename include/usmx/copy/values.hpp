// Single values and vectors of C++ beside arrays: filling with one, taking elements out, and
// elements of another type.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

/// Sets every element to a value, which is converted as `copy` does; waits. Throws read_only_error,
/// and value_error for elements of a structured type.
template <element_type T>
void fill(const array& destination, T value) {
  if (destination.type().is_structured()) {
    throw value_error(
        detail::message("fill: a number cannot be an element of type ", destination.type()));
  }
  std::array<std::byte, 16> element;  // room for one of any plain type
  convert_element(dtype::of<T>(), reinterpret_cast<const std::byte*>(&value), destination.type(),
                  element.data());
  fill(destination.view(), element.data());
}

/// A new array of the elements, converted as `copy` does: on the same queue, of the same kind,
/// without gaps, its axes in memory in the order of the source's. Waits.
inline array astype(const array& source, dtype type) {
  array result = empty(compact_like(source.layout()), type, source.queue(), source.kind());
  copy(source.view(), result.view());
  return result;
}

/// The elements in C order, converted as `copy` does. Waits.
template <element_type T>
  requires(!std::same_as<T, bool>)  // a std::vector<bool> holds bits
std::vector<T> to_vector(const array& source) {
  std::vector<T> result(static_cast<std::size_t>(source.size()));
  const layout compact = layout::c_order(source.shape());
  std::array<std::ptrdiff_t, max_ndim> strides_bytes;
  std::ranges::transform(compact.strides(), strides_bytes.begin(), [](std::ptrdiff_t stride) {
    return stride * static_cast<std::ptrdiff_t>(sizeof(T));
  });
  copy_to_host(source.view(),
               {reinterpret_cast<std::byte*>(result.data()), dtype::of<T>(), source.shape(),
                std::span(strides_bytes).first(source.shape().size())});
  return result;
}

}  // namespace usmx::inline v1
