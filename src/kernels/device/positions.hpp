// The positions that the integers of an index lead to, and how the items there come to lie in a
// row. Device code.
#pragma once

#include <cstdint>

#include "elements.hpp"
#include "strided.hpp"
#include "traversal.hpp"
#include "work_item.hpp"

namespace usmx::inline v1::kernels {

/// The integer counted from the start of the axis. One outside of the axis becomes 0, and is told.
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

/// The sum of the own indices for the position with this number in its list.
inline u8 own_position(const own_indices& own, std::int64_t number) {
  u8 sum = 0;
  USMX_NOT_UNROLLED
  for (std::int64_t k = 0; k < own.count; ++k) {
    const own_index& d = own.each[k];
    sum += static_cast<u8>(number) / static_cast<u8>(d.divisor) % static_cast<u8>(d.extent) *
           static_cast<u8>(d.scale);
  }
  return sum;
}

inline std::int64_t integer_at(const position_list& list, std::int64_t number) {
  return list.are_short != 0 ? reinterpret_cast<const i4*>(list.numbers)[number]
                             : reinterpret_cast<const i8*>(list.numbers)[number];
}

/// The position of a number in the list. The integer is not outside of its axis.
inline std::int64_t position_at(const position_list& positions, std::int64_t number) {
  const std::int64_t position = integer_at(positions, number);
  return position < 0 ? position + positions.extent : position;
}

/// Item `i` of a move: the number of its position, and its offset on the linear side and from the
/// position on the indexed side.
struct selected_item {
  std::int64_t position;
  std::int64_t linear;
  std::int64_t indexed;
};
inline selected_item item_of_rest(const selected_walk& w, std::int64_t i) {
  const std::int64_t inner = w.rest_first != 0 ? w.rest : w.count;
  const std::int64_t outer = i / inner;
  std::int64_t left = w.rest_first != 0 ? i - outer * inner : outer;
  selected_item item{w.rest_first != 0 ? outer : i - outer * inner, 0, 0};
  item.linear = item.position * w.linear_step;
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

/// Positions of which none is outside of its axis.
struct checked_positions {
  const position_list& list;
  const selected_walk& w;

  std::int64_t read(std::int64_t number) const { return position_at(list, number); }
  /// The bytes to what was read for a position; false where it leads nowhere.
  bool find(std::int64_t, std::int64_t position, std::int64_t& offset) const {
    offset = position * w.indexed_step;
    return true;
  }
};

/// Integers that are checked as they are used, which spares a kernel that does it before.
struct unchecked_positions {
  const position_list& list;
  const own_indices& own;
  const selected_walk& w;
  bool found_outside = false;

  std::int64_t read(std::int64_t number) const { return integer_at(list, number); }
  bool find(std::int64_t number, std::int64_t integer, std::int64_t& offset) {
    bool outside = false;
    const u8 index = from_start(integer, list.extent, outside);
    offset = static_cast<std::int64_t>(index * static_cast<u8>(w.indexed_step) +
                                       own_position(own, number));
    found_outside = found_outside || outside;
    return !outside;
  }
};

/// Moves the items of this work item's share to the linear side. Of single items several are read
/// before the first one is written, and before that their integers: a read that comes after a write
/// waits for it.
template <class Item, class Positions>
inline void gather_items(Item* linear, const Item* indexed, const selected_walk& w,
                         Positions& positions) {
  const share own = share_of(w.count * w.rest, w.per_group);
  if (w.rest != 1) {
    for (std::int64_t i = own.first; i < own.end; i += own.step) {
      const selected_item item = item_of_rest(w, i);
      std::int64_t offset;
      if (positions.find(item.position, positions.read(item.position), offset)) {
        *moved(linear, item.linear) = *moved(indexed, offset + item.indexed);
      }
    }
    return;
  }
  constexpr int batch = 4;
  for (std::int64_t first = own.first; first < own.end; first += batch * own.step) {
    std::int64_t number[batch];
    Item read[batch];
    bool found[batch];
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = first + k * own.step;
      number[k] = i < own.end ? positions.read(i) : 0;
    }
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = first + k * own.step;
      std::int64_t offset;
      found[k] = i < own.end && positions.find(i, number[k], offset);
      if (found[k]) {
        read[k] = *moved(indexed, offset);
      }
    }
    for (int k = 0; k < batch; ++k) {
      if (found[k]) {
        *moved(linear, (first + k * own.step) * w.linear_step) = read[k];
      }
    }
  }
}

}  // namespace usmx::inline v1::kernels
