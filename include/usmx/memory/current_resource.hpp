// The resource that new buffers get their memory from. For each context, device and kind it is a
// pool of usmx, or the SYCL runtime itself if the environment has USMX_POOL=off. A program can set
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

/// The resource of new memory of that kind on the queue's context and device: the calling thread's
/// (using_resource), else what set_current_resource() has set, else usmx's own. Throws value_error
/// when the kind is unknown, and fork_error in a forked child.
[[nodiscard]] USMX_API any_resource current_resource(const sycl::queue&, usm_kind);
/// Sets the resource of new memory of its kind on the queue's context and device, for all threads.
/// Returns the one before. Memory goes back to the resource that it came from, whatever is set
/// then. Throws value_error when the resource's kind is unknown, or it is or stands on a pool of
/// another context or device, and fork_error in a forked child.
USMX_API any_resource set_current_resource(const sycl::queue&, any_resource resource);
/// Makes a resource the one of new memory of its kind on the queue's context and device, for the
/// calling thread, as long as this object lives. To be destroyed on the same thread, in reverse
/// order. It counts before Python's `using_memory_resource`.
class USMX_API [[nodiscard]] using_resource {
 public:
  /// Throws value_error when the resource's kind is unknown, or it is or stands on a pool of
  /// another context or device, and fork_error in a forked child.
  using_resource(const sycl::queue& queue, any_resource resource);
  using_resource(const using_resource&) = delete;
  using_resource& operator=(const using_resource&) = delete;
  /// Brings the resource from before back. Memory goes back to the resource that it came from.
  ~using_resource();

  /// The scope that it keeps.
  struct scope;

 private:
  std::unique_ptr<const scope> scope_;
};
/// Whether new memory of that kind on the queue's context and device comes from where usmx takes it
/// by itself: no other resource is set. Throws value_error when the kind is unknown, and fork_error
/// in a forked child.
USMX_API bool uses_default_resource(const sycl::queue&, usm_kind);
/// usmx's pool for that kind on the queue's context and device, even if another resource is set.
/// USMX_POOL_KEEP of the environment says how many bytes of free large blocks it keeps.
/// Its first limit is USMX_POOL_LIMIT of the environment: a number of bytes, or a number with K, M
/// or G for powers of 1024. Throws value_error when the kind is unknown, and fork_error in a forked
/// child.
[[nodiscard]] USMX_API std::shared_ptr<pool_resource> default_pool(const sycl::queue&, usm_kind);
/// All pools that usmx has made by itself so far.
USMX_API std::vector<std::shared_ptr<pool_resource>> default_pools();
/// Sets how many bytes may wait for unfinished work after their buffers are gone. Where more wait,
/// and no free block serves it, the next allocation waits for the oldest of that work. The first
/// value is USMX_PENDING_LIMIT of the environment, written like USMX_POOL_LIMIT, or 256 MiB.
USMX_API void set_pending_limit(std::size_t nbytes) noexcept;
/// How many bytes may wait for unfinished work after their buffers are gone.
USMX_API std::size_t pending_limit() noexcept;
/// Frees the memory of buffers that are gone and whose work has finished, and lets all pools
/// give back what they keep and nobody uses: usmx's own, and those that the program has made. This
/// does not wait for work, but the driver may. It does nothing in a forked child.
USMX_API void empty_cache() noexcept;

/// Lets all pools that live give back the free blocks beyond what they keep
/// (pool_resource::set_keep_limit), as the next allocation of each does. May wait, as
/// empty_cache().
USMX_API void give_back_surplus() noexcept;

}  // namespace usmx::inline v1
