// The state that usmx keeps for each context it meets: the driver to ask about memory, the queues
// of each device (usmx's own, and the one of the peers), and a slot for what each layer above
// keeps. Private to the library.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "runtime/drivers/usm_driver.hpp"

namespace usmx::inline v1::detail {

/// The base of the contents of a slot of a context's state. They are constructed from the context.
class context_slot {
 public:
  virtual ~context_slot() = default;
  /// Whether a program has set something here, or holds something of it: then the state is not
  /// forgotten. Called under the lock of the table of states.
  virtual bool is_in_use() const noexcept { return false; }
};

class context_state;

/// The one Slot of a state, made when it is first asked for, and held together with the state. A
/// layer that keeps something for each context derives a class from context_slot, so this layer
/// need not know it.
template <class Slot>
std::shared_ptr<Slot> slot_of(std::shared_ptr<context_state>);

class context_state {
 public:
  explicit context_state(const sycl::context&);
  ~context_state();

  const sycl::context& context() const noexcept { return context_; }
  const std::vector<sycl::device>& devices() const noexcept { return devices_; }
  const usm_driver& driver() const noexcept { return *driver_; }
  /// The cached queue of a device of this context, or of a sub-device of one. Throws
  /// value_error for any other device.
  sycl::queue queue_of(const sycl::device&);
  /// Whether a queue is one of this context's cached queues.
  bool is_cached(const sycl::queue&) const;
  /// The device of a queue of the peers; none for any other queue.
  std::optional<sycl::device> device_of_peers_queue(const sycl::queue&) const;
  /// Makes known that the peers' default arrays of the queue's device are on this queue. If one is
  /// known already, it stays.
  void add_peers_queue(const sycl::queue&);
  /// The peers' queue for one of the cached queues; null if it is not known, and for any other
  /// queue. What it points to lives as long as this object.
  const sycl::queue* peers_queue(const sycl::queue& cached) const;
  /// The peers' queue of a device; null if it is not known.
  const sycl::queue* peers_queue(const sycl::device&) const;
  /// usmx's queues that were made so far, and the peers' queues that are known.
  std::vector<sycl::queue> queues() const;
  /// Whether other code holds one of the queues, one is shared with the peers, or a slot is in use.
  bool is_in_use() const;

 private:
  template <class Slot>
  friend std::shared_ptr<Slot> slot_of(std::shared_ptr<context_state>);
  /// The function is private, because a reference alone would outlive a state that is forgotten.
  template <class Slot>
  Slot& slot();
  bool queues_in_use() const;

  sycl::context context_;
  std::vector<sycl::device> devices_;
  std::unique_ptr<usm_driver> driver_;
  static constexpr std::size_t slot_count = 8;
  ranked_mutex<lock_rank::context_slots> slots_mutex_;
  std::array<std::atomic<context_slot*>, slot_count> slots_{};
  struct device_queues {
    sycl::device device;
    sycl::queue own;
    std::optional<sycl::queue> peers{};
  };
  device_queues& queues_on(const sycl::device&);

  mutable ranked_mutex<lock_rank::context_queues> queues_mutex_;
  std::list<device_queues> queues_;  // entries stay where they are
};

/// A number for each class of slots, below context_state::slot_count.
std::size_t next_slot_index() noexcept;
template <class Slot>
inline const std::size_t slot_index = next_slot_index();

template <class Slot>
Slot& context_state::slot() {
  std::atomic<context_slot*>& at = slots_.at(slot_index<Slot>);
  context_slot* found = at.load(std::memory_order_acquire);
  if (found == nullptr) {
    const std::lock_guard lock(slots_mutex_);
    found = at.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = std::make_unique<Slot>(context_).release();
      at.store(found, std::memory_order_release);
    }
  }
  return static_cast<Slot&>(*found);
}

template <class Slot>
std::shared_ptr<Slot> slot_of(std::shared_ptr<context_state> state) {
  Slot& slot = state->slot<Slot>();
  return {std::move(state), &slot};
}

/// The state of a context, made when the context is first seen. The 64 most recently used states
/// are kept, and all others that are in use: other code holds the state, one of its queues or one
/// of its slots, or a program has set something in a slot. None is destroyed at exit. A state holds
/// its context, so no other context can get the same identity.
std::shared_ptr<context_state> state_of(const sycl::context&);

struct queue_state {
  std::shared_ptr<context_state> of_context;
  bool has_only_device = false;
  bool is_cached = false;
  /// Whether the queue is one of the peers, in place of which usmx uses its own.
  bool is_peers = false;
};

/// The state of a queue and of its context. The last two queues are remembered, and held until
/// others take their places, because many imports in a row come from one producer.
queue_state state_of(const sycl::queue&);
/// The state of a queue if it is known already: does not call the runtime.
std::optional<queue_state> known_state_of(const sycl::queue&);

/// The cached queues of every context that is kept, and the peers' queues that are known.
std::vector<sycl::queue> cached_queues();
/// Waits for all queues that cached_queues() gives. A signal may interrupt the wait.
void wait_for_cached_queues();

/// Makes the peers' queue of a device known: context_state::add_peers_queue.
void add_peers_queue(const sycl::queue&);

}  // namespace usmx::inline v1::detail
