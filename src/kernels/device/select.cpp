// Kernels that find and move the elements that arrays of integers or a mask select.
#include "builtins.hpp"
#include "elements.hpp"
#include "items.hpp"
#include "kernel_list.hpp"
#include "mask.hpp"
#include "selection.hpp"
#include "share.hpp"
#include "strided.hpp"

namespace usmx::inline v1::kernels {

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

/// What the own indices of a place add up to.
inline u8 own_place(const place_rule& rule, const std::int64_t* place) {
  const u8 number = static_cast<u8>(place - rule.list);
  u8 sum = 0;
  for (std::int64_t k = 0; k < rule.own_count; ++k) {
    const own_index& d = rule.own[k];
    sum +=
        number / static_cast<u8>(d.divisor) % static_cast<u8>(d.extent) * static_cast<u8>(d.scale);
  }
  return sum;
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
        const u8 before = rule.first != 0 ? own_place(rule, place) : static_cast<u8>(*place);
        *place = static_cast<std::int64_t>(before + index * static_cast<u8>(rule.scale));
      }
    }
  } while (at.next(t));
  if (found_outside) {
    *outside = 1;
  }
}

/// Whether one of the integers lies outside of their axis.
template <class T>
inline void check_places(const T* values, std::int64_t count, std::int64_t per_group,
                         std::int64_t extent, u4* outside) {
  const share own = share_of(count, per_group);
  bool found_outside = false;
  for (std::int64_t i = own.first; i < own.end; i += own.step) {
    from_start(values[i], extent, found_outside);
  }
  if (found_outside) {
    *outside = 1;
  }
}

inline std::int64_t place_at(const place_list& places, std::int64_t k) {
  const std::int64_t place = places.are_short != 0 ? reinterpret_cast<const i4*>(places.numbers)[k]
                                                   : reinterpret_cast<const i8*>(places.numbers)[k];
  return place < 0 ? place + places.extent : place;
}

/// What item `i` of a move is: the number of its place, and its offset on the linear side and from
/// the place on the indexed side.
struct selected_item {
  std::int64_t place;
  std::int64_t linear;
  std::int64_t indexed;
};
inline selected_item item_of_rest(const selected_walk& w, std::int64_t i) {
  const std::int64_t inner = w.rest_first != 0 ? w.rest : w.count;
  const std::int64_t outer = i / inner;
  std::int64_t left = w.rest_first != 0 ? i - outer * inner : outer;
  selected_item item{w.rest_first != 0 ? outer : i - outer * inner, 0, 0};
  item.linear = item.place * w.linear_step;
  for (std::int64_t k = w.rest_count; k-- > 0;) {
    const rest_step& d = w.rest_dimensions[k];
    const std::int64_t quotient = k == 0 ? 0 : left / d.extent;
    const std::int64_t index = left - quotient * d.extent;
    left = quotient;
    item.linear += index * d.linear_stride;
    item.indexed += index * d.indexed_stride;
  }
  return item;
}
/// Moves the items of this work item's share to the linear side. Of single items several are read
/// before the first one is written: a read that comes after a write waits for it.
template <class Item>
inline void gather_items(Item* linear, const Item* indexed, place_list places,
                         const selected_walk& w) {
  const share own = share_of(w.count * w.rest, w.per_group);
  if (w.rest != 1) {
    for (std::int64_t i = own.first; i < own.end; i += own.step) {
      const selected_item item = item_of_rest(w, i);
      *moved(linear, item.linear) =
          *moved(indexed, place_at(places, item.place) * w.indexed_step + item.indexed);
    }
    return;
  }
  constexpr int batch = 4;
  for (std::int64_t first = own.first; first < own.end; first += batch * own.step) {
    Item read[batch];
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = first + k * own.step;
      if (i < own.end) {
        read[k] = *moved(indexed, place_at(places, i) * w.indexed_step);
      }
    }
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = first + k * own.step;
      if (i < own.end) {
        *moved(linear, i * w.linear_step) = read[k];
      }
    }
  }
}

