#include "compute/host_products.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "array/array.hpp"
#include "base/threads.hpp"

namespace usmx::inline v1::internal {
namespace {

using std::ptrdiff_t;

/// A matrix; strides in elements.
template <class T>
struct matrix {
  T* first;
  ptrdiff_t rows;
  ptrdiff_t columns;
  ptrdiff_t row_stride;
  ptrdiff_t column_stride;

  T& at(ptrdiff_t row, ptrdiff_t column) const {
    return first[row * row_stride + column * column_stride];
  }
  matrix transposed() const { return {first, columns, rows, column_stride, row_stride}; }
};

/// Truth values add up to whether one of them is true.
struct truth {
  bool value;

  friend truth operator*(truth a, truth b) { return {a.value && b.value}; }
  truth& operator+=(truth b) {
    value = value || b.value;
    return *this;
  }
};

/// A complex number that is multiplied as in kernels, without a look for infinite parts.
template <class T>
struct complex_number {
  T real;
  T imag;

  friend complex_number operator*(complex_number a, complex_number b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  complex_number& operator+=(complex_number b) {
    real += b.real;
    imag += b.imag;
    return *this;
  }
};

template <class T>
inline constexpr bool is_vectorized = std::is_arithmetic_v<T>;

/// Integers have no sign here: the bits are the same, and nothing overflows. Small ones would be
/// computed as int, which does.
template <class T>
[[gnu::always_inline]] inline T with_product(T sum, T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(int)) {
    return static_cast<T>(sum + static_cast<unsigned>(a) * b);
  } else {
    return sum + a * b;
  }
}

// ---- vectors

/// A vector of as many elements as the widest one of x86 has: others take several for one.
template <class T>
struct vector_of {
  typedef T type __attribute__((vector_size(64)));
  static constexpr ptrdiff_t lanes = 64 / static_cast<ptrdiff_t>(sizeof(T));
};
template <class T>
using vector = typename vector_of<T>::type;
template <class T>
inline constexpr ptrdiff_t lanes = vector_of<T>::lanes;

template <class T>
[[gnu::always_inline]] inline void load(vector<T>& to, const T* from) {
  std::memcpy(&to, from, sizeof to);
}

/// The halves of a vector of so many bytes, added up until they are few.
template <class T, int nbytes>
[[gnu::always_inline]] inline T sum_of_bytes(const std::byte* of) {
  typedef T half_vector __attribute__((vector_size(nbytes / 2)));
  half_vector low;
  half_vector high;
  std::memcpy(&low, of, sizeof low);
  std::memcpy(&high, of + sizeof low, sizeof high);
  low += high;
  if constexpr (nbytes > 32) {
    return sum_of_bytes<T, nbytes / 2>(reinterpret_cast<const std::byte*>(&low));
  } else {
    T total = low[0];
    for (std::size_t k = 1; k < sizeof low / sizeof(T); ++k) {
      total = static_cast<T>(total + low[k]);
    }
    return total;
  }
}
template <class T>
[[gnu::always_inline]] inline T sum_of(const vector<T>& of) {
  return sum_of_bytes<T, 64>(reinterpret_cast<const std::byte*>(&of));
}

/// Sets all but the last lanes to 0.
template <class T>
[[gnu::always_inline]] inline void keep_last(vector<T>& of, ptrdiff_t kept) {
  using number = std::conditional_t<
      sizeof(T) == 8, std::int64_t,
      std::conditional_t<sizeof(T) == 4, std::int32_t,
                         std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;
  vector<number> numbers;
  for (ptrdiff_t k = 0; k < lanes<T>; ++k) {
    numbers[k] = static_cast<number>(k);
  }
  of = numbers >= static_cast<number>(lanes<T> - kept) ? of : vector<T>{};
}

/// The sum of the products of `count` adjacent elements.
template <class T>
[[gnu::always_inline]] inline T dot(const T* a, const T* b, ptrdiff_t count) {
  constexpr ptrdiff_t n = lanes<T>;
  if (count < n) {
    T total{};
    for (ptrdiff_t k = 0; k < count; ++k) {
      total = with_product(total, a[k], b[k]);
    }
    return total;
  }
  vector<T> sums[4]{};
  vector<T> x;
  vector<T> y;
  ptrdiff_t k = 0;
  for (; k + 4 * n <= count; k += 4 * n) {
    for (ptrdiff_t part = 0; part < 4; ++part) {
      load(x, a + k + part * n);
      load(y, b + k + part * n);
      sums[part] += x * y;
    }
  }
  for (; k + n <= count; k += n) {
    load(x, a + k);
    load(y, b + k);
    sums[0] += x * y;
  }
  if (k < count) {  // with elements that have been added already
    load(x, a + count - n);
    load(y, b + count - n);
    keep_last<T>(x, count - k);
    keep_last<T>(y, count - k);
    sums[1] += x * y;
  }
  return sum_of<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// ---- matrices by vectors

/// How many elements of a vector or a row are copied at a time, if they are not adjacent.
constexpr ptrdiff_t most_copied = 1024;

template <class T>
[[gnu::always_inline]] inline const T* adjacent(const T* from, ptrdiff_t stride, ptrdiff_t count,
                                                T* copies) {
  if (stride == 1) {
    return from;
  }
  for (ptrdiff_t k = 0; k < count; ++k) {
    copies[k] = from[k * stride];
  }
  return copies;
}

/// Adds to each of the sums the product of a row and the vector, whose elements from `begin` to
/// `end` are `v`.
template <class T>
[[gnu::always_inline]] inline void add_rows(const matrix<const T>& x, const T* v, ptrdiff_t begin,
                                            ptrdiff_t end, T* sums) {
  const ptrdiff_t count = end - begin;
  std::array<T, most_copied> copies;
  for (ptrdiff_t row = 0; row < x.rows; ++row) {
    const T* from = adjacent(&x.at(row, begin), x.column_stride, count, copies.data());
    sums[row] = static_cast<T>(sums[row] + dot(from, v, count));
  }
}

/// Adds rows of `full` vectors and some elements more: those of the vector stay at hand.
template <class T, int full>
[[gnu::always_inline]] inline void add_rows_of_vectors(const matrix<const T>& x, const T* v,
                                                       ptrdiff_t count, T* sums) {
  constexpr ptrdiff_t n = lanes<T>;
  vector<T> factors[full + 1];
  for (int k = 0; k < full; ++k) {
    load(factors[k], v + k * n);
  }
  load(factors[full], v + count - n);
  keep_last<T>(factors[full], count - full * n);
  for (ptrdiff_t row = 0; row < x.rows; ++row) {
    const T* from = x.first + row * x.row_stride;
    vector<T> of;
    load(of, from + count - n);
    keep_last<T>(of, count - full * n);
    vector<T> made = of * factors[full];
    for (int k = 0; k < full; ++k) {
      load(of, from + k * n);
      made += of * factors[k];
    }
    sums[row] = static_cast<T>(sums[row] + sum_of<T>(made));
  }
}

/// Adds short rows: eight at a time, so that no sum waits for the one before it.
template <class T>
[[gnu::always_inline]] inline void add_short_rows(const matrix<const T>& x, const T* v, T* sums) {
  constexpr ptrdiff_t together = 8;
  ptrdiff_t row = 0;
  for (; row + together <= x.rows; row += together) {
    std::array<T, together> made{};
    for (ptrdiff_t column = 0; column < x.columns; ++column) {
      for (ptrdiff_t k = 0; k < together; ++k) {
        made[k] = with_product(made[k], x.at(row + k, column), v[column]);
      }
    }
    for (ptrdiff_t k = 0; k < together; ++k) {
      sums[row + k] = static_cast<T>(sums[row + k] + made[k]);
    }
  }
  for (; row < x.rows; ++row) {
    T made{};
    for (ptrdiff_t column = 0; column < x.columns; ++column) {
      made = with_product(made, x.at(row, column), v[column]);
    }
    sums[row] = static_cast<T>(sums[row] + made);
  }
}

/// Adds columns whose elements are adjacent, eight at a time, times elements of the vector.
template <class T>
[[gnu::always_inline]] inline void add_columns(const matrix<const T>& x, const T* v,
                                               T* __restrict sums) {
  constexpr ptrdiff_t together = 8;
  constexpr ptrdiff_t most_rows = 4096;  // the sums stay in the nearest cache
  for (ptrdiff_t first = 0; first < x.rows; first += most_rows) {
    const ptrdiff_t rows = std::min(most_rows, x.rows - first);
    T* __restrict to = sums + first;
    ptrdiff_t column = 0;
    for (; column + together <= x.columns; column += together) {
      const T* from = &x.at(first, column);
      const ptrdiff_t step = x.column_stride;
      const T* of = v + column;
      for (ptrdiff_t k = 0; k < rows; ++k) {
        std::array<T, 4> pairs{};
        for (ptrdiff_t pair = 0; pair < 4; ++pair) {
          const T* of_pair = from + k + 2 * pair * step;
          pairs[pair] = with_product(with_product(T{}, of_pair[0], of[2 * pair]), of_pair[step],
                                     of[2 * pair + 1]);
        }
        to[k] = static_cast<T>(to[k] + ((pairs[0] + pairs[1]) + (pairs[2] + pairs[3])));
      }
    }
    for (; column < x.columns; ++column) {
      const T* from = &x.at(first, column);
      const T factor = v[column];
      for (ptrdiff_t k = 0; k < rows; ++k) {
        to[k] = with_product(to[k], from[k], factor);
      }
    }
  }
}

/// Adds columns of few rows: the sums of as many rows as a vector has lanes stay in it.
template <class T>
[[gnu::always_inline]] inline void add_short_columns(const matrix<const T>& x, const T* v,
                                                     T* __restrict sums) {
  constexpr ptrdiff_t n = lanes<T>;
  constexpr ptrdiff_t together = 4;
  constexpr ptrdiff_t most_columns = 128;  // stay in the nearest cache for the next rows
  for (ptrdiff_t begin = 0; begin < x.columns; begin += most_columns) {
    const ptrdiff_t end = std::min(begin + most_columns, x.columns);
    for (ptrdiff_t row = 0; row < x.rows; row += n) {
      const ptrdiff_t first = std::min(row, x.rows - n);  // the last ones are some of those before
      const T* from = &x.at(first, begin);
      vector<T> made[together]{};
      vector<T> of;
      ptrdiff_t column = begin;
      for (; column + together <= end; column += together) {
        for (ptrdiff_t k = 0; k < together; ++k) {
          load(of, from);
          made[k] += v[column + k] * of;
          from += x.column_stride;
        }
      }
      for (; column < end; ++column) {
        load(of, from);
        made[0] += v[column] * of;
        from += x.column_stride;
      }
      made[0] = (made[0] + made[1]) + (made[2] + made[3]);
      keep_last<T>(made[0], first + n - row);
      load(of, sums + first);
      of += made[0];
      std::memcpy(sums + first, &of, sizeof of);
    }
  }
}

/// Sets the sums to the products of a matrix's rows and a vector, which is one column.
template <class T>
[[gnu::always_inline]] inline void multiply_vector(const matrix<const T>& x,
                                                   const matrix<const T>& v, T* sums) {
  std::fill_n(sums, x.rows, T{});
  std::array<T, most_copied> copies;
  const bool is_strided = v.row_stride != 1 && v.rows > 1;
  const bool has_columns = x.row_stride == 1 && x.rows > 1;
  const bool copies_rows = x.column_stride != 1 && !has_columns && x.columns >= lanes<T>;
  const ptrdiff_t most = is_strided || copies_rows ? most_copied : x.columns;
  for (ptrdiff_t begin = 0; begin < x.columns; begin += most) {
    const ptrdiff_t end = std::min(begin + most, x.columns);
    const T* of =
        adjacent(&v.at(begin, 0), is_strided ? v.row_stride : 1, end - begin, copies.data());
    const matrix<const T> part{&x.at(0, begin), x.rows, end - begin, x.row_stride, x.column_stride};
    if (has_columns && x.rows >= lanes<T> && x.rows <= 8 * lanes<T>) {
      add_short_columns(part, of, sums);
    } else if (has_columns) {
      add_columns(part, of, sums);
    } else if (x.columns < lanes<T>) {
      add_short_rows(part, of, sums);
    } else if (x.column_stride == 1 && x.columns < 2 * lanes<T>) {
      add_rows_of_vectors<T, 1>(part, of, end - begin, sums);
    } else if (x.column_stride == 1 && x.columns < 3 * lanes<T>) {
      add_rows_of_vectors<T, 2>(part, of, end - begin, sums);
    } else {
      add_rows(x, of, begin, end, sums);
    }
  }
}

// ---- matrices

/// Copies fewer bytes than a vector has: a call of memcpy would take longer.
template <int nbytes>
[[gnu::always_inline]] inline void copy_few(std::byte* to, const std::byte* from,
                                            std::size_t count) {
  if constexpr (nbytes > 0) {
    if ((count & nbytes) != 0) {
      std::memcpy(to, from, nbytes);
      to += nbytes;
      from += nbytes;
    }
    copy_few<nbytes / 2>(to, from, count);
  }
}

/// Sets the rows of one panel, or adds to them: as many columns as a vector of so many bytes has
/// lanes, or fewer. `panel` has the rows of y that belong to the columns of x.
template <class T, ptrdiff_t together, int nbytes>
[[gnu::always_inline]] inline void multiply_panel(const matrix<const T>& x, const T* panel,
                                                  ptrdiff_t panel_stride, const matrix<T>& z,
                                                  bool adds) {
  typedef T panel_row __attribute__((vector_size(nbytes)));
  constexpr ptrdiff_t width = nbytes / static_cast<ptrdiff_t>(sizeof(T));
  for (ptrdiff_t row = 0; row < x.rows; row += together) {
    const ptrdiff_t count = std::min(together, x.rows - row);
    std::array<const T*, together> from;
    panel_row sums[together]{};
    for (ptrdiff_t k = 0; k < together; ++k) {
      from[k] = &x.at(row + std::min(k, count - 1), 0);
    }
    const T* of_y = panel;
    ptrdiff_t offset = 0;
    for (ptrdiff_t column = 0; column < x.columns; ++column) {
      panel_row y;
      std::memcpy(&y, of_y, sizeof y);
      for (ptrdiff_t k = 0; k < together; ++k) {
        sums[k] += from[k][offset] * y;
      }
      of_y += panel_stride;
      offset += x.column_stride;
    }
    for (ptrdiff_t k = 0; k < count; ++k) {
      T* to = &z.at(row + k, 0);
      alignas(nbytes) std::array<T, width> made;
      std::memcpy(made.data(), &sums[k], sizeof sums[k]);
      for (ptrdiff_t column = 0; adds && column < z.columns; ++column) {
        made[column] = static_cast<T>(to[column] + made[column]);
      }
      copy_few<nbytes>(reinterpret_cast<std::byte*>(to),
                       reinterpret_cast<const std::byte*>(made.data()),
                       static_cast<std::size_t>(z.columns) * sizeof(T));
    }
  }
}

/// The product of matrices: panel by panel, each in parts that the nearest cache has.
template <class T, ptrdiff_t together, int nbytes>
[[gnu::always_inline]] inline void multiply_panels(const matrix<const T>& x,
                                                   const matrix<const T>& y, const matrix<T>& z) {
  constexpr ptrdiff_t most_depth = 256;
  constexpr ptrdiff_t width = nbytes / static_cast<ptrdiff_t>(sizeof(T));
  alignas(64) std::array<T, static_cast<std::size_t>(most_depth * width)> copies;
  for (ptrdiff_t begin = 0; begin < x.columns; begin += most_depth) {
    const ptrdiff_t depth = std::min(most_depth, x.columns - begin);
    const matrix<const T> of_x{&x.at(0, begin), x.rows, depth, x.row_stride, x.column_stride};
    for (ptrdiff_t first = 0; first < y.columns; first += width) {
      const ptrdiff_t columns = std::min(width, y.columns - first);
      const matrix<T> to{&z.at(0, first), z.rows, columns, z.row_stride, 1};
      const T* panel = &y.at(begin, first);
      ptrdiff_t stride = y.row_stride;
      if (columns < width || y.column_stride != 1 || x.rows > together) {
        for (ptrdiff_t k = 0; k < depth; ++k) {
          T* row = copies.data() + k * width;
          const T* from = &y.at(begin + k, first);
          if (columns == width && y.column_stride == 1) {
            std::memcpy(row, from, nbytes);
            continue;
          }
          for (ptrdiff_t column = 0; column < width; ++column) {
            row[column] = column < columns ? from[column * y.column_stride] : T{};
          }
        }
        panel = copies.data();
        stride = width;
      }
      multiply_panel<T, together, nbytes>(of_x, panel, stride, to, begin > 0);
    }
  }
}

template <class T, ptrdiff_t together>
[[gnu::always_inline]] inline void multiply_matrices(const matrix<const T>& x,
                                                     const matrix<const T>& y, const matrix<T>& z) {
  if (y.columns <= lanes<T> / 2) {
    multiply_panels<T, together, 32>(x, y, z);
  } else {
    multiply_panels<T, together, 64>(x, y, z);
  }
}

// ---- for each processor

/// The loops as a processor has them.
template <class T>
struct loops {
  T (*dot)(const T*, const T*, ptrdiff_t) noexcept;
  void (*multiply_vector)(const matrix<const T>&, const matrix<const T>&, T*) noexcept;
  void (*multiply)(const matrix<const T>&, const matrix<const T>&, const matrix<T>&) noexcept;
};

#define USMX_PRODUCT_LOOPS(level, attributes, together)                                \
  template <class T>                                                                   \
  attributes T dot_##level(const T* a, const T* b, ptrdiff_t count) noexcept {         \
    return dot(a, b, count);                                                           \
  }                                                                                    \
  template <class T>                                                                   \
  attributes void vector_##level(const matrix<const T>& x, const matrix<const T>& v,   \
                                 T* sums) noexcept {                                   \
    multiply_vector(x, v, sums);                                                       \
  }                                                                                    \
  template <class T>                                                                   \
  attributes void matrices_##level(const matrix<const T>& x, const matrix<const T>& y, \
                                   const matrix<T>& z) noexcept {                      \
    multiply_matrices<T, together>(x, y, z);                                           \
  }
