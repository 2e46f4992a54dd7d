#include "runtime/devices.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <mutex>
#include <ostream>
#include <utility>

#include <sycl/backend.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/intel/info/device.hpp>
#include <sycl/platform.hpp>

#include "base/messages.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "runtime/contexts.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {

namespace {

using sycl::info::device_type;

/// Finds a value's row in the table of back ends, or in that of types.
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

namespace {

/// Makes calls leave the state that drivers keep for each thread as it was. A driver that
/// `was_there` before this call knows the state; a driver that the runtime has loaded since had
/// none for the thread.
void keep_states_of_drivers(bool was_there) {
  for (const detail::back_end& each : detail::back_ends) {
    const auto find = each.traits->find_thread_state;
    if (const auto state = find == nullptr ? std::nullopt : find()) {
      detail::keep_thread_state(*state, was_there ? state->now() : nullptr);
    }
  }
}

}  // namespace

std::vector<detail::root_device> detail::query_root_devices() {
  const internal::kept_thread_state kept;
  keep_states_of_drivers(true);
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
  keep_states_of_drivers(false);
  return found;
}

// The list is never destroyed: devices may be described after main.
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
  const internal::kept_thread_state kept;
  try {
    static const sycl::device& chosen = *new sycl::device(sycl::default_selector_v);
    return chosen;
  } catch (const sycl::exception&) {
    throw device_error(detail::message("default_device: ", diagnose_missing_device()));
  }
}

std::optional<sycl::device> parent_device(const sycl::device& device) {
  detail::note_runtime_in_use();
  const internal::kept_thread_state kept;
  return detail::parent_of(device);
}

bool can_access_peer(const sycl::device& device, const sycl::device& peer,
                     sycl::ext::oneapi::peer_access access) {
  detail::note_runtime_in_use();
  const internal::kept_thread_state kept;
  return can_be_peers(device, peer) &&
         sycl::device(device).ext_oneapi_can_access_peer(peer, access);
}

void enable_peer_access(const sycl::device& device, const sycl::device& peer) {
  detail::note_runtime_in_use();
  const internal::kept_thread_state kept;
  require_peers("enable_peer_access", device, peer);
  detail::enable_peer_access(device, peer);
}

void disable_peer_access(const sycl::device& device, const sycl::device& peer) {
  detail::note_runtime_in_use();
  const internal::kept_thread_state kept;
  require_peers("disable_peer_access", device, peer);
  detail::disable_peer_access(device, peer);
}

std::string_view backend_name(sycl::backend backend) {
  return name_of(detail::back_ends, backend, backend == sycl::backend::all ? "all" : "unknown");
}

std::string_view device_type_name(const sycl::device& device) {
  return name_of(detail::device_types, type_of(device), "unknown");
}

std::ostream& operator<<(std::ostream& out, usm_kind kind) { return out << name(kind); }

std::string describe(const sycl::device& device) {
  return detail::message(device.get_info<sycl::info::device::name>(), " [",
                         name_in_brackets(device), "]");
}

namespace {

using detail::root_device;
using sycl::info::device_type;

/// The number of characters of a filter selector that a message shows.
constexpr std::size_t longest_shown_filter = 80;

template <class Row, std::size_t N>
auto value_named(const std::array<Row, N>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Row::name);
  return found == table.end() ? std::nullopt : std::optional(found->value);
}

// An alternative of a filter selector.
struct device_filter {
  std::optional<sycl::backend> backend;
  std::optional<device_type> type;
  std::optional<std::size_t> index;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

// Reads an index. A number that is greater than any list of devices is still one: that of a device
// that is not there.
std::optional<std::size_t> parse_index(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; })) {
    return std::nullopt;
  }
  std::size_t value = std::numeric_limits<std::size_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Reads one alternative of a filter. Empty parts count as left out. At least one part has to be
// there, and the parts keep their order.
std::optional<device_filter> parse_alternative(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 3 || std::ranges::all_of(parts, &std::string_view::empty)) {
    return std::nullopt;
  }
  device_filter filter;
  for (std::string_view part : parts) {
    if (part.empty()) {
      continue;
    }
    if (filter.index) {
      return std::nullopt;
    }
    if ((filter.index = parse_index(part))) {
      continue;
    }
    if (filter.type) {
      return std::nullopt;
    }
    if ((filter.type = value_named(detail::device_types, part))) {
      continue;
    }
    if (filter.backend || !(filter.backend = value_named(detail::back_ends, part))) {
      return std::nullopt;
    }
  }
  return filter;
}

