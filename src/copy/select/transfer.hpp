// Moving what integers lead to, over memory that the host may touch: the loops under gather and
// scatter. Private to the library.
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

/// Items to be moved between the side that the integers lead to and the one that is walked through
/// in order, whichever is the source.
struct transfer {
  std::byte* linear;
  std::byte* indexed;
  std::size_t item_nbytes;
  /// Bytes on the linear side from one set of integers to the next.
  std::ptrdiff_t linear_step;
  /// The innermost last.
  std::vector<rest_dimension> rest;
};

/// Between the array that was selected from, cut to selection::basic(), and the one of the
/// selection's shape. None where the linear side's dimensions of the common shape are no single
/// run.
std::optional<transfer> plan_transfer(const array_view& indexed, const selection&,
                                      const array_view& linear);

/// Moves all of `nbytes` bytes, on several threads when that is worth it. `indexed` is that of the
/// plan. Throws index_error as selection::check does; part has been moved then.
void move_to_linear(const transfer&, const array_view& indexed, const selection&,
                    std::size_t nbytes);

/// The same the other way, in order: of what goes to one place the last remains.
void move_to_indexed(const transfer&, const array_view& indexed, const selection&);

}  // namespace usmx::inline v1::detail
