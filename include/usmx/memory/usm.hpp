// Questions about pointers: the kind of memory in a context, and the allocation around a pointer.
// usmx asks its own registry first, and then the runtime. It checks every pointer from outside here
// before it uses the pointer. Next: memory_resource.hpp.
#pragma once

#include <cstddef>

#include <sycl/context.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// Returns what is known about the allocation around a pointer. The pointer may have any value,
/// even null or garbage: usmx never reads through it. Throws fork_error in a forked child.
USMX_API allocation_info query_allocation(const void* pointer, const sycl::context&);

/// The kind of memory that a pointer points to in that context, or `unknown` if it is not USM of
/// the context. The pointer may have any value. Throws fork_error in a forked child.
USMX_API usm_kind pointer_kind(const void* pointer, const sycl::context&);

/// The device that a device or shared pointer belongs to, or the context's first device for a host
/// pointer. Throws value_error unless the pointer is USM of that context, and fork_error in a
/// forked child.
USMX_API sycl::device pointer_device(const void* pointer, const sycl::context&);

/// Checks that all bytes [pointer, pointer + nbytes), `nbytes` > 0, are USM of that context and
/// inside one live allocation, and returns the kind. Throws value_error otherwise. The message has
/// the pointer and the context, or the first and the last byte of the range and of the allocation.
/// If the back end cannot tell where an allocation ends, this checks the kind only.
USMX_API usm_kind check_access(const void* pointer, std::size_t nbytes, const sycl::context&);

/// Throws value_error unless the queue's device, or its parent, owns that device or shared pointer.
/// A host pointer belongs to all devices of its context.
USMX_API void check_device(const void* pointer, usm_kind, const sycl::queue&);

/// Whether the device has memory apart from the host's. Only the host's own CPU as an OpenCL device
/// has not.
USMX_API bool is_remote(const sycl::device&);

/// Whether the host may read and write memory of that kind and device directly: shared and host
/// memory always, device memory only if the device is the host's own CPU. Memory that is not USM
/// (`unknown`) counts as the host's.
USMX_API bool host_may_touch(usm_kind, const sycl::device&);

}  // namespace usmx::inline v1
