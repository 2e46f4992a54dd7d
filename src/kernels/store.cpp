#include "kernels/store.hpp"

#include <unistd.h>

#include <exception>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/platform.hpp>
#include <sycl/version.hpp>

#include "base/messages.hpp"
#include "kernels/runtime_compiler.hpp"
#include "runtime/driver_setup.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/version.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

/// Throws value_error unless all are there: the runtime silently skips what it cannot read and what
/// the device cannot run. The result is kept, because asking by name takes 17 us each time.
std::vector<sycl::kernel> all_kernels(executable& bundle, kernel_group group) {
  std::vector<sycl::kernel> kernels;
  for (const std::string name : names_of(group)) {
    if (!bundle.ext_oneapi_has_kernel(name)) {
      throw value_error(message("expected kernel ", name, ", which is not there"));
    }
    kernels.push_back(bundle.ext_oneapi_get_kernel(name));
  }
  return kernels;
}

/// The runtime takes a span of writable bytes, but only reads them.
sycl::span<char> writable(std::span<const char> bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size()};
}

std::vector<sycl::kernel> load_cached(const sycl::context& context, const sycl::device& device,
                                      kernel_group group, const kernel_cache_key& key,
                                      const cache_files& cache) {
  const std::optional<std::vector<char>> content = cache.load(key);
  if (!content) {
    throw value_error(message("no entry for ", key.group, " in the disk cache"));
  }
  try {
    auto bundle = syclex::get_kernel_bundle<sycl::bundle_state::executable>(context, {device},
                                                                            writable(*content));
    return all_kernels(bundle, group);
  } catch (const std::exception& useless) {
    cache.discard(key, useless.what());
    throw;
  }
}

/// The object must live until what was linked from it has been saved: saving reads from it.
std::vector<sycl::kernel> keep(executable& bundle, kernel_group group, const kernel_cache_key& key,
                               const cache_files& cache) {
  std::vector<sycl::kernel> kernels = all_kernels(bundle, group);
  cache.store(key, bundle.ext_oneapi_get_content());
  return kernels;
}

std::vector<sycl::kernel> load_packaged(const sycl::context& context, const sycl::device& device,
                                        kernel_group group, kernel_shape shape,
                                        const kernel_cache_key& key, const cache_files& cache) {
  const std::span<const char> content = kernel_object(group, shape);
  if (content.empty()) {
    throw value_error("not compiled when the package was built");
  }
  const auto object =
      syclex::get_kernel_bundle<sycl::bundle_state::object>(context, {device}, writable(content));
  executable bundle = sycl::link(object);
  return keep(bundle, group, key, cache);
}

std::vector<sycl::kernel> load_from_source(const sycl::context& context, const sycl::device& device,
                                           kernel_group group, kernel_shape shape,
                                           const kernel_cache_key& key, const cache_files& cache) {
  executable bundle = build_kernels(context, device, group, shape);
  return keep(bundle, group, key, cache);
}

/// Built code is for one processor: its model and instruction sets, as one line each of the first
/// entry of /proc/cpuinfo. Machines that share a home directory may have drivers that say the same.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string found;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (const char* name :
         {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU "}) {
      if (line.starts_with(name)) {
        found.append(line).push_back('\n');
        break;
      }
    }
  }
  return found;
}

/// The variables by which the user changes what Intel's drivers make of kernels, such as the
/// instructions that CL_CONFIG_CPU_TARGET_ARCH chooses. The drivers, too, read them once.
const std::string& driver_settings() {
  static const std::string& settings = *new std::string([] {
    std::set<std::string_view> found;
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
      const std::string_view variable = *each;
      if (variable.starts_with("CL_CONFIG_") || variable.starts_with("IGC_")) {
        found.insert(variable);
      }
    }
    std::string lines;
    for (const std::string_view variable : found) {
      lines.append(variable).push_back('\n');
    }
    return lines;
  }());
  return settings;
}

/// The runtime's version, and its size for builds between two versions.
const std::string& runtime_identity() {
  static const std::string& identity = *new std::string([] {
    std::error_code unknown;
    const auto nbytes = std::filesystem::file_size(
        runtime_directory() / ("libsycl.so." + std::to_string(__LIBSYCL_MAJOR_VERSION)), unknown);
    return message("libsycl ", __LIBSYCL_MAJOR_VERSION, '.', __LIBSYCL_MINOR_VERSION, '.',
                   __LIBSYCL_PATCH_VERSION, ", ", unknown ? 0 : nbytes, " bytes");
  }());
  return identity;
}

std::uint64_t code_hash(kernel_group group, kernel_shape shape) {
  std::uint64_t hash = hash_of(kernel_object(group, shape));
  for (const kernel_source& file : kernel_sources()) {
    hash = hash * 31 + hash_of(file.text);
  }
  return hash;
}

