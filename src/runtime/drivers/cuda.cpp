// CUDA's driver, found at run time where the SYCL runtime has already loaded it: usmx links no CUDA
// of its own.
#include "runtime/drivers/cuda.hpp"

#include <cstdint>

#include <sycl/backend.hpp>
#include <sycl/usm/usm_pointer_info.hpp>

#include "base/loaded_library.hpp"
#include "runtime/drivers/cuda_context.hpp"
#include "runtime/drivers/usm_driver.hpp"

namespace usmx::detail {
namespace cuda {
namespace {

/// What an attribute says; `otherwise` where the driver does not know the pointer.
template <class Value>
Value ask(const functions& driver, pointer_attribute attribute, CUdeviceptr pointer,
          Value otherwise) noexcept {
  Value answer{};
  return driver.get_attribute(&answer, attribute, pointer) == success ? answer : otherwise;
}

/// SYCL's shared memory is CUDA's managed memory, wherever it is at the moment.
usm_kind kind_of(const functions& driver, CUdeviceptr pointer) noexcept {
  if (ask(driver, pointer_attribute::is_managed, pointer, 0U) != 0) {
    return usm_kind::shared;
  }
  switch (ask(driver, pointer_attribute::memory_type, pointer, memory_type{})) {
    case memory_type::device:
      return usm_kind::device;
    case memory_type::host:
      return usm_kind::host;
    default:
      return usm_kind::unknown;
  }
}

}  // namespace

std::optional<functions> find_functions() noexcept {
  const loaded_library driver("libcuda.so.1");
  const functions found{
      driver.find<decltype(functions::get_attribute)>("cuPointerGetAttribute"),
      driver.find<decltype(functions::get_address_range)>("cuMemGetAddressRange_v2"),
      driver.find<decltype(functions::retain_primary_context)>("cuDevicePrimaryCtxRetain"),
      driver.find<decltype(functions::release_primary_context)>("cuDevicePrimaryCtxRelease_v2"),
      driver.find<decltype(functions::push_context)>("cuCtxPushCurrent_v2"),
      driver.find<decltype(functions::pop_context)>("cuCtxPopCurrent_v2")};
  const bool complete = found.get_attribute != nullptr && found.get_address_range != nullptr &&
                        found.retain_primary_context != nullptr &&
                        found.release_primary_context != nullptr && found.push_context != nullptr &&
                        found.pop_context != nullptr;
  return complete ? std::optional(found) : std::nullopt;
}

allocation_info query(const functions& driver, CUcontext context, const void* pointer) noexcept {
  const current_context current(driver, context);
  const CUdeviceptr address = reinterpret_cast<std::uintptr_t>(pointer);
  const usm_kind kind = current ? kind_of(driver, address) : usm_kind::unknown;
  if (kind == usm_kind::unknown) {
    return {};
  }
  CUdeviceptr base = 0;
  std::size_t nbytes = 0;
  if (driver.get_address_range(&base, &nbytes, address) != success) {
    // It is documented for what cuMemAlloc made; the runtime asks for these attributes instead.
    base = ask(driver, pointer_attribute::range_start, address, CUdeviceptr{0});
    nbytes = ask(driver, pointer_attribute::range_nbytes, address, std::size_t{0});
  }
  return with_extent(kind, pointer, reinterpret_cast<const void*>(base), nbytes);
}

}  // namespace cuda

namespace {

class cuda_driver final : public usm_driver {
 public:
  /// Gives the primary context back, which the caller has retained.
  cuda_driver(const sycl::context& context, const cuda::functions& driver, CUdevice device,
              CUcontext primary) noexcept
      : context_(context), driver_(driver), device_(device), primary_(primary) {}
  cuda_driver(const cuda_driver&) = delete;
  cuda_driver& operator=(const cuda_driver&) = delete;
  ~cuda_driver() override { driver_.release_primary_context(device_); }

  allocation_info query(const void* pointer) const override {
    return cuda::query(driver_, primary_, pointer);
  }
  sycl::device owner(const void* pointer) const override {
    return sycl::get_pointer_device(pointer, context_);
  }

 private:
  sycl::context context_;
  cuda::functions driver_;
  CUdevice device_;
  CUcontext primary_;
};

}  // namespace

std::unique_ptr<usm_driver> make_cuda_driver(const sycl::context& context) {
  const auto driver = cuda::find_functions();
  if (!driver) {
    return nullptr;
  }
  // The runtime works in the devices' primary contexts. That of any of them will do: addresses are
  // unified.
  const CUdevice device =
      sycl::get_native<sycl::backend::ext_oneapi_cuda>(context.get_devices().front());
  CUcontext primary = nullptr;
  if (driver->retain_primary_context(&primary, device) != cuda::success) {
    return nullptr;
  }
  return std::make_unique<cuda_driver>(context, *driver, device, primary);
}

}  // namespace usmx::detail
