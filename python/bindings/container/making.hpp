// New arrays, with or without the elements of another one: what usmx's Python modules make arrays
// with.
#pragma once

#include "support/arguments.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/layout/element_order.hpp"

namespace usmx::bindings {

/// A new array with the elements of another one. Waits.
array copy_of(const array& source, dtype type, usm_kind kind, const sycl::queue& queue,
              element_order order);

/// The array itself if it is on that `device=` already, or a copy as `copy=` demands or allows.
nb::object as_asked(const nb::object& array, nb::handle device, copying copy);

/// asarray, empty, zeros and those like another array, and what the package makes others of.
void bind_making(nb::module_& m);

}  // namespace usmx::bindings
