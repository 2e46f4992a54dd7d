// SyclContext in Python: holds exactly one sycl::context.
#pragma once

#include <sycl/context.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_sycl_context(nb::module_& m);

inline nb::object to_python(const sycl::context& context) { return make_instance(context); }

}  // namespace usmx::bindings
