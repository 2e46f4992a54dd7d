// Types of parameters that state what they need: `in` takes an array that meets the requirement,
// `convert` takes a copy where the argument does not meet it. With the casters for nanobind and
// pybind11 (usmx/python) they take part in the choice of an overload. In functions that
// `usmx::python::def` defines, a TypeError says what was needed and what was given. The words of a
// requirement are in array/requirement.hpp.
//
//   usmx::in<const double, 2, usmx::c_contig>               two dimensions, rows without gaps
//   usmx::in<float, usmx::shape<usmx::any, 3>>              written to; any number of points
//   usmx::in<const int, 1, usmx::host_accessible>           the host reads it
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "usmx/array/array.hpp"
#include "usmx/array/requirement.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {

namespace detail {

/// States that an array is known to meet a requirement.
struct requirement_is_met {};

}  // namespace detail

/// An array of T that meets the requirement of its words. It shares the array's memory and keeps it
/// alive. The words stand in any order, each at most once: a number of dimensions or a `shape`,
/// `c_contig` or `f_contig`, and a kind of memory such as `host_accessible`. If T is not const, the
/// function may write the elements, and a read-only array does not meet the requirement.
template <element_type T, auto... Words>
class in {
 public:
  /// The requirement that the words make.
  static constexpr array_requirement requirement = detail::requirement_of<T, Words...>();
  /// Whether the words say the number of dimensions.
  static constexpr bool has_rank = requirement.ndim != array_requirement::any_ndim;
  /// Whether the words say that the elements lie without gaps.
  static constexpr bool is_contiguous = requirement.order != usmx::strided;
  /// The number of dimensions that the words say; 0 if has_rank is false.
  static constexpr std::size_t rank = has_rank ? static_cast<std::size_t>(requirement.ndim) : 0;

  /// Takes an array that meets the requirement. Throws type_error otherwise, which names the
  /// requirement and what was found.
  explicit in(usmx::array given) : array_(std::move(given)) {
    if (!is_met(requirement, array_)) {
      throw type_error(detail::message("expected a ", detail::text_of(requirement).view(),
                                       "; found ", found_text(requirement, array_)));
    }
  }

  /// Takes an array that a caster has checked already.
  in(usmx::array&& given, detail::requirement_is_met) noexcept : array_(std::move(given)) {}

  /// The elements in `rank` dimensions, valid as long as an array shares the memory. Exposes the
  /// array (see `array`).
  strided_view<T, rank> view() const&
    requires has_rank
  {
    return array_.template as<T, rank>();
  }
  /// Deleted: a view does not keep the memory alive, which a temporary may be the last to share.
  void view() &&
    requires has_rank
  = delete;
  /// The elements of a contiguous array in the order in which they lie in memory. Exposes the array
  /// (see `array`).
  std::span<T> elements() const&
    requires is_contiguous
  {
    return {data(), static_cast<std::size_t>(size())};
  }
  /// Deleted: a span does not keep the memory alive, which a temporary may be the last to share.
  void elements() &&
    requires is_contiguous
  = delete;
  /// A pointer to element zero. Exposes the array (see `array`).
  T* data() const noexcept { return reinterpret_cast<T*>(array_.data()); }

  /// The array itself, to be kept or returned.
  const usmx::array& array() const& noexcept { return array_; }
  /// Takes the array out of a temporary.
  usmx::array array() && noexcept { return std::move(array_); }
  /// The queue of the elements, which others see. Exposes the array (see `array`).
  const sycl::queue& queue() const { return array_.queue(); }
  /// The extents, one for each dimension.
  std::span<const std::ptrdiff_t> shape() const noexcept { return array_.shape(); }
  /// The strides in elements, one for each dimension.
  std::span<const std::ptrdiff_t> strides() const noexcept { return array_.strides(); }
  /// The number of elements.
  std::ptrdiff_t size() const noexcept { return array_.size(); }
  /// Announces unfinished work on these elements, which ends with `event`. The memory outlives that
  /// work, and whatever usmx does with these elements afterwards comes after it.
  void record(const sycl::event& event) const { array_.record(event); }

 private:
  usmx::array array_;
};

/// An array of const T that meets the requirement of its words, or a copy that does. The words are
/// those of `in`. Where the element type, the order of elements or the kind of memory of an
/// argument is another one, the casters copy it by Python's `usmx.asarray`; so they take NumPy
/// arrays, numbers and lists as well. The number of dimensions and the extents must be right.
template <element_type T, auto... Words>
class convert : public in<T, Words...> {
  static_assert(std::is_const_v<T>,
                "usmx::convert may pass a copy, so its elements are const: usmx::convert<const T>");

 public:
  using in<T, Words...>::in;
};

}  // namespace usmx::inline v1
