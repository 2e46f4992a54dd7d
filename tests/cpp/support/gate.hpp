// Work that finishes when the test says so. Nothing has to be timed.
#pragma once

#include <dlfcn.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#include <CL/cl.h>
#include <sycl/backend.hpp>
#include <sycl/backend/opencl.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

namespace support {

/// What holds the event of a gate up.
class holder {
 public:
  virtual ~holder() = default;
  virtual const sycl::event& event() const noexcept = 0;
  /// The event is complete on return.
  virtual void let_go() = 0;
};

/// An OpenCL user event: the driver itself holds what comes after it.
class user_event final : public holder {
 public:
  explicit user_event(const sycl::context& context) {
    const cl_context native = sycl::get_native<sycl::backend::opencl>(context);
    native_ = call<decltype(&clCreateUserEvent)>("clCreateUserEvent")(native, nullptr);
    call<decltype(&clReleaseContext)>("clReleaseContext")(native);
    if (native_ == nullptr) {
      throw std::runtime_error("the driver made no user event");
    }
    event_ =
        std::make_unique<sycl::event>(sycl::make_event<sycl::backend::opencl>({native_}, context));
  }
  ~user_event() override { call<decltype(&clReleaseEvent)>("clReleaseEvent")(native_); }

  const sycl::event& event() const noexcept override { return *event_; }
  void let_go() override {
    call<decltype(&clSetUserEventStatus)>("clSetUserEventStatus")(native_, CL_COMPLETE);
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

  cl_event native_ = nullptr;
  std::unique_ptr<sycl::event> event_;
};

/// A host task that waits, on every other back end: the runtime holds what comes after it, and the
/// device is free for everything else. A command that waits on the device would hold up calls of
/// the driver which wait for all of its work, such as CUDA's cuMemFree. No test has more than two:
/// device_test gives the runtime as many threads.
class waiting_task final : public holder {
 public:
  explicit waiting_task(const sycl::context& context) {
    event_ = sycl::queue(context, context.get_devices().front())
                 .submit([until = let_go_.get_future().share()](sycl::handler& handler) {
                   handler.host_task([until] { until.wait(); });
                 });
  }

  const sycl::event& event() const noexcept override { return event_; }
  void let_go() override {
    let_go_.set_value();
    event_.wait();
  }

 private:
  std::promise<void> let_go_;
  sycl::event event_;
};

/// Whether the events of gates are a back end's.
inline bool has_user_events(const sycl::context& context) {
  return context.get_backend() == sycl::backend::opencl;
}

/// Unfinished work: its event is complete once the gate is open. Opens when it is destroyed, so
/// that a test that fails does not wait for ever.
class gate {
 public:
  explicit gate(const sycl::context& context) : holder_(holder_in(context)) {}
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() { open(); }

  const sycl::event& event() const noexcept { return holder_->event(); }

  void open() {
    if (!open_) {
      open_ = true;
      holder_->let_go();
    }
  }

 private:
  static std::unique_ptr<holder> holder_in(const sycl::context& context) {
    if (has_user_events(context)) {
      return std::make_unique<user_event>(context);
    }
    return std::make_unique<waiting_task>(context);
  }

  std::unique_ptr<holder> holder_;
  bool open_ = false;
};

}  // namespace support
