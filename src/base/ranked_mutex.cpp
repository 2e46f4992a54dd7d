#include "base/ranked_mutex.hpp"

#ifdef USMX_CHECK_LOCKS

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace usmx::inline v1 {
namespace detail {
namespace {

const char* name(lock_rank rank) noexcept {
  switch (rank) {
    case lock_rank::interpreter:
      return "interpreter";
    case lock_rank::kernel_group:
      return "kernel_group";
    case lock_rank::deferred_work:
      return "deferred_work";
    case lock_rank::context_slots:
      return "context_slots";
    case lock_rank::kernel_store:
      return "kernel_store";
    case lock_rank::built_kernels:
      return "built_kernels";
    case lock_rank::generated_kernels:
      return "generated_kernels";
    case lock_rank::compiled_kernels:
      return "compiled_kernels";
    case lock_rank::context_resources:
      return "context_resources";
    case lock_rank::tracked_resources:
      return "tracked_resources";
    case lock_rank::pool_list:
      return "pool_list";
    case lock_rank::living_pools:
      return "living_pools";
    case lock_rank::current_resource:
      return "current_resource";
    case lock_rank::pool_trim:
      return "pool_trim";
    case lock_rank::pool_growth:
      return "pool_growth";
    case lock_rank::pool_shard:
      return "pool_shard";
    case lock_rank::pool_depot:
      return "pool_depot";
    case lock_rank::block_cache:
      return "block_cache";
    case lock_rank::larger_blocks:
      return "larger_blocks";
    case lock_rank::reusable_blocks:
      return "reusable_blocks";
    case lock_rank::pooled_ranges:
      return "pooled_ranges";
    case lock_rank::registry_shard:
      return "registry_shard";
    case lock_rank::host_views:
      return "host_views";
    case lock_rank::context_states:
      return "context_states";
    case lock_rank::context_queues:
      return "context_queues";
    case lock_rank::default_queue:
      return "default_queue";
    case lock_rank::peer_access:
      return "peer_access";
    case lock_rank::queue_table:
      return "queue_table";
    case lock_rank::queue:
      return "queue";
    case lock_rank::cublas:
      return "cublas";
    case lock_rank::pending_work:
      return "pending_work";
    case lock_rank::deferred_arrivals:
      return "deferred_arrivals";
    case lock_rank::memory_log:
      return "memory_log";
    case lock_rank::structures:
      return "structures";
    case lock_rank::known_queues:
      return "known_queues";
    case lock_rank::task_failure:
      return "task_failure";
    case lock_rank::worker_threads:
      return "worker_threads";
    case lock_rank::helper_threads:
      return "helper_threads";
    case lock_rank::helped_wait:
      return "helped_wait";
    case lock_rank::driver_wait:
      return "driver_wait";
    case lock_rank::given_bytes:
      return "given_bytes";
    case lock_rank::container_blocks:
      return "container_blocks";
  }
  return "unknown";
}

/// The locks of one thread, in the order in which it took them. It has no destructor, because other
/// destructors of the thread may take locks later.
class held_locks {
 public:
  std::span<const lock_rank> all() const noexcept { return {ranks_.data(), count_}; }
  void add(lock_rank rank) noexcept {
    if (count_ == ranks_.size()) {
      std::fprintf(stderr, "usmx: a thread holds more than %zu locks\n", count_);
      std::abort();
    }
    ranks_[count_++] = rank;
  }
  void remove(lock_rank rank) noexcept {
    const auto last = ranks_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto found = std::find(ranks_.begin(), last, rank);
    if (found != last) {  // one of several of the same rank is as good as another
      std::copy(found + 1, last, found);
      --count_;
    }
  }

 private:
  std::array<lock_rank, 16> ranks_{};
  std::size_t count_ = 0;
};

thread_local held_locks held;

std::atomic<bool (*)() noexcept> interpreter_check = nullptr;

[[noreturn]] void refuse(const char* action, const char* lock) noexcept {
  std::fprintf(stderr, "usmx: %s while the lock '%s' is held (docs/concurrency.md)\n", action,
               lock);
  std::abort();
}

}  // namespace

void require_order(lock_rank rank) noexcept {
  for (const lock_rank other : held.all()) {
    if (other > rank || (other == rank && rank != lock_rank::pool_growth)) {
      std::fprintf(stderr,
                   "usmx: a lock of a lower rank is taken while a higher one is held: '%s' (%d) "
                   "while '%s' (%d) (docs/concurrency.md)\n",
                   name(rank), static_cast<int>(rank), name(other), static_cast<int>(other));
      std::abort();
    }
  }
}

void note_locked(lock_rank rank) noexcept { held.add(rank); }

void note_unlocked(lock_rank rank) noexcept { held.remove(rank); }

void require_no_lock_but(std::initializer_list<lock_rank> allowed, const char* action) noexcept {
  for (const lock_rank each : held.all()) {
    if (std::ranges::find(allowed, each) == allowed.end()) {
      refuse(action, name(each));
    }
  }
}

void require_no_interpreter_lock(const char* action) noexcept {
  const auto has_interpreter_lock = interpreter_check.load();
  if (has_interpreter_lock != nullptr && has_interpreter_lock()) {
    refuse(action, name(lock_rank::interpreter));
  }
}

}  // namespace detail

void internal::set_interpreter_check(bool (*has_interpreter_lock)() noexcept) noexcept {
  detail::interpreter_check = has_interpreter_lock;
}

void internal::require_no_library_lock() noexcept {
  detail::require_no_lock("the interpreter lock is taken");
}

}  // namespace usmx::inline v1

#endif
