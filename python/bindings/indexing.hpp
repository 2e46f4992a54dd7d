// Basic indices of Python - integers, slices, Ellipsis, None and tuples of them - as index items.
#pragma once

#include "support.hpp"
#include "usmx/layout.hpp"

namespace usmx::bindings {

/// What `a[key]` addresses. IndexError (index_error, type_error) for anything but a basic index.
layout subscript_by(const layout& where, PyObject* key);

}  // namespace usmx::bindings
