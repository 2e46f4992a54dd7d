// SyclQueue in Python: holds exactly one sycl::queue.
#pragma once

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The class and synchronize.
void bind_sycl_queue(nb::module_& m);

/// An object of usmx's own class, which notes when somebody takes the queue out of it. What is to
/// be handed out goes through dpctl_objects.hpp.
inline nb::object own_object(const sycl::queue& queue) { return make_instance(queue); }

}  // namespace usmx::bindings
