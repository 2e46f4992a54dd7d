#include "copy/host.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace usmx::inline v1::detail {
namespace {

// ---- rows

constexpr std::ptrdiff_t any_step = PTRDIFF_MAX;

/// The steps are in items, or any_step. An ItemSize of 0 stands for any.
template <std::size_t ItemSize, std::ptrdiff_t SourceStep, std::ptrdiff_t DestinationStep>
[[gnu::always_inline]] inline void move_rows(const block& b) noexcept {
  constexpr auto item = static_cast<std::ptrdiff_t>(ItemSize);
  const std::ptrdiff_t source_step = SourceStep == any_step ? b.source_step : SourceStep * item;
  const std::ptrdiff_t destination_step =
      DestinationStep == any_step ? b.destination_step : DestinationStep * item;
  const std::byte* source_row = b.source;
  std::byte* destination_row = b.destination;
  const std::ptrdiff_t count = b.count;
  for (std::ptrdiff_t row = 0; row < b.rows; ++row) {
    const std::byte* __restrict source = source_row;
    std::byte* __restrict destination = destination_row;
#pragma GCC unroll 4  // steps without vector instructions: twice as fast
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      std::memcpy(destination + i * destination_step, source + i * source_step,
                  ItemSize == 0 ? b.itemsize : ItemSize);
    }
    source_row += b.source_row_step;
    destination_row += b.destination_row_step;
  }
}

template <std::size_t ItemSize, std::ptrdiff_t SourceStep, std::ptrdiff_t DestinationStep>
void move_baseline(const block& b) noexcept {
  move_rows<ItemSize, SourceStep, DestinationStep>(b);
}

template <std::size_t ItemSize, std::ptrdiff_t SourceStep, std::ptrdiff_t DestinationStep>
USMX_AVX2 void move_avx2(const block& b) noexcept {
  move_rows<ItemSize, SourceStep, DestinationStep>(b);
}

template <std::size_t ItemSize, std::ptrdiff_t SourceStep, std::ptrdiff_t DestinationStep>
block_kernel choose_move() noexcept {
  return cpu() == cpu_level::baseline ? &move_baseline<ItemSize, SourceStep, DestinationStep>
                                      : &move_avx2<ItemSize, SourceStep, DestinationStep>;
}

/// Repeats one item of any size: the part that is written already is copied behind itself.
void repeat_item(const block& b) noexcept {
  constexpr std::size_t largest_copy = 4096;
  const std::size_t nbytes = b.itemsize * static_cast<std::size_t>(b.count);
  for (std::ptrdiff_t row = 0; row < b.rows && nbytes > 0; ++row) {
    std::byte* const destination = b.destination + row * b.destination_row_step;
    std::memcpy(destination, b.source + row * b.source_row_step, b.itemsize);
    std::size_t period = b.itemsize;  // bytes that may be copied from the start
    for (std::size_t done = b.itemsize; done < nbytes;) {
      const std::size_t now = std::min(period, nbytes - done);
      std::memcpy(destination + done, destination, now);
      done += now;
      period = period < largest_copy ? done : period;
    }
  }
}

template <std::size_t ItemSize>
block_kernel move_kernel_of(std::ptrdiff_t source_step, std::ptrdiff_t destination_step) noexcept {
  constexpr auto item = static_cast<std::ptrdiff_t>(ItemSize);
  if (destination_step != item) {
    return &move_baseline<ItemSize, any_step, any_step>;
  }
  if (source_step == item) {
    return choose_move<ItemSize, 1, 1>();
  }
  if (source_step == 0) {
    return choose_move<ItemSize, 0, 1>();
  }
  if (source_step == -item) {
    return choose_move<ItemSize, -1, 1>();
  }
  if (source_step == 2 * item) {
    return choose_move<ItemSize, 2, 1>();
  }
  return &move_baseline<ItemSize, any_step, 1>;
}

// ---- tiles

/// A vector of as many items as fit into 16 bytes.
template <class Item>
struct packed_items {
  static constexpr int count = 16 / sizeof(Item);
  using vector [[gnu::vector_size(16)]] = Item;
  vector items;
};

/// Interleaves the first halves (Half 0) or the second halves of a and b: a0 b0 a1 b1 ...
template <int Half, class Item, int... K>
[[gnu::always_inline]] inline packed_items<Item> interleave(
    packed_items<Item> a, packed_items<Item> b, std::integer_sequence<int, K...>) noexcept {
  constexpr int n = packed_items<Item>::count;
  return {
      __builtin_shufflevector(a.items, b.items, (K / 2 + Half * n / 2 + (K % 2 == 0 ? 0 : n))...)};
}

/// Transposes a square block with as many rows as a row has items. Each of the log2(n) rounds
/// interleaves row i with row i + n/2, which moves one bit of the row's number into the column's.
template <class Item>
[[gnu::always_inline]] inline void transpose_square(const std::byte* source,
                                                    std::ptrdiff_t source_row_step,
                                                    std::byte* destination,
                                                    std::ptrdiff_t destination_step) noexcept {
  constexpr int n = packed_items<Item>::count;
  constexpr auto columns = std::make_integer_sequence<int, n>();
  std::array<packed_items<Item>, n> rows;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(&rows[i], source + static_cast<std::ptrdiff_t>(i) * source_row_step, 16);
  }
