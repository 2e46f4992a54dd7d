#include "runtime/drivers/usm_driver.hpp"

#include <utility>

#include <sycl/backend_types.hpp>
#include <sycl/usm/usm_pointer_info.hpp>

namespace usmx::inline v1::detail {
namespace {

usm_kind to_kind(sycl::usm::alloc kind) noexcept {
  switch (kind) {
    case sycl::usm::alloc::device:
      return usm_kind::device;
    case sycl::usm::alloc::shared:
      return usm_kind::shared;
    case sycl::usm::alloc::host:
      return usm_kind::host;
    case sycl::usm::alloc::unknown:
      break;
  }
  return usm_kind::unknown;
}

class generic_driver final : public usm_driver {
 public:
  explicit generic_driver(const sycl::context& context) : context_(context) {}

  allocation_info query(const void* pointer) const override {
    return {.kind = to_kind(sycl::get_pointer_type(pointer, context_))};
  }
  sycl::device owner(const void* pointer) const override {
    return sycl::get_pointer_device(pointer, context_);
  }

 private:
  sycl::context context_;
};

// Null where the back end, or this machine's driver for it, cannot be asked.
std::unique_ptr<usm_driver> make_native_driver(const sycl::context& context) {
  switch (context.get_backend()) {
    case sycl::backend::opencl:
      return make_opencl_driver(context);
    case sycl::backend::ext_oneapi_level_zero:
      return make_level_zero_driver(context);
    case sycl::backend::ext_oneapi_cuda:
      return make_cuda_driver(context);
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<usm_driver> make_generic_driver(const sycl::context& context) {
  return std::make_unique<generic_driver>(context);
}

std::unique_ptr<usm_driver> make_driver(const sycl::context& context) {
  auto native = make_native_driver(context);
  return native ? std::move(native) : make_generic_driver(context);
}

}  // namespace usmx::inline v1::detail
