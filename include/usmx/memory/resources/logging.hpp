// A resource that writes its calls to a file, in the format of docs/memory.md. The variable
// USMX_MEMORY_LOG of the environment does so for all memory of usmx, and memory_observer.hpp calls
// a function of the program instead.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

namespace detail {
class memory_log;
}

/// A resource that passes calls on to another one and writes a line for each allocation, free and
/// failure. It writes each line at once, so the file is complete at any moment, and each block
/// takes some microseconds more. If the disk is full, a warning says so once, the file ends, and
/// the resource continues.
class USMX_API logging_resource {
 public:
  /// Logs the calls of `upstream` to the file at `path`, and overwrites an existing file. Throws
  /// value_error when the file cannot be written, or when another log is being written to it, and
  /// on top of max_resource_depth resources. Several logs may write to a device, such as /dev/null.
  logging_resource(any_resource upstream, const std::filesystem::path& path);

  /// A new block of at least `nbytes` bytes. The alignment is in bytes, and 0 is the resource's
  /// choice. Throws value_error when `nbytes` is 0 or the alignment is not a power of two, and
  /// allocation_error when `upstream` has no memory.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue);
  /// Gives a block back to `upstream`, with the size and the alignment that it was allocated with.
  /// No work may use the block any more.
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

}  // namespace usmx::inline v1
