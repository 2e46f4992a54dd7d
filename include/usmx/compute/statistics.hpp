// Order statistics of arrays: Python's functions of usmx.
//
//   const usmx::array middle = usmx::median(x, 0);
//   const usmx::array quarters = usmx::quantile(x, {0.25, 0.75}, 0);
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"

namespace usmx::inline v1 {

/// Finds the middle of the sorted elements along axes, or the mean of the middle two: a new array
/// on the queue of `x` and of its kind. It is NaN where an element is, or there are none. Integers
/// become the default floating-point type. Waits as sort() does. Throws axis_error for an axis that
/// there is not, value_error for one that is given twice, type_error for structured elements.
[[nodiscard]] USMX_API array median(const array& x, const reduction_axes& axes = {});
/// Finds the middle along these axes: `median(x, 1)` or `median(x, {0, 1})`.
[[nodiscard]] inline array median(const array& x, const axes_argument& axes) {
  return median(x, reduction_axes{.axes = axes});
}

/// How a quantile is found between two elements: NumPy's methods.
enum class quantile_method : std::uint8_t {
  linear,                     ///< In proportion to the distance, from the first to the last one.
  lower,                      ///< The lower one of the two of `linear`.
  higher,                     ///< The higher one.
  midpoint,                   ///< The mean of both.
  nearest,                    ///< The nearer one; in the middle that of the even index.
  inverted_cdf,               ///< The first element to which the part reaches.
  averaged_inverted_cdf,      ///< The same; where it reaches one exactly, the mean with the next.
  closest_observation,        ///< The nearer one of these; in the middle that of the even index.
  interpolated_inverted_cdf,  ///< In proportion, from the inverted distribution.
  hazen,                      ///< In proportion, with the constants 1/2 and 1/2.
  weibull,                    ///< In proportion, with the constants 0 and 0.
  median_unbiased,            ///< In proportion, with the constants 1/3 and 1/3.
  normal_unbiased             ///< In proportion, with the constants 3/8 and 3/8.
};

/// The parts of quantiles: a number, for which the result has no axis, or several, which are its
/// first axis.
class quantile_parts {
 public:
  /// One part.
  quantile_parts(double part) : values_{part}, is_one_(true) {}
  /// Several: `{0.25, 0.75}`.
  quantile_parts(std::initializer_list<double> parts) : values_(parts), is_one_(false) {}
  /// Several.
  quantile_parts(std::vector<double> parts) noexcept : values_(std::move(parts)), is_one_(false) {}

  /// The numbers.
  const std::vector<double>& values() const noexcept { return values_; }
  /// Whether the result has no axis for them.
  bool is_one() const noexcept { return is_one_; }

