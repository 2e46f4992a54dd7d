#include "runtime/drivers/cuda_stream.hpp"

#include <memory>

#include <sycl/backend.hpp>
#include <sycl/handler.hpp>
#include <sycl/interop_handle.hpp>

#include "runtime/completion.hpp"
#include "runtime/drivers/cuda_context.hpp"
#include "runtime/queue_lock.hpp"

namespace usmx::inline v1::detail::cuda {
namespace {

constexpr sycl::backend backend = sycl::backend::ext_oneapi_cuda;

void make_stream_wait(CUstream stream, CUevent event) {
  require_success(required_functions().make_stream_wait(stream, event, 0),
                  "cannot make a CUDA stream wait for another one");
}

/// What a stream of the current context has on it when this is made.
class recorded_event {
 public:
  recorded_event(const functions& driver, CUstream stream) : driver_(driver) {
    require_success(driver.create_event(&event_, event_flags::disable_timing),
                    "cannot create a CUDA event");
    const result recorded = driver.record_event(event_, stream);
    if (recorded != success) {
      driver.destroy_event(event_);
      require_success(recorded, "cannot record an event on the given CUDA stream");
    }
  }
  recorded_event(const recorded_event&) = delete;
  recorded_event& operator=(const recorded_event&) = delete;
  /// Who waits for it goes on doing so.
  ~recorded_event() { driver_.destroy_event(event_); }

  CUevent get() const noexcept { return event_; }

 private:
  const functions& driver_;
  CUevent event_ = nullptr;
};

/// Now, on this thread: one of the handles means the thread's own stream.
std::shared_ptr<const recorded_event> record(const sycl::device& device, CUstream stream) {
  const functions& driver = required_functions();
  const current_primary_context current(driver, sycl::get_native<backend>(device));
  return std::make_shared<const recorded_event>(driver, stream);
}

}  // namespace

sycl::event follow_stream(const sycl::queue& queue, CUstream others) {
  const auto so_far = record(queue.get_device(), others);
  // The queue has many streams: what depends on this command's event follows it on any of them.
  return submit_to(queue, [&](sycl::queue& to) {
    return to.submit([&](sycl::handler& handler) {
      handler.ext_codeplay_enqueue_native_command([so_far](sycl::interop_handle interop) {
        make_stream_wait(interop.get_native_queue<backend>(), so_far->get());
      });
    });
  });
}

void hold_up(CUstream stream, const std::vector<sycl::event>& before) {
  for (const sycl::event& event : before) {
    if (internal::backend_of(event) == backend) {
      make_stream_wait(stream, sycl::get_native<backend>(event));
    }
  }
}

void wait_for_all_streams(const sycl::device& device) {
  const functions& driver = required_functions();
  const current_primary_context current(driver, sycl::get_native<backend>(device));
  require_success(driver.synchronize_context(), "cannot wait for the work on the device");
}

}  // namespace usmx::inline v1::detail::cuda
