// Kernels that set every element to one value, which is one of their arguments.
#include "items.hpp"
#include "kernel_list.hpp"
#include "strided.hpp"

using namespace usmx::kernels;

#define USMX_FILL(size)                                                                      \
  USMX_KERNEL usmx_fill_##size(item_##size element, item_##size* destination, traversal t) { \
    const lanes lane{};                                                                      \
    walk at(t);                                                                              \
    do {                                                                                     \
      for (std::int64_t i = lane.first_row; i < at.rows; i += lane.row_count) {              \
        item_##size* const d = moved(destination, at.destination + i * t.destination_row);   \
        for (std::int64_t j = lane.first; j < at.columns; j += lane.count) {                 \
          *moved(d, j * t.destination_column) = element;                                     \
        }                                                                                    \
      }                                                                                      \
    } while (at.next(t));                                                                    \
  }

USMX_ITEM_SIZES(USMX_FILL)
