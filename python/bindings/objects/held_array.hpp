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
  /// The elements have a type that usmx has and lie whole elements apart (value_error), at any
  /// alignment: the hooks host_index and host_value see to it. `queue` is what a view must have one
  /// of.
  static std::unique_ptr<held_array> of(const nb::object& numpy_array, const sycl::queue& queue);

  /// The same of an object of which nothing is known, without asking Python: null when it is not
  /// exactly a NumPy array, or not such a one of plain elements.
  static std::unique_ptr<held_array> of_plain(PyObject* object, const sycl::queue& queue);

  const array_view& view() const noexcept { return view_; }

 private:
  held_array(std::unique_ptr<held_buffer> buffer, dtype type, layout where,
             const sycl::queue& queue);

  std::unique_ptr<held_buffer> buffer_;
  array_view view_;
};

}  // namespace usmx::bindings
