#include "compute/sorted_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::inline v1::internal {
namespace {

using std::ptrdiff_t;

// ---- keys: integers in the order of the elements

template <class T>
using key_of_type = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Bits of the exponent and of the fraction, whose order is that of the magnitudes, against the
/// sign. The second time it undoes the first one.
template <class K>
[[gnu::always_inline]] inline K with_bits_in_order(K bits) {
  return bits ^ ((bits >> (8 * sizeof(K) - 1)) & std::numeric_limits<K>::max());
}

/// Zeros of both signs have one key, and all NaN have the greatest one.
template <class T>
[[gnu::always_inline]] inline key_of_type<T> key_of(T x) {
  using K = key_of_type<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const K key = with_bits_in_order(std::bit_cast<K>(x));
    const K of_number = x == T(0) ? K(0) : key;
    return x != x ? std::numeric_limits<K>::max() : of_number;
  } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(K)) {
    return static_cast<K>(x) ^ std::numeric_limits<K>::min();
  } else {
    return static_cast<K>(x);
  }
}

/// A number that is not 0 if the element is another one when it is made of the key again.
template <class T>
[[gnu::always_inline]] inline key_of_type<T> key_loses_bits(T x) {
  using K = key_of_type<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const K of_zero = std::bit_cast<K>(x) == std::numeric_limits<K>::min() ? K(1) : K(0);
    return x != x ? K(1) : of_zero;
  } else {
    return 0;
  }
}

template <class T>
[[gnu::always_inline]] inline T value_of(key_of_type<T> key) {
  using K = key_of_type<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(with_bits_in_order(key));
  } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(K)) {
    return static_cast<T>(key ^ std::numeric_limits<K>::min());
  } else {
    return static_cast<T>(key);
  }
}

// ---- the network: each lane of some vectors is a column

template <class K>
struct vector_of {
  typedef K type __attribute__((vector_size(32)));
  static constexpr ptrdiff_t lanes = 32 / static_cast<ptrdiff_t>(sizeof(K));
};
template <class K>
using vector = typename vector_of<K>::type;
template <class K>
inline constexpr ptrdiff_t lanes = vector_of<K>::lanes;

constexpr ptrdiff_t together = 8;  // vectors stay in registers

template <class V>
[[gnu::always_inline]] inline void put_in_order(V& a, V& b) {
  const V low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}

/// Puts pairs of some vectors in order, in registers: each number is the indices of two of them.
template <int... pairs, class V>
[[gnu::always_inline]] inline void run_network(V* v) {
  V a = v[0];
  V b = v[1];
  V c = v[2];
  V d = v[3];
  V e = v[4];
  V f = v[5];
  V g = v[6];
  V h = v[7];
  V* all[together] = {&a, &b, &c, &d, &e, &f, &g, &h};
  (put_in_order(*all[pairs / 10], *all[pairs % 10]), ...);
#pragma GCC unroll 8
  for (ptrdiff_t k = 0; k < together; ++k) {
    v[k] = *all[k];
  }
}

template <class V>
[[gnu::always_inline]] inline void sort_together(V* v) {
  run_network<2, 13, 46, 57, 4, 15, 26, 37, 1, 23, 45, 67, 24, 35, 14, 36, 12, 34, 56>(v);
}

template <class V>
[[gnu::always_inline]] inline void merge_together(V* v) {
  run_network<4, 15, 26, 37, 2, 13, 46, 57, 1, 23, 45, 67>(v);
}

/// Sorts columns of bitonic halves: blocks of twice the distance. What is beyond the last one is
/// greater than all, and stays there. Precondition: `count` is a multiple of `together`, `distance`
/// a power of two.
template <class V>
[[gnu::always_inline]] inline void merge_columns(V* v, ptrdiff_t count, ptrdiff_t distance) {
  for (; distance >= together; distance /= 2) {
    for (ptrdiff_t first = 0; first + distance < count; first += 2 * distance) {
      const ptrdiff_t last = std::min(first + distance, count - distance);
      for (ptrdiff_t k = first; k < last; ++k) {
        put_in_order(v[k], v[k + distance]);
      }
    }
  }
  for (ptrdiff_t k = 0; k < count; k += together) {
    merge_together(v + k);
  }
}

