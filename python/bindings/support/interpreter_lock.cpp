#include "support/interpreter_lock.hpp"

#include "support/nanobind.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// threading's table of the threads it knows, by identifier. Threads from elsewhere that have asked
/// for themselves are in it as _DummyThread. The table is private, and is read for want of a public
/// way that a destructor can go: threading.enumerate() takes a lock that this very thread may hold,
/// current_thread() enters threads from elsewhere into the table, and whether Python code is
/// running says nothing, since a finaliser that a runtime thread runs is Python code too. Where a
/// Python has no such table, threads are unknown until they call usmx, and memory is freed later.
bool started_by_threading_module() {
  const nb::object threading =
      nb::steal(PyImport_GetModule(nb::str("threading").ptr()));  // null: not there
  if (!threading.is_valid()) {
    return false;
  }
  const nb::object identifier = checked(PyLong_FromUnsignedLong(PyThread_get_thread_ident()));
  const nb::object active = threading.attr("_active");
  const nb::object thread = optional_item(active.ptr(), identifier.ptr());
  return thread.is_valid() && !nb::isinstance(thread, threading.attr("_DummyThread"));
}

}  // namespace

void note_python_thread() noexcept {
  if (is_user_thread()) {
    return;
  }
  // Objects are dropped while exceptions are being handled, which must not be lost.
  const nb::error_scope pending;
  try {
    if (started_by_threading_module()) {
      note_user_thread();
    }
  } catch (const std::exception&) {
    // The thread counts as unknown: memory is freed later.
  }
  PyErr_Clear();
}

}  // namespace usmx::bindings
