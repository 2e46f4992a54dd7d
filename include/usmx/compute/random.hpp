// Random numbers: Python's usmx.random, which makes the same ones for a seed.
//
//   usmx::random::generator rng(7);
//   const usmx::array x = rng.standard_normal({1000, 1000}, {.type = usmx::float32});
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/runtime/usm_kind.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::random {

/// The options of making random numbers.
struct options {
  /// The type of the elements: of real numbers float32 or float64, by default float64, or float32
  /// on a device without it; of integers an integer type or bool, by default int64.
  std::optional<dtype> type = {};
  /// The array that is filled, of that shape. By default a new one.
  std::optional<array> out = {};
  /// The queue of a new array; null for the default queue.
  const sycl::queue* queue = nullptr;
  /// The kind of memory of a new array.
  usm_kind kind = usm_kind::device;
  /// Whether the end of a range of integers is among them.
  bool endpoint = false;
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// The options of choosing parts of an array.
struct choice_options {
  /// Whether a part may be chosen again.
  bool replace = true;
  /// The probability of each part. By default all are as likely.
  std::optional<std::vector<double>> p = {};
  /// The axis of the parts.
  std::ptrdiff_t axis = 0;
};

/// A generator of random numbers by counters (Philox4x32-10). The numbers depend on the seed and on
/// how many the generator has made before: not on the device, nor on the kind or the layout of
/// memory. A call that throws has made none. Thread-safe. Calls wait for the compiler at the first
/// one for a type. They throw value_error for an `out` of another shape, read_only_error, and
/// type_error for a type that the options do not allow.
class USMX_API generator {
 public:
  /// A generator of the numbers that usmx.random.default_rng(seed) makes in Python.
  explicit generator(std::uint64_t seed) noexcept;
  /// A generator whose seed is the system's random numbers.
  generator();
  generator(const generator&) = delete;
  generator& operator=(const generator&) = delete;

  /// Makes numbers from 0 on, below 1, each as likely as the others.
  array random(const shape_argument& shape, const options& how = {});
  /// Makes numbers from `low` on, below `high`, each as likely as the others; rounding may give the
  /// end itself. Throws value_error if `high` is less than `low`, overflow_error if an end or their
  /// difference is not finite in the type.
  array uniform(double low, double high, const shape_argument& shape, const options& how = {});
  /// Makes numbers of the normal distribution with mean 0 and standard deviation 1.
  array standard_normal(const shape_argument& shape, const options& how = {});
  /// Makes numbers of a normal distribution. Throws value_error if `scale` is negative or NaN,
  /// overflow_error if a parameter is finite, but not in the type.
  array normal(double loc, double scale, const shape_argument& shape, const options& how = {});
  /// Makes integers from `low` on, below `high`, each as likely as the others. Throws value_error
  /// if there is none, or the type lacks some of them.
  array integers(std::int64_t low, std::int64_t high, const shape_argument& shape,
                 const options& how = {});

  // ---- further distributions

  // Parameters are numbers or arrays, which are broadcast to the shape and waited for. A parameter
  // outside of its range is a value_error, an array of other numbers than real ones a type_error.

  /// Makes numbers of the exponential distribution with the mean `scale`, 0 or more.
  array exponential(const kernel_argument& scale, const shape_argument& shape,
                    const options& how = {});
  /// Makes numbers of the exponential distribution with mean 1.
  array standard_exponential(const shape_argument& shape, const options& how = {});
  /// Makes numbers whose logarithms are normal, with this mean and standard deviation.
  array lognormal(const kernel_argument& mean, const kernel_argument& sigma,
                  const shape_argument& shape, const options& how = {});
  /// Makes numbers of the Rayleigh distribution; `scale` is 0 or more.
  array rayleigh(const kernel_argument& scale, const shape_argument& shape,
                 const options& how = {});
  /// Makes numbers of the Weibull distribution of shape `a`, above 0.
  array weibull(const kernel_argument& a, const shape_argument& shape, const options& how = {});
  /// Makes numbers of the Pareto II distribution of shape `a`, above 0.
  array pareto(const kernel_argument& a, const shape_argument& shape, const options& how = {});
  /// Makes numbers below 1 with the density a x^(a - 1), for `a` above 0.
  array power(const kernel_argument& a, const shape_argument& shape, const options& how = {});
  /// Makes numbers of the Gumbel distribution; `scale` is 0 or more.
  array gumbel(const kernel_argument& loc, const kernel_argument& scale,
               const shape_argument& shape, const options& how = {});
  /// Makes numbers of the Laplace distribution; `scale` is 0 or more.
  array laplace(const kernel_argument& loc, const kernel_argument& scale,
                const shape_argument& shape, const options& how = {});
  /// Makes numbers of the logistic distribution; `scale` is 0 or more.
  array logistic(const kernel_argument& loc, const kernel_argument& scale,
                 const shape_argument& shape, const options& how = {});
  /// Makes numbers of the triangular distribution between `left` and `right`, most often at `mode`.
  /// Throws value_error for numbers that do not grow.
  array triangular(double left, double mode, double right, const shape_argument& shape,
                   const options& how = {});
  /// Makes numbers of the gamma distribution (G. Marsaglia and W. W. Tsang, 2000) of shape `k` and
  /// of this scale, both 0 or more.
  array gamma(const kernel_argument& k, const kernel_argument& scale, const shape_argument& shape,
              const options& how = {});
  /// Makes numbers of the gamma distribution of scale 1.
  array standard_gamma(const kernel_argument& k, const shape_argument& shape,
                       const options& how = {});
  /// Makes numbers of the chi-squared distribution of `df` degrees of freedom, above 0.
  array chisquare(const kernel_argument& df, const shape_argument& shape, const options& how = {});
  /// Makes numbers of the beta distribution; both parameters are above 0.
  array beta(const kernel_argument& a, const kernel_argument& b, const shape_argument& shape,
             const options& how = {});
  /// Makes numbers of the F distribution of these degrees of freedom, above 0.
  array f(const kernel_argument& dfnum, const kernel_argument& dfden, const shape_argument& shape,
          const options& how = {});
  /// Makes numbers of Student's distribution of `df` degrees of freedom, above 0.
  array standard_t(const kernel_argument& df, const shape_argument& shape, const options& how = {});
  /// Makes numbers of the Cauchy distribution.
  array standard_cauchy(const shape_argument& shape, const options& how = {});
  /// Makes parts whose sum is 1, along a new last axis, of the Dirichlet distribution. `alpha` is
  /// an array of one dimension, of numbers above 0. Waits for it.
  array dirichlet(const array& alpha, const shape_argument& shape, const options& how = {});
  // Integers are int64: the type of the options is the one in which they compute.

  /// Makes integers of the Poisson distribution with mean `lam`, from 0 to 2^62 (above 10:
  /// W. Hörmann's PTRS, 1993).
  array poisson(const kernel_argument& lam, const shape_argument& shape, const options& how = {});
  /// Makes integers of the binomial distribution: the successes of `n` trials, 0 or more, of
  /// probability `p` (for many: W. Hörmann's BTRS, 1993).
  array binomial(const kernel_argument& n, const kernel_argument& p, const shape_argument& shape,
                 const options& how = {});
  /// Counts the failures before `n` successes, above 0, of probability `p`, above 0.
  array negative_binomial(const kernel_argument& n, const kernel_argument& p,
                          const shape_argument& shape, const options& how = {});
  /// Counts the trials up to the first success of probability `p`, above 0.
  array geometric(const kernel_argument& p, const shape_argument& shape, const options& how = {});

  // ---- choices

  /// Puts the integers below `count` into a random order: int64. Throws value_error for a negative
  /// one.
  array permutation(std::ptrdiff_t count, const options& how = {});
  /// Puts the parts of an array along an axis into a random order, in a new array.
  array permutation(const array& x, std::ptrdiff_t axis = 0);
  /// Puts the elements along an axis into a random order, each row into its own, in a new array;
  /// without an axis all elements are mixed.
  array permuted(const array& x, std::optional<std::ptrdiff_t> axis = {});
  /// Puts the parts of an array along an axis into a random order, in place. Throws
  /// read_only_error.
  void shuffle(const array& x, std::ptrdiff_t axis = 0);
  /// Chooses parts of an array: a new array, in which the axes of `shape` are in the place of the
  /// axis. Throws value_error if there are too few parts, or the probabilities are no such ones.
  array choice(const array& x, const shape_argument& shape, const choice_options& how = {});

 private:
  struct parameter;

  array drawn(std::string_view distribution, dtype type, const array& made,
              std::span<const kernel_argument> parameters, const options& how);
  array drawn(std::string_view function, std::string_view distribution,
              std::initializer_list<parameter> parameters, const shape_argument& shape,
              const options& how);
  array order_of(std::ptrdiff_t count, const options& how);

  std::uint64_t key_;
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace usmx::inline v1::random
