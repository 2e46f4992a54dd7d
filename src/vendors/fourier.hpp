// Fourier transforms by oneMKL's DFTI for the host (docs/decisions.md, 163), and by cuFFT (190).
// Not installed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "vendors/host_work.hpp"

namespace usmx::inline v1::internal {

/// A transform along some axes of an array. One array may be real: the input of a forward one, the
/// output of a backward one. The complex one then has n / 2 + 1 elements for n along the last axis.
struct fourier_call {
  array input;
  array output;           ///< in C order
  std::vector<int> axes;  ///< each once
  bool is_forward;
  double scale;  ///< by which the result is multiplied
};

/// The number of axes that a transform may have.
inline constexpr std::size_t max_transform_axes = 7;

/// Whether oneMKL's transforms are found. Loads them.
USMX_API bool has_fourier();

/// The work of a call, by a plan that is made now or was kept. None if the library refuses the
/// strides of the input. Throws value_error for shapes that do not fit or have no elements,
/// type_error for types. has_fourier() has been true.
std::optional<host_work> fourier_work(const fourier_call&);

/// Starts a transform on the queue of the arrays, which is a CUDA device's, by cuFFT, in the order
/// of all work on them. Copies what cuFFT does not take as it lies. The scale must be 1, as cuFFT
/// has none. Throws as fourier_work() does, and device_error where cuFFT cannot be used or refuses.
void start_cuda_fourier(const fourier_call&);

/// The bounds of what a process keeps, for each library.
inline constexpr std::size_t max_kept_plans = 64;
inline constexpr std::size_t max_kept_plan_nbytes = std::size_t{256} << 20;

/// The plans that are kept.
struct kept_plans {
  std::size_t count;
  std::size_t nbytes;  ///< an estimate
};
USMX_API kept_plans fourier_plans();
/// Forgets them. On the host, work that uses one keeps it until it is done; on a CUDA device the
/// call waits for all work.
USMX_API void clear_fourier_plans();

}  // namespace usmx::inline v1::internal
