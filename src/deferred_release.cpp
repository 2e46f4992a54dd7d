#include "deferred_release.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>

namespace usmx::detail {
namespace {

struct deferred {
  std::vector<sycl::event> events;
  release_action release;

  bool is_finished() const {
    return std::ranges::all_of(events, [](const sycl::event& event) {
      return event.get_info<sycl::info::event::command_execution_status>() ==
             sycl::info::event_command_status::complete;
    });
  }
};

struct deferred_list {
  std::atomic<bool> any = false;
  std::mutex mutex;
  std::vector<deferred> entries;
};

/// Never destroyed: memory may be let go after main.
deferred_list& list() {
  static auto* instance = new deferred_list;
  return *instance;
}

std::vector<deferred> take_if(auto predicate) {
  deferred_list& all = list();
  std::vector<deferred> taken;
  const std::lock_guard lock(all.mutex);
  const auto kept_end = std::partition(all.entries.begin(), all.entries.end(),
                                       [&](const deferred& d) { return !predicate(d); });
  std::move(kept_end, all.entries.end(), std::back_inserter(taken));
  all.entries.erase(kept_end, all.entries.end());
  all.any.store(!all.entries.empty(), std::memory_order_relaxed);
  return taken;
}

}  // namespace

void release_after(std::vector<sycl::event> events, release_action release) noexcept {
  deferred_list& all = list();
  const std::lock_guard lock(all.mutex);
  all.entries.push_back({std::move(events), std::move(release)});
  all.any.store(true, std::memory_order_relaxed);
}

// The actions run when `done` is destroyed, outside of the lock: they may let go of other memory.
void release_finished() noexcept {
  if (list().any.load(std::memory_order_relaxed)) {
    const auto done = take_if([](const deferred& d) { return d.is_finished(); });
  }
}

void release_all() {
  const auto done = take_if([](const deferred&) { return true; });
  for (const deferred& entry : done) {
    sycl::event::wait(entry.events);
  }
}

}  // namespace usmx::detail
