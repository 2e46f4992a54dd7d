// Who allocated what is still alive.
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

/// A block that is alive.
struct tracked_block {
  const std::byte* first;
  std::size_t nbytes;
  /// As the resource's function called it.
  std::string call_site;
};

/// What calls the place where a program allocates, as "file.py:12 in function"; any thread may call
/// it. usmx's Python module sets it; until somebody does, it is "native code".
USMX_API void set_call_site_function(std::string (*function)()) noexcept;
USMX_API std::string current_call_site();

/// Asks a function for the call site of each block, and keeps it as long as the block. Costs that
/// function, and an entry of a table under one lock.
class USMX_API tracking_resource {
 public:
  /// `call_site` is called on the allocating thread, with no lock of the resource's held.
  explicit tracking_resource(any_resource upstream,
                             std::function<std::string()> call_site = &current_call_site);

  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue);
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) noexcept;
  usm_kind kind() const noexcept { return upstream_.kind(); }

  /// By address.
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
