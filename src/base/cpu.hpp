// Code for several generations of x86 processors in one library, chosen when it runs.
//
// A kernel is written once, as a function that is inlined into one copy of itself for each
// generation. (The compilers' own target_clones resolve when the library is loaded, before a
// sanitizer is ready, and do not know templates.)
#pragma once

namespace usmx::inline v1::detail {

enum class cpu_level { baseline, avx2, avx512 };

#if defined(__x86_64__)
#define USMX_AVX2 [[gnu::target("avx2,f16c"), gnu::flatten]]
#define USMX_AVX512 [[gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl"), gnu::flatten]]
#else
#define USMX_AVX2
#define USMX_AVX512
#endif

/// What this processor can run.
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
