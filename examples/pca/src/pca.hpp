// Principal component analysis by oneMKL's SYCL routines, on arrays in unified shared memory.
// No Python here: bindings.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <usmx/array/array.hpp>
#include <usmx/array/array_view.hpp>

namespace pca {

/// Where the native code itself reads and writes: to be compared with what others see.
struct addresses {
  const double* x;
  const double* components;
  const double* scores;
};

/// float64, C-contiguous, in shared memory that this library has allocated.
struct result {
  usmx::array components;          ///< (k, columns): unit rows, most important first
  usmx::array scores;              ///< (rows, k): the centred data along each component
  usmx::array explained_variance;  ///< (k,): the variance of each column of the scores
  addresses native;
};

/// The k leading principal components of `x`, (rows, columns) of float64, C-contiguous, in USM that
/// its queue's device can read; k is min(rows, columns) when not given. Each component's entry of
/// largest magnitude is positive. `x` is only read, by oneMKL, where it lies; work pending on it
/// must have finished. Everything runs on the queue of `x`; waits once, when all of it is
/// submitted. Throws usmx::type_error on another element type, usmx::value_error on anything else
/// that does not fit, NaN and infinity included, usmx::allocation_error when there is no memory.
result fit(const usmx::array_view& x, std::optional<std::int64_t> n_components);

}  // namespace pca
