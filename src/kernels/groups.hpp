// The device kernels, in groups that are compiled, built and kept together: their names, sources
// and options, and what of them is inside the library. copy/kernels.hpp runs them. No SYCL here.
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
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::detail {

/// The groups: kernels that need the same of a device, in one file each, since a file that mixes
/// them is saved without code. EACH(name, source file without its extension). CMake reads this
/// list, too: cmake/UsmxKernels.cmake.
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

/// One kernel: its group, and its place in the group's names.
struct kernel_id {
  kernel_group group;
  std::size_t index;
};

namespace kernel_names {

#define USMX_COPY_NAME(size) "usmx_copy_" #size,
#define USMX_TRANSPOSE_NAME(size) "usmx_transpose_" #size,
#define USMX_FILL_NAME(size) "usmx_fill_" #size,
#define USMX_PLACES_NAME(type) "usmx_places_" #type,
#define USMX_GATHER_NAME(size) "usmx_gather_" #size,
#define USMX_TAKE_NAME(size) "usmx_take_" #size,
#define USMX_SCATTER_NAME(size) "usmx_scatter_" #size,
#define USMX_FLAGS_NAME(size) "usmx_flags_" #size,
#define USMX_COMPRESS_NAME(size) "usmx_compress_" #size,
#define USMX_EXPAND_NAME(size) "usmx_expand_" #size,
#define USMX_FILL_TRUE_NAME(size) "usmx_fill_true_" #size,
#define USMX_CHECK_NAME(type) "usmx_check_" #type,
#define USMX_SLOTS_NAME(size) "usmx_slots_" #size,
#define USMX_CAST_NAME(from, to) "usmx_cast_" #from "_" #to,
inline constexpr const char* copy_elements[] = {USMX_ITEM_SIZES(USMX_COPY_NAME)
                                                    USMX_ITEM_SIZES(USMX_TRANSPOSE_NAME)};
inline constexpr const char* fill[] = {USMX_ITEM_SIZES(USMX_FILL_NAME)};
inline constexpr const char* select[] = {
    USMX_ITEM_SIZES(USMX_GATHER_NAME) USMX_ITEM_SIZES(USMX_SCATTER_NAME)
        USMX_ITEM_SIZES(USMX_SLOTS_NAME) USMX_ITEM_SIZES(USMX_FLAGS_NAME)
            USMX_ITEM_SIZES(USMX_COMPRESS_NAME) USMX_ITEM_SIZES(USMX_EXPAND_NAME)
                USMX_ITEM_SIZES(USMX_FILL_TRUE_NAME) USMX_ITEM_SIZES(USMX_TAKE_NAME)
                    USMX_INDEX_TYPES(USMX_PLACES_NAME)
                        USMX_PLACE_TYPES(USMX_CHECK_NAME) "usmx_zero",
    "usmx_find_last", "usmx_scan", "usmx_coordinates"};
inline constexpr const char* cast[] = {USMX_CASTS(USMX_CAST_NAME)};
inline constexpr const char* cast_double[] = {USMX_DOUBLE_CASTS(USMX_CAST_NAME)};
#undef USMX_COPY_NAME
#undef USMX_TRANSPOSE_NAME
#undef USMX_FILL_NAME
#undef USMX_PLACES_NAME
#undef USMX_GATHER_NAME
#undef USMX_TAKE_NAME
#undef USMX_SCATTER_NAME
#undef USMX_FLAGS_NAME
#undef USMX_COMPRESS_NAME
#undef USMX_EXPAND_NAME
#undef USMX_FILL_TRUE_NAME
#undef USMX_CHECK_NAME
#undef USMX_SLOTS_NAME
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

/// Such as "cast_double", which is also the stem of the object's file name; with "_wide" at its end
/// for that shape.
std::string name_of(kernel_group, kernel_shape);
/// The name of a file in src/kernels/device.
std::string_view source_file_of(kernel_group);
/// The options for the SYCL compiler.
std::vector<std::string> compile_options_of(kernel_group, kernel_shape);

/// In the order of the item sizes 1, 2, 4, 8, 16.
inline constexpr std::size_t item_size_count = std::size(kernel_names::fill);
kernel_id copy_kernel(std::size_t item_size);
kernel_id transpose_kernel(std::size_t item_size);
kernel_id fill_kernel(std::size_t item_size);
kernel_id gather_kernel(std::size_t item_size);
kernel_id scatter_kernel(std::size_t item_size);
kernel_id slots_kernel(std::size_t item_size);
kernel_id flags_kernel(std::size_t item_size);
kernel_id compress_kernel(std::size_t item_size);
kernel_id expand_kernel(std::size_t item_size);
kernel_id fill_true_kernel(std::size_t item_size);
kernel_id take_kernel(std::size_t item_size);

/// The kernel that turns integers of that type into places.
kernel_id places_kernel(type_code);
/// The kernel of a name such as "usmx_scan".
kernel_id select_kernel(std::string_view name);

/// How elements of one plain type become another.
struct cast_step {
  /// The kernel that converts; empty if the bytes stay as they are.
  std::optional<kernel_id> kernel;
  /// Bytes that the kernel reads of each element, and how they must be aligned.
  std::size_t source_size;
  std::size_t source_alignment;
};

/// With `fp64`, kernels that need fp64 may be chosen.
cast_step cast_of(type_code from, type_code to, bool fp64);

}  // namespace usmx::inline v1::detail

// The device kernels inside the library: their SYCL sources, each group as it was compiled when the
// package was built, and how a file is embedded.

// The bytes of the file at `path`, a string literal, as usmx_<symbol>_begin up to
// usmx_<symbol>_end; a null character follows.
#define USMX_EMBED(symbol, path)                                               \
  extern "C" [[gnu::visibility("hidden")]] const char usmx_##symbol##_begin[], \
      usmx_##symbol##_end[];                                                   \
  asm(".pushsection .rodata\n"                                                 \
      ".balign 64\n"                                                           \
      ".hidden usmx_" #symbol                                                  \
      "_begin\n"                                                               \
      ".globl usmx_" #symbol                                                   \
      "_begin\n"                                                               \
      "usmx_" #symbol                                                          \
      "_begin:\n"                                                              \
      ".incbin \"" path                                                        \
      "\"\n"                                                                   \
      ".hidden usmx_" #symbol                                                  \
      "_end\n"                                                                 \
      ".globl usmx_" #symbol                                                   \
      "_end\n"                                                                 \
      "usmx_" #symbol                                                          \
      "_end:\n"                                                                \
      ".byte 0\n"                                                              \
      ".popsection\n");

namespace usmx::inline v1::detail {

struct kernel_source {
  std::string_view name;  // as in #include
  std::string_view text;
};

/// Every file of src/kernels/device.
std::span<const kernel_source> kernel_sources();
/// The text of one of these files.
std::string_view kernel_source_text(std::string_view name);

/// The object SYCLBIN of a group; empty if none could be compiled when the package was built.
std::span<const char> kernel_object(kernel_group, kernel_shape);

/// The PTX of a group for CUDA devices, which ends with a null character. Empty if there was no
/// compiler for it when the package was built, and for groups that no such device needs.
std::span<const char> kernel_ptx(kernel_group);

}  // namespace usmx::inline v1::detail