USMX_PRODUCT_LOOPS(baseline, , 2)
#ifdef __x86_64__
USMX_PRODUCT_LOOPS(avx2, [[gnu::target("avx2,fma")]], 4)
USMX_PRODUCT_LOOPS(avx512, [[gnu::target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]], 8)
#endif
#undef USMX_PRODUCT_LOOPS

template <class T>
loops<T> fastest_loops() {
#ifdef __x86_64__
  if (detail::cpu() == detail::cpu_level::avx512) {
    return {&dot_avx512<T>, &vector_avx512<T>, &matrices_avx512<T>};
  }
  if (detail::cpu() == detail::cpu_level::avx2 && __builtin_cpu_supports("fma")) {
    return {&dot_avx2<T>, &vector_avx2<T>, &matrices_avx2<T>};
  }
#endif
  return {&dot_baseline<T>, &vector_baseline<T>, &matrices_baseline<T>};
}

template <class T>
const loops<T>& own_loops() {
  static const loops<T> found = fastest_loops<T>();
  return found;
}

// ---- shares of threads

/// A range that is shared out in blocks of the loops.
struct shares {
  ptrdiff_t size;
  ptrdiff_t count;

  ptrdiff_t begin(ptrdiff_t share) const { return std::min(size, share * each()); }
  ptrdiff_t length(ptrdiff_t share) const { return begin(share + 1) - begin(share); }

