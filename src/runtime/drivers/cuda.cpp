// CUDA's driver, found at run time where the SYCL runtime has already loaded it: usmx links no CUDA
// of its own.
#include "runtime/drivers/cuda.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/usm/usm_pointer_info.hpp>

#include "base/loaded_library.hpp"
#include "runtime/drivers/usm_driver.hpp"

namespace usmx::detail {
namespace cuda {
namespace {

/// What the driver writes.
struct attributes {
  unsigned type = 0;
  unsigned managed = 0;
  int device = -1;
  CUdeviceptr start = 0;
  std::size_t nbytes = 0;

  /// SYCL's shared memory is CUDA's managed memory, wherever it is at the moment.
  usm_kind kind() const noexcept {
    if (managed != 0) {
      return usm_kind::shared;
    }
    switch (memory_type{type}) {
      case memory_type::device:
        return usm_kind::device;
      case memory_type::host:
        return usm_kind::host;
      default:
        return usm_kind::unknown;
    }
  }
};

}  // namespace

std::optional<functions> find_functions() noexcept {
  const loaded_library driver("libcuda.so.1");
  const functions found{
      driver.find<decltype(functions::get_attributes)>("cuPointerGetAttributes"),
      driver.find<decltype(functions::retain_primary_context)>("cuDevicePrimaryCtxRetain"),
      driver.find<decltype(functions::release_primary_context)>("cuDevicePrimaryCtxRelease_v2"),
      driver.find<decltype(functions::push_context)>("cuCtxPushCurrent_v2"),
      driver.find<decltype(functions::pop_context)>("cuCtxPopCurrent_v2")};
  const bool complete = found.get_attributes != nullptr &&
                        found.retain_primary_context != nullptr &&
                        found.release_primary_context != nullptr && found.push_context != nullptr &&
                        found.pop_context != nullptr;
  return complete ? std::optional(found) : std::nullopt;
}

allocation_info query(const functions& driver, std::span<const CUdevice> devices,
                      const void* pointer) noexcept {
  using enum pointer_attribute;
  std::array asked{memory_type, is_managed, device_ordinal, range_start, range_nbytes};
  attributes found;
  std::array<void*, asked.size()> values{&found.type, &found.managed, &found.device, &found.start,
                                         &found.nbytes};
  if (driver.get_attributes(asked.size(), asked.data(), values.data(),
                            reinterpret_cast<std::uintptr_t>(pointer)) != success) {
    return {};
  }
  const usm_kind kind = found.kind();
  // Memory of the host is in reach of all devices.
  const bool in_reach =
      kind == usm_kind::host || std::ranges::find(devices, found.device) != devices.end();
  if (kind == usm_kind::unknown || !in_reach) {
    return {};
  }
  return with_extent(kind, pointer, reinterpret_cast<const void*>(found.start), found.nbytes);
}

}  // namespace cuda

namespace {

class cuda_driver final : public usm_driver {
 public:
  cuda_driver(const sycl::context& context, const cuda::functions& driver)
      : context_(context), driver_(driver) {
    for (const sycl::device& device : context.get_devices()) {
      devices_.push_back(sycl::get_native<sycl::backend::ext_oneapi_cuda>(device));
    }
  }

  allocation_info query(const void* pointer) const override {
    return cuda::query(driver_, devices_, pointer);
  }
  sycl::device owner(const void* pointer) const override {
    return sycl::get_pointer_device(pointer, context_);
  }

 private:
  sycl::context context_;
  cuda::functions driver_;
  std::vector<CUdevice> devices_;
};

}  // namespace

std::unique_ptr<usm_driver> make_cuda_driver(const sycl::context& context) {
  const auto driver = cuda::find_functions();
  return driver ? std::make_unique<cuda_driver>(context, *driver) : nullptr;
}

}  // namespace usmx::detail
