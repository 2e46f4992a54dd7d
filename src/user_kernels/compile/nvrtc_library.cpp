#include "user_kernels/compile/nvrtc.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "runtime/driver_setup.hpp"
#include "usmx/base/error.hpp"
#include "usmx/user_kernels/compile.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

/// A major version of CUDA, the oldest devices that it has code for, and the folder that its Python
/// package has in site-packages.
struct version {
  int major;
  int oldest_capability;
  const char* folder;
};
constexpr version versions[] = {{13, 75, "nvidia/cu13/lib"}, {12, 50, "nvidia/cuda_nvrtc/lib"}};

/// The folders of Python packages: of the environment that the SYCL runtime is in, as `pip install`
/// puts it, and beside this library's own package.
std::vector<fs::path> package_folders() {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(runtime_directory(), ignored)) {
    if (each.path().filename().native().starts_with("python3")) {
      found.push_back(each.path() / "site-packages");
    }
  }
  std::ranges::sort(found);
  static const char here = 0;
  Dl_info own;
  if (dladdr(&here, &own) != 0 && own.dli_fname != nullptr) {
    const fs::path library = fs::canonical(own.dli_fname, ignored);
    found.insert(found.begin(), library.parent_path().parent_path().parent_path());
  }
  return found;
}

/// Loads it, for the whole of the process.
std::optional<fs::path> find_by_loader(const std::string& name) {
  void* const loaded = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const link_map* where = nullptr;
  if (loaded == nullptr || dlinfo(loaded, RTLD_DI_LINKMAP, &where) != 0) {
    return std::nullopt;
  }
  return fs::path(where->l_name);
}

}  // namespace

std::string nvrtc_library::identity() const {
  std::error_code unknown;
  const auto nbytes = fs::file_size(file, unknown);
  return message(file.filename().native(), ", ", unknown ? 0 : nbytes, " bytes");
}

nvrtc_library find_nvrtc(int driver_major_version, int capability) {
  std::error_code ignored;
  for (const version& each : versions) {
    if (each.major > driver_major_version || each.oldest_capability > capability) {
      continue;
    }
    const std::string name = message("libnvrtc.so.", each.major);
    for (const fs::path& packages : package_folders()) {
      const fs::path file = packages / each.folder / name;
      if (fs::exists(file, ignored)) {
        return {fs::canonical(file, ignored)};
      }
    }
    if (const auto file = find_by_loader(name)) {
      return {*file};
    }
  }
  throw compile_error(
      "kernels for CUDA devices are compiled by NVIDIA's compiler NVRTC of CUDA 12 or 13, no newer "
      "than the device's driver, and none was found: `pip install usmx[cuda]` installs it",
      {});
}

}  // namespace usmx::inline v1::detail
