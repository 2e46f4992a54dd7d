// Level Zero, found at run time in the loader that the SYCL runtime has already loaded: usmx links
// no Level Zero of its own. The runtime's own memory library (UMF) looks its functions up in the
// same way, so that handles of the runtime are known to be good for them.
#include "runtime/drivers/level_zero.hpp"

#include <sycl/backend.hpp>
#include <sycl/usm/usm_pointer_info.hpp>

#include "base/process.hpp"
#include "runtime/drivers/usm_driver.hpp"

namespace usmx::inline v1::detail {
namespace level_zero {
namespace {

usm_kind to_kind(memory_type type) noexcept {
  switch (type) {
    case memory_type::device:
      return usm_kind::device;
    case memory_type::shared:
      return usm_kind::shared;
    case memory_type::host:
      return usm_kind::host;
    default:
      return usm_kind::unknown;
  }
}

}  // namespace

std::optional<functions> find_functions() noexcept {
  const loaded_library loader("libze_loader.so.1");
  functions found{};
  return loader.find(found.get_allocation_properties, "zeMemGetAllocProperties") &&
                 loader.find(found.get_address_range, "zeMemGetAddressRange")
             ? std::optional(found)
             : std::nullopt;
}

allocation_info query(const functions& driver, ze_context_handle_t context,
                      const void* pointer) noexcept {
  allocation_properties properties;
  if (driver.get_allocation_properties(context, pointer, &properties, nullptr) != success) {
    return {};
  }
  const usm_kind kind = to_kind(properties.type);
  void* base = nullptr;
  std::size_t nbytes = 0;
  if (kind == usm_kind::unknown ||
      driver.get_address_range(context, pointer, &base, &nbytes) != success) {
    return {.kind = kind};
  }
  return with_bounds(kind, pointer, base, nbytes);
}

}  // namespace level_zero

const backend_traits level_zero_traits{.keeps_in_order_queues = true,
                                       .has_onemkl = true,
                                       .has_onemkl_lapack = true,
                                       .has_peer_access = true};

namespace {

class level_zero_driver final : public usm_driver {
 public:
  level_zero_driver(const sycl::context& context, const level_zero::functions& driver)
      : context_(context),
        native_(sycl::get_native<sycl::backend::ext_oneapi_level_zero>(context)),
        driver_(driver) {}

  allocation_info query(const void* pointer) const override {
    return pools_.narrowed(level_zero::query(driver_, native_, pointer), pointer);
  }
  sycl::device owner(const void* pointer) const override {
    return sycl::get_pointer_device(pointer, context_);
  }

 private:
  sycl::context context_;  // keeps the native one alive, which get_native does not retain
  ze_context_handle_t native_;
  level_zero::functions driver_;
  runtime_pools::loaded_pools pools_;
};

}  // namespace

std::unique_ptr<usm_driver> make_level_zero_driver(const sycl::context& context) {
  const auto driver = level_zero::find_functions();
  return driver ? std::make_unique<level_zero_driver>(context, *driver) : nullptr;
}

}  // namespace usmx::inline v1::detail
