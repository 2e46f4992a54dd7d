// A NumPy array's elements, kept as long as the holder lives.
#pragma once

#include <vector>

#include <sycl/queue.hpp>

#include "dtype_argument.hpp"
#include "held_buffer.hpp"
#include "support.hpp"
#include "usmx/array_view.hpp"

namespace usmx::bindings {

class held_array {
 public:
  /// The elements have a type that usmx has and lie whole elements apart, at any alignment
  /// (usmx._indexing.with_whole_strides). `queue` is what a view must have one of.
  held_array(const nb::object& numpy_array, const sycl::queue& queue)
      : buffer_(numpy_array, PyBUF_STRIDED_RO),
        view_(view_of(buffer_.view(), dtype_argument(nb::object(numpy_array.attr("dtype"))),
                      queue)) {}

  const array_view& view() const noexcept { return view_; }

 private:
  static array_view view_of(const Py_buffer& host, dtype type, const sycl::queue& queue) {
    const auto axes = static_cast<std::size_t>(host.ndim);
    std::vector<std::ptrdiff_t> strides(host.strides, host.strides + axes);
    for (std::ptrdiff_t& stride : strides) {
      stride /= host.itemsize;
    }
    return {host.buf,          type,  layout::strided({host.shape, axes}, strides),
            usm_kind::unknown, queue, true};
  }

  held_buffer buffer_;
  array_view view_;
};

}  // namespace usmx::bindings
