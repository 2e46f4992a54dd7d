#include "usmx/runtime.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <sycl/device_selector.hpp>
#include <sycl/exception.hpp>
#include <sycl/platform.hpp>
#include <utility>

#include "context_state.hpp"
#include "deferred_release.hpp"
#include "driver_setup.hpp"
#include "process_state.hpp"
#include "usmx/error.hpp"

namespace usmx {

namespace {

std::atomic<bool> handed_out = false;

using sycl::info::device_type;

constexpr std::array backends{
    std::pair{sycl::backend::opencl, std::string_view("opencl")},
    std::pair{sycl::backend::ext_oneapi_level_zero, std::string_view("level_zero")},
    std::pair{sycl::backend::ext_oneapi_cuda, std::string_view("cuda")},
    std::pair{sycl::backend::ext_oneapi_hip, std::string_view("hip")},
    std::pair{sycl::backend::ext_oneapi_native_cpu, std::string_view("native_cpu")},
    std::pair{sycl::backend::ext_oneapi_offload, std::string_view("offload")}};

constexpr std::array device_types{
    std::pair{device_type::cpu, std::string_view("cpu")},
    std::pair{device_type::gpu, std::string_view("gpu")},
    std::pair{device_type::accelerator, std::string_view("accelerator")}};

template <class Value, std::size_t N>
std::optional<Value> value_named(const std::array<std::pair<Value, std::string_view>, N>& names,
                                 std::string_view name) {
  const auto found = std::ranges::find(names, name, &std::pair<Value, std::string_view>::second);
  return found == names.end() ? std::nullopt : std::optional(found->first);
}

template <class Value, std::size_t N>
std::string_view name_of(const std::array<std::pair<Value, std::string_view>, N>& names,
                         Value value, std::string_view otherwise) {
  const auto found = std::ranges::find(names, value, &std::pair<Value, std::string_view>::first);
  return found == names.end() ? otherwise : found->second;
}

device_type type_of(const sycl::device& device) {
  return device.get_info<sycl::info::device::device_type>();
}

// A root device and what filters ask about it, so that selecting needs no runtime call.
struct root_device {
  sycl::device device;
  sycl::backend backend;
  device_type type;
  /// Among the root devices of the same backend and type.
  std::size_t index;
  int default_score;

  std::string filter() const {
    return detail::message(backend_name(backend), ":", name_of(device_types, type, "unknown"), ":",
                           index);
  }
};

std::vector<root_device> query_root_devices() {
  std::vector<root_device> found;
  for (const sycl::platform& platform : sycl::platform::get_platforms()) {
    for (sycl::device& device : platform.get_devices()) {
      const sycl::backend backend = device.get_backend();
      const device_type type = type_of(device);
      const auto index =
          static_cast<std::size_t>(std::ranges::count_if(found, [&](const root_device& earlier) {
            return earlier.backend == backend && earlier.type == type;
          }));
      const int score = sycl::default_selector_v(device);
      found.push_back({std::move(device), backend, type, index, score});
    }
  }
  return found;
}

// The runtime fixes its list at the first query; so does this one, which is never destroyed. What
// the runtime refuses, a malformed ONEAPI_DEVICE_SELECTOR say, counts as no device, as in dpctl;
// diagnose_missing_device() repeats the refusal.
const std::vector<root_device>& root_devices() {
  detail::note_runtime_in_use();
  static const std::vector<root_device>& none = *new std::vector<root_device>;
  try {
    static const std::vector<root_device>& found =
        *new std::vector<root_device>(query_root_devices());
    return found;
  } catch (const sycl::exception&) {
    return none;
  }
}

const root_device* find_root(const sycl::device& device) {
  const auto& roots = root_devices();
  const auto found = std::ranges::find(roots, device, &root_device::device);
  return found == roots.end() ? nullptr : &*found;
}

// One alternative of a filter selector.
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

// A number that no list is long enough for stays a number, of a device that is not there.
std::optional<std::size_t> parse_index(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; })) {
    return std::nullopt;
  }
  std::size_t value = std::numeric_limits<std::size_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Parts left empty are parts left out, but one has to be there, and they keep their order.
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
    if ((filter.type = value_named(device_types, part))) {
      continue;
    }
    if (filter.backend || !(filter.backend = value_named(backends, part))) {
      return std::nullopt;
    }
  }
  return filter;
}

