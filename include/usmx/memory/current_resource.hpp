// Which resource new buffers have their memory from: for each context, device and kind a pool of
// usmx's, or with USMX_POOL=off in the environment the SYCL runtime itself, until somebody sets
// another one.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/resources/pool.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// The one for new memory of that kind, on the queue's context and device.
USMX_API any_resource current_resource(const sycl::queue&, usm_kind);
/// Sets it, for all threads, for memory of the resource's kind; gives the one that it was. Memory
/// goes back to where it came from, whatever is set then.
USMX_API any_resource set_current_resource(const sycl::queue&, any_resource resource);
/// usmx's pool for that kind on the queue's context and device, used or not. USMX_POOL_LIMIT in the
/// environment is its first limit: a number of bytes, or one with K, M or G for powers of 1024.
USMX_API std::shared_ptr<pool_resource> default_pool(const sycl::queue&, usm_kind);
/// The pools of usmx that are there.
USMX_API std::vector<std::shared_ptr<pool_resource>> default_pools();
/// Lets go of memory whose work has finished, and gives back what no pool of usmx's has in use.
USMX_API void empty_cache() noexcept;

}  // namespace usmx::inline v1
