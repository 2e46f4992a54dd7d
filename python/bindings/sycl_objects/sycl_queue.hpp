// SyclQueue in Python: holds exactly one sycl::queue.
#pragma once

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The class and synchronize.
void bind_sycl_queue(nb::module_& m);

inline nb::object to_python(const sycl::queue& queue) { return make_instance(queue); }

}  // namespace usmx::bindings
