// A resource that notes which part of the program allocated the blocks that are in use.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

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

/// Whether any tracking_resource was ever made, or a leak report is wanted: only then is a call
/// site worth noting.
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

}  // namespace usmx::inline v1