std::vector<device_filter> parse_filter(std::string_view text) {
  std::vector<device_filter> alternatives;
  for (std::string_view part : split(text, ',')) {
    const std::optional<device_filter> filter = parse_alternative(part);
    if (!filter) {
      throw value_error(detail::message(
          "select_device: expected a filter selector 'backend:device_type:index', any part left "
          "out, alternatives separated by commas, no spaces (backends: ",
          detail::listed(detail::back_ends, &detail::back_end::name), "; device types: ",
          detail::listed(detail::device_types, [](const auto& each) { return each.name; }),
          "), found ", detail::quoted(text, longest_shown_filter),
          part.starts_with("xpu") ? "; what PyTorch calls 'xpu' is 'level_zero:gpu'" : ""));
    }
    alternatives.push_back(*filter);
  }
  return alternatives;
}

bool fits(const root_device& root, const device_filter& filter) {
  return (!filter.backend || *filter.backend == root.backend) &&
         (!filter.type || *filter.type == root.type);
}

// The device that a filter names: the one at its index among those that fit. Without an index, the
// one among them that the runtime prefers, and the first of equals.
const root_device* find_match(const device_filter& filter) {
  const root_device* best = nullptr;
  std::size_t seen = 0;
  for (const root_device& root : detail::root_devices()) {
    if (!fits(root, filter)) {
      continue;
    }
    if (filter.index && seen++ == *filter.index) {
      return &root;
    }
    if (!filter.index && (best == nullptr || root.default_score > best->default_score)) {
      best = &root;
    }
  }
  return best;
}

}  // namespace

sycl::device select_device(std::string_view filter) {
  for (const device_filter& alternative : parse_filter(filter)) {
    if (const root_device* match = find_match(alternative)) {
      return match->device;
    }
  }
  const std::string devices = detail::listed(
      detail::root_devices(), [](const root_device& root) { return describe(root.device); });
  throw device_error(detail::message(
      "select_device: no device matches ", detail::quoted(filter, longest_shown_filter), "; ",
      devices.empty()
          ? diagnose_missing_device()
          : detail::message("there are: ", devices, "; to find out more: python -m usmx doctor")));
}

std::string filter_string(const sycl::device& device) {
  if (const root_device* root = detail::find_root(device)) {
    return root->filter();
  }
  throw value_error(
      detail::message("filter_string: expected a root device, found ", describe(device)));
}

type_support support_of(const sycl::device& device) {
  require_usable_process();
  return {device.has(sycl::aspect::fp16), device.has(sycl::aspect::fp64)};
}

void require_supported(dtype type, const sycl::device& device) {
  const bool is_common = is_supported(type, {.fp16 = false, .fp64 = false});
  if (!is_common && !is_supported(type, support_of(device))) {
    throw value_error(detail::message(
        "element type ", type, " needs aspect ",
        is_supported(type, {.fp16 = false, .fp64 = true}) ? "fp64" : "fp16", ", which device ",
        describe(device), " does not have: expected ",
        nearest_supported(type, {.fp16 = false, .fp64 = false}), " or another type of the device"));
  }
}

namespace {

/// The memory that programs can have without swapping, according to /proc/meminfo, which has KiB; 0
/// if it does not say.
std::size_t available_to_host() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::size_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemAvailable:") {
      return kib * 1024;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace

memory_info get_memory_info(const sycl::device& device) {
  const std::size_t total = device.get_info<sycl::info::device::global_mem_size>();
  if (device.is_cpu()) {
    return {std::min(available_to_host(), total), total};
  }
  if (device.has(sycl::aspect::ext_intel_free_memory)) {
    return {device.get_info<sycl::ext::intel::info::device::free_memory>(), total};
  }
  throw value_error(
      detail::message(describe(device), " does not tell how much of its memory is free"));
}

}  // namespace usmx::inline v1

