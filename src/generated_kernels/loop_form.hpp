// The forms of loops that kernels are generated for, as plain data: they are the keys of compiled
// kernels. No SYCL here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

namespace usmx::inline v1::detail {

/// The most arrays of one loop. With more, the loop would not fit into a kernel's arguments.
inline constexpr std::size_t max_operands = 24;

enum class loop_kind : std::uint8_t {
  flat,   ///< One run.
  rows,   ///< Rows of columns.
  tiles,  ///< Tiles of rows and columns, for operands whose rows are adjacent.
};

/// The way in which a kernel finds the elements of an operand along the columns. Processors gather
/// elements at offsets that are no constants at half the cost if 32 bits hold them.
enum class step : std::uint8_t {
  adjacent,     ///< One after the other.
  repeated,     ///< One element for all columns.
  every_other,  ///< With one between two of them.
  near,         ///< By a stride, and 32 bits hold all offsets in bytes.
  strided,      ///< By a stride.
  transposed,   ///< By tiles that are read along the rows, whose elements are adjacent.
  turned,       ///< By tiles that are read along the rows, by a stride.
};

/// A step for each operand; others are zero.
using operand_steps = std::array<step, max_operands>;

/// The form of an element-wise kernel's loop.
struct loop_form {
  loop_kind kind;
  /// The dimensions of the loop in the kernel: 1 if it is flat, else 2 or more.
  std::size_t dimensions;
  /// The number of rows and columns of a tile; 0 if there are none.
  std::size_t edge;
  /// The items that a GPU works on at once: elements of a row that a work item reads before it
  /// writes one, or rows of work items in the group of a tile. 1 on CPUs, where both would be
  /// slower.
  std::size_t batch;
  operand_steps steps;

  bool operator==(const loop_form&) const = default;
};

/// The form of a reduction's loops.
struct reduction_form {
  bool is_outer;                   ///< Work items make a result, not groups.
  bool is_whole;                   ///< One kernel makes the results, which have no parts.
  std::size_t kept_dimensions;     ///< Those of the loop over results.
  std::size_t reduced_dimensions;  ///< Those of the loop over the elements of a result.
  std::size_t lanes;               ///< The work items of a group.
  operand_steps steps;             ///< Those of the inputs.

  bool operator==(const reduction_form&) const = default;
};

/// The form of a call, for which a kernel is generated.
struct call_form {
  std::variant<loop_form, reduction_form> loops;
  /// A bit for each parameter: whether it is a raw array in C order. Others have strides.
  std::uint32_t raw_in_c_order;

  bool operator==(const call_form&) const = default;
};

}  // namespace usmx::inline v1::detail
