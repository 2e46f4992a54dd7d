// Memory objects, and sources of memory: the classes and functions of usmx.memory.
#pragma once

#include <memory>
#include <utility>

#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/memory_resource.hpp"

namespace usmx::bindings {

/// The classes MemoryUSMDevice, MemoryUSMShared and MemoryUSMHost, and as_usm_memory.
void bind_memory_classes(nb::module_& m);

/// The methods of SyclQueue that start commands: memcpy, memset, fill, prefetch, mem_advise,
/// submit_barrier and those beside them.
void bind_queue_commands(nb::class_<sycl::queue>& cls);

/// from_pointer and get_usm_type: memory of native libraries, known by its address alone.
void bind_adoption(nb::module_& m);

/// from_shared_memory: memory of the system that other processes have, too.
void bind_shared_memory(nb::module_& m);

/// The resources that can be stacked, and set in place of the pools.
void bind_resources(nb::module_& m);

/// The pools that new memory comes from, and their statistics.
void bind_pools(nb::module_& m);

// The contents of the Python objects of resources and pools: one resource each. The classes are
// bound in resources.cpp and pools.cpp.

/// MemoryResource: any resource.
struct py_resource {
  any_resource resource;
};

/// A resource of a certain class, whose own methods are asked.
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

// Copies of bytes between memory objects, producers and buffers, and how they are named as
// arguments.

// The arguments of the memory classes: makes new memory, or takes existing memory.

/// The keywords of the constructors.
struct memory_options {
  std::size_t alignment = 0;
  /// The queue. None stands for the default queue, and for a copy the queue of its source.
  nb::object queue = nb::none();
  bool copy = false;
};

/// The alignment of new memory: an integer that is not negative.
std::size_t alignment_argument(nb::handle alignment);

/// Allocates new memory of nbytes > 0 bytes (value_error).
std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options);

/// A view of existing memory, or with options.copy a copy of it in new memory of that kind. Throws
/// value_error if a view would have another kind or context than was asked for.
std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options);

// Copies all bytes of memory, from and to memory, producers and Python's buffers. All functions
// wait.

/// The first elements of memory that has so many.
array elements_of(const std::shared_ptr<buffer>& memory, dtype type, std::size_t count);
inline array first_bytes(const std::shared_ptr<buffer>& memory, std::size_t nbytes) {
  return elements_of(memory, type_code::uint8, nbytes);
}

/// A new `bytes` object with all bytes of the memory.
nb::object to_python_bytes(const std::shared_ptr<buffer>& memory);

/// Copies to the start of a writable contiguous buffer, by default a new NumPy array, and returns
/// it. Throws value_error if it is too small or holds Python objects.
nb::object copy_to_host(const std::shared_ptr<buffer>& memory, nb::object destination);
/// Copies a contiguous buffer's bytes to the start of the memory. Throws value_error if they do not
/// fit.
void copy_from_host(const std::shared_ptr<buffer>& memory, nb::handle source_object);

/// Copies a producer's bytes to the start of the memory. Throws value_error if they do not fit, and
/// type_error if the object is no producer.
void copy_from_device(const std::shared_ptr<buffer>& memory, nb::handle producer);
/// Copies all bytes of a buffer to the start of another one, which must be at least as large.
void copy_buffer(const std::shared_ptr<buffer>& source, const std::shared_ptr<buffer>& destination);

/// Sets every byte of a buffer.
void memset_bytes(buffer& memory, nb::handle val);

}  // namespace usmx::bindings
