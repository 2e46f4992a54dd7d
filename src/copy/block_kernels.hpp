// Moves blocks of items on one thread: rows of items with any steps, and transposed tiles. The
// bytes stay as they are. No SYCL here.
#pragma once

#include <cstddef>

namespace usmx::inline v1::detail {

/// A rectangle of items, at any alignment; steps in bytes.
struct block {
  const std::byte* source;
  std::byte* destination;
  std::ptrdiff_t rows;
  std::ptrdiff_t source_row_step;
  std::ptrdiff_t destination_row_step;
  std::ptrdiff_t count;  // items in a row
  std::ptrdiff_t source_step;
  std::ptrdiff_t destination_step;
  std::size_t itemsize;
};

using block_kernel = void (*)(const block&) noexcept;

/// The fastest way to move blocks with these steps inside of their rows. Only the itemsize may be
/// any: the others of a block are those given here.
block_kernel move_kernel(std::size_t itemsize, std::ptrdiff_t source_step,
                         std::ptrdiff_t destination_step) noexcept;

/// Items of 1, 2, 4, 8 or 16 bytes whose rows are adjacent items in the source while their columns
/// are in the destination: source_step == destination_row_step == itemsize.
/// (rows: source rows; count: their length. Step names are of the source's rows.)
bool can_transpose(std::size_t itemsize) noexcept;
void transpose(const block& tile) noexcept;

/// A memcpy with streaming stores, which bypass the caches. Call finish_streaming() on the same
/// thread before another thread may read the bytes.
void stream(std::byte* destination, const std::byte* source, std::size_t nbytes) noexcept;
void finish_streaming() noexcept;

}  // namespace usmx::inline v1::detail
