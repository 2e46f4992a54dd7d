// Fourier transforms of arrays: their rules, and who computes them (docs/decisions.md, 203). Not
// installed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "compute/vendor_calls.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/compute/fft.hpp"
#include "vendors/fourier.hpp"

namespace usmx::inline v1::internal {

/// A call of a function of usmx::fft, but for the conjugates of hfft() and ihfft().
struct transform_call {
  std::string_view function;
  /// Along each axis a number of elements, or none for all.
  std::optional<std::vector<std::optional<std::ptrdiff_t>>> extents = {};
  std::optional<std::vector<std::ptrdiff_t>> axes = {};
  fft::norm norm = fft::norm::backward;
};

/// How a call may compute.
struct transform_way : vendor_call_way {
  /// The caller's way of computing, for memory on which no library computes. Returns whether it has
  /// done it.
  std::function<bool(const fourier_call&)> caller = {};
};

/// Computes one of these functions: fft, ifft, rfft, irfft, hfft, ihfft and those of several axes.
USMX_API array transformed(const transform_call&, const array& x, const transform_way&);

/// Whether oneMKL transforms so few elements as these, and may begin at once.
USMX_API bool is_ready_for_transforms(const array&);

}  // namespace usmx::inline v1::internal
