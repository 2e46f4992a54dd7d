// Kernels that find and move the elements that arrays of integers or a mask select.
#include "builtins.hpp"
#include "elements.hpp"
#include "items.hpp"
#include "kernel_list.hpp"
#include "selection.hpp"
#include "strided.hpp"

namespace usmx::inline v1::kernels {

/// What a work item does of `count` elements, of which a work group takes `per_group`.
struct share {
  std::int64_t first;
  std::int64_t end;
  std::int64_t step;
};
inline share share_of(std::int64_t count, std::int64_t per_group) {
  const lanes lane{};
  const std::int64_t begin = group_id<2>() * per_group;
  return {begin + lane.first, smaller(begin + per_group, count), lane.count};
}

// ---- arrays of integers

/// The integer counted from the start of the axis. One outside of the axis becomes 0, and is told:
/// then nothing will be moved.
template <class T>
inline u8 from_start(T value, std::int64_t extent, bool& outside) {
  u8 index = static_cast<u8>(value);
  if constexpr (T(-1) < T(0)) {
    index += value < 0 ? static_cast<u8>(extent) : 0;  // what is still negative is large now
  }
  if (index >= static_cast<u8>(extent)) {
    outside = true;
    return 0;
  }
  return index;
}

template <class T>
inline void find_places(const T* values, std::int64_t* places, const traversal& t,
                        const place_rule& rule, u4* outside) {
  const lanes lane{};
  bool found_outside = false;
  walk at(t);
  do {
    for (std::int64_t i = lane.first_row; i < at.rows; i += lane.row_count) {
      const T* const from = moved(values, at.source + i * t.source_row);
      std::int64_t* const to = moved(places, at.destination + i * t.destination_row);
      for (std::int64_t j = lane.first; j < at.columns; j += lane.count) {
        std::int64_t* const place = moved(to, j * t.destination_column);
        const u8 index = from_start(*moved(from, j * t.source_column), rule.extent, found_outside);
        const u8 before = rule.first != 0 ? 0 : static_cast<u8>(*place);
        *place = static_cast<std::int64_t>(before + index * static_cast<u8>(rule.scale));
      }
    }
  } while (at.next(t));
  if (found_outside) {
    *outside = 1;
  }
}

/// Calls `move(place number, linear item, indexed item)` for each item of this work item's share.
template <class Item, class Move>
inline void for_each_selected(Item* linear, Item* indexed, const std::int64_t* places,
                              const selected_walk& w, const Move& move) {
  const share own = share_of(w.count * w.rest, w.per_group);
  for (std::int64_t i = own.first; i < own.end; i += own.step) {
    std::int64_t place = i;
    std::int64_t left = 0;
    if (w.rest != 1) {
      const std::int64_t inner = w.rest_first != 0 ? w.rest : w.count;
      const std::int64_t outer = i / inner;
      left = w.rest_first != 0 ? i - outer * inner : outer;
      place = w.rest_first != 0 ? outer : i - outer * inner;
    }
    std::int64_t to = place * w.linear_step;
    std::int64_t from = places[place] * w.indexed_step;
    for (std::int64_t k = w.rest_count; k-- > 0;) {
      const rest_step& d = w.rest_dimensions[k];
      const std::int64_t quotient = k == 0 ? 0 : left / d.extent;
      const std::int64_t index = left - quotient * d.extent;
      left = quotient;
      to += index * d.linear_stride;
      from += index * d.indexed_stride;
    }
    move(place, moved(linear, to), moved(indexed, from));
  }
}

// ---- masks

/// 0x80 for each byte of eight that is not zero.
inline u8 true_bytes(u8 eight) {
  constexpr u8 low = 0x7f7f7f7f7f7f7f7f;
  return (eight | ((eight & low) + low)) & ~low;
}

/// Calls `found(flags, place of the first byte)` for each eight bytes of a chunk of the mask.
template <class Found>
inline void for_each_eight(const u1* mask, std::int64_t size, std::int64_t chunk,
                           const Found& found) {
  const std::int64_t first = chunk * mask_chunk;
  const std::int64_t end = smaller(first + mask_chunk, size);
  std::int64_t at = first;
  for (; at + 8 <= end; at += 8) {
    found(true_bytes(*reinterpret_cast<const u8*>(mask + at)), at);
  }
  u8 last = 0;
  for (std::int64_t i = at; i < end; ++i) {
    last |= static_cast<u8>(mask[i]) << (8 * (i - at));
  }
  found(true_bytes(last), at);
}

/// Calls `found(place)` for each true element of a chunk of the mask.
template <class Found>
inline void for_each_true(const u1* mask, std::int64_t size, std::int64_t chunk,
                          const Found& found) {
  for_each_eight(mask, size, chunk, [&](u8 flags, std::int64_t first) {
    for (; flags != 0; flags &= flags - 1) {
      found(first + lowest_bit(flags) / 8);
    }
  });
}

inline std::int64_t true_before(const scan_levels& levels, std::int64_t chunk) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < levels.count; ++k) {
    sum += levels.numbers[levels.begin[k] + chunk];
    chunk /= scan_chunk;
  }
  return sum;
}

inline std::int64_t coordinate_of(std::int64_t place, const coordinate_rule& rule) {
  const std::int64_t outer = rule.divisor == 1 ? place : place / rule.divisor;
  return outer < rule.extent ? outer : outer - outer / rule.extent * rule.extent;
}

