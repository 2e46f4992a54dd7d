// The host's threads, and what its processor can do. Private to the library.
#pragma once

#include <cstddef>
#include <type_traits>

// A few threads that share the work of large copies and reductions. They are started when first
// needed, live until the process ends and know nothing of Python or SYCL.

namespace usmx::inline v1::detail {

/// Threads that can work at once, the caller's included: the processors that the process may use.
int thread_count() noexcept;

using task_function = void (*)(const void* body, std::ptrdiff_t task) noexcept;
void run_tasks(std::ptrdiff_t tasks, task_function function, const void* body) noexcept;

/// Calls `body(task)` for every task from 0 to tasks - 1 and returns when all are done. The caller
/// works, too. It works alone if there is one processor, or while another call uses the threads.
/// The body must not throw.
template <class Body>
void for_each_task(std::ptrdiff_t tasks, const Body& body) noexcept {
  run_tasks(
      tasks,
      [](const void* what, std::ptrdiff_t task) noexcept {
        (*static_cast<const Body*>(what))(task);
      },
      &body);
}

// Code for several generations of x86 processors in one library, chosen when it runs.
//
// A kernel is written once, as a function that is inlined into one copy of itself for each
// generation. (The compilers' own target_clones resolve when the library is loaded, before a
// sanitizer is ready, and do not know templates.)
//
// Under g++'s sanitizers these functions are there and called, but have no copies of what they
// call: a sanitizer sees the same source, which takes half the time to compile (docs/decisions.md,
// 197).

enum class cpu_level { baseline, avx2, avx512 };

#if defined(__x86_64__) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define USMX_AVX2
#define USMX_AVX512 [[gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")]]
#elif defined(__x86_64__)
#define USMX_AVX2 [[gnu::target("avx2,f16c"), gnu::flatten]]
#define USMX_AVX512 [[gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl"), gnu::flatten]]
#else
#define USMX_AVX2
#define USMX_AVX512
#endif

/// The highest level that this processor can run.
inline cpu_level cpu() noexcept {
#if defined(__x86_64__)
  static const cpu_level found = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {  // every processor with AVX2 has F16C
      return cpu_level::baseline;
    }
    const bool has_avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return has_avx512 ? cpu_level::avx512 : cpu_level::avx2;
  }();
  return found;
#else
  return cpu_level::baseline;
#endif
}

}  // namespace usmx::inline v1::detail
