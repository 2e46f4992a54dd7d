#include "support/errors.hpp"

#include <array>
#include <cstdio>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "support/interpreter_lock.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/c_arrays.hpp"
#include "usmx/memory/resources.hpp"

namespace usmx::bindings {
namespace {

// The references are borrowed for the life of the process: exceptions may be raised while the
// module is torn down.
PyObject* device_creation_error = PyExc_RuntimeError;
PyObject* allocation_error_class = PyExc_MemoryError;
PyObject* linalg_error_class = PyExc_ValueError;
std::array<PyObject*, 6> failure_classes;  // by failure

/// numpy.exceptions.AxisError, which NumPy's users catch; without NumPy one with the same bases.
nb::object new_axis_error_class() {
  try {
    return run_python([] { return nb::module_::import_("numpy.exceptions"); }).attr("AxisError");
  } catch (const nb::python_error&) {
    const nb::object bases =
        nb::make_tuple(nb::handle(PyExc_ValueError), nb::handle(PyExc_IndexError));
    return checked(PyErr_NewException("usmx.AxisError", bases.ptr(), nullptr));
  }
}

PyObject* axis_error_class() noexcept {
  static kept_object known;
  try {
    return known.get(new_axis_error_class);
  } catch (const std::exception&) {
    return PyExc_IndexError;  // no memory
  }
}

/// Python's class for an error code, as a borrowed reference.
PyObject* class_of(usmx_error code) noexcept {
  switch (code) {
    case USMX_VALUE_ERROR:
    case USMX_OVERFLOW_ERROR:
    case USMX_READ_ONLY_ERROR:
      return PyExc_ValueError;
    case USMX_TYPE_ERROR:
      return PyExc_TypeError;
    case USMX_INDEX_ERROR:
      return PyExc_IndexError;
    case USMX_AXIS_ERROR:
      return axis_error_class();
    case USMX_BUFFER_ERROR:
      return PyExc_BufferError;
    case USMX_ALLOCATION_ERROR:
      return allocation_error_class;
    case USMX_MEMORY_ERROR:
      return PyExc_MemoryError;
    case USMX_DEVICE_ERROR:
      return device_creation_error;
    default:
      return PyExc_RuntimeError;
  }
}

/// Whether an exception says that a wait was given up: the error that its check set is Python's
/// already.
bool is_interruption(const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const internal::interrupted_wait&) {
    return PyErr_Occurred() != nullptr;
  } catch (...) {
    return false;
  }
}

bool is_linalg_error(const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const linalg_error&) {
    return true;
  } catch (...) {
    return false;
  }
}

PyObject* new_class(nb::module_& m, const char* name, PyObject* base, const char* doc) {
  const std::string qualified = std::string("usmx.") + name;
  PyObject* created = PyErr_NewExceptionWithDoc(qualified.c_str(), doc, base, nullptr);
  if (created == nullptr) {
    nb::raise_python_error();
  }
  m.attr(name) = nb::handle(created);
  return created;
}

}  // namespace

void bind_errors(nb::module_& m) {
  // The error is a ValueError, too: a text that is no filter selector is a wrong value.
  const nb::object bases = checked(PyTuple_Pack(2, PyExc_RuntimeError, PyExc_ValueError));
  device_creation_error =
      new_class(m, "SyclDeviceCreationError", bases.ptr(),
                "No device matches what was asked for. The message says which devices there are.");
  failure_classes = {
      device_creation_error,
      new_class(m, "SyclSubDeviceCreationError", PyExc_RuntimeError,
                "The device cannot be divided as was asked for."),
      new_class(m, "SyclContextCreationError", device_creation_error,
                "No context can be made of what was given: no device matches, or the devices are "
                "of several platforms."),
      new_class(m, "SyclQueueCreationError", device_creation_error,
                "No queue can be made of what was given: no device matches, or the device is not "
                "in the context."),
      new_class(m, "SyclKernelInvalidRangeError", PyExc_ValueError,
                "The global or local size of a launch has no dimensions, or more than three."),
      new_class(m, "SyclKernelSubmitError", PyExc_RuntimeError,
                "The SYCL runtime refuses to launch a kernel, for example because it needs more "
                "local memory than the device has. The message has the runtime's text."),
  };
  allocation_error_class =
      new_class(m, "USMAllocationError", PyExc_MemoryError,
                "The memory cannot be allocated. The message says how many "
                "bytes of which kind on which device; if the driver has no memory for a "
                "command, it is the driver's. This is a MemoryError.");
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) {
    if (!translate_exception(exception)) {
      std::rethrow_exception(exception);
    }
  });
}

