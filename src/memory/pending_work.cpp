#include "memory/pending_work.hpp"

#include <limits>
#include <mutex>
#include <new>

#include "base/ranked_mutex.hpp"
#include "runtime/contexts.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "runtime/waits.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::detail {
namespace {

using history = access_history<pending_event>;

/// The number of reads of the same bytes, and of recorded events, that accumulate before one event
/// replaces them.
constexpr std::size_t most_works = 32;

struct table {
  std::atomic<bool> any = false;
  ranked_mutex<lock_rank::pending_work> mutex;
  history all;
  std::uintptr_t swept = 0;
};

/// The table is never destroyed: memory may be released after main.
table& pending() {
  static table& instance = *[] {
    add_exit_wait(wait_for_all_pending_work);
    return new table;
  }();
  return instance;
}

void note_emptiness(table& now) { now.any.store(!now.all.empty(), std::memory_order_release); }

/// The numbers of the works that are complete. Asks outside of the lock, because that is a call of
/// the runtime.
std::vector<history::serial> finished_of(const std::vector<history::work>& works) {
  std::vector<history::serial> finished;
  for (const history::work& work : works) {
    if (work.event.is_complete()) {
      finished.push_back(work.number);
    }
  }
  return finished;
}

/// The numbers of the works that are complete, up to the first that is not. Works mostly end in
/// their order, and each question is a call of the runtime.
std::vector<history::serial> first_finished_of(const std::vector<history::work>& works) {
  const auto unfinished =
      std::ranges::find_if_not(works, &pending_event::is_complete, &history::work::event);
  std::vector<history::serial> finished;
  std::ranges::transform(works.begin(), unfinished, std::back_inserter(finished),
                         &history::work::number);
  return finished;
}

/// The events of all works except the finished ones.
std::vector<sycl::event> others_than(const std::vector<history::serial>& finished,
                                     const std::vector<history::work>& works) {
  std::vector<sycl::event> others;
  for (const history::work& work : works) {
    if (!std::ranges::binary_search(finished, work.number)) {
      others.push_back(work.event.event());
    }
  }
  return others;
}

/// Whether it costs less to come after all of these than to ask which of them are complete.
bool is_followed_unasked(const std::vector<history::work>& works) {
  constexpr std::size_t few = 4;
  return !works.empty() && works.size() <= few && works.front().event.is_slow_to_ask();
}
constexpr std::uint64_t calls_between_sweeps = 8;  // of those that do not ask

std::vector<history::work> find(byte_range bytes, access wanted, std::uint64_t& seen) {
  const std::lock_guard lock(pending().mutex);
  seen = pending().all.latest();
  return pending().all.find(bytes, wanted);
}

void forget(byte_range bytes, const std::vector<history::serial>& finished) {
  if (finished.empty()) {
    return;
  }
  const std::lock_guard lock(pending().mutex);
  pending().all.forget(bytes, finished);
  note_emptiness(pending());
}

/// Forgets the finished work of one segment, each in turn, since nobody may ever ask for its bytes
/// again. Work that ends before earlier work stays until that ends, too.
void sweep() {
  byte_range bytes{};
  std::vector<history::work> works;
  {
    const std::lock_guard lock(pending().mutex);
    if (pending().all.empty()) {
      return;
    }
    bytes = pending().all.segment_after(pending().swept);
    pending().swept = bytes.end;
    works = pending().all.find(bytes, access::write);
  }
  forget(bytes, first_finished_of(works));
}

/// A private queue of a context, for barriers that make one event of many. On a queue of others,
/// such a barrier would make later barriers miss commands (docs/decisions.md, 19).
class barrier_queue : public context_slot {
 public:
  explicit barrier_queue(const sycl::context& context)
      : queue_(context, context.get_devices().front()) {}

  sycl::event after(const std::vector<sycl::event>& events) {
    return submit_to(queue_, [&](sycl::queue& to) { return to.ext_oneapi_submit_barrier(events); });
  }

 private:
  sycl::queue queue_;
};

/// Whether an event may be that of a host task. A barrier that waits for a host task makes the next
/// barrier crash the process once the host task ends (docs/decisions.md, 20).
bool may_need_host_task(const sycl::event& event) { return !internal::backend_of(event); }

/// Replaces many events by one, that of a barrier: on their queue if it is in order and all are on
/// it, else on a private queue. The events stay as long as one of them waits for a host task, which
/// a barrier must not.
void combine_works(byte_range bytes, const sycl::queue& queue) {
  std::uint64_t seen = 0;
  const std::vector<history::work> works = find(bytes, access::write, seen);
  const auto replace_all = [&](const pending_event& done) {
    const std::lock_guard lock(pending().mutex);
    pending().all.add(bytes, access::write, done, seen);
  };
  const std::uint64_t stream = stream_number(queue);
  if (std::ranges::all_of(works,
                          [&](const history::work& each) { return each.event.is_on(stream); })) {
    return replace_all(pending_event(submit_barrier(queue), queue));
  }
  const std::vector<history::serial> finished = finished_of(works);
  const std::vector<sycl::event> unfinished = others_than(finished, works);
  if (unfinished.size() < most_works || std::ranges::any_of(unfinished, may_need_host_task)) {
    return forget(bytes, finished);
  }
  replace_all(slot_of<barrier_queue>(state_of(queue.get_context()))->after(unfinished));
}

/// Whether the queue was asked and is idle. One call of eight asks: the question takes almost half
/// as long as a launch, and each launch comes here.
bool is_seen_idle(const sycl::queue& queue) {
  static std::atomic<unsigned> calls = 0;
  return calls.fetch_add(1, std::memory_order_relaxed) % 8 == 0 && queue_moment(queue).is_past();
}

}  // namespace

