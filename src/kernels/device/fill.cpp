// Kernels that set every element to one value, which is one of their arguments.
#include "kernel_list.hpp"
#include "strided.hpp"
#include "work_item.hpp"

namespace usmx::inline v1::kernels {

/// Sets the elements of a row that are this work item's; the step in bytes.
template <class Item>
inline void fill_row(Item element, Item* row, std::int64_t count, std::int64_t step,
                     const lanes& lane) {
#ifdef __CUDACC_RTC__
  if constexpr (sizeof(Item) == 16) {
    // Each item is written by one instruction, which requires that alignment.
    if (step == sizeof(Item) && reinterpret_cast<std::uint64_t>(row) % sizeof(Item) == 0) {
      for (std::int64_t j = lane.first; j < count; j += lane.count) {
        reinterpret_cast<ulonglong2*>(row)[j] = make_ulonglong2(element.low, element.high);
      }
      return;
    }
  }
#endif
  for (std::int64_t j = lane.first; j < count; j += lane.count) {
    *moved(row, j * step) = element;
  }
}

}  // namespace usmx::inline v1::kernels

using namespace usmx::kernels;

// A single row needs no walk, whose start takes a quarter of the time of a group of 1024 elements.
#define USMX_FILL(size)                                                                           \
  USMX_KERNEL usmx_fill_##size(item_##size element, item_##size* destination, traversal t) {      \
    const lanes lane{};                                                                           \
    if (t.rows == 1 && t.repeats == 1) {                                                          \
      const std::int64_t first = group_id<2>() * t.block_columns;                                 \
      return fill_row(element, moved(destination, first * t.destination_column),                  \
                      smaller(t.block_columns, t.columns - first), t.destination_column, lane);   \
    }                                                                                             \
    walk at(t);                                                                                   \
    do {                                                                                          \
      for (std::int64_t i = lane.first_row; i < at.rows; i += lane.row_count) {                   \
        fill_row(element, moved(destination, at.destination + i * t.destination_row), at.columns, \
                 t.destination_column, lane);                                                     \
      }                                                                                           \
    } while (at.next(t));                                                                         \
  }

USMX_ITEM_SIZES(USMX_FILL)
