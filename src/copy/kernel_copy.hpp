// A copy in the form that kernels take: of items with sizes and alignments for which there are
// kernels. No SYCL here.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "copy/plan.hpp"
#include "kernels/groups.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// A plan of items. Its last two dimensions are the rows and columns of a kernel.
struct kernel_copy {
  const std::byte* source;
  std::byte* destination;
  std::size_t source_size;
  std::size_t destination_size;
  std::optional<kernel_id> cast;  // none: items keep their bytes
  std::size_t ndim;
  std::array<copy_dimension, max_ndim + 1> all_dimensions;  // only the first ndim are set

  std::span<copy_dimension> dimensions() noexcept { return {all_dimensions.data(), ndim}; }
};

/// None if elements to convert are not aligned. With `use_fp64`, kernels that need fp64 may be
/// used.
std::optional<kernel_copy> to_kernel_copy(const copy_plan&, bool use_fp64);

/// Whether reading along the columns strides over memory, and reading along the rows would not. If
/// so, both are divided into blocks that fit into the nearest cache.
bool is_transposed(const copy_dimension& rows, const copy_dimension& columns) noexcept;

}  // namespace usmx::inline v1::detail
