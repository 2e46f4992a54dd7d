// Work that finishes when the test says so: an OpenCL user event as a SYCL event. Nothing has to be
// timed.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>

#include <CL/cl.h>
#include <sycl/backend.hpp>
#include <sycl/backend/opencl.hpp>
#include <sycl/event.hpp>

namespace support {

/// Whether a gate can be made in this context.
inline bool has_gates(const sycl::context& context) {
  return context.get_backend() == sycl::backend::opencl;
}

/// Unfinished work: its event is complete once the gate is open. Opens when it is destroyed, so
/// that a test that fails does not wait for ever.
class gate {
 public:
  explicit gate(const sycl::context& context) {
    const cl_context native = sycl::get_native<sycl::backend::opencl>(context);
    event_ = call<decltype(&clCreateUserEvent)>("clCreateUserEvent")(native, nullptr);
    call<decltype(&clReleaseContext)>("clReleaseContext")(native);
    if (event_ == nullptr) {
      throw std::runtime_error("the driver made no user event");
    }
    sycl_event_ =
        std::make_unique<sycl::event>(sycl::make_event<sycl::backend::opencl>({event_}, context));
  }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() {
    open();
    call<decltype(&clReleaseEvent)>("clReleaseEvent")(event_);
  }

  const sycl::event& event() const noexcept { return *sycl_event_; }

  void open() {
    if (!open_) {
      open_ = true;
      call<decltype(&clSetUserEventStatus)>("clSetUserEventStatus")(event_, CL_COMPLETE);
    }
  }

 private:
  // From the loader that the SYCL runtime has loaded: the tests link no OpenCL.
  template <class Function>
  static Function call(const char* name) {
    void* loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void* found = loader == nullptr ? nullptr : dlsym(loader, name);
    if (found == nullptr) {
      throw std::runtime_error(std::string("no OpenCL function ") + name);
    }
    return reinterpret_cast<Function>(found);
  }

  cl_event event_ = nullptr;
  std::unique_ptr<sycl::event> sycl_event_;
  bool open_ = false;
};

}  // namespace support
