// CUDA's driver, found at run time where the SYCL runtime has already loaded it: usmx links no CUDA
// of its own.
#include "runtime/drivers/cuda.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include <sycl/backend.hpp>
#include <sycl/handler.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/usm/usm_pointer_info.hpp>

#include "base/process.hpp"
#include "runtime/driver_setup.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace cuda {
namespace {

/// The attributes of a pointer, which the driver writes.
struct attributes {
  unsigned type = 0;
  unsigned managed = 0;
  int device = -1;
  CUdeviceptr start = 0;
  std::size_t nbytes = 0;

  /// The kind of the memory. SYCL's shared memory is CUDA's managed memory, wherever it is at the
  /// moment.
  usm_kind kind() const noexcept {
    if (managed != 0) {
      return usm_kind::shared;
    }
    switch (memory_type{type}) {
      case memory_type::device:
        return usm_kind::device;
      case memory_type::host:
        return usm_kind::host;
      default:
        return usm_kind::unknown;
    }
  }
};

/// Refines the range. The attributes may name a larger one, out of which the driver has cut the
/// allocation; this function names the allocation, if cuMemAlloc made it.
void refine_range(const functions& driver, CUcontext context, CUdeviceptr address,
                  attributes& found) noexcept {
  const current_context current(driver, context);
  CUdeviceptr start = 0;
  std::size_t nbytes = 0;
  if (current && driver.get_address_range(&start, &nbytes, address) == success) {
    found.start = start;
    found.nbytes = nbytes;
  }
}

}  // namespace

std::optional<functions> find_functions() noexcept {
  const loaded_library driver("libcuda.so.1");
  functions found;
  const bool has_all = driver.find(found.get_attributes, "cuPointerGetAttributes") &&
                       driver.find(found.get_address_range, "cuMemGetAddressRange_v2") &&
                       driver.find(found.retain_primary_context, "cuDevicePrimaryCtxRetain") &&
                       driver.find(found.release_primary_context, "cuDevicePrimaryCtxRelease_v2") &&
                       driver.find(found.push_context, "cuCtxPushCurrent_v2") &&
                       driver.find(found.pop_context, "cuCtxPopCurrent_v2") &&
                       driver.find(found.enable_peer_access, "cuCtxEnablePeerAccess") &&
                       driver.find(found.synchronize_context, "cuCtxSynchronize") &&
                       driver.find(found.create_event, "cuEventCreate") &&
                       driver.find(found.destroy_event, "cuEventDestroy_v2") &&
                       driver.find(found.record_event, "cuEventRecord") &&
                       driver.find(found.make_stream_wait, "cuStreamWaitEvent") &&
                       driver.find(found.copy, "cuMemcpyAsync");
  return has_all ? std::optional(found) : std::nullopt;
}

const functions& required_functions() {
  static const std::optional<functions> found = find_functions();
  if (!found) {
    throw device_error("CUDA's driver must be loaded and have the functions that usmx needs");
  }
  return *found;
}

void require_success(result status, const char* what) {
  if (status == success) {
    return;
  }
  using text_function = result (*)(result, const char** text);
  const auto find_text = loaded_library("libcuda.so.1").find<text_function>("cuGetErrorString");
  const char* text = nullptr;
  if (find_text != nullptr) {
    find_text(status, &text);
  }
  throw device_error(
      message(what, ": CUDA error ", status, ", ", text == nullptr ? "unknown" : text));
}

allocation_info query(const functions& driver, const scope& where, const void* pointer) noexcept {
  using enum pointer_attribute;
  std::array asked{memory_type, is_managed, device_ordinal, range_start, range_nbytes};
  attributes found;
  std::array<void*, asked.size()> values{&found.type, &found.managed, &found.device, &found.start,
                                         &found.nbytes};
  const CUdeviceptr address = reinterpret_cast<std::uintptr_t>(pointer);
  // The driver leaves values as they were that it does not know.
  if (driver.get_attributes(asked.size(), asked.data(), values.data(), address) != success) {
    return {};
  }
  const usm_kind kind = found.kind();
  // Memory of the host is in reach of all devices.
  const bool in_reach = kind == usm_kind::host ||
                        std::ranges::find(where.devices, found.device) != where.devices.end();
  if (kind == usm_kind::unknown || !in_reach) {
    return {};
  }
  refine_range(driver, where.primary, address, found);
  return with_bounds(kind, pointer, reinterpret_cast<const void*>(found.start), found.nbytes);
}

bool follows_peer_access(const functions& driver, const void* pointer) noexcept {
  pointer_attribute asked = pointer_attribute::is_legacy;
  unsigned found = 0;
  void* value = &found;
  return driver.get_attributes(1, &asked, &value, reinterpret_cast<std::uintptr_t>(pointer)) ==
             success &&
         found != 0;
}

bool enable_peer_access(const functions& driver, CUdevice device, CUdevice peer) {
  constexpr result already_enabled = 704;  // CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
  CUcontext context_of_peer = nullptr;
  require_success(driver.retain_primary_context(&context_of_peer, peer),
                  "cannot get the device's primary context");
  const current_primary_context current(driver, device);
  const result enabled = driver.enable_peer_access(context_of_peer, 0);
  driver.release_primary_context(peer);
  return enabled == success || enabled == already_enabled;
}

std::optional<CUdevice> device_number(const functions& driver, const void* pointer) noexcept {
  using enum pointer_attribute;
  std::array asked{memory_type, device_ordinal};
  attributes found;
  std::array<void*, asked.size()> values{&found.type, &found.device};
  const CUdeviceptr address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool known =
      driver.get_attributes(asked.size(), asked.data(), values.data(), address) == success &&
      found.kind() != usm_kind::unknown && found.device >= 0;
  return known ? std::optional(found.device) : std::nullopt;
}

