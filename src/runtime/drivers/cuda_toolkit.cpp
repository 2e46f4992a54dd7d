#include "runtime/drivers/cuda_toolkit.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "runtime/driver_setup.hpp"

namespace usmx::inline v1::detail {
namespace {

namespace fs = std::filesystem;

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

std::optional<fs::path> find_by_loader(const std::string& name) {
  void* const loaded = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const link_map* where = nullptr;
  if (loaded == nullptr || dlinfo(loaded, RTLD_DI_LINKMAP, &where) != 0) {
    return std::nullopt;
  }
  return fs::path(where->l_name);
}

}  // namespace

std::optional<fs::path> find_file(const std::string& name, const char* folder) {
  std::error_code ignored;
  for (const fs::path& packages : package_folders()) {
    const fs::path file = packages / folder / name;
    if (fs::exists(file, ignored)) {
      return fs::canonical(file, ignored);
    }
  }
  return find_by_loader(name);
}

}  // namespace usmx::inline v1::detail
