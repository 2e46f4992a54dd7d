// A NumPy array's elements, kept as long as the holder lives.
#pragma once

#include <memory>

#include <sycl/queue.hpp>

#include "held_buffer.hpp"
#include "support.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::bindings {

class held_array {
 public:
  /// The elements have a type that usmx has and lie whole elements apart, at any alignment
  /// (usmx._container.indexing.with_whole_strides). `queue` is what a view must have one of.
  held_array(const nb::object& numpy_array, const sycl::queue& queue);

  /// The same of an object of which nothing is known, without asking Python: null when it is not
  /// exactly a NumPy array, or not such a one of plain elements.
  static std::unique_ptr<held_array> of_plain(PyObject* object, const sycl::queue& queue);

  const array_view& view() const noexcept { return view_; }

 private:
  held_array(std::unique_ptr<held_buffer> buffer, dtype type, const sycl::queue& queue);

  std::unique_ptr<held_buffer> buffer_;
  array_view view_;
};

}  // namespace usmx::bindings
