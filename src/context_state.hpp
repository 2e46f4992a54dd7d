// What usmx keeps for each context it meets: the back end to ask about memory, the kernels and
// the queue of each device. Private to the library.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>
#include <utility>
#include <vector>

#include "kernel_store.hpp"
#include "usm_backend.hpp"

namespace usmx::detail {

class context_state {
 public:
  explicit context_state(const sycl::context&);

  const sycl::context& context() const noexcept { return context_; }
  const std::vector<sycl::device>& devices() const noexcept { return devices_; }
  const allocation_backend& allocations() const noexcept { return *allocations_; }
  kernel_store& kernels() noexcept { return kernels_; }
  /// The cached queue of a device of this context, or of a sub-device of one. Throws
  /// value_error for any other device.
  sycl::queue queue_of(const sycl::device&);
  /// Whether it is one of them.
  bool is_cached(const sycl::queue&) const;
  /// The queues made so far.
  std::vector<sycl::queue> queues() const;
  /// Whether somebody else holds one of the queues.
  bool queues_in_use() const;

 private:
  sycl::context context_;
  std::vector<sycl::device> devices_;
  std::unique_ptr<allocation_backend> allocations_;
  kernel_store kernels_;
  mutable std::mutex queues_mutex_;
  std::vector<std::pair<sycl::device, sycl::queue>> queues_;
};

/// The state of a context, made at first sight. The 64 most recently used are kept, and beyond
/// those every one that is in use: whose state or one of whose queues somebody holds. None is
/// destroyed at exit. A state holds its context, so another one never has its identity.
std::shared_ptr<context_state> state_of(const sycl::context&);

struct queue_state {
  std::shared_ptr<context_state> of_context;
  /// Whether the queue's device is the only one of the context.
  bool has_only_device;
};

/// The same for a queue's context. The last queue asked about is remembered, and held until another
/// one takes its place: imports come in rows from one producer.
queue_state state_of(const sycl::queue&);

/// The device that a sub-device is part of; none for a root device.
std::optional<sycl::device> parent_of(const sycl::device&);

/// Waits for every cached queue of every context that is kept.
void wait_for_cached_queues();

}  // namespace usmx::detail
