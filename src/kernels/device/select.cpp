// Kernels that find and move the elements that arrays of integers or a mask select.
#include "elements.hpp"
#include "kernel_list.hpp"
#include "mask.hpp"
#include "positions.hpp"
#include "strided.hpp"
#include "traversal.hpp"
#include "work_item.hpp"

namespace usmx::inline v1::kernels {

template <class T>
inline void find_positions(const T* values, std::int64_t* positions, const traversal& t,
                           const position_rule& rule, u4* outside) {
  const lanes lane{};
  bool found_outside = false;
  walk at(t);
  do {
    for (std::int64_t i = lane.first_row; i < at.rows; i += lane.row_count) {
      const T* const from = moved(values, at.source + i * t.source_row);
      std::int64_t* const to = moved(positions, at.destination + i * t.destination_row);
      for (std::int64_t j = lane.first; j < at.columns; j += lane.count) {
        std::int64_t* const position = moved(to, j * t.destination_column);
        const u8 index = from_start(*moved(from, j * t.source_column), rule.extent, found_outside);
        const u8 before = rule.first != 0 ? own_position(rule.own, position - rule.list)
                                          : static_cast<u8>(*position);
        *position = static_cast<std::int64_t>(before + index * static_cast<u8>(rule.scale));
      }
    }
  } while (at.next(t));
  if (found_outside) {
    *outside = 1;
  }
}

/// Whether one of the integers lies outside of their axis.
template <class T>
inline void check_positions(const T* values, std::int64_t count, std::int64_t per_group,
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

/// Moves the items of this work item's share to the indexed side, those that `owners` lets.
template <class Item>
inline void scatter_items(const Item* linear, Item* indexed, position_list positions,
                          const selected_walk& w, position_owners owners) {
  const share own = share_of(w.count * w.rest, w.per_group);
  for (std::int64_t i = own.first; i < own.end; i += own.step) {
    const selected_item item =
        w.rest == 1 ? selected_item{i, i * w.linear_step, 0} : item_of_rest(w, i);
    if (owners.last == nullptr || owners.last[position_at(owners.positions, item.position)] ==
                                      static_cast<u4>(item.position + 1)) {
      *moved(indexed, position_at(positions, item.position) * w.indexed_step + item.indexed) =
          *moved(linear, item.linear);
    }
  }
}

/// Moves single items to the indexed side, by the slots that they go to: each slot gets the last of
/// its items, if there is one. Several are read before the first one is written.
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

#define USMX_POSITIONS(type)                                                                  \
  USMX_KERNEL usmx_positions_##type(const type* values, std::int64_t* positions, traversal t, \
                                    position_rule rule, u4* outside) {                        \
    find_positions(values, positions, t, rule, outside);                                      \
  }
USMX_INDEX_TYPES(USMX_POSITIONS)

#define USMX_CHECK(type)                                                                        \
  USMX_KERNEL usmx_check_##type(const type* values, std::int64_t count, std::int64_t per_group, \
                                std::int64_t extent, u4* outside) {                             \
    check_positions(values, count, per_group, extent, outside);                                 \
  }
USMX_POSITION_TYPES(USMX_CHECK)

#define USMX_GATHER(size)                                                                     \
  USMX_KERNEL usmx_gather_##size(item_##size* linear, item_##size* indexed,                   \
                                 position_list positions, selected_walk w, const u4* outside, \
                                 u4* told) {                                                  \
    tell(outside, told);                                                                      \
    if (*outside == 0) {                                                                      \
      const checked_positions checked{positions, w};                                          \
      gather_items(linear, indexed, w, checked);                                              \
    }                                                                                         \
  }
USMX_ITEM_SIZES(USMX_GATHER)

// Leaves out the items of integers outside of their axis: only for memory that nobody is given
// then.
#define USMX_TAKE(size)                                                                           \
  USMX_KERNEL usmx_take_##size(item_##size* linear, item_##size* indexed, position_list integers, \
                               own_indices own, selected_walk w, u4* told) {                      \
    unchecked_positions positions{integers, own, w};                                              \
    gather_items(linear, indexed, w, positions);                                                  \
    if (positions.found_outside) {                                                                \
      *told = 1;                                                                                  \
    }                                                                                             \
  }
USMX_ITEM_SIZES(USMX_TAKE)

#define USMX_SCATTER(size)                                                                     \
  USMX_KERNEL usmx_scatter_##size(item_##size* linear, item_##size* indexed,                   \
                                  position_list positions, selected_walk w, const u4* outside, \
                                  u4* told, position_owners owners) {                          \
    tell(outside, told);                                                                       \
    if (*outside == 0) {                                                                       \
      scatter_items(linear, indexed, positions, w, owners);                                    \
    }                                                                                          \
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

/// last[p] becomes 1 + the number of the last position that is p.
USMX_KERNEL usmx_find_last(position_list positions, u4* last, slot_windows windows,
                           std::int64_t count, std::int64_t per_group, const u4* outside) {
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
      slot[k] = i < own.items.end ? position_at(positions, i) : -1;
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

/// Replaces each number by the sum of those before it in its chunk, and sets sums[c] to the sum of
/// chunk c.
USMX_KERNEL usmx_scan(std::int64_t* numbers, std::int64_t count, std::int64_t* sums,
                      std::int64_t chunks, std::int64_t per_group) {
  scan_chunks(numbers, count, sums, chunks, per_group);
}

/// Writes the coordinates of the true elements in order, as many as there is room for.
USMX_KERNEL usmx_coordinates(mask_words mask, std::int64_t per_group, std::int64_t* list,
                             coordinate_rule rule) {
  for_each_true(
      mask, per_group,
      [&](std::int64_t, std::int64_t position) { return coordinate_of(position, rule); },
      [&](std::int64_t number, std::int64_t, std::int64_t coordinate) {
        if (number < rule.capacity) {
          *moved(list, number * rule.stride) = coordinate;
        }
      });
}

#define USMX_COMPRESS(size)                                                                    \
  USMX_KERNEL usmx_compress_##size(item_##size* linear, item_##size* indexed, mask_words mask, \
                                   std::int64_t per_group, masked_walk w) {                    \
    for_each_true(                                                                             \
        mask, per_group,                                                                       \
        [&](std::int64_t, std::int64_t position) {                                             \
          return *moved(indexed, position * w.indexed_step);                                   \
        },                                                                                     \
        [&](std::int64_t number, std::int64_t, const item_##size& item) {                      \
          if (number < w.count) {                                                              \
            *moved(linear, number * w.linear_step) = item;                                     \
          }                                                                                    \
        });                                                                                    \
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
        [&](std::int64_t number, std::int64_t position, const item_##size& item) {           \
          if (number < w.count) {                                                            \
            *moved(indexed, position * w.indexed_step) = item;                               \
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