 private:
  ptrdiff_t each() const {
    constexpr ptrdiff_t whole = 8;
    return ((size + count - 1) / count + whole - 1) / whole * whole;
  }
};

constexpr ptrdiff_t most_shares = 16;
constexpr ptrdiff_t most_partial_sums = 512;

/// Few rows of many elements: each thread makes sums of some columns, which are added in their
/// order.
template <class T>
void multiply_long_rows(const matrix<const T>& x, const matrix<const T>& v, T* sums,
                        ptrdiff_t threads) noexcept {
  const shares of{x.columns, threads};
  std::array<T, static_cast<std::size_t>(most_shares * most_partial_sums)> partial;
  detail::for_each_task(threads, [&](ptrdiff_t share) {
    const ptrdiff_t begin = of.begin(share);
    const ptrdiff_t length = of.length(share);
    own_loops<T>().multiply_vector({&x.at(0, begin), x.rows, length, x.row_stride, x.column_stride},
                                   {&v.at(begin, 0), length, 1, v.row_stride, 1},
                                   partial.data() + share * x.rows);
  });
  for (ptrdiff_t row = 0; row < x.rows; ++row) {
    sums[row] = partial[row];
    for (ptrdiff_t share = 1; share < threads; ++share) {
      sums[row] = static_cast<T>(sums[row] + partial[share * x.rows + row]);
    }
  }
}