namespace usmx::inline v1::detail {
namespace {

constexpr sycl::backend cuda_backend = sycl::backend::ext_oneapi_cuda;

using numbered_device = std::pair<std::int32_t, sycl::device>;

/// The list is never destroyed, like the list that it comes from.
const std::vector<numbered_device>& numbered_devices() {
  static const auto& all = *[] {
    auto* found = new std::vector<numbered_device>;
    for (const root_device& root : root_devices()) {
      if (root.backend == cuda_backend) {
        found->emplace_back(sycl::get_native<cuda_backend>(root.device), root.device);
      }
    }
    return found;
  }();
  return all;
}

}  // namespace

std::size_t count_cuda_devices() { return numbered_devices().size(); }

const sycl::device* first_cuda_device() {
  const auto& all = numbered_devices();
  return all.empty() ? nullptr : &all.front().second;
}

const sycl::device* find_cuda_device(std::int32_t number) {
  const auto& all = numbered_devices();
  const auto found = std::ranges::find(all, number, &numbered_device::first);
  return found == all.end() ? nullptr : &found->second;
}

std::optional<std::int32_t> cuda_number(const sycl::device& device) {
  const auto& all = numbered_devices();
  const auto found = std::ranges::find(all, device, &numbered_device::second);
  return found == all.end() ? std::nullopt : std::optional(found->first);
}

std::string describe_missing_cuda_device(std::optional<std::int32_t> number) {
  const std::string which = number ? message(" of device ", *number) : "";
  const std::string filters = listed(root_devices(), &root_device::filter);
  return message("CUDA memory", which, ": the SYCL runtime has no ",
                 first_cuda_device() != nullptr ? "such CUDA device" : "CUDA device",
                 " here, found devices: ", filters.empty() ? "none" : filters);
}

namespace {

class peer_table {
 public:
  /// Whether a device has access to a peer's memory. Asks the back end, and enables the access,
  /// unless that is known.
  bool has_access(const sycl::device& device, const sycl::device& peer, const usm_driver& driver) {
    const std::lock_guard lock(mutex_);
    std::optional<bool>& known = allowed(device, peer);
    if (!known) {
      known = can_access_peer(device, peer) && driver.enable_peer_access(device, peer);
    }
    return *known;
  }
  void enable(const sycl::device& device, const sycl::device& peer) {
    const std::lock_guard lock(mutex_);
    std::optional<bool>& known = allowed(device, peer);
    if (!known.value_or(false)) {
      sycl::device(device).ext_oneapi_enable_peer_access(peer);
      known = true;
    }
  }
  void disable(const sycl::device& device, const sycl::device& peer) {
    const std::lock_guard lock(mutex_);
    sycl::device(device).ext_oneapi_disable_peer_access(peer);
    allowed(device, peer) = false;
  }

 private:
  struct row {
    sycl::device device;
    sycl::device peer;
    std::optional<bool> allowed{};
  };
  std::optional<bool>& allowed(const sycl::device& device, const sycl::device& peer) {
    const auto found = std::ranges::find_if(
        rows_, [&](const row& each) { return each.device == device && each.peer == peer; });
    return found == rows_.end() ? rows_.emplace_back(row{device, peer}).allowed : found->allowed;
  }

  ranked_mutex<lock_rank::peer_access> mutex_;
  std::vector<row> rows_;
};

peer_table& known_peers() { return immortal<peer_table>(); }

sycl::device root_of(const sycl::device& device) {
  std::optional<sycl::device> root = device;
  while (auto parent = parent_of(*root)) {
    root = std::move(parent);
  }
  return *std::move(root);
}

}  // namespace

bool is_in_reach(const sycl::device& device, const sycl::context& context,
                 const owned_memory& memory) {
  if (memory.kind == usm_kind::unknown) {
    return false;
  }
  if (memory.kind == usm_kind::host || device == memory.owner) {
    return true;
  }
  if (root_of(device) == root_of(memory.owner)) {
    return true;  // parts of one device use each other's memory
  }
  if (memory.kind == usm_kind::shared) {  // peer access is for the kind `device`
    return traits_of(device.get_backend()).shared_memory_is_everybodys;
  }
  const auto known = state_of(context);
  return known->driver().follows_peer_access(memory.first) &&
         known_peers().has_access(device, memory.owner, known->driver());
}

bool is_in_reach(const sycl::queue& queue, const void* first, usm_kind kind,
                 const sycl::queue& of_memory) {
  if (queue == of_memory) {
    return kind != usm_kind::unknown;
  }
  const sycl::context context = queue.get_context();
  return context == of_memory.get_context() &&
         is_in_reach(queue.get_device(), context, {first, kind, of_memory.get_device()});
}

void enable_peer_access(const sycl::device& device, const sycl::device& peer) {
  known_peers().enable(device, peer);
}

void disable_peer_access(const sycl::device& device, const sycl::device& peer) {
  known_peers().disable(device, peer);
}

}  // namespace usmx::inline v1::detail
