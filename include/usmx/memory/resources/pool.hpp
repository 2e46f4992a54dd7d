// Memory at pool speed: what is freed is kept and used again, so that most blocks cost no call of
// the runtime.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// What a pool has at a moment, in bytes of blocks: sizes are rounded.
struct pool_statistics {
  std::size_t used = 0;
  std::size_t peak_used = 0;
  /// From the resource below: in use and free.
  std::size_t total = 0;
  std::size_t peak_total = 0;
};

/// A pool of one context and device. Blocks of up to 64 KiB are cut from slabs, larger ones are
/// kept whole when they are free, up to a limit. Every block is aligned to 64 bytes at least.
///
/// What it wastes: less than 64 bytes of a block of up to 256, less than a quarter of the request
/// up to 64 KiB and a sixteenth beyond; for each size in use up to a slab, which is as large as
/// what the size had before, and between 64 KiB (or 8 blocks) and 2 MiB; a little for each thread;
/// and of large blocks the limit. Blocks of alignments above 4096 bytes are kept like large ones.
///
/// Freeing never calls the resource below: what is free beyond the limit goes back with the next
/// allocation.
///
/// A block must be free of work when it is deallocated: the next one who gets it may be on another
/// queue, or the host. buffer takes care of that. At import usmx knows the bytes of its buffers,
/// and refuses all others of a pool.
class USMX_API pool_resource {
 public:
  /// Blocks of the queue's context and device, from `upstream`. `cache_limit`: of the bytes of free
  /// large blocks; by default a sixteenth of the device's memory.
  explicit pool_resource(any_resource upstream, const sycl::queue& queue,
                         std::optional<std::size_t> cache_limit = std::nullopt);
  pool_resource(const pool_resource&) = delete;
  pool_resource& operator=(const pool_resource&) = delete;
  /// Gives everything back: no block may be in use.
  ~pool_resource();

  /// Where the resource below has no memory, or the limit is reached, free blocks go back first.
  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  usm_kind kind() const noexcept;

  pool_statistics statistics() const noexcept;
  void reset_peak() noexcept;
  /// Gives all back of which nothing is in use. Calls the runtime.
  void free_all_blocks() noexcept;
  /// Of the total; none by default. What the pool has already, it keeps.
  void set_limit(std::optional<std::size_t> nbytes) noexcept;
  std::optional<std::size_t> limit() const noexcept;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

static_assert(memory_resource<pool_resource>);

}  // namespace usmx::inline v1