#pragma GCC unroll 4
  for (int width = 1; width < n; width *= 2) {
    std::array<packed_items<Item>, n> mixed;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < n / 2; ++i) {
      mixed[2 * i] = interleave<0>(rows[i], rows[i + n / 2], columns);
      mixed[2 * i + 1] = interleave<1>(rows[i], rows[i + n / 2], columns);
    }
    rows = mixed;
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(destination + static_cast<std::ptrdiff_t>(i) * destination_step, &rows[i], 16);
  }
}

/// Transposes the edge of a block item by item, with the longer side as the inner loop.
template <std::size_t ItemSize>
void transpose_edge(block b) noexcept {
  if (b.rows > b.count) {
    std::swap(b.rows, b.count);
    std::swap(b.source_row_step, b.source_step);
    std::swap(b.destination_row_step, b.destination_step);
  }
  move_rows<ItemSize, any_step, any_step>(b);
}

template <class Item>
void transpose_of(const block& b) noexcept {
  constexpr std::ptrdiff_t n = packed_items<Item>::count;
  const std::ptrdiff_t whole_rows = b.rows - b.rows % n;
  const std::ptrdiff_t whole_columns = b.count - b.count % n;
  // The walk goes along the source's rows, because the processor prefetches their next cache lines.
  for (std::ptrdiff_t row = 0; row < whole_rows; row += n) {
    const std::byte* source = b.source + row * b.source_row_step;
    std::byte* destination = b.destination + row * b.destination_row_step;
    for (std::ptrdiff_t column = 0; column < whole_columns; column += n) {
      transpose_square<Item>(source + column * b.source_step, b.source_row_step,
                             destination + column * b.destination_step, b.destination_step);
    }
  }
  if (whole_columns < b.count) {
    block right = b;
    right.source += whole_columns * b.source_step;
    right.destination += whole_columns * b.destination_step;
    right.count = b.count - whole_columns;
    transpose_edge<sizeof(Item)>(right);
  }
  if (whole_rows < b.rows) {
    block below = b;
    below.source += whole_rows * b.source_row_step;
    below.destination += whole_rows * b.destination_row_step;
    below.rows = b.rows - whole_rows;
    below.count = whole_columns;
    transpose_edge<sizeof(Item)>(below);
  }
}

}  // namespace

block_kernel move_kernel(std::size_t itemsize, std::ptrdiff_t source_step,
                         std::ptrdiff_t destination_step) noexcept {
  return with_item_size(itemsize, [&](auto size) -> block_kernel {
    if constexpr (std::is_same_v<decltype(size), std::size_t>) {
      return source_step == 0 && destination_step == static_cast<std::ptrdiff_t>(itemsize)
                 ? &repeat_item
                 : &move_baseline<0, any_step, any_step>;
    } else {
      return move_kernel_of<decltype(size)::value>(source_step, destination_step);
    }
  });
}

bool can_transpose(std::size_t itemsize) noexcept {
  return itemsize <= 16 && std::has_single_bit(itemsize);
}

void transpose(const block& tile) noexcept {
  with_item_type(tile.itemsize, [&]<class Item>(std::type_identity<Item>) {
    if constexpr (sizeof(Item) < 16) {
      transpose_of<Item>(tile);
    } else {
      transpose_edge<sizeof(Item)>(tile);
    }
  });
}

#if defined(__SSE2__)

namespace {

constexpr std::size_t line = 64;

// Storing a whole line at once is up to a fifth faster than storing it in parts.
USMX_AVX512 void stream_lines_avx512(std::byte* destination, const std::byte* source,
                                     std::size_t lines) noexcept {
  for (std::size_t k = 0; k < lines; ++k) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(destination + k * line),
                        _mm512_loadu_si512(source + k * line));
  }
}

void stream_lines_baseline(std::byte* destination, const std::byte* source,
                           std::size_t lines) noexcept {
  for (std::size_t k = 0; k < 4 * lines; ++k) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(destination) + k,
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(source) + k));
  }
}

}  // namespace

void stream(std::byte* destination, const std::byte* source, std::size_t nbytes) noexcept {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(destination) % line;
  const std::size_t head = std::min(beyond == 0 ? 0 : line - beyond, nbytes);
  const std::size_t lines = (nbytes - head) / line;
  const std::size_t tail = head + lines * line;
  std::memcpy(destination, source, head);
  (cpu() == cpu_level::avx512 ? stream_lines_avx512 : stream_lines_baseline)(destination + head,
                                                                             source + head, lines);
  std::memcpy(destination + tail, source + tail, nbytes - tail);
}

void finish_streaming() noexcept { _mm_sfence(); }

#else

void stream(std::byte* destination, const std::byte* source, std::size_t nbytes) noexcept {
  std::memcpy(destination, source, nbytes);
}

void finish_streaming() noexcept {}

#endif

}  // namespace usmx::inline v1::detail
