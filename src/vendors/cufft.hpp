// cuFFT: how it is found, and what it is told of where elements lie. Private to the library.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "vendors/fourier.hpp"
#include "vendors/library.hpp"

namespace usmx::inline v1::detail {

/// Finds the library: one that is loaded already, else that of the newest version of CUDA that the
/// driver takes.
library_search find_cufft();
/// Whether it can be used. Loads it.
bool has_cufft();

/// The elements on one side of a plan, as cufftXtMakePlanMany() has them: the one of an index
/// (i, j, k) of a transform is at ((i * memory[1] + j) * memory[2] + k) * stride, and the next
/// transform is at `distance`.
struct cufft_side {
  std::vector<long long> memory;
  long long stride;
  long long distance;

  friend bool operator==(const cufft_side&, const cufft_side&) = default;
};

/// Returns none if cuFFT cannot be told these strides, which are those of the axes, the outermost
/// first.
std::optional<cufft_side> cufft_side_of(std::span<const std::ptrdiff_t> extents,
                                        std::span<const std::ptrdiff_t> strides,
                                        std::ptrdiff_t distance);

internal::kept_plans cufft_plans();
void clear_cufft_plans();

}  // namespace usmx::inline v1::detail
