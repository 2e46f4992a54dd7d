// SyclDevice in Python: holds exactly one sycl::device.
#pragma once

#include <optional>
#include <string>

#include <sycl/device.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The class, get_devices and diagnose_missing_device.
void bind_sycl_device(nb::module_& m);

inline nb::object to_python(const sycl::device& device) { return make_instance(device); }

/// What SyclDevice(argument) stands for: None is the default device.
sycl::device construct_device(nb::handle argument);

/// None for a sub-device.
std::optional<std::string> filter_string_of(const sycl::device& device);

/// The filter string in quotes, or the description of a sub-device: for repr.
std::string device_name(const sycl::device& device);

}  // namespace usmx::bindings
