// The builtins of the SYCL runtime's compiler that usmx/kernel.hpp and kernels use, for NVIDIA's
// run-time compiler (NVRTC), which has others: so the same source is compiled for CUDA devices.
// Only usmx/kernel.hpp includes it.
#pragma once

// ---- types

namespace usmx::builtins {

template <class, class>
inline constexpr bool is_same = false;
template <class T>
inline constexpr bool is_same<T, T> = true;

template <class>
inline constexpr bool is_const = false;
template <class T>
inline constexpr bool is_const<const T> = true;

template <class T, class... Others>
inline constexpr bool is_one_of = (is_same<T, Others> || ...);
template <class T>
inline constexpr bool is_integral =
    is_one_of<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
              unsigned long, long long, unsigned long long>;

template <class Int, int Left, Int... K>
struct integers : integers<Int, Left - 1, Left - 1, K...> {};
template <class Int, Int... K>
struct integers<Int, 0, K...> {
  template <template <class, Int...> class Pack>
  using pack = Pack<Int, K...>;
};

}  // namespace usmx::builtins

#define __is_same(...) usmx::builtins::is_same<__VA_ARGS__>
#define __is_const(...) usmx::builtins::is_const<__VA_ARGS__>
#define __is_integral(...) usmx::builtins::is_integral<__VA_ARGS__>
#define __is_signed(...) (static_cast<__VA_ARGS__>(-1) < static_cast<__VA_ARGS__>(1))

template <template <class T, T...> class Pack, class Int, Int Count>
using __make_integer_seq = typename usmx::builtins::integers<Int, Count>::template pack<Pack>;

/// A number of 2 bytes. Sums and the like of two of them are rounded to one, as everywhere.
class _Float16 {
 public:
  _Float16() = default;
  _Float16(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits_) : "f"(value)); }
  _Float16(double value) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits_) : "d"(value)); }
  template <class Int>
    requires(usmx::builtins::is_integral<Int>)
  _Float16(Int value) : _Float16(static_cast<double>(value)) {}

  operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits_));
    return value;
  }

  template <class T>
  _Float16& operator+=(T other) {
    return *this = *this + other;
  }
  template <class T>
  _Float16& operator-=(T other) {
    return *this = *this - other;
  }
  template <class T>
  _Float16& operator*=(T other) {
    return *this = *this * other;
  }
  template <class T>
  _Float16& operator/=(T other) {
    return *this = *this / other;
  }

 private:
  unsigned short bits_;
};

// Templates, so that they are no candidates for operands of two types. A float has enough bits
// that rounding twice is rounding once.
#define USMX_HALF(op)                                      \
  template <class T>                                       \
    requires(usmx::builtins::is_same<T, _Float16>)         \
  inline _Float16 operator op(T a, T b) {                  \
    return static_cast<float>(a) op static_cast<float>(b); \
  }
USMX_HALF(+)
USMX_HALF(-)
USMX_HALF(*)
USMX_HALF(/)
#undef USMX_HALF

// ---- the index of the work item: dimension 0 is the innermost, CUDA's x

namespace usmx::builtins {

/// Whether blocks beside each other along x are the outer ones of two dimensions: only along x
/// there may be more than 65535. The host says so in the lowest bit of the size of shared memory.
inline bool is_turned() {
  unsigned nbytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(nbytes));
  return (nbytes & 1) != 0;
}

template <class Vector>
inline unsigned long entry(const Vector& of, int k) {
  return k == 0 ? of.x : k == 1 ? of.y : of.z;
}
template <class Vector>
inline unsigned long entry_of_grid(const Vector& of, int k) {
  return entry(of, k < 2 && is_turned() ? 1 - k : k);
}

}  // namespace usmx::builtins

inline unsigned long __spirv_BuiltInLocalInvocationId(int k) {
  return usmx::builtins::entry(threadIdx, k);
}
inline unsigned long __spirv_BuiltInWorkgroupSize(int k) {
  return usmx::builtins::entry(blockDim, k);
}
inline unsigned long __spirv_BuiltInWorkgroupId(int k) {
  return usmx::builtins::entry_of_grid(blockIdx, k);
}
inline unsigned long __spirv_BuiltInNumWorkgroups(int k) {
  return usmx::builtins::entry_of_grid(gridDim, k);
}
inline unsigned long __spirv_BuiltInGlobalInvocationId(int k) {
  return __spirv_BuiltInWorkgroupId(k) * __spirv_BuiltInWorkgroupSize(k) +
         __spirv_BuiltInLocalInvocationId(k);
}
inline unsigned long __spirv_BuiltInGlobalSize(int k) {
  return __spirv_BuiltInNumWorkgroups(k) * __spirv_BuiltInWorkgroupSize(k);
}

inline void __spirv_ControlBarrier(int, int, int) { __syncthreads(); }

