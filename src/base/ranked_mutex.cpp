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

constexpr const char* lock_names[] = {
#define USMX_LOCK(name) #name,
#include "base/lock_ranks.inc"
#undef USMX_LOCK
};
const char* name(lock_rank rank) noexcept { return lock_names[static_cast<std::size_t>(rank)]; }

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
