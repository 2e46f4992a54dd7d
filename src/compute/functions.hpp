// The way of mathematics besides kernels: loops of the host; and the types in which kernels add up.
// Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::internal {

/// A function for operands of one type, of which each is `count` elements or, where the loop says
/// so, one number. Conditions are bools. The result may be one of the operands.
struct host_loops {
  using operands = std::array<const void*, 3>;
  using loop = void (*)(const operands&, void* result, std::ptrdiff_t count);

  /// The loop over arrays; null where the function is not defined for the type.
  loop arrays = nullptr;
  /// The loop over a number, the first operand of two, and an array; null if there is none.
  loop number_first = nullptr;
  /// The loop over an array and a number, the second operand of two; null if there is none.
  loop number_second = nullptr;
  type_code result{};
  /// How many elements it computes at most: for more, the threads of a launch are worth it.
  std::ptrdiff_t most = 0;
  /// How many elements it computes at most that lie one after the other, of which several threads
  /// take parts.
  std::ptrdiff_t most_adjacent = 0;
  /// Whether the kernels of CPUs alone compute the same bits.
  bool is_for_cpus = false;
  /// Says whether the functions of Intel's driver for CPUs that it calls are there. Then it is for
  /// that driver's devices.
  bool (*find_functions)() = nullptr;

  /// Whether it computes so many elements as a kernel on the queue's device does, and sooner.
  USMX_API bool is_for(std::ptrdiff_t count, const sycl::queue& queue, bool are_adjacent) const;

  /// Calls one of these loops, on several threads where there is much to do. The operands are
  /// adjacent elements of a type, and a number that is not in the memory of the result.
  USMX_API void run(loop, const operands&, dtype, void* result_elements,
                    std::ptrdiff_t count) const;
};

struct host_function {
  std::string_view name;
  int operands;
  std::array<host_loops, type_count> loops{};  // by type_code
};

/// Finds a function of the host; null if it has none of that name.
USMX_API const host_function* find_host_function(std::string_view name);

/// Throws value_error for an integer exponent below 0 of integers, as NumPy does. What exponents an
/// array has, nobody knows before they are read.
USMX_API void require_exponent(dtype base, bool is_negative);

/// The kernel language's name of the type in which sums of these elements are computed: half
/// precision in single precision.
std::string_view computed_name(dtype type);

/// That of a type with more digits, for the sum. As summed_type() in
/// python/usmx/_compute/reductions.py.
std::string summed_name(dtype values, bool has_fp64);

}  // namespace usmx::inline v1::internal
