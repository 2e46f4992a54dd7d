// Staging: host memory for elements on their way to or from memory that the host or the device
// cannot reach in place. Only this file decides what memory that is. Private to the library.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// Elements in C order without gaps, in memory that the host may touch.
class staging {
 public:
  /// Memory for elements. The queue is the view's, and may be used for copies to and from this
  /// memory.
  staging(std::span<const std::ptrdiff_t> shape, dtype type, const sycl::queue& queue);
  /// Memory for the elements of an array.
  explicit staging(const array_view& like) : staging(like.shape(), like.type(), like.queue()) {}
  /// The elements of a view, which must be finished. Waits for the copy.
  static staging fetched(const array_view& source);

  const array_view& view() const noexcept { return view_; }

 private:
  staging(layout&& where, dtype type, const sycl::queue& queue);

  std::unique_ptr<std::byte[]> bytes_;
  array_view view_;
};

/// Memory for elements that the host writes and that commands of the queue read. It lives until
/// they have read it. None if the queue's device has no memory of that kind.
std::optional<array> staging_for_commands(layout where, dtype type, const sycl::queue& queue);

}  // namespace usmx::inline v1::detail