// Quoted for a message: no control characters, and not longer than people read.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 80;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "'";
  for (char c : text.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      out += {'\\', 'x', digits[code / 16], digits[code % 16]};
    } else {
      out += c;
    }
  }
  out += text.size() > longest ? "...'" : "'";
  return out;
}

template <class Value, std::size_t N>
std::string listed(const std::array<std::pair<Value, std::string_view>, N>& names) {
  std::string out;
  for (const auto& [value, name] : names) {
    out.append(out.empty() ? "" : ", ").append(name);
  }
  return out;
}

std::vector<device_filter> parse_filter(std::string_view text) {
  std::vector<device_filter> alternatives;
  for (std::string_view part : split(text, ',')) {
    const std::optional<device_filter> filter = parse_alternative(part);
    if (!filter) {
      throw value_error(detail::message(
          "select_device: expected a filter selector 'backend:device_type:index', any part left "
          "out, alternatives separated by commas, no spaces (backends: ",
          listed(backends), "; device types: ", listed(device_types), "), found ", shown(text)));
    }
    alternatives.push_back(*filter);
  }
  return alternatives;
}

bool fits(const root_device& root, const device_filter& filter) {
  return (!filter.backend || *filter.backend == root.backend) &&
         (!filter.type || *filter.type == root.type);
}

// With an index the device at that place among those that fit; else the one among them that the
// runtime likes best, the first of equals.
const root_device* find_match(const device_filter& filter) {
  const root_device* best = nullptr;
  std::size_t seen = 0;
  for (const root_device& root : root_devices()) {
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

std::string list_of_devices() {
  std::string out;
  for (const root_device& root : root_devices()) {
    out.append(out.empty() ? "" : ", ").append(describe(root.device));
  }
  return out;
}

std::string shown_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? detail::message(name, " is not set")
                          : detail::message(name, "=", shown(value));
}

// The threading library of another package, mapped before the driver could bring its own.
std::optional<std::string> find_foreign_tbb(const std::filesystem::path& runtime) {
  struct search {
    const std::filesystem::path& runtime;
    std::optional<std::string> found;
  } state{runtime, std::nullopt};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& [own, found] = *static_cast<search*>(data);
    std::error_code failed;
    const std::filesystem::path library = info->dlpi_name;
    if (library.filename().string().starts_with("libtbb.so") &&
        std::filesystem::canonical(library, failed).parent_path() != own) {
      found = library.string();
    }
    return found ? 1 : 0;
  };
  dl_iterate_phdr(visit, &state);
  return state.found;
}

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// What to change, the likeliest cause first.
std::string advice(const std::filesystem::path& driver, bool driver_exists,
                   const std::optional<std::string>& foreign_tbb) {
  if (is_set(detail::device_selector_variable)) {
    return detail::message("unset ", detail::device_selector_variable,
                           ", or let it name a back end and device that exist ('opencl:cpu')");
  }
  if (foreign_tbb) {
    return "import usmx, and ask it for its devices, before the package that maps that TBB";
  }
  if (!driver_exists) {
    return "install the CPU driver (pip install intel-opencl-rt) or a GPU driver";
  }
  const char* filenames = std::getenv(detail::icd_filenames_variable);
  if (filenames == nullptr ||
      std::string_view(filenames).find(driver.native()) == std::string_view::npos) {
    return detail::message("set ", detail::icd_filenames_variable, "=", driver.native(),
                           " before the process starts");
  }
  return "the drivers were looked for before usmx was loaded, or refuse this machine: import usmx "
         "first";
}

std::string refusal_of_runtime() {
  try {
    query_root_devices();
    return "";
  } catch (const sycl::exception& refused) {
    return detail::message("; the runtime says: ", refused.what());
  }
}

