// The way from arrays whose type and layout are known when the program runs to loops over C++
// values, on the host: a function for each element type, steps of an index, and a loop over several
// views. This header does not need SYCL.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include "usmx/base/error.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {

namespace detail {

template <class... Ts>
[[noreturn]] void throw_no_alternative(dtype type) {
  std::string names;
  ((names += (names.empty() ? "" : ", "), names += dtype::of<Ts>().name()), ...);
  throw type_error(message("element type must be one of ", names, "; found ", type));
}

/// Tries `tried`, then the rest. `All` are the types that the message lists.
template <class... All, class F, class Tried, class... Rest>
decltype(auto) visit_among(dtype type, F& f, std::type_identity<Tried> tried,
                           std::type_identity<Rest>... rest) {
  if (type == dtype::of<Tried>()) {
    return f(tried);
  }
  if constexpr (sizeof...(Rest) > 0) {
    return visit_among<All...>(type, f, rest...);
  } else {
    throw_no_alternative<All...>(type);
  }
}

}  // namespace detail

/// Calls `f(std::type_identity<T>())` with the type T of the list whose element type is `type`, and
/// returns the result of the call. `f` must return the same type for all types of the list. Throws
/// type_error, whose message has the list, when no T fits.
///
/// \code{.cpp}
/// usmx::visit<float, double>(a.type(), [&]<class T>(std::type_identity<T>) { ... });
/// \endcode
template <element_type First, element_type... Rest, class F>
decltype(auto) visit(dtype type, F&& f) {
  return detail::visit_among<First, Rest...>(type, f, std::type_identity<First>(),
                                             std::type_identity<Rest>()...);
}
/// @cond
template <class... T>
detail::anything visit(detail::any_argument, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "visit<float, double>(a.type(), f), where all are element types");
  return {};
}
/// @endcond

namespace detail {

// Steps of an index over all dimensions in C order, the last dimension fastest. Pointers or offsets
// move with the index. This header has internal functions only.
//
// The caller passes two functions: `extent_of(k)` returns the extent of dimension k, at least 1,
// and `move(k, steps)` moves the caller's pointers along dimension k by `steps`, which may be
// negative.

/// Moves the index by `steps` along the last dimension, and from its end to the start of the next
/// row. At least `steps` indices must be left in the row. Returns false after the last row: then
/// the index is all zeros again, and the caller's pointers are back at the start.
template <class ExtentOf, class Move>
[[gnu::always_inline]] inline bool advance_index(std::span<std::ptrdiff_t> index,
                                                 const ExtentOf& extent_of, const Move& move,
                                                 std::ptrdiff_t steps = 1) {
  for (std::size_t k = index.size(); k > 0; --k) {
    index[k - 1] += steps;
    move(k - 1, steps);
    if (index[k - 1] < extent_of(k - 1)) {
      return true;
    }
    move(k - 1, -index[k - 1]);
    index[k - 1] = 0;
    steps = 1;
  }
  return false;
}

/// Sets the index to the one at `position` in C order, which must exist, and moves the caller's
/// pointers there from the start. The entries of the index need no values before.
template <class ExtentOf, class Move>
[[gnu::always_inline]] inline void place_index(std::span<std::ptrdiff_t> index,
                                               const ExtentOf& extent_of, const Move& move,
                                               std::ptrdiff_t position) {
  for (std::size_t k = index.size(); k > 0; --k) {
    index[k - 1] = position % extent_of(k - 1);
    position /= extent_of(k - 1);
    move(k - 1, index[k - 1]);
  }
}

/// Calls `body(index)` for each index of `ndim` dimensions: once if there are no dimensions.
template <class ExtentOf, class Move, class Body>
[[gnu::always_inline]] inline void for_each_index(std::size_t ndim, const ExtentOf& extent_of,
                                                  const Move& move, const Body& body) {
  std::array<std::ptrdiff_t, max_ndim> entries;
  const std::span index(entries.data(), ndim);
  for (std::ptrdiff_t& entry : index) {
    entry = 0;
  }
  do {
    body(std::span<const std::ptrdiff_t>(index));
  } while (advance_index(index, extent_of, move));
}

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