/// The rows of a product, or of one by a vector.
template <class T>
void multiply_rows(const matrix<const T>& x, const matrix<const T>& y,
                   const matrix<T>& z) noexcept {
  if constexpr (is_vectorized<T>) {
    const loops<T>& own = own_loops<T>();
    if (y.columns > 1) {
      own.multiply(x, y, z);
    } else if (x.rows == 1 && x.column_stride == 1 && y.row_stride == 1) {
      *z.first = own.dot(x.first, y.first, x.columns);
    } else {
      own.multiply_vector(x, y, z.first);
    }
  } else {
    for (ptrdiff_t row = 0; row < x.rows; ++row) {
      T* sums = &z.at(row, 0);
      std::fill_n(sums, z.columns, T{});
      for (ptrdiff_t k = 0; k < x.columns; ++k) {
        const T factor = x.at(row, k);
        for (ptrdiff_t column = 0; column < z.columns; ++column) {
          sums[column] += factor * y.at(k, column);
        }
      }
    }
  }
}

/// The rows of the result have adjacent elements.
template <class T>
void multiply_one(const matrix<const T>& x, const matrix<const T>& y, const matrix<T>& z,
                  ptrdiff_t threads) noexcept {
  if constexpr (is_vectorized<T>) {
    if (y.columns == 1 && threads > 1 && x.rows <= most_partial_sums && x.columns > x.rows) {
      return multiply_long_rows(x, y, z.first, threads);
    }
  }
  // Another library's threads may spin on a processor: who has one alone then takes more shares.
  constexpr ptrdiff_t shares_of_a_thread = 4;
  constexpr ptrdiff_t rows_of_a_share = 200;
  const bool has_many = y.columns == 1 && threads > 1 && x.rows / rows_of_a_share > threads;
  const ptrdiff_t count =
      has_many ? std::min(threads * shares_of_a_thread, x.rows / rows_of_a_share) : threads;
  const shares of{x.rows, count};
  detail::for_each_task(count, [&](ptrdiff_t share) {
    const ptrdiff_t begin = of.begin(share);
    const ptrdiff_t length = of.length(share);
    if (length > 0) {
      multiply_rows<T>({&x.at(begin, 0), length, x.columns, x.row_stride, x.column_stride}, y,
                       {&z.at(begin, 0), length, z.columns, z.row_stride, 1});
    }
  });
}

