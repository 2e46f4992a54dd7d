#include "usmx/compute/matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "copy/copy.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/products.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

using linalg::matrix_norm_order;
using std::ptrdiff_t;
using extents = std::vector<ptrdiff_t>;

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The array, or of integers and bools the default real numbers.
array inexact(std::string_view function, const array& x) {
  require_plain(detail::message("linalg.", function), x.type());
  return is_whole(x.type())
             ? astype(x, nearest_supported(float64, support_of(private_queue(x).get_device())))
             : x;
}

/// In a type that LAPACK has.
array for_lapack(std::string_view function, const array& x) {
  if (x.type() == float16) {
    throw type_error(
        detail::message("linalg.", function, ": array type float16 is unsupported in linalg"));
  }
  return inexact(function, x);
}

void require_matrices(std::string_view function, const array& x) {
  if (x.ndim() < 2) {
    throw linalg_error(detail::message("linalg.", function,
                                       ": x must have at least 2 dimensions, found shape ",
                                       tuple_text(x.shape())));
  }
}

void require_square(std::string_view function, const array& x) {
  if (x.ndim() < 2 || x.extent(x.ndim() - 1) != x.extent(x.ndim() - 2)) {
    throw linalg_error(detail::message(
        "linalg.", function, ": x must be square matrices, found shape ", tuple_text(x.shape())));
  }
}

std::ptrdiff_t product_of(std::span<const ptrdiff_t> extents_of) {
  ptrdiff_t product = 1;
  for (const ptrdiff_t each : extents_of) {
    product = checked_multiply(product, each, "linalg: the number of elements");
  }
  return product;
}

/// A view with an axis moved to another index.
array moved(const array& x, ptrdiff_t from, ptrdiff_t to) {
  return with_layout(x, moved_axes(x.layout(), std::array{from}, std::array{to}));
}

array adjoint(const array& x) { return conj(with_layout(x, matrix_transposed(x.layout()))); }

/// The largest of sizes, which are not negative: 0 where there are none.
array largest(const array& sizes, const reduction_axes& along) {
  return sizes.size() == 0 ? sum(sizes, along) : max(sizes, along);
}

array norm_of_vectors(const array& x, double order, const reduction_axes& along) {
  const array sizes = abs(x);
  if (order == unbounded) {
    return largest(sizes, along);
  }
  if (order == -unbounded) {
    return min(sizes, along);
  }
  if (order == 0) {
    return astype(count_nonzero(sizes, along), sizes.type());
  }
  if (order == 1) {
    return sum(sizes, along);
  }
  if (order == 2) {
    return sqrt(sum(multiply(sizes, sizes), along));
  }
  return pow(sum(pow(sizes, order), along), 1.0 / order);
}

array norm_of_matrices(std::string_view function, const array& given, matrix_norm_order order,
                       bool are_kept, const linalg::options& how) {
  using enum matrix_norm_order;
  detail::require_one_of(order, smallest_row, detail::message("linalg.", function, ": the order"),
                         "one of matrix_norm_order");
  const array x = inexact(function, given);
  require_matrices(function, x);
  const auto kept = [&](const array& found) {
    return are_kept ? found.slice(ellipsis, newaxis, newaxis) : found;
  };
  const auto sums = [&](ptrdiff_t axis) { return sum(abs(x), {.axes = axis, .are_kept = true}); };
  switch (order) {
    case frobenius:
      return norm_of_vectors(x, 2, {.axes = {-2, -1}, .are_kept = are_kept});
    case nuclear:
      return kept(sum(linalg::svdvals(x, how), -1));
    case largest_singular:
      return kept(largest(linalg::svdvals(x, how), {.axes = -1}));
    case smallest_singular:
      return kept(min(linalg::svdvals(x, how), -1));
    case largest_column:
      return kept(largest(sums(-2), {.axes = {-2, -1}}));
    case smallest_column:
      return kept(min(sums(-2), {-2, -1}));
    case largest_row:
      return kept(largest(sums(-1), {.axes = {-2, -1}}));
    case smallest_row:
      break;
  }
  return kept(min(sums(-1), {-2, -1}));
}

/// The limits above which singular values count, beside them.
array least_of(const array& x, const array& values, std::optional<double> rtol) {
  const double precision = values.type() == float32 ? double{std::numeric_limits<float>::epsilon()}
                                                    : std::numeric_limits<double>::epsilon();
  const ptrdiff_t larger = std::max(x.extent(x.ndim() - 1), x.extent(x.ndim() - 2));
  return multiply(values.slice(ellipsis, range(0, 1)),
                  rtol.value_or(precision * static_cast<double>(larger)));
}

