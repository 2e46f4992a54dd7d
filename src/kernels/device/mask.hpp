// Masks as words of one bit for each element, and what is done for the bits that are set. Device
// code.
#pragma once

#include <cstdint>

#include "elements.hpp"
#include "strided.hpp"
#include "traversal.hpp"
#include "work_item.hpp"

namespace usmx::inline v1::kernels {

inline std::int64_t coordinate_of(std::int64_t position, const coordinate_rule& rule) {
  const std::int64_t outer = rule.divisor == 1 ? position : position / rule.divisor;
  return outer < rule.extent ? outer : outer - outer / rule.extent * rule.extent;
}

/// Whether an element is not zero, of which all types ask for some of the bits alone: zero has two
/// signs.
template <class Item>
inline bool is_true(const Item& item, u8 relevant) {
  if constexpr (sizeof(Item) == 16) {
    return ((item.low | item.high) & relevant) != 0;
  } else {
    return (item & relevant) != 0;
  }
}

/// How many true elements come before those of a number of level 0.
inline std::int64_t true_before(const scan_levels& levels, std::int64_t number) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < levels.count; ++k) {
    sum += levels.numbers[levels.begin[k] + number];
    number /= levels.chunk;
  }
  return sum;
}

/// Sets those elements whose byte of the mask is not 0. The element is a copy: what is written does
/// not change it.
template <class Item>
inline void fill_true(Item element, Item* indexed, const u1* mask, std::int64_t size,
                      std::int64_t per_group, std::int64_t step) {
  constexpr int batch = 8;
  const share own = share_of(size, per_group);
  for (std::int64_t first = own.first; first < own.end; first += batch * own.step) {
    u1 read[batch];
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = first + k * own.step;
      read[k] = i < own.end ? mask[i] : 0;
    }
    for (int k = 0; k < batch; ++k) {
      if (read[k] != 0) {
        *moved(indexed, (first + k * own.step) * step) = element;
      }
    }
  }
}

#ifdef __CUDACC_RTC__

// A group of selection_lanes lanes looks after as many words, and their sum is one number.

/// The sum over the lanes before this one in the group, and over all of them.
struct group_sums {
  std::int64_t before;
  std::int64_t all;
};
inline group_sums sum_over_group(std::int64_t number) {
  constexpr int warps = selection_lanes / 32;
  __shared__ std::int64_t of_warp[warps];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  std::int64_t upto = number;
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::int64_t other = __shfl_up_sync(~0u, upto, distance);
    upto += lane >= distance ? other : 0;
  }
  if (lane == 31) {
    of_warp[warp] = upto;
  }
  __syncthreads();
  group_sums sums{upto - number, 0};
  for (int k = 0; k < warps; ++k) {
    sums.before += k < warp ? of_warp[k] : 0;
    sums.all += of_warp[k];
  }
  __syncthreads();
  return sums;
}

/// The bits for eight bytes, each of which is set if the byte is not zero.
inline u1 true_bits(u8 eight) {
  constexpr u8 low = 0x7f7f7f7f7f7f7f7f;
  const u8 flags = (eight | ((eight & low) + low)) >> 7 & 0x0101010101010101;
  return static_cast<u1>(flags * 0x0102040810204080 >> 56);
}

/// Makes words of elements that are bytes: eight at a time make a byte of a word.
inline int make_group_words(const u1* __restrict elements, std::int64_t size, u8 /*relevant*/,
                            u8* __restrict words, std::int64_t first, std::int64_t end) {
  constexpr int batch = 8;
  auto* const bits = reinterpret_cast<u1*>(words);
  u8 read[batch];
  for (int k = 0; k < batch; ++k) {
    const std::int64_t at = (first * 8 + k * selection_lanes + threadIdx.x) * 8;
    read[k] = 0;
    if (at + 8 <= size) {
      read[k] = *reinterpret_cast<const u8*>(elements + at);
    } else {
      for (std::int64_t i = at; i < size; ++i) {
        read[k] |= static_cast<u8>(elements[i]) << (8 * (i - at));
      }
    }
  }
  int count = 0;
  for (int k = 0; k < batch; ++k) {
    const std::int64_t at = first * 8 + k * selection_lanes + threadIdx.x;
    const u1 found = true_bits(read[k]);
    count += __popc(found);
    if (at < end * 8) {
      bits[at] = found;
    }
  }
  return count;
}

