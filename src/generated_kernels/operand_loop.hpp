// The loop over the elements of several arrays of one shape, in its simplest form, and how a kernel
// that is generated for it goes through each of them. No SYCL here. Private to the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// The most arrays of one loop. With more, the loop would not fit into a kernel's arguments.
inline constexpr std::size_t max_operands = 24;

/// One dimension that all operands have in common; strides in bytes.
struct loop_dimension {
  std::ptrdiff_t extent;
  std::array<std::ptrdiff_t, max_operands> strides;  // the first ones are set
};

/// One array of a loop: its strides as multiples of `item` bytes, which an element has.
struct loop_operand {
  std::span<const std::ptrdiff_t> strides;
  std::ptrdiff_t item;
  bool is_read;  // so that tiles can help
};

/// A loop over at least one element. Dimensions have extents of 2 or more, the innermost is the
/// last.
struct operand_loop {
  operand_loop() noexcept {}  // what is used is set

  std::size_t ndim = 0;
  std::size_t count = 0;
  /// Where each operand begins, in bytes from element zero.
  std::array<std::ptrdiff_t, max_operands> offsets;
  std::array<loop_dimension, max_ndim> all_dimensions;  // only the first ndim are set

  std::span<loop_dimension> dimensions() noexcept { return {all_dimensions.data(), ndim}; }
  std::span<const loop_dimension> dimensions() const noexcept {
    return {all_dimensions.data(), ndim};
  }
};

/// Sets the loop over all elements of operands of that shape. It walks operand `leading` upwards,
/// with its longest stride outermost, and joins dimensions that are one run for all.
void set_loop(operand_loop& loop, std::span<const std::ptrdiff_t> shape,
              std::span<const loop_operand> operands, std::size_t leading);

/// The most dimensions of a loop in a kernel; more are loops on the host.
inline constexpr std::size_t max_kernel_loop_dimensions = 8;

/// The loops that kernels are generated for.
enum class loop_kind : std::uint8_t {
  flat,   ///< One run.
  rows,   ///< Rows of columns.
  tiles,  ///< Tiles of rows and columns, for operands whose rows are adjacent.
};

/// How a kernel finds the elements of an operand along the columns. Processors gather elements at
/// places that are no constants, at half the cost if 32 bits hold them.
enum class step : char {
  adjacent = 'a',     ///< One after the other.
  repeated = 'r',     ///< The same one.
  every_other = 'o',  ///< With one between two of them.
  near = 'n',         ///< By a stride, and 32 bits hold all places in bytes.
  strided = 's',      ///< By a stride.
  transposed = 't',   ///< By tiles that are read along the rows, whose elements are adjacent.
  turned = 'u',       ///< By tiles that are read along the rows, by a stride.
};

/// Any but those of tiles, for an operand with elements of `item` bytes.
step step_of(const loop_dimension& columns, std::size_t operand, std::ptrdiff_t item) noexcept;

/// The form of a loop, which a kernel is generated for.
struct loop_form {
  loop_kind kind;
  /// The dimensions of the loop in the kernel: 1 if it is flat, else 2 or more.
  std::size_t dimensions;
  /// Rows and columns of a tile; 0 if there are none.
  std::size_t edge;
  /// The items that a GPU works on at once: elements of a row that a work item reads before it
  /// writes one, or rows of work items in the group of a tile. 1 on CPUs, where both would be
  /// slower.
  std::size_t batch;
  std::array<step, max_operands> steps;  // one for each operand
};

/// The form for a loop of these operands. Brings the dimension that tiles have as rows in front of
/// the last one.
loop_form choose_form(operand_loop& loop, std::span<const loop_operand> operands,
                      std::size_t batch);

/// "flat 1 0 1 aar", "rows 3 0 4 ass", "tiles 2 64 4 ta".
std::string to_string(const loop_form&, std::size_t operand_count);

}  // namespace usmx::inline v1::detail
