// The device kernels in groups that are compiled, built and kept together: their names, sources and
// options. What runs them is in copy_kernel.hpp. No SYCL here.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/device/kernel_list.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::detail {

/// Kernels that need the same of a device. One file each, since a file that mixes them is saved
/// without code.
enum class kernel_group {
  copy,
  fill,
  cast,
  cast_double,          // needs fp64
  cast_integer_double,  // the same kernels in integer arithmetic
};
inline constexpr std::size_t kernel_group_count = 5;

/// How work is laid out: one work item in a group, which suits CPUs, or many beside each other.
enum class kernel_shape { narrow, wide };

inline constexpr std::array all_kernel_groups{kernel_group::copy, kernel_group::fill,
                                              kernel_group::cast, kernel_group::cast_double,
                                              kernel_group::cast_integer_double};
inline constexpr std::array all_kernel_shapes{kernel_shape::narrow, kernel_shape::wide};

/// One kernel: its group, and its place in the group's names.
struct kernel_id {
  kernel_group group;
  std::size_t index;
};

namespace kernel_names {

#define USMX_COPY_NAME(size) "usmx_copy_" #size,
#define USMX_TRANSPOSE_NAME(size) "usmx_transpose_" #size,
#define USMX_FILL_NAME(size) "usmx_fill_" #size,
#define USMX_CAST_NAME(from, to) "usmx_cast_" #from "_" #to,
inline constexpr const char* copy[] = {USMX_ITEM_SIZES(USMX_COPY_NAME)
                                           USMX_ITEM_SIZES(USMX_TRANSPOSE_NAME)};
inline constexpr const char* fill[] = {USMX_ITEM_SIZES(USMX_FILL_NAME)};
inline constexpr const char* cast[] = {USMX_CASTS(USMX_CAST_NAME)};
inline constexpr const char* cast_double[] = {USMX_DOUBLE_CASTS(USMX_CAST_NAME)};
#undef USMX_COPY_NAME
#undef USMX_TRANSPOSE_NAME
#undef USMX_FILL_NAME
#undef USMX_CAST_NAME

}  // namespace kernel_names

constexpr std::span<const char* const> names_of(kernel_group group) {
  switch (group) {
    case kernel_group::copy:
      return kernel_names::copy;
    case kernel_group::fill:
      return kernel_names::fill;
    case kernel_group::cast:
      return kernel_names::cast;
    case kernel_group::cast_double:
    case kernel_group::cast_integer_double:
      break;
  }
  return kernel_names::cast_double;
}

/// "cast_double": also the stem of the object's file name, with "_wide" behind it for that shape.
std::string name_of(kernel_group, kernel_shape);
/// In src/kernels.
std::string_view source_file_of(kernel_group);
/// For the SYCL compiler.
std::vector<std::string> compile_options_of(kernel_group, kernel_shape);

/// In the order of the item sizes 1, 2, 4, 8, 16.
inline constexpr std::size_t item_size_count = std::size(kernel_names::fill);
kernel_id copy_kernel(std::size_t item_size);
kernel_id transpose_kernel(std::size_t item_size);
kernel_id fill_kernel(std::size_t item_size);

/// How elements of one plain type become another.
struct cast_step {
  /// None: the bytes stay as they are.
  std::optional<kernel_id> kernel;
  /// Bytes that the kernel reads of each element, and how they must be aligned.
  std::size_t source_size;
  std::size_t source_alignment;
};

/// With `fp64` the kernels that need it.
cast_step cast_of(type_code from, type_code to, bool fp64);

}  // namespace usmx::detail