pending_event::pending_event(const sycl::event& event) try
    : shared_(std::make_shared<state>(event)) {
} catch (...) {
  wait_for(event);
  throw;
}

pending_event::pending_event(const sycl::event& event, const sycl::queue& queue) try
    : shared_(std::make_shared<state>(event, queue)) {
} catch (...) {
  wait_for(event);
  throw;
}

pending_event::pending_event(const sycl::queue& in_order) try
    : shared_(std::make_shared<state>(in_order)) {
} catch (...) {
  wait_for_queue(in_order);
  throw;
}

const sycl::event& pending_event::event() const {
  if (const sycl::event* known = shared_->event.load(std::memory_order_acquire)) {
    return *known;
  }
  auto made = std::make_unique<const sycl::event>(submit_barrier(*shared_->queue));
  const sycl::event* known = nullptr;  // where another thread was first, its event stays
  return shared_->event.compare_exchange_strong(known, made.get()) ? *made.release() : *known;
}

void pending_event::wait() const {
  if (const sycl::event* known = shared_->event.load(std::memory_order_acquire)) {
    wait_for(*known);
  } else {
    wait_for_queue(*shared_->queue);
  }
}

bool pending_event::is_slow_to_ask() const {
  const auto backend =
      shared_->queue ? std::optional(shared_->queue->get_backend()) : internal::backend_of(event());
  return backend && traits_of(*backend).asking_is_slow;
}

bool pending_event::is_on(std::uint64_t stream_number) const noexcept {
  return stream_number != 0 && shared_->submitted &&
         shared_->submitted->stream_number() == stream_number;
}

bool pending_event::is_complete() const {
  if (shared_->is_complete.load(std::memory_order_acquire)) {
    return true;
  }
  const auto ask = [&] {
    const sycl::event* known = shared_->event.load(std::memory_order_acquire);
    return known != nullptr ? detail::is_complete(*known) : is_seen_idle(*shared_->queue);
  };
  const bool is_complete = (shared_->submitted && shared_->submitted->was_waited_for()) || ask();
  if (is_complete) {
    shared_->is_complete.store(true, std::memory_order_release);
  }
  return is_complete;
}

bool has_pending_work() noexcept { return pending().any.load(std::memory_order_acquire); }

bool may_have_pending_work(byte_range bytes, access wanted) noexcept {
  if (!has_pending_work()) {
    return false;
  }
  const std::lock_guard lock(pending().mutex);
  return pending().all.has_any(bytes, wanted);
}

bool may_have_pending_work(const void* first, std::size_t nbytes) noexcept {
  return nbytes != 0 && may_have_pending_work(range_of(first, nbytes), access::write);
}

earlier_work pending_work_before(byte_range bytes, access wanted, std::uint64_t stream_number) {
  earlier_work found;
  if (!has_pending_work()) {
    return found;
  }
  std::vector<history::work> works = find(bytes, wanted, found.seen);
  const bool has_left_out = std::erase_if(works, [&](const history::work& each) {
                              return each.event.is_on(stream_number);
                            }) > 0;
  const bool asks = !(works.empty() ? has_left_out : is_followed_unasked(works));
  const std::vector<history::serial> finished =
      asks ? finished_of(works) : std::vector<history::serial>();
  found.events = others_than(finished, works);
  if (!asks && found.seen % calls_between_sweeps != 0) {
    return found;
  }
  forget(bytes, finished);
  sweep();
  return found;
}

bool is_work_finished(byte_range bytes) {
  std::uint64_t seen = 0;
  const std::vector<history::work> works = find(bytes, access::write, seen);
  const std::vector<history::serial> finished = first_finished_of(works);
  if (finished.size() != works.size()) {
    return false;
  }
  forget(bytes, finished);
  return true;
}

void add_pending_work(byte_range bytes, access made, const pending_event& done,
                      const earlier_work& earlier, const sycl::queue& queue) {
  std::size_t works = 0;
  try {
    const std::lock_guard lock(pending().mutex);
    pending().all.add(bytes, made, done, earlier.seen);
    works = pending().all.most_works(bytes);
    pending().any.store(true, std::memory_order_release);
  } catch (...) {
    done.wait();
    throw;
  }
  if (works >= most_works) {
    try {
      combine_works(bytes, queue);
    } catch (...) {
      // If that fails, the events stay many: that is slower, but nothing is lost.
    }
  }
}

sycl::event event_of_all(const std::vector<sycl::event>& all, const sycl::context& context) {
  if (all.size() < 2) {
    return all.empty() ? sycl::event() : all.front();
  }
  if (std::ranges::any_of(all, may_need_host_task)) {
    wait_for_all(all);
    return {};
  }
  return slot_of<barrier_queue>(state_of(context))->after(all);
}

void wait_for_pending_work(byte_range bytes, access wanted) {
  if (has_pending_work()) {
    wait_interruptibly_for_all(pending_work_before(bytes, wanted).events);
    std::uint64_t seen = 0;
    forget(bytes, finished_of(find(bytes, wanted, seen)));
    sweep();
  }
}

void forget_pending_work(byte_range bytes) noexcept {
  if (!has_pending_work()) {
    return;
  }
  std::vector<history::work> taken;  // destroyed without the lock
  try {
    const std::lock_guard lock(pending().mutex);
    taken = pending().all.take(bytes);
    note_emptiness(pending());
  } catch (const std::bad_alloc&) {
    // If that fails, the work stays known.
  }
}

void wait_for_all_pending_work() {
  wait_for_pending_work({0, std::numeric_limits<std::uintptr_t>::max()}, access::write);
}

}  // namespace usmx::inline v1::detail
