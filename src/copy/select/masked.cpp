// Loops of the host over a mask: eight of its bytes at a time, without lists of positions.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/threads.hpp"
#include "copy/convert.hpp"
#include "copy/select/selection.hpp"

namespace usmx::inline v1::detail {
namespace {

using std::ptrdiff_t;

constexpr ptrdiff_t bytes_of_word = sizeof(std::uint64_t);
constexpr std::uint64_t ones = 0x0101010101010101;

/// Eight bytes of a mask, each 1 where it is not 0.
std::uint64_t flags_at(const std::byte* bytes) noexcept {
  constexpr std::uint64_t low = 0x7f * ones;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return (((word & low) + low) | word) >> 7 & ones;
}

/// How many of some adjacent words' bytes are not zero; at most 255 words, as a byte counts them.
ptrdiff_t count_in_words(const std::byte* bytes, ptrdiff_t words) noexcept {
  constexpr std::uint64_t even = 0x00ff00ff00ff00ff;
  std::uint64_t counts = 0;
  for (ptrdiff_t k = 0; k < words; ++k) {
    counts += flags_at(bytes + k * bytes_of_word);
  }
  const std::uint64_t pairs = (counts & even) + (counts >> 8 & even);
  return static_cast<ptrdiff_t>(pairs * 0x0001000100010001 >> 48);
}

/// Fewer than eight bytes of a mask, as flags_at() has them.
std::uint64_t last_flags_at(const std::byte* bytes, ptrdiff_t n) noexcept {
  std::array<std::byte, bytes_of_word> whole{};
  std::memcpy(whole.data(), bytes, static_cast<std::size_t>(n));
  return flags_at(whole.data());
}

/// Calls `body(flags, first element)` for each word that has a true element, as long as it returns
/// true.
template <class Body>
void for_each_word(const std::byte* mask, ptrdiff_t size, Body body) {
  ptrdiff_t first = 0;
  for (; first + bytes_of_word <= size; first += bytes_of_word) {
    const std::uint64_t flags = flags_at(mask + first);
    if (flags != 0 && !body(flags, first)) {
      return;
    }
  }
  if (first < size) {
    if (const std::uint64_t flags = last_flags_at(mask + first, size - first); flags != 0) {
      body(flags, first);
    }
  }
}

// The functions below get copies of the move: its elements may be anywhere for all that the
// compiler knows, and it would read the steps again after each one.

/// Moves at most `room` elements, since another thread may have changed the mask since its elements
/// were counted. `move(indexed, linear)` moves one.
template <class Move>
void move_flagged(const masked_move of, ptrdiff_t room, Move move) {
  std::byte* linear = of.linear;
  for_each_word(of.mask, of.size, [&](std::uint64_t flags, ptrdiff_t first) {
    std::byte* const indexed = of.indexed + first * of.indexed_step;
    for (; flags != 0 && room > 0; flags &= flags - 1) {
      move(indexed + std::countr_zero(flags) / 8 * of.indexed_step, linear);
      linear += of.linear_step;
      --room;
    }
    return room > 0;
  });
}

/// Copies to the linear side. All elements of a word are written, without a branch that is hard to
/// predict: each one over the last, if that was not selected.
template <class Size>
void compress(const masked_move of, ptrdiff_t room, Size nbytes) {
  const auto item = static_cast<ptrdiff_t>(static_cast<std::size_t>(nbytes));
  ptrdiff_t done = 0;  // elements of the mask
  std::byte* to = of.linear;
  for (; done + bytes_of_word <= of.size && room >= bytes_of_word; done += bytes_of_word) {
    const std::uint64_t flags = flags_at(of.mask + done);
    const std::byte* const from = of.indexed + done * of.indexed_step;
    if (flags == 0) {
      continue;
    }
    std::byte* next = to;
    for (ptrdiff_t k = 0; k < bytes_of_word; ++k) {
      std::memcpy(next, from + k * of.indexed_step, nbytes);
      next += static_cast<ptrdiff_t>(flags >> (8 * k) & 1) * item;
    }
    room -= std::popcount(flags);
    to = next;
  }
  masked_move rest = of;
  rest.mask += done;
  rest.size -= done;
  rest.indexed += done * of.indexed_step;
  rest.linear = to;
  move_flagged(rest, room, [nbytes](const std::byte* from, std::byte* slot) {
    std::memcpy(slot, from, nbytes);
  });
}

template <class Size>
void expand(const masked_move of, ptrdiff_t room, Size nbytes) {
  move_flagged(of, room,
               [nbytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, nbytes); });
}

/// Calls `body(part, its elements of the linear side)` for parts of a long mask, on several
/// threads.
template <class Body>
void for_each_part(const masked_move& all, const Body& body) {
  constexpr ptrdiff_t part = ptrdiff_t{32} << 10;
  if (all.size <= part) {
    return body(all, all.count);
  }
  const ptrdiff_t parts = (all.size + part - 1) / part;
  std::vector<ptrdiff_t> before(static_cast<std::size_t>(parts) + 1);
  const auto size_of = [&](ptrdiff_t k) { return std::min(part, all.size - k * part); };
  for_each_task(parts, [&](ptrdiff_t k) {
    before[static_cast<std::size_t>(k) + 1] = count_flags(all.mask + k * part, size_of(k));
  });
  for (std::size_t k = 1; k < before.size(); ++k) {
    before[k] = std::min(before[k - 1] + before[k], all.count);
  }
  for_each_task(parts, [&](ptrdiff_t k) {
    const ptrdiff_t first = before[static_cast<std::size_t>(k)];
    masked_move own = all;
    own.mask += k * part;
    own.size = size_of(k);
    own.indexed += k * part * all.indexed_step;
    own.linear += first * all.linear_step;
    body(own, before[static_cast<std::size_t>(k) + 1] - first);
  });
}

}  // namespace

ptrdiff_t count_flags(const std::byte* mask, ptrdiff_t size) noexcept {
  constexpr ptrdiff_t most = 255;
  ptrdiff_t count = 0;
  ptrdiff_t done = 0;
  while (size - done >= bytes_of_word) {
    const ptrdiff_t words = std::min((size - done) / bytes_of_word, most);
    count += count_in_words(mask + done, words);
    done += words * bytes_of_word;
  }
  for (; done < size; ++done) {
    count += mask[done] != std::byte{};
  }
  return count;
}

void compress_on_host(const masked_move& of) {
  with_item_size(of.item_nbytes, [&](auto size) {
    for_each_part(of,
                  [size](const masked_move& part, ptrdiff_t room) { compress(part, room, size); });
  });
}

void expand_on_host(const masked_move& of) {
  with_item_size(of.item_nbytes, [&](auto size) {
    for_each_part(of,
                  [size](const masked_move& part, ptrdiff_t room) { expand(part, room, size); });
  });
}

}  // namespace usmx::inline v1::detail
