#include "objects/held_array.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "elements/dtype_argument.hpp"
#include "elements/element.hpp"

namespace usmx::bindings {
namespace {

/// Not a subclass, which may be a producer. The name of a type made in C has the module in front.
bool is_numpy_array(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 &&
         std::strcmp(type->tp_name, "numpy.ndarray") == 0;
}

std::optional<layout> layout_of(const Py_buffer& host) {
  const auto axes = static_cast<std::size_t>(host.ndim);
  return layout::strided_in_bytes({host.shape, axes}, {host.strides, axes},
                                  static_cast<std::size_t>(host.itemsize));
}

layout whole_layout_of(const Py_buffer& host) {
  auto where = layout_of(host);
  if (!where) {
    throw value_error("the strides of a NumPy array must be whole numbers of elements");
  }
  return *std::move(where);
}

}  // namespace

held_array::held_array(std::unique_ptr<held_buffer> buffer, dtype type, layout where,
                       const sycl::queue& queue)
    : buffer_(std::move(buffer)),
      view_(buffer_->data(), type, std::move(where), usm_kind::unknown, queue, true) {}

std::unique_ptr<held_array> held_array::of(const nb::object& numpy_array,
                                           const sycl::queue& queue) {
  auto buffer = std::make_unique<held_buffer>(numpy_array, PyBUF_STRIDED_RO);
  const dtype type = dtype_argument(nb::object(numpy_array.attr("dtype")));
  layout where = whole_layout_of(buffer->view());
  return std::unique_ptr<held_array>(
      new held_array(std::move(buffer), type, std::move(where), queue));
}

std::unique_ptr<held_array> held_array::of_plain(PyObject* object, const sycl::queue& queue) {
  if (!is_numpy_array(object)) {
    return nullptr;
  }
  try {
    auto buffer = std::make_unique<held_buffer>(object, PyBUF_RECORDS_RO);
    const std::optional<dtype> type = plain_type(buffer->view());
    auto where = type ? layout_of(buffer->view()) : std::nullopt;
    if (!where) {
      return nullptr;
    }
    return std::unique_ptr<held_array>(
        new held_array(std::move(buffer), *type, *std::move(where), queue));
  } catch (const nb::python_error&) {
    return nullptr;  // NumPy's dates, for one, have no buffer
  }
}

}  // namespace usmx::bindings
