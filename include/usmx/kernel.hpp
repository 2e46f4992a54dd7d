// The header of kernels that are compiled at run time, as `#include <usmx/kernel.hpp>`: the index
// of a kernel's work item, views of arrays, barriers, local memory, atomic operations, printf, and
// by usmx/kernel_math.hpp and usmx/kernel_complex.hpp the mathematics of kernels. Device code only,
// for the SYCL runtime's own compiler, by its builtins alone: it includes nothing, so that kernels
// compile fast, and on machines without C++ headers. For CUDA devices NVIDIA's compiler takes it,
// with the same builtins from usmx/kernel_cuda.hpp. Host code compiles and launches such kernels
// with usmx/user_kernels/kernel.hpp.
#pragma once

#ifdef __CUDACC_RTC__
#include <usmx/kernel_cuda.hpp>
#define USMX_GLOBAL __global__
#define USMX_KERNEL_ATTRIBUTES(dimensions)
#elif defined(__SYCL_DEVICE_ONLY__)
#define USMX_GLOBAL
#define USMX_KERNEL_ATTRIBUTES(dimensions) \
  [[__sycl_detail__::add_ir_attributes_function("sycl-nd-range-kernel", dimensions)]]
#endif

#ifdef USMX_GLOBAL

/// Begins the definition of a kernel for an nd_range of 1, 2 or 3 dimensions:
///
///   USMX_KERNEL(1) axpy(float a, const float* x, float* y) { ... }
///
/// Parameters are numbers, structures of numbers, pointers to either, usmx::view and
/// usmx::local_memory. What is behind a pointer to const, or in a view of const, is only read, by
/// the kernel's promise. The compiler reports the
/// dimensions to usmx in the text of a warning, which users do not see.
#define USMX_KERNEL(dimensions)                                                                    \
  static_assert(                                                                                   \
      __is_integral(decltype((dimensions) + 0)) && (dimensions) >= 1 && (dimensions) <= 3,         \
      "a kernel has 1, 2 or 3 dimensions");                                                        \
  extern "C"                                                                                       \
      [[deprecated("usmx kernel of dimensions: " #dimensions)]] USMX_KERNEL_ATTRIBUTES(dimensions) \
          USMX_GLOBAL void

#ifndef __CUDACC_RTC__
// The SYCL runtime's compiler declares its other builtins itself. In SPIR-V's order: dimension 0 is
// the innermost.
#define USMX_WORK_ITEM_VARIABLE(name) \
  extern __attribute__((sycl_device, const)) decltype(sizeof 0) __spirv_BuiltIn##name(int);
USMX_WORK_ITEM_VARIABLE(GlobalInvocationId)
USMX_WORK_ITEM_VARIABLE(GlobalSize)
USMX_WORK_ITEM_VARIABLE(LocalInvocationId)
USMX_WORK_ITEM_VARIABLE(WorkgroupSize)
USMX_WORK_ITEM_VARIABLE(WorkgroupId)
USMX_WORK_ITEM_VARIABLE(NumWorkgroups)
#undef USMX_WORK_ITEM_VARIABLE
template <class... Values>
extern __attribute__((sycl_device)) int __spirv_ocl_printf(const char* format, Values... values);
#endif

#include <usmx/kernel_complex.hpp>
#include <usmx/kernel_groups.hpp>
#include <usmx/kernel_math.hpp>

namespace usmx {

/// A signed integer for indices: std::ptrdiff_t.
using index_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));

/// An index, or a size, in two or three dimensions, the innermost last, as in sycl::id:
/// `auto [row, column] = usmx::global_id<2>();`
template <int Dimensions>
struct id;

template <>
struct id<2> {
  index_t i;
  index_t j;
  constexpr index_t operator[](int dimension) const { return dimension == 0 ? i : j; }
};

template <>
struct id<3> {
  index_t i;
  index_t j;
  index_t k;
  constexpr index_t operator[](int dimension) const {
    return dimension == 0 ? i : dimension == 1 ? j : k;
  }
};

// These functions give an index_t in one dimension, else an id. `Dimensions` is that of the kernel.
#define USMX_WORK_ITEM_FUNCTION(function, name)                         \
  template <int Dimensions = 1>                                         \
  inline auto function() {                                              \
    const auto at = [](int dimension) {                                 \
      return static_cast<index_t>(__spirv_BuiltIn##name(dimension));    \
    };                                                                  \
    if constexpr (Dimensions == 1) {                                    \
      return at(0);                                                     \
    } else if constexpr (Dimensions == 2) {                             \
      return id<2>{at(1), at(0)};                                       \
    } else {                                                            \
      static_assert(Dimensions == 3, "a kernel has 1 to 3 dimensions"); \
      return id<3>{at(2), at(1), at(0)};                                \
    }                                                                   \
  }
/// The index of the work item among all.
USMX_WORK_ITEM_FUNCTION(global_id, GlobalInvocationId)
/// The number of work items.
USMX_WORK_ITEM_FUNCTION(global_size, GlobalSize)
/// The index of the work item in its work group.
USMX_WORK_ITEM_FUNCTION(local_id, LocalInvocationId)
/// The number of work items of a work group.
USMX_WORK_ITEM_FUNCTION(local_size, WorkgroupSize)
/// The index of the work group among all.
USMX_WORK_ITEM_FUNCTION(group_id, WorkgroupId)
/// The number of work groups.
USMX_WORK_ITEM_FUNCTION(group_count, NumWorkgroups)
#undef USMX_WORK_ITEM_FUNCTION

namespace detail {

/// Dimensions, for packs.
template <class Int, Int... K>
struct dimensions {};

// The host defines USMX_CHECKED_VIEWS for kernels that are compiled for debugging.
#ifdef USMX_CHECKED_VIEWS

/// An index, and the line that it stands in.
struct index {
  constexpr index(index_t value, int line = __builtin_LINE(), const char* file = __builtin_FILE())
      : value(value), line(line), file(file) {}
  constexpr operator index_t() const { return value; }

  index_t value;
  int line;
  const char* file;
};

/// The first access outside of a view, for the host (src/user_kernels/launch.hpp has the same
/// members). Memory for one element follows.
struct alignas(64) view_report {
  unsigned is_taken;
  int line;
  index_t parameter;
  index_t indices[8];
  int index_count;
  char file[108];
};

template <int Count>
inline void report_access(view_report& report, index_t parameter, const index (&indices)[Count]) {
  unsigned expected = 0;
  if (!__scoped_atomic_compare_exchange_n(&report.is_taken, &expected, 1U, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)) {
    return;
  }
  report.line = indices[0].line;
  report.parameter = parameter;
  report.index_count = Count;
  for (int k = 0; k < Count; ++k) {
    report.indices[k] = indices[k].value;
  }
  const char* file = indices[0].file;
  for (int k = 0; k < 107 && file[k] != '\0'; ++k) {
    report.file[k] = file[k];
  }
}

#else

using index = index_t;

#endif

template <int>
using index_of_dimension = index;

}  // namespace detail

/// The elements of an array of any layout: a parameter of a kernel, such as `usmx::view<const
/// float, 2> x` with elements x(i, j). N is the number of dimensions, 1 to 8. An index has to be
/// less than its extent and not negative; kernels that are compiled for debugging check that.
template <class T, int N, class = __make_integer_seq<detail::dimensions, int, N>>
class view;

template <class T, int N, int... K>
class view<T, N, detail::dimensions<int, K...>> {
  static_assert(N >= 1 && N <= 8, "a view has 1 to 8 dimensions");

 public:
  using value_type = T;

  /// The element at these indices, one for each dimension.
  T& operator()(detail::index_of_dimension<K>... indices) const {
#ifdef USMX_CHECKED_VIEWS
    if (!((indices.value >= 0 && indices.value < extents_[K]) && ...)) {
      return refuse({indices...});
    }
#endif
    return data_[((static_cast<index_t>(indices) * strides_[K]) + ...)];
  }
  /// The element at this index, in one dimension.
  T& operator[](detail::index index) const {
    static_assert(N == 1, "views of several dimensions have v(i, j)");
    return (*this)(index);
  }
  /// The number of dimensions.
  static constexpr int ndim = N;
  /// The number of elements along a dimension.
  index_t extent(int dimension) const { return extents_[dimension]; }
  /// All of these, as in `x.shape()[0]`.
  const index_t* shape() const { return extents_; }
  /// The distance, in elements, of neighbours along a dimension: zero or negative ones are
  /// possible.
  index_t stride(int dimension) const { return strides_[dimension]; }
  /// The number of elements.
  index_t size() const { return (extents_[K] * ...); }
  /// The element whose indices are all 0.
  T* data() const { return data_; }

 protected:
#ifdef USMX_CHECKED_VIEWS
  /// Reports the indices. Returns what takes the place of the element that there is not.
  template <int Count>
  T& refuse(const detail::index (&indices)[Count]) const {
    detail::report_access(*report_, parameter_, indices);
    const auto end = reinterpret_cast<decltype(sizeof 0)>(report_ + 1);
    return *reinterpret_cast<T*>((end + alignof(T) - 1) / alignof(T) * alignof(T));
  }
#endif

 private:
  // The host makes these bytes (src/user_kernels/arguments.cpp).
  T* data_;
  index_t extents_[N];
  index_t strides_[N];
#ifdef USMX_CHECKED_VIEWS
  detail::view_report* report_;
  index_t parameter_;
#endif
};

/// Waits for all work items of the work group. What they wrote to memory before, all of them see
/// afterwards. Every work item of the group has to come here.
inline void barrier() {
  // The scope is the work group; the order sequential, for local and global memory.
  __spirv_ControlBarrier(2, 2, 0x310);
}

#ifndef __CUDACC_RTC__

/// Memory that the work items of a group share: a parameter of a kernel, whose number of elements
/// each launch says. The elements are not set.
template <class T>
class __attribute__((sycl_special_class)) [[__sycl_detail__::sycl_type(work_group_memory)]]
local_memory {
 public:
  using value_type = T;

  T& operator[](index_t index) const { return data_[index]; }
  T* data() const { return data_; }

 private:
  using pointer = __attribute__((opencl_local)) T*;

  local_memory() = default;
  void __init(pointer data) { data_ = data; }

  pointer data_ = nullptr;
};

/// Memory that the work items of a group share: a variable of a kernel, such as
/// `usmx::local_array<float, 16, 17> tile;`. The elements are not set. The memory has whole words
/// of 4 bytes, because atomic operations on smaller elements exchange these.
template <class T, index_t... Extents>
class [[__sycl_detail__::wg_scope]] local_array;

template <class T, index_t Extent>
class [[__sycl_detail__::wg_scope]] local_array<T, Extent> {
 public:
  T& operator[](index_t index) { return data_[index]; }
  T* data() { return data_; }

 private:
  alignas(4) alignas(T) T data_[Extent];
};

template <class T, index_t Rows, index_t Columns>
class [[__sycl_detail__::wg_scope]] local_array<T, Rows, Columns> {
 public:
  using row = T[Columns];
  row& operator[](index_t index) { return data_[index]; }
  T* data() { return data_[0]; }

 private:
  alignas(4) alignas(T) T data_[Rows][Columns];
};

template <class T, index_t Planes, index_t Rows, index_t Columns>
class [[__sycl_detail__::wg_scope]] local_array<T, Planes, Rows, Columns> {
 public:
  using plane = T[Rows][Columns];
  plane& operator[](index_t index) { return data_[index]; }
  T* data() { return data_[0][0]; }

 private:
  alignas(4) alignas(T) T data_[Planes][Rows][Columns];
};

#endif

namespace detail {

/// Sets a word to `value` if it is `found`, else sets `found` to the word. Whether it was.
template <class Word>
inline bool exchange_if(Word* word, Word& found, Word value) {
  return __scoped_atomic_compare_exchange_n(word, &found, value, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/// element = change(element), of 1 or 2 bytes, for which devices have no instructions: as a part of
/// the word of 4 bytes that it lies in, whose other elements stay as they are.
template <class T, class Change>
inline T change_in_word(T& element, const Change& change) {
  using bits = chosen<sizeof(T) == 1, unsigned char, unsigned short>;
  char* const first = reinterpret_cast<char*>(&element);
  const auto index = static_cast<int>(reinterpret_cast<unsigned long>(first) % 4);
  auto* const word = reinterpret_cast<unsigned*>(first - index);
  const unsigned mask = static_cast<unsigned>(static_cast<bits>(-1)) << 8 * index;
  unsigned found = *static_cast<volatile unsigned*>(word);
  while (true) {
    const T before = bits_as<T>(static_cast<bits>(found >> 8 * index));
    const unsigned after = static_cast<unsigned>(bits_as<bits>(change(before))) << 8 * index;
    if (exchange_if(word, found, (found & ~mask) | after)) {
      return before;
    }
  }
}

}  // namespace detail

// Atomic operations on an element in global or local memory, seen by all work items of the device
// in some order, which orders no other access. Each gives the value from before. T is a number, but
// and, or and xor are for integers. What the device has no instruction for, such as a sum of
// doubles on some, the compiler or the driver refuses.
#define USMX_ATOMIC(function, builtin, result)                                       \
  template <class T>                                                                 \
  inline T function(T& element, decltype(T() + T()) value) {                         \
    static_assert(detail::is_number<T>, "atomic operations need numbers");           \
    const auto by = static_cast<T>(value);                                           \
    if constexpr (sizeof(T) < 4) {                                                   \
      return detail::change_in_word(                                                 \
          element, [by]([[maybe_unused]] T old) { return static_cast<T>(result); }); \
    } else {                                                                         \
      return builtin(&element, by, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);         \
    }                                                                                \
  }
/// element += value
USMX_ATOMIC(atomic_add, __scoped_atomic_fetch_add, old + by)
/// element = the smaller one
USMX_ATOMIC(atomic_min, __scoped_atomic_fetch_min, min(old, by))
/// element = the larger one
USMX_ATOMIC(atomic_max, __scoped_atomic_fetch_max, max(old, by))
/// element &= value
USMX_ATOMIC(atomic_and, __scoped_atomic_fetch_and, old& by)
/// element |= value
USMX_ATOMIC(atomic_or, __scoped_atomic_fetch_or, old | by)
/// element ^= value
USMX_ATOMIC(atomic_xor, __scoped_atomic_fetch_xor, old ^ by)
/// element = value
USMX_ATOMIC(atomic_exchange, __scoped_atomic_exchange_n, by)
#undef USMX_ATOMIC

/// Sets the element to `value` if it is `expected`, bit by bit. Gives the value from before.
template <class T>
inline T atomic_compare_exchange(T& element, T expected, decltype(T() + T()) value) {
  static_assert(sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0,
                "atomic operations need elements of 1, 2, 4 or 8 bytes");
  const auto by = static_cast<T>(value);
  if constexpr (sizeof(T) < 4) {
    using bits = detail::chosen<sizeof(T) == 1, unsigned char, unsigned short>;
    const auto wanted = detail::bits_as<bits>(expected);
    return detail::change_in_word(
        element, [=](T old) { return detail::bits_as<bits>(old) == wanted ? by : old; });
  } else {
    using word = detail::chosen<sizeof(T) == 4, unsigned, unsigned long>;
    auto found = detail::bits_as<word>(expected);
    detail::exchange_if(reinterpret_cast<word*>(&element), found, detail::bits_as<word>(by));
    return detail::bits_as<T>(found);
  }
}

namespace detail {

/// Converts an argument of printf as C does where it does not know the parameter's type, except
/// that a float stays one, for devices without double.
template <class T>
constexpr auto printed(T value) {
  if constexpr (is_integer<T>) {
    return +value;
  } else if constexpr (is_floating<T>) {
    return static_cast<computed<T>>(value);
  } else {
    return value;
  }
}

}  // namespace detail

/// Writes to the standard output of the process, as C's function of that name does. The format, and
/// what %s writes, are literals. The device keeps the text until the kernel has ended, or longer.
template <class... Values>
inline int printf(const char* format, Values... values) {
  return __spirv_ocl_printf(format, detail::printed(values)...);
}

// How usmx learns a kernel's parameters: it appends an instantiation of `signature` to the source,
// and reads the numbers in that kernel's mangled name (src/user_kernels/arguments.cpp, which has
// the same numbers).
namespace detail {

using word = unsigned long;

enum class form : word { value, pointer, const_pointer, local_memory, view, const_view, refused };

/// An index in usmx::type_code, or one of the two after its end.
inline constexpr word code_of_structure = 14;
inline constexpr word code_of_void = 15;

template <class T>
constexpr word code_of() {
  constexpr word size_index = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  if constexpr (__is_same(T, bool)) {
    return 0;
  } else if constexpr (__is_integral(T) && sizeof(T) <= 8) {
    return (__is_signed(T) ? 1 : 5) + size_index;
  } else if constexpr (__is_same(T, _Float16)) {
    return 9;
  } else if constexpr (__is_same(T, float)) {
    return 10;
  } else if constexpr (__is_same(T, double)) {
    return 11;
  } else if constexpr (__is_same(T, complex<float>)) {
    return 12;
  } else if constexpr (__is_same(T, complex<double>)) {
    return 13;
  } else {
    return code_of_structure;
  }
}

/// The text T of "[T = float]" in the compiler's name of this function: the characters from
/// 8 * index on, 8 of them in a word.
template <class T>
constexpr word name_word(int index) {
  const char* text = __is_same(T, bool) ? "= bool]" : __PRETTY_FUNCTION__;
  while (*text != '=') {
    ++text;
  }
  text += 2;
  word packed = 0;
  for (int i = 0; text[0] != '\0' && text[1] != '\0' && i < 8 * (index + 1); ++i, ++text) {
    if (i >= 8 * index) {
      packed |= static_cast<word>(static_cast<unsigned char>(*text)) << 8 * (i % 8);
    }
  }
  return packed;
}

/// A form and what it is a form of. `size` and `alignment` are in bytes. Views have dimensions.
template <form Form, class T, int Dimensions = 0>
struct described {
  static_assert(sizeof(T) < word(1) << 36, "a type of a parameter is too large");
  static constexpr word numbers = static_cast<word>(Form) | code_of<T>() << 4 |
                                  word(alignof(T)) << 8 | word(sizeof(T)) << 24 |
                                  word(Dimensions) << 60;
  static constexpr word name(int index) { return name_word<T>(index); }
};

template <form Form>
struct described<Form, void, 0> {
  static constexpr word numbers = static_cast<word>(Form) | code_of_void << 4;
  static constexpr word name(int index) { return name_word<void>(index); }
};

template <class T>
struct parameter : described<form::value, T> {};
template <class T>
struct parameter<T*> : described<form::pointer, T> {};
template <class T>
struct parameter<const T*> : described<form::const_pointer, T> {};
template <class T>
struct parameter<T&> : described<form::refused, T&> {};
template <class T>
struct parameter<T**> : described<form::refused, T**> {};
template <class T>
struct parameter<T* const*> : described<form::refused, T* const*> {};
template <class T>
struct parameter<volatile T*> : described<form::refused, volatile T*> {};
template <class T>
struct parameter<const volatile T*> : described<form::refused, const volatile T*> {};
template <class T>
struct parameter<local_memory<T>> : described<form::local_memory, T> {};
template <class T, int N>
struct parameter<view<T, N>> : described<form::view, T, N> {};
template <class T, int N>
struct parameter<view<const T, N>> : described<form::const_view, T, N> {};

/// The words that describe a kernel: for each parameter one word of described::numbers, and then
/// for each parameter the first word of its name, for each the second, and so on.
template <word... Words>
struct words {};

template <class Function>
struct words_of_kernel;
template <class... Parameters>
struct words_of_kernel<void(Parameters...)> {
  using type = words<parameter<Parameters>::numbers..., parameter<Parameters>::name(0)...,
                     parameter<Parameters>::name(1)..., parameter<Parameters>::name(2)...,
                     parameter<Parameters>::name(3)...>;
};
template <class... Parameters>
struct words_of_kernel<void(Parameters...) noexcept> : words_of_kernel<void(Parameters...)> {};

template <class Kernel>
using kernel_words = typename words_of_kernel<Kernel>::type;

/// An empty kernel for each kernel of the user, known by its index among those asked for.
template <word Kernel, class Words>
USMX_KERNEL_ATTRIBUTES(1)
USMX_GLOBAL void signature() {}

}  // namespace detail

/// The namespace is another name of usmx::detail, which other headers of usmx in a kernel have a
/// namespace of, too.
namespace kernel_signature = ::usmx::detail;
}  // namespace usmx

#else
#error "usmx/kernel.hpp is for kernels, host code includes usmx/user_kernels/kernel.hpp"
#endif  // USMX_GLOBAL
