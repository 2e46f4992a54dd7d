// Which SYCL runtimes are mapped in this process.
#include <link.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/base/error.hpp"
#include "usmx/runtime/loaded_runtimes.hpp"

namespace usmx::inline v1 {
namespace {

bool is_sycl_runtime(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("libsycl.so") || file.starts_with("libsycl-preview.so");
}

/// How many libraries the loader has ever mapped. As long as the number stays the same, no library
/// was added, though some may be gone.
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

std::string listed(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) {
    out.append(out.empty() ? "" : " and ").append(path);
  }
  return out;
}

}  // namespace

void check_single_runtime() {
  // The last count at which all was well. It does not change after a fault, so that every call
  // finds the fault again.
  static std::atomic<unsigned long long> checked = 0;
  if (count_of_loads() == checked.load(std::memory_order_relaxed)) {
    return;
  }
  const mapped_runtimes found = find_mapped_runtimes();
  if (found.paths.size() > 1) {
    throw runtime_conflict(
        detail::message("expected one SYCL runtime in the process, found ", found.paths.size(),
                        ": ", listed(found.paths),
                        "; a queue or context of one crashes in another, so none is taken from "
                        "foreign objects: use packages that are built for the same SYCL runtime"));
  }
  checked.store(found.count_of_loads, std::memory_order_relaxed);
}

}  // namespace usmx::inline v1
