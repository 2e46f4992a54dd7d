#include "usmx/compute/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "generated_kernels/reduction_loops.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/searching.hpp"
#include "usmx/compute/sorting.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

using std::ptrdiff_t;
using extents = std::vector<ptrdiff_t>;

/// The elements along axes in rows, and the shapes of results.
struct rows_along {
  array rows;     // the last axis goes along all of them
  extents shape;  // of a result for each row, as the call has it

  rows_along(const array& x, const reduction_axes& axes) : rows(x) {
    const std::vector<char> reduced =
        detail::reduced_flags(axes.axes.value(), static_cast<std::size_t>(x.ndim()));
    shape = detail::result_shape(x.shape(), reduced, axes.are_kept);
    extents order;
    extents extent_of_rows;
    ptrdiff_t length = 1;
    for (const bool is_reduced : {false, true}) {
      for (std::size_t k = 0; k < reduced.size(); ++k) {
        if ((reduced[k] != 0) != is_reduced) {
          continue;
        }
        order.push_back(static_cast<ptrdiff_t>(k));
        if (is_reduced) {
          length *= x.shape()[k];
        } else {
          extent_of_rows.push_back(x.shape()[k]);
        }
      }
    }
    extent_of_rows.push_back(length);
    const array moved = with_layout(x, permuted_axes(x.layout(), order));
    const std::optional<layout> found = usmx::reshaped(moved.layout(), extent_of_rows);
    rows = found ? with_layout(moved, *found) : in_c_order(moved).reshaped(extent_of_rows);
  }
};

array floating(const array& x) {
  return is_whole(x.type())
             ? astype(x, nearest_supported(float64, support_of(private_queue(x).get_device())))
             : x;
}

array element(const array& rows, ptrdiff_t index) { return rows.slice(ellipsis, index); }

/// NaN in rows whose last one is.
array with_nan(const array& found, const array& last) {
  return last.type().kind() == 'f' || last.type().kind() == 'c' ? where(isnan(last), last, found)
                                                                : found;
}

/// The mean of two, which is one of them where they are equal.
array middle_of(const array& low, const array& high) {
  extents shape(low.shape().begin(), low.shape().end());
  shape.push_back(2);
  const array both = new_beside(low, shape, low.type());
  copy_async(low, both.slice(ellipsis, 0));
  copy_async(high, both.slice(ellipsis, 1));
  return where(equal(low, high), low, mean(both, -1));
}

// ---- quantiles

/// The constants of R. J. Hyndman and Y. Fan (1996), of the methods that interpolate.
struct interpolation {
  quantile_method method;
  double alpha;
  double beta;
};
constexpr interpolation interpolations[] = {
    {quantile_method::interpolated_inverted_cdf, 0, 1},
    {quantile_method::hazen, 0.5, 0.5},
    {quantile_method::weibull, 0, 0},
    {quantile_method::median_unbiased, 1 / 3.0, 1 / 3.0},
    {quantile_method::normal_unbiased, 3 / 8.0, 3 / 8.0},
};

/// A position in sorted rows, and how far the quantile is from there to the next one.
struct quantile_position {
  double low;
  double between;
};

quantile_position position_of(double n, double q, quantile_method method) {
  using enum quantile_method;
  const auto* const of = std::ranges::find(interpolations, method, &interpolation::method);
  if (of != std::end(interpolations)) {
    const double at = n * q + (of->alpha + q * (1 - of->alpha - of->beta)) - 1;
    return {std::floor(at), at - std::floor(at)};
  }
  const bool is_of_counts =
      method == inverted_cdf || method == averaged_inverted_cdf || method == closest_observation;
  const double at = is_of_counts ? n * q - 1 : (n - 1) * q;
  const double low = std::floor(at);
  const double between = at - low;
  switch (method) {
    case lower:
      return {low, 0};
    case higher:
    case inverted_cdf:
      return {low, between > 0 ? 1.0 : 0.0};
    case midpoint:
      return {low, between > 0 ? 0.5 : 0.0};
    case nearest:
      return {low, std::nearbyint(at) - low};
    case averaged_inverted_cdf:
      return {low, between > 0 ? 1.0 : 0.5};
    case closest_observation: {
      const double half = std::floor(at - 0.5);
      const bool is_low = at - 0.5 == half && half - 2 * std::floor(half / 2) == 1;
      return {half + (is_low ? 0 : 1), 0};
    }
    default:
      return {low, between};
  }
}

