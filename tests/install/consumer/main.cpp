// Prints every device, one a line, and writes to shared memory of the default one.
#include <iostream>

#include <usmx/base/version.hpp>
#include <usmx/memory/resources.hpp>
#include <usmx/runtime.hpp>

int main() {
  std::cout << "usmx " << USMX_VERSION_STRING << '\n';
  for (const auto& device : usmx::get_devices()) {
    std::cout << usmx::filter_string(device) << ' ' << usmx::describe(device) << '\n';
  }
  const sycl::queue queue = usmx::default_queue();
  usmx::usm_resource resource(usmx::usm_kind::shared);
  std::byte* block = resource.allocate(64, 0, queue);
  block[63] = std::byte{7};
  resource.deallocate(block, 64, 0, queue);
}
