#include "runtime/waits.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <sycl/exception.hpp>

#include "base/process.hpp"
#include "runtime/contexts.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/process.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::detail {

/// A queue that was used. It has a mutex of its own: threads at work on one queue do not hold up
/// those on another.
struct used_queue {
  using implementation = std::remove_cvref_t<decltype(sycl::detail::getSyclObjImpl(
      std::declval<const sycl::queue&>()))>;

  explicit used_queue(const sycl::queue& queue)
      : alive(sycl::detail::getSyclObjImpl(queue)),
        traits(traits_of(queue.get_backend())),
        needs_lock(!queue.is_in_order()),
        stream_number(needs_lock ? 0 : next_stream_number()) {}

  static std::uint64_t next_stream_number() noexcept {
    static std::atomic<std::uint64_t> latest = 0;
    return ++latest;
  }

  /// Whether the queue is a stream. Then its end is waited for by an event. The CUDA adapter's own
  /// wait leaves out a stream that a thread has chosen, but on which it has put no command yet, and
  /// so does the next wait (docs/decisions.md, 17).
  bool is_stream() const noexcept {
    return stream_number != 0 && traits.in_order_queues_are_streams;
  }

  std::uint64_t begin_wait() noexcept { return ++waits_begun; }

  void end_wait(std::uint64_t number) noexcept {
    std::uint64_t latest = latest_wait_done.load();
    while (latest < number && !latest_wait_done.compare_exchange_weak(latest, number)) {
    }
  }

  std::weak_ptr<implementation::element_type> alive;
  const backend_traits& traits;
  bool needs_lock;
  std::uint64_t stream_number;
  queue_mutex mutex;
  // The number of waits, which are numbered in the order in which they begin. Finding the queue
  // empty counts as a wait. Work that was submitted before a wait began was submitted before each
  // later one, too.
  std::atomic<std::uint64_t> waits_begun = 0;
  std::atomic<std::uint64_t> latest_wait_done = 0;
};

namespace {

/// The queues that were used, by the identity of each, which no other queue has while it lives.
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

queue_table& table() { return immortal<queue_table>(); }

}  // namespace

queue_lock::queue_lock(std::shared_ptr<used_queue> of, std::unique_lock<queue_mutex> lock) noexcept
    : of_(std::move(of)), lock_(std::move(lock)) {}

queue_lock lock_queue(const sycl::queue& queue) {
  about_to_wait();  // for the lock, whose holder may be waiting for the queue, or in the runtime
  std::shared_ptr<used_queue> of = table().of(queue);
  if (!of->needs_lock) {
    return {std::move(of), {}};
  }
  require_no_lock("a thread waits for a queue's lock");
  std::unique_lock lock(of->mutex);
  return {std::move(of), std::move(lock)};
}

void queue_lock::wait(sycl::queue queue) const {
  const std::uint64_t number = of_->begin_wait();
  {
    const driver_wait waiting(of_->traits.waits_one_at_a_time);
    of_->is_stream() ? queue.ext_oneapi_submit_barrier().wait() : queue.wait();
  }
  of_->end_wait(number);
}

std::uint64_t stream_number(const sycl::queue& queue) { return table().of(queue)->stream_number; }

queue_mark::queue_mark(const sycl::queue& queue)
    : of_(table().of(queue)), waits_begun_(of_->waits_begun.load()) {}

bool queue_mark::was_waited_for() const noexcept {
  return of_->latest_wait_done.load() > waits_begun_;
}

std::uint64_t queue_mark::stream_number() const noexcept { return of_->stream_number; }

queue_moment::queue_moment(const sycl::queue& queue) : queue_(queue), mark_(queue) {}

