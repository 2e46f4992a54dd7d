#include "objects/array.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

#include "elements/element.hpp"
#include "objects/waiting.hpp"

namespace usmx::bindings {
namespace {

/// Whether an object is exactly a NumPy array, and not of a subclass, which may be a producer. The
/// name of a type made in C has the module in front.
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

bool is_asked_by_as_strided() {
  PyFrameObject* const frame = PyEval_GetFrame();
  if (frame == nullptr) {
    return false;
  }
  const nb::object code = checked(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  PyObject* const function = reinterpret_cast<PyCodeObject*>(code.ptr())->co_name;
  if (PyUnicode_CompareWithASCIIString(function, "as_strided") != 0) {
    return false;
  }
  const nb::object globals = checked(PyFrame_GetGlobals(frame));
  const nb::object module = nb::borrow(PyDict_GetItemString(globals.ptr(), "__name__"));
  return nb::isinstance<nb::str>(module) &&
         nb::cast<std::string_view>(module).starts_with("numpy.lib.");
}

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

namespace {

/// The state that must live as long as the Py_buffer: shape, strides in bytes, and the host's view
/// of the memory.
struct exported_view {
  explicit exported_view(const array& exported) { consumer.works_on(dlpack::host, exported); }

  std::array<Py_ssize_t, max_ndim> shape;
  std::array<Py_ssize_t, max_ndim> strides;
  internal::consumer consumer;
};

bool asks(int flags, int for_what) noexcept { return (flags & for_what) == for_what; }

/// Sets the strides in bytes. Some consumers index a contiguous buffer by them also along axes of
/// one element, where those of the array say nothing. So a contiguous buffer has the strides of its
/// order, in Fortran's if it was asked for, as NumPy's has.
void set_strides(exported_view& memory, const array& exported, int flags) noexcept {
  const auto itemsize = static_cast<Py_ssize_t>(exported.type().itemsize());
  const auto axes = static_cast<std::size_t>(exported.ndim());
  const bool is_c = exported.layout().is_c_contiguous();
  const bool is_f =
      exported.layout().is_f_contiguous() && (!is_c || asks(flags, PyBUF_F_CONTIGUOUS));
  Py_ssize_t next = itemsize;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t axis = is_f ? k : axes - 1 - k;
    // The strides that can leave 64 bits mean nothing: those of no elements, or of an axis of one.
    if (is_c || is_f) {
      memory.strides[axis] = next;
      if (__builtin_mul_overflow(next, memory.shape[axis], &next)) {
        next = 0;
      }
    } else if (__builtin_mul_overflow(exported.strides()[axis], itemsize, &memory.strides[axis])) {
      memory.strides[axis] = 0;
    }
  }
}

/// The reason why the request cannot be met; empty when it can.
std::string objection(const array& exported, int flags) {
  if (!internal::host_may_view(exported)) {
    return detail::message("device memory has no buffer for the host: ", ways_to_host);
  }
  if (is_asked_by_as_strided()) {
    return not_for_as_strided;
  }
  if (asks(flags, PyBUF_WRITABLE) && exported.readonly()) {
    return "a writable buffer was asked for, but the memory is read-only";
  }
  if (asks(flags, PyBUF_FORMAT) && exported.type().format() == nullptr) {
    return "the format of a buffer cannot have a field's name with ':' or a null character";
  }
  const bool c = exported.layout().is_c_contiguous();
  const bool f = exported.layout().is_f_contiguous();
  if (asks(flags, PyBUF_C_CONTIGUOUS) && !c) {
    return "a C-contiguous buffer was asked for, but the array is not C-contiguous";
  }
  if (asks(flags, PyBUF_F_CONTIGUOUS) && !f) {
    return "a Fortran-contiguous buffer was asked for, but the array is not Fortran-contiguous";
  }
  if (asks(flags, PyBUF_ANY_CONTIGUOUS) && !c && !f) {
    return "a contiguous buffer was asked for, but the array is not contiguous";
  }
  if (!asks(flags, PyBUF_STRIDES) && !c) {
    return "a buffer without strides was asked for, but the array is not C-contiguous";
  }
  return {};
}

}  // namespace

std::string why_no_buffer(const array& exported) { return objection(exported, PyBUF_FULL_RO); }

int get_buffer(PyObject* owner, const array& exported, Py_buffer* view, int flags) {
  view->obj = nullptr;
  if (const std::string reason = objection(exported, flags); !reason.empty()) {
    PyErr_Format(PyExc_BufferError, "%s: %s", type_name(owner).c_str(), reason.c_str());
    return -1;
  }
  auto memory = std::make_unique<exported_view>(exported);  // before it waits: see submission.cpp
  wait_for(exported);
  std::ranges::copy(exported.shape(), memory->shape.begin());
  set_strides(*memory, exported, flags);
  view->buf = internal::first_element(exported);
  view->len = static_cast<Py_ssize_t>(exported.nbytes());
  view->itemsize = static_cast<Py_ssize_t>(exported.type().itemsize());
  view->readonly = exported.readonly() ? 1 : 0;
  view->format = asks(flags, PyBUF_FORMAT) ? const_cast<char*>(exported.type().format()) : nullptr;
  // A consumer that does not ask for PyBUF_ND asks for no axes: there are none then, as in NumPy's
  // buffers. CPython reads the extents of two axes or more wherever a buffer says that it has them.
  view->ndim = asks(flags, PyBUF_ND) ? exported.ndim() : 0;
  const bool has_axes = view->ndim > 0;  // else PEP 3118 wants null pointers
  view->shape = has_axes ? memory->shape.data() : nullptr;
  view->strides = has_axes && asks(flags, PyBUF_STRIDES) ? memory->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = memory.release();
  Py_INCREF(owner);
  view->obj = owner;
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) noexcept {
  delete static_cast<exported_view*>(view->internal);
}

}  // namespace usmx::bindings
