// The process: its state that is leaked on purpose, fork and exit, threads without signals, and
// libraries that are loaded while it runs. Private to the library.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include "usmx/base/process.hpp"

// The rules that hold for every call because of the life of the process and its threads: no call
// works in a forked child, none begins once the process ends, and memory is not freed on the SYCL
// runtime's own threads. Private to the library; the part that others need is declared in
// usmx/base/process.hpp.

namespace usmx::inline v1::internal {

/// Keeps the thread's state: each function that may enter the SYCL runtime has such an object. When
/// the outermost one of a thread ends, the state is as it was when that began. A runtime_call is
/// one, too.
class USMX_API kept_thread_state {
 public:
  kept_thread_state() noexcept;
  kept_thread_state(const kept_thread_state&) = delete;
  kept_thread_state& operator=(const kept_thread_state&) = delete;
  ~kept_thread_state();
};

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// The one object of a class, made at the first use and never destroyed: memory may be released,
/// and dtypes and views end, after main.
template <class Object>
Object& immortal() {
  static Object& one = *new Object;
  return one;
}

/// Notes that the runtime is about to be used: children forked from then on are unusable. Throws
/// fork_error in such a child.
void note_runtime_in_use();
bool is_forked_child() noexcept;

/// Keeps other threads from beginning a runtime_call, and waits for a few seconds at most until
/// none is under way.
void begin_exit() noexcept;

// State that a driver keeps for each thread, and that the SYCL runtime changes for its own calls
// and does not put back: CUDA's current context, which tells CuPy and PyTorch on which device they
// are to work.

/// A driver's state for each thread: its own functions that get and set that of the calling thread.
/// A thread may have none, which is null.
struct thread_state {
  int (*get)(void** state);
  int (*set)(void* state);

  void* now() const noexcept {
    void* state = nullptr;
    get(&state);
    return state;
  }
};

/// Makes all calls leave this state as it was from now on. `before_call` is the state that the
/// calling thread had before the call that is under way. Of several states the first is kept.
void keep_thread_state(const thread_state&, void* before_call) noexcept;

/// Makes threads that the calling thread starts take no signals, as long as this object lives.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// A library that the SYCL runtime has loaded already, and functions in it. usmx links no back end
// of its own, and never loads one.

class loaded_library {
 public:
  /// Finds the library by the name that it is loaded under, such as "libOpenCL.so.1". The handle is
  /// kept for ever, as back ends are, so that functions stay callable.
  explicit loaded_library(const char* name) noexcept
      : handle_(dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {}

  bool is_there() const noexcept { return handle_ != nullptr; }
  /// Finds a function; null if there is no such function, or no such library.
  template <class Function>
  Function find(const char* name) const noexcept {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
  }
  /// Sets `function`, a pointer, to what find() gives, and returns whether it is there.
  template <class Function>
  bool find(Function& function, const char* name) const noexcept {
    return (function = find<Function>(name)) != nullptr;
  }

 private:
  void* handle_;
};

}  // namespace usmx::inline v1::detail
