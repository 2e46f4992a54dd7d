#include "held_array.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "dtype_argument.hpp"
#include "element.hpp"

namespace usmx::bindings {
namespace {

/// Not a subclass, which may be a producer. The name of a type made in C has the module in front.
bool is_numpy_array(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 &&
         std::strcmp(type->tp_name, "numpy.ndarray") == 0;
}

bool has_whole_strides(const Py_buffer& host) {
  return std::ranges::all_of(std::span(host.strides, static_cast<std::size_t>(host.ndim)),
                             [&](Py_ssize_t stride) { return stride % host.itemsize == 0; });
}

array_view view_of(const Py_buffer& host, dtype type, const sycl::queue& queue) {
  const auto axes = static_cast<std::size_t>(host.ndim);
  std::vector<std::ptrdiff_t> strides(host.strides, host.strides + axes);
  for (std::ptrdiff_t& stride : strides) {
    stride /= host.itemsize;
  }
  return {host.buf,          type,  layout::strided({host.shape, axes}, strides),
          usm_kind::unknown, queue, true};
}

}  // namespace

held_array::held_array(std::unique_ptr<held_buffer> buffer, dtype type, const sycl::queue& queue)
    : buffer_(std::move(buffer)), view_(view_of(buffer_->view(), type, queue)) {}

held_array::held_array(const nb::object& numpy_array, const sycl::queue& queue)
    : held_array(std::make_unique<held_buffer>(numpy_array, PyBUF_STRIDED_RO),
                 dtype_argument(nb::object(numpy_array.attr("dtype"))), queue) {}

std::unique_ptr<held_array> held_array::of_plain(PyObject* object, const sycl::queue& queue) {
  if (!is_numpy_array(object)) {
    return nullptr;
  }
  try {
    auto buffer = std::make_unique<held_buffer>(object, PyBUF_RECORDS_RO);
    const std::optional<dtype> type = plain_type(buffer->view());
    if (!type || !has_whole_strides(buffer->view())) {
      return nullptr;
    }
    return std::unique_ptr<held_array>(new held_array(std::move(buffer), *type, queue));
  } catch (const nb::python_error&) {
    return nullptr;  // NumPy's dates, for one, have no buffer
  }
}

}  // namespace usmx::bindings