/// A product of arrays first to last, split where that takes the fewest operations.
class matrix_chain {
 public:
  explicit matrix_chain(std::vector<array> matrices)
      : all_(std::move(matrices)), splits_(all_.size() * all_.size()) {
    std::vector<double> lengths;
    lengths.reserve(count() + 1);
    for (const array& each : all_) {
      lengths.push_back(static_cast<double>(each.extent(0)));
    }
    lengths.push_back(static_cast<double>(all_.back().extent(1)));
    std::vector<double> costs(splits_.size());
    for (std::size_t length = 1; length < count(); ++length) {
      for (std::size_t first = 0; first + length < count(); ++first) {
        const std::size_t last = first + length;
        double least = unbounded;
        for (std::size_t k = first; k < last; ++k) {
          const double cost = costs[at(first, k)] + costs[at(k + 1, last)] +
                              lengths[first] * lengths[k + 1] * lengths[last + 1];
          if (k == first || cost < least) {
            least = cost;
            splits_[at(first, last)] = k;
          }
        }
        costs[at(first, last)] = least;
      }
    }
  }

  array product() const { return product(0, count() - 1); }

 private:
  std::size_t count() const noexcept { return all_.size(); }
  std::size_t at(std::size_t first, std::size_t last) const noexcept {
    return first * count() + last;
  }
  array product(std::size_t first, std::size_t last) const {
    if (first == last) {
      return all_[first];
    }
    const std::size_t middle = splits_[at(first, last)];
    return matmul(product(first, middle), product(middle + 1, last));
  }

  std::vector<array> all_;
  std::vector<std::size_t> splits_;
};

}  // namespace
}  // namespace internal