bool queue_moment::is_past() const {
  if (mark_.was_waited_for()) {
    return true;
  }
  used_queue& of = *mark_.of_;
  if (!of.traits.in_order_queues_tell_if_empty && queue_.is_in_order()) {
    return false;
  }
  const std::unique_lock lock(of.mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    return false;  // another thread waits
  }
  const std::uint64_t number = of.begin_wait();
  if (!queue_.ext_oneapi_empty()) {
    return false;
  }
  of.end_wait(number);
  return true;
}

std::vector<sycl::queue> used_queues() { return table().alive(); }

namespace {

using namespace std::chrono_literals;

thread_local internal::interrupt_check check_of_thread = nullptr;

/// A wait that a helper and the thread that waits for the helper share, until that thread gives up.
class helped_wait {
 public:
  explicit helped_wait(std::function<void()> wait) : wait_(std::move(wait)) {}

  /// Waits, on the helper. The objects that the wait owns are destroyed here, too.
  void run() noexcept {
    try {
      wait_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    wait_ = nullptr;
  }

  void finish() noexcept {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    done_.notify_one();
  }

  /// Waits for the helper, on the thread that waits. Looks on for as long as waking up would take,
  /// which is longer than little work does.
  void await() {
    const auto end = std::chrono::steady_clock::now() + 25us;
    while (!finished_.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < end) {
    }
    while (!is_finished_soon()) {
      if (check_of_thread()) {
        throw internal::interrupted_wait("a signal interrupted the wait; the work goes on");
      }
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  bool is_finished_soon() {
    if (finished_.load(std::memory_order_acquire)) {
      return true;
    }
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, check_interval, [this] { return finished_.load(); });
  }

  std::function<void()> wait_;
  std::exception_ptr failure_;
  ranked_mutex<lock_rank::helped_wait> mutex_;
  ranked_condition done_;
  std::atomic<bool> finished_ = false;  // set with the lock
};

/// Threads that wait for other threads, as many as there are such waits at once. Between waits they
/// sleep, until the process ends. A forked child does not have them, and waits for nothing.
class helper_threads {
 public:
  /// Starts a wait. Returns false if no thread can be started.
  bool start(const std::shared_ptr<helped_wait>& wait) {
    helper* free = take_free();
    if (free == nullptr) {
      return start_on_new_thread(wait);
    }
    const std::lock_guard lock(mutex_);
    free->next = wait;
    free->wake_up.notify_one();
    return true;
  }

  /// Waits for the helpers at exit, since work whose wait was given up must be finished, too.
  void wait_until_free() {
    std::unique_lock lock(mutex_);
    all_free_.wait(lock, [this] { return free_.size() == count_; });
  }

 private:
  struct helper {
    ranked_condition wake_up;
    std::shared_ptr<helped_wait> next;
  };

  helper* take_free() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return nullptr;
    }
    helper* taken = free_.back();
    free_.pop_back();
    return taken;
  }

  bool start_on_new_thread(const std::shared_ptr<helped_wait>& wait) {
    auto made = std::make_unique<helper>();
    made->next = wait;
    {
      const std::lock_guard lock(mutex_);
      free_.reserve(count_ + 1);  // so that a helper needs no memory to become free
      ++count_;
    }
    try {
      const signals_blocked blocked;
      std::thread([this, self = made.get()] { work(*self); }).detach();
    } catch (const std::system_error&) {
      const std::lock_guard lock(mutex_);
      --count_;
      return false;
    }
    made.release();  // it lives as long as its thread
    return true;
  }

  void work(helper& self) noexcept {
    for (;;) {
      std::unique_lock lock(mutex_);
      self.wake_up.wait(lock, [&] { return self.next != nullptr; });
      const std::shared_ptr<helped_wait> wait = std::move(self.next);
      lock.unlock();
      wait->run();
      lock.lock();
      free_.push_back(&self);  // before the wait is finished: the next one may use this helper
      all_free_.notify_one();
      lock.unlock();
      wait->finish();
    }
  }

