// Copies and fills of views. These functions order nothing: the elements that they read and write
// must be finished, and they wait for the commands that they submit. Callers that have arrays call
// copy/copy.hpp, which orders itself. Not installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "copy/plan.hpp"
#include "memory/pending_work.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1::internal {

/// These do as the functions for arrays, with views. A view of kind `unknown` is ordinary host
/// memory.
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

/// Sets every byte of a buffer. This function orders itself, as those for arrays do: it waits for
/// all work on the bytes, and until they are set.
USMX_API void fill_bytes(buffer&, std::byte value);

/// The first byte of ordinary host memory, and the owner that keeps the memory.
struct host_memory {
  std::byte* first;
  std::shared_ptr<const void> owner;
};

/// Start to copy all bytes of a C-contiguous array on a queue of the array's context, after the
/// pending work on both sides and after these events, and do not wait (but see usmx::copy_async).
/// usmx records the copy on both sides, and keeps them until it is complete. Throws value_error for
/// a queue of another context, read_only_error.
USMX_API sycl::event memcpy_async(const sycl::queue&, const array& destination,
                                  const host_memory& source, std::span<const sycl::event> after);
/// Returns nothing, and starts nothing, where no command can make the copy: for example, if the
/// bytes overlap.
USMX_API std::optional<sycl::event> memcpy_async(const sycl::queue&, const array& destination,
                                                 const array& source,
                                                 std::span<const sycl::event> after);
USMX_API sycl::event memcpy_async(const sycl::queue&, const host_memory& destination,
                                  const array& source, std::span<const sycl::event> after);

/// Starts to set every element, at least one, by a command of a queue of the array's context, under
/// the rules of memcpy_async. Returns none, with nothing started, if no kernel can make the fill.
USMX_API std::optional<sycl::event> fill_async(const sycl::queue&, const array& destination,
                                               const std::byte* element,
                                               std::span<const sycl::event> after);

/// Copies for a call whose result is the destination, in the order of all work. Waits only where
/// the host reaches the destination, or no command can do it.
USMX_API void copy_for_call(const array& source, const array& destination);

/// Copies between two positions in ordinary host memory, after the pending work on both. Waits.
USMX_API void memcpy_on_host(std::byte* destination, const std::byte* source, std::size_t nbytes);

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// Does as copy_async, but no other code overtakes the copy: for a copy that is a part of a call,
/// and of which few ask for the event.
pending_event copy_in_order(const array& source, const array& destination);

/// Throws as copy() does on unequal shapes, structured types that differ and a read-only
/// destination, and on host memory that has no address or another number of strides.
void require_copyable(const array_view& source, const array_view& destination);
void require_copyable(const host_array& source, const array_view& destination);
void require_copyable(const array_view& source, const host_array& destination);

/// Throws as fill() does on a read-only destination and on a null element.
void require_fillable(const array_view& destination, const std::byte* element);

/// Throws value_error for a view of USM, for which `function` takes an array, and for elements
/// without an address.
void require_host_memory(std::string_view function, const array_view&);

inline bool touched_by_host(const array_view& view) {
  return host_may_touch(view.kind(), view.device());
}

/// Throws read_only_error, which calls the view `what`, for a read-only view.
void require_writable(const array_view&, std::string_view what);
inline constexpr std::string_view destination_of_copies = "destination of a copy";

/// The memory of one side of a copy, and the queue on which usmx works on it.
struct side_memory {
  const std::byte* first;
  usm_kind kind;
  const sycl::queue& queue;
};

/// The queue, one of the two, whose kernels reach both sides and copy the fastest; null if neither
/// reaches both.
const sycl::queue* queue_for_kernels(const copy_plan&, const side_memory& source,
                                     const side_memory& destination);

/// Lets a memcpy between the memory of two devices go directly, if the devices can be peers: else
/// CUDA sends it through the host's memory, at a tenth of the speed.
void allow_direct_copy(const side_memory& source, const side_memory& destination);

/// The position and layout of compact memory on the way between two devices whose kernels do not
/// reach both sides. The memory has the order of the destination's elements: the source's kernels
/// pack the elements, one run of bytes goes to the other device, and the destination's kernels
/// unpack it where that is needed.
struct halfway {
  layout order;
  bool is_packed;  ///< The source has that order already: the memory is to be the destination's.
};
halfway halfway_of(std::span<const std::ptrdiff_t> shape, const copy_end& source,
                   const copy_end& destination);

inline copy_end end_of(const array_view& view) {
  return {view.data(), view.type(), view.strides(),
          static_cast<std::ptrdiff_t>(view.type().itemsize())};
}
inline copy_end end_of(const host_array& host) {
  return {host.data, host.type, host.strides_bytes, 1};
}

}  // namespace usmx::inline v1::detail
