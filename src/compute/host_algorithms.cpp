#include "compute/host_algorithms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "array/array.hpp"
#include "compute/host_functions.hpp"
#include "copy/convert.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::inline v1::internal {
namespace {

// ---- cumulative sums and products

struct added {
  template <class A>
  static A joined(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return host::wrapping_add(a, b);
    } else {
      return a + b;
    }
  }
};

struct multiplied {
  template <class A>
  static A joined(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return host::wrapping_multiply(a, b);
    } else {
      return a * b;
    }
  }
};

/// The steps of scan.hpp for a row that is one part: eight results at a time are made without what
/// comes before them.
template <class Of, class A>
void scan_row(const A* from, A* to, std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t each = 8;
  A total = from[0];
  to[0] = total;
  std::ptrdiff_t k = 1;
  for (; k + each <= columns; k += each) {
    std::array<A, each> own;
    own[0] = from[k];
    for (std::ptrdiff_t lane = 1; lane < each; ++lane) {
      own[lane] = Of::joined(own[lane - 1], from[k + lane]);
    }
    for (std::ptrdiff_t lane = 0; lane < each; ++lane) {
      to[k + lane] = Of::joined(total, own[lane]);
    }
    total = Of::joined(total, own[each - 1]);
  }
  for (; k < columns; ++k) {
    total = Of::joined(total, from[k]);
    to[k] = total;
  }
}

/// A is the type in which the values are put together.
template <class Of, class A>
void scan_rows(const array& x, const array& z, int lead, A start) {
  const std::ptrdiff_t columns = x.shape().back();
  const detail::conversion read(x.type(), dtype::of<A>());
  const detail::conversion write(dtype::of<A>(), z.type());
  const std::byte* from = first_element(x);
  std::byte* to = first_element(z);
  std::vector<A> values(static_cast<std::size_t>(columns));
  std::vector<A> made(static_cast<std::size_t>(columns + lead), start);
  const auto in = reinterpret_cast<std::byte*>(values.data());
  const auto out = reinterpret_cast<const std::byte*>(made.data());
  for (std::ptrdiff_t row = 0; row < x.size() / columns; ++row) {
    read.adjacent(from, in, columns);
    scan_row<Of>(values.data(), made.data() + lead, columns);
    write.adjacent(out, to, columns + lead);
    from += columns * static_cast<std::ptrdiff_t>(x.type().itemsize());
    to += (columns + lead) * static_cast<std::ptrdiff_t>(z.type().itemsize());
  }
}

template <class Of>
bool scan_in_type(const array& x, const array& z, int lead, bool is_sum) {
  const auto run = [&]<class A>(A start) {
    scan_rows<Of, A>(x, z, lead, start);
    return true;
  };
  const int start = is_sum ? 0 : 1;
  switch (z.type().code()) {
    case type_code::int64:
      return run(std::int64_t{start});
    case type_code::uint64:
      return run(std::uint64_t{is_sum ? 0U : 1U});
    case type_code::float64:
      return run(static_cast<double>(start));
    case type_code::float32:  // sums have more digits than their addends
      return is_sum ? run(static_cast<double>(start)) : run(static_cast<float>(start));
    default:
      return false;
  }
}

// ---- sorting

template <class T>
void sort_row(const T* from, T* to, std::ptrdiff_t columns, bool is_descending) {
  std::copy_n(from, columns, to);
  if (is_descending) {
    std::stable_sort(to, to + columns, [](T a, T b) { return host::comes_first(b, a); });
  } else {
    std::stable_sort(to, to + columns, [](T a, T b) { return host::comes_first(a, b); });
  }
}

template <class T>
void place_row(const T* from, std::int64_t* to, std::ptrdiff_t columns, bool is_descending) {
  std::iota(to, to + columns, std::int64_t{0});
  if (is_descending) {
    std::stable_sort(to, to + columns, [=](std::int64_t a, std::int64_t b) {
      return host::comes_first(from[b], from[a]);
    });
  } else {
    std::stable_sort(to, to + columns, [=](std::int64_t a, std::int64_t b) {
      return host::comes_first(from[a], from[b]);
    });
  }
}

template <class T>
void sort_rows(const array& x, const array& z, bool is_descending, bool wants_indices) {
  const std::ptrdiff_t columns = x.shape().back();
  const T* from = reinterpret_cast<const T*>(first_element(x));
  for (std::ptrdiff_t first = 0; first < x.size(); first += columns) {
    if (wants_indices) {
      place_row(from + first, reinterpret_cast<std::int64_t*>(first_element(z)) + first, columns,
                is_descending);
    } else {
      sort_row(from + first, reinterpret_cast<T*>(first_element(z)) + first, columns,
               is_descending);
    }
  }
}

// ---- products of matrices

/// A matrix of a stack; strides in elements.
template <class T>
struct matrix {
  T* first;
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;

  T& at(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return first[row * row_stride + column * column_stride];
  }
};

template <class T>
matrix<T> matrix_of(const array& stack, std::ptrdiff_t place) {
  const auto strides = stack.strides();
  return {reinterpret_cast<T*>(first_element(stack)) + place * strides[0], stack.shape()[1],
          stack.shape()[2], strides[1], strides[2]};
}

/// Fused where the processor has that, as its compiler for kernels does.
template <bool IsFused, class T>
[[gnu::always_inline]] inline T with_product(T sum, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return host::wrapping_add(sum, host::wrapping_multiply(a, b));
  } else {
    return IsFused ? std::fma(a, b, sum) : sum + a * b;
  }
}

