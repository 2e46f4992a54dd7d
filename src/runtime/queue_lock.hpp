// The queues that usmx has submitted work to, and a lock for each. Private to the library.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <sycl/queue.hpp>

namespace usmx::detail {

struct used_queue;

/// Held around each call that submits to a queue, which is remembered from then on. No thread holds
/// two. Only out-of-order queues of OpenCL are really locked (docs/decisions.md): the CPU driver
/// crashes when one thread waits for such a queue and another submits to it.
class queue_lock {
 public:
  queue_lock(std::shared_ptr<used_queue> of, std::unique_lock<std::mutex> lock) noexcept;

 private:
  std::shared_ptr<used_queue> of_;  // outlives the lock
  std::unique_lock<std::mutex> lock_;
};

queue_lock lock_queue(const sycl::queue&);
/// Nothing while another thread holds the lock.
std::optional<queue_lock> try_lock_queue(const sycl::queue&);

/// The queues that have been locked and that somebody still holds.
std::vector<sycl::queue> used_queues();

}  // namespace usmx::detail
