#include "usmx/runtime/memory_info.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <sycl/ext/intel/info/device.hpp>

#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
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
