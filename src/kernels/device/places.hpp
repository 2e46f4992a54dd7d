// Where the integers of an index lead to. Device code.
#pragma once

#include <cstdint>

#include "elements.hpp"
#include "selection.hpp"
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

/// The sum of the own indices for the place with this number in its list.
inline u8 own_place(const own_indices& own, std::int64_t number) {
  u8 sum = 0;
  USMX_NOT_UNROLLED
  for (std::int64_t k = 0; k < own.count; ++k) {
    const own_index& d = own.each[k];
    sum += static_cast<u8>(number) / static_cast<u8>(d.divisor) % static_cast<u8>(d.extent) *
           static_cast<u8>(d.scale);
  }
  return sum;
}

inline std::int64_t integer_at(const place_list& list, std::int64_t number) {
  return list.are_short != 0 ? reinterpret_cast<const i4*>(list.numbers)[number]
                             : reinterpret_cast<const i8*>(list.numbers)[number];
}

/// The place of a number in the list. The integer is not outside of its axis.
inline std::int64_t place_at(const place_list& places, std::int64_t number) {
  const std::int64_t place = integer_at(places, number);
  return place < 0 ? place + places.extent : place;
}

}  // namespace usmx::inline v1::kernels
