#include "usmx/runtime/device_types.hpp"

#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {

type_support support_of(const sycl::device& device) {
  require_usable_process();
  return {device.has(sycl::aspect::fp16), device.has(sycl::aspect::fp64)};
}

void require_supported(dtype type, const sycl::device& device) {
  const bool is_common = is_supported(type, {.fp16 = false, .fp64 = false});
  if (!is_common && !is_supported(type, support_of(device))) {
    throw value_error(detail::message(
        "element type ", type, " needs aspect ",
        is_supported(type, {.fp16 = false, .fp64 = true}) ? "fp64" : "fp16", ", which device ",
        describe(device), " does not have: expected ",
        nearest_supported(type, {.fp16 = false, .fp64 = false}), " or another type of the device"));
  }
}

}  // namespace usmx::inline v1
