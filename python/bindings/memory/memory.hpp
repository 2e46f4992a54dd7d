// Memory objects, and where memory comes from: the classes and functions of usmx.memory.
#pragma once

#include <memory>
#include <utility>

#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "support/nanobind.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/resources/pool.hpp"

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

// The contents of the Python objects of resources and pools: one resource each. The classes are
// bound in resources.cpp and pools.cpp.

/// MemoryResource: any of them.
struct py_resource {
  any_resource resource;
};

/// One whose own methods are asked.
template <class R>
struct py_resource_of : py_resource {
  explicit py_resource_of(std::shared_ptr<R> made) : py_resource{made}, own(std::move(made)) {}

  std::shared_ptr<R> own;
};

/// MemoryPool, and the device whose share its limit may be.
struct py_pool : py_resource_of<pool_resource> {
  py_pool(std::shared_ptr<pool_resource> made, sycl::device of)
      : py_resource_of(std::move(made)), device(std::move(of)) {}

  sycl::device device;
};

/// PoolResource: a pool that the program has made.
struct py_own_pool : py_pool {
  using py_pool::py_pool;
};

}  // namespace usmx::bindings
