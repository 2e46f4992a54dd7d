#include "memory/deferred_release.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>

#include "runtime/completion.hpp"
#include "runtime/queue_lock.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::detail {
namespace {

struct deferred_list {
  std::atomic<bool> any = false;
  std::mutex mutex;
  std::vector<deferred_release> blocks;
};

/// Never destroyed: memory may be let go after main.
deferred_list& list() {
  static auto* instance = new deferred_list;
  return *instance;
}

/// From now on events stand for all the work on the block's queues. False, and to be tried again,
/// while another thread waits for one.
bool replace_queues_by_events(deferred_release& block) {
  while (!block.queues.empty()) {
    sycl::queue& queue = block.queues.back();
    const auto lock = try_lock_queue(queue);
    if (!lock) {
      return false;
    }
    if (!is_known_empty(queue)) {
      block.events.push_back(queue.ext_oneapi_submit_barrier());
    }
    block.queues.pop_back();
  }
  return true;
}

bool is_finished(deferred_release& block) noexcept {
  try {
    return replace_queues_by_events(block) && std::ranges::all_of(block.events, is_complete);
  } catch (...) {
    return false;  // the runtime cannot tell now: asked again another time
  }
}

std::vector<deferred_release> take_if(auto predicate) {
  deferred_list& all = list();
  std::vector<deferred_release> taken;
  const std::lock_guard lock(all.mutex);
  taken.reserve(all.blocks.size());
  const auto kept_end = std::partition(all.blocks.begin(), all.blocks.end(),
                                       [&](deferred_release& block) { return !predicate(block); });
  std::move(kept_end, all.blocks.end(), std::back_inserter(taken));
  all.blocks.erase(kept_end, all.blocks.end());
  all.any.store(!all.blocks.empty(), std::memory_order_relaxed);
  return taken;
}

}  // namespace

release_action holding(std::shared_ptr<const void> kept) {
  using owner = std::shared_ptr<const void>;
  return {[](void* state) noexcept { delete static_cast<owner*>(state); },
          new owner(std::move(kept))};
}

void release_later(deferred_release block) noexcept {
  deferred_list& all = list();
  const std::lock_guard lock(all.mutex);
  try {
    all.blocks.push_back(std::move(block));
    all.any.store(true, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    block.release.forget();
  }
}

// The actions run when the blocks taken are destroyed, outside of the lock: they may let go of
// other memory.
void release_finished() noexcept {
  if (!list().any.load(std::memory_order_relaxed)) {
    return;
  }
  try {
    const auto done = take_if(is_finished);
  } catch (const std::bad_alloc&) {
    // Nothing was taken: another time.
  }
}

void release_all() {
  auto all = take_if([](const deferred_release&) { return true; });
  std::exception_ptr failure;
  for (deferred_release& block : all) {
    try {
      for (const sycl::queue& queue : block.queues) {
        wait_for_queue(queue);
      }
      sycl::event::wait(block.events);
    } catch (...) {
      // The others are still to be waited for before any of them is released.
      failure = std::current_exception();
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace usmx::detail
