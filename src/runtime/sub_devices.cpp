#include "runtime/sub_devices.hpp"

namespace usmx::inline v1::detail {

std::optional<sycl::device> parent_of(const sycl::device& device) {
  if (device.get_info<sycl::info::device::partition_type_property>() ==
      sycl::info::partition_property::no_partition) {
    return std::nullopt;
  }
  return device.get_info<sycl::info::device::parent_device>();
}

}  // namespace usmx::inline v1::detail
