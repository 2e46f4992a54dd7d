// Parameters that state what they need: `in` takes an array that is so, `convert` one that may be a
// copy. The casters for nanobind and pybind11 (usmx/python) let them take part in the choice of an
// overload, and say in a TypeError what was needed and what was given.
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

/// Says that an array is known to meet a requirement.
struct requirement_is_met {};

}  // namespace detail

/// An array of T that meets its words, and keeps the memory alive. A T that is not const is written
/// to: a read-only array does not meet it. The words, in any order: a number of dimensions or a
/// shape, c_contig or f_contig, and the kinds of memory.
template <element_type T, auto... Words>
class in {
 public:
  static constexpr array_requirement requirement = detail::requirement_of<T, Words...>();
  static constexpr bool has_rank = requirement.ndim != array_requirement::any_ndim;
  static constexpr bool is_contiguous = requirement.order != usmx::strided;
  /// Its number of dimensions.
  static constexpr std::size_t rank = has_rank ? static_cast<std::size_t>(requirement.ndim) : 0;

  /// Throws type_error, naming the requirement and what was found.
  explicit in(usmx::array given) : array_(std::move(given)) {
    if (!is_met(requirement, array_)) {
      throw type_error(detail::message("expected a ", detail::text_of(requirement).view(),
                                       "; found ", found_text(requirement, array_)));
    }
  }

  /// For casters, which have checked it.
  in(usmx::array&& given, detail::requirement_is_met) noexcept : array_(std::move(given)) {}

  /// The elements. (See array::view: others know the memory from here on.)
  strided_view<T, rank> view() const&
    requires has_rank
  {
    return array_.template as<T, rank>();
  }
  /// The memory might end before its view.
  void view() &&
    requires has_rank
  = delete;
  /// Those of a contiguous array, in the order of memory.
  std::span<T> elements() const&
    requires is_contiguous
  {
    return {data(), static_cast<std::size_t>(size())};
  }
  void elements() &&
    requires is_contiguous
  = delete;
  /// Element zero.
  T* data() const noexcept { return reinterpret_cast<T*>(array_.data()); }

  const usmx::array& array() const& noexcept { return array_; }
  usmx::array array() && noexcept { return std::move(array_); }
  const sycl::queue& queue() const { return array_.queue(); }
  std::span<const std::ptrdiff_t> shape() const noexcept { return array_.shape(); }
  /// In elements.
  std::span<const std::ptrdiff_t> strides() const noexcept { return array_.strides(); }
  std::ptrdiff_t size() const noexcept { return array_.size(); }
  /// Announces unfinished work on these elements: see array::record.
  void record(const sycl::event& event) const { array_.record(event); }

 private:
  usmx::array array_;
};

/// The same for elements that are only read: where an argument is not as it must be, the casters
/// take a copy of it that is, by Python's `usmx.asarray`, of NumPy arrays and lists, too. Only
/// the numbers of dimensions and exact extents must be right.
template <element_type T, auto... Words>
class convert : public in<T, Words...> {
  static_assert(std::is_const_v<T>,
                "usmx::convert may pass a copy, so its elements are const: usmx::convert<const T>");

 public:
  using in<T, Words...>::in;
};

}  // namespace usmx::inline v1
