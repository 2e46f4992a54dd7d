// What kernels get that are generated for loops over arrays: arrays that are checked and broadcast,
// and loops as plain numbers. Private to the library.
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

/// What a kernel gets for a loop, as in source.cpp: the extents of the
/// dimensions, and the strides of the operands, dimension by dimension, in bytes.
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
