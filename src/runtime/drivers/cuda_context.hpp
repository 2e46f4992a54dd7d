// A context of CUDA's as the thread's current one. Some of the driver's functions answer only where
// there is one.
#pragma once

#include "runtime/drivers/cuda.hpp"

namespace usmx::detail::cuda {

class current_context {
 public:
  current_context(const functions& driver, CUcontext context) noexcept
      : driver_(driver), set_(driver.push_context(context) == success) {}
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;
  ~current_context() {
    if (set_) {
      CUcontext popped;
      driver_.pop_context(&popped);
    }
  }

  explicit operator bool() const noexcept { return set_; }

 private:
  const functions& driver_;
  bool set_;
};

}  // namespace usmx::detail::cuda
