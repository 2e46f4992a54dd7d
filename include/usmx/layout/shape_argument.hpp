// Extents as a caller has them: a list in braces, or a range of any integers. No SYCL here.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>
#include <utility>

#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

/// For parameters: it looks at what it is made of, which must live as long. Extents of another
/// type are copied. Throws overflow_error when one does not fit ptrdiff_t, value_error when there
/// are more than max_ndim.
class shape_argument {
 public:
  shape_argument(std::initializer_list<std::ptrdiff_t> extents) noexcept
      : extents_(extents.begin(), extents.size()) {}
  template <std::ranges::sized_range Extents>
    requires std::integral<std::ranges::range_value_t<Extents>>
  shape_argument(const Extents& extents) {
    if constexpr (std::convertible_to<const Extents&, std::span<const std::ptrdiff_t>>) {
      extents_ = extents;
    } else {
      copy(extents);
    }
  }
  shape_argument(const shape_argument&) = delete;
  shape_argument& operator=(const shape_argument&) = delete;

  operator std::span<const std::ptrdiff_t>() const noexcept { return extents_; }

 private:
  template <class Extents>
  void copy(const Extents& extents) {
    const std::size_t count = std::ranges::size(extents);
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

}  // namespace usmx::inline v1
