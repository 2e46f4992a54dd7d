// The dimensions around the blocks of a copy as one sequence of indices, of which each thread takes
// a part. No SYCL here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "copy/plan.hpp"
#include "usmx/layout/index_walk.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// The dimensions of a plan, or some of them, as one sequence of indices.
class index_space {
 public:
  void add(const copy_dimension& d) noexcept {
    dimensions_[ndim_++] = d;
    size_ *= d.extent;
  }
  std::ptrdiff_t size() const noexcept { return size_; }

  /// Calls `body(source offset, destination offset, count, innermost dimension)` for runs along the
  /// innermost dimension, which together are the indices from `first` to `end` - 1. Without
  /// dimensions, there is one index.
  template <class Body>
  void for_each_run(std::ptrdiff_t first, std::ptrdiff_t end, const Body& body) const noexcept {
    if (ndim_ == 0) {
      return body(std::ptrdiff_t{0}, std::ptrdiff_t{0}, std::ptrdiff_t{1}, copy_dimension{1, 0, 0});
    }
    std::ptrdiff_t source = 0;
    std::ptrdiff_t destination = 0;
    const auto extent_of = [&](std::size_t k) { return dimensions_[k].extent; };
    const auto move = [&](std::size_t k, std::ptrdiff_t steps) {
      source += dimensions_[k].source_stride * steps;
      destination += dimensions_[k].destination_stride * steps;
    };
    std::array<std::ptrdiff_t, max_ndim> entries;
    const std::span index(entries.data(), ndim_);
    place_index(index, extent_of, move, first);
    const copy_dimension& inner = dimensions_[ndim_ - 1];
    while (first < end) {
      const std::ptrdiff_t count = std::min(inner.extent - index.back(), end - first);
      body(source, destination, count, inner);
      first += count;
      advance_index(index, extent_of, move, count);
    }
  }

 private:
  std::array<copy_dimension, max_ndim> dimensions_;
  std::size_t ndim_ = 0;
  std::ptrdiff_t size_ = 1;
};

}  // namespace usmx::inline v1::detail
