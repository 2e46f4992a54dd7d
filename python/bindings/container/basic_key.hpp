// Basic indices of Python - integers, slices, Ellipsis, None and tuples of them - as index items.
// Others: array_key.hpp.
#pragma once

#include <optional>

#include "support/nanobind.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::bindings {

/// What `a[key]` addresses, when the key is a basic one. IndexError (index_error, type_error) when
/// it does not fit the layout.
std::optional<layout> subscript_by(const layout& where, PyObject* key);

/// Sets `item` when the object is an item of a basic index. Sequences may be arrays: those are not,
/// even when they can be converted to an integer.
bool to_basic_item(PyObject* object, index_item& item);

/// How many items a tuple has; index_error when no array has as many dimensions.
std::size_t item_count(PyObject* tuple);

}  // namespace usmx::bindings
