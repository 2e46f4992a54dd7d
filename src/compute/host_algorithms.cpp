#include "compute/host_algorithms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "compute/host_functions.hpp"
#include "compute/sorted_rows.hpp"
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
void scan_rows(const host_rows& x, std::byte* to, dtype made_type, std::ptrdiff_t lead, A start) {
  const std::ptrdiff_t columns = x.columns;
  const detail::conversion read(x.type, dtype::of<A>());
  const detail::conversion write(dtype::of<A>(), made_type);
  const std::byte* from = x.first;
  std::vector<A> values(static_cast<std::size_t>(columns));
  std::vector<A> made(static_cast<std::size_t>(columns + lead), start);
  const auto in = reinterpret_cast<std::byte*>(values.data());
  const auto out = reinterpret_cast<const std::byte*>(made.data());
  for (std::ptrdiff_t row = 0; row < x.count; ++row) {
    read.adjacent(from, in, columns);
    scan_row<Of>(values.data(), made.data() + lead, columns);
    write.adjacent(out, to, columns + lead);
    from += columns * static_cast<std::ptrdiff_t>(x.type.itemsize());
    to += (columns + lead) * static_cast<std::ptrdiff_t>(made_type.itemsize());
  }
}

template <class Of>
void scan_in_type(const host_rows& x, std::byte* to, dtype made, std::ptrdiff_t lead, bool is_sum) {
  const auto run = [&]<class A>(A start) { scan_rows<Of, A>(x, to, made, lead, start); };
  const int start = is_sum ? 0 : 1;
  switch (made.code()) {
    case type_code::int64:
      return run(std::int64_t{start});
    case type_code::uint64:
      return run(std::uint64_t{is_sum ? 0U : 1U});
    case type_code::float32:
      if (!is_sum) {
        return run(static_cast<float>(start));
      }
      [[fallthrough]];  // sums have more digits than their addends
    default:
      return run(static_cast<double>(start));
  }
}

bool is_left_to_kernels(dtype type) { return type.kind() == 'c' || type == float16; }

}  // namespace

bool can_scan_on_host(dtype type, dtype made, std::ptrdiff_t count,
                      std::ptrdiff_t columns) noexcept {
  // Sums of floating-point numbers depend on the parts.
  const bool is_one_part = made.kind() != 'f' || columns <= shortest_scan_part;
  constexpr type_code results[] = {type_code::int64, type_code::uint64, type_code::float32,
                                   type_code::float64};
  return count <= max_host_scan && is_one_part && !is_left_to_kernels(type) &&
         std::ranges::find(results, made.code()) != std::end(results);
}

void scan_on_host(bool is_sum, const host_rows& x, std::byte* to, dtype made, std::ptrdiff_t lead) {
  return is_sum ? scan_in_type<added>(x, to, made, lead, true)
                : scan_in_type<multiplied>(x, to, made, lead, false);
}

bool can_sort_on_host(dtype type, std::ptrdiff_t count, std::ptrdiff_t columns) noexcept {
  return count <= max_host_sort && columns <= longest_host_sort && !is_left_to_kernels(type);
}

void sort_on_host(const host_rows& x, std::byte* to, bool is_descending, bool wants_indices) {
  const rows_to_sort rows{x.first, x.count, x.columns, is_descending};
  if (!wants_indices) {
    return sort_rows(x.type.code(), rows, to);
  }
  index_rows(x.type.code(), rows, reinterpret_cast<std::int64_t*>(to));
}

}  // namespace usmx::inline v1::internal
