// Copies by commands of the queue, in pieces and through pooled host memory. Private to the
// library.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "copy/plan.hpp"
#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime/usm_kind.hpp"

// Staging: host memory for elements on their way to or from memory that the host or the device
// cannot reach in place, or not in their type. Only this file decides what memory that is.

namespace usmx::inline v1::internal {

/// Compact elements in C order, in memory that the host may touch.
class USMX_API staging {
 public:
  /// Memory for elements. The queue is the view's, and may be used for copies to and from this
  /// memory.
  staging(std::span<const std::ptrdiff_t> shape, dtype type, const sycl::queue& queue);
  explicit staging(const array_view& like) : staging(like.shape(), like.type(), like.queue()) {}
  /// The elements of a view, which must be finished. Waits for the copy.
  static staging fetched(const array_view& source) { return fetched(source, source.type()); }
  /// The elements of a view, which must be finished, converted to a type. Waits for the copy.
  static staging fetched(const array_view& source, dtype type);
  /// The elements of an array, after the work on it, converted to a type. Waits.
  static staging fetched(const array& source, dtype type);

  const array_view& view() const noexcept { return view_; }

 private:
  staging(layout&& where, dtype type, const sycl::queue& queue);

  std::unique_ptr<std::byte[]> bytes_;
  array_view view_;
};

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// Memory for elements that the host writes and commands of the queue read. It lives until they
/// have read it. None if the queue's device has no memory of that kind.
std::optional<array> staging_for_commands(layout where, dtype type, const sycl::queue& queue);

/// Submits one memcpy after the events, with the queue locked. Does not wait.
sycl::event start_memcpy(std::byte* destination, const std::byte* source, std::size_t nbytes,
                         sycl::queue queue, const std::vector<sycl::event>& before = {});

/// The number of bytes that each command of copy_by_queue moves.
std::size_t command_nbytes(const copy_plan& plan, const sycl::queue& queue);

/// Copies each row by a memcpy, or many rows at equal distances by one command if the driver has
/// such a command; items that are not adjacent are rows of one item. Converts nothing. Waits.
void copy_by_queue(const copy_plan& plan, sycl::queue queue);

/// Whether the driver fills such items, aligned ones in USM, as fast as the memory can be written.
bool has_fast_fill(const std::byte* destination, usm_kind kind, std::size_t itemsize,
                   const sycl::queue&);

/// Sets `count` adjacent items to the one at `item`, which is in host memory. Waits.
void fill_by_queue(std::byte* destination, usm_kind kind, const std::byte* item,
                   std::size_t itemsize, std::size_t count, sycl::queue queue);

// Staging in pieces: copies bytes between ordinary host memory and a device with memory of
// its own. The driver copies ordinary memory at a quarter of the speed of memory of kind `host`, so
// the bytes go through some pieces of such memory: the host works on one while the device works on
// the others.

// Both wait. They return false, with nothing done, if there is no memory of kind `host`.

bool upload_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                      const sycl::queue&);
bool download_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                        const sycl::queue&);

}  // namespace usmx::inline v1::detail