  ranked_mutex<lock_rank::helper_threads> mutex_;  // no call of the runtime under it
  ranked_condition all_free_;
  std::vector<helper*> free_;
  std::size_t count_ = 0;
};

/// The object is never destroyed: its threads use it until the process ends.
helper_threads& helpers() {
  static helper_threads& all = *[] {
    auto* made = new helper_threads;
    wait_at_exit();
    add_exit_wait([] { helpers().wait_until_free(); });
    return made;
  }();
  return all;
}

/// Whether a queue is idle, which is asked once, so that an idle queue needs no helper. If an
/// in-order queue cannot be asked whether it is empty (docs/decisions.md, 18), a barrier tells.
bool is_idle(const sycl::queue& queue) {
  if (queue.is_in_order() && !traits_of(queue.get_backend()).in_order_queues_tell_if_empty) {
    return is_complete(submit_barrier(queue));
  }
  return queue_moment(queue).is_past();
}

/// Whether the work of an in-order queue is complete. Polls a barrier's event for a while, if that
/// is quicker than to wake up a thread.
bool is_done_soon(const sycl::queue& queue) {
  const std::chrono::microseconds time = traits_of(queue.get_backend()).asked_before_wait;
  if (!queue.is_in_order() || time == 0us) {
    return false;
  }
  about_to_wait();
  const std::shared_ptr<used_queue> of = table().of(queue);
  const std::uint64_t number = of->begin_wait();
  const sycl::event reached = submit_barrier(queue);
  const auto end = std::chrono::steady_clock::now() + time;
  while (!is_complete(reached)) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
  }
  of->end_wait(number);
  return true;
}

/// The time for which to poll the events: the shortest of those that their back ends state.
std::chrono::microseconds time_to_ask(const std::vector<sycl::event>& events) {
  auto time = std::chrono::microseconds::max();
  for (const sycl::event& event : events) {
    const auto its_backend = internal::backend_of(event);
    time = std::min(time, its_backend ? traits_of(*its_backend).asked_before_wait : 0us);
  }
  return time;
}

