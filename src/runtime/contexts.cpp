#include "runtime/contexts.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <unordered_map>

#include <sycl/exception.hpp>
#include <sycl/platform.hpp>
#include <sycl/properties/queue_properties.hpp>

#include "base/messages.hpp"
#include "base/process.hpp"
#include "runtime/devices.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1 {

sycl::context default_context(const sycl::device& device) {
  require_usable_process();
  return device.get_platform().khr_get_default_context();
}

std::string describe(const sycl::context& context) {
  const std::vector<sycl::device> devices = context.get_devices();
  // The identity that std::hash gives is the address of the runtime's own object.
  return detail::message(
      "context 0x", std::hex, std::hash<sycl::context>()(context), std::dec, " of ", devices.size(),
      devices.size() == 1 ? " device (" : " devices (",
      detail::listed(devices, [](const sycl::device& device) { return describe(device); }), ")");
}

}  // namespace usmx::inline v1

namespace usmx::inline v1::detail {

namespace {

bool holds(const std::vector<sycl::device>& devices, const sycl::device& device) {
  return is_within(device, [&](const sycl::device& candidate) {
    return std::ranges::find(devices, candidate) != devices.end();
  });
}

// Makes a queue of a device or a sub-device. OpenCL makes no queues of sub-devices in their
// parent's context.
sycl::queue make_queue(const sycl::context& context, const sycl::device& device) {
  const bool is_in_order = traits_of(device.get_backend()).keeps_in_order_queues;
  try {
    return is_in_order ? sycl::queue(context, device, sycl::property::queue::in_order())
                       : sycl::queue(context, device);
  } catch (const sycl::exception& refused) {
    if (refused.code() != sycl::errc::invalid) {
      throw;
    }
    throw value_error(message("cached_queue: expected a device that the runtime accepts with ",
                              describe(context), ", found ", describe(device), ": ",
                              refused.what()));
  }
}

// The states of the process. They are never destroyed: at exit other threads may still be at work
// in them.
class context_states {
 public:
  std::shared_ptr<context_state> of(const sycl::context& context) {
    {
      const std::lock_guard lock(mutex_);
      if (const entry* known = find(context)) {
        return known->state;
      }
    }
    // The state is made outside of the lock, because asking the back end takes long.
    auto made = std::make_shared<context_state>(context);
    const std::shared_ptr<context_state> evicted = make_room();
    const std::lock_guard lock(mutex_);
    if (const entry* known = find(context)) {
      return known->state;
    }
    latest_ = &states_.try_emplace(context, entry{made, ++clock_}).first->second;
    return made;
  }

  std::optional<queue_state> known(const sycl::queue& queue) {
    std::shared_ptr<context_state> state;
    {
      const std::lock_guard lock(mutex_);
      if (const queue_state* remembered = recall(queue)) {
        return *remembered;
      }
      const entry* const found = find(queue.get_context());
      if (found == nullptr) {
        return std::nullopt;
      }
      state = found->state;
    }
    return state_in(std::move(state), queue);
  }

  queue_state of(const sycl::queue& queue) {
    {
      const std::lock_guard lock(mutex_);
      if (const queue_state* remembered = recall(queue)) {
        return *remembered;
      }
    }
    known_queue known{queue, state_in(of(queue.get_context()), queue)};
    queue_state result = known.state;
    // The entry that is replaced may be the last reference to a queue, and so it is released
    // outside of the lock.
    std::optional<known_queue> previous(std::move(known));
    const std::lock_guard lock(mutex_);
    std::ranges::rotate(last_queues_, std::prev(last_queues_.end()));
    last_queues_.front().swap(previous);
    return result;
  }

  void add_peers_queue(const sycl::queue& queue) {
    of(queue.get_context())->add_peers_queue(queue);
    remembered_queues outdated;  // released outside of the lock
    const std::lock_guard lock(mutex_);
    last_queues_.swap(outdated);
  }

  std::vector<sycl::queue> queues() {
    std::vector<sycl::queue> all;
    const std::lock_guard lock(mutex_);
    for (const auto& [context, known] : states_) {
      for (sycl::queue& queue : known.state->queues()) {
        all.push_back(std::move(queue));
      }
    }
    return all;
  }

 private:
  static queue_state state_in(std::shared_ptr<context_state> state, const sycl::queue& queue) {
    const std::vector<sycl::device>& devices = state->devices();
    const bool has_only_device = devices.size() == 1 && devices.front() == queue.get_device();
    const bool is_cached = state->is_cached(queue);
    const bool is_peers = state->device_of_peers_queue(queue).has_value();
    return {std::move(state), has_only_device, is_cached, is_peers};
  }

  struct entry {
    std::shared_ptr<context_state> state;
    std::uint64_t last_use;

    // Whether a state is in use. No thread can begin to use it while the table is locked.
    bool in_use() const { return state.use_count() > 1 || state->is_in_use(); }
  };

  struct known_queue {
    sycl::queue queue;
    queue_state state;
  };

  /// The queues that a thread remembers, the latest first. There are two, because imports in a row
  /// may alternate between dpctl's queue and usmx's own.
  using remembered_queues = std::array<std::optional<known_queue>, 2>;

  static constexpr std::size_t limit = 64;

  const queue_state* recall(const sycl::queue& queue) const {
    for (const std::optional<known_queue>& each : last_queues_) {
      if (each && each->queue == queue) {
        return &each->state;
      }
    }
    return nullptr;
  }

