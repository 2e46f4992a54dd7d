// Memory objects, and where memory comes from: the classes and functions of usmx.memory.
#pragma once

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The classes MemoryUSMDevice, MemoryUSMShared and MemoryUSMHost, and as_usm_memory.
void bind_memory_classes(nb::module_& m);

/// The methods of SyclQueue that start commands: memcpy, memset, fill, prefetch, mem_advise,
/// submit_barrier and those beside them.
void bind_queue_commands(nb::class_<sycl::queue>& cls);

/// from_pointer and get_usm_type: memory of native libraries, known by its address alone.
void bind_adoption(nb::module_& m);

/// from_shared_memory: memory of the system that others have, too.
void bind_shared_memory(nb::module_& m);

/// The resources that can be stacked, and set in place of the pools.
void bind_resources(nb::module_& m);

/// The pools that new memory comes from, and what they have.
void bind_pools(nb::module_& m);

}  // namespace usmx::bindings