template <class... Values>
inline int __spirv_ocl_printf(const char* format, Values... values) {
  return printf(format, values...);
}

// ---- memory that the work items of a group share

namespace usmx {

namespace builtins {
extern __shared__ __align__(128) char local_memory[];
}  // namespace builtins

/// The class of usmx/kernel.hpp for CUDA. The host says where this memory begins among all such
/// memory of the launch.
template <class T>
class local_memory {
 public:
  using value_type = T;

  T& operator[](long index) const { return data()[index]; }
  T* data() const { return reinterpret_cast<T*>(builtins::local_memory + offset_nbytes_); }

 private:
  unsigned long offset_nbytes_;
};

namespace builtins {

template <class T, long Planes, long Rows = 0, long Columns = 0>
class local_array {
 public:
  using plane = T[Rows][Columns];
  plane& operator[](long index) { return data_[index]; }
  T* data() { return data_[0][0]; }

 private:
  alignas(4) alignas(T) T data_[Planes][Rows][Columns];
};

template <class T, long Rows, long Columns>
class local_array<T, Rows, Columns, 0> {
 public:
  using row = T[Columns];
  row& operator[](long index) { return data_[index]; }
  T* data() { return data_[0]; }

 private:
  alignas(4) alignas(T) T data_[Rows][Columns];
};

template <class T, long Extent>
class local_array<T, Extent, 0, 0> {
 public:
  T& operator[](long index) { return data_[index]; }
  T* data() { return data_; }

 private:
  alignas(4) alignas(T) T data_[Extent];
};

}  // namespace builtins

inline void usmx_local_array() {}

}  // namespace usmx

using usmx::usmx_local_array;

/// `usmx::local_array<float, 16> a;`, so that each variable is shared: no type can say that.
#define local_array   \
  usmx_local_array(); \
  __shared__ usmx::builtins::local_array

// ---- atomic operations

#ifndef __ATOMIC_RELAXED
#define __ATOMIC_RELAXED 0
#endif
#ifndef __MEMORY_SCOPE_DEVICE
#define __MEMORY_SCOPE_DEVICE 1
#endif

namespace usmx::builtins {

template <int Nbytes, bool Signed>
struct word_of_size;
template <>
struct word_of_size<4, false> {
  using type = unsigned;
};
template <>
struct word_of_size<4, true> {
  using type = int;
};
template <>
struct word_of_size<8, false> {
  using type = unsigned long long;
};
template <>
struct word_of_size<8, true> {
  using type = long long;
};
/// The type of that size that every atomic operation takes.
template <class T>
using word_of = typename word_of_size<sizeof(T), false>::type;
/// The type that operations take whose result depends on the sign.
template <class T>
using number_of = typename word_of_size<sizeof(T), __is_signed(T)>::type;

template <class To, class From>
inline To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class T>
inline word_of<T>* words(T* element) {
  return reinterpret_cast<word_of<T>*>(element);
}

/// element = change(element), for what the device has no instruction for.
template <class T, class Change>
inline T change_by_exchange(T* element, const Change& change) {
  word_of<T> found = *static_cast<volatile word_of<T>*>(words(element));
  while (true) {
    const T before = bits_as<T>(found);
    const word_of<T> seen = atomicCAS(words(element), found, bits_as<word_of<T>>(change(before)));
    if (seen == found) {
      return before;
    }
    found = seen;
  }
}

}  // namespace usmx::builtins

template <class T>
inline T __scoped_atomic_fetch_add(T* element, T value, int, int) {
  if constexpr (__is_integral(T)) {
    using word = usmx::builtins::word_of<T>;
    return static_cast<T>(atomicAdd(usmx::builtins::words(element), static_cast<word>(value)));
  } else {
    return atomicAdd(element, value);
  }
}
#define USMX_EXTREME(name, function, instead)                                             \
  template <class T>                                                                      \
  inline T __scoped_atomic_fetch_##name(T* element, T value, int, int) {                  \
    if constexpr (__is_integral(T)) {                                                     \
      using number = usmx::builtins::number_of<T>;                                        \
      return static_cast<T>(                                                              \
          function(reinterpret_cast<number*>(element), static_cast<number>(value)));      \
    } else {                                                                              \
      return usmx::builtins::change_by_exchange(element, [=](T old) { return instead; }); \
    }                                                                                     \
  }
USMX_EXTREME(min, atomicMin, (value < old || old != old ? value : old))
USMX_EXTREME(max, atomicMax, (value > old || old != old ? value : old))
#undef USMX_EXTREME
#define USMX_BITS(name, function)                                                        \
  template <class T>                                                                     \
  inline T __scoped_atomic_##name(T* element, T value, int, int) {                       \
    using word = usmx::builtins::word_of<T>;                                             \
    return usmx::builtins::bits_as<T>(                                                   \
        function(usmx::builtins::words(element), usmx::builtins::bits_as<word>(value))); \
  }
