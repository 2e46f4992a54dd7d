// Moves the elements that integers select, over memory that the host may touch: the loops of gather
// and scatter. Private to the library.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "usmx/array/array_view.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1::detail {

/// One dimension along which no array selects; strides in bytes.
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
  /// Bytes on the linear side from one set of integers to the next.
  std::ptrdiff_t linear_step;
  /// The innermost last.
  std::vector<rest_dimension> rest;
};

/// The bytes from one element of the indexed side to the next, for each array of integers.
std::vector<std::ptrdiff_t> scales_of(const array_view& indexed, const selection&);

/// A transfer between the array that was selected from, cut to selection::basic(), and the array
/// with the selection's shape. None if the linear side's dimensions of the common shape are not a
/// single run.
std::optional<transfer> plan_transfer(const array_view& indexed, const selection&,
                                      const array_view& linear);

/// Moves all `nbytes` bytes, on several threads if that pays. `indexed` is the one that was planned
/// for. Throws index_error as selection::check does, after some bytes have been moved.
void move_to_linear(const transfer&, const array_view& indexed, const selection&,
                    std::size_t nbytes);

/// The same in the other direction and in order: if several elements go to one place, the last one
/// stays.
void move_to_indexed(const transfer&, const array_view& indexed, const selection&);

}  // namespace usmx::inline v1::detail
