// Random numbers: Python's usmx.random, which makes the same ones for a seed.
//
//   usmx::random::generator rng(7);
//   const usmx::array x = rng.standard_normal({1000, 1000}, {.type = usmx::float32});
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/runtime/usm_kind.hpp"

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

 private:
  template <class... Parameters>
  array drawn(const char* function, const char* distribution, dtype type,
              const shape_argument& shape, const options& how, Parameters... parameters);

  std::uint64_t key_;
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace usmx::inline v1::random
