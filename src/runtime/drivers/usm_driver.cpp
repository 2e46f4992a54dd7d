#include "runtime/drivers/usm_driver.hpp"

#include <algorithm>
#include <utility>

#include <sycl/usm/usm_pointer_info.hpp>

#include "runtime/drivers/back_ends.hpp"

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

}  // namespace

std::unique_ptr<usm_driver> make_generic_driver(const sycl::context& context) {
  return std::make_unique<generic_driver>(context);
}

std::unique_ptr<usm_driver> make_driver(const sycl::context& context) {
  const auto* const known = std::ranges::find(back_ends, context.get_backend(), &back_end::value);
  auto native = known == back_ends.end() ? nullptr : known->make_driver(context);
  return native ? std::move(native) : make_generic_driver(context);
}

}  // namespace usmx::inline v1::detail