namespace linalg {

using internal::extents;

array diagonal(const array& x, std::ptrdiff_t offset) {
  if (x.ndim() < 2) {
    throw value_error(detail::message("diagonal: x must have at least 2 dimensions, found shape ",
                                      tuple_text(x.shape())));
  }
  const std::ptrdiff_t rows = x.extent(x.ndim() - 2);
  const std::ptrdiff_t columns = x.extent(x.ndim() - 1);
  const std::ptrdiff_t down = offset < 0 ? std::min(rows, offset < -rows ? rows : -offset) : 0;
  const std::ptrdiff_t right = offset > 0 ? std::min(columns, offset) : 0;
  const array part = x.slice(ellipsis, range(down, rows), range(right, columns));
  const usmx::layout& of = part.layout();
  extents shape(of.shape().begin(), of.shape().end());
  extents strides(of.strides().begin(), of.strides().end());
  const std::ptrdiff_t step = strides.back();
  strides.pop_back();
  strides.back() += step;
  const std::ptrdiff_t last = shape.back();
  shape.pop_back();
  shape.back() = std::min(shape.back(), last);
  return internal::with_layout(part, usmx::layout::strided(shape, strides, of.offset()));
}

array trace(const array& x, std::ptrdiff_t offset) { return sum(diagonal(x, offset), -1); }

array vector_norm(const array& x, const vector_norm_options& how) {
  return internal::norm_of_vectors(internal::inexact("vector_norm", x), how.order,
                                   {.axes = how.axes, .are_kept = how.are_kept});
}

array matrix_norm(const array& x, matrix_norm_order order, bool are_kept) {
  return internal::norm_of_matrices("matrix_norm", x, order, are_kept, {});
}

array norm(const array& given, const norm_options& how) {
  using enum matrix_norm_order;
  const array x = internal::inexact("norm", given);
  std::optional<extents> axes = how.axes.value();
  if (!axes && !how.order) {
    return internal::norm_of_vectors(x, 2, {.are_kept = how.are_kept});
  }
  if (!axes) {
    axes.emplace(static_cast<std::size_t>(x.ndim()));
    std::iota(axes->begin(), axes->end(), 0);
  }
  for (std::ptrdiff_t& axis : *axes) {
    axis = normalized_axis(axis, x.ndim());
  }
  if (axes->size() == 1) {
    return internal::norm_of_vectors(x, how.order.value_or(2),
                                     {.axes = *axes, .are_kept = how.are_kept});
  }
  if (axes->size() != 2 || axes->front() == axes->back()) {
    throw value_error(detail::message("linalg.norm: expected 1 or 2 axes of ", x.ndim(), ", found ",
                                      tuple_text(*axes)));
  }
  constexpr std::pair<double, matrix_norm_order> orders[] = {{1, largest_column},
                                                             {-1, smallest_column},
                                                             {2, largest_singular},
                                                             {-2, smallest_singular},
                                                             {internal::unbounded, largest_row},
                                                             {-internal::unbounded, smallest_row}};
  matrix_norm_order order = frobenius;
  if (how.order) {
    const auto* found =
        std::ranges::find(orders, *how.order, &std::pair<double, matrix_norm_order>::first);
    if (found == std::end(orders)) {
      throw value_error(detail::message("linalg.norm: ", *how.order, " is no norm of matrices"));
    }
    order = found->second;
  }
  constexpr std::array<std::ptrdiff_t, 2> last{-2, -1};
  const array matrices = internal::with_layout(x, moved_axes(x.layout(), *axes, last));
  const array found = internal::norm_of_matrices("norm", matrices, order, how.are_kept, {});
  return how.are_kept ? internal::with_layout(found, moved_axes(found.layout(), last, *axes))
                      : found;
}

array cond(const array& given, matrix_norm_order order) {
  using enum matrix_norm_order;
  const array x = internal::for_lapack("cond", given);
  const bool is_of_values = order == largest_singular || order == smallest_singular;
  internal::require_matrices("cond", x);
  if (!is_of_values) {
    internal::require_square("cond", x);
  }
  if (x.extent(x.ndim() - 1) == 0 || x.extent(x.ndim() - 2) == 0) {
    throw linalg_error("linalg.cond: a matrix without elements has no condition number");
  }
  constexpr options unchecked{.is_checked = false};  // of what has no result the norms are NaN
  array found = x;
  if (is_of_values) {
    const array values = svdvals(x, unchecked);
    const array first = values.slice(ellipsis, 0);
    const array last = values.slice(ellipsis, values.extent(values.ndim() - 1) - 1);
    found = order == largest_singular ? divide(first, last) : divide(last, first);
  } else {
    found =
        multiply(internal::norm_of_matrices("cond", x, order, false, unchecked),
                 internal::norm_of_matrices("cond", inv(x, unchecked), order, false, unchecked));
  }
  const array has_nan = any_of(isnan(x), {-2, -1});
  return where(logical_and(isnan(found), logical_not(has_nan)), internal::unbounded, found);
}

array matrix_rank(const array& given, std::optional<double> rtol) {
  const array x = internal::for_lapack("matrix_rank", given);
  if (x.ndim() < 2) {
    return astype(any_of(x), int64);
  }
  const array values = svdvals(x);
  if (values.extent(values.ndim() - 1) == 0) {
    return zeros(x.shape().first(x.shape().size() - 2), int64, internal::private_queue(x),
                 x.kind());
  }
  return count_nonzero(greater(values, internal::least_of(x, values, rtol)), -1);
}

array pinv(const array& given, std::optional<double> rtol) {
  const array x = internal::for_lapack("pinv", given);
  internal::require_matrices("pinv", x);
  if (x.size() == 0) {
    extents shape(x.shape().begin(), x.shape().end());
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return zeros(shape, x.type(), internal::private_queue(x), x.kind());
  }
  const svd_result parts = svd(x, false);
  const array is_kept = greater(parts.s, internal::least_of(x, parts.s, rtol));
  const array inverses = where(is_kept, reciprocal(parts.s), 0.0);
  return matmul(internal::adjoint(parts.vh),
                multiply(inverses.slice(ellipsis, newaxis), internal::adjoint(parts.u)));
}

array tensorinv(const array& a, int count) {
  if (count < 1) {
    throw value_error(
        detail::message("linalg.tensorinv: the count must be at least 1, found ", count));
  }
  const array x = internal::for_lapack("tensorinv", a);
  const std::size_t split = std::min(static_cast<std::size_t>(count), x.shape().size());
  const auto first = x.shape().first(split);
  const auto last = x.shape().subspan(split);
  extents shape(last.begin(), last.end());
  shape.insert(shape.end(), first.begin(), first.end());
  const array matrix =
      internal::in_c_order(x).reshaped({internal::product_of(first), internal::product_of(last)});
  return internal::in_c_order(inv(matrix)).reshaped(shape);
}

array tensorsolve(const array& a, const array& b, const std::vector<std::ptrdiff_t>& axes) {
  array x = internal::for_lapack("tensorsolve", a);
  const array right = internal::for_lapack("tensorsolve", b);
  extents order;
  for (const std::ptrdiff_t axis : axes) {
    order.push_back(normalized_axis(axis, x.ndim()));
  }
  for (std::ptrdiff_t axis = x.ndim() - 1; axis >= 0; --axis) {
    if (std::ranges::find(order, axis) == order.end()) {
      order.insert(order.begin(), axis);
    }
  }
  x = internal::with_layout(x, permuted_axes(x.layout(), order));
  const std::size_t split = std::min(right.shape().size(), x.shape().size());
  const auto rest = x.shape().subspan(split);
  const std::ptrdiff_t size = internal::product_of(rest);
  if (x.size() != checked_multiply(size, size, "linalg.tensorsolve") || right.size() != size) {
    throw linalg_error(detail::message("linalg.tensorsolve: shapes do not fit, found ",
                                       tuple_text(a.shape()), " and ", tuple_text(b.shape())));
  }
  const extents shape(rest.begin(), rest.end());
  return solve(internal::in_c_order(x).reshaped({size, size}),
               internal::in_c_order(right).reshaped({size}))
      .reshaped(shape);
}

array matrix_power(const array& x, std::int64_t power) {
  internal::require_square("matrix_power", x);
  if (power == 0) {
    const array unit = zeros(x.shape(), x.type(), internal::private_queue(x), x.kind());
    fill_async(diagonal(unit), 1);
    return unit;
  }
  array factor = power < 0 ? inv(x) : x;
  std::uint64_t left =
      power < 0 ? -static_cast<std::uint64_t>(power) : static_cast<std::uint64_t>(power);
  std::optional<array> made;
  for (bool is_first = true;; is_first = false) {
    if ((left & 1) != 0) {
      made = made                                 ? matmul(*made, factor)
             : is_first && power > 0 && left == 1 ? clone(factor)
                                                  : factor;
    }
    left >>= 1;
    if (left == 0) {
      return *std::move(made);
    }
    factor = matmul(factor, factor);
  }
}

array multi_dot(std::span<const array> arrays) {
  if (arrays.size() < 2) {
    throw value_error(
        detail::message("linalg.multi_dot: expected 2 arrays or more, found ", arrays.size()));
  }
  std::vector<array> all(arrays.begin(), arrays.end());
  const bool is_row = all.front().ndim() == 1;
  const bool is_column = all.back().ndim() == 1;
  all.front() = is_row ? all.front().slice(newaxis) : all.front();
  all.back() = is_column ? all.back().slice(ellipsis, newaxis) : all.back();
  if (std::ranges::any_of(all, [](const array& each) { return each.ndim() != 2; })) {
    throw linalg_error("linalg.multi_dot: expected matrices");
  }
  array made = internal::matrix_chain(std::move(all)).product();
  made = is_row ? made.slice(0) : made;
  return is_column ? made.slice(ellipsis, 0) : made;
}

array outer(const array& x1, const array& x2) {
  if (x1.ndim() != 1 || x2.ndim() != 1) {
    throw value_error(detail::message("linalg.outer: expected vectors, found shapes ",
                                      tuple_text(x1.shape()), " and ", tuple_text(x2.shape())));
  }
  return multiply(x1.slice(ellipsis, newaxis), x2);
}

array cross(const array& x1, const array& x2, std::ptrdiff_t axis) {
  const array a = internal::moved(x1, axis, -1);
  const array b = internal::moved(x2, axis, -1);
  if (a.extent(a.ndim() - 1) != 3 || b.extent(b.ndim() - 1) != 3) {
    throw value_error(detail::message(
        "linalg.cross: input arrays must be (arrays of) 3-dimensional vectors, found shapes ",
        tuple_text(x1.shape()), " and ", tuple_text(x2.shape())));
  }
  std::optional<array> made;
  for (const std::ptrdiff_t k : {0, 1, 2}) {
    const auto times = [&](std::ptrdiff_t of_a, std::ptrdiff_t of_b) {
      return multiply(a.slice(ellipsis, (k + of_a) % 3), b.slice(ellipsis, (k + of_b) % 3));
    };
    const array part = subtract(times(1, 2), times(2, 1));
    if (!made) {
      extents shape(part.shape().begin(), part.shape().end());
      shape.push_back(3);
      made = internal::new_beside(part, shape, part.type());
    }
    detail::copy_in_order(part, made->slice(ellipsis, k));
  }
  const int index = normalized_axis(axis, made->ndim());
  return internal::moved(*made, -1, index);
}

}  // namespace linalg
}  // namespace usmx::inline v1
