// Sets the drivers up when the library is loaded: makes the CPU driver that was installed beside
// the SYCL runtime visible, unless the user has configured OpenCL drivers, and turns its vectors
// off if asked; and names the folder of the installed package with the runtime's adapter for CUDA.
// A fresh Python environment has the driver, but nothing registers it. No SYCL call is made here:
// the first platform query of the process reads the environment, so this must come before it and
// cost next to nothing.
#include "runtime/driver_setup.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <sycl/platform.hpp>
#include <system_error>

namespace usmx::inline v1::detail {

namespace fs = std::filesystem;

namespace {

fs::path directory_of(const void* symbol) {
  Dl_info found;
  if (dladdr(symbol, &found) == 0 || found.dli_fname == nullptr) {
    return {};
  }
  std::error_code failed;
  return fs::canonical(found.dli_fname, failed).parent_path();
}

}  // namespace

fs::path own_directory() {
  static const char here = 0;
  return directory_of(&here);
}

fs::path runtime_directory() {
  std::vector<sycl::platform> (*symbol)() = &sycl::platform::get_platforms;
  return directory_of(reinterpret_cast<const void*>(symbol));
}

std::vector<fs::path> package_folders() {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(runtime_directory(), ignored)) {
    if (each.path().filename().native().starts_with("python3")) {
      found.push_back(each.path() / "site-packages");
    }
  }
  std::ranges::sort(found);
  const fs::path own = own_directory();
  if (!own.empty()) {
    found.insert(found.begin(), own.parent_path().parent_path());
  }
  return found;
}

std::optional<std::string> as_search_path(const fs::path& folder) {
  const std::string& name = folder.native();
  if (name.find(',') != std::string::npos) {  // separates folders, within quotes, too
    return std::nullopt;
  }
  return name.find_first_of(":;") == std::string::npos ? name : '"' + name + '"';
}

unsigned long long count_of_loads() noexcept {
  unsigned long long count = 0;
  // Every entry has the number, so the first one is enough.
  const auto read = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(read, &count);
  return count;
}

bool registers_cpu_driver(const fs::path& vendors) {
  std::error_code failed;
  for (fs::directory_iterator file(vendors, failed), end; !failed && file != end;
       file.increment(failed)) {
    if (file->path().extension() != ".icd") {
      continue;
    }
    std::string line;
    std::getline(std::ifstream(file->path()), line);
    const fs::path driver = line;
    if (driver.is_absolute() && driver.filename().string().starts_with(cpu_driver_name) &&
        fs::exists(driver, failed)) {
      return true;
    }
  }
  return false;
}

namespace {

void show_cpu_driver(const fs::path& runtime) {
  if (std::getenv(icd_filenames_variable) != nullptr ||
      std::getenv(icd_vendors_variable) != nullptr) {
    return;
  }
  const fs::path driver = runtime / cpu_driver_name;
  std::error_code failed;
  // Two copies of the driver would show the CPU as two devices.
  if (fs::exists(driver, failed) && !registers_cpu_driver("/etc/OpenCL/vendors")) {
    setenv(icd_filenames_variable, driver.c_str(), 0);
  }
}

// Names the folders of CUDA's adapter, which the runtime tries before its own.
void name_cuda_adapter() {
  if (std::getenv(adapters_variable) != nullptr) {
    return;
  }
  std::error_code failed;
  for (const fs::path& packages : package_folders()) {
    const fs::path folder = packages / cuda_adapter_package;
    if (fs::exists(folder / cuda_adapter_name, failed)) {
      if (const auto value = as_search_path(folder)) {
        setenv(adapters_variable, value->c_str(), 0);
      }
      return;
    }
  }
}

// Turns vectors off if the user has asked for it. Intel's driver reads its variable when it builds
// a kernel, in child processes too.
void turn_vectors_off_as_asked() {
  const char* const asked = std::getenv("USMX_KERNEL_VECTORS");
  if (asked != nullptr && std::string_view(asked) == "off") {
    constexpr const char* no_vectors = "1";
    setenv(vectorizer_variable, no_vectors, 0);
  }
}

// Loads the libraries that the OpenCL loader needs. With a device selector, the runtime does not
// load the adapters that bring them in, and the loader, which has no run path, does not find them.
// They stay mapped.
void load_libraries_of_opencl_loader(const fs::path& runtime) {
  if (std::getenv(device_selector_variable) == nullptr) {
    return;
  }
  for (const char* name : {"libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so"}) {
    dlopen((runtime / name).c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
}

[[gnu::constructor]] void set_up_drivers() noexcept {
  turn_vectors_off_as_asked();
  try {
    const fs::path runtime = runtime_directory();
    if (!runtime.empty()) {
      show_cpu_driver(runtime);
      name_cuda_adapter();
      load_libraries_of_opencl_loader(runtime);
    }
  } catch (...) {
    // There is no memory, or a path cannot be read: without the set-up devices may be missing, and
    // diagnose_missing_device() says why.
  }
}

}  // namespace
}  // namespace usmx::inline v1::detail
