// SyclEvent in Python: holds exactly one sycl::event. And events as arguments, from anybody.
#pragma once

#include <optional>

#include <sycl/event.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

void bind_sycl_event(nb::module_& m);

inline nb::object to_python(const sycl::event& event) { return make_instance(event); }

/// A copy of the event in a SyclEvent of usmx or dpctl, any other object whose _get_capsule() holds
/// one, or such a capsule, which stays usable; none for anything else.
std::optional<sycl::event> event_of_object(nb::handle object);

/// The same; type_error for anything else, value_error when a capsule was used or has another name.
sycl::event event_argument(const char* name, nb::handle);

}  // namespace usmx::bindings
