#include "runtime/queue_lock.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include "runtime/drivers/back_ends.hpp"
#include "runtime/exit.hpp"
#include "runtime/waiting.hpp"

namespace usmx::inline v1::detail {

/// Its mutex is its own: threads at work on one queue do not hold up those on another.
struct used_queue {
  using implementation = std::remove_cvref_t<decltype(sycl::detail::getSyclObjImpl(
      std::declval<const sycl::queue&>()))>;

  explicit used_queue(const sycl::queue& queue)
      : alive(sycl::detail::getSyclObjImpl(queue)),
        traits(traits_of(queue.get_backend())),
        needs_lock(!queue.is_in_order()) {}

  std::uint64_t begin_wait() noexcept { return ++waits_begun; }

  void end_wait(std::uint64_t number) noexcept {
    std::uint64_t latest = latest_wait_done.load();
    while (latest < number && !latest_wait_done.compare_exchange_weak(latest, number)) {
    }
  }

  std::weak_ptr<implementation::element_type> alive;
  const backend_traits& traits;
  bool needs_lock;
  queue_mutex mutex;
  // Waits are numbered in the order in which they begin. Finding the queue empty counts as a wait.
  // Work that was submitted before a wait began was submitted before each later one, too.
  std::atomic<std::uint64_t> waits_begun = 0;
  std::atomic<std::uint64_t> latest_wait_done = 0;
};

namespace {

/// Found by the identity of the queue, which no other queue has while it lives.
class queue_table {
 public:
  std::shared_ptr<used_queue> of(const sycl::queue& queue) {
    const std::size_t identity = std::hash<sycl::queue>()(queue);
    const std::lock_guard lock(mutex_);
    if (const auto known = queues_.find(identity); known != queues_.end()) {
      if (!known->second->alive.expired()) {
        return known->second;
      }
      queues_.erase(known);
    }
    if (queues_.size() >= next_sweep_) {
      std::erase_if(queues_, [](const auto& known) { return known.second->alive.expired(); });
      next_sweep_ = std::max(2 * queues_.size(), smallest_sweep);
    }
    wait_at_exit();
    return queues_.emplace(identity, std::make_shared<used_queue>(queue)).first->second;
  }

  std::vector<sycl::queue> alive() {
    std::vector<sycl::queue> all;
    const std::lock_guard lock(mutex_);
    for (const auto& [identity, known] : queues_) {
      if (auto queue = known->alive.lock()) {
        all.push_back(sycl::detail::createSyclObjFromImpl<sycl::queue>(std::move(queue)));
      }
    }
    return all;
  }

 private:
  static constexpr std::size_t smallest_sweep = 64;

  ranked_mutex<lock_rank::queue_table> mutex_;
  std::unordered_map<std::size_t, std::shared_ptr<used_queue>> queues_;
  std::size_t next_sweep_ = smallest_sweep;
};

/// Never destroyed: used at exit.
queue_table& table() {
  static queue_table& all = *new queue_table;
  return all;
}

}  // namespace

queue_lock::queue_lock(std::shared_ptr<used_queue> of, std::unique_lock<queue_mutex> lock) noexcept
    : of_(std::move(of)), lock_(std::move(lock)) {}

queue_lock lock_queue(const sycl::queue& queue) {
  std::shared_ptr<used_queue> of = table().of(queue);
  if (!of->needs_lock) {
    return {std::move(of), {}};
  }
  about_to_wait();  // its holder may be waiting for the queue
  require_no_lock("a thread waits for a queue's lock");
  std::unique_lock lock(of->mutex);
  return {std::move(of), std::move(lock)};
}

void queue_lock::wait(sycl::queue queue) const {
  const std::uint64_t number = of_->begin_wait();
  {
    const driver_wait waiting(of_->traits.waits_one_at_a_time);
    queue.wait();
  }
  of_->end_wait(number);
}

queue_moment::queue_moment(const sycl::queue& queue)
    : queue_(queue), of_(table().of(queue)), waits_begun_(of_->waits_begun.load()) {}

bool queue_moment::was_waited_for() const noexcept {
  return of_->latest_wait_done.load() > waits_begun_;
}

bool queue_moment::is_past() const {
  if (was_waited_for()) {
    return true;
  }
  if (!of_->traits.in_order_queues_tell_if_empty && queue_.is_in_order()) {
    return false;
  }
  const std::unique_lock lock(of_->mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    return false;  // another thread waits
  }
  const std::uint64_t number = of_->begin_wait();
  if (!queue_.ext_oneapi_empty()) {
    return false;
  }
  of_->end_wait(number);
  return true;
}

std::vector<sycl::queue> used_queues() { return table().alive(); }

}  // namespace usmx::inline v1::detail
