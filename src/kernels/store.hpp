// The device kernels of a context, built for a device when they are first needed, as programs of
// kernels/compile/program_store.hpp.
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "kernels/device_kernel.hpp"
#include "kernels/groups.hpp"
#include "runtime/contexts.hpp"

namespace usmx::inline v1::detail {

/// The kernels of one device. Thread-safe.
class device_kernels {
 public:
  device_kernels(const sycl::context&, const sycl::device&, kernel_shape);

  const sycl::device& device() const noexcept { return device_; }
  kernel_shape shape() const noexcept { return shape_; }
  bool has_fp64() const noexcept { return has_fp64_; }
  /// Whether the kernels reach memory of the host's.
  bool has_host_memory() const noexcept { return has_host_memory_; }

  /// Finds a kernel. Null if its group cannot be built for this device, with one warning. The first
  /// call for a group takes milliseconds with a warm disk cache, else up to seconds.
  const device_kernel* find(kernel_id);

 private:
  struct group_state {
    std::atomic<bool> ready = false;
    ranked_mutex<lock_rank::kernel_group> building;
    std::vector<device_kernel> kernels;  // empty when they cannot be built
  };

  sycl::context context_;
  sycl::device device_;
  kernel_shape shape_;
  bool has_fp64_;
  bool has_host_memory_;
  std::array<group_state, kernel_group_count> groups_;
};

kernel_shape shape_for(const sycl::device&);

/// The kernels of a context, in a slot of its state. Thread-safe.
class kernel_store final : public context_slot {
 public:
  explicit kernel_store(const sycl::context& context) : context_(context) {}

  /// Lives as long as the store.
  device_kernels& of(const sycl::device&);

 private:
  sycl::context context_;
  ranked_mutex<lock_rank::kernel_store> mutex_;
  std::list<device_kernels> devices_;
};

/// The kernels for a queue's device and context, held together with the context's state.
std::shared_ptr<device_kernels> kernels_of(const sycl::queue&);

}  // namespace usmx::inline v1::detail
