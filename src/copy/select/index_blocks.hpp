// The integers of a selection as byte offsets, block by block, checked as they are read. Private to
// the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "usmx/copy/select/selection.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// The same elements without the repetitions by strides of 0: dimensions of extent 1.
array_view each_once(const array_view& repeated);

/// Throws index_error naming index, axis and size unless every integer, in memory that the host may
/// touch, lies inside its axis.
void check_indices(const axis_index&);

/// Walks through arrays of integers of one shape together, in C order.
class index_blocks {
 public:
  /// The most offsets that next() gives at once. With the elements that they lead to, they fit the
  /// fastest cache.
  static constexpr std::ptrdiff_t capacity = 512;

  /// scales[k] are the bytes from one element to the next along the dimension of indices[k]. The
  /// indices must outlive this.
  index_blocks(std::span<const std::ptrdiff_t> shape, std::span<const axis_index> indices,
               std::span<const std::ptrdiff_t> scales);

  /// How many elements are left.
  std::ptrdiff_t size() const noexcept { return left_; }
  /// A separate walk through `count` elements, beginning at `first`. This walk must not have begun.
  index_blocks part(std::ptrdiff_t first, std::ptrdiff_t count) const;

  /// The offsets of the next elements, each the sum over all indices; empty at the end. Throws as
  /// check_indices. Valid until the next call.
  std::span<const std::int64_t> next();

 private:
  struct source {
    const axis_index* index;
    const std::byte* values;  // where the walk is now
    std::ptrdiff_t scale;
  };

  void add_dimension(std::ptrdiff_t extent, std::size_t d,
                     const std::vector<std::vector<std::ptrdiff_t>>& strides);
  void append_run(std::ptrdiff_t length, std::int64_t* offsets);
  void move_along(std::size_t d, std::ptrdiff_t steps) noexcept;
  std::ptrdiff_t last_stride(std::size_t k) const noexcept;

  std::vector<source> sources_;
  // The dimensions to walk through, the innermost last, and the index where the walk is.
  std::vector<std::ptrdiff_t> extents_;
  std::vector<std::ptrdiff_t> at_;
  // For each of these dimensions, the strides of all sources in bytes.
  std::vector<std::ptrdiff_t> strides_;
  std::ptrdiff_t left_;
  std::array<std::int64_t, capacity> offsets_;
};

}  // namespace usmx::inline v1::detail
