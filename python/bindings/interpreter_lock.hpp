// Letting the interpreter lock go around waits, copies and calls of the runtime, and taking it
// again.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace usmx::bindings {

/// Runs `take`, which takes the interpreter lock. While the interpreter ends, Python makes any
/// other thread that asks for the lock exit, and that would unwind through C++ frames which must
/// not be left so (std::terminate): such a thread stops here for good instead.
template <class Take>
void take_interpreter_lock(Take take) noexcept {
  try {
    take();
  } catch (const abi::__forced_unwind&) {
    for (;;) {
      pause();
    }
  }
}

/// The calling thread is without the interpreter lock for the life of this; with it where that is
/// not `worthwhile`.
class without_interpreter_lock {
 public:
  explicit without_interpreter_lock(bool worthwhile = true) noexcept
      : state_(worthwhile ? PyEval_SaveThread() : nullptr) {}
  without_interpreter_lock(const without_interpreter_lock&) = delete;
  without_interpreter_lock& operator=(const without_interpreter_lock&) = delete;
  ~without_interpreter_lock() {
    if (state_ != nullptr) {
      take_interpreter_lock([&] { PyEval_RestoreThread(state_); });
    }
  }

 private:
  PyThreadState* state_;
};

}  // namespace usmx::bindings