constexpr ptrdiff_t endless = std::numeric_limits<ptrdiff_t>::max();

ptrdiff_t product_of(ptrdiff_t a, ptrdiff_t b) {
  ptrdiff_t made = 0;
  return __builtin_mul_overflow(a, b, &made) ? endless : made;
}

/// Calls the function with the type in which elements of this one are computed. False if the host
/// has none.
template <class Run>
bool with_computed_type(type_code type, const Run& run) {
  switch (type) {
    case type_code::bool_:
      run(std::type_identity<truth>());
      return true;
    case type_code::int8:
    case type_code::uint8:
      run(std::type_identity<std::uint8_t>());
      return true;
    case type_code::int16:
    case type_code::uint16:
      run(std::type_identity<std::uint16_t>());
      return true;
    case type_code::int32:
    case type_code::uint32:
      run(std::type_identity<std::uint32_t>());
      return true;
    case type_code::int64:
    case type_code::uint64:
      run(std::type_identity<std::uint64_t>());
      return true;
    case type_code::float32:
      run(std::type_identity<float>());
      return true;
    case type_code::float64:
      run(std::type_identity<double>());
      return true;
    case type_code::complex64:
      run(std::type_identity<complex_number<float>>());
      return true;
    case type_code::complex128:
      run(std::type_identity<complex_number<double>>());
      return true;
    default:
      return false;
  }
}

}  // namespace

