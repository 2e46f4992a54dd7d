// The list of all kernels, for the code that defines them and the code that looks them up. For
// device and host code, without SYCL.
#pragma once

namespace usmx::inline v1::kernels {

/// Rows and columns of a block of the kernels usmx_transpose_*. In the SYCL compiler's kernels one
/// work item copies a block; in those for CUDA devices, a group does.
inline constexpr int transposed_tile = 16;
inline constexpr int shared_tile = 32;
/// The columns of a block up to which kernels for CUDA devices give it more rows instead: as many
/// as the group's memory has room for, with as many items beside each column as spread it over the
/// banks.
inline constexpr int few_columns = 8;
inline constexpr int banks = 32;
inline constexpr int shared_items = 2 * shared_tile * (shared_tile + 1);

}  // namespace usmx::inline v1::kernels

/// usmx_copy_<bytes>, usmx_transpose_<bytes>, usmx_join_<bytes>, usmx_fill_<bytes>,
/// usmx_gather_<bytes>, usmx_scatter_<bytes>, usmx_slots_<bytes>, usmx_flags_<bytes>,
/// usmx_compress_<bytes>, usmx_expand_<bytes>, usmx_fill_true_<bytes>, usmx_take_<bytes>
#define USMX_ITEM_SIZES(EACH) EACH(1) EACH(2) EACH(4) EACH(8) EACH(16)

/// usmx_positions_<type>
#define USMX_INDEX_TYPES(EACH) \
  EACH(i1) EACH(i2) EACH(i4) EACH(i8) EACH(u1) EACH(u2) EACH(u4) EACH(u8)

/// usmx_check_<type>: of the integers that are positions as they are.
#define USMX_POSITION_TYPES(EACH) EACH(i4) EACH(i8)

/// usmx_cast_<from>_<to>. Integers of one size are copied, whatever their sign. Of the
/// destination's types, the signed one stands for both; narrowing has the unsigned source only.
/// From floating point numbers, integers of 32 and 64 bits differ by sign. A complex number's real
/// part is cast from its real type. See cast_of() in groups.hpp.
// clang-format off
#define USMX_CASTS(EACH)                                                                       \
  EACH(b1, i1) EACH(b1, i2) EACH(b1, i4) EACH(b1, i8) EACH(b1, f2) EACH(b1, f4) EACH(b1, c8)   \
  EACH(u1, b1) EACH(u2, b1) EACH(u4, b1) EACH(u8, b1) EACH(f2, b1) EACH(f4, b1) EACH(c8, b1)   \
  EACH(u2, i1) EACH(u4, i1) EACH(u8, i1) EACH(u4, i2) EACH(u8, i2) EACH(u8, i4)                \
  EACH(i1, i2) EACH(i1, i4) EACH(i1, i8) EACH(i2, i4) EACH(i2, i8) EACH(i4, i8)                \
  EACH(u1, i2) EACH(u1, i4) EACH(u1, i8) EACH(u2, i4) EACH(u2, i8) EACH(u4, i8)                \
  EACH(i1, f2) EACH(i2, f2) EACH(i4, f2) EACH(i8, f2)                                          \
  EACH(u1, f2) EACH(u2, f2) EACH(u4, f2) EACH(u8, f2) EACH(f4, f2)                             \
  EACH(i1, f4) EACH(i2, f4) EACH(i4, f4) EACH(i8, f4)                                          \
  EACH(u1, f4) EACH(u2, f4) EACH(u4, f4) EACH(u8, f4) EACH(f2, f4)                             \
  EACH(i1, c8) EACH(i2, c8) EACH(i4, c8) EACH(i8, c8)                                          \
  EACH(u1, c8) EACH(u2, c8) EACH(u4, c8) EACH(u8, c8) EACH(f2, c8) EACH(f4, c8)                \
  EACH(f2, i1) EACH(f2, i2) EACH(f2, i4) EACH(f2, u4) EACH(f2, i8) EACH(f2, u8)                \
  EACH(f4, i1) EACH(f4, i2) EACH(f4, i4) EACH(f4, u4) EACH(f4, i8) EACH(f4, u8)

/// The casts with double precision on one side or both.
#define USMX_DOUBLE_CASTS(EACH)                                                                \
  EACH(b1, f8) EACH(i1, f8) EACH(i2, f8) EACH(i4, f8) EACH(i8, f8)                             \
  EACH(u1, f8) EACH(u2, f8) EACH(u4, f8) EACH(u8, f8) EACH(f2, f8) EACH(f4, f8)                \
  EACH(b1, c16) EACH(i1, c16) EACH(i2, c16) EACH(i4, c16) EACH(i8, c16)                        \
  EACH(u1, c16) EACH(u2, c16) EACH(u4, c16) EACH(u8, c16) EACH(f2, c16) EACH(f4, c16)          \
  EACH(f8, b1) EACH(f8, i1) EACH(f8, i2) EACH(f8, i4) EACH(f8, u4) EACH(f8, i8) EACH(f8, u8)   \
  EACH(f8, f2) EACH(f8, f4) EACH(f8, c8) EACH(f8, c16)                                         \
  EACH(c8, c16) EACH(c16, c8) EACH(c16, b1)
// clang-format on
