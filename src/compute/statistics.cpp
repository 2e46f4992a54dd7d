#include "usmx/compute/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
#include "generated_kernels/reduction_loops.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/joining.hpp"
#include "usmx/compute/scans.hpp"
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
          length = checked_multiply(length, x.shape()[k], "quantile: the elements of a row");
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
             ? in_type(x, nearest_supported(float64, support_of(private_queue(x).get_device())))
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
  detail::copy_in_order(low, both.slice(ellipsis, 0));
  detail::copy_in_order(high, both.slice(ellipsis, 1));
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
  if (x.type().kind() == 'c') {
    throw type_error(
        detail::message(function, ": the elements must be real numbers, found ", x.type()));
  }
  detail::require_one_of(method, quantile_method::normal_unbiased,
                         detail::message(function, ": the method"), "one of quantile_method");
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

// ---- averages and differences

array ptp(const array& x, const reduction_axes& axes) {
  return subtract(max(x, axes), min(x, axes));
}

namespace internal {
namespace {

/// Weights of the shape of the array.
array weights_like(const array& x, const array& weights, const reduction_axes& axes) {
  if (std::ranges::equal(weights.shape(), x.shape())) {
    return weights;
  }
  if (!axes.axes.value()) {
    throw value_error("average: axes are needed where the weights have another shape");
  }
  extents given;
  extents expected;
  for (const ptrdiff_t axis : *axes.axes.value()) {
    given.push_back(normalized_axis(axis, x.ndim()));
    expected.push_back(x.extent(static_cast<int>(given.back())));
  }
  if (!std::ranges::equal(weights.shape(), expected)) {
    throw value_error(detail::message("average: weights must have shape ", tuple_text(expected),
                                      ", found ", tuple_text(weights.shape())));
  }
  extents order(given.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](ptrdiff_t k) { return given[static_cast<std::size_t>(k)]; });
  const array sorted = with_layout(weights, permuted_axes(weights.layout(), order));
  extents others;
  for (ptrdiff_t k = 0; k < x.ndim(); ++k) {
    if (std::ranges::find(given, k) == given.end()) {
      others.push_back(k);
    }
  }
  return with_layout(sorted, broadcast(expanded(sorted.layout(), others), x.shape()));
}

bool may_have_nan(const array& x) noexcept {
  return x.type().kind() == 'f' || x.type().kind() == 'c';
}

/// The elements, and a number in the place of each NaN.
array without_nan(const array& x, double number) {
  return may_have_nan(x) ? where(isnan(x), number, x) : x;
}

array extreme_number(const array& x, const reduction_axes& axes, double worst,
                     array (*function)(const array&, const reduction_axes&,
                                       const generated_call_options&)) {
  if (!may_have_nan(x)) {
    return function(x, axes, {});
  }
  const array found = function(without_nan(x, worst), axes, {});
  const array numbers = count_nonzero(logical_not(isnan(x)), axes);
  return where(numbers, found, std::numeric_limits<double>::quiet_NaN());
}

/// The type in which sums of elements are kept.
dtype widest(const array& x) {
  const type_support has = support_of(private_queue(x).get_device());
  return nearest_supported(x.type().kind() == 'c' ? complex128 : float64, has);
}

/// The mean of the elements where a mask holds; `removed` is taken from their number.
array mean_where(const array& mask, const array& x, dtype type, double removed,
                 const reduction_axes& axes) {
  const array total = sum(where(mask, x, 0), axes, {.type = type});
  array count = in_type(count_nonzero(mask, axes), real_part_type(type));
  if (removed != 0) {
    count = maximum(subtract(count, removed), 0);
  }
  return divide(total, count);
}

array spread_of_numbers(const array& x, const reduction_axes& axes, double correction,
                        bool is_root) {
  if (!may_have_nan(x)) {
    return is_root ? usmx::std(x, axes, {.correction = correction})
                   : var(x, axes, {.correction = correction});
  }
  const dtype type = widest(x);
  const array mask = logical_not(isnan(x));
  const array middle = mean_where(mask, x, type, 0, {.axes = axes.axes, .are_kept = true});
  const array distance = abs(subtract(in_type(x, type), middle));
  array found =
      mean_where(mask, multiply(distance, distance), real_part_type(type), correction, axes);
  found = in_type(is_root ? sqrt(found) : found, real_part_type(x.type()));
  return where(greater(count_nonzero(mask, axes), correction), found,
               std::numeric_limits<double>::quiet_NaN());
}

}  // namespace
}  // namespace internal