template <class V>
[[gnu::always_inline]] inline void sort_columns(V* v, ptrdiff_t count) {
  for (ptrdiff_t k = 0; k < count; k += together) {
    sort_together(v + k);
  }
  for (ptrdiff_t sorted = together; sorted < count; sorted *= 2) {
    for (ptrdiff_t middle = sorted; middle < count; middle += 2 * sorted) {
      const ptrdiff_t pairs = std::min(sorted, count - middle);
      for (ptrdiff_t k = 0; k < pairs; ++k) {
        put_in_order(v[middle - 1 - k], v[middle + k]);
      }
    }
    merge_columns(v, count, sorted / 2);
  }
}

/// The lanes in another order: each number has the bits of `flipped` changed.
template <int flipped, class V>
[[gnu::always_inline]] inline V with_lanes(const V& v) {
  if constexpr (sizeof(v[0]) == 4) {
    return __builtin_shufflevector(v, v, 0 ^ flipped, 1 ^ flipped, 2 ^ flipped, 3 ^ flipped,
                                   4 ^ flipped, 5 ^ flipped, 6 ^ flipped, 7 ^ flipped);
  } else {
    return __builtin_shufflevector(v, v, 0 ^ flipped, 1 ^ flipped, 2 ^ flipped, 3 ^ flipped);
  }
}

/// The lanes of `a` whose number is less than that of the lane that `flipped` makes of it, and the
/// other ones of `b`.
template <int flipped, class V>
[[gnu::always_inline]] inline V joined(const V& a, const V& b) {
  const auto lane = [](int k, int count) { return k < (k ^ flipped) ? k : k + count; };
  if constexpr (sizeof(a[0]) == 4) {
    return __builtin_shufflevector(a, b, lane(0, 8), lane(1, 8), lane(2, 8), lane(3, 8), lane(4, 8),
                                   lane(5, 8), lane(6, 8), lane(7, 8));
  } else {
    return __builtin_shufflevector(a, b, lane(0, 4), lane(1, 4), lane(2, 4), lane(3, 4));
  }
}

/// One step of a merge: puts lanes in order whose numbers differ in one bit.
template <int flipped, class V>
[[gnu::always_inline]] inline void merge_lanes(V* v, ptrdiff_t count) {
  for (ptrdiff_t k = 0; k < count; ++k) {
    V low = v[k];
    V high = with_lanes<flipped>(low);
    put_in_order(low, high);
    v[k] = joined<flipped>(low, high);
  }
}

/// Merges sorted columns, which are parts of one row, in pairs of as many lanes.
template <int flipped, class V>
[[gnu::always_inline]] inline void join_columns(V* v, ptrdiff_t count) {
  for (ptrdiff_t k = 0; k < count / 2; ++k) {
    V low = v[k];
    V high = with_lanes<flipped>(v[count - 1 - k]);
    put_in_order(low, high);
    v[k] = joined<flipped>(low, high);
    v[count - 1 - k] = with_lanes<flipped>(joined<flipped>(high, low));
  }
  if constexpr (flipped == 7) {
    merge_lanes<2>(v, count);
  }
  if constexpr (flipped >= 3) {
    merge_lanes<1>(v, count);
  }
  merge_columns(v, count, count / 2);
}

