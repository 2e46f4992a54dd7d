// Staging: host memory for elements on their way to or from memory that the host or the device
// cannot reach in place, or not in their type. Only this file decides what memory that is. Not
// installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::internal {

/// Elements in C order without gaps, in memory that the host may touch.
class USMX_API staging {
 public:
  /// Memory for elements. The queue is the view's, and may be used for copies to and from this
  /// memory.
  staging(std::span<const std::ptrdiff_t> shape, dtype type, const sycl::queue& queue);
  /// Memory for the elements of an array.
  explicit staging(const array_view& like) : staging(like.shape(), like.type(), like.queue()) {}
  /// The elements of a view, which must be finished. Waits for the copy.
  static staging fetched(const array_view& source) { return fetched(source, source.type()); }
  /// The same, converted to a type.
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

/// Memory for elements that the host writes and that commands of the queue read. It lives until
/// they have read it. None if the queue's device has no memory of that kind.
std::optional<array> staging_for_commands(layout where, dtype type, const sycl::queue& queue);

}  // namespace usmx::inline v1::detail
