// How a work group walks over its elements, and how its work items share elements in a row. Device
// code.
#pragma once

#include <cstdint>

#include "traversal.hpp"
#include "work_item.hpp"

namespace usmx::inline v1::kernels {

template <class From, class To>
struct with_const_of {
  using type = To;
};
template <class From, class To>
struct with_const_of<const From, To> {
  using type = const To;
};
template <class From, class To>
using copy_const = typename with_const_of<From, To>::type;

inline std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// The position of this work item in its group, and how many share the columns of a row, and the
/// rows. On a CPU one work item does all: code that does not differ between items is built in less
/// than half the time there, since there is nothing to vectorise across them.
struct lanes {
#ifdef USMX_WIDE_GROUPS
  std::int64_t first = local_id<2>();
  std::int64_t count = local_range<2>();
  std::int64_t first_row = local_id<1>();
  std::int64_t row_count = local_range<1>();
#else
  static constexpr std::int64_t first = 0;
  static constexpr std::int64_t count = 1;
  static constexpr std::int64_t first_row = 0;
  static constexpr std::int64_t row_count = 1;
#endif
};

/// The blocks of one work group, one after the other. Offsets in bytes.
class walk {
 public:
  USMX_SHARED_CODE explicit walk(const traversal& t) {
    const std::int64_t row = group_id<1>() * t.block_rows;
    const std::int64_t column = group_id<2>() * t.block_columns;
    rows = smaller(t.block_rows, t.rows - row);
    columns = smaller(t.block_columns, t.columns - column);
    source = row * t.source_row + column * t.source_column;
    destination = row * t.destination_row + column * t.destination_column;
    const std::int64_t first = group_id<0>() * t.repeats_per_group;
    left_ = smaller(t.repeats_per_group, t.repeats - first);
    std::int64_t rest = first;
    USMX_FULLY_UNROLLED
    for (int k = 0; k < max_outer_dimensions; ++k) {
      if (k >= t.outer_count) {
        break;
      }
      const outer_dimension& d = t.outer[k];
      const std::int64_t quotient = rest / d.extent;
      index_[k] = rest - quotient * d.extent;
      rest = quotient;
      source += index_[k] * d.source_stride;
      destination += index_[k] * d.destination_stride;
    }
  }

  /// Advances to the next index of the outer dimensions; false if there is none.
  USMX_SHARED_CODE bool next(const traversal& t) {
    if (--left_ <= 0) {
      return false;
    }
    USMX_FULLY_UNROLLED
    for (int k = 0; k < max_outer_dimensions; ++k) {
      if (k >= t.outer_count) {
        break;
      }
      const outer_dimension& d = t.outer[k];
      source += d.source_stride;
      destination += d.destination_stride;
      if (++index_[k] < d.extent) {
        break;
      }
      source -= d.source_stride * d.extent;
      destination -= d.destination_stride * d.extent;
      index_[k] = 0;
    }
    return true;
  }

  std::int64_t source;
  std::int64_t destination;
  std::int64_t rows;
  std::int64_t columns;

 private:
  std::int64_t left_;
  std::int64_t index_[max_outer_dimensions];
};

template <class T>
inline T* moved(T* pointer, std::int64_t nbytes) {
  using byte_pointer = copy_const<T, char>*;
  return reinterpret_cast<T*>(reinterpret_cast<byte_pointer>(pointer) + nbytes);
}

/// Sets the destination's elements of a row that are this work item's to `convert(the source's)`.
/// On devices with many lanes several are read before the first one is written, since a lane waits
/// for each read alone otherwise.
template <class From, class To, class Convert>
inline void transform_row(const From* __restrict source, To* __restrict destination,
                          std::int64_t count, std::int64_t source_step,
                          std::int64_t destination_step, const lanes& lane, Convert convert) {
#ifdef __CUDACC_RTC__
  constexpr int batch = 4;
  std::int64_t j = lane.first;
  for (; j + (batch - 1) * lane.count < count; j += batch * lane.count) {
    From read[batch];
    for (int k = 0; k < batch; ++k) {
      read[k] = *moved(source, (j + k * lane.count) * source_step);
    }
    for (int k = 0; k < batch; ++k) {
      *moved(destination, (j + k * lane.count) * destination_step) = convert(read[k]);
    }
  }
  for (; j < count; j += lane.count) {
    *moved(destination, j * destination_step) = convert(*moved(source, j * source_step));
  }
#else
  for (std::int64_t j = lane.first; j < count; j += lane.count) {
    *moved(destination, j * destination_step) = convert(*moved(source, j * source_step));
  }
#endif
}

/// Sets every destination element of the work group to `convert(its source element)`.
template <class From, class To, class Convert>
inline void transform(const From* source, To* destination, const traversal& t, Convert convert) {
  const lanes lane{};
  walk at(t);
  do {
    for (std::int64_t i = lane.first_row; i < at.rows; i += lane.row_count) {
      const From* __restrict const s = moved(source, at.source + i * t.source_row);
      To* __restrict const d = moved(destination, at.destination + i * t.destination_row);
      if (t.source_column == sizeof(From) && t.destination_column == sizeof(To)) {
        transform_row(s, d, at.columns, sizeof(From), sizeof(To), lane, convert);
      } else {
        transform_row(s, d, at.columns, t.source_column, t.destination_column, lane, convert);
      }
    }
  } while (at.next(t));
}

/// The share of one work item in `count` elements, of which a work group takes `per_group`.
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

/// The share of one work item in the elements for each window of slots, one window after the other:
/// groups near each other look at all elements, and use those of their window.
struct windowed_share {
  share items;
  std::int64_t first_slot;
  std::int64_t end_slot;

  bool contains(std::int64_t slot) const { return slot >= first_slot && slot < end_slot; }
};
inline windowed_share share_of_window(std::int64_t count, std::int64_t per_group,
                                      const slot_windows& windows) {
  const lanes lane{};
  const std::int64_t window = windows.groups == 0 ? 0 : group_id<2>() / windows.groups;
  const std::int64_t begin = (group_id<2>() - window * windows.groups) * per_group;
  return {{begin + lane.first, smaller(begin + per_group, count), lane.count},
          window * windows.slots,
          (window + 1) * windows.slots};
}

}  // namespace usmx::inline v1::kernels