/// Moves the items of this work item's share to the indexed side, those that `owners` lets.
template <class Item>
inline void scatter_items(const Item* linear, Item* indexed, place_list places,
                          const selected_walk& w, place_owners owners) {
  const share own = share_of(w.count * w.rest, w.per_group);
  for (std::int64_t i = own.first; i < own.end; i += own.step) {
    const selected_item item =
        w.rest == 1 ? selected_item{i, i * w.linear_step, 0} : item_of_rest(w, i);
    if (owners.last == nullptr ||
        owners.last[place_at(owners.places, item.place)] == static_cast<u4>(item.place + 1)) {
      *moved(indexed, place_at(places, item.place) * w.indexed_step + item.indexed) =
          *moved(linear, item.linear);
    }
  }
}

/// The same for single items, by the slots that they go to: each gets the last of its items, if
/// there is one. Several are read before the first one is written.
template <class Item>
inline void scatter_to_slots(const Item* linear, Item* indexed, const u4* last, std::int64_t slots,
                             const selected_walk& w) {
  constexpr int batch = 4;
  const share own = share_of(slots, w.per_group);
  for (std::int64_t first = own.first; first < own.end; first += batch * own.step) {
    u4 number[batch];
    Item read[batch];
    for (int k = 0; k < batch; ++k) {
      const std::int64_t slot = first + k * own.step;
      number[k] = slot < own.end ? last[slot] : 0;
    }
    for (int k = 0; k < batch; ++k) {
      if (number[k] != 0) {
        read[k] = *moved(linear, static_cast<std::int64_t>(number[k] - 1) * w.linear_step);
      }
    }
    for (int k = 0; k < batch; ++k) {
      if (number[k] != 0) {
        *moved(indexed, (first + k * own.step) * w.indexed_step) = read[k];
      }
    }
  }
}

/// Tells the host what the kernels before this one found.
inline void tell(const u4* outside, u4* told) {
  const lanes lane{};
  if (group_id<2>() == 0 && lane.first == 0) {
    *told = *outside;
  }
}

}  // namespace usmx::inline v1::kernels

using namespace usmx::kernels;

#define USMX_PLACES(type)                                                               \
  USMX_KERNEL usmx_places_##type(const type* values, std::int64_t* places, traversal t, \
                                 place_rule rule, u4* outside) {                        \
    find_places(values, places, t, rule, outside);                                      \
  }
USMX_INDEX_TYPES(USMX_PLACES)

#define USMX_CHECK(type)                                                                        \
  USMX_KERNEL usmx_check_##type(const type* values, std::int64_t count, std::int64_t per_group, \
                                std::int64_t extent, u4* outside) {                             \
    check_places(values, count, per_group, extent, outside);                                    \
  }
USMX_PLACE_TYPES(USMX_CHECK)

#define USMX_GATHER(size)                                                                      \
  USMX_KERNEL usmx_gather_##size(item_##size* linear, item_##size* indexed, place_list places, \
                                 selected_walk w, const u4* outside, u4* told) {               \
    tell(outside, told);                                                                       \
    if (*outside == 0) {                                                                       \
      gather_items(linear, indexed, places, w);                                                \
    }                                                                                          \
  }
USMX_ITEM_SIZES(USMX_GATHER)

#define USMX_SCATTER(size)                                                                      \
  USMX_KERNEL usmx_scatter_##size(item_##size* linear, item_##size* indexed, place_list places, \
                                  selected_walk w, const u4* outside, u4* told,                 \
                                  place_owners owners) {                                        \
    tell(outside, told);                                                                        \
    if (*outside == 0) {                                                                        \
      scatter_items(linear, indexed, places, w, owners);                                        \
    }                                                                                           \
  }
USMX_ITEM_SIZES(USMX_SCATTER)

#define USMX_SLOTS(size)                                                                   \
  USMX_KERNEL usmx_slots_##size(item_##size* linear, item_##size* indexed, const u4* last, \
                                std::int64_t slots, selected_walk w, const u4* outside,    \
                                u4* told) {                                                \
    tell(outside, told);                                                                   \
    if (*outside == 0) {                                                                   \
      scatter_to_slots(linear, indexed, last, slots, w);                                   \
    }                                                                                      \
  }
USMX_ITEM_SIZES(USMX_SLOTS)

USMX_KERNEL usmx_zero(u4* numbers, std::int64_t count, std::int64_t per_group) {
  const share own = share_of(count, per_group);
  for (std::int64_t i = own.first; i < own.end; i += own.step) {
    numbers[i] = 0;
  }
}