std::string name_in_brackets(const sycl::device& device) {
  if (const root_device* root = find_root(device)) {
    return root->filter();
  }
  if (const std::optional<sycl::device> parent = detail::parent_of(device)) {
    return detail::message("sub-device of ", name_in_brackets(*parent));
  }
  return detail::message(backend_name(device.get_backend()), ":", device_type_name(device));
}

}  // namespace

std::vector<sycl::device> get_devices() {
  std::vector<sycl::device> devices;
  for (const root_device& root : root_devices()) {
    devices.push_back(root.device);
  }
  return devices;
}

sycl::device select_device(std::string_view filter) {
  for (const device_filter& alternative : parse_filter(filter)) {
    if (const root_device* match = find_match(alternative)) {
      return match->device;
    }
  }
  const std::string devices = list_of_devices();
  throw device_error(detail::message(
      "select_device: no device matches ", shown(filter), "; ",
      devices.empty() ? diagnose_missing_device() : detail::message("there are: ", devices)));
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

std::string filter_string(const sycl::device& device) {
  if (const root_device* root = find_root(device)) {
    return root->filter();
  }
  throw value_error(
      detail::message("filter_string: expected a root device, found ", describe(device)));
}

std::string_view backend_name(sycl::backend backend) {
  return name_of(backends, backend, backend == sycl::backend::all ? "all" : "unknown");
}

std::string_view device_type_name(const sycl::device& device) {
  return name_of(device_types, type_of(device), "unknown");
}

sycl::context default_context(const sycl::device& device) {
  require_usable_process();
  return device.get_platform().khr_get_default_context();
}

sycl::queue cached_queue(const sycl::context& context, const sycl::device& device) {
  return detail::state_of(context)->queue_of(device);
}

sycl::queue cached_queue(const sycl::device& device) {
  return cached_queue(default_context(device), device);
}

sycl::queue default_queue() {
  require_usable_process();
  static const sycl::queue& queue = *new sycl::queue(cached_queue(default_device()));
  return queue;
}

void note_cached_queues_handed_out() noexcept { handed_out.store(true, std::memory_order_relaxed); }
bool cached_queues_handed_out() noexcept { return handed_out.load(std::memory_order_relaxed); }

void synchronize() {
  const detail::runtime_call call;
  detail::wait_for_cached_queues();
  detail::release_all();
}

std::string diagnose_missing_device() {
  const std::filesystem::path runtime = detail::runtime_directory();
  const std::filesystem::path driver = runtime / detail::cpu_driver_name;
  std::error_code failed;
  const bool driver_exists = std::filesystem::exists(driver, failed);
  const std::optional<std::string> foreign_tbb = find_foreign_tbb(runtime);
  return detail::message(
      "no SYCL device was found. ", shown_variable(detail::device_selector_variable), "; ",
      shown_variable(detail::icd_filenames_variable), "; ",
      shown_variable(detail::icd_vendors_variable), "; the CPU driver ", driver.native(),
      driver_exists ? " exists" : " does not exist",
      foreign_tbb ? "; a TBB from elsewhere is mapped: " + *foreign_tbb : "", refusal_of_runtime(),
      ". What to do: ", advice(driver, driver_exists, foreign_tbb));
}

std::string describe(const sycl::device& device) {
  return detail::message(device.get_info<sycl::info::device::name>(), " [",
                         name_in_brackets(device), "]");
}

std::string describe(const sycl::context& context) {
  const std::vector<sycl::device> devices = context.get_devices();
  std::string names;
  for (const sycl::device& device : devices) {
    names.append(names.empty() ? "" : ", ").append(describe(device));
  }
  // The identity that std::hash gives is the address of the runtime's own object.
  return detail::message("context 0x", std::hex, std::hash<sycl::context>()(context), std::dec,
                         " of ", devices.size(), devices.size() == 1 ? " device (" : " devices (",
                         names, ")");
}

}  // namespace usmx
