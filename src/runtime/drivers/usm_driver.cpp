#include "runtime/drivers/usm_driver.hpp"

#include <utility>

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

namespace usmx::inline v1::detail::runtime_pools {

std::optional<functions> find_functions() noexcept {
  const loaded_library umf("libumf.so.1");
  functions found{};
  return umf.find(found.find_pool, "umfPoolByPtr") &&
                 umf.find(found.usable_nbytes, "umfPoolMallocUsableSize")
             ? std::optional(found)
             : std::nullopt;
}

allocation_info narrowed_to_chunk(const functions& pools, allocation_info found,
                                  const void* pointer) noexcept {
  umf_memory_pool_handle_t pool = nullptr;
  std::size_t chunk = 0;
  std::size_t left = 0;
  if (!found.bounds_known || pools.find_pool(pointer, &pool) != success || pool == nullptr ||
      pools.usable_nbytes(pool, found.base, &chunk) != success ||
      pools.usable_nbytes(pool, pointer, &left) != success) {
    return found;
  }
  // A slab consists of chunks of one size. For a pointer into a chunk, a pool tells the bytes from
  // there to the chunk's end: at the slab's first byte these are a whole chunk.
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - found.base);
  const bool is_slab = chunk > 0 && chunk < found.nbytes && left == chunk - offset % chunk;
  const std::size_t start = is_slab ? offset / chunk * chunk : 0;
  if (is_slab && found.nbytes - start >= chunk) {
    found.base += start;
    found.nbytes = chunk;
  }
  return found;
}

}  // namespace usmx::inline v1::detail::runtime_pools