average_result average(const array& x, const array& weights, const reduction_axes& axes) {
  internal::require_plain("average", x.type());
  internal::require_plain("average", weights.type());
  const array factors = internal::weights_like(x, weights, axes);
  const type_support has = support_of(internal::private_queue(x).get_device());
  const bool is_whole = internal::is_whole(x.type());
  const dtype least = is_whole ? float64 : float32;
  const dtype type =
      is_whole ? internal::floating(multiply(x, factors)).type()
               : nearest_supported(
                     internal::promoted(internal::promoted(x.type(), factors.type()), least), has);
  const array total = sum(factors, axes, {.type = type});
  if (any_of(equal(total, 0)).item<bool>()) {
    throw value_error("average: the weights sum up to 0, so that there is no mean");
  }
  const array made = sum(multiply(internal::in_type(x, type), factors), axes);
  return {divide(made, total), total};
}

array diff(const array& given, const diff_options& how) {
  if (how.n < 0) {
    throw value_error(detail::message("diff: n must not be negative, found ", how.n));
  }
  internal::require_plain("diff", given.type());
  const auto axis = static_cast<std::size_t>(normalized_axis(how.axis, given.ndim()));
  if (how.n == 0) {
    return given;
  }
  array x = given;
  if (how.prepend || how.append) {
    internal::extents edge(x.shape().begin(), x.shape().end());
    edge[axis] = 1;
    std::vector<array> parts;
    for (const std::optional<array>& part : {how.prepend, std::optional(given), how.append}) {
      if (part) {
        parts.push_back(part->ndim() == 0
                            ? internal::with_layout(*part, broadcast(part->layout(), edge))
                            : *part);
      }
    }
    x = concat(parts, static_cast<ptrdiff_t>(axis));
  }
  std::vector<index_item> later(axis, range());
  std::vector<index_item> earlier = later;
  later.push_back(range(1, index_item::none));
  earlier.push_back(range(0, -1));
  const ptrdiff_t times = std::min(how.n, x.extent(static_cast<int>(axis)));
  for (ptrdiff_t k = 0; k < times; ++k) {  // an axis without elements stays so
    const array after = internal::with_layout(x, subscript(x.layout(), later));
    const array before = internal::with_layout(x, subscript(x.layout(), earlier));
    x = x.type() == bool_ ? not_equal(after, before) : subtract(after, before);
  }
  return x;
}

// ---- without NaN

namespace {
constexpr double endless = std::numeric_limits<double>::infinity();
}  // namespace

array nansum(const array& x, const reduction_axes& axes) {
  return sum(internal::without_nan(x, 0), axes);
}
array nanprod(const array& x, const reduction_axes& axes) {
  return prod(internal::without_nan(x, 1), axes);
}
array nanmax(const array& x, const reduction_axes& axes) {
  return internal::extreme_number(x, axes, -endless, &max);
}
array nanmin(const array& x, const reduction_axes& axes) {
  return internal::extreme_number(x, axes, endless, &min);
}
array nanargmax(const array& x, const reduction_axes& axes) {
  return argmax(internal::without_nan(x, -endless), axes);
}
array nanargmin(const array& x, const reduction_axes& axes) {
  return argmin(internal::without_nan(x, endless), axes);
}
array nanmean(const array& x, const reduction_axes& axes) {
  if (!internal::may_have_nan(x)) {
    return mean(x, axes);
  }
  const array found = internal::mean_where(logical_not(isnan(x)), x, internal::widest(x), 0, axes);
  return internal::in_type(found, x.type());
}
array nanvar(const array& x, const reduction_axes& axes, double correction) {
  return internal::spread_of_numbers(x, axes, correction, false);
}
array nanstd(const array& x, const reduction_axes& axes, double correction) {
  return internal::spread_of_numbers(x, axes, correction, true);
}
array nanmedian(const array& x, const reduction_axes& axes) {
  internal::require_plain("nanmedian", x.type());
  if (x.type().kind() != 'f') {
    return median(x, axes);
  }
  const internal::rows_along along(x, axes);
  if (along.rows.shape().back() == 0) {
    return mean(along.rows, -1).reshaped(along.shape);
  }
  const array ordered = sort(along.rows);  // NaN is at the end
  const array count = count_nonzero(logical_not(isnan(ordered)), {.axes = -1, .are_kept = true});
  const array low =
      take_along_axis(ordered, maximum(floor_divide(subtract(count, 1), 2), 0)).slice(ellipsis, 0);
  const array high = take_along_axis(ordered, floor_divide(count, 2)).slice(ellipsis, 0);
  // Where all are numbers, half of their count is among them; where none is, both are the first.
  return internal::in_c_order(internal::middle_of(low, high)).reshaped(along.shape);
}
array nancumsum(const array& x, std::optional<std::ptrdiff_t> axis) {
  return cumulative_sum(internal::without_nan(x, 0), {.axis = axis});
}
array nancumprod(const array& x, std::optional<std::ptrdiff_t> axis) {
  return cumulative_prod(internal::without_nan(x, 1), {.axis = axis});
}

}  // namespace usmx::inline v1
