// A file of what passes through a resource, in the format of docs/memory.md. The same of all of
// usmx's memory is written by USMX_MEMORY_LOG; for programs there is memory_observer.hpp.
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

/// Writes a line for each allocation, free and failure, at once: the file is complete at any
/// moment, and each block costs some microseconds more. Where the disk is full, a warning says so,
/// and the file ends; memory does not.
class USMX_API logging_resource {
 public:
  /// A file that is there is overwritten. Throws value_error where it cannot be written, or another
  /// log is being written there.
  logging_resource(any_resource upstream, const std::filesystem::path& path);

  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  usm_kind kind() const noexcept { return upstream_.kind(); }

 private:
  any_resource upstream_;
  std::shared_ptr<detail::memory_log> log_;
};

static_assert(memory_resource<logging_resource>);

}  // namespace usmx::inline v1
