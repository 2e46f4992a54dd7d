// The resources that usmx has besides the pool (current_resource.hpp): the SYCL runtime itself, C
// functions, and resources on top of another one that limit, count, track, log or fail.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// A resource that allocates and frees each block by a call of the SYCL runtime.
class USMX_API usm_resource {
 public:
  /// A resource of that kind of memory. Throws value_error when the kind is unknown.
  explicit usm_resource(usm_kind kind);

  /// A new block of the runtime. Throws as memory_resource says, and allocation_error when the
  /// runtime cannot keep the alignment.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue) const;
  /// Gives a block back to the runtime.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return kind_; }

 private:
  usm_kind kind_;
};

static_assert(memory_resource<usm_resource>);

/// A resource that calls two C functions, which have the parameters of PyTorch's pluggable
/// allocators.
class USMX_API function_resource {
 public:
  /// A function that returns a block of `nbytes` bytes, or null if there is no memory. The queue
  /// says for which context and device, and `device` is the number that the constructor got.
  using allocate_function = void* (*)(std::size_t nbytes, int device, sycl::queue* queue);
  /// A function that frees a block. It gets the size that the block was allocated with.
  using free_function = void (*)(void* block, std::size_t nbytes, sycl::queue* queue);

  /// A resource of these functions, which must return USM of that kind. Several threads may call
  /// them at once, and they must not throw. `to_allocate` gets `device` in each call. Throws
  /// value_error when the kind is unknown or a function is null.
  function_resource(usm_kind kind, allocate_function to_allocate, free_function to_free,
                    int device = 0);

  /// A new block of `nbytes` bytes. The function does not get the alignment: allocation_error is
  /// thrown when its block does not have it, and when there is no memory. A pool_resource on top of
  /// this resource can serve alignments of up to 2 MiB, because it asks for larger blocks. Throws
  /// value_error when `nbytes` is 0 or the alignment is neither 0 nor a power of two.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue) const;
  /// Gives a block back to the function, with the size that it was allocated with.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return kind_; }

 private:
  usm_kind kind_;
  allocate_function allocate_;
  free_function free_;
  int device_;
};

static_assert(memory_resource<function_resource>);

/// A resource that passes calls on to another one until a limit is reached. It counts the bytes
/// that were asked for, without rounding.
class USMX_API limiting_resource {
 public:
  /// Lets at most `limit` bytes of `upstream` be in use at a time. Throws value_error on top of
  /// max_resource_depth resources.
  limiting_resource(any_resource upstream, std::size_t limit);

  /// A new block of `upstream`. Throws as memory_resource says, and allocation_error when the limit
  /// would be exceeded.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// Gives a block back to `upstream`.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return upstream_.kind(); }
  /// The resource below.
  const any_resource& upstream() const noexcept { return upstream_; }

  /// The limit in bytes.
  std::size_t limit() const noexcept { return limit_; }
  /// Bytes in use.
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  void count_in(std::size_t nbytes, const sycl::queue& queue);

  any_resource upstream_;
  std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;
};

static_assert(memory_resource<limiting_resource>);

/// A number of bytes or blocks over time.
struct allocation_count {
  /// The number now.
  std::size_t current = 0;
  /// The largest number so far.
  std::size_t peak = 0;
  /// The sum of all allocations, including those that were freed.
  std::size_t total = 0;
};

/// The counts of a statistics_resource.
struct allocation_counts {
  /// The bytes that were asked for, without rounding.
  allocation_count nbytes;
  /// The blocks.
  allocation_count blocks;
  /// The number of allocations that failed.
  std::size_t failures = 0;
};

/// A resource that passes calls on to another one, and counts them.
class USMX_API statistics_resource {
 public:
  /// Counts the calls of `upstream`. Throws value_error on top of max_resource_depth resources.
  explicit statistics_resource(any_resource upstream);

  /// A new block of `upstream`. Throws as memory_resource says.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// Gives a block back to `upstream`.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return upstream_.kind(); }
  /// The resource below.
  const any_resource& upstream() const noexcept { return upstream_; }

  /// All counts at one moment.
  allocation_counts counts() const;

