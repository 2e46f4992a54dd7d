// What can be asked about a device: one table, from which the properties of SyclDevice, their types
// in the stub and their documentation come.
#pragma once

#include <sycl/device.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// A property for each descriptor. Also the module's _device_descriptors, the names of those that
/// are plain data: what `usmx devices --json` lists.
void bind_device_descriptors(nb::module_& m, nb::class_<sycl::device>& cls);

}  // namespace usmx::bindings
