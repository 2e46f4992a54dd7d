// A loop over the elements of several views at once, on the host. This header does not need SYCL.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

#include "usmx/base/error.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/layout/index_walk.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {

namespace detail {

/// A view of typed elements, such as strided_view.
template <class View>
concept typed_view = requires(const View& view) { view.extents(); };
/// A view, or a parameter `in` (array/in.hpp).
template <class View>
concept view_to_loop_over = typed_view<View> || requires { View::is_for_host; };

template <view_to_loop_over View>
std::span<const std::ptrdiff_t> shape_of(const View& view) noexcept {
  if constexpr (typed_view<View>) {
    return view.extents();
  } else {
    return view.shape();
  }
}

/// The place of one element in a view. It moves from element to element.
template <class T>
struct element_cursor {
  T* first;
  std::span<const std::ptrdiff_t> strides;
  std::ptrdiff_t offset = 0;

  void move(std::size_t axis, std::ptrdiff_t steps) noexcept { offset += steps * strides[axis]; }
  T& element() const noexcept { return first[offset]; }
};

template <class View>
auto cursor_of(const View& view) noexcept {
  using element = std::remove_pointer_t<decltype(view.data())>;
  return element_cursor<element>{view.data(), view.strides()};
}

inline void require_same_shape(std::span<const std::ptrdiff_t> one,
                               std::span<const std::ptrdiff_t> other) {
  if (!std::ranges::equal(one, other)) {
    throw value_error(message("for_each: expected views of one shape, found ", tuple_text(one),
                              " and ", tuple_text(other)));
  }
}

}  // namespace detail

/// Calls `f(x, y, ...)` once for each index, in C order. The arguments are references to the
/// elements that the views have at this index. A view is a strided_view, a held_view or an `in`, of
/// any number of dimensions. The host must be able to access its memory, and no work on it may be
/// under way: the function does not wait. Throws value_error unless all views have the same shape.
template <class F, detail::view_to_loop_over First, detail::view_to_loop_over... Rest>
void for_each(F&& f, const First& first, const Rest&... rest) {
  const std::span<const std::ptrdiff_t> shape = detail::shape_of(first);
  (detail::require_same_shape(shape, detail::shape_of(rest)), ...);
  if (std::ranges::find(shape, 0) != shape.end()) {
    return;
  }
  std::tuple cursors{detail::cursor_of(first), detail::cursor_of(rest)...};
  const auto move = [&](std::size_t axis, std::ptrdiff_t steps) {
    std::apply([&](auto&... cursor) { (cursor.move(axis, steps), ...); }, cursors);
  };
  detail::for_each_index(
      shape.size(), [&](std::size_t axis) { return shape[axis]; }, move,
      [&](std::span<const std::ptrdiff_t>) {
        std::apply([&](auto&... cursor) { f(cursor.element()...); }, cursors);
      });
}
/// @cond
template <class... T>
void for_each(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
              detail::any_argument = {}) {
  static_assert(
      detail::never<T...>,
      "for_each(f, views...), where views are strided_view, such as a.host_as<T, N>(), or "
      "usmx::in");
}
/// @endcond

}  // namespace usmx::inline v1