bool chooses_elements(quantile_method method) {
  using enum quantile_method;
  return method == inverted_cdf || method == closest_observation || method == lower ||
         method == higher || method == nearest;
}

/// The number that is a part of the way from one to the other.
array between_of(const array& low, const array& high, const std::vector<double>& parts) {
  const type_support has = support_of(private_queue(low).get_device());
  const dtype type = low.type().kind() == 'f' ? low.type() : nearest_supported(float64, has);
  const array exact = from_host(private_queue(low), parts, low.kind());
  const array t = exact.type() == type ? exact : astype(exact, type);
  if (is_whole(low.type())) {  // the part is 0 or 1
    return where(greater(t, 0), high, low);
  }
  const array step = subtract(high, low);
  const array near = where(greater_equal(t, 0.5), subtract(high, multiply(step, subtract(1, t))),
                           add(low, multiply(step, t)));
  return where(equal(low, high), low, near);
}

array quantiles_of(const array& ordered, const std::vector<double>& parts, quantile_method method) {
  const ptrdiff_t n = ordered.shape().back();
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
  std::vector<double> between;
  const auto index = [&](double at) {
    return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(n - 1)));
  };
  for (const double part : parts) {
    const quantile_position at = position_of(static_cast<double>(n), part, method);
    first.push_back(index(at.low));
    second.push_back(index(at.low + 1));
    between.push_back(at.between);
  }
  const auto elements = [&](const std::vector<std::int64_t>& indices) {
    return take(ordered, from_host(private_queue(ordered), indices), -1);
  };
  array found = elements(first);
  if (std::ranges::any_of(between, [](double each) { return each != 0; })) {
    found = between_of(found, elements(second), between);
  }
  return ordered.type().kind() == 'f' ? with_nan(found, ordered.slice(ellipsis, range(n - 1)))
                                      : found;
}

array quantiles(std::string_view function, double whole, const array& x,
                const quantile_parts& parts, const reduction_axes& axes, quantile_method method) {
  require_plain(function, x.type());
  if (method > quantile_method::normal_unbiased) {
    throw value_error(detail::message(function, ": there is no method ", static_cast<int>(method)));
  }
  std::vector<double> of_one;
  for (const double part : parts.values()) {
    of_one.push_back(part / whole);
    if (!(part >= 0 && part <= whole)) {
      throw value_error(
          detail::message(function, ": parts must be from 0 to ", whole, ", found ", part));
    }
  }
  rows_along along(x, axes);
  if (along.rows.shape().back() == 0) {
    throw index_error(detail::message(function, ": there are no elements along the axes"));
  }
  const array rows = chooses_elements(method) ? along.rows : floating(along.rows);
  const array found = quantiles_of(sort(rows), of_one, method);
  if (!parts.is_one()) {
    along.shape.insert(along.shape.begin(), static_cast<ptrdiff_t>(of_one.size()));
  }
  const array moved = with_layout(
      found, moved_axes(found.layout(), std::array{ptrdiff_t{-1}}, std::array{ptrdiff_t{0}}));
  return in_c_order(moved).reshaped(along.shape);
}

}  // namespace
}  // namespace internal

array median(const array& x, const reduction_axes& axes) {
  internal::require_plain("median", x.type());
  const array numbers = internal::floating(x);
  const internal::rows_along along(numbers, axes);
  const std::ptrdiff_t n = along.rows.shape().back();
  if (n == 0) {
    return mean(along.rows, -1).reshaped(along.shape);
  }
  const array ordered = sort(along.rows);
  const array low = internal::element(ordered, (n - 1) / 2);
  const array found =
      n % 2 == 1 ? low : internal::middle_of(low, internal::element(ordered, n / 2));
  const array made = internal::with_nan(found, internal::element(ordered, n - 1));
  return internal::in_c_order(made).reshaped(along.shape);
}

array quantile(const array& x, const quantile_parts& parts, const reduction_axes& axes,
               quantile_method method) {
  return internal::quantiles("quantile", 1, x, parts, axes, method);
}

array percentile(const array& x, const quantile_parts& parts, const reduction_axes& axes,
                 quantile_method method) {
  return internal::quantiles("percentile", 100, x, parts, axes, method);
}

}  // namespace usmx::inline v1