/// Each sum takes its products in the order of the kernel, which is that of the columns of x. `y`
/// has adjacent columns.
template <bool IsFused, class T>
[[gnu::always_inline]] inline void multiply_rows(const matrix<const T>& x, const matrix<const T>& y,
                                                 const matrix<T>& z) {
  for (std::ptrdiff_t row = 0; row < x.rows; ++row) {
    T* __restrict sums = &z.at(row, 0);
    std::fill_n(sums, z.columns, T(0));
    for (std::ptrdiff_t k = 0; k < x.columns; ++k) {
      const T a = x.at(row, k);
      const T* __restrict of_y = &y.at(k, 0);
      for (std::ptrdiff_t column = 0; column < z.columns; ++column) {
        sums[column] = with_product<IsFused>(sums[column], a, of_y[column]);
      }
    }
  }
}

/// Products for a `y` of one column: eight rows at a time, so that no sum waits for the one before
/// it.
template <bool IsFused, class T>
[[gnu::always_inline]] inline void multiply_column(const matrix<const T>& x,
                                                   const matrix<const T>& y, const matrix<T>& z) {
  constexpr std::ptrdiff_t together = 8;
  for (std::ptrdiff_t row = 0; row < x.rows; row += together) {
    const std::ptrdiff_t count = std::min(together, x.rows - row);
    std::array<T, together> sums{};
    std::array<const T*, together> from;
    for (std::ptrdiff_t k = 0; k < together; ++k) {
      from[k] = &x.at(row + std::min(k, count - 1), 0);
    }
    for (std::ptrdiff_t column = 0; column < x.columns; ++column) {
      for (std::ptrdiff_t k = 0; k < together; ++k) {
        sums[k] =
            with_product<IsFused>(sums[k], from[k][column * x.column_stride], y.at(column, 0));
      }
    }
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      z.at(row + k, 0) = sums[k];
    }
  }
}

template <class T>
using multiplication = void (*)(const matrix<const T>&, const matrix<const T>&, const matrix<T>&);

template <class T>
void multiply_rounded(const matrix<const T>& x, const matrix<const T>& y, const matrix<T>& z) {
  y.columns == 1 ? multiply_column<false>(x, y, z) : multiply_rows<false>(x, y, z);
}

#ifdef __x86_64__
template <class T>
[[gnu::target("avx2,fma")]] void multiply_fused(const matrix<const T>& x, const matrix<const T>& y,
                                                const matrix<T>& z) {
  y.columns == 1 ? multiply_column<true>(x, y, z) : multiply_rows<true>(x, y, z);
}
#endif

template <class T>
multiplication<T> fastest_multiplication() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return &multiply_fused<T>;
  }
#endif
  return &multiply_rounded<T>;
}

/// A copy with adjacent columns.
template <class T>
matrix<const T> adjacent_columns(const matrix<const T>& y, std::vector<T>& copies) {
  copies.resize(static_cast<std::size_t>(y.rows * y.columns));
  auto to = copies.begin();
  for (std::ptrdiff_t row = 0; row < y.rows; ++row) {
    for (std::ptrdiff_t column = 0; column < y.columns; ++column) {
      *to++ = y.at(row, column);
    }
  }
  return {copies.data(), y.rows, y.columns, y.columns, 1};
}

template <class T>
void multiply_stacks(const array& x, const array& y, const array& z) {
  static const multiplication<T> multiply = fastest_multiplication<T>();
  std::vector<T> copies;
  for (std::ptrdiff_t k = 0; k < z.shape()[0]; ++k) {
    const matrix<const T> right = matrix_of<const T>(y, k);
    const bool is_adjacent = right.column_stride == 1 || right.columns == 1;
    multiply(matrix_of<const T>(x, k), is_adjacent ? right : adjacent_columns(right, copies),
             matrix_of<T>(z, k));
  }
}

}  // namespace

bool scan_on_host(std::string_view name, const array& x, const array& z, int lead) {
  constexpr std::ptrdiff_t shortest_part = 512;  // in usmx/_compute/scans.py
  const char kind = x.type().kind();
  if (x.size() > max_host_scan || x.shape().back() > shortest_part || kind == 'c' ||
      x.type() == float16) {
    return false;
  }
  return name == "sum" ? scan_in_type<added>(x, z, lead, true)
                       : scan_in_type<multiplied>(x, z, lead, false);
}

bool sort_on_host(const array& x, const array& z, bool is_descending, bool wants_indices) {
  if (x.size() > max_host_sort || x.type().kind() == 'c' || x.type() == float16) {
    return false;
  }
  visit<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
        std::uint32_t, std::uint64_t, float, double>(x.type(), [&]<class T>(std::type_identity<T>) {
    sort_rows<T>(x, z, is_descending, wants_indices);
  });
  return true;
}

bool multiply_on_host(const array& x, const array& y, const array& z) {
  if (z.size() > max_host_products / x.shape()[2]) {
    return false;
  }
  switch (z.type().code()) {
    case type_code::int32:
      multiply_stacks<std::int32_t>(x, y, z);
      return true;
    case type_code::int64:
      multiply_stacks<std::int64_t>(x, y, z);
      return true;
    case type_code::float32:
      multiply_stacks<float>(x, y, z);
      return true;
    case type_code::float64:
      multiply_stacks<double>(x, y, z);
      return true;
    default:
      return false;
  }
}

}  // namespace usmx::inline v1::internal