/// last[p] becomes 1 + the number of the last place that is p.
USMX_KERNEL usmx_find_last(place_list places, u4* last, slot_windows windows, std::int64_t count,
                           std::int64_t per_group, const u4* outside) {
  constexpr int batch = 8;
  if (*outside != 0) {
    return;
  }
  const windowed_share own = share_of_window(count, per_group, windows);
  for (std::int64_t first = own.items.first; first < own.items.end;
       first += batch * own.items.step) {
    std::int64_t slot[batch];
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = first + k * own.items.step;
      slot[k] = i < own.items.end ? place_at(places, i) : -1;
    }
    for (int k = 0; k < batch; ++k) {
      if (slot[k] >= 0 && own.contains(slot[k])) {
        atomic_max(last + slot[k], static_cast<u4>(first + k * own.items.step + 1));
      }
    }
  }
}

#define USMX_FLAGS(size)                                                                        \
  USMX_KERNEL usmx_flags_##size(const item_##size* elements, std::int64_t size_of_mask,         \
                                u8 relevant, u8* words, std::int64_t* sums, std::int64_t count, \
                                std::int64_t per_group) {                                       \
    make_words(elements, size_of_mask, relevant, words, sums, count, per_group);                \
  }
USMX_ITEM_SIZES(USMX_FLAGS)

/// Each number becomes the sum of those before it in its chunk, and sums[c] that of chunk c.
USMX_KERNEL usmx_scan(std::int64_t* numbers, std::int64_t count, std::int64_t* sums,
                      std::int64_t chunks, std::int64_t per_group) {
  scan_chunks(numbers, count, sums, chunks, per_group);
}

/// Writes the coordinates of the true elements in order, as many as there is room for.
USMX_KERNEL usmx_coordinates(mask_words mask, std::int64_t per_group, std::int64_t* list,
                             coordinate_rule rule) {
  for_each_true(
      mask, per_group, [&](std::int64_t, std::int64_t place) { return coordinate_of(place, rule); },
      [&](std::int64_t number, std::int64_t, std::int64_t coordinate) {
        if (number < rule.capacity) {
          *moved(list, number * rule.stride) = coordinate;
        }
      });
}

#define USMX_COMPRESS(size)                                                                        \
  USMX_KERNEL usmx_compress_##size(item_##size* linear, item_##size* indexed, mask_words mask,     \
                                   std::int64_t per_group, masked_walk w) {                        \
    for_each_true(                                                                                 \
        mask, per_group,                                                                           \
        [&](std::int64_t, std::int64_t place) { return *moved(indexed, place * w.indexed_step); }, \
        [&](std::int64_t number, std::int64_t, const item_##size& item) {                          \
          if (number < w.count) {                                                                  \
            *moved(linear, number * w.linear_step) = item;                                         \
          }                                                                                        \
        });                                                                                        \
  }
USMX_ITEM_SIZES(USMX_COMPRESS)

#define USMX_EXPAND(size)                                                                    \
  USMX_KERNEL usmx_expand_##size(item_##size* linear, item_##size* indexed, mask_words mask, \
                                 std::int64_t per_group, masked_walk w) {                    \
    for_each_true(                                                                           \
        mask, per_group,                                                                     \
        [&](std::int64_t number, std::int64_t) {                                             \
          return *moved(linear, smaller(number, w.count - 1) * w.linear_step);               \
        },                                                                                   \
        [&](std::int64_t number, std::int64_t place, const item_##size& item) {              \
          if (number < w.count) {                                                            \
            *moved(indexed, place * w.indexed_step) = item;                                  \
          }                                                                                  \
        });                                                                                  \
  }
USMX_ITEM_SIZES(USMX_EXPAND)

#define USMX_FILL_TRUE(size)                                                                       \
  USMX_KERNEL usmx_fill_true_##size(item_##size element, item_##size* indexed, const item_1* mask, \
                                    std::int64_t size_of_mask, std::int64_t per_group,             \
                                    std::int64_t indexed_step) {                                   \
    fill_true(element, indexed, mask, size_of_mask, per_group, indexed_step);                      \
  }
USMX_ITEM_SIZES(USMX_FILL_TRUE)
