// The true elements of a mask in device memory, found by kernels. Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "copy/select/kernel_chain.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::inline v1::detail {

/// How many true elements come before each part of a mask.
class mask_scan {
 public:
  /// None if the host may touch the mask, or no kernel can do it. The mask is of any plain type,
  /// has elements, and is finished. Waits.
  static std::optional<mask_scan> of(const array_view& mask);
  /// As `of`, also for memory that the host may touch: for tests.
  static std::optional<mask_scan> by_kernels(const array_view& mask);

  std::ptrdiff_t count() const noexcept { return count_; }
  /// Writes the indices of the true elements, as nonzero() does, into arrays that kernels reach.
  /// Waits.
  void write(std::span<const array_view> coordinates);

 private:
  mask_scan(kernel_chain chain, const array_view& mask) : chain_(std::move(chain)), mask_(mask) {}
  void make_compact();
  void scan();

  kernel_chain chain_;
  array_view mask_;
  const std::uint8_t* bytes_ = nullptr;
  kernels::scan_levels levels_{};
  std::int64_t chunks_ = 0;
  std::ptrdiff_t count_ = 0;
};

}  // namespace usmx::inline v1::detail
