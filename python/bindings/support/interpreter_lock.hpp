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

/// Whether the calling thread has the interpreter lock. PyGILState_Check() says that it has, on
/// every thread, once there has been a sub-interpreter in the process.
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

/// Whether there is an interpreter whose lock the thread has, or may ask for: it has not begun to
/// end.
inline bool has_interpreter() noexcept { return has_interpreter_lock() || Py_IsInitialized() != 0; }

/// Whether this is Python's main thread, the only one on which Python runs signal handlers.
inline bool is_main_thread() noexcept {
  static thread_local const bool is = syscall(SYS_gettid) == getpid();  // gettid: glibc 2.30
  return is;
}

/// Returns the result of `run()`, which takes the interpreter lock, or runs Python code that may
/// let it go and take it again. That lock is the outermost one: a thread that holds a lock of the
/// library must not call this.
template <class Run>
decltype(auto) run_python(Run run) {
  internal::require_no_library_lock();
  try {
    return run();
  } catch (const abi::__forced_unwind&) {
    stop_this_thread();
  }
}

/// The interpreter lock that usmx has released on a thread.
struct released_lock {
  PyThreadState* state = nullptr;  // null where usmx has not let the lock go
  bool has_untold = false;
};
inline thread_local released_lock released;

/// Whether the thread may take back the lock that it does not have: usmx let it go, and takes it
/// back in any case before the call ends. Code of others that let it go may hold locks of its own.
inline bool may_take_lock_back() noexcept { return released.state != nullptr; }
/// Notes that there is something to tell once the thread has its lock again.
inline void note_untold() noexcept { released.has_untold = true; }

/// Has the interpreter lock for the life of this object: takes it unless the thread has it already.
/// A thread that asks while the interpreter ends, or later, is stopped. Python's error stays with a
/// thread of Python, also where it takes the lock only for a while.
class with_interpreter_lock {
 public:
  with_interpreter_lock() noexcept : takes_(!has_interpreter_lock()) {
    if (takes_) {
      before_ = std::exchange(released, {});
      run_python([&] { take(); });
    }
  }
  with_interpreter_lock(const with_interpreter_lock&) = delete;
  with_interpreter_lock& operator=(const with_interpreter_lock&) = delete;
  ~with_interpreter_lock() {
    if (takes_) {
      let_go();
    }
  }

 private:
  /// Python refuses a thread's own state at any time. It makes a new state only where there is an
  /// interpreter, and crashes otherwise.
  void take() {
    if (before_.state != nullptr) {
      PyEval_RestoreThread(before_.state);
    } else if (Py_IsInitialized() != 0) {
      state_ = PyGILState_Ensure();
    } else {
      stop_this_thread();
    }
  }
  void let_go() noexcept {
    if (before_.state != nullptr) {
      before_.state = PyEval_SaveThread();
    } else {
      PyGILState_Release(state_);
    }
    released = before_;
  }

  bool takes_;
  released_lock before_;
  PyGILState_STATE state_ = PyGILState_LOCKED;
};

/// Whether a signal arrived whose Python handler raised an exception, as Ctrl-C's does. The
/// exception is Python's current error then.
inline bool is_interrupted() noexcept {
  if (!has_interpreter()) {
    return false;
  }
  const with_interpreter_lock locked;
  return run_python([] { return PyErr_Occurred() == nullptr && PyErr_CheckSignals() != 0; });
}

/// Notes which scopes hold for the calling thread (scopes.hpp), which has the interpreter lock:
/// without it they cannot be looked for. Python's current error stays.
void note_scopes() noexcept;

/// Tells dpnp's order manager of the work that the thread has submitted without the lock
/// (sycl_objects/dpctl.hpp). Python's current error stays.
void tell_untold() noexcept;

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
      const bool has_untold = std::exchange(released, outer_).has_untold;
      run_python([&] { PyEval_RestoreThread(state_); });
      if (has_untold) {
        tell_untold();
      }
    }
  }

 private:
  PyThreadState* release() noexcept {
    note_scopes();
    outer_ = std::exchange(released, {PyEval_SaveThread()});
    return released.state;
  }

  released_lock outer_;  // where code of others has taken the lock in between
  PyThreadState* state_;
  internal::interrupt_check check_before_ = nullptr;
};

// The threads that are Python's own: only these may free memory at once (usmx::is_user_thread).

/// Notes the calling thread, which holds the interpreter lock, as one of the program's if the
/// threading module started it. That module does not know threads of the SYCL runtime on which a
/// consumer releases objects.
void note_python_thread() noexcept;

}  // namespace usmx::bindings
