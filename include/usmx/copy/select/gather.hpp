// Reading and writing the elements that a selection names: NumPy's `a[key]` and `a[key] = values`
// where arrays are among the items of the key. Selections are in copy/select/selection.hpp.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1 {

/// Copies the selected elements of `source` to `destination`, and waits, as `copy` does. The
/// selection was made for the layout of `source`. `destination` overlaps neither `source` nor the
/// selection's arrays. Throws value_error when `destination` has another shape than the selection
/// or another element type than `source`, or when an array has no memory; read_only_error when it
/// is read-only, index_error when an integer is outside of its axis; then part of `destination` may
/// have been written.
///
/// Memory that the host may not touch is copied to compact host memory first: all of `source` that
/// the basic items of the key leave, and the result.
USMX_API void gather(const array& source, const selection&, const array& destination);

/// Sets the selected elements of `destination` to `values`, and waits, as `copy` does. The
/// selection was made for the layout of `destination`. The shape of `values` is broadcast to the
/// selection's; leading dimensions of 1 do not count. If the selection names an element several
/// times, the last value in C order stays. `values` and the selection's arrays may overlap
/// `destination`. Throws value_error when the shapes do not fit, `values` is of another element
/// type or an array has no memory; index_error when an integer is outside of its axis,
/// read_only_error when `destination` is read-only; nothing is written then.
///
/// Memory that the host may not touch is fetched, changed and written back: elements that others
/// change meanwhile get their old values again.
USMX_API void scatter(const array& values, selection, const array& destination);
/// The same with values in ordinary host memory. Also throws value_error when `values` is a view of
/// USM.
USMX_API void scatter(const array_view& values, selection, const array& destination);

}  // namespace usmx::inline v1
