// The registry of usmx's own memory: base, size, kind and context of every live block, so that its
// own pointers are checked without a call of the runtime; and the ranges of memory that pools have
// from the runtime. Thread-safe. Pointers are never dereferenced. Foreign memory is not registered:
// usm.hpp asks the runtime about it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <sycl/context.hpp>

#include "runtime/contexts.hpp"
#include "usmx/base/api.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

class buffer;

/// A live block of memory that usmx allocated.
struct registered_block {
  std::byte* base;
  std::size_t nbytes;
  usm_kind kind;
  sycl::context context;
  /// The buffer that keeps the block alive, if that is known.
  std::weak_ptr<buffer> owner{};
};

namespace internal::registry {

/// Adds a block that was just allocated, with nbytes > 0. Live blocks never overlap.
USMX_API void add(registered_block block);
/// Removes the block that starts at `base` and was added with so many bytes, before its memory
/// returns to the runtime.
USMX_API void remove(const std::byte* base, std::size_t nbytes) noexcept;
/// The live block that contains the byte at `pointer`. The byte after the last one does not belong
/// to a block.
USMX_API std::optional<registered_block> find(const void* pointer);
USMX_API std::size_t size() noexcept;
USMX_API std::size_t nbytes() noexcept;

/// The live block that contains the byte, as the context sees it: a context does not know the
/// memory of other contexts. The result has no copy of the block's context, because all threads
/// would write to its reference count. Sets `owner`, unless it is null, to the buffer that keeps
/// the block alive, if that is known.
std::optional<allocation_info> find(const void* pointer, const sycl::context&,
                                    std::shared_ptr<buffer>* owner = nullptr);

}  // namespace internal::registry

namespace registry = internal::registry;

}  // namespace usmx::inline v1

// The ranges of memory that pools have from the runtime. A byte in such a range that is in no live
// block belongs to nobody, although the driver knows it as memory.

namespace usmx::inline v1::detail::pooled_ranges {

/// Adds a range. The caller has handed out no block of it yet. May throw bad_alloc.
void add(const std::byte* first, std::size_t nbytes);
/// Removes a range, before it returns to the runtime.
void remove(const std::byte* first) noexcept;
bool contains(const void* pointer) noexcept;

}  // namespace usmx::inline v1::detail::pooled_ranges

// A sequence lock: a reader that takes no lock detects that the data changed while it was reading.

namespace usmx::inline v1::detail {

/// Readers load the data with memory_order_acquire, and read again if it changed:
///
///   const auto before = changes.now();
///   ...
///   if (changes.none_since(before)) { it was so at one moment }
class change_counter {
 public:
  std::uint64_t now() const noexcept { return count_.load(std::memory_order_acquire); }
  bool none_since(std::uint64_t before) const noexcept {
    return before % 2 == 0 && now() == before;
  }

  /// A change lasts as long as this object. There is one at a time. During it, the data is stored
  /// with memory_order_release, so a reader that sees any of it sees that the count is odd or has
  /// grown.
  class change {
   public:
    explicit change(change_counter& counter) noexcept : counter_(counter) { counter_.advance(); }
    ~change() { counter_.advance(); }
    change(const change&) = delete;
    change& operator=(const change&) = delete;

   private:
    change_counter& counter_;
  };

 private:
  void advance() noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::atomic<std::uint64_t> count_ = 0;  // odd during a change
};

/// Does as usmx::query_allocation, for a pointer that is not null.
allocation_info query_allocation(const void* pointer, const context_state&);
/// The kind of an array without elements, whose pointer may be any: the kind that was found at the
/// pointer, or device.
constexpr usm_kind kind_without_elements(usm_kind found) noexcept {
  return found == usm_kind::unknown ? usm_kind::device : found;
}

struct checked_memory {
  usm_kind kind;
  /// The buffer that keeps the memory alive, if it is usmx's own.
  std::shared_ptr<buffer> own;
};

/// Does as usmx::check_access.
checked_memory check_access(const void* pointer, std::size_t nbytes, const context_state&);

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

/// Makes every device count as one whose memory is apart from the host's, so that tests can run the
/// code for such devices on a machine without one.
USMX_API void count_all_devices_as_remote(bool on) noexcept;

/// The memory of which the host gets views, for instance as NumPy arrays.
enum class host_access : std::uint8_t {
  reached,  ///< All memory that it reaches: what the device's driver says decides.
  strict    ///< Shared and host memory, which it reaches on every device.
};

/// Sets the host's access for the process, and returns the previous one: at first
/// `USMX_HOST_ACCESS`, or `reached`.
USMX_API host_access set_host_access(host_access);

/// Whether the host gets views of memory of that kind and device.
USMX_API bool host_may_view(usm_kind, const sycl::device&);

}  // namespace usmx::inline v1::internal
