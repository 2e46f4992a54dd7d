// What usmx itself has allocated: base, size, kind and context of every live block, so that its own
// pointers are vouched for without a call to the runtime. Thread-safe; addresses are never read
// through. Foreign memory is unknown here: usm.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <sycl/context.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/allocation_info.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

class buffer;

/// A live block of usmx's own.
struct registered_block {
  std::byte* base;
  std::size_t nbytes;
  usm_kind kind;
  sycl::context context;
  /// Who keeps it alive, where that is known.
  std::weak_ptr<buffer> owner{};
};

namespace internal::registry {

/// Enters a block that was just allocated: nbytes > 0. Live blocks never overlap.
USMX_API void add(registered_block block);
/// Takes out the block that starts at `base`, before its memory returns to the runtime.
USMX_API void remove(const std::byte* base) noexcept;
/// The live block that holds the byte at `pointer`; the byte one past the end of a block is not
/// its.
USMX_API std::optional<registered_block> find(const void* pointer);
/// Number of live blocks.
USMX_API std::size_t size() noexcept;
/// Bytes of all live blocks.
USMX_API std::size_t nbytes() noexcept;

/// The live block that holds the byte, as the context sees it: a context knows no memory of
/// others. A copy of the block's context is left out: all threads would write to its count.
std::optional<allocation_info> find(const void* pointer, const sycl::context&);
/// Who keeps the live block that holds the byte alive, where that is known.
std::shared_ptr<buffer> owner_of(const void* pointer);

}  // namespace internal::registry

namespace registry = internal::registry;

}  // namespace usmx::inline v1