host_product::host_product(const array& x, const array& y)
    : type_(x.type().code()),
      matrices_(x.ndim() == 3 ? x.shape()[0] : 1),
      rows_(x.ndim() == 1 ? 1 : x.shape()[x.ndim() - 2]),
      depth_(x.shape().back()),
      columns_(y.ndim() == 1 ? 1 : y.shape().back()),
      count_(product_of(product_of(matrices_, rows_), product_of(columns_, depth_))),
      x_{first_element(x), {}},
      y_{first_element(y), {}} {
  const auto strides_of = [](const array& of, bool is_column) {
    std::array<ptrdiff_t, 3> made{0, 1, 1};
    const std::span<const ptrdiff_t> strides = of.strides();
    if (strides.size() == 1) {
      made[is_column ? 1 : 2] = strides[0];
    } else {
      std::ranges::copy(strides, made.end() - static_cast<ptrdiff_t>(strides.size()));
    }
    return made;
  };
  x_.strides = strides_of(x, false);
  y_.strides = strides_of(y, true);
}

std::optional<host_product> host_product::of(const array& x, const array& y) {
  const auto is_matrix = [](const array& each) {
    return each.size() != 0 && each.ndim() >= 1 && each.ndim() <= 3;
  };
  if (!is_matrix(x) || !is_matrix(y) || x.type() != y.type() || x.type().is_structured() ||
      !with_computed_type(x.type().code(), [](auto) {})) {
    return std::nullopt;
  }
  const auto depth_of_y = y.shape()[y.ndim() == 1 ? 0 : y.ndim() - 2];
  const bool are_stacks = x.ndim() == 3 || y.ndim() == 3;
  if (x.shape().back() != depth_of_y ||
      (are_stacks && (x.ndim() != y.ndim() || x.shape()[0] != y.shape()[0]))) {
    return std::nullopt;
  }
  return host_product(x, y);
}

