#include "kernels/store.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/messages.hpp"
#include "kernels/compile/packaged_programs.hpp"
#include "kernels/compile/program_store.hpp"
#include "kernels/group_programs.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "runtime/waits.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::detail {
namespace {

/// Lets no wait of this thread be given up: whether to give up is Python code that answers, and the
/// thread has a lock.
class uninterrupted {
 public:
  uninterrupted() = default;
  uninterrupted(const uninterrupted&) = delete;
  uninterrupted& operator=(const uninterrupted&) = delete;
  ~uninterrupted() { internal::set_interrupt_check(before_); }

 private:
  internal::interrupt_check before_ = internal::set_interrupt_check(nullptr);
};

/// The kernels of a group in the order of its names. Throws if none of the origins has them all for
/// this device.
std::vector<device_code> load_group(const sycl::context& context, const sycl::device& device,
                                    kernel_group group, kernel_shape shape) {
  const program source = program_of(group, shape);
  const auto load = [&](compiled_program& compiled) {
    return load_code(compiled.executable, source.kernels, context, device);
  };
  if (shape == kernel_shape::tiled) {
    // CUDA's driver builds the package's PTX, and keeps the result itself: no compiler is needed.
    if (auto packaged = packaged_programs::installed().find(source)) {
      compiled_program ptx{std::move(packaged->object), {}};
      return load(ptx);
    }
  }
  const compile_target target = target_for(device);
  const cached_program cache(name_of(group, shape), source, device, target);
  return load_program(source, target, cache, context, {}, load);
}

/// Reports once for each group, however many contexts there are.
void report_failure(const sycl::device& device, kernel_group group, kernel_shape shape,
                    const char* reason) {
  static std::array<std::atomic<bool>, kernel_group_count> reported{};
  if (!reported[static_cast<std::size_t>(group)].exchange(true)) {
    warn(message("no '", name_of(group, shape), "' kernels for ", describe(device),
                 ", usmx uses other ways, which may be slower:\n  ", reason));
  }
}

/// The kernels of a group; empty, and reported, if they cannot be built. Throws std::bad_alloc,
/// after which the next call tries again.
std::vector<device_kernel> kernels_of_group(const sycl::context& context,
                                            const sycl::device& device, kernel_group group,
                                            kernel_shape shape) {
  const uninterrupted waits;
  std::vector<device_kernel> kernels;
  try {
    for (device_code& code : load_group(context, device, group, shape)) {
      kernels.emplace_back(std::move(code));
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failed) {
    report_failure(device, group, shape, failed.what());
  }
  return kernels;
}

}  // namespace

device_kernels::device_kernels(const sycl::context& context, const sycl::device& device,
                               kernel_shape shape)
    : context_(context),
      device_(device),
      shape_(shape),
      has_fp64_(device.has(sycl::aspect::fp64)),
      has_host_memory_(device.has(sycl::aspect::usm_host_allocations)) {}

const device_kernel* device_kernels::find(kernel_id id) {
  group_state& state = groups_[static_cast<std::size_t>(id.group)];
  if (!state.ready.load(std::memory_order_acquire)) {
    const std::lock_guard lock(state.building);
    if (!state.ready.load(std::memory_order_relaxed)) {
      state.kernels = kernels_of_group(context_, device_, id.group, shape_);
      state.ready.store(true, std::memory_order_release);
    }
  }
  return state.kernels.empty() ? nullptr : &state.kernels[id.index];
}

kernel_shape shape_for(const sycl::device& device) {
  return device.is_cpu() ? kernel_shape::narrow : traits_of(device.get_backend()).kernels;
}

device_kernels& kernel_store::of(const sycl::device& device) {
  const std::lock_guard lock(mutex_);
  for (device_kernels& known : devices_) {
    if (known.device() == device) {
      return known;
    }
  }
  return devices_.emplace_back(context_, device, shape_for(device));
}

std::shared_ptr<device_kernels> kernels_of(const sycl::queue& queue) {
  std::shared_ptr<kernel_store> store = slot_of<kernel_store>(state_of(queue.get_context()));
  device_kernels& kernels = store->of(queue.get_device());
  return {std::move(store), &kernels};
}

}  // namespace usmx::inline v1::detail
