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
/// those that come after it. The comments say what a lock guards, and what may be called under it.
/// "The runtime" means calls of the SYCL runtime that ask, make or submit, never one that waits for
/// work.
enum class lock_rank : unsigned char {
  /// Python's. Under it: everything that neither waits nor blocks for long.
  interpreter,
  /// The kernels of one group, while a thread loads or builds them. Under it: the runtime and its
  /// compiler, files, warnings.
  kernel_group,
  /// The batches of memory that wait for their work. Under it: the runtime, to ask events and to
  /// submit barriers to in-order queues.
  deferred_work,
  /// The slots of a context's state, while one is made. Under it: the slot's constructor, which may
  /// call the runtime.
  context_slots,
  /// The devices of a kernel store. Under it: the runtime is asked about a device.
  kernel_store,
  /// The users' kernels that were built in a context. Under it: the runtime compares devices.
  built_kernels,
  /// The types that a generated kernel has been called with. Under it: nothing.
  generated_kernels,
  /// The kernels that one object has compiled. Under it: the runtime compares contexts and devices.
  compiled_kernels,
  /// The resources of a context, while those of one device and kind are made. Under it: the
  /// runtime, warnings.
  context_resources,
  /// The resources that the leak report asks at exit. Under it: their own locks.
  tracked_resources,
  /// The default pools that live. Under it: nothing.
  pool_list,
  /// All pools that live, the program's too. Under it: nothing.
  living_pools,
  /// The current resource of a device and kind. Under it: nothing.
  current_resource,
  /// One thread at a time looks for a pool's unused slabs. Under it: the pool's other locks.
  pool_trim,
  /// One thread at a time gets a slab. Under it: the resource below the pool, whatever that is. If
  /// that is a pool again, its locks of this rank, too.
  pool_growth,
  /// The magazines of some threads. Under it: nothing.
  pool_shard,
  /// The free blocks and slabs of a size. Under it: nothing.
  pool_depot,
  /// The large blocks of a pool. Under it: nothing.
  block_cache,
  /// Blocks that were made larger to be aligned. Under it: nothing.
  larger_blocks,
  /// Blocks that wait for their work. Under it: nothing.
  reusable_blocks,
  /// Where pools' memory is; readers need no lock. Under it: nothing.
  pooled_ranges,
  /// A part of the registry of allocations; readers need no lock. Under it: the spin lock of one
  /// slot.
  registry_shard,
  /// The views that host code has. Under it: nothing.
  host_views,
  /// The states of contexts. Under it: the queues of each, and the runtime compares.
  context_states,
  /// The cached queues of a context. Under it: the runtime makes a queue.
  context_queues,
  /// The default queue that a program has set. Under it: nothing.
  default_queue,
  /// Whose memory kernels of a device may use. Under it: the runtime asks for and enables access.
  peer_access,
  /// The state of each queue that usmx has used. Under it: the runtime is asked about a queue.
  queue_table,
  /// One queue, around each submission to it and each wait for it. Under it: the runtime, and the
  /// wait for this queue.
  queue,
  /// cuBLAS's handles, of which each has one stream at a time. Under it: cuBLAS.
  cublas,
  /// The unfinished work, by address. Under it: nothing.
  pending_work,
  /// Memory that was just released and is in no batch yet. Under it: nothing.
  deferred_arrivals,
  /// The names of devices in a memory log. Under it: the runtime is asked for a name.
  memory_log,
  /// The structured types of the process. Under it: nothing.
  structures,
  /// The numbers that DLPack gives devices. Under it: nothing.
  known_queues,
  /// The exception of the first of several tasks that failed. Under it: nothing.
  task_failure,
  /// The job that the worker threads share. Under it: nothing; they work without it.
  worker_threads,
  /// The threads that wait for others. Under it: nothing; they wait without it.
  helper_threads,
  /// Whether a wait of such a thread is over. Under it: nothing.
  helped_wait,
  /// Waits in the OpenCL driver, of which there may be only one at a time. Under it: that wait.
  driver_wait,
  /// The bytes that C code has. Under it: nothing.
  given_bytes,
  /// The memory of containers. Under it: nothing.
  container_blocks,
};

#ifdef USMX_CHECK_LOCKS

/// Aborts if the thread holds a lock of the same rank or of a later one. Pools on top of pools may
/// hold several of pool_growth.
void require_order(lock_rank) noexcept;
void note_locked(lock_rank) noexcept;
void note_unlocked(lock_rank) noexcept;
/// Aborts if the thread holds a ranked mutex that is not among the allowed ones. `action` is what
/// is about to be done: "what would happen under a lock".
void require_no_lock_but(std::initializer_list<lock_rank> allowed, const char* action) noexcept;
/// Aborts if the thread has the interpreter lock.
void require_no_interpreter_lock(const char* action) noexcept;

/// Not recursive. `try_lock` may take it out of order, because it does not wait.
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

/// To be called before anything that may call foreign code or take long: aborts if the thread holds
/// any lock.
inline void require_no_lock(const char* action) noexcept { require_no_lock_but({}, action); }

}  // namespace usmx::inline v1::detail

// The part that usmx's Python module takes: it owns the outermost lock, Python's.
namespace usmx::inline v1::internal {

#ifdef USMX_CHECK_LOCKS

/// The function says whether the calling thread has the interpreter lock. From then on the process
/// is aborted if a thread waits in the driver with that lock.
USMX_API void set_interpreter_check(bool (*has_interpreter_lock)() noexcept) noexcept;

/// To be called before the interpreter lock is taken: aborts the process if the thread holds a lock
/// of the library.
USMX_API void require_no_library_lock() noexcept;

#else

inline void require_no_library_lock() noexcept {}

#endif

}  // namespace usmx::inline v1::internal
