#include "usmx/runtime/devices.hpp"

#include <algorithm>
#include <optional>
#include <sycl/device_selector.hpp>
#include <sycl/exception.hpp>
#include <sycl/platform.hpp>
#include <utility>

#include "base/process_state.hpp"
#include "runtime/drivers/back_ends.hpp"
#include "runtime/root_devices.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/diagnosis.hpp"

namespace usmx::inline v1 {

namespace {

using sycl::info::device_type;

/// In the table of back ends, or in that of types.
template <class Row, std::size_t N, class Value>
std::string_view name_of(const std::array<Row, N>& table, Value value, std::string_view otherwise) {
  const auto found = std::ranges::find(table, value, &Row::value);
  return found == table.end() ? otherwise : found->name;
}

device_type type_of(const sycl::device& device) {
  return device.get_info<sycl::info::device::device_type>();
}

std::string name_in_brackets(const sycl::device& device) {
  if (const detail::root_device* root = detail::find_root(device)) {
    return root->filter();
  }
  if (const std::optional<sycl::device> parent = detail::parent_of(device)) {
    return detail::message("sub-device of ", name_in_brackets(*parent));
  }
  return detail::message(backend_name(device.get_backend()), ":", device_type_name(device));
}

bool can_be_peers(const sycl::device& device, const sycl::device& peer) {
  return device.get_backend() == peer.get_backend() && device != peer &&
         detail::traits_of(device.get_backend()).has_peer_access;
}

void require_peers(const char* where, const sycl::device& device, const sycl::device& peer) {
  if (!can_be_peers(device, peer)) {
    throw value_error(detail::message(
        where, ": expected two devices of one back end, Level Zero, CUDA or HIP, found ",
        describe(device), " and ", describe(peer)));
  }
}

}  // namespace

std::string detail::root_device::filter() const {
  return message(backend_name(backend), ":", name_of(detail::device_types, type, "unknown"), ":",
                 index);
}

std::vector<detail::root_device> detail::query_root_devices() {
  std::vector<detail::root_device> found;
  for (const sycl::platform& platform : sycl::platform::get_platforms()) {
    for (sycl::device& device : platform.get_devices()) {
      const sycl::backend backend = device.get_backend();
      const device_type type = type_of(device);
      const auto index = static_cast<std::size_t>(
          std::ranges::count_if(found, [&](const detail::root_device& earlier) {
            return earlier.backend == backend && earlier.type == type;
          }));
      const int score = sycl::default_selector_v(device);
      found.push_back({std::move(device), backend, type, index, score});
    }
  }
  return found;
}

// Never destroyed: devices may be described after main.
const std::vector<detail::root_device>& detail::root_devices() {
  note_runtime_in_use();
  static const std::vector<detail::root_device>& none = *new std::vector<detail::root_device>;
  try {
    static const std::vector<detail::root_device>& found =
        *new std::vector<detail::root_device>(detail::query_root_devices());
    return found;
  } catch (const sycl::exception&) {
    return none;
  }
}

const detail::root_device* detail::find_root(const sycl::device& device) {
  const auto& roots = detail::root_devices();
  const auto found = std::ranges::find(roots, device, &root_device::device);
  return found == roots.end() ? nullptr : &*found;
}

int default_selector_score(const sycl::device& device) {
  const detail::root_device* root = detail::find_root(device);
  return root != nullptr ? root->default_score : sycl::default_selector_v(device);
}

std::optional<sycl::device> detail::parent_of(const sycl::device& device) {
  if (device.get_info<sycl::info::device::partition_type_property>() ==
      sycl::info::partition_property::no_partition) {
    return std::nullopt;
  }
  return device.get_info<sycl::info::device::parent_device>();
}

std::vector<sycl::device> get_devices() {
  std::vector<sycl::device> devices;
  for (const detail::root_device& root : detail::root_devices()) {
    devices.push_back(root.device);
  }
  return devices;
}

sycl::device default_device() {
  detail::note_runtime_in_use();
  try {
    static const sycl::device& chosen = *new sycl::device(sycl::default_selector_v);
    return chosen;
  } catch (const sycl::exception&) {
    throw device_error(detail::message("default_device: ", diagnose_missing_device()));
  }
}

std::optional<sycl::device> parent_device(const sycl::device& device) {
  detail::note_runtime_in_use();
  return detail::parent_of(device);
}

bool can_access_peer(const sycl::device& device, const sycl::device& peer,
                     sycl::ext::oneapi::peer_access access) {
  detail::note_runtime_in_use();
  return can_be_peers(device, peer) &&
         sycl::device(device).ext_oneapi_can_access_peer(peer, access);
}

void enable_peer_access(const sycl::device& device, const sycl::device& peer) {
  detail::note_runtime_in_use();
  require_peers("enable_peer_access", device, peer);
  sycl::device(device).ext_oneapi_enable_peer_access(peer);
}

void disable_peer_access(const sycl::device& device, const sycl::device& peer) {
  detail::note_runtime_in_use();
  require_peers("disable_peer_access", device, peer);
  sycl::device(device).ext_oneapi_disable_peer_access(peer);
}

std::string_view backend_name(sycl::backend backend) {
  return name_of(detail::back_ends, backend, backend == sycl::backend::all ? "all" : "unknown");
}

std::string_view device_type_name(const sycl::device& device) {
  return name_of(detail::device_types, type_of(device), "unknown");
}

std::string describe(const sycl::device& device) {
  return detail::message(device.get_info<sycl::info::device::name>(), " [",
                         name_in_brackets(device), "]");
}

}  // namespace usmx::inline v1