USMX_BITS(fetch_and, atomicAnd)
USMX_BITS(fetch_or, atomicOr)
USMX_BITS(fetch_xor, atomicXor)
USMX_BITS(exchange_n, atomicExch)
#undef USMX_BITS

template <class T>
inline bool __scoped_atomic_compare_exchange_n(T* element, T* expected, T value, bool, int, int,
                                               int) {
  using word = usmx::builtins::word_of<T>;
  const word wanted = usmx::builtins::bits_as<word>(*expected);
  const word found =
      atomicCAS(usmx::builtins::words(element), wanted, usmx::builtins::bits_as<word>(value));
  *expected = usmx::builtins::bits_as<T>(found);
  return found == wanted;
}

// ---- operations of groups: a sub-group is a warp, and the last one may be a part of a warp

namespace usmx::builtins {

inline constexpr unsigned warp = 32;

/// The index in the work group; as many as 32 beside each other are a warp.
inline unsigned index_in_group() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned group_size() { return blockDim.x * blockDim.y * blockDim.z; }

}  // namespace usmx::builtins

inline unsigned __spirv_BuiltInSubgroupLocalInvocationId() {
  return usmx::builtins::index_in_group() % usmx::builtins::warp;
}
inline unsigned __spirv_BuiltInSubgroupId() {
  return usmx::builtins::index_in_group() / usmx::builtins::warp;
}
inline unsigned __spirv_BuiltInNumSubgroups() {
  return (usmx::builtins::group_size() + usmx::builtins::warp - 1) / usmx::builtins::warp;
}
inline unsigned __spirv_BuiltInSubgroupSize() {
  const unsigned rest =
      usmx::builtins::group_size() - __spirv_BuiltInSubgroupId() * usmx::builtins::warp;
  return rest < usmx::builtins::warp ? rest : usmx::builtins::warp;
}

namespace usmx::builtins {

/// The work items of the warp.
inline unsigned mask_of_warp() {
  const unsigned size = __spirv_BuiltInSubgroupSize();
  return size == warp ? ~0U : (1U << size) - 1;
}

/// The values up to each work item's own, put together; the last one has all.
template <class T, class Operation>
inline T scan_of_warp(T value, const Operation& together) {
  const unsigned index = __spirv_BuiltInSubgroupLocalInvocationId();
  for (unsigned distance = 1; distance < warp; distance *= 2) {
    const T before = __shfl_up_sync(mask_of_warp(), value, distance);
    value = index >= distance ? together(before, value) : value;
  }
  return value;
}

/// The scan without a work item's own value, of which the first one has none: 0.
template <class T>
inline T scan_before(T scan) {
  const T before = __shfl_up_sync(mask_of_warp(), scan, 1);
  return __spirv_BuiltInSubgroupLocalInvocationId() == 0 ? T(0) : before;
}

/// The values of the last work item of each warp of the group.
template <class T>
struct lasts_of_warps {
  explicit lasts_of_warps(T value) {
    __shared__ T lasts[warp];
    __syncthreads();  // an earlier use may not have ended
    if (__spirv_BuiltInSubgroupLocalInvocationId() == __spirv_BuiltInSubgroupSize() - 1) {
      lasts[__spirv_BuiltInSubgroupId()] = value;
    }
    __syncthreads();
    all = lasts;
  }

  const T* all;
};

/// SPIR-V's operations: 0 is a reduction, 1 an inclusive scan, 2 an exclusive one, which only sums
/// have. The scope 2 is the work group, else the warp.
template <class T, class Operation>
inline T put_together(int scope, int operation, T value, const Operation& together) {
  const T scan = scan_of_warp(value, together);
  T mine = operation == 2 ? scan_before(scan) : scan;
  if (scope != 2) {
    const int last = static_cast<int>(__spirv_BuiltInSubgroupSize()) - 1;
    return operation == 0 ? __shfl_sync(mask_of_warp(), scan, last) : mine;
  }
  const lasts_of_warps<T> lasts(scan);
  if (operation == 0) {
    mine = lasts.all[0];
    for (unsigned k = 1; k < __spirv_BuiltInNumSubgroups(); ++k) {
      mine = together(mine, lasts.all[k]);
    }
    return mine;
  }
  for (unsigned k = __spirv_BuiltInSubgroupId(); k > 0; --k) {
    mine = together(lasts.all[k - 1], mine);
  }
  return mine;
}

}  // namespace usmx::builtins

#define USMX_TOGETHER(name, expression)                                            \
  template <class T>                                                               \
  inline T __spirv_Group##name(int scope, int operation, T value) {                \
    return usmx::builtins::put_together(scope, operation, value,                   \
                                        [](T a, T b) -> T { return expression; }); \
  }