/// Makes words of larger elements: the lanes of a warp make half a word together.
template <class Item>
inline int make_group_words(const Item* __restrict elements, std::int64_t size, u8 relevant,
                            u8* __restrict words, std::int64_t first, std::int64_t end) {
  constexpr int batch = 8;
  auto* const halves = reinterpret_cast<u4*>(words);
  int count = 0;
  for (int step = 0; step < 64; step += batch) {
    bool found[batch];
    for (int k = 0; k < batch; ++k) {
      const std::int64_t at = first * 64 + (step + k) * selection_lanes + threadIdx.x;
      found[k] = at < size && is_true(elements[at], relevant);
    }
    for (int k = 0; k < batch; ++k) {
      const std::int64_t at = first * 64 + (step + k) * selection_lanes + threadIdx.x;
      const u4 half = __ballot_sync(~0u, found[k]);
      count += found[k];
      if (threadIdx.x % 32 == 0 && at / 64 < end) {
        halves[at / 32] = half;
      }
    }
  }
  return count;
}

/// words[w] gets the bits of elements 64 w to 64 w + 63, and sums[g] how many a group has.
template <class Item>
inline void make_words(const Item* elements, std::int64_t size, u8 relevant, u8* words,
                       std::int64_t* sums, std::int64_t count, std::int64_t per_group) {
  const std::int64_t begin = group_id<2>() * per_group;
  const std::int64_t end = smaller(begin + per_group, count);
  for (std::int64_t first = begin; first < end; first += selection_lanes) {
    const int found = make_group_words(elements, size, relevant, words, first,
                                       smaller(first + selection_lanes, end));
    const std::int64_t sum = sum_over_group(found).all;
    if (threadIdx.x == 0) {
      sums[first / selection_lanes] = sum;
    }
  }
}

/// A group adds up a chunk, each lane so many numbers in a row.
inline void scan_chunks(std::int64_t* numbers, std::int64_t count, std::int64_t* sums,
                        std::int64_t chunks, std::int64_t per_group) {
  constexpr int batch = group_scan_chunk / selection_lanes;
  const std::int64_t end = smaller((group_id<2>() + 1) * per_group, chunks);
  for (std::int64_t c = group_id<2>() * per_group; c < end; ++c) {
    const std::int64_t first = c * group_scan_chunk + threadIdx.x * batch;
    std::int64_t read[batch];
    std::int64_t own = 0;
    for (int k = 0; k < batch; ++k) {
      read[k] = first + k < count ? numbers[first + k] : 0;
    }
    for (int k = 0; k < batch; ++k) {
      own += read[k];
    }
    const group_sums all = sum_over_group(own);
    std::int64_t sum = all.before;
    for (int k = 0; k < batch; ++k) {
      if (first + k < count) {
        numbers[first + k] = sum;
      }
      sum += read[k];
    }
    if (threadIdx.x == 0) {
      sums[c] = all.all;
    }
  }
}

