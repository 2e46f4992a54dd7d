// New arrays, with or without the elements of another one: what usmx's Python modules make arrays
// with.
#pragma once

#include "support.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

/// 'C', 'F', 'A' or 'K', or in lower case, as its capital letter. Throws value_error when it is not
/// among `allowed`.
char order_argument(nb::handle order, std::string_view allowed);

/// The element type of a new array on a device: the one that was asked for, which the device must
/// have (value_error if not), else what the device has for `natural`.
dtype type_on(const sycl::device&, nb::handle asked, dtype natural);

/// A new array with the elements of another one. `order` is a capital letter.
array copy_of(const array& source, dtype type, usm_kind kind, const sycl::queue& queue, char order);

void bind_array_making(nb::module_& m);

}  // namespace usmx::bindings