#ifdef __CUDACC_RTC__

/// The lanes of a group find the true elements of a chunk each, and put their places into the
/// group's local memory. Then lanes beside each other write coordinates beside each other: without
/// that, writing takes four times as long on an H100.
inline void write_together(const u1* mask, std::int64_t size, const scan_levels& before,
                           std::int64_t chunks, std::int64_t per_group, std::int64_t* list,
                           const coordinate_rule& rule) {
  __shared__ u2 kept[selection_lanes * mask_chunk];
  __shared__ int kept_count;
  const lanes lane{};
  const std::int64_t end = smaller((group_id<2>() + 1) * per_group, chunks);
  for (std::int64_t first = group_id<2>() * per_group; first < end; first += selection_lanes) {
    const std::int64_t start = true_before(before, first);
    const std::int64_t chunk = first + lane.first;
    if (chunk < end) {
      int at = static_cast<int>(true_before(before, chunk) - start);
      for_each_true(mask, size, chunk, [&](std::int64_t place) {
        kept[at++] = static_cast<u2>(place - first * mask_chunk);
      });
      if (chunk + 1 == end || lane.first + 1 == selection_lanes) {
        kept_count = at;
      }
    }
    __syncthreads();
    const std::int64_t count = smaller(kept_count, rule.capacity - start);
    for (std::int64_t k = lane.first; k < count; k += selection_lanes) {
      *moved(list, (start + k) * rule.stride) = coordinate_of(first * mask_chunk + kept[k], rule);
    }
    __syncthreads();
  }
}

#endif

}  // namespace usmx::inline v1::kernels

using namespace usmx::kernels;

#define USMX_PLACES(type)                                                               \
  USMX_KERNEL usmx_places_##type(const type* values, std::int64_t* places, traversal t, \
                                 place_rule rule, u4* outside) {                        \
    find_places(values, places, t, rule, outside);                                      \
  }
USMX_INDEX_TYPES(USMX_PLACES)

#define USMX_GATHER(size)                                                                          \
  USMX_KERNEL usmx_gather_##size(item_##size* linear, item_##size* indexed,                        \
                                 const std::int64_t* places, selected_walk w, const u4* outside) { \
    if (*outside == 0) {                                                                           \
      for_each_selected(                                                                           \
          linear, indexed, places, w,                                                              \
          [](std::int64_t, item_##size* to, const item_##size* from) { *to = *from; });            \
    }                                                                                              \
  }
USMX_ITEM_SIZES(USMX_GATHER)

#define USMX_SCATTER(size)                                                                        \
  USMX_KERNEL usmx_scatter_##size(item_##size* linear, item_##size* indexed,                      \
                                  const std::int64_t* places, selected_walk w, const u4* outside, \
                                  place_owners owners) {                                          \
    if (*outside == 0) {                                                                          \
      for_each_selected(linear, indexed, places, w,                                               \
                        [&](std::int64_t place, const item_##size* from, item_##size* to) {       \
                          if (owners.last == nullptr ||                                           \
                              owners.last[owners.places[place]] == static_cast<u4>(place + 1)) {  \
                            *to = *from;                                                          \
                          }                                                                       \
                        });                                                                       \
    }                                                                                             \
  }
USMX_ITEM_SIZES(USMX_SCATTER)

/// last[p] becomes 1 + the number of the last place that is p.
USMX_KERNEL usmx_find_last(const std::int64_t* places, u4* last, std::int64_t count,
                           std::int64_t per_group, const u4* outside) {
  if (*outside == 0) {
    const share own = share_of(count, per_group);
    for (std::int64_t i = own.first; i < own.end; i += own.step) {
      atomic_max(last + places[i], static_cast<u4>(i + 1));
    }
  }
}

/// counts[c] becomes the number of true elements in chunk c of the mask.
USMX_KERNEL usmx_count(const u1* mask, std::int64_t size, std::int64_t* counts, std::int64_t chunks,
                       std::int64_t per_group) {
  const share own = share_of(chunks, per_group);
  for (std::int64_t c = own.first; c < own.end; c += own.step) {
    std::int64_t count = 0;
    for_each_eight(mask, size, c, [&](u8 flags, std::int64_t) { count += count_of_bits(flags); });
    counts[c] = count;
  }
}

/// Each number becomes the sum of those before it in its chunk, and sums[c] that of chunk c.
/// Several numbers are read before the first one is written: a read that comes after a write waits
/// for it.
USMX_KERNEL usmx_scan(std::int64_t* numbers, std::int64_t count, std::int64_t* sums,
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

/// Writes the coordinates of the true elements in order, as many as there is room for.
USMX_KERNEL usmx_coordinates(const u1* mask, std::int64_t size, scan_levels before,
                             std::int64_t chunks, std::int64_t per_group, std::int64_t* list,
                             coordinate_rule rule) {
#ifdef __CUDACC_RTC__
  write_together(mask, size, before, chunks, per_group, list, rule);
#else
  const share own = share_of(chunks, per_group);
  for (std::int64_t c = own.first; c < own.end; c += own.step) {
    std::int64_t at = true_before(before, c);
    for_each_true(mask, size, c, [&](std::int64_t place) {
      if (at < rule.capacity) {
        *moved(list, at * rule.stride) = coordinate_of(place, rule);
      }
      ++at;
    });
  }
#endif
}
