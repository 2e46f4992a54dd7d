// Starting threads that take no signals. Private to the library.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace usmx::inline v1::detail {

/// While this lives, threads that the calling thread starts take no signals.
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

}  // namespace usmx::inline v1::detail
