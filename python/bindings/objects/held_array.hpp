// A NumPy array's elements, kept as long as the holder lives.
#pragma once

#include <memory>

#include <sycl/queue.hpp>

#include "support/held_buffer.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::bindings {

class held_array {
 public:
  /// The elements must have a type that usmx has, and strides of whole elements (value_error); any
  /// alignment will do. The hooks host_index and host_value ensure that. `queue` is there because a
  /// view must have one.
  static std::unique_ptr<held_array> of(const nb::object& numpy_array, const sycl::queue& queue);

  /// The same for any object, without a call of Python. Null if it is not exactly a NumPy array, or
  /// not one of such plain elements.
  static std::unique_ptr<held_array> of_plain(PyObject* object, const sycl::queue& queue);

  const array_view& view() const noexcept { return view_; }

 private:
  held_array(std::unique_ptr<held_buffer> buffer, dtype type, layout where,
             const sycl::queue& queue);

  std::unique_ptr<held_buffer> buffer_;
  array_view view_;
};

}  // namespace usmx::bindings
