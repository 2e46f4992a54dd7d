// Masks: where they are not zero, and how many such elements come before each block. Private to the
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "copy/select/index_blocks.hpp"
#include "usmx/array/array_view.hpp"

// The true elements of a mask in device memory, found and moved by kernels.

namespace usmx::inline v1::detail {

/// How many true elements come before each part of a mask. Nothing is looked at before the first
/// question.
class mask_scan {
 public:
  /// Returns nothing if the mask is empty, the host may touch it, or no kernel can do it. The mask
  /// is of any plain type, is finished, and stays as it is. May wait.
  static std::optional<mask_scan> of(const array_view& mask);
  /// Does as `of`, also for memory that the host may touch: for tests. The mask has elements.
  static std::optional<mask_scan> by_kernels(const array_view& mask);

  const array_view& mask() const noexcept { return mask_; }

  /// The number of true elements. The first call waits.
  std::ptrdiff_t count();
  /// Writes the indices of the true elements, as nonzero() does, into arrays that kernels reach.
  /// Waits.
  void write(std::span<const array_view> coordinates);

  /// Copies the elements at true places of `source`, which has the mask's shape, to `destination`,
  /// which has one dimension and count() elements of the same type; and back. False, with nothing
  /// done, where the mask's kernels cannot: they reach both sides, and elements of 1, 2, 4, 8 or 16
  /// bytes at equal distances. Waits.
  bool gather(const array_view& source, const array_view& destination);
  bool scatter(const array_view& values, const array_view& destination);
  /// Sets the elements at true places of `destination` to the bytes at `element`. As above.
  bool fill(const std::byte* element, const array_view& destination);

 private:
  mask_scan(kernel_chain chain, const array_view& mask) : chain_(std::move(chain)), mask_(mask) {}
  void make_compact();
  void scan();
  bool move(kernel_id (*kernel)(std::size_t), const array_view& indexed, const array_view& linear);

  kernel_chain chain_;
  array_view mask_;
  const std::byte* elements_ = nullptr;  // compact; null before the first question
  std::uint64_t relevant_ = 0;
  kernels::mask_words words_{};  // of no words before the scan
  const std::int64_t* told_ = nullptr;
  std::optional<std::ptrdiff_t> count_;
};

// Counts and finds elements that are not zero, in views without pending work.
// usmx/copy/select/selection.hpp does the same for arrays.

std::ptrdiff_t count_nonzero(const array_view&);
void nonzero(const array_view&, std::span<const array_view> coordinates);

}  // namespace usmx::inline v1::detail
