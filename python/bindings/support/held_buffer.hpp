// Another object's PEP 3118 buffer, which is released with the holder.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

class held_buffer {
 public:
  /// Throws Python's error if the object has no such buffer.
  held_buffer(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
      nb::raise_python_error();
    }
  }
  /// The same, with the other flags if it has none with the first.
  held_buffer(nb::handle object, int flags, int other_flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
      PyErr_Clear();
      if (PyObject_GetBuffer(object.ptr(), &view_, other_flags) != 0) {
        nb::raise_python_error();
      }
    }
  }
  held_buffer(const held_buffer&) = delete;
  held_buffer& operator=(const held_buffer&) = delete;
  ~held_buffer() { PyBuffer_Release(&view_); }

  const Py_buffer& view() const noexcept { return view_; }
  void* data() const noexcept { return view_.buf; }
  /// The number of bytes; 0 for a broken exporter's negative length.
  std::size_t nbytes() const noexcept {
    return view_.len < 0 ? 0 : static_cast<std::size_t>(view_.len);
  }

 private:
  Py_buffer view_;
};

}  // namespace usmx::bindings
