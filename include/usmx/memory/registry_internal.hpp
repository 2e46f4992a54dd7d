// What usmx itself has allocated: base, size, kind and context of every live block, so that its own
// pointers are vouched for without a call to the runtime. Thread-safe; addresses are never read
// through. Foreign memory is unknown here: usm.hpp. Not installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <sycl/context.hpp>

#include "usmx/base/api.hpp"
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

namespace registry {

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

}  // namespace registry
}  // namespace usmx::inline v1