void set_linalg_error_class(nb::handle given) {
  if (PyExceptionClass_Check(given.ptr()) == 0) {
    throw type_error("_set_linalg_error: expected a class of exceptions");
  }
  linalg_error_class = nb::borrow(given).release().ptr();
}

void throw_failure(failure what, const char* text) {
  PyErr_SetString(failure_classes[static_cast<std::size_t>(what)], text);
  nb::raise_python_error();
}

void throw_failed_launch(std::string_view kernel, const sycl::exception& e) {
  if (exchange::to_c_error(std::current_exception()).code != USMX_SYCL_ERROR) {
    throw;
  }
  const std::string text =
      detail::message(kernel, ": the SYCL runtime refuses the launch, and reports: ", e.what());
  throw_failure(failure::kernel_submission, text.c_str());
}

void set_python_error(usmx_error code, const char* text) noexcept {
  const char* prefix = code == USMX_SYCL_ERROR ? "the SYCL runtime reports: " : "";
  PyObject* message = PyUnicode_FromFormat("%s%s", prefix, text);  // what is no UTF-8 is replaced
  if (message != nullptr) {
    PyErr_SetObject(class_of(code), message);
    Py_DECREF(message);
  }
}

bool translate_exception(const std::exception_ptr& exception) noexcept {
  if (exception == nullptr) {  // caught by `...`, but no exception: a thread that Python makes exit
    stop_this_thread();
  }
  if (is_interruption(exception)) {
    return true;
  }
  const auto [code, text] = exchange::to_c_error(exception);
  if (!exchange::is_own(code)) {
    return false;
  }
  if (is_linalg_error(exception)) {
    PyErr_SetString(linalg_error_class, text);
  } else {
    set_python_error(code, text);
  }
  return true;
}

void set_python_error() noexcept {
  try {
    if (translate_exception(std::current_exception())) {
      return;
    }
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "usmx: unknown C++ exception");
  }
}

namespace {

/// Warnings that wait for the main thread. Any thread gives them, with or without the interpreter
/// lock, for which it must not wait there.
class pending_warnings {
 public:
  /// Adds a warning. Returns false if there is no room: the main thread may be away for long.
  bool add(const char* text) noexcept {
    constexpr std::size_t most = 1000;
    const std::lock_guard lock(mutex_);
    if (texts_.size() == most) {
      return false;
    }
    try {
      texts_.emplace_back(text);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  std::vector<std::string> take() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// The object is never destroyed: warnings may come after main.
pending_warnings& pending() {
  static auto& all = *new pending_warnings;
  return all;
}

/// Logs the warnings. The interpreter calls this on its main thread. An exception of a user's
/// handler is not raised in the Python code that happens to run.
int log_pending(void*) noexcept {
  const std::vector<std::string> texts = pending().take();
  try {
    const nb::object logger =
        run_python([] { return nb::module_::import_("logging"); }).attr("getLogger")("usmx");
    for (const std::string& text : texts) {
      logger.attr("warning")("%s", text.c_str());
    }
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("a warning of usmx");
  } catch (const std::exception&) {
    // The text is no UTF-8, or there is no memory: nobody can be told.
  }
  return 0;
}

void hand_over(const char* text) noexcept {
  if (Py_IsInitialized() != 0 && pending().add(text)) {
    Py_AddPendingCall(log_pending, nullptr);  // refused when it is asked for often enough already
  } else {
    std::fprintf(stderr, "usmx: %s\n", text);
  }
}

}  // namespace

void log_warnings() noexcept { set_warning_handler(hand_over); }

namespace {

thread_local const std::string* noted = nullptr;

interned module_name("__name__");

nb::object code_of(PyFrameObject* frame) {
  return checked(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
}

/// Whether a frame is of usmx: its globals name the module.
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

std::string position_of(PyFrameObject* frame) {
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

// The call site. Never takes the interpreter lock: the caller may hold another one.
std::string python_call_site() {
  if (Py_IsInitialized() == 0 || !has_interpreter_lock()) {
    return noted != nullptr ? *noted : "native code";
  }
  const outer_frame outer;
  return outer.frame.is_valid() ? position_of(outer.get()) : "native code";
}

void warn_at_call_site(PyObject* category, const char* text) {
  const Py_ssize_t level = outer_frame().level;
  if (run_python([&] { return PyErr_WarnEx(category, text, level); }) != 0) {
    nb::raise_python_error();
  }
}

}  // namespace usmx::bindings
