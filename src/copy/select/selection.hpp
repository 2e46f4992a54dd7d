// The elements that integers select: the loops of gather and scatter over memory that the host may
// touch, and gathering into a new array for usmx's Python module. Not installed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1::detail {

/// A dimension along which no array selects; strides in bytes.
struct rest_dimension {
  std::ptrdiff_t extent;
  std::ptrdiff_t linear_stride;
  std::ptrdiff_t indexed_stride;
};

/// A move of items between the indexed side, which the integers select from, and the linear side,
/// which is walked in order. Either may be the source.
struct transfer {
  std::byte* linear;
  std::byte* indexed;
  std::size_t item_nbytes;
  /// The bytes on the linear side from one set of integers to the next.
  std::ptrdiff_t linear_step;
  /// The dimensions along which no array selects, the innermost last.
  std::vector<rest_dimension> rest;
};

/// The bytes from one element of the indexed side to the next, for each array of integers.
std::vector<std::ptrdiff_t> scales_of(const array_view& indexed, const selection&);

/// Plans the transfer between the array that was selected from, cut to selection::basic(), and the
/// array with the selection's shape. None if the linear side's dimensions of the common shape are
/// not a single run.
std::optional<transfer> plan_transfer(const array_view& indexed, const selection&,
                                      const array_view& linear);

/// Moves all `nbytes` bytes to the linear side, on several threads if that pays. `indexed` is the
/// view that the transfer was planned for. Throws index_error as selection::check does, after some
/// bytes have been moved.
void move_to_linear(const transfer&, const array_view& indexed, const selection&,
                    std::size_t nbytes);

/// Moves all bytes from linear to indexed elements in order: if several go to one index, the last
/// one stays.
void move_to_indexed(const transfer&, const array_view& indexed, const selection&);

/// A move between the elements at the true positions of a mask, the indexed side, and `count`
/// elements that lie one after the other, the linear side. Steps are bytes from one element to the
/// next.
struct masked_move {
  /// The mask: adjacent bytes, true where they are not 0.
  const std::byte* mask;
  std::ptrdiff_t size;
  std::byte* indexed;
  std::ptrdiff_t indexed_step;
  std::byte* linear;
  std::ptrdiff_t linear_step;
  std::ptrdiff_t count;
  std::size_t item_nbytes;
};

/// Counts the bytes that are not 0.
std::ptrdiff_t count_flags(const std::byte* mask, std::ptrdiff_t size) noexcept;
/// Moves the elements at true positions to the linear side, of which `linear_step` is the item.
void compress_on_host(const masked_move&);
/// Moves the linear side to the true positions, in order; with a step of 0 it is one element.
void expand_on_host(const masked_move&);

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

/// Does as gather, into memory that no other code has, and that no other code may get if this
/// throws: part of the memory may have been written then. So a kernel may check the integers as it
/// uses them, instead of before.
USMX_API void gather_to_fresh(const array& source, const selection&, const array& destination);

/// Gives what `source[indices]` selects in a new array, without a selection: for few integers of
/// int64 or int32. None where gather() is needed: where there is much, the arrays are not compact
/// or on different queues, the host does not reach them, work on them is unfinished, or an index is
/// outside of the axis.
USMX_API std::optional<array> take_few(const array& source, const array& indices);

}  // namespace usmx::inline v1::internal

// The three ways to read and write selected elements; gather.cpp chooses. Private to the library,
// and separate so that tests can call each.

namespace usmx::inline v1::detail {

// The indexed side has the layout selection::basic(), the other one the selection's shape, and
// there are elements. Both sides have one element type. They overlap only in staged copies.

/// Whether other code has the destination, or nobody gets it if gather_by_kernels throws.
enum class destination_memory { given, fresh };

/// Move by kernels on the device of the array that is selected from. Return false, with nothing
/// done, if kernels cannot move the elements. An element of the indexed side that several positions
/// lead to gets the last of its values. Throw index_error as selection::check does, before anything
/// but fresh memory is written.
bool gather_by_kernels(const array_view& source, const selection&, const array_view& destination,
                       destination_memory);
bool scatter_by_kernels(const array_view& values, const selection&, const array_view& destination);

/// Move by the host, which may touch all the memory.
void gather_on_host(const array_view& source, const selection&, const array_view& destination);
void scatter_on_host(const array_view& values, const selection&, const array_view& destination);

/// Move by way of compact ordinary memory for each side.
void gather_staged(const array_view& source, const selection&, const array_view& destination);
void scatter_staged(const array_view& values, const selection&, const array_view& destination);

}  // namespace usmx::inline v1::detail
