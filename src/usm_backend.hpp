// What each back end's own interface knows about an allocation, behind one small interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

#include "usmx/usm.hpp"

namespace usmx::detail {

/// Asks one context's back end. Thread-safe.
class allocation_backend {
 public:
  virtual ~allocation_backend() = default;
  /// As usmx::query_allocation, the registry not asked.
  virtual allocation_info query(const void* pointer) const = 0;
  /// As usmx::pointer_device.
  virtual sycl::device owner(const void* pointer) const = 0;
};

/// What a driver says of `pointer`, put together; without a base or a size the extent is unknown. A
/// driver that puts the pointer outside of its allocation contradicts itself: it vouches for
/// nothing.
inline allocation_info with_extent(usm_kind kind, const void* pointer, const void* base,
                                   std::size_t nbytes) noexcept {
  if (base == nullptr || nbytes == 0) {
    return {.kind = kind};
  }
  // As numbers: addresses of different objects do not compare, and nothing wraps this way round.
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto first = reinterpret_cast<std::uintptr_t>(base);
  const bool inside = address >= first && address - first < nbytes;
  return inside ? allocation_info{kind, static_cast<const std::byte*>(base), nbytes, true}
                : allocation_info{};
}

/// Where the back end offers nothing of its own: the kind from the SYCL runtime, extent unknown.
std::unique_ptr<allocation_backend> make_generic_backend(const sycl::context&);
/// Each asks its driver, through functions looked up at run time; null where the driver does not
/// have them. The context has to be of that back end.
std::unique_ptr<allocation_backend> make_opencl_backend(const sycl::context&);
std::unique_ptr<allocation_backend> make_level_zero_backend(const sycl::context&);
std::unique_ptr<allocation_backend> make_cuda_backend(const sycl::context&);

}  // namespace usmx::detail