namespace {

/// The thread's current context, by which other libraries choose the device that they work on. The
/// CUDA adapter (unified-runtime eb58ab8d) leaves the context of the device that it worked on
/// current.
std::optional<thread_state> find_current_context() noexcept {
  const loaded_library driver("libcuda.so.1");
  thread_state found{};
  return driver.find(found.get, "cuCtxGetCurrent") && driver.find(found.set, "cuCtxSetCurrent")
             ? std::optional(found)
             : std::nullopt;
}

}  // namespace
}  // namespace cuda

/// NVRTC compiles the kernels for CUDA. Kernels that the SYCL runtime's own compiler makes load
/// without names there, or crash the runtime.
const backend_traits cuda_traits{.keeps_in_order_queues = true,
                                 .in_order_queues_are_streams = true,
                                 .has_peer_access = true,
                                 .shared_memory_is_everybodys = true,
                                 .longest_row_distance = INT32_MAX,
                                 .fast_fill_itemsize = 4,
                                 .asked_before_wait = std::chrono::microseconds(200),
                                 .asking_is_slow = true,
                                 .kernels = kernel_shape::tiled,
                                 .find_thread_state = cuda::find_current_context,
                                 .compiler = kernel_compiler::nvrtc};

namespace {

class cuda_driver final : public usm_driver {
 public:
  /// Takes over the first device's primary context, which the caller has retained, and gives it
  /// back at the end.
  cuda_driver(const sycl::context& context, const cuda::functions& driver,
              std::vector<CUdevice> devices, CUcontext primary) noexcept
      : context_(context), driver_(driver), devices_(std::move(devices)), primary_(primary) {}
  cuda_driver(const cuda_driver&) = delete;
  cuda_driver& operator=(const cuda_driver&) = delete;
  ~cuda_driver() override { driver_.release_primary_context(devices_.front()); }

  allocation_info query(const void* pointer) const override {
    return pools_.narrowed(cuda::query(driver_, {primary_, devices_}, pointer), pointer);
  }
  sycl::device owner(const void* pointer) const override {
    return sycl::get_pointer_device(pointer, context_);
  }
  bool follows_peer_access(const void* pointer) const override {
    return cuda::follows_peer_access(driver_, pointer);
  }
  bool enable_peer_access(const sycl::device& device, const sycl::device& peer) const override {
    constexpr sycl::backend backend = sycl::backend::ext_oneapi_cuda;
    return cuda::enable_peer_access(driver_, sycl::get_native<backend>(device),
                                    sycl::get_native<backend>(peer));
  }

 private:
  sycl::context context_;
  cuda::functions driver_;
  std::vector<CUdevice> devices_;
  CUcontext primary_;
  runtime_pools::loaded_pools pools_;
};

}  // namespace

std::unique_ptr<usm_driver> make_cuda_driver(const sycl::context& context) {
  const auto driver = cuda::find_functions();
  if (!driver) {
    return nullptr;
  }
  std::vector<CUdevice> devices;
  for (const sycl::device& device : context.get_devices()) {
    devices.push_back(sycl::get_native<sycl::backend::ext_oneapi_cuda>(device));
  }
  CUcontext primary = nullptr;
  if (driver->retain_primary_context(&primary, devices.front()) != cuda::success) {
    return nullptr;
  }
  return std::make_unique<cuda_driver>(context, *driver, std::move(devices), primary);
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::detail::cuda {
namespace {

constexpr sycl::backend backend = sycl::backend::ext_oneapi_cuda;

}  // namespace

used_stream::used_stream(const sycl::queue& in_order)
    : current_(required_functions(), sycl::get_native<backend>(in_order.get_device())),
      stream_(sycl::get_native<backend>(in_order)) {}

namespace {

void make_stream_wait(CUstream stream, CUevent event) {
  require_success(required_functions().make_stream_wait(stream, event, 0),
                  "cannot make a CUDA stream wait for another one");
}

/// An event that stands for the work on a stream of the current context at the time of
/// construction.
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
  /// Destroys the event; a stream that waits for it goes on waiting.
  ~recorded_event() { driver_.destroy_event(event_); }

  CUevent get() const noexcept { return event_; }

 private:
  const functions& driver_;
  CUevent event_ = nullptr;
};

/// Records an event now, on this thread: one of the handles means the thread's own stream.
std::shared_ptr<const recorded_event> record(const sycl::device& device, CUstream stream) {
  const functions& driver = required_functions();
  const current_primary_context current(driver, sycl::get_native<backend>(device));
  return std::make_shared<const recorded_event>(driver, stream);
}

}  // namespace

void copy_on(CUstream stream, std::byte* to, const std::byte* from, std::size_t nbytes) {
  const auto address = [](const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); };
  require_success(required_functions().copy(address(to), address(from), nbytes, stream),
                  "CUDA's driver cannot start a copy");
}

sycl::event follow_stream(const sycl::queue& queue, CUstream others) {
  const auto so_far = record(queue.get_device(), others);
  // The queue has many streams: work that depends on this command's event follows it on any of
  // them.
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

namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_by_loader(const std::string& name) {
  void* const loaded = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const link_map* where = nullptr;
  if (loaded == nullptr || dlinfo(loaded, RTLD_DI_LINKMAP, &where) != 0) {
    return std::nullopt;
  }
  return fs::path(where->l_name);
}

}  // namespace

std::optional<fs::path> find_file(const std::string& name, const char* folder) {
  std::error_code ignored;
  for (const fs::path& packages : package_folders()) {
    const fs::path file = packages / folder / name;
    if (fs::exists(file, ignored)) {
      return fs::canonical(file, ignored);
    }
  }
  return find_by_loader(name);
}

}  // namespace usmx::inline v1::detail::cuda
