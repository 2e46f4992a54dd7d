// A copy, in ordinary memory, of elements that the host cannot read in place, or not in their type.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "internals.hpp"
#include "usmx/array/array.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::bindings {

/// The copy is in C order, and converted to an element type. To be made without the interpreter
/// lock.
class host_copy {
 public:
  /// Of an array, after the work on it. Waits.
  host_copy(const array& source, dtype type) : host_copy(source.shape(), type, source.memory()) {
    const layout in_bytes = view_.layout().scaled(static_cast<std::ptrdiff_t>(type.itemsize()));
    copy_to_host(source, {view_.origin(), type, view_.shape(), in_bytes.strides()});
  }
  /// Of ordinary host memory.
  host_copy(const array_view& source, dtype type)
      : memory_(bytes_for(source.shape(), type)),
        view_(memory_.get(), type, layout::c_order(source.shape()), usm_kind::unknown,
              source.queue(), false) {
    internal::copy_elements(source, view_);
  }

  const array_view& view() const noexcept { return view_; }

 private:
  host_copy(std::span<const std::ptrdiff_t> shape, dtype type, const buffer& on)
      : memory_(bytes_for(shape, type)),
        view_(memory_.get(), type, layout::c_order(shape), usm_kind::unknown,
              internal::private_queue(on), false) {}

  static std::unique_ptr<std::byte[]> bytes_for(std::span<const std::ptrdiff_t> shape, dtype type) {
    return std::make_unique_for_overwrite<std::byte[]>(
        checked_nbytes(layout::c_order(shape).size(), type));
  }

  std::unique_ptr<std::byte[]> memory_;
  array_view view_;
};

}  // namespace usmx::bindings
