// The disk cache of device kernels, for `python -m usmx cache`.
#pragma once

#include <nanobind/nanobind.h>

namespace usmx::bindings {

void bind_kernel_cache(nanobind::module_&);

}  // namespace usmx::bindings
