#include "kernels/compile/program_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <variant>

#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/platform.hpp>
#include <sycl/version.hpp>

#include "kernels/compile/by_runtime.hpp"
#include "kernels/compile/packaged_programs.hpp"
#include "kernels/compile/spirv.hpp"
#include "runtime/driver_setup.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/base/version.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using executable = sycl::kernel_bundle<sycl::bundle_state::executable>;

[[noreturn]] void refuse_name(const std::string& name) {
  throw value_error(message("'", name,
                            "' is no kernel that can be launched: it must be declared with "
                            "USMX_KERNEL, or as extern \"C\" with "
                            "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY, and the device must have what it "
                            "needs"));
}

executable load_bundle(std::string& compiled, const sycl::context& context,
                       const sycl::device& device) {
  if (internal::is_spirv(compiled)) {
    return build_spirv(compiled, context, device);
  }
  return syclex::get_kernel_bundle<sycl::bundle_state::executable>(
      context, {device}, sycl::span<char>(compiled.data(), compiled.size()));
}

std::vector<device_code> load_from_runtime(std::string& compiled,
                                           std::span<const std::string> names,
                                           const sycl::context& context,
                                           const sycl::device& device) {
  executable bundle = load_bundle(compiled, context, device);
  std::vector<device_code> kernels;
  for (const std::string& name : names) {
    if (!bundle.ext_oneapi_has_kernel(name)) {
      refuse_name(name);
    }
    kernels.emplace_back(bundle.ext_oneapi_get_kernel(name));
  }
  return kernels;
}

std::vector<device_code> load_from_cuda(const std::string& compiled,
                                        std::span<const std::string> names,
                                        const sycl::device& device) {
  std::vector<device_code> kernels;
  for (const CUfunction found : cuda::load_kernels(device, compiled.c_str(), names)) {
    if (found == nullptr) {
      refuse_name(names[kernels.size()]);
    }
    kernels.emplace_back(found);
  }
  return kernels;
}

}  // namespace

std::vector<device_code> load_code(std::string& compiled, std::span<const std::string> names,
                                   const sycl::context& context, const sycl::device& device) {
  const bool is_for_cuda = traits_of(device.get_backend()).compiler == kernel_compiler::nvrtc;
  try {
    return is_for_cuda ? load_from_cuda(compiled, names, device)
                       : load_from_runtime(compiled, names, context, device);
  } catch (const sycl::exception& failed) {
    throw compile_error(driver_failure_text(failed.what()), {});
  } catch (const device_error& failed) {
    throw compile_error(driver_failure_text(failed.what()), {});
  }
}

std::optional<compiled_program> linked_from_package(const program& source,
                                                    const compile_target& target,
                                                    const sycl::context& context) {
  const auto* const chosen = std::get_if<runtime_target>(&target);
  auto found = chosen == nullptr ? std::nullopt : packaged_programs::installed().find(source);
  if (!found) {
    return std::nullopt;
  }
  try {
    const runtime_call call;
    // The object must live until what was linked from it has been saved: saving reads from it.
    const auto object = syclex::get_kernel_bundle<sycl::bundle_state::object>(
        context, {chosen->device}, sycl::span<char>(found->object.data(), found->object.size()));
    auto linked = sycl::link(object);
    const bool has_all = std::ranges::all_of(source.kernels, [&](const std::string& name) {
      return linked.ext_oneapi_has_kernel(name);
    });
    const std::vector<char> content =
        has_all ? linked.ext_oneapi_get_content() : std::vector<char>();
    return has_all ? std::optional(compiled_program{{content.begin(), content.end()}, found->log})
                   : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // the compiler will say why
  }
}

namespace {

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

/// The identity of everything that code built for a device depends on: the device, its driver, the
/// runtime, usmx. It is text without null characters.
std::string build_identity_of(const sycl::device& device) {
  namespace info = sycl::info;
  return message(device.get_info<info::device::vendor>(), '\n',
                 device.get_info<info::device::driver_version>(), '\n',
                 device.get_platform().get_info<info::platform::name>(), '\n',
                 device.get_platform().get_info<info::platform::version>(), '\n',
                 runtime_identity(), "\nusmx " USMX_VERSION_STRING ", with boolean signs\n",
                 driver_settings(), device.is_cpu() ? processor() : std::string());
}

}  // namespace

cached_program::cached_program(std::string group, const program& source, const sycl::device& device,
                               const compile_target& target) {
  if (reads_only_given_files(source)) {
    key_ = {
        std::move(group), device.get_info<sycl::info::device::name>(),
        message(build_identity_of(device), '\n', identity_of(target), '\n', identity_text(source))};
  }
}

std::optional<compiled_program> cached_program::load() const {
  const auto content = key_ ? files_.load(*key_) : std::nullopt;
  if (!content) {
    return std::nullopt;
  }
  try {
    message_reader reader({content->data(), content->size()});
    return compiled_program::from(reader);
  } catch (const std::exception& useless) {
    discard(useless.what());
    return std::nullopt;
  }
}

void cached_program::store(const compiled_program& made) const {
  if (key_) {
    message_writer content;
    content.add(made.executable);
    content.add(made.log);
    files_.store(*key_, content.bytes());
  }
}

void cached_program::discard(const char* reason) const { files_.discard(*key_, reason); }

}  // namespace usmx::inline v1::detail
