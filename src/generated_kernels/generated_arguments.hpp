// The arguments of kernels that are generated for loops over arrays: arrays that are checked and
// broadcast, and loops as plain numbers. Private to the library.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "generated_kernels/operand_loop.hpp"
#include "usmx/array/array.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// Throws value_error or read_only_error, with the argument's place, unless the array is aligned as
/// its parameter asks, and may be written if it is.
void require_suitable(const kernel_signature&, std::size_t place, const array&);

/// Throws value_error, with the argument's place, for an array with another context.
void require_context(const kernel_signature&, std::size_t place, const array&,
                     const sycl::context&);

/// Throws value_error, with the argument's place, for an array of another shape.
void require_shape(const kernel_signature&, std::size_t place, const array&,
                   std::span<const std::ptrdiff_t> shape);

/// The array itself, or its elements repeated. Throws value_error if that is not possible.
array broadcast_to(const array&, std::span<const std::ptrdiff_t> shape);

/// Whether elements share bytes: fewer bytes than they have.
bool is_crowded(const array_view&);

/// New memory for the elements of an array, for the work of a kernel.
array new_like(const array&);

/// An output that is computed in new memory, and copied to where it was wanted.
struct separate_output {
  array given;
  array made;
};
/// Copies what outputs hold to their new memory: a kernel may read outputs, and need not write all
/// of them.
void copy_to_separate(std::span<const separate_output>);
/// Copies the new memory to the outputs, in their order. Adds the events of the copies.
void copy_from_separate(std::span<const separate_output>, std::vector<sycl::event>&);

/// A loop as a kernel gets it, as in source.cpp: the extents of the dimensions, and the strides of
/// the operands, dimension by dimension, in bytes.
using packed_loop = std::array<std::int64_t, max_kernel_loop_dimensions * (1 + max_operands)>;

/// The loop with as many dimensions as the kernel has: the first ones may have one index.
packed_loop packed(std::span<const loop_dimension>, std::size_t operand_count,
                   std::size_t kernel_dimensions);

/// How many indices all dimensions have.
std::ptrdiff_t items_of(std::span<const loop_dimension>) noexcept;

inline std::size_t rounded_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

}  // namespace usmx::inline v1::detail
