// Capsules of Arrow: "arrow_schema", "arrow_array", "arrow_device_array", "arrow_array_stream".
#pragma once

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/exchange/arrow.hpp"

namespace usmx::bindings {

/// (schema, array) of host-accessible memory, and of any memory with its place. The caller has
/// ensured that the elements are ready to be read.
nb::object to_arrow_capsules(const array&);
nb::object to_arrow_device_capsules(const array&);

/// The column of a producer, by the first of __arrow_c_array__, __arrow_c_stream__ and
/// __arrow_c_device_array__ that it has. Throws type_error if it has none or gives no capsules, and
/// value_error if these hold something else or were used before.
exchange::column column_of(PyObject* producer);

/// A new array with a copy of column number `k`, in the device's type for it. Waits.
array copy_to_usm(const exchange::column&, std::size_t k, usm_kind kind, const sycl::queue& queue);

}  // namespace usmx::bindings
