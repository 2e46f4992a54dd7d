#include "sycl_objects/classes.hpp"

#include <sycl/ext/oneapi/experimental/composite_device.hpp>

#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

// ---- sub-devices

using partition = sycl::info::partition_property;
using devices = std::vector<sycl::device>;

/// A number of compute units: as dpctl has it, any number whose integer part is one.
std::size_t to_units(nb::handle number) {
  if (PyNumber_Check(number.ptr()) == 0) {
    throw_not_accepted("partition", "numbers of compute units, or the name of an affinity domain",
                       number);
  }
  const nb::object whole = checked(run_python([&] { return PyNumber_Long(number.ptr()); }));
  const std::ptrdiff_t units = to_count("partition", "a number of compute units", whole.ptr());
  if (units <= 0) {
    throw_failure(
        failure::sub_devices,
        detail::message("a sub-device must have at least 1 compute unit, found ", units).c_str());
  }
  return static_cast<std::size_t>(units);
}

/// Returns the result of `make()`. Drivers say no more than that they fail.
template <class Make>
devices parts_of(const sycl::device& device, const std::string& wanted, const Make& make) {
  namespace id = sycl::info::device;
  try {
    return make();
  } catch (const sycl::exception&) {
    throw_failure(
        failure::sub_devices,
        detail::message("the driver makes no sub-devices ", wanted, " of ", describe(device),
                        ", which has ", device.get_info<id::max_compute_units>(),
                        " compute units and can be parted into at most ",
                        device.get_info<id::partition_max_sub_devices>())
            .c_str());
  }
}

devices by_domain(const sycl::device& device, std::string_view name) {
  const auto domain = affinity_domain_of(name);
  if (!domain) {
    throw value_error(detail::message(
        "partition must be 'numa', 'L4_cache', 'L3_cache', 'L2_cache', 'L1_cache' or "
        "'next_partitionable', found '",
        name, "'"));
  }
  return parts_of(device, detail::message("by affinity domain '", name, "'"), [&] {
    return device.create_sub_devices<partition::partition_by_affinity_domain>(*domain);
  });
}

devices by_counts(const sycl::device& device, nb::handle counts) {
  const nb::object items = checked(run_python([&] { return PySequence_Tuple(counts.ptr()); }));
  std::vector<std::size_t> units;
  for (nb::handle item : items) {
    units.push_back(to_units(item));
  }
  if (units.empty()) {
    throw value_error("partition must have at least one number of compute units, found none");
  }
  return parts_of(device, detail::message("of ", repr_text(items.ptr()), " compute units"),
                  [&] { return device.create_sub_devices<partition::partition_by_counts>(units); });
}

devices in_equal_parts(const sycl::device& device, std::size_t units) {
  return parts_of(device, detail::message("of ", units, " compute units each"),
                  [&] { return device.create_sub_devices<partition::partition_equally>(units); });
}

devices create_sub_devices(const sycl::device& device, nb::handle by) {
  require_usable_process();
  if (nb::isinstance<nb::str>(by)) {
    return by_domain(device, to_text("partition", by.ptr()));
  }
  return PySequence_Check(by.ptr()) != 0 ? by_counts(device, by)
                                         : in_equal_parts(device, to_units(by));
}

devices component_devices(const sycl::device& device) {
  namespace composite = sycl::ext::oneapi::experimental::info::device;
  require_usable_process();
  return device.has(sycl::aspect::ext_oneapi_is_composite)
             ? device.get_info<composite::component_devices>()
             : devices();
}

sycl::device root_of(sycl::device device) {
  while (const auto parent = parent_device(device)) {
    device = *parent;
  }
  return device;
}

// ---- peers

const sycl::device& peer_argument(nb::handle peer) {
  const auto* device = value_of_either<sycl::device>(peer.ptr());
  if (device == nullptr) {
    throw_not_accepted("peer", "a SyclDevice", peer);
  }
  return *device;
}

