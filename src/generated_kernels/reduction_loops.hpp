// The loops of a reduction, and the order in which elements are put together by the work items that
// share them. Kernels and the host's loops go by them, so that results have the same bits. Not
// installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sycl/device.hpp>

#include "generated_kernels/call.hpp"
#include "usmx/array/array.hpp"

namespace usmx::inline v1::detail {

/// The arrays of a call, and the loops over them.
struct reduction_loops {
  struct side {
    std::size_t index;  // among the parameters
    array used;
  };

  std::vector<side> inputs;
  std::vector<side> outputs;
  operand_loop kept;             // of inputs and outputs
  operand_loop reduced;          // of inputs
  bool has_index;                // of elements among those of a result, the last one of `reduced`
  std::ptrdiff_t reduced_count;  // elements of one result
  bool is_outer;
  bool has_blocks;    // source.hpp
  bool is_whole;      // no result has parts: one kernel makes the results
  std::size_t lanes;  // the work items of a group that share the elements of one result

  std::size_t kept_dimensions() const noexcept { return std::max<std::size_t>(kept.ndim, 1); }
  std::size_t reduced_dimensions() const noexcept { return std::max<std::size_t>(reduced.ndim, 1); }
};

/// The arguments of the first kernel besides the loops: see source.cpp.
struct part_sizes {
  std::int64_t lines_per_part;
  std::int64_t columns_per_part;
  std::int64_t column_parts;
  std::int64_t elements;  // of one result
};

/// The division of the elements of one result: first into lines, which are all dimensions but the
/// innermost one. No part is empty.
struct division {
  part_sizes sizes;
  std::int64_t parts;
};

/// The shape that the inputs are broadcast to, and which of its axes are reduced.
struct reduced_shape {
  std::span<const std::ptrdiff_t> shape;
  std::span<const char> reduced;
  bool are_kept;
};

/// Sets the loops of a call whose arrays are there. They walk through memory as the first input
/// lies in it.
void set_loops(reduction_loops& call, const reduced_shape& axes);

/// Decides how the work items of a device share the elements, for loops that are set.
void share_out(reduction_loops& call, const sycl::device& device);

/// The division of a call's elements. It depends on the loops only, so that results do.
/// Precondition: there are elements.
division division_of(const reduction_loops& call);

/// A flag for each axis that says whether it is reduced. Throws value_error for an axis that is
/// there twice, and axis_error for one that is not there.
std::vector<char> reduced_flags(const std::optional<std::vector<std::ptrdiff_t>>& axes,
                                std::size_t ndim);

std::vector<std::ptrdiff_t> result_shape(std::span<const std::ptrdiff_t> shape,
                                         std::span<const char> reduced, bool are_kept);

}  // namespace usmx::inline v1::detail
