#include "sycl_objects/enums.hpp"

#include <algorithm>
#include <array>

#include "support/hooks.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::bindings {
namespace {

template <class Value>
struct named {
  Value value;
  const char* name;
};

template <class Value, std::size_t N>
const char* name_in(const std::array<named<Value>, N>& table, Value value) {
  const auto found = std::ranges::find(table, value, &named<Value>::value);
  return found == table.end() ? nullptr : found->name;
}

/// The member of an enumeration; RuntimeError where the runtime reports a value without a name.
template <class Value, std::size_t N>
nb::object member(lazy_import& enumeration, const std::array<named<Value>, N>& table, Value value) {
  const char* name = name_in(table, value);
  if (name == nullptr) {
    PyErr_Format(PyExc_RuntimeError, "the SYCL runtime reports a value without a name: %lld",
                 static_cast<long long>(value));
    nb::raise_python_error();
  }
  return enumeration.get().attr(name);
}

using sycl::info::device_type;
constexpr std::array device_types{named{device_type::all, "all"},
                                  named{device_type::accelerator, "accelerator"},
                                  named{device_type::automatic, "automatic"},
                                  named{device_type::cpu, "cpu"},
                                  named{device_type::custom, "custom"},
                                  named{device_type::gpu, "gpu"}};

using sycl::info::event_command_status;
constexpr std::array statuses{named{event_command_status::submitted, "submitted"},
                              named{event_command_status::running, "running"},
                              named{event_command_status::complete, "complete"},
                              named{event_command_status::ext_oneapi_unknown, "unknown_status"}};

using cache = sycl::info::global_mem_cache_type;
constexpr std::array caches{named{cache::none, "none"}, named{cache::read_only, "read_only"},
                            named{cache::read_write, "read_write"}};

using local = sycl::info::local_mem_type;
constexpr std::array local_memories{named{local::none, "none"}, named{local::local, "local"},
                                    named{local::global, "global_mem"}};

using partition = sycl::info::partition_property;
constexpr std::array partitions{
    named{partition::no_partition, "no_partition"},
    named{partition::partition_equally, "partition_equally"},
    named{partition::partition_by_counts, "partition_by_counts"},
    named{partition::partition_by_affinity_domain, "partition_by_affinity_domain"},
    named{partition::ext_intel_partition_by_cslice, "ext_intel_partition_by_cslice"}};

using domain = sycl::info::partition_affinity_domain;
constexpr std::array domains{named{domain::not_applicable, "not_applicable"},
                             named{domain::numa, "numa"},
                             named{domain::L4_cache, "L4_cache"},
                             named{domain::L3_cache, "L3_cache"},
                             named{domain::L2_cache, "L2_cache"},
                             named{domain::L1_cache, "L1_cache"},
                             named{domain::next_partitionable, "next_partitionable"}};

using sycl::info::fp_config;
constexpr std::array floats{
    named{fp_config::denorm, "denorm"},
    named{fp_config::inf_nan, "inf_nan"},
    named{fp_config::round_to_nearest, "round_to_nearest"},
    named{fp_config::round_to_zero, "round_to_zero"},
    named{fp_config::round_to_inf, "round_to_inf"},
    named{fp_config::fma, "fma"},
    named{fp_config::correctly_rounded_divide_sqrt, "correctly_rounded_divide_sqrt"},
    named{fp_config::soft_float, "soft_float"}};

using sycl::memory_order;
constexpr std::array orders{
    named{memory_order::relaxed, "relaxed"}, named{memory_order::acquire, "acquire"},
    named{memory_order::release, "release"}, named{memory_order::acq_rel, "acq_rel"},
    named{memory_order::seq_cst, "seq_cst"}};

using sycl::memory_scope;
constexpr std::array scopes{
    named{memory_scope::work_item, "work_item"}, named{memory_scope::sub_group, "sub_group"},
    named{memory_scope::work_group, "work_group"}, named{memory_scope::device, "device"},
    named{memory_scope::system, "system"}};

lazy_import backend_type("usmx.enum_types", "backend_type");
lazy_import device_type_class("usmx.enum_types", "device_type");
lazy_import event_status_type("usmx.enum_types", "event_status_type");
lazy_import global_mem_cache_type("usmx.enum_types", "global_mem_cache_type");
lazy_import local_mem_type("usmx.enum_types", "local_mem_type");
lazy_import partition_property("usmx.enum_types", "partition_property");
lazy_import fp_config_class("usmx.enum_types", "fp_config");
lazy_import memory_order_class("usmx.enum_types", "memory_order");
lazy_import memory_scope_class("usmx.enum_types", "memory_scope");

}  // namespace

nb::object filter_named_by(nb::handle argument) {
  const bool is_named = nb::isinstance(argument, device_type_class.get()) ||
                        nb::isinstance(argument, backend_type.get());
  return is_named ? nb::object(argument.attr("name")) : nb::object();
}

nb::object to_python(sycl::backend value) {
  // The library's table has the names.
  return backend_type.get().attr(nb::str(backend_name(value).data(), backend_name(value).size()));
}
nb::object to_python(sycl::info::device_type value) {
  return member(device_type_class, device_types, value);
}
nb::object to_python(sycl::info::event_command_status value) {
  return member(event_status_type, statuses, value);
}
nb::object to_python(sycl::info::global_mem_cache_type value) {
  return member(global_mem_cache_type, caches, value);
}
nb::object to_python(sycl::info::local_mem_type value) {
  return member(local_mem_type, local_memories, value);
}
nb::object to_python(sycl::info::partition_property value) {
  return member(partition_property, partitions, value);
}
nb::object to_python(sycl::info::fp_config value) { return member(fp_config_class, floats, value); }
nb::object to_python(sycl::memory_order value) { return member(memory_order_class, orders, value); }
nb::object to_python(sycl::memory_scope value) { return member(memory_scope_class, scopes, value); }

nb::object to_python(sycl::info::partition_affinity_domain value) {
  const char* name = name_in(domains, value);
  return nb::str(name == nullptr ? "not_applicable" : name);
}

std::optional<sycl::info::partition_affinity_domain> affinity_domain_of(std::string_view name) {
  const auto found = std::ranges::find(domains, name, &named<domain>::name);
  return found == domains.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace usmx::bindings
