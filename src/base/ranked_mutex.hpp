// The order of the library's locks, and mutexes that know their place in it. In builds with
// USMX_CHECK_LOCKS (the presets debug, asan-ubsan and tsan) a thread that takes locks in another
// order, or that holds one while it does something that may take long or call foreign code, aborts
// the process with both names. In all other builds a ranked mutex is a std::mutex, and nothing is
// checked. docs/concurrency.md has the same locks as a table. Not installed.
#pragma once

#include <condition_variable>
#include <initializer_list>
#include <mutex>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::detail {

/// The locks in the order in which a thread may take them: while it holds one, it may take only
/// those that come after it. The list says what a lock guards, and what may be called under it.
/// "The runtime" means calls of the SYCL runtime that ask, make or submit, never one that waits for
/// work.
enum class lock_rank : unsigned char {
#define USMX_LOCK(name) name,
#include "base/lock_ranks.inc"
#undef USMX_LOCK
};

#ifdef USMX_CHECK_LOCKS

/// Aborts if the thread holds a lock of the same rank or of a later one. Pools on top of pools may
/// hold several of pool_growth.
void require_order(lock_rank) noexcept;
void note_locked(lock_rank) noexcept;
void note_unlocked(lock_rank) noexcept;
/// Aborts if the thread holds a ranked mutex that is not among the allowed ones. `action` names
/// what is about to be done, as in "what would happen under a lock".
void require_no_lock_but(std::initializer_list<lock_rank> allowed, const char* action) noexcept;
/// Aborts if the thread has the interpreter lock.
void require_no_interpreter_lock(const char* action) noexcept;

/// A mutex with a rank, which is not recursive. `try_lock` may take it out of order, because it
/// does not wait.
template <lock_rank rank>
class ranked_mutex {
 public:
  void lock() {
    require_order(rank);
    mutex_.lock();
    note_locked(rank);
  }
  bool try_lock() {
    const bool locked = mutex_.try_lock();
    if (locked) {
      note_locked(rank);
    }
    return locked;
  }
  void unlock() {
    note_unlocked(rank);
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
};

using ranked_condition = std::condition_variable_any;

#else

inline void require_no_lock_but(std::initializer_list<lock_rank>, const char*) noexcept {}
inline void require_no_interpreter_lock(const char*) noexcept {}

template <lock_rank>
using ranked_mutex = std::mutex;

using ranked_condition = std::condition_variable;

#ifdef __GLIBCXX__
// g++ 12 gave this function another version, which RHEL 9 lacks. No other symbol of the library is
// so new, and the version before it is in every libstdc++ (docs/decisions.md, 109).
__asm__(
    ".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, "
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
#endif

#endif

/// Aborts if the thread holds any lock. Called before anything that may call foreign code or take
/// long.
inline void require_no_lock(const char* action) noexcept { require_no_lock_but({}, action); }

}  // namespace usmx::inline v1::detail

// The part that usmx's Python module takes: it owns the outermost lock, Python's.
namespace usmx::inline v1::internal {

#ifdef USMX_CHECK_LOCKS

/// Sets the function that says whether the calling thread has the interpreter lock. From then on
/// the process is aborted if a thread waits in the driver with that lock.
USMX_API void set_interpreter_check(bool (*has_interpreter_lock)() noexcept) noexcept;

/// Aborts the process if the thread holds a lock of the library. Called before the interpreter lock
/// is taken.
USMX_API void require_no_library_lock() noexcept;

#else

inline void require_no_library_lock() noexcept {}

#endif

}  // namespace usmx::inline v1::internal
