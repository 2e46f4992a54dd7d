// What usmx itself has allocated: base, size, kind and context of every live block, so that its own
// pointers are checked without a call of the runtime. Thread-safe. Pointers are never dereferenced.
// Foreign memory is unknown here: usm.hpp.
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
  /// The buffer that keeps it alive, if that is known.
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
/// Number of live blocks.
USMX_API std::size_t size() noexcept;
/// Bytes of all live blocks.
USMX_API std::size_t nbytes() noexcept;

/// The live block that contains the byte, as the context sees it: a context does not know the
/// memory of other contexts. The result has no copy of the block's context, because all threads
/// would write to its reference count.
std::optional<allocation_info> find(const void* pointer, const sycl::context&);
/// The buffer that keeps the live block with this byte alive, if that is known.
std::shared_ptr<buffer> owner_of(const void* pointer);

}  // namespace internal::registry

namespace registry = internal::registry;

}  // namespace usmx::inline v1
