// The sizes that a pool's blocks have: multiples of 64 bytes, and from there on a fixed number of
// steps to each power of two. No SYCL here. Private to the library.
//
// What rounding wastes: less than 64 bytes of a block of up to 256, less than a quarter of the
// request up to 64 KiB (4 steps), less than a sixteenth beyond (16 steps).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace usmx::inline v1::detail {

/// The smallest block, and the alignment of all blocks.
inline constexpr std::size_t block_granule = 64;
/// Larger blocks are not cut from slabs.
inline constexpr std::size_t largest_slab_block = std::size_t{64} << 10;
/// What a pool aligns blocks to without asking for more than their size.
inline constexpr std::size_t largest_pool_alignment = 4096;

/// `value` rounded up to a multiple of a power of two; `value` itself where that overflows.
constexpr std::size_t round_up(std::size_t value, std::size_t step) noexcept {
  const std::size_t rounded = (value + (step - 1)) & ~(step - 1);
  return rounded < value ? value : rounded;
}

/// The size of the block that serves such a request, nbytes > 0 and alignment at most
/// largest_pool_alignment: a multiple of the alignment.
constexpr std::size_t block_size(std::size_t nbytes, std::size_t alignment) noexcept {
  const std::size_t steps = nbytes <= largest_slab_block ? 4 : 16;
  const std::size_t step = std::max(block_granule, std::bit_floor(nbytes - 1) / steps);
  const std::size_t size = round_up(nbytes, step);
  const std::size_t aligned = round_up(size, std::max(alignment, block_granule));
  // A multiple of the alignment that is no size of the steps: the next one is a multiple of both.
  return aligned == size ? size
                         : round_up(aligned, std::max(step, std::bit_floor(aligned) / steps));
}

/// The size of a pool's block for any such request: it aligns what is beyond its own alignment
/// without a larger size.
constexpr std::size_t pooled_size(std::size_t nbytes, std::size_t alignment) noexcept {
  return block_size(nbytes, std::min(alignment, largest_pool_alignment));
}

/// Where the size of a block of a slab stands among them, from 0.
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

/// The size of the blocks that stand there.
constexpr std::size_t size_of_class(std::size_t index) noexcept {
  if (index < 4) {
    return (index + 1) * block_granule;
  }
  return (block_granule << (index / 4 - 1)) * (index % 4 + 5);
}

}  // namespace usmx::inline v1::detail
