// Copies and fills of views. These order nothing: what they read and write must be finished, and
// they wait for what they submit themselves. Whoever has arrays calls copy/copy.hpp, which orders
// itself. Not installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1::internal {

/// As the functions for arrays. A view of kind `unknown` is ordinary host memory.
USMX_API void copy_elements(const array_view& source, const array_view& destination,
                            copy_path path = copy_path::automatic);
USMX_API void copy_elements(const host_array& source, const array_view& destination);
USMX_API void copy_elements(const array_view& source, const host_array& destination);
USMX_API void fill_elements(const array_view& destination, const std::byte* element,
                            copy_path path = copy_path::automatic);

/// Whether copies convert from one type to the other: structured elements are not converted.
constexpr bool is_convertible(dtype from, dtype to) noexcept {
  return from == to || !(from.is_structured() || to.is_structured());
}

/// Sets every byte of a buffer. This one orders itself, as those for arrays do: it waits for all
/// work on the bytes, and until they are set.
USMX_API void fill_bytes(buffer&, std::byte value);

/// The first byte of ordinary host memory, and what keeps it.
struct host_memory {
  std::byte* first;
  std::shared_ptr<const void> owner;
};

/// Start to copy all bytes of a C-contiguous array on a queue of the array's context, after the
/// pending work on both sides and after these events, and do not wait (but see copy_async.hpp).
/// usmx records the copy on both sides, and keeps them until it is complete. Throws value_error for
/// a queue of another context, read_only_error.
USMX_API sycl::event memcpy_async(const sycl::queue&, const array& destination,
                                  const host_memory& source, std::span<const sycl::event> after);
/// None, and nothing started, where no command can do it: the bytes overlap, for instance.
USMX_API std::optional<sycl::event> memcpy_async(const sycl::queue&, const array& destination,
                                                 const array& source,
                                                 std::span<const sycl::event> after);
USMX_API sycl::event memcpy_async(const sycl::queue&, const host_memory& destination,
                                  const array& source, std::span<const sycl::event> after);

/// Starts to set every element, of which there is at least one, by a command of a queue of the
/// array's context, under the same rules. None, with nothing started, if no kernel can do it.
USMX_API std::optional<sycl::event> fill_async(const sycl::queue&, const array& destination,
                                               const std::byte* element,
                                               std::span<const sycl::event> after);

/// Copies between two places in ordinary host memory, after the pending work on both. Waits.
USMX_API void memcpy_on_host(std::byte* destination, const std::byte* source, std::size_t nbytes);

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// As copy_async, but nobody overtakes the copy: for a part of a call.
sycl::event copy_in_order(const array& source, const array& destination);

}  // namespace usmx::inline v1::detail