bool host_product::is_by_vector() const noexcept { return rows_ == 1 || columns_ == 1; }

bool host_product::is_vectorized() const noexcept {
  return dtype(type_).kind() != 'c' && type_ != type_code::bool_;
}

bool host_product::is_little() const noexcept {
  constexpr ptrdiff_t most = ptrdiff_t{1} << 18;
  constexpr ptrdiff_t most_by_vector = ptrdiff_t{1} << 17;  // each element comes from memory
  constexpr ptrdiff_t most_of_others = ptrdiff_t{1} << 14;
  return count_ <= (!is_vectorized() ? most_of_others : is_by_vector() ? most_by_vector : most);
}

bool host_product::is_best_here() const noexcept {
  constexpr ptrdiff_t most = ptrdiff_t{1} << 23;  // libraries take 50 us more to begin
  return is_vectorized() && (is_by_vector() || count_ <= most);
}

bool host_product::beats_kernels() const noexcept { return type_ != type_code::bool_; }

bool host_product::is_quick() const noexcept {
  constexpr ptrdiff_t most = ptrdiff_t{1} << 23;
  return count_ <= most;
}

template <class T>
void host_product::run_as(std::byte* to, bool on_all_threads) const noexcept {
  const auto at = [](const stack& of, ptrdiff_t k) {
    return reinterpret_cast<const T*>(of.first) + of.strides[0] * k;
  };
  const ptrdiff_t worth_a_thread = ptrdiff_t{1} << (is_by_vector() ? 17 : 20);
  const ptrdiff_t most = std::min<ptrdiff_t>(detail::thread_count(), most_shares);
  const ptrdiff_t threads =
      on_all_threads ? std::clamp<ptrdiff_t>(count_ / matrices_ / worth_a_thread, 1, most) : 1;
  for (ptrdiff_t k = 0; k < matrices_; ++k) {
    const matrix<const T> x{at(x_, k), rows_, depth_, x_.strides[1], x_.strides[2]};
    const matrix<const T> y{at(y_, k), depth_, columns_, y_.strides[1], y_.strides[2]};
    const matrix<T> z{reinterpret_cast<T*>(to) + k * rows_ * columns_, rows_, columns_, columns_,
                      1};
    if (rows_ == 1 && columns_ > 1) {  // a row by a matrix is the transposed one by a column
      multiply_one<T>(y.transposed(), x.transposed(), z.transposed(), threads);
    } else {
      multiply_one<T>(x, y, z, threads);
    }
  }
}

void host_product::run(std::byte* to, bool on_all_threads) const noexcept {
  with_computed_type(type_, [&]<class T>(std::type_identity<T>) { run_as<T>(to, on_all_threads); });
}

}  // namespace usmx::inline v1::internal
