// What the Python objects of resources and pools hold: one resource each. The classes are bound in
// resources.cpp and pools.cpp.
#pragma once

#include <memory>
#include <utility>

#include <sycl/device.hpp>

#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/resources/pool.hpp"

namespace usmx::bindings {

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
