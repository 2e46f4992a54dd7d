// SYCL's enumerations as members of those in usmx.enum_types, which have dpctl's names.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <sycl/backend_types.hpp>
#include <sycl/info/device.hpp>
#include <sycl/info/event.hpp>
#include <sycl/memory_enums.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// A member of backend_type: usmx has a name for every back end of the runtime.
nb::object to_python(sycl::backend);
nb::object to_python(sycl::info::device_type);
nb::object to_python(sycl::info::event_command_status);
nb::object to_python(sycl::info::global_mem_cache_type);
nb::object to_python(sycl::info::local_mem_type);
nb::object to_python(sycl::info::partition_property);
nb::object to_python(sycl::info::fp_config);
nb::object to_python(sycl::memory_order);
nb::object to_python(sycl::memory_scope);

/// The name of a member of device_type or backend_type, which is a filter selector; null for any
/// other object.
nb::object filter_named_by(nb::handle argument);

/// The name of an affinity domain, by which sub-devices are asked for.
nb::object to_python(sycl::info::partition_affinity_domain);
/// Returns nothing for any other text.
std::optional<sycl::info::partition_affinity_domain> affinity_domain_of(std::string_view name);

/// A tuple of members, or of names.
template <class Enumeration>
nb::object to_python(const std::vector<Enumeration>& members) {
  nb::list list;
  for (const Enumeration member : members) {
    list.append(to_python(member));
  }
  return nb::tuple(list);
}

}  // namespace usmx::bindings
