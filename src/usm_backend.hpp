// What each back end's own interface knows about an allocation, behind one small interface.
#pragma once

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

/// Where the back end offers nothing of its own: the kind from the SYCL runtime, extent unknown.
std::unique_ptr<allocation_backend> make_generic_backend(const sycl::context&);
/// clGetMemAllocInfoINTEL, looked up at run time; null where the driver does not have it.
std::unique_ptr<allocation_backend> make_opencl_backend(const sycl::context&);

}  // namespace usmx::detail
