#include "usmx/kernels/disk_cache.hpp"

#include <cstdlib>

#include "kernels/cache_files.hpp"

namespace fs = std::filesystem;

namespace usmx::inline v1 {

fs::path kernel_cache_directory() {
  const auto variable = [](const char* name) { return std::getenv(name); };
  if (const char* own = variable("USMX_CACHE_DIR")) {
    return own;
  }
  // The XDG specification says that a relative path is invalid here.
  if (const char* all = variable("XDG_CACHE_HOME"); all != nullptr && all[0] == '/') {
    return fs::path(all) / "usmx";
  }
  if (const char* home = variable("HOME"); home != nullptr && home[0] == '/') {
    return fs::path(home) / ".cache/usmx";
  }
  return {};
}

std::vector<cached_kernels> list_kernel_cache() { return detail::cache_files().list(); }

std::uintmax_t clear_kernel_cache() { return detail::cache_files().clear(); }

}  // namespace usmx::inline v1
