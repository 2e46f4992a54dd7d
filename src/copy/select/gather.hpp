// Gathering into a new array, for usmx's Python module. Not installed.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/select/selection.hpp"

namespace usmx::inline v1::internal {

/// As gather, into memory that nobody else has, and that nobody may be given where this throws:
/// then part of it may have been written. A kernel checks the integers as it uses them, where they
/// would have to be checked before that.
USMX_API void gather_to_fresh(const array& source, const selection&, const array& destination);

}  // namespace usmx::inline v1::internal

// The three ways to read and write selected elements; gather.cpp chooses. Private to the library,
// and separate so that tests can call each.

namespace usmx::inline v1::detail {

// The indexed side has the layout selection::basic(), the other one the shape of what was selected,
// and there are elements. Both have one element type, and overlap only if they are staged.

/// Whether nobody is given the destination where gather_by_kernels throws.
enum class destination_memory { given, fresh };

/// By kernels on the device of the array that is selected from. False, with nothing done, where
/// they cannot do it. Elements of the indexed side that several places lead to become the last of
/// their values. Throws index_error as selection::check does, before anything is written but to
/// fresh memory.
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
