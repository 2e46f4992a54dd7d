// Finds the SYCL runtimes that are mapped in this process, and the reason why there is no device.
#include "usmx/runtime/devices.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <sycl/exception.hpp>

#include "base/messages.hpp"
#include "base/process.hpp"
#include "runtime/devices.hpp"
#include "runtime/driver_setup.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {
namespace {

bool is_sycl_runtime(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("libsycl.so") || file.starts_with("libsycl-preview.so");
}

struct mapped_runtimes {
  std::vector<std::string> paths;
  unsigned long long count_of_loads = 0;
};

mapped_runtimes find_mapped_runtimes() {
  mapped_runtimes found;
  const auto visit = [](dl_phdr_info* info, std::size_t, void* to) {
    auto& [paths, count] = *static_cast<mapped_runtimes*>(to);
    count = info->dlpi_adds;
    if (is_sycl_runtime(info->dlpi_name)) {
      paths.emplace_back(info->dlpi_name);
    }
    return 0;
  };
  dl_iterate_phdr(visit, &found);
  return found;
}

}  // namespace

void check_single_runtime() {
  // The last count at which all was well. It does not change after a fault, so that every call
  // finds the fault again.
  static std::atomic<unsigned long long> checked = 0;
  if (detail::count_of_loads() == checked.load(std::memory_order_relaxed)) {
    return;
  }
  const mapped_runtimes found = find_mapped_runtimes();
  if (found.paths.size() > 1) {
    throw runtime_conflict(
        detail::message("expected one SYCL runtime in the process, found ", found.paths.size(),
                        ": ", detail::listed(found.paths, {}, " and "),
                        "; a queue or context of one crashes in another, so none is taken from "
                        "foreign objects: use packages that are built for the same SYCL runtime"));
  }
  checked.store(found.count_of_loads, std::memory_order_relaxed);
}

namespace {

/// The number of characters of an environment variable's value that a message shows.
constexpr std::size_t longest_shown_value = 80;

std::string shown_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? detail::message(name, " is not set")
                          : detail::message(name, "=", detail::quoted(value, longest_shown_value));
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

bool working_directory_is_gone() {
  std::error_code gone;
  return std::filesystem::current_path(gone).empty();
}

bool has_symbol(const char* name) { return dlsym(RTLD_DEFAULT, name) != nullptr; }

bool is_python() { return has_symbol("Py_IsInitialized"); }

/// Whether a sanitizer hides the drivers. Its dlopen runs in its own library: the run paths of
/// libsycl and of the OpenCL loader, by which these find the drivers, are not searched.
bool sanitizer_hides_drivers(const std::filesystem::path& runtime) {
  const char* paths = std::getenv("LD_LIBRARY_PATH");
  return (has_symbol("__asan_init") || has_symbol("__tsan_init") || has_symbol("__msan_init")) &&
         (paths == nullptr ||
          std::string_view(paths).find(runtime.native()) == std::string_view::npos);
}

// Says what a user should change. The likeliest cause is tried first.
std::string advice(const std::filesystem::path& driver, bool driver_exists,
                   const std::optional<std::string>& foreign_tbb) {
  if (working_directory_is_gone()) {
    return "change to a working directory that exists before the process starts: drivers do not "
           "start in one that was deleted";
  }
  if (is_set(detail::device_selector_variable)) {
    return detail::message("unset ", detail::device_selector_variable,
                           ", or let it name a back end and device that exist ('opencl:cpu')");
  }
  if (sanitizer_hides_drivers(driver.parent_path())) {
    return detail::message(
        "set LD_LIBRARY_PATH=", driver.parent_path().native(),
        ", since a sanitizer's dlopen does not search the run paths by which the "
        "SYCL runtime finds its drivers (in CMake: "
        "usmx_sanitize_environment(TEST))");
  }
  if (foreign_tbb) {
    return is_python()
               ? "import usmx, and ask it for its devices, before the package that maps that TBB"
               : "call usmx::get_devices() before the library is loaded that maps that TBB";
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
  return detail::message("the drivers were looked for before usmx was loaded",
                         is_python() ? " (import ray does that), or refuse this machine: import "
                                     : ", or refuse this machine: load lib",
                         "usmx first, or set ", detail::icd_filenames_variable, "=",
                         driver.native(), " before the process starts");
}

std::string refusal_of_runtime() {
  try {
    detail::query_root_devices();
    return "";
  } catch (const sycl::exception& refused) {
    return detail::message("; the runtime says: ", refused.what());
  }
}

}  // namespace

std::string diagnose_missing_device() {
  detail::note_runtime_in_use();
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
      working_directory_is_gone() ? "; the working directory was deleted" : "",
      ". What to do: ", advice(driver, driver_exists, foreign_tbb),
      "; to find out more: python -m usmx doctor");
}

}  // namespace usmx::inline v1