/// Exchanges lanes and vectors: as many of them as there are lanes.
template <class K>
[[gnu::always_inline]] inline void transpose(vector<K>* v) {
  constexpr ptrdiff_t n = lanes<K>;
#pragma GCC unroll 3
  for (ptrdiff_t round = 1; round < n; round *= 2) {
    vector<K> made[n];
#pragma GCC unroll 4
    for (ptrdiff_t k = 0; k < n / 2; ++k) {
      const vector<K> a = v[k];
      const vector<K> b = v[k + n / 2];
      if constexpr (n == 8) {
        made[2 * k] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        made[2 * k + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
      } else {
        made[2 * k] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        made[2 * k + 1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      }
    }
    std::memcpy(v, made, sizeof made);
  }
}

/// Moves keys between lines of `count` elements, one for each lane, and vectors.
template <bool to_vectors, class K>
[[gnu::always_inline]] inline void exchange(K* lines, vector<K>* v, ptrdiff_t count) {
  constexpr ptrdiff_t n = lanes<K>;
  for (ptrdiff_t first = 0; first < count; first += n) {
    vector<K> all[n];
#pragma GCC unroll 8
    for (ptrdiff_t k = 0; k < n; ++k) {
      const void* from = v + first + k;
      std::memcpy(&all[k], to_vectors ? lines + k * count + first : from, sizeof all[k]);
    }
    transpose<K>(all);
#pragma GCC unroll 8
    for (ptrdiff_t k = 0; k < n; ++k) {
      void* to = v + first + k;
      std::memcpy(to_vectors ? to : lines + k * count + first, &all[k], sizeof all[k]);
    }
  }
}

/// Keys of as many lines as a vector has lanes, and memory for as many vectors. Each line is a row,
/// or all of them are one.
template <class K>
struct block {
  K* lines;
  vector<K>* vectors;
  ptrdiff_t count;
  bool is_one_row;
};

template <class K>
[[gnu::always_inline]] inline void sort_keys(const block<K>& of) {
  vector<K>* v = of.vectors;
  if (of.is_one_row) {
    std::memcpy(v, of.lines, static_cast<std::size_t>(of.count) * sizeof *v);
    sort_columns(v, of.count);
    join_columns<1>(v, of.count);
    join_columns<3>(v, of.count);
    if constexpr (lanes<K> == 8) {
      join_columns<7>(v, of.count);
    }
  } else {
    exchange<true>(of.lines, v, of.count);
    sort_columns(v, of.count);
  }
  exchange<false>(of.lines, v, of.count);
}

template <class K>
USMX_AVX2 void sort_keys_for_avx2(const block<K>& of) {
  sort_keys(of);
}
template <class K>
void sort_keys_for_all(const block<K>& of) {
  sort_keys(of);
}

// ---- rows

/// How the rows of a call are put into blocks.
template <class K>
class blocks {
 public:
  explicit blocks(ptrdiff_t columns)
      : columns_(columns),
        has_rows_alone_(columns > lanes<K> * together),
        line_of_rows_((columns + together - 1) / together * together),
        line_of_one_(std::max<ptrdiff_t>(
            together, static_cast<ptrdiff_t>(std::bit_ceil(
                          static_cast<std::size_t>((columns + lanes<K> - 1) / lanes<K>))))) {
    const ptrdiff_t most = std::max(line_of_one_, columns <= most_beside ? line_of_rows_ : 0);
    keys_ = std::make_unique_for_overwrite<vector<K>[]>(static_cast<std::size_t>(2 * most));
    vectors_ = keys_.get() + most;
  }

  /// Sorts so many rows at most, and returns how many. `load` sets the keys of a row, `store` takes
  /// them when they are sorted.
  template <class Load, class Store>
  [[gnu::always_inline]] ptrdiff_t sort(ptrdiff_t rows, const Load& load, const Store& store) {
    const bool is_one = columns_ > most_beside || (has_rows_alone_ && rows < lanes<K> / 2);
    const ptrdiff_t now = is_one ? 1 : std::min(rows, lanes<K>);
    const ptrdiff_t line = is_one ? line_of_one_ : line_of_rows_;
    const ptrdiff_t row_size = is_one ? line * lanes<K> : line;
    K* keys = reinterpret_cast<K*>(keys_.get());
    for (ptrdiff_t row = 0; row < now; ++row) {
      load(row, keys + row * row_size);
      std::fill(keys + row * row_size + columns_, keys + (row + 1) * row_size,
                std::numeric_limits<K>::max());
    }
    std::fill(keys + now * row_size, keys + line * lanes<K>, K());
    sort_(block<K>{keys, vectors_, line, is_one});
    for (ptrdiff_t row = 0; row < now; ++row) {
      store(row, keys + row * row_size);
    }
    return now;
  }

 private:
  static constexpr ptrdiff_t most_beside = 256;  // they stay in the nearest cache

  ptrdiff_t columns_;
  bool has_rows_alone_;
  ptrdiff_t line_of_rows_;
  ptrdiff_t line_of_one_;
  std::unique_ptr<vector<K>[]> keys_;
  vector<K>* vectors_;
  void (*sort_)(const block<K>&) = detail::cpu() == detail::cpu_level::baseline
                                       ? &sort_keys_for_all<K>
                                       : &sort_keys_for_avx2<K>;
};

/// Sets zeros and NaN, which lost their signs as keys, to those of the unsorted row in their order.
template <class T>
void restore(const T* from, T* to, ptrdiff_t columns) {
  const T* end = to + columns;
  T* zero = std::find(to, to + columns, T(0));
  T* nan = std::find_if(to, to + columns, [](T x) { return x != x; });
  for (ptrdiff_t k = 0; k < columns; ++k) {
    if (from[k] == T(0) && zero != end) {
      *zero++ = from[k];
    } else if (from[k] != from[k] && nan != end) {
      *nan++ = from[k];
    }
  }
}

/// Sorts the rows by these blocks.
template <class T>
[[gnu::always_inline]] inline void sort_part(const rows_to_sort& of, blocks<key_of_type<T>>& own,
                                             T* to) {
  using K = key_of_type<T>;
  const K flipped = of.is_descending ? K(-1) : K(0);
  const T* from = static_cast<const T*>(of.from);
  for (ptrdiff_t first = 0; first < of.rows;) {
    const T* x = from + first * of.columns;
    T* z = to + first * of.columns;
    K lost = 0;
    const auto load = [&](ptrdiff_t row, K* keys) {
      for (ptrdiff_t k = 0; k < of.columns; ++k) {
        const T each = x[row * of.columns + k];
        keys[k] = key_of(each) ^ flipped;
        lost |= key_loses_bits(each);
      }
    };
    const auto store = [&](ptrdiff_t row, const K* keys) {
      for (ptrdiff_t k = 0; k < of.columns; ++k) {
        z[row * of.columns + k] = value_of<T>(keys[k] ^ flipped);
      }
      if (lost != 0) {
        restore(x + row * of.columns, z + row * of.columns, of.columns);
      }
    };
    first += own.sort(of.rows - first, load, store);
  }
}

/// Keys and indices are one number, whose order is that of the indices where elements are equal.
template <class T>
[[gnu::always_inline]] inline void index_part(const rows_to_sort& of, blocks<std::int64_t>& own,
                                              std::int64_t* to) {
  constexpr int bits = 32;
  const std::int64_t flipped = of.is_descending ? -1 : 0;
  const T* from = static_cast<const T*>(of.from);
  for (ptrdiff_t first = 0; first < of.rows;) {
    const T* x = from + first * of.columns;
    std::int64_t* z = to + first * of.columns;
    const auto load = [&](ptrdiff_t row, std::int64_t* keys) {
      for (ptrdiff_t k = 0; k < of.columns; ++k) {
        keys[k] = ((std::int64_t{key_of(x[row * of.columns + k])} ^ flipped) << bits) | k;
      }
    };
    const auto store = [&](ptrdiff_t row, const std::int64_t* keys) {
      for (ptrdiff_t k = 0; k < of.columns; ++k) {
        z[row * of.columns + k] = keys[k] & ((std::int64_t{1} << bits) - 1);
      }
    };
    first += own.sort(of.rows - first, load, store);
  }
}

template <class T>
USMX_AVX2 void sort_part_for_avx2(const rows_to_sort& of, blocks<key_of_type<T>>& own, T* to) {
  sort_part(of, own, to);
}
template <class T>
void sort_part_for_all(const rows_to_sort& of, blocks<key_of_type<T>>& own, T* to) {
  sort_part(of, own, to);
}
template <class T>
USMX_AVX2 void index_part_for_avx2(const rows_to_sort& of, blocks<std::int64_t>& own,
                                   std::int64_t* to) {
  index_part<T>(of, own, to);
}
template <class T>
void index_part_for_all(const rows_to_sort& of, blocks<std::int64_t>& own, std::int64_t* to) {
  index_part<T>(of, own, to);
}

// ---- the indices of elements of 8 bytes, of which no number has both

struct indexed_key {
  std::uint64_t key;
  std::int64_t index;
};

/// A row's keys with their indices, and memory for as many.
class indexed_row {
 public:
  explicit indexed_row(ptrdiff_t columns)
      : memory_(
            std::make_unique_for_overwrite<indexed_key[]>(static_cast<std::size_t>(2 * columns))) {}

  indexed_key* keys() const noexcept { return memory_.get(); }
  indexed_key* other(ptrdiff_t columns) const noexcept { return memory_.get() + columns; }

 private:
  std::unique_ptr<indexed_key[]> memory_;
};

/// Sorts by one digit of the keys after the other, without those that are the same in all of them:
/// most integers are small. Returns the sorted ones, which are in one of the two memories.
const indexed_key* sort_by_digits(indexed_key* from, indexed_key* to, ptrdiff_t count,
                                  std::uint64_t differences) {
  constexpr int bits = 8;
  constexpr std::uint64_t mask = (1U << bits) - 1;
  for (int shift = 0; shift < 64; shift += bits) {
    if ((differences >> shift & mask) == 0) {
      continue;
    }
    std::array<std::uint32_t, mask + 1> ends{};
    for (ptrdiff_t k = 0; k < count; ++k) {
      ++ends[from[k].key >> shift & mask];
    }
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::uint32_t{0});
    for (ptrdiff_t k = 0; k < count; ++k) {
      to[ends[from[k].key >> shift & mask]++] = from[k];
    }
    std::swap(from, to);
  }
  return from;
}

template <class T>
void index_wide_part(const rows_to_sort& of, indexed_row& own, std::int64_t* to) {
  constexpr ptrdiff_t shortest_by_digits = 128;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const std::uint64_t flipped = of.is_descending ? ~sign : sign;
  const T* x = static_cast<const T*>(of.from);
  for (ptrdiff_t row = 0; row < of.rows; ++row, x += of.columns, to += of.columns) {
    indexed_key* const keys = own.keys();
    std::uint64_t differences = 0;
    for (ptrdiff_t k = 0; k < of.columns; ++k) {
      keys[k] = {static_cast<std::uint64_t>(key_of(x[k])) ^ flipped, k};
      differences |= keys[k].key ^ keys[0].key;
    }
    const indexed_key* sorted = keys;
    if (of.columns >= shortest_by_digits) {
      sorted = sort_by_digits(keys, own.other(of.columns), of.columns, differences);
    } else {
      std::sort(keys, keys + of.columns, [](const indexed_key& a, const indexed_key& b) {
        return a.key < b.key || (a.key == b.key && a.index < b.index);
      });
    }
    for (ptrdiff_t k = 0; k < of.columns; ++k) {
      to[k] = sorted[k].index;
    }
  }
}

/// Sorts shares of the rows on as many threads as pay, each with memory of its own.
template <class T, class Memory, class R>
void sort_parts(const rows_to_sort& of, R* to, void (*sort)(const rows_to_sort&, Memory&, R*)) {
  constexpr ptrdiff_t worth_a_task = ptrdiff_t{1} << 15;
  constexpr ptrdiff_t most_tasks = 16;
  const ptrdiff_t tasks =
      std::clamp<ptrdiff_t>(of.rows * of.columns / worth_a_task, 1, std::min(most_tasks, of.rows));
  std::vector<Memory> own;  // before the tasks, which may not throw
  own.reserve(static_cast<std::size_t>(tasks));
  for (ptrdiff_t task = 0; task < tasks; ++task) {
    own.emplace_back(of.columns);
  }
  detail::for_each_task(tasks, [&](ptrdiff_t task) {
    const ptrdiff_t first = of.rows * task / tasks;
    const ptrdiff_t last = of.rows * (task + 1) / tasks;
    const ptrdiff_t elements = first * of.columns;
    sort({static_cast<const T*>(of.from) + elements, last - first, of.columns, of.is_descending},
         own[static_cast<std::size_t>(task)], to + elements);
  });
}

template <class Run>
void with_type(type_code type, const Run& run) {
  visit<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
        std::uint32_t, std::uint64_t, float, double>(
      dtype(type), [&]<class T>(std::type_identity<T> of) {
        run(std::conditional_t<std::is_same_v<T, bool>, std::type_identity<std::uint8_t>,
                               decltype(of)>());
      });
}

}  // namespace

void sort_rows(type_code type, const rows_to_sort& of, void* to) {
  const bool has_avx2 = detail::cpu() != detail::cpu_level::baseline;
  with_type(type, [&]<class T>(std::type_identity<T>) {
    sort_parts<T>(of, static_cast<T*>(to),
                  has_avx2 ? &sort_part_for_avx2<T> : &sort_part_for_all<T>);
  });
}

void index_rows(type_code type, const rows_to_sort& of, std::int64_t* to) {
  const bool has_avx2 = detail::cpu() != detail::cpu_level::baseline;
  with_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) == 8) {
      sort_parts<T>(of, to, &index_wide_part<T>);
    } else {
      sort_parts<T>(of, to, has_avx2 ? &index_part_for_avx2<T> : &index_part_for_all<T>);
    }
  });
}

}  // namespace usmx::inline v1::internal