/// Calls `write(number, position, read(number, position))` for each true element, of that number
/// and at that position. The lanes of a warp take 32 elements beside each other at a time: then
/// what they read and write lies close together. Several are read before the first one is written.
template <class Read, class Write>
inline void for_each_true(const mask_words& mask, std::int64_t per_group, const Read& read,
                          const Write& write) {
  constexpr int batch = 4;
  const std::int64_t begin = group_id<2>() * per_group;
  const std::int64_t end = smaller(begin + per_group, mask.count);
  const u4 lane = threadIdx.x % 32;
  const u4 smaller_lanes = (1u << lane) - 1;
  for (std::int64_t first = begin; first < end; first += selection_lanes) {
    const std::int64_t own = first + threadIdx.x;
    const u8 word = own < end ? mask.words[own] : 0;
    const std::int64_t before =
        true_before(mask.before, first / selection_lanes) + sum_over_group(__popcll(word)).before;
    const std::int64_t position_of_lane = (own - lane) * 64 + lane;
    for (int step = 0; step < 32; step += batch) {
      bool found[2 * batch];
      std::int64_t number[2 * batch];
      decltype(read(std::int64_t(), std::int64_t())) value[2 * batch];
      for (int k = 0; k < batch; ++k) {
        const u8 bits = __shfl_sync(~0u, word, step + k);
        const std::int64_t start = __shfl_sync(~0u, before, step + k);
        const u4 low = static_cast<u4>(bits);
        const u4 high = static_cast<u4>(bits >> 32);
        found[2 * k] = (low >> lane & 1) != 0;
        found[2 * k + 1] = (high >> lane & 1) != 0;
        number[2 * k] = start + __popc(low & smaller_lanes);
        number[2 * k + 1] = start + __popc(low) + __popc(high & smaller_lanes);
      }
      for (int k = 0; k < 2 * batch; ++k) {
        if (found[k]) {
          value[k] = read(number[k], position_of_lane + step * 64 + k * 32);
        }
      }
      for (int k = 0; k < 2 * batch; ++k) {
        if (found[k]) {
          write(number[k], position_of_lane + step * 64 + k * 32, value[k]);
        }
      }
    }
  }
}

#else

// A work item looks after a word, whose sum is one number.

/// words[w] gets the bits of elements 64 w to 64 w + 63, and sums[w] how many there are.
template <class Item>
inline void make_words(const Item* elements, std::int64_t size, u8 relevant, u8* words,
                       std::int64_t* sums, std::int64_t count, std::int64_t per_group) {
  const share own = share_of(count, per_group);
  for (std::int64_t w = own.first; w < own.end; w += own.step) {
    const std::int64_t here = smaller(64, size - w * 64);
    u8 word = 0;
    for (std::int64_t k = 0; k < here; ++k) {
      word |= static_cast<u8>(is_true(elements[w * 64 + k], relevant)) << k;
    }
    words[w] = word;
    sums[w] = count_of_bits(word);
  }
}

/// Several numbers are read before the first one is written: a read that comes after a write waits
/// for it.
inline void scan_chunks(std::int64_t* numbers, std::int64_t count, std::int64_t* sums,
                        std::int64_t chunks, std::int64_t per_group) {
  constexpr int batch = 16;
  const share own = share_of(chunks, per_group);
  for (std::int64_t c = own.first; c < own.end; c += own.step) {
    const std::int64_t end = smaller((c + 1) * scan_chunk, count);
    std::int64_t sum = 0;
    for (std::int64_t i = c * scan_chunk; i < end; i += batch) {
      std::int64_t read[batch];
      for (int k = 0; k < batch; ++k) {
        read[k] = i + k < end ? numbers[i + k] : 0;
      }
      for (int k = 0; k < batch; ++k) {
        if (i + k < end) {
          numbers[i + k] = sum;
        }
        sum += read[k];
      }
    }
    sums[c] = sum;
  }
}

/// Calls `write(number, position, read(number, position))` for each true element, of that number
/// and at that position.
template <class Read, class Write>
inline void for_each_true(const mask_words& mask, std::int64_t per_group, const Read& read,
                          const Write& write) {
  const share own = share_of(mask.count, per_group);
  for (std::int64_t w = own.first; w < own.end; w += own.step) {
    std::int64_t number = true_before(mask.before, w);
    for (u8 word = mask.words[w]; word != 0; word &= word - 1) {
      const std::int64_t position = w * 64 + lowest_bit(word);
      write(number, position, read(number, position));
      ++number;
    }
  }
}

#endif

}  // namespace usmx::inline v1::kernels
