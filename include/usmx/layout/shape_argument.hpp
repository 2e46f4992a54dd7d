// Shapes as parameters: a list in braces, a range of any integer type, or an integer; and those
// whose number of dimensions the compiler knows. This header does not need SYCL.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

namespace detail {

/// A range of integers that knows its size. The concepts of <ranges> would say it shorter, but
/// every extension would compile that header: it is a twentieth of the time of
/// usmx/python/nanobind.hpp.
template <class Range>
concept sized_range_of_integers = requires(const Range& range) {
  { std::size(range) } -> std::convertible_to<std::size_t>;
  std::end(range);
  requires std::integral<std::iter_value_t<decltype(std::begin(range))>>;
};

}  // namespace detail

/// A shape that a function takes as a parameter. Callers pass a list in braces, a range of integers
/// such as a vector, or an integer, which is the extent of one dimension. The object refers to the
/// extents, which must outlive it. Only extents of another type than std::ptrdiff_t are copied.
class shape_argument {
 public:
  /// The extents of a list in braces.
  shape_argument(std::initializer_list<std::ptrdiff_t> extents) noexcept
      : extents_(extents.begin(), extents.size()) {}
  /// The extents of a range of integers. If they are not std::ptrdiff_t, this throws value_error
  /// for more than max_ndim of them, and overflow_error when one does not fit std::ptrdiff_t.
  template <detail::sized_range_of_integers Extents>
  shape_argument(const Extents& extents) {
    if constexpr (std::convertible_to<const Extents&, std::span<const std::ptrdiff_t>>) {
      extents_ = extents;
    } else {
      copy(extents);
    }
  }
  /// The extent of one dimension. Throws overflow_error when it does not fit std::ptrdiff_t.
  template <std::integral Extent>
  shape_argument(Extent extent) {
    const Extent extents[] = {extent};
    copy(extents);
  }
  shape_argument(const shape_argument&) = delete;
  shape_argument& operator=(const shape_argument&) = delete;

  /// The extents.
  operator std::span<const std::ptrdiff_t>() const noexcept { return extents_; }

 private:
  template <class Extents>
  void copy(const Extents& extents) {
    const std::size_t count = std::size(extents);
    if (count > copied_.size()) {
      throw value_error(
          detail::message("expected at most ", max_ndim, " dimensions, found ", count));
    }
    std::size_t k = 0;
    for (const auto extent : extents) {
      if (!std::in_range<std::ptrdiff_t>(extent)) {
        throw overflow_error(
            detail::message("extent ", extent, " of dimension ", k, " does not fit ptrdiff_t"));
      }
      copied_[k++] = static_cast<std::ptrdiff_t>(extent);
    }
    extents_ = std::span(copied_).first(count);
  }

  std::span<const std::ptrdiff_t> extents_;
  std::array<std::ptrdiff_t, max_ndim> copied_;  // without a value where nothing is copied
};

namespace detail {

/// An extent of any integer type, which braces do not narrow.
class any_extent {
 public:
  template <std::integral Integer>
  constexpr any_extent(Integer extent) : value_(static_cast<std::ptrdiff_t>(extent)) {
    if (!std::in_range<std::ptrdiff_t>(extent)) {
      throw overflow_error(message("extent ", extent, " does not fit ptrdiff_t"));
    }
  }
  constexpr operator std::ptrdiff_t() const noexcept { return value_; }

 private:
  std::ptrdiff_t value_;
};

/// The extents of N dimensions in braces: a function with such a parameter deduces N.
template <std::size_t N>
using braced_shape = const any_extent (&)[N];

/// A shape whose type says the number of dimensions: an integer, which is one extent, or a
/// std::array of integers.
template <class Shape>
inline constexpr std::size_t rank_of_shape = std::integral<Shape> ? 1 : std::size_t(-1);
template <std::integral Integer, std::size_t N>
inline constexpr std::size_t rank_of_shape<std::array<Integer, N>> = N;
template <class Shape>
concept shape_of_known_rank = rank_of_shape<Shape> != std::size_t(-1);
/// A shape whose length is known when the program runs.
template <class Shape>
concept shape_of_any_rank = !shape_of_known_rank<Shape> && sized_range_of_integers<Shape>;

/// A shape that may have N dimensions.
template <class Shape, std::size_t N>
concept shape_of_rank = rank_of_shape<Shape> == N || shape_of_any_rank<Shape>;

template <std::size_t N>
std::array<std::ptrdiff_t, N> fixed_shape(braced_shape<N> shape) {
  std::array<std::ptrdiff_t, N> result;
  for (std::size_t k = 0; k < N; ++k) result[k] = shape[k];
  return result;
}
/// Throws value_error for another number of dimensions than N.
template <std::size_t N, shape_of_rank<N> Shape>
std::array<std::ptrdiff_t, N> fixed_shape(const Shape& shape) {
  std::array<std::ptrdiff_t, N> result{};
  if constexpr (std::integral<Shape>) {
    result[0] = any_extent(shape);
  } else {
    if (std::size(shape) != N) {
      throw value_error(
          message("shape must have ", N, " dimensions, found ", std::size(shape), " extents"));
    }
    std::size_t k = 0;
    for (const auto extent : shape) result[k++] = any_extent(extent);
  }
  return result;
}

}  // namespace detail
}  // namespace usmx::inline v1
