// Sub-devices and the devices that they are part of. Private to the library.
#pragma once

#include <optional>

#include <sycl/device.hpp>

namespace usmx::inline v1::detail {

/// The device that a sub-device is part of; none for a root device.
std::optional<sycl::device> parent_of(const sycl::device&);

/// Whether the predicate holds for a device or for one that it is part of.
template <class Predicate>
bool is_within(const sycl::device& device, const Predicate& predicate) {
  std::optional<sycl::device> candidate = device;
  while (candidate && !predicate(*candidate)) {
    candidate = parent_of(*candidate);
  }
  return candidate.has_value();
}

}  // namespace usmx::inline v1::detail
