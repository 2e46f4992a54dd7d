// The sizes that a pool's blocks have: multiples of 64 bytes, then a fixed number of steps for each
// power of two. No SYCL here. Private to the library.
//
// Rounding wastes less than 64 bytes of a block of up to 256, less than a quarter of a request of
// up to 64 KiB (4 steps), and less than a sixteenth of a larger one (16 steps).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace usmx::inline v1::detail {

/// The smallest block, and the alignment of all blocks.
inline constexpr std::size_t block_granule = 64;
/// Larger blocks are not cut from slabs.
inline constexpr std::size_t largest_slab_block = std::size_t{64} << 10;
/// The largest alignment for which a pool does not ask for more than a block's size.
inline constexpr std::size_t largest_pool_alignment = 4096;

/// `value` rounded up to a multiple of a power of two; `value` itself where that overflows.
constexpr std::size_t round_up(std::size_t value, std::size_t step) noexcept {
  const std::size_t rounded = (value + (step - 1)) & ~(step - 1);
  return rounded < value ? value : rounded;
}

/// The size of the block for a request with nbytes > 0 and an alignment of at most
/// largest_pool_alignment. It is a multiple of the alignment.
constexpr std::size_t block_size(std::size_t nbytes, std::size_t alignment) noexcept {
  const std::size_t steps = nbytes <= largest_slab_block ? 4 : 16;
  const std::size_t step = std::max(block_granule, std::bit_floor(nbytes - 1) / steps);
  const std::size_t size = round_up(nbytes, step);
  const std::size_t aligned = round_up(size, std::max(alignment, block_granule));
  // A multiple of the alignment that is no size of the steps: the next one is a multiple of both.
  return aligned == size ? size
                         : round_up(aligned, std::max(step, std::bit_floor(aligned) / steps));
}

/// The size of a pool's block for a request with any alignment: one beyond largest_pool_alignment
/// does not make the size larger.
constexpr std::size_t pooled_size(std::size_t nbytes, std::size_t alignment) noexcept {
  return block_size(nbytes, std::min(alignment, largest_pool_alignment));
}

/// The index of a slab block's size among all sizes, from 0.
constexpr std::size_t class_index(std::size_t size) noexcept {
  constexpr std::size_t quarter = 4 * block_granule;
  if (size <= quarter) {
    return size / block_granule - 1;
  }
  const auto doublings = static_cast<std::size_t>(std::bit_width((size - 1) / quarter));
  const std::size_t step = (quarter << (doublings - 1)) / 4;
  return 4 * doublings + (size - (quarter << (doublings - 1))) / step - 1;
}

inline constexpr std::size_t slab_class_count = class_index(largest_slab_block) + 1;

/// The size with that index.
constexpr std::size_t size_of_class(std::size_t index) noexcept {
  if (index < 4) {
    return (index + 1) * block_granule;
  }
  return (block_granule << (index / 4 - 1)) * (index % 4 + 5);
}

}  // namespace usmx::inline v1::detail
