// Kernels that copy elements unchanged.
#include "kernel_list.hpp"
#include "strided.hpp"
#include "work_item.hpp"

namespace usmx::inline v1::kernels {

#ifdef __CUDACC_RTC__

inline constexpr int tile = shared_tile;

/// Copies blocks of a few columns through the group's local memory: adjacent work items read
/// adjacent elements of the source's rows, and write adjacent ones of the destination's rows.
template <class Item>
inline void transpose_few(const Item* source, Item* destination, const traversal& t, Item* kept) {
  const int lane = static_cast<int>(local_id<1>() * local_range<2>() + local_id<2>());
  const int lane_count = static_cast<int>(local_range<1>() * local_range<2>());
  walk at(t);
  const int rows = static_cast<int>(at.rows);
  const int columns = static_cast<int>(at.columns);
  // The pitch lets adjacent work items, which write all columns of a few rows, read from different
  // banks.
  const int pitch = static_cast<int>(t.block_rows) + banks / columns;
  do {
    const Item* const s = moved(source, at.source);
    Item* const d = moved(destination, at.destination);
    for (int i = lane; i < rows; i += lane_count) {
      USMX_UNROLLED
      for (int j = 0; j < columns; ++j) {
        kept[j * pitch + i] = moved(s, j * t.source_column)[i];
      }
    }
    __syncthreads();
    for (int i = lane / columns, j = lane % columns; i < rows;) {
      moved(d, i * t.destination_row)[j] = kept[j * pitch + i];
      i += lane_count / columns;
      j += lane_count % columns;
      if (j >= columns) {
        j -= columns;
        ++i;
      }
    }
    __syncthreads();
  } while (at.next(t));
}

/// Copies blocks of `tile` x `tile` elements or fewer in the same way. A row of the local memory
/// has an odd length: the items of a column would be in one bank.
template <class Item>
inline void transpose_tiles(const Item* source, Item* destination, const traversal& t, Item* kept) {
  constexpr int pitch = tile + 1;
  const std::int64_t x = local_id<2>();
  const std::int64_t y = local_id<1>();
  const std::int64_t step = local_range<1>();
  walk at(t);
  do {
    const Item* const s = moved(source, at.source);
    Item* const d = moved(destination, at.destination);
    for (std::int64_t j = y; x < at.rows && j < at.columns; j += step) {
      kept[j * pitch + x] = moved(s, j * t.source_column)[x];
    }
    __syncthreads();
    for (std::int64_t i = y; x < at.columns && i < at.rows; i += step) {
      moved(d, i * t.destination_row)[x] = kept[x * pitch + i];
    }
    __syncthreads();
  } while (at.next(t));
}

template <class Item>
inline void transpose(const Item* source, Item* destination, const traversal& t) {
  __shared__ Item kept[shared_items];
  t.block_columns == tile ? transpose_tiles(source, destination, t, kept)
                          : transpose_few(source, destination, t, kept);
}

#else

inline constexpr int tile = transposed_tile;

/// Copies a block of `tile` x `tile` elements through the work item's private memory. Reads along
/// the source's rows, and writes along the destination's columns: these elements are adjacent.
template <class Item>
inline void transpose_tile(const Item* __restrict source, Item* __restrict destination,
                           const traversal& t) {
  Item kept[tile][tile];
  for (int j = 0; j < tile; ++j) {
    for (int i = 0; i < tile; ++i) {
      kept[i][j] = moved(source, j * t.source_column)[i];
    }
  }
  for (int i = 0; i < tile; ++i) {
    for (int j = 0; j < tile; ++j) {
      moved(destination, i * t.destination_row)[j] = kept[i][j];
    }
  }
}

template <class Item>
inline void transpose(const Item* source, Item* destination, const traversal& t) {
  walk at(t);
  do {
    const Item* const s = moved(source, at.source);
    Item* const d = moved(destination, at.destination);
    if (at.rows == tile && at.columns == tile) {
      transpose_tile(s, d, t);
      continue;
    }
    for (std::int64_t i = 0; i < at.rows; ++i) {
      for (std::int64_t j = 0; j < at.columns; ++j) {
        moved(d, i * t.destination_row)[j] = moved(s, j * t.source_column)[i];
      }
    }
  } while (at.next(t));
}

#endif

/// Copies the items of a group from the parts that they come from.
template <class Item>
inline void join(Item* result, const joined_parts& parts) {
  const std::int64_t begin = group_id<2>() * parts.per_group;
  const std::int64_t end = smaller(begin + parts.per_group, parts.count);
  const lanes own;
  for (std::int64_t i = begin + own.first; i < end; i += own.count) {
    const std::int64_t row = i < parts.columns ? 0 : i / parts.columns;
    const std::int64_t column = i - row * parts.columns;
    int k = 0;
    std::int64_t first = 0;
    while (column >= parts.end[k]) {
      first = parts.end[k++];
    }
    const Item* const part = static_cast<const Item*>(parts.first[k]);
    result[row * parts.pitch + column] = part[row * (parts.end[k] - first) + column - first];
  }
}

}  // namespace usmx::inline v1::kernels

using namespace usmx::kernels;

#define USMX_COPY(size)                                                                            \
  USMX_KERNEL usmx_copy_##size(const item_##size* source, item_##size* destination, traversal t) { \
    transform(source, destination, t, [](item_##size item) { return item; });                      \
  }
#define USMX_TRANSPOSE(size)                                                             \
  USMX_KERNEL usmx_transpose_##size(const item_##size* source, item_##size* destination, \
                                    traversal t) {                                       \
    transpose(source, destination, t);                                                   \
  }
#define USMX_JOIN(size) \
  USMX_KERNEL usmx_join_##size(item_##size* result, joined_parts parts) { join(result, parts); }
USMX_ITEM_SIZES(USMX_COPY)
USMX_ITEM_SIZES(USMX_TRANSPOSE)
USMX_ITEM_SIZES(USMX_JOIN)