bool is_reachable_peer(const sycl::device& device, nb::handle peer, nb::handle value) {
  using sycl::ext::oneapi::peer_access;
  const sycl::device& other = peer_argument(peer);
  const std::string_view what = to_text("value", value.ptr());
  if (what != "access_supported" && what != "atomics_supported") {
    throw value_error(detail::message(
        "value must be 'access_supported' or 'atomics_supported', found '", what, "'"));
  }
  return can_access_peer(
      device, other,
      what == "access_supported" ? peer_access::access_supported : peer_access::atomics_supported);
}

}  // namespace

sycl::device construct_device(nb::handle argument) {
  if (argument.is_none()) {
    return default_device();
  }
  if (nb::isinstance<nb::str>(argument)) {
    return select_device(to_text("filter selector", argument.ptr()));
  }
  if (const auto* device = value_of_either<sycl::device>(argument.ptr())) {
    return *device;
  }
  throw_not_accepted("SyclDevice", "nothing, a filter string or a SyclDevice", argument);
}

std::optional<std::string> filter_string_of(const sycl::device& device) {
  try {
    return filter_string(device);
  } catch (const value_error&) {
    return std::nullopt;
  }
}

std::string device_name(const sycl::device& device) {
  const auto filter = filter_string_of(device);
  return filter ? "'" + *filter + "'" : "<sub-device of " + describe(device) + ">";
}

void bind_sycl_device(nb::module_& m) {
  nb::class_<sycl::device> cls(m, "SyclDevice",
                               "A SYCL device. It equals another one for the same device.");
  declare<"def __init__(self, arg: str | SyclDevice | None = None) -> None">(
      cls, init_by(+[](nb::handle arg) {
        return creating(failure::device, [&] { return construct_device(arg); });
      }),
      docstring("SyclDevice.__init__"));
  cls.def_prop_ro(
      "filter_string", &filter_string,
      "A filter selector that names the device, ``backend:device_type:relative_id``. Raises "
      "ValueError for a sub-device, which has none.");
  declare<
      "def create_sub_devices(self, *, partition: int | str | typing.Sequence[int]) -> "
      "list[SyclDevice]">(cls, &create_sub_devices);
  cls.def("print_device_info", &print_device_info,
          "Print name, driver version, vendor and filter string.");
  declare<"def component_devices(self) -> list[SyclDevice]">(
      cls, &component_devices,
      "List the devices that a composite device is made of (Level Zero). Empty for others.");
  declare<"def get_unpartitioned_parent_device(self) -> SyclDevice">(
      cls,
      [](nb::handle_t<sycl::device> self) -> nb::object {
        const auto& device = ready_instance<sycl::device>(self.ptr());
        return parent_device(device) ? to_python(root_of(device)) : nb::borrow(self);
      },
      "Find the root device that a sub-device is part of, also of a part. A root device "
      "itself.");
  declare<"def can_access_peer(self, peer: SyclDevice, value: str = 'access_supported') -> bool">(
      cls, &is_reachable_peer);
  declare<"def enable_peer_access(self, peer: SyclDevice) -> None">(
      cls, [](const sycl::device& device, nb::handle peer) {
        enable_peer_access(device, peer_argument(peer));
      });
  declare<"def disable_peer_access(self, peer: SyclDevice) -> None">(
      cls, [](const sycl::device& device, nb::handle peer) {
        disable_peer_access(device, peer_argument(peer));
      });
  cls.def(
      "addressof_ref",
      [](const sycl::device& device) { return reinterpret_cast<std::uintptr_t>(&device); },
      "The address of the C++ object, a sycl::device, which lives as long as this object.");
  bind_device_descriptors(m, cls);
  bind_value_semantics(cls, &value_of_either<sycl::device>);
  cls.def("__repr__", [](const sycl::device& d) { return "SyclDevice(" + device_name(d) + ")"; });
  bind_name_of_class(cls);
  set_python_class<sycl::device>(cls);
  m.def("_get_devices", &get_devices, "All root devices, in dpctl's order.");
  m.def("diagnose_missing_device", &diagnose_missing_device,
        "Why no device is found: what the environment says and which driver is there.");
}

}  // namespace usmx::bindings
