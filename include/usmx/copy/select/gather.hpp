// Reading and writing the elements that arrays of indices name. What they name: selection.hpp.
#pragma once

#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1 {

/// Copies what is selected of `source` to `destination` and waits. The selection was made for
/// source's layout; destination has its shape and source's element type (value_error), is writable
/// (read_only_error) and overlaps neither source nor the selection's arrays. Throws index_error as
/// selection::check does; part of destination may have been written then.
///
/// Memory that the host may not touch goes through compact host memory: all of source that the
/// basic items leave, and the result.
USMX_API void gather(const array_view& source, const selection&, const array_view& destination);

/// Sets what is selected of `destination`, for whose layout the selection was made, and waits.
/// `values` has destination's element type, and its shape can be broadcast to the selection's,
/// where leading dimensions of 1 do not count (value_error naming both shapes). Of values for the
/// same element the last one in C order stays. Values and selection may overlap destination.
/// Nothing is written when an index is outside of its axis (index_error as selection::check) or
/// destination is read-only (read_only_error).
///
/// Memory that the host may not touch is fetched, changed and written back: elements that others
/// change meanwhile get their old values again.
USMX_API void scatter(const array_view& values, selection, const array_view& destination);

}  // namespace usmx::inline v1
