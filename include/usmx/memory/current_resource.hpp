// The source of new buffers' memory: pools, and the resource that is set for a context, device and
// kind of memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// The bytes of a pool at one moment. Blocks count with their rounded sizes.
struct pool_statistics {
  /// Bytes in use.
  std::size_t used = 0;
  /// The most bytes in use, since the start or the last reset_peak().
  std::size_t peak_used = 0;
  /// Bytes that the pool has from the resource below it, in use or free.
  std::size_t total = 0;
  /// The most bytes that the pool had from the resource below it, since the start or the last
  /// reset_peak().
  std::size_t peak_total = 0;
};

/// A pool for one context and device, on top of another resource. It cuts blocks of up to 64 KiB
/// from slabs. It keeps larger blocks, and those of alignments above 4096 bytes, whole when they
/// are freed, up to a limit. Every block is aligned to at least 64 bytes.
///
/// Rounding wastes less than 64 bytes of a block of up to 256 bytes, less than a quarter of the
/// request up to 64 KiB, and less than a third beyond that. Each size in use may waste one slab,
/// which is as large as all slabs that the size had before, but at least 64 KiB (or 8 blocks) and
/// at most 2 MiB. Each thread may keep a few free blocks. In addition, the pool keeps free large
/// blocks up to its limit.
///
/// Freeing never calls the resource below: what is free beyond the limit goes back with the next
/// allocation.
///
/// No work may use a block when it is deallocated, because the next user may be on another queue or
/// on the host. Class buffer sees to that: it keeps a block whose work is unfinished apart, or
/// gives it to another buffer whose work on the same queue comes after. When usmx imports a pointer
/// into the memory of a pool, it accepts only bytes of live buffers.
class USMX_API pool_resource {
 public:
  /// A pool of `upstream` for the queue's context and device. It keeps at most `keep_limit` bytes
  /// of free large blocks, by default a sixteenth of the device's memory, and at least 64 MiB.
  /// Throws value_error when `upstream` is a pool of another context or device, and on top of
  /// max_resource_depth resources.
  explicit pool_resource(any_resource upstream, const sycl::queue& queue,
                         std::optional<std::size_t> keep_limit = std::nullopt);
  /// A pool of `upstream` with the queue first, as set_current_resource() has it.
  pool_resource(const sycl::queue& queue, any_resource upstream,
                std::optional<std::size_t> keep_limit = std::nullopt)
      : pool_resource(std::move(upstream), queue, keep_limit) {}
  pool_resource(const pool_resource&) = delete;
  pool_resource& operator=(const pool_resource&) = delete;
  /// Gives all memory back to the resource below. No block may be in use.
  ~pool_resource();

  /// A new block of at least `nbytes` bytes. The alignment is in bytes, and 0 is the pool's choice.
  /// If the limit is reached or the resource below has no memory, free blocks go back first. Throws
  /// value_error when `nbytes` is 0, the alignment is not a power of two, or the queue is of
  /// another context or device than the pool, and allocation_error when there is no memory or
  /// `nbytes` does not fit ptrdiff_t.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// A block that is free already, or null. Never waits, and calls nothing of the SYCL runtime or
  /// of the resource below.
  [[nodiscard]] std::byte* try_allocate(std::size_t nbytes, std::size_t alignment,
                                        const sycl::queue& queue) noexcept;
  /// Gives a block back to the pool, with the size and the alignment that it was allocated with. No
  /// work may use the block any more.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept;
  /// The resource below.
  const any_resource& upstream() const noexcept;
  /// Throws value_error, which names both, when the queue is of another context or device than the
  /// pool.
  void require_place(const sycl::queue& queue) const;

  /// The bytes that the pool has now, and had at the peak.
  pool_statistics statistics() const noexcept;
  /// Sets both peaks to the present numbers of bytes.
  void reset_peak() noexcept;
  /// Gives all free large blocks, and all slabs without a block in use, back to the resource below.
  void free_all_blocks() noexcept;
  /// Limits the bytes that the pool has from the resource below. None removes the limit, and is the
  /// default. The pool keeps what it has already.
  void set_limit(std::optional<std::size_t> nbytes) noexcept;
  /// The limit of the bytes that the pool has from the resource below, or none.
  std::optional<std::size_t> limit() const noexcept;
  /// Limits the bytes of free large blocks that the pool keeps. Free blocks beyond that go back to
  /// the resource below: now, and later with the next allocation.
  void set_keep_limit(std::size_t nbytes) noexcept;
  /// The limit of the bytes of free large blocks that the pool keeps.
  std::size_t keep_limit() const noexcept;

 private:
  struct parts;
  std::shared_ptr<parts> parts_;
};

static_assert(memory_resource<pool_resource>);

// The resource that new buffers get their memory from. For each context, device and kind it is a
// pool of usmx, or the SYCL runtime itself if the environment has USMX_POOL=off. A program can set
// another one.

/// The resource of new memory of that kind on the queue's context and device: the calling thread's
/// (using_resource), else what set_current_resource() has set, else usmx's own. Throws value_error
/// when the kind is unknown, and fork_error in a forked child.
[[nodiscard]] USMX_API any_resource current_resource(const sycl::queue&, usm_kind);
/// Sets the resource of new memory of its kind on the queue's context and device, for all threads.
/// Returns the previous one. Memory goes back to the resource that it came from, whichever is set
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
  /// Brings the previous resource back. Memory goes back to the resource that it came from.
  ~using_resource();

  /// The scope that this object keeps.
  struct scope;

 private:
  std::unique_ptr<const scope> scope_;
};
/// Whether new memory of that kind on the queue's context and device comes from usmx's own
/// resource, because no other one is set. Throws value_error when the kind is unknown, and
/// fork_error in a forked child.
USMX_API bool uses_default_resource(const sycl::queue&, usm_kind);
/// usmx's pool for that kind on the queue's context and device, even if another resource is set.
/// USMX_POOL_KEEP of the environment says how many bytes of free large blocks it keeps.
/// Its first limit is USMX_POOL_LIMIT of the environment: a number of bytes, or a number with K, M
/// or G for powers of 1024. Throws value_error when the kind is unknown, and fork_error in a forked
/// child.
[[nodiscard]] USMX_API std::shared_ptr<pool_resource> default_pool(const sycl::queue&, usm_kind);
/// All pools that usmx has made by itself so far.
USMX_API std::vector<std::shared_ptr<pool_resource>> default_pools();
/// Sets how many bytes may wait for unfinished work after their buffers are gone. If more bytes
/// wait and no free block serves the next allocation, it waits for the oldest of that work. The
/// first value is USMX_PENDING_LIMIT of the environment, written like USMX_POOL_LIMIT, or 256 MiB.
USMX_API void set_pending_limit(std::size_t nbytes) noexcept;
/// The number of bytes that may wait for unfinished work after their buffers are gone.
USMX_API std::size_t pending_limit() noexcept;
/// Frees the memory of buffers that are gone and whose work has finished, and lets all pools give
/// back the free memory that they keep: usmx's own pools, and those that the program has made. This
/// does not wait for work, but the driver may. It does nothing in a forked child.
USMX_API void empty_cache() noexcept;

/// Lets all pools that live give back the free blocks beyond what they keep
/// (pool_resource::set_keep_limit), as the next allocation of each does. May wait, as
/// empty_cache().
USMX_API void give_back_surplus() noexcept;

}  // namespace usmx::inline v1