USMX_TOGETHER(FAdd, a + b)
USMX_TOGETHER(IAdd, a + b)
USMX_TOGETHER(FMin, (b < a || a != a ? b : a))
USMX_TOGETHER(SMin, (b < a ? b : a))
USMX_TOGETHER(UMin, (b < a ? b : a))
USMX_TOGETHER(FMax, (a < b || a != a ? b : a))
USMX_TOGETHER(SMax, (a < b ? b : a))
USMX_TOGETHER(UMax, (a < b ? b : a))
#undef USMX_TOGETHER
inline bool __spirv_GroupAny(int scope, bool holds) {
  return (scope == 2 ? __syncthreads_or(holds)
                     : __any_sync(usmx::builtins::mask_of_warp(), holds)) != 0;
}
inline bool __spirv_GroupAll(int scope, bool holds) {
  return (scope == 2 ? __syncthreads_and(holds)
                     : __all_sync(usmx::builtins::mask_of_warp(), holds)) != 0;
}
template <class T>
inline T __spirv_SubgroupShuffleINTEL(T value, unsigned index) {
  return __shfl_sync(usmx::builtins::mask_of_warp(), value, static_cast<int>(index));
}

// ---- mathematical functions: CUDA's own

#define USMX_MATH(name)                                           \
  inline float __spirv_ocl_##name(float x) { return name##f(x); } \
  inline double __spirv_ocl_##name(double x) { return name(x); }
USMX_MATH(acos)
USMX_MATH(acosh)
USMX_MATH(asin)
USMX_MATH(asinh)
USMX_MATH(atan)
USMX_MATH(atanh)
USMX_MATH(cbrt)
USMX_MATH(ceil)
USMX_MATH(cos)
USMX_MATH(cosh)
USMX_MATH(cospi)
USMX_MATH(erf)
USMX_MATH(erfc)
USMX_MATH(exp)
USMX_MATH(exp10)
USMX_MATH(exp2)
USMX_MATH(expm1)
USMX_MATH(fabs)
USMX_MATH(floor)
USMX_MATH(lgamma)
USMX_MATH(log)
USMX_MATH(log10)
USMX_MATH(log1p)
USMX_MATH(log2)
USMX_MATH(logb)
USMX_MATH(rint)
USMX_MATH(round)
USMX_MATH(rsqrt)
USMX_MATH(sin)
USMX_MATH(sinh)
USMX_MATH(sinpi)
USMX_MATH(tan)
USMX_MATH(tanh)
USMX_MATH(tgamma)
USMX_MATH(trunc)
#undef USMX_MATH
#define USMX_MATH(name)                                                       \
  inline float __spirv_ocl_##name(float x, float y) { return name##f(x, y); } \
  inline double __spirv_ocl_##name(double x, double y) { return name(x, y); }
USMX_MATH(atan2)
USMX_MATH(fdim)
USMX_MATH(fmax)
USMX_MATH(fmin)
USMX_MATH(fmod)
USMX_MATH(hypot)
USMX_MATH(pow)
USMX_MATH(remainder)
#undef USMX_MATH
/// The root rounded to nearest, as by sqrtf, without its branch: with that, an H200 read memory at
/// three quarters of its rate. A small number is scaled, or the remainder would be subnormal.
inline float __spirv_ocl_sqrt(float x) {
  const bool is_small = x < 0x1p-100f;
  const float scaled = is_small ? x * 0x1p64f : x;
  const float reciprocal = rsqrtf(scaled);
  const float estimate = scaled * reciprocal;
  const float remainder = fmaf(-estimate, estimate, scaled);
  const float root = fmaf(remainder, 0.5f * reciprocal, estimate);
  constexpr float largest = 0x1.fffffep127f;
  if (scaled == 0 || scaled > largest) {
    return scaled;
  }
  return is_small ? root * 0x1p-32f : root;
}
inline double __spirv_ocl_sqrt(double x) { return sqrt(x); }
inline float __spirv_ocl_fma(float x, float y, float z) { return fmaf(x, y, z); }
inline double __spirv_ocl_fma(double x, double y, double z) { return fma(x, y, z); }
inline float __spirv_ocl_ldexp(float x, int n) { return ldexpf(x, n); }
inline double __spirv_ocl_ldexp(double x, int n) { return ldexp(x, n); }
inline int __spirv_ocl_ilogb(float x) { return ilogbf(x); }
inline int __spirv_ocl_ilogb(double x) { return ilogb(x); }

namespace usmx::builtins {
inline float product(float x, float y) { return __fmul_rn(x, y); }
inline double product(double x, double y) { return __dmul_rn(x, y); }
}  // namespace usmx::builtins

#define __builtin_popcountl(x) __popcll(x)
#define __builtin_clzl(x) __clzll(x)
#define __builtin_ctzl(x) (__ffsll(x) - 1)
