#include "usmx/runtime/contexts.hpp"

#include <functional>
#include <sycl/platform.hpp>
#include <vector>

#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {

sycl::context default_context(const sycl::device& device) {
  require_usable_process();
  return device.get_platform().khr_get_default_context();
}

std::string describe(const sycl::context& context) {
  const std::vector<sycl::device> devices = context.get_devices();
  std::string names;
  for (const sycl::device& device : devices) {
    names.append(names.empty() ? "" : ", ").append(describe(device));
  }
  // The identity that std::hash gives is the address of the runtime's own object.
  return detail::message("context 0x", std::hex, std::hash<sycl::context>()(context), std::dec,
                         " of ", devices.size(), devices.size() == 1 ? " device (" : " devices (",
                         names, ")");
}

}  // namespace usmx::inline v1
