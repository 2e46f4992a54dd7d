#include "array/submission.hpp"

#include <algorithm>

#include "runtime/completion.hpp"
#include "runtime/interruption.hpp"
#include "runtime/queue_lock.hpp"
#include "runtime/waiting.hpp"

namespace usmx::inline v1::detail {

void submission::use(byte_range bytes, access made) {
  parts_.push_back({bytes, made, pending_work_before(bytes, made)});
  follow(parts_.back().earlier.events);
}

void submission::use(const array& a, access made) {
  if (const auto bytes = range_of(a.memory().data(), a.type(), a.layout())) {
    use(*bytes, made);
    follow_others(a);
  }
}

void submission::follow(std::span<const sycl::event> events) {
  before_.insert(before_.end(), events.begin(), events.end());
}

void submission::follow_others(const array& a) {
  for (const sycl::queue& other : a.memory().others_queues()) {
    if (std::ranges::find(followed_, other) != followed_.end()) {
      continue;
    }
    followed_.push_back(other);
    if (!other.is_in_order()) {
      others_may_overtake_ = true;
      internal::wait_interruptibly(other);
    } else if (queue_ == nullptr || other != *queue_) {
      others_may_overtake_ = true;
      if (!is_known_empty(other)) {
        before_.push_back(submit_barrier(other));
      }
    }
  }
}

sycl::event submission::announce(sycl::event started) const {
  for (const part& each : parts_) {
    add_pending_work(each.bytes, each.made, started, each.earlier, *queue_);
  }
  return started;
}

sycl::event submission::start(
    const std::function<sycl::event(const std::vector<sycl::event>&)>& start) const {
  sycl::event done = announce(submit_to(*queue_, [&](sycl::queue&) { return start(before_); }));
  if (others_may_overtake_) {
    wait_for(done);
  }
  return done;
}

sycl::event submission::start_command(const std::function<void(sycl::handler&)>& command) const {
  return start([&](const std::vector<sycl::event>& before) {
    return sycl::queue(*queue_).submit([&](sycl::handler& handler) {
      handler.depends_on(before);
      command(handler);
    });
  });
}

}  // namespace usmx::inline v1::detail