/// Reports once for each group, however many contexts there are.
void report_failure(const sycl::device& device, kernel_group group, kernel_shape shape,
                    const std::string& reasons) {
  static std::array<std::atomic<bool>, kernel_group_count> reported{};
  if (!reported[static_cast<std::size_t>(group)].exchange(true)) {
    warn(message("no '", name_of(group, shape), "' kernels for ", describe(device),
                 ", usmx uses other ways, which may be slower:", reasons));
  }
}

template <class Kernel>
std::vector<device_kernel> ready(const std::vector<Kernel>& kernels) {
  std::vector<device_kernel> result;
  for (const Kernel& kernel : kernels) {
    result.emplace_back(kernel);
  }
  return result;
}

/// The kernels from the first origin that has them; empty, and reported, if none has.
std::vector<device_kernel> load_from_any(const sycl::context& context, const sycl::device& device,
                                         kernel_group group, kernel_shape shape) {
  std::string reasons;
  if (shape == kernel_shape::tiled) {
    try {
      return ready(cuda::load_kernels(device, group));
    } catch (const std::exception& failed) {
      report_failure(device, group, shape, message("\n  ", failed.what()));
      return {};
    }
  }
  const cache_files cache;
  for (const auto origin :
       {kernel_origin::disk_cache, kernel_origin::package, kernel_origin::source}) {
    try {
      return ready(load_kernels(origin, context, device, group, shape, cache));
    } catch (const std::exception& failed) {
      reasons.append("\n  ").append(failed.what());
    }
  }
  report_failure(device, group, shape, reasons);
  return {};
}

}  // namespace

std::string build_identity_of(const sycl::device& device) {
  namespace info = sycl::info;
  return message(device.get_info<info::device::vendor>(), '\n',
                 device.get_info<info::device::driver_version>(), '\n',
                 device.get_platform().get_info<info::platform::name>(), '\n',
                 device.get_platform().get_info<info::platform::version>(), '\n',
                 runtime_identity(), "\nusmx " USMX_VERSION_STRING "\n", driver_settings(),
                 device.is_cpu() ? processor() : std::string());
}

kernel_cache_key cache_key_of(const sycl::device& device, kernel_group group, kernel_shape shape) {
  return {name_of(group, shape), device.get_info<sycl::info::device::name>(),
          message(build_identity_of(device), '\n', code_hash(group, shape))};
}

std::vector<sycl::kernel> load_kernels(kernel_origin origin, const sycl::context& context,
                                       const sycl::device& device, kernel_group group,
                                       kernel_shape shape, const cache_files& cache) {
  const kernel_cache_key key = cache_key_of(device, group, shape);
  switch (origin) {
    case kernel_origin::disk_cache:
      return load_cached(context, device, group, key, cache);
    case kernel_origin::package:
      return load_packaged(context, device, group, shape, key, cache);
    case kernel_origin::source:
      break;
  }
  return load_from_source(context, device, group, shape, key, cache);
}

device_kernels::device_kernels(const sycl::context& context, const sycl::device& device,
                               kernel_shape shape)
    : context_(context),
      device_(device),
      shape_(shape),
      has_fp64_(device.has(sycl::aspect::fp64)),
      has_host_memory_(device.has(sycl::aspect::usm_host_allocations)) {}

const device_kernel* device_kernels::find(kernel_id id) {
  group_state& state = groups_[static_cast<std::size_t>(id.group)];
  if (!state.ready.load(std::memory_order_acquire)) {
    const std::lock_guard lock(state.building);
    if (!state.ready.load(std::memory_order_relaxed)) {
      state.kernels = load_from_any(context_, device_, id.group, shape_);
      state.ready.store(true, std::memory_order_release);
    }
  }
  return state.kernels.empty() ? nullptr : &state.kernels[id.index];
}

kernel_shape shape_for(const sycl::device& device) {
  return device.is_cpu() ? kernel_shape::narrow : traits_of(device.get_backend()).kernels;
}

device_kernels& kernel_store::of(const sycl::device& device) {
  const std::lock_guard lock(mutex_);
  for (device_kernels& known : devices_) {
    if (known.device() == device) {
      return known;
    }
  }
  return devices_.emplace_back(context_, device, shape_for(device));
}

std::shared_ptr<device_kernels> kernels_of(const sycl::queue& queue) {
  std::shared_ptr<kernel_store> store = slot_of<kernel_store>(state_of(queue.get_context()));
  device_kernels& kernels = store->of(queue.get_device());
  return {std::move(store), &kernels};
}

}  // namespace usmx::inline v1::detail
