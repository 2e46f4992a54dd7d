// Gathering into a new array, for usmx's Python module. Not installed.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1::internal {

/// Does as gather, into memory that no other code has, and that no other code may get if this
/// throws: then part of it may have been written. So a kernel may check the integers as it uses
/// them, instead of before.
USMX_API void gather_to_fresh(const array& source, const selection&, const array& destination);

}  // namespace usmx::inline v1::internal

// The three ways to read and write selected elements; gather.cpp chooses. Private to the library,
// and separate so that tests can call each.

namespace usmx::inline v1::detail {

// The indexed side has the layout selection::basic(), the other one the shape of what was selected,
// and there are elements. Both have one element type, and overlap only if they are staged.

/// Whether nobody is given the destination where gather_by_kernels throws.
enum class destination_memory { given, fresh };

/// Move by kernels on the device of the array that is selected from. Return false, with nothing
/// done, where kernels cannot do it. Elements of the indexed side that several places lead to
/// become the last of their values. Throw index_error as selection::check does, before anything is
/// written but to fresh memory.
bool gather_by_kernels(const array_view& source, const selection&, const array_view& destination,
                       destination_memory);
bool scatter_by_kernels(const array_view& values, const selection&, const array_view& destination);

// The integers of the others are in memory that the host may touch.

/// Over memory that the host may touch.
void gather_on_host(const array_view& source, const selection&, const array_view& destination);
void scatter_on_host(const array_view& values, const selection&, const array_view& destination);

/// Through compact ordinary memory for each side.
void gather_staged(const array_view& source, const selection&, const array_view& destination);
void scatter_staged(const array_view& values, const selection&, const array_view& destination);

}  // namespace usmx::inline v1::detail
