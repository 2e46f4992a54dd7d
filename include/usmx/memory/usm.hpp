// What a pointer is: its kind in a context, and the real allocation around it. The registry is
// asked first, then the runtime; this is the only code that does. Every pointer from outside comes
// through here before it is used. Next: memory_resource.hpp.
#pragma once

#include <cstddef>

#include <sycl/context.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/allocation_info.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// Asks about any pointer, interior ones, null and garbage included; never reads through it.
USMX_API allocation_info query_allocation(const void* pointer, const sycl::context&);

/// The kind alone.
USMX_API usm_kind pointer_kind(const void* pointer, const sycl::context&);

/// The device a device or shared pointer belongs to; for a host pointer the context's first.
/// The pointer must be USM of that context.
USMX_API sycl::device pointer_device(const void* pointer, const sycl::context&);

/// Vouches for the bytes [pointer, pointer + nbytes), nbytes > 0: USM of that context, and all
/// inside one live allocation. Returns its kind. Throws value_error naming pointer, context, first
/// and last byte, and the allocation's. Where the back end cannot tell the extent of an allocation,
/// only the kind is checked ("unchecked").
USMX_API usm_kind check_access(const void* pointer, std::size_t nbytes, const sycl::context&);

/// Throws value_error unless the queue's device, or its parent, owns that device or shared pointer.
USMX_API void check_device(const void* pointer, usm_kind, const sycl::queue&);

/// Whether the device has memory apart from the host's: all but the host's own CPU as an OpenCL
/// device.
USMX_API bool is_remote(const sycl::device&);

/// Whether the host may read and write that memory directly: shared and host kinds by contract,
/// device memory only where the device is the host's own CPU. The one place that decides it.
USMX_API bool host_may_touch(usm_kind, const sycl::device&);

}  // namespace usmx::inline v1