 private:
  std::vector<double> values_;
  bool is_one_;
};

/// Finds the numbers below which given parts, from 0 to 1, of the elements along axes are: a new
/// array on the queue of `x` and of its kind. It is NaN where an element is. Integers become the
/// default floating-point type, unless the method chooses elements. Waits as sort() does. Throws as
/// median(); value_error for a part that is not from 0 to 1, and for another method; index_error
/// where there are no elements; type_error for complex numbers.
[[nodiscard]] USMX_API array quantile(const array& x, const quantile_parts& parts,
                                      const reduction_axes& axes = {},
                                      quantile_method method = quantile_method::linear);
/// Finds quantiles along these axes: `quantile(x, 0.5, 1)` or `quantile(x, {0.1, 0.9}, {0, 1})`.
[[nodiscard]] inline array quantile(const array& x, const quantile_parts& parts,
                                    const axes_argument& axes,
                                    quantile_method method = quantile_method::linear) {
  return quantile(x, parts, reduction_axes{.axes = axes}, method);
}
/// Finds the numbers below which given percentages, from 0 to 100, of the elements are. Waits and
/// throws as quantile().
[[nodiscard]] USMX_API array percentile(const array& x, const quantile_parts& parts,
                                        const reduction_axes& axes = {},
                                        quantile_method method = quantile_method::linear);
/// Finds percentiles along these axes.
[[nodiscard]] inline array percentile(const array& x, const quantile_parts& parts,
                                      const axes_argument& axes,
                                      quantile_method method = quantile_method::linear) {
  return percentile(x, parts, reduction_axes{.axes = axes}, method);
}

// ---- averages and differences

/// Finds the distance from the least to the greatest element along axes: a new array. Throws as
/// max().
[[nodiscard]] USMX_API array ptp(const array& x, const reduction_axes& axes = {});
/// Finds it along these axes.
[[nodiscard]] inline array ptp(const array& x, const axes_argument& axes) {
  return ptp(x, reduction_axes{.axes = axes});
}

/// A weighted mean.
struct average_result {
  array average;  ///< The mean.
  array weights;  ///< The sum of the weights.
};
/// Computes the weighted mean along axes. The weights have the shape of `x`, or the extents of the
/// axes, in their order. Waits. Throws value_error for other weights, and where their sum is 0;
/// axis_error.
[[nodiscard]] USMX_API average_result average(const array& x, const array& weights,
                                              const reduction_axes& axes = {});

/// The options of differences.
struct diff_options {
  /// How often they are taken.
  std::ptrdiff_t n = 1;
  /// The axis; a negative one counts from the end.
  std::ptrdiff_t axis = -1;
  /// Elements that come before those of the array along the axis, and after them.
  std::optional<array> prepend = {};
  std::optional<array> append = {};  ///< After them.
};
/// Computes the differences of neighbours along an axis: an array that is shorter by `n`. Of bools
/// it says whether they differ. Throws value_error for a negative `n`, and for shapes that do not
/// fit; axis_error.
[[nodiscard]] USMX_API array diff(const array& x, const diff_options& how = {});

// ---- without NaN: each function leaves NaN out, and is else the one without nan in its name

/// Adds up the elements that are no NaN.
[[nodiscard]] USMX_API array nansum(const array& x, const reduction_axes& axes = {});
/// Multiplies the elements that are no NaN.
[[nodiscard]] USMX_API array nanprod(const array& x, const reduction_axes& axes = {});
/// Finds the greatest element that is no NaN; NaN if there is none.
[[nodiscard]] USMX_API array nanmax(const array& x, const reduction_axes& axes = {});
/// Finds the least element that is no NaN; NaN if there is none.
[[nodiscard]] USMX_API array nanmin(const array& x, const reduction_axes& axes = {});
/// Finds the index of the greatest element that is no NaN; 0 if there is none.
[[nodiscard]] USMX_API array nanargmax(const array& x, const reduction_axes& axes = {});
/// Finds the index of the least element that is no NaN; 0 if there is none.
[[nodiscard]] USMX_API array nanargmin(const array& x, const reduction_axes& axes = {});
/// Finds the mean of the elements that are no NaN; NaN if there are none.
[[nodiscard]] USMX_API array nanmean(const array& x, const reduction_axes& axes = {});
/// Finds the variance of the elements that are no NaN; NaN if there are not more than `correction`.
[[nodiscard]] USMX_API array nanvar(const array& x, const reduction_axes& axes = {},
                                    double correction = 0);
/// Finds the standard deviation of the elements that are no NaN.
[[nodiscard]] USMX_API array nanstd(const array& x, const reduction_axes& axes = {},
                                    double correction = 0);
/// Finds the middle of the elements that are no NaN; NaN if there are none. Waits as median().
[[nodiscard]] USMX_API array nanmedian(const array& x, const reduction_axes& axes = {});
/// Adds up the elements that are no NaN before each one and itself.
[[nodiscard]] USMX_API array nancumsum(const array& x, std::optional<std::ptrdiff_t> axis = {});
/// Multiplies the elements that are no NaN before each one and itself.
[[nodiscard]] USMX_API array nancumprod(const array& x, std::optional<std::ptrdiff_t> axis = {});

}  // namespace usmx::inline v1
