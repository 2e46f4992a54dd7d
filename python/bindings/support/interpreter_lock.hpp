// Releasing the interpreter lock around waits, copies and calls of the runtime, and taking it
// again.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "internals.hpp"

namespace usmx::bindings {

/// Whether the calling thread has the interpreter lock. Not PyGILState_Check(): once there has been
/// a sub-interpreter in the process, that says so of every thread.
inline bool has_interpreter_lock() noexcept {
  const PyThreadState* mine = PyGILState_GetThisThreadState();
#if PY_VERSION_HEX >= 0x030D0000
  return mine != nullptr && mine == PyThreadState_GetUnchecked();
#else
  return mine != nullptr && mine == _PyThreadState_UncheckedGet();
#endif
}

/// Stops a thread that Python makes exit because it asked for the interpreter lock while the
/// interpreter ends. Exiting would unwind C++ frames that must not be unwound.
[[noreturn]] inline void stop_this_thread() noexcept {
  for (;;) {
    pause();
  }
}

/// Runs `take`, which takes the interpreter lock, or runs Python code that may. That lock is the
/// outermost one: a thread that holds a lock of the library must not call this.
template <class Take>
void take_interpreter_lock(Take take) noexcept {
  internal::require_no_library_lock();
  try {
    take();
  } catch (const abi::__forced_unwind&) {
    stop_this_thread();
  }
}

/// The same for Python code that returns a new reference.
template <class Run>
PyObject* run_python(Run run) noexcept {
  PyObject* result = nullptr;
  take_interpreter_lock([&] { result = run(); });
  return result;
}

/// Has the interpreter lock for the life of this object: takes it unless the thread has it already.
/// Python's error stays with a thread of Python, also where it takes the lock only for a while.
class with_interpreter_lock {
 public:
  with_interpreter_lock() noexcept : takes_(!has_interpreter_lock()) {
    if (takes_) {
      take_interpreter_lock([&] { state_ = PyGILState_Ensure(); });
    }
  }
  with_interpreter_lock(const with_interpreter_lock&) = delete;
  with_interpreter_lock& operator=(const with_interpreter_lock&) = delete;
  ~with_interpreter_lock() {
    if (takes_) {
      PyGILState_Release(state_);
    }
  }

 private:
  bool takes_;
  PyGILState_STATE state_ = PyGILState_LOCKED;
};

/// Whether a signal arrived whose Python handler raised an exception, as Ctrl-C's does. That is
/// then Python's current error.
inline bool is_interrupted() noexcept {
  bool raised = false;
  take_interpreter_lock([&] {
    const with_interpreter_lock locked;
    raised = PyErr_Occurred() == nullptr && PyErr_CheckSignals() != 0;
  });
  return raised;
}

/// Whether this is Python's main thread, the only one on which Python runs signal handlers.
inline bool is_main_thread() noexcept {
  static thread_local const bool is = syscall(SYS_gettid) == getpid();  // gettid: glibc 2.30
  return is;
}

/// Notes which scopes hold for the calling thread (scopes.hpp), which has the interpreter lock:
/// without it they cannot be looked for. Python's current error stays.
void note_scopes() noexcept;

/// Tells dpnp's order manager of the work that the thread has submitted without the lock
/// (sycl_objects/dpctl.hpp). Python's current error stays.
void tell_untold() noexcept;

/// The interpreter lock that usmx has released on a thread.
struct released_lock {
  PyThreadState* state = nullptr;  // null where usmx has not let the lock go
  bool has_untold = false;
};
inline thread_local released_lock released;

/// Whether the thread may take back the lock that it does not have: usmx let it go, and takes it
/// back in any case before the call ends. Code of others that let it go may hold locks of its own.
inline bool may_take_lock_back() noexcept { return released.state != nullptr; }
/// There is something to tell once the thread has its lock again.
inline void note_untold() noexcept { released.has_untold = true; }

/// Has the lock that usmx let go, for the life of this object.
class lock_taken_back {
 public:
  lock_taken_back() noexcept : before_(std::exchange(released, {})) {
    take_interpreter_lock([&] { PyEval_RestoreThread(before_.state); });
  }
  lock_taken_back(const lock_taken_back&) = delete;
  lock_taken_back& operator=(const lock_taken_back&) = delete;
  ~lock_taken_back() {
    before_.state = PyEval_SaveThread();
    released = before_;
  }

 private:
  released_lock before_;
};

/// Releases the calling thread's interpreter lock for the life of this object, during which the
/// main thread's waits may be interrupted. Does nothing if the thread has no lock, as under a call
/// guard of an extension, or if it is not `worthwhile`.
class without_interpreter_lock {
 public:
  explicit without_interpreter_lock(bool worthwhile = true) noexcept
      : state_(worthwhile && has_interpreter_lock() ? release() : nullptr) {
    if (state_ != nullptr && is_main_thread()) {
      check_before_ = internal::set_interrupt_check(&is_interrupted);
    }
  }
  without_interpreter_lock(const without_interpreter_lock&) = delete;
  without_interpreter_lock& operator=(const without_interpreter_lock&) = delete;
  ~without_interpreter_lock() {
    if (state_ != nullptr) {
      if (is_main_thread()) {
        internal::set_interrupt_check(check_before_);
      }
      const bool has_untold = std::exchange(released, {}).has_untold;
      take_interpreter_lock([&] { PyEval_RestoreThread(state_); });
      if (has_untold) {
        tell_untold();
      }
    }
  }

 private:
  static PyThreadState* release() noexcept {
    note_scopes();
    released = {PyEval_SaveThread()};
    return released.state;
  }

  PyThreadState* state_;
  internal::interrupt_check check_before_ = nullptr;
};

// Which threads are Python's own: only those may free memory at once (usmx::is_user_thread).

/// Notes the calling thread, which holds the interpreter lock, as one of the program's if the
/// threading module started it. That module does not know threads of the SYCL runtime on which a
/// consumer releases objects.
void note_python_thread() noexcept;

}  // namespace usmx::bindings
