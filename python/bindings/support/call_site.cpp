#include "support/call_site.hpp"

#include <Python.h>

#include <string_view>

#include "support/interpreter_lock.hpp"
#include "support/nanobind.hpp"
#include "usmx/memory/resources/tracking.hpp"

namespace usmx::bindings {
namespace {

thread_local const std::string* noted = nullptr;

interned module_name("__name__");

nb::object code_of(PyFrameObject* frame) {
  return checked(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
}

/// Its globals name the module.
bool is_of_usmx(PyFrameObject* frame) {
  const nb::object globals = checked(PyFrame_GetGlobals(frame));
  const nb::object name = optional_item(globals.ptr(), module_name.get());
  if (!name.is_valid() || !PyUnicode_Check(name.ptr())) {
    return false;
  }
  const std::string_view text(nb::borrow<nb::str>(name).c_str());
  return text == "usmx" || text.starts_with("usmx.");
}

/// The innermost Python frame on this thread that is not usmx's.
struct outer_frame {
  nb::object frame;      // null where all frames are usmx's, or there is none
  Py_ssize_t level = 1;  // as warnings count: 1 is the innermost frame

  outer_frame() : frame(nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()))) {
    while (frame.is_valid() && is_of_usmx(get())) {
      frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(get())));  // null at the end
      ++level;
    }
  }
  PyFrameObject* get() const { return reinterpret_cast<PyFrameObject*>(frame.ptr()); }
};

std::string place_of(PyFrameObject* frame) {
  const nb::object code = code_of(frame);
  const std::string file = nb::cast<std::string>(code.attr("co_filename"));
  const std::string function = nb::cast<std::string>(code.attr("co_name"));
  return file + ":" + std::to_string(PyFrame_GetLineNumber(frame)) + " in " + function;
}

}  // namespace

noted_call_site::noted_call_site() : outer_(noted) {
  if (detail::call_sites_are_wanted() && has_interpreter_lock()) {
    site_ = python_call_site();
    noted = &site_;
  }
}

noted_call_site::~noted_call_site() { noted = outer_; }

// Never takes the lock: whoever allocates may hold another one.
std::string python_call_site() {
  if (Py_IsInitialized() == 0 || !has_interpreter_lock()) {
    return noted != nullptr ? *noted : "native code";
  }
  const outer_frame outer;
  return outer.frame.is_valid() ? place_of(outer.get()) : "native code";
}

void warn_at_call_site(PyObject* category, const char* text) {
  if (PyErr_WarnEx(category, text, outer_frame().level) != 0) {
    nb::raise_python_error();
  }
}

}  // namespace usmx::bindings