  const entry* find(const sycl::context& context) {
    if (latest_ == nullptr || !(latest_->state->context() == context)) {
      const auto found = states_.find(context);
      if (found == states_.end()) {
        return nullptr;
      }
      latest_ = &found->second;
      latest_->last_use = ++clock_;
    }
    return latest_;
  }

  // Removes the least recently used state that is not in use, if there are too many.
  std::shared_ptr<context_state> make_room() {
    std::shared_ptr<context_state> evicted;
    {
      const std::lock_guard lock(mutex_);
      if (states_.size() < limit) {
        return nullptr;
      }
      auto oldest = states_.end();
      for (auto at = states_.begin(); at != states_.end(); ++at) {
        if ((oldest == states_.end() || at->second.last_use < oldest->second.last_use) &&
            !at->second.in_use()) {
          oldest = at;
        }
      }
      if (oldest == states_.end()) {
        return nullptr;
      }
      evicted = std::move(oldest->second.state);
      latest_ = nullptr;
      states_.erase(oldest);
    }
    // Nothing could wait for this work any more, and at exit it would abort the process.
    for (const sycl::queue& queue : evicted->queues()) {
      wait_for_queue(queue);
    }
    return evicted;
  }

  ranked_mutex<lock_rank::context_states> mutex_;
  std::unordered_map<sycl::context, entry> states_;
  entry* latest_ = nullptr;
  std::uint64_t clock_ = 0;
  remembered_queues last_queues_;
};

context_states& states() {
  note_runtime_in_use();
  static context_states& all = *new context_states;
  return all;
}

}  // namespace

context_state::context_state(const sycl::context& context)
    : context_(context), devices_(context.get_devices()), driver_(make_driver(context)) {}

context_state::~context_state() {
  for (const std::atomic<context_slot*>& slot : slots_) {
    delete slot.load();
  }
}

std::size_t next_slot_index() noexcept {
  static std::atomic<std::size_t> count = 0;
  return count++;
}

context_state::device_queues& context_state::queues_on(const sycl::device& device) {
  const auto known = std::ranges::find(queues_, device, &device_queues::device);
  if (known != queues_.end()) {
    return *known;
  }
  if (!holds(devices_, device)) {
    throw value_error(message("cached_queue: expected a device of ", describe(context_),
                              " or a sub-device of one, found ", describe(device)));
  }
  queues_.push_back({device, make_queue(context_, device)});
  wait_at_exit();
  return queues_.back();
}

sycl::queue context_state::queue_of(const sycl::device& device) {
  const std::lock_guard lock(queues_mutex_);
  return queues_on(device).own;
}

bool context_state::is_cached(const sycl::queue& queue) const {
  const std::lock_guard lock(queues_mutex_);
  return std::ranges::find(queues_, queue, &device_queues::own) != queues_.end();
}

std::optional<sycl::device> context_state::device_of_peers_queue(const sycl::queue& queue) const {
  const std::lock_guard lock(queues_mutex_);
  const auto known = std::ranges::find(queues_, queue, &device_queues::peers);
  return known != queues_.end() ? std::optional(known->device) : std::nullopt;
}

void context_state::add_peers_queue(const sycl::queue& queue) {
  const std::lock_guard lock(queues_mutex_);
  device_queues& on = queues_on(queue.get_device());
  if (!on.peers) {
    on.peers = queue;
  }
}

const sycl::queue* context_state::peers_queue(const sycl::queue& cached) const {
  const std::lock_guard lock(queues_mutex_);
  const auto known = std::ranges::find(queues_, cached, &device_queues::own);
  return known != queues_.end() && known->peers ? &*known->peers : nullptr;
}

const sycl::queue* context_state::peers_queue(const sycl::device& device) const {
  const std::lock_guard lock(queues_mutex_);
  const auto known = std::ranges::find(queues_, device, &device_queues::device);
  return known != queues_.end() && known->peers ? &*known->peers : nullptr;
}

std::vector<sycl::queue> context_state::queues() const {
  std::vector<sycl::queue> all;
  const std::lock_guard lock(queues_mutex_);
  for (const device_queues& on : queues_) {
    all.push_back(on.own);
    if (on.peers) {
      all.push_back(*on.peers);
    }
  }
  return all;
}

bool context_state::queues_in_use() const {
  const std::lock_guard lock(queues_mutex_);
  return std::ranges::any_of(queues_, [](const device_queues& on) {
    return on.peers || sycl::detail::getSyclObjImpl(on.own).use_count() > 1;
  });
}

bool context_state::is_in_use() const {
  return queues_in_use() || std::ranges::any_of(slots_, [](const std::atomic<context_slot*>& at) {
           const context_slot* const slot = at.load(std::memory_order_acquire);
           return slot != nullptr && slot->is_in_use();
         });
}

std::shared_ptr<context_state> state_of(const sycl::context& context) {
  return states().of(context);
}

queue_state state_of(const sycl::queue& queue) { return states().of(queue); }

std::optional<queue_state> known_state_of(const sycl::queue& queue) {
  return states().known(queue);
}

std::vector<sycl::queue> cached_queues() { return states().queues(); }

void wait_for_cached_queues() {
  for (const sycl::queue& queue : cached_queues()) {
    internal::wait_interruptibly(queue);
  }
}

void add_peers_queue(const sycl::queue& queue) { states().add_peers_queue(queue); }

}  // namespace usmx::inline v1::detail
