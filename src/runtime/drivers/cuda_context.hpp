// Makes a CUDA context the thread's current one. Some of the driver's functions work only with a
// current context.
#pragma once

#include "runtime/drivers/cuda.hpp"

namespace usmx::inline v1::detail::cuda {

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

/// A device's primary context, in which the SYCL runtime and CUDA's own runtime work, as the
/// thread's current one. Throws device_error with the driver's reason.
class current_primary_context {
 public:
  current_primary_context(const functions& driver, CUdevice device)
      : retained_(driver, device), current_(driver, retained_.context) {}

 private:
  struct retained {
    retained(const functions& from, CUdevice of) : driver(from), device(of) {
      require_success(driver.retain_primary_context(&context, device),
                      "cannot get the device's primary context");
    }
    retained(const retained&) = delete;
    retained& operator=(const retained&) = delete;
    ~retained() { driver.release_primary_context(device); }

    const functions& driver;
    CUdevice device;
    CUcontext context = nullptr;
  };

  retained retained_;
  current_context current_;
};

}  // namespace usmx::inline v1::detail::cuda
