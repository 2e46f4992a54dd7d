#include "runtime/cuda_devices.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <sycl/backend.hpp>

#include "runtime/root_devices.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

constexpr sycl::backend backend = sycl::backend::ext_oneapi_cuda;

using numbered_device = std::pair<std::int32_t, sycl::device>;

/// Never destroyed, like the list that it comes from.
const std::vector<numbered_device>& numbered_devices() {
  static const auto& all = *[] {
    auto* found = new std::vector<numbered_device>;
    for (const root_device& root : root_devices()) {
      if (root.backend == backend) {
        found->emplace_back(sycl::get_native<backend>(root.device), root.device);
      }
    }
    return found;
  }();
  return all;
}

std::string filters_of_all_devices() {
  std::string text;
  for (const root_device& root : root_devices()) {
    text.append(text.empty() ? "" : ", ").append(root.filter());
  }
  return text.empty() ? "none" : text;
}

}  // namespace

const sycl::device* first_cuda_device() {
  const auto& all = numbered_devices();
  return all.empty() ? nullptr : &all.front().second;
}

const sycl::device* find_cuda_device(std::int32_t number) {
  const auto& all = numbered_devices();
  const auto found = std::ranges::find(all, number, &numbered_device::first);
  return found == all.end() ? nullptr : &found->second;
}

std::optional<std::int32_t> cuda_number(const sycl::device& device) {
  const auto& all = numbered_devices();
  const auto found = std::ranges::find(all, device, &numbered_device::second);
  return found == all.end() ? std::nullopt : std::optional(found->first);
}

std::string describe_missing_cuda_device(std::optional<std::int32_t> number) {
  const std::string which = number ? message(" of device ", *number) : "";
  return message("CUDA memory", which, ": the SYCL runtime has no ",
                 first_cuda_device() != nullptr ? "such CUDA device" : "CUDA device",
                 " here, found devices: ", filters_of_all_devices());
}

}  // namespace usmx::inline v1::detail