 private:
  any_resource upstream_;
  mutable std::mutex mutex_;
  allocation_counts counts_;
};

static_assert(memory_resource<statistics_resource>);

/// A block in use.
struct tracked_block {
  /// The first byte.
  const std::byte* first;
  /// The number of bytes that were asked for.
  std::size_t nbytes;
  /// The place in the program, as the resource's function named it.
  std::string call_site;
};

/// Sets the function that names the place in the program that is allocating, for example
/// "file.py:12 in function". Any thread may call the function. usmx's Python module sets one. Null
/// sets none.
USMX_API void set_call_site_function(std::string (*function)()) noexcept;
/// The result of the function that set_call_site_function() has set, or "native code" if there is
/// none.
USMX_API std::string current_call_site();

namespace detail {

/// Whether any tracking_resource was ever made, or a leak report is wanted: else no call site needs
/// to be noted.
USMX_API bool call_sites_are_wanted() noexcept;

}  // namespace detail

/// A resource that passes calls on to another one, and keeps the call site of each block as long as
/// the block. Each allocation calls a function for the call site, and takes a lock to note it.
class USMX_API tracking_resource {
 public:
  /// Tracks the blocks of `upstream`. The allocating thread calls `call_site`, while it holds no
  /// lock of the resource. Throws value_error on top of max_resource_depth resources, and for a
  /// null function.
  explicit tracking_resource(any_resource upstream,
                             std::function<std::string()> call_site = &current_call_site);

  /// A new block of `upstream`. Throws as memory_resource says.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// Gives a block back to `upstream`.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return upstream_.kind(); }
  /// The resource below.
  const any_resource& upstream() const noexcept { return upstream_; }

  /// All blocks in use, sorted by address.
  std::vector<tracked_block> live_blocks() const;

 private:
  struct entry {
    std::size_t nbytes;
    std::string call_site;
  };

  any_resource upstream_;
  std::function<std::string()> call_site_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, entry> live_;
};

static_assert(memory_resource<tracking_resource>);

namespace detail {
class memory_log;
}

/// A resource that passes calls on to another one and writes a line for each allocation, free and
/// failure, in the format of docs/memory.md. It writes each line at once, so the file is complete
/// at any moment, and each block takes some microseconds more. If the disk is full, a warning says
/// so once, the file ends, and the resource continues. USMX_MEMORY_LOG of the environment logs all
/// memory of usmx, and memory_observer.hpp calls a function of the program instead.
class USMX_API logging_resource {
 public:
  /// Logs the calls of `upstream` to the file at `path`, and overwrites an existing file. Throws
  /// value_error when the file cannot be written, or when another log is being written to it, and
  /// on top of max_resource_depth resources. Several logs may write to a device, such as /dev/null.
  logging_resource(any_resource upstream, const std::filesystem::path& path);

  /// A new block of `upstream`. Throws as memory_resource says.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// Gives a block back to `upstream`.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return upstream_.kind(); }
  /// The resource below.
  const any_resource& upstream() const noexcept { return upstream_; }

 private:
  any_resource upstream_;
  std::shared_ptr<detail::memory_log> log_;
};

static_assert(memory_resource<logging_resource>);

/// A resource that asks a function before each allocation whether to fail, and passes all other
/// calls on to another resource.
class USMX_API failing_resource {
 public:
  /// Fails when `fails(nbytes)` returns true. Several threads may call the function at once. Other
  /// requests go to `upstream`. Throws value_error on top of max_resource_depth resources,
  /// and for no function.
  failing_resource(any_resource upstream, std::function<bool(std::size_t nbytes)> fails);

  /// A new block of `upstream`. Throws as memory_resource says, and allocation_error when the
  /// function says so.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// Gives a block back to `upstream`.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  /// The kind of memory.
  usm_kind kind() const noexcept { return upstream_.kind(); }
  /// The resource below.
  const any_resource& upstream() const noexcept { return upstream_; }

 private:
  any_resource upstream_;
  std::function<bool(std::size_t)> fails_;
};

static_assert(memory_resource<failing_resource>);

}  // namespace usmx::inline v1
