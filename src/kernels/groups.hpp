// The device kernels, in groups that are compiled, built and kept together: their names and
// sources. group_programs.hpp makes programs of them, and copy/kernels.hpp runs them. No SYCL here.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/device/kernel_list.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::detail {

/// The groups: kernels that need the same of a device, in one file each, since a file that mixes
/// them is saved without code. EACH(name, source file without its extension).
// clang-format off
#define USMX_KERNEL_GROUPS(EACH)         \
  EACH(copy, copy_elements)              \
  EACH(fill, fill)                       \
  EACH(select, select)                   \
  EACH(cast, cast)                       \
  EACH(cast_double, cast_double)         /* needs fp64 */ \
  EACH(cast_integer_double, cast_double) /* the same kernels in integer arithmetic */
// clang-format on

#define USMX_GROUP(name, file) name,
enum class kernel_group { USMX_KERNEL_GROUPS(USMX_GROUP) };
#undef USMX_GROUP

#define USMX_GROUP(name, file) kernel_group::name,
inline constexpr std::array all_kernel_groups{USMX_KERNEL_GROUPS(USMX_GROUP)};
#undef USMX_GROUP
inline constexpr std::size_t kernel_group_count = all_kernel_groups.size();

/// The shapes of the SYCL compiler's kernels.
inline constexpr std::array all_kernel_shapes{kernel_shape::narrow, kernel_shape::wide};

/// A kernel: its group, and its index in the group's names.
struct kernel_id {
  kernel_group group;
  std::size_t index;
};

namespace kernel_names {

#define USMX_SIZED(kernel)                                                            \
  "usmx_" kernel "_1", "usmx_" kernel "_2", "usmx_" kernel "_4", "usmx_" kernel "_8", \
      "usmx_" kernel "_16"
#define USMX_POSITIONS_NAME(type) "usmx_positions_" #type,
#define USMX_CHECK_NAME(type) "usmx_check_" #type,
#define USMX_CAST_NAME(from, to) "usmx_cast_" #from "_" #to,
inline constexpr const char* copy_elements[] = {USMX_SIZED("copy"), USMX_SIZED("transpose"),
                                                USMX_SIZED("join")};
inline constexpr const char* fill[] = {USMX_SIZED("fill")};
inline constexpr const char* select[] = {USMX_SIZED("gather"),
                                         USMX_SIZED("scatter"),
                                         USMX_SIZED("slots"),
                                         USMX_SIZED("flags"),
                                         USMX_SIZED("compress"),
                                         USMX_SIZED("expand"),
                                         USMX_SIZED("fill_true"),
                                         USMX_SIZED("take"),
                                         USMX_INDEX_TYPES(USMX_POSITIONS_NAME)
                                             USMX_POSITION_TYPES(USMX_CHECK_NAME) "usmx_zero",
                                         "usmx_find_last",
                                         "usmx_scan",
                                         "usmx_coordinates"};
inline constexpr const char* cast[] = {USMX_CASTS(USMX_CAST_NAME)};
inline constexpr const char* cast_double[] = {USMX_DOUBLE_CASTS(USMX_CAST_NAME)};
#undef USMX_SIZED
#undef USMX_POSITIONS_NAME
#undef USMX_CHECK_NAME
#undef USMX_CAST_NAME

}  // namespace kernel_names

constexpr std::span<const char* const> names_of(kernel_group group) {
  switch (group) {
#define USMX_CASE(name, file) \
  case kernel_group::name:    \
    return kernel_names::file;
    USMX_KERNEL_GROUPS(USMX_CASE)
#undef USMX_CASE
  }
  return {};
}

/// The name of a group, such as "cast_double". For wide kernels it ends with "_wide".
std::string name_of(kernel_group, kernel_shape);
std::string_view source_file_of(kernel_group);

/// A kernel for items of 1, 2, 4, 8 or 16 bytes: the one at `index` among those of its group.
template <kernel_group group, std::size_t index>
kernel_id sized_kernel(std::size_t item_size) {
  return {group, index * std::size(kernel_names::fill) +
                     static_cast<std::size_t>(std::countr_zero(item_size))};
}
inline constexpr auto copy_kernel = sized_kernel<kernel_group::copy, 0>;
inline constexpr auto transpose_kernel = sized_kernel<kernel_group::copy, 1>;
inline constexpr auto join_kernel = sized_kernel<kernel_group::copy, 2>;
inline constexpr auto fill_kernel = sized_kernel<kernel_group::fill, 0>;
inline constexpr auto gather_kernel = sized_kernel<kernel_group::select, 0>;
inline constexpr auto scatter_kernel = sized_kernel<kernel_group::select, 1>;
inline constexpr auto slots_kernel = sized_kernel<kernel_group::select, 2>;
inline constexpr auto flags_kernel = sized_kernel<kernel_group::select, 3>;
inline constexpr auto compress_kernel = sized_kernel<kernel_group::select, 4>;
inline constexpr auto expand_kernel = sized_kernel<kernel_group::select, 5>;
inline constexpr auto fill_true_kernel = sized_kernel<kernel_group::select, 6>;
inline constexpr auto take_kernel = sized_kernel<kernel_group::select, 7>;

/// The kernel that turns integers of that type into positions.
kernel_id positions_kernel(type_code);
/// The kernel of a name such as "usmx_scan".
kernel_id select_kernel(std::string_view name);

struct cast_step {
  /// The kernel that converts; empty if the bytes stay as they are.
  std::optional<kernel_id> kernel;
  /// Bytes that the kernel reads of each element, and how they must be aligned.
  std::size_t source_size;
  std::size_t source_alignment;
};

/// The step of a conversion. With `fp64`, kernels that need fp64 may be chosen.
cast_step cast_of(type_code from, type_code to, bool fp64);

}  // namespace usmx::inline v1::detail

// How a file is embedded in the library.

// The bytes of the file at `path`, a string literal, as usmx_<symbol>_begin up to
// usmx_<symbol>_end; a null character follows.
#define USMX_EMBED(symbol, path)                                               \
  extern "C" [[gnu::visibility("hidden")]] const char usmx_##symbol##_begin[], \
      usmx_##symbol##_end[];                                                   \
  asm(".pushsection .rodata\n.balign 64\n" USMX_EMBED_LABEL(                   \
      symbol, "_begin") ".incbin \"" path                                      \
                        "\"\n" USMX_EMBED_LABEL(symbol, "_end") ".byte 0\n.popsection\n");
#define USMX_EMBED_LABEL(symbol, end) \
  ".hidden usmx_" #symbol end "\n.globl usmx_" #symbol end "\nusmx_" #symbol end ":\n"
