// What each back end's own driver knows about an allocation, behind one small interface. Private to
// the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

#include "usmx/runtime/allocation_info.hpp"

namespace usmx::inline v1::detail {

/// Asks one context's back end. Thread-safe.
class usm_driver {
 public:
  virtual ~usm_driver() = default;
  /// As usmx::query_allocation, the registry not asked.
  virtual allocation_info query(const void* pointer) const = 0;
  /// The kind of the one allocation that all of these bytes lie in, nbytes > 0; unknown when there
  /// is none. Where the back end cannot tell bounds, that of the first byte. A back end that can
  /// tell it by fewer questions than query does so: every import asks.
  virtual usm_kind kind_around(const void* first, std::size_t nbytes) const;
  /// As usmx::pointer_device.
  virtual sycl::device owner(const void* pointer) const = 0;
};

/// What a driver says of `pointer`, put together; without a base or a size the bounds are unknown.
/// A driver that puts the pointer outside of its allocation contradicts itself: it vouches for
/// nothing.
inline allocation_info with_bounds(usm_kind kind, const void* pointer, const void* base,
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

/// The bytes from `first` to the end of its allocation, whose bounds are known.
inline std::size_t available_from(const void* first, const allocation_info& found) noexcept {
  return static_cast<std::size_t>(found.base + found.nbytes - static_cast<const std::byte*>(first));
}

inline usm_kind usm_driver::kind_around(const void* first, std::size_t nbytes) const {
  const allocation_info found = query(first);
  return !found.bounds_known || nbytes <= available_from(first, found) ? found.kind
                                                                       : usm_kind::unknown;
}

/// The one for the context's back end.
std::unique_ptr<usm_driver> make_driver(const sycl::context&);

/// Where the back end offers nothing of its own: the kind from the SYCL runtime, bounds unknown.
std::unique_ptr<usm_driver> make_generic_driver(const sycl::context&);

}  // namespace usmx::inline v1::detail