/// Whether the events are complete. Polls them for a while, if that is quicker than to wait.
bool are_complete_soon(const std::vector<sycl::event>& events) {
  if (std::ranges::all_of(events, is_complete)) {
    return true;
  }
  about_to_wait();
  const auto end = std::chrono::steady_clock::now() + time_to_ask(events);
  while (std::chrono::steady_clock::now() < end) {
    if (std::ranges::all_of(events, is_complete)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool should_give_up() { return check_of_thread != nullptr && check_of_thread(); }

bool may_be_interrupted() noexcept { return check_of_thread != nullptr; }

void wait_on_helper(std::function<void()> wait) {
  const auto helped = std::make_shared<helped_wait>(std::move(wait));
  if (!helpers().start(helped)) {
    helped->run();  // there are no more threads: this wait cannot be given up
    helped->finish();
  }
  helped->await();
}

void wait_interruptibly_for_all(std::vector<sycl::event> events) {
  if (!may_be_interrupted() || are_complete_soon(events)) {
    return wait_for_all(events);
  }
  wait_on_helper([events = std::move(events)] { wait_for_all(events); });
}

bool is_complete(const sycl::event& event) {
  return event.get_info<sycl::info::event::command_execution_status>() ==
         sycl::info::event_command_status::complete;
}

bool is_known_empty(const sycl::queue& queue) {
  try {
    return queue.is_in_order() && traits_of(queue.get_backend()).in_order_queues_tell_if_empty &&
           queue.ext_oneapi_empty();
  } catch (const sycl::exception&) {
    return false;
  }
}

namespace {

thread_local bool waiting_is_refused = false;
std::atomic<void (*)() noexcept> told_of_waits = nullptr;

// The mutex is made without an allocation, so that no wait fails for lack of memory, and never
// destroyed, since it is used at exit.
constinit driver_mutex mutex_of_waits;
static_assert(std::is_trivially_destructible_v<driver_mutex>);

/// Whether the event's back end allows only one wait at a time. An event that has no back end yet
/// counts, too: it may get such a back end during the wait.
bool is_waited_for_alone(const sycl::event& event) {
  const std::optional<sycl::backend> its_backend = internal::backend_of(event);
  return !its_backend || traits_of(*its_backend).waits_one_at_a_time;
}

}  // namespace

void about_to_wait() {
  if (waiting_is_refused) {
    throw internal::would_wait();
  }
  if (const auto told = told_of_waits.load(std::memory_order_relaxed)) {
    told();
  }
}

driver_wait::driver_wait(bool alone) {
  about_to_wait();
  require_no_lock_but({lock_rank::queue}, "a thread waits in the driver");
  require_no_interpreter_lock("a thread waits in the driver");
  if (alone) {
    lock_ = std::unique_lock(mutex_of_waits);
  }
}

void wait_for(sycl::event event) {
  const driver_wait waiting(is_waited_for_alone(event));
  event.wait();
}

void wait_for_all(const std::vector<sycl::event>& events) {
  if (events.empty()) {
    return;
  }
  const driver_wait waiting(std::ranges::any_of(events, is_waited_for_alone));
  sycl::event::wait(events);
}

namespace {

std::array<std::atomic<void (*)()>, 4> waits{};
std::atomic<std::size_t> wait_count = 0;

template <class Wait>
void try_to_wait(const Wait& wait) noexcept {
  try {
    wait();
  } catch (...) {
    // The work failed. Nobody can be told any more, and the rest still has to be waited for.
  }
}

void wait_for_each(const std::vector<sycl::queue>& queues) noexcept {
  for (const sycl::queue& queue : queues) {
    try_to_wait([&] { wait_for_queue(queue); });
  }
}

/// A forked child ends here, with the status of its exit: the driver's own end would wait for
/// threads that the child does not have.
void finish_work_at_exit(int status, void*) noexcept {
  if (is_forked_child()) {
    std::fflush(nullptr);
    ::_exit(status);
  }
  begin_exit();
  for (const std::atomic<void (*)()>& wait : waits) {
    if (const auto function = wait.load()) {
      try_to_wait(function);
    }
  }
  try_to_wait([] { wait_for_each(cached_queues()); });
  try_to_wait([] { wait_for_each(used_queues()); });
}

}  // namespace

void wait_at_exit() {
  [[maybe_unused]] static const int registered = ::on_exit(finish_work_at_exit, nullptr);
}

void add_exit_wait(void (*wait)()) { waits.at(wait_count++) = wait; }

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {

internal::interrupt_check internal::set_interrupt_check(interrupt_check check) noexcept {
  return std::exchange(detail::check_of_thread, check);
}

void internal::wait_interruptibly(const sycl::queue& queue) {
  const detail::runtime_call call;
  if (!detail::may_be_interrupted()) {
    return detail::lock_queue(queue).wait(queue);
  }
  if (detail::is_idle(queue) || detail::is_done_soon(queue)) {
    return;
  }
  detail::wait_on_helper([queue] { detail::lock_queue(queue).wait(queue); });
}

internal::no_waiting::no_waiting() noexcept { detail::waiting_is_refused = true; }
internal::no_waiting::~no_waiting() { detail::waiting_is_refused = false; }

void internal::tell_of_waits(void (*told)() noexcept) noexcept {
  detail::told_of_waits.store(told, std::memory_order_relaxed);
}

}  // namespace usmx::inline v1

namespace usmx::inline v1::internal {
namespace {

// The function is deprecated, but the only one that tells whether a back end has the event.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::uint32_t references_of_back_end(const sycl::event& event) {
  return event.get_info<sycl::info::event::reference_count>();
}
#pragma GCC diagnostic pop

}  // namespace

std::optional<sycl::backend> backend_of(const sycl::event& event) {
  return references_of_back_end(event) > 0 ? std::optional(event.get_backend()) : std::nullopt;
}

}  // namespace usmx::inline v1::internal
