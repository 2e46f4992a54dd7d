// usmx/kernel_cuda.hpp on the host: what the language of kernels is made of for CUDA devices, with
// CUDA's own functions in place of the device's. Whether NVIDIA's compiler takes it, nvrtc_test.cpp
// says.
//
// The work items of a group are contexts of one thread, which go on in turn wherever they wait. So
// memory that they share is thread_local: that word may follow `extern`, as __shared__ does.
#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Contexts, and an instruction of PTX as a macro of the assembler, are not for these.
#else

// CUDA's language, as far as the header uses it.
namespace {

struct position {
  unsigned x = 0, y = 0, z = 0;
};
position blockIdx, threadIdx, blockDim, gridDim;

/// The work items of one group.
class group {
 public:
  group(position block, position extents, std::function<void()> kernel)
      : block_(block), extents_(extents), kernel_(std::move(kernel)) {
    items_.resize(static_cast<std::size_t>(extents.x) * extents.y * extents.z);
  }

  void run() {
    running = this;
    for (std::size_t k = 0; k < items_.size(); ++k) {
      getcontext(&items_[k].own);
      items_[k].own.uc_stack = {items_[k].stack.get(), 0, stack_nbytes};
      items_[k].own.uc_link = &scheduler_;
      makecontext(&items_[k].own, [] { running->run_one(); }, 0);
    }
    while (std::ranges::any_of(items_, [](const item& each) { return !each.has_ended; })) {
      for (at_ = 0; at_ < items_.size(); ++at_) {
        if (!items_[at_].has_ended) {
          set_place();
          swapcontext(&scheduler_, &items_[at_].own);
        }
      }
    }
  }

  /// Lets the others go on, until all of `count` items from `first` on have come as often as this.
  void meet(std::size_t first, std::size_t count) {
    const std::size_t mine = at_;
    ++items_[mine].meetings;
    const auto is_behind = [&](const item& each) {
      return each.meetings < items_[mine].meetings && !each.has_ended;
    };
    while (std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(first),
                       items_.begin() + static_cast<std::ptrdiff_t>(first + count), is_behind)) {
      swapcontext(&items_[mine].own, &scheduler_);
    }
  }

  std::size_t place() const { return at_; }
  std::size_t size() const { return items_.size(); }
  /// What a work item tells others.
  std::uint64_t& told(std::size_t place) { return items_[place].told; }

  static inline group* running = nullptr;

 private:
  static constexpr std::size_t stack_nbytes = 65536;

  struct item {
    ucontext_t own{};
    std::unique_ptr<char[]> stack = std::make_unique<char[]>(stack_nbytes);
    std::size_t meetings = 0;
    std::uint64_t told = 0;
    bool has_ended = false;
  };

  void run_one() {
    kernel_();
    items_[at_].has_ended = true;
  }
  void set_place() {
    const auto k = static_cast<unsigned>(at_);
    blockIdx = block_;
    blockDim = extents_;
    threadIdx = {k % extents_.x, k / extents_.x % extents_.y, k / extents_.x / extents_.y};
  }

  position block_;
  position extents_;
  std::function<void()> kernel_;
  std::vector<item> items_;
  std::size_t at_ = 0;
  ucontext_t scheduler_{};
};

void __syncthreads() { group::running->meet(0, group::running->size()); }

/// read(k) for the work items k of the warp, or of the group, when each has told its number.
template <class Read>
auto tell(std::uint64_t number, std::size_t first, std::size_t count, const Read& read) {
  group& all = *group::running;
  all.told(all.place()) = number;
  all.meet(first, count);
  const auto result = read();
  all.meet(first, count);
  return result;
}

/// read(k) for the work items of the mask, of which each must be there.
template <class Read>
auto tell_warp(unsigned mask, std::uint64_t number, const Read& read) {
  group& all = *group::running;
  const std::size_t first = all.place() / 32 * 32;
  const std::size_t count = std::min<std::size_t>(32, all.size() - first);
  EXPECT_EQ(mask, count == 32 ? ~0U : (1U << count) - 1);
  return tell(number, first, count, [&] { return read(first, count); });
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  std::uint64_t number = 0;
  std::memcpy(&number, &value, sizeof value);
  number = tell_warp(mask, number, [&](std::size_t first, std::size_t count) {
    EXPECT_LT(static_cast<std::size_t>(lane), count);
    return group::running->told(first + static_cast<std::size_t>(lane));
  });
  std::memcpy(&value, &number, sizeof value);
  return value;
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
  const int lane = static_cast<int>(group::running->place() % 32);
  const int from = lane - static_cast<int>(distance);
  return __shfl_sync(mask, value, from >= 0 ? from : lane);
}
int count_of(std::size_t first, std::size_t count) {
  int holding = 0;
  for (std::size_t k = first; k < first + count; ++k) {
    holding += group::running->told(k) != 0 ? 1 : 0;
  }
  return holding;
}
int __any_sync(unsigned mask, bool holds) {
  return tell_warp(mask, holds ? 1 : 0, [](auto... warp) { return count_of(warp...) > 0; });
}
int __all_sync(unsigned mask, bool holds) { return __any_sync(mask, !holds) == 0; }
int __syncthreads_or(bool holds) {
  const std::size_t size = group::running->size();
  return tell(holds ? 1 : 0, 0, size, [&] { return count_of(0, size) > 0; });
}
int __syncthreads_and(bool holds) { return __syncthreads_or(!holds) == 0; }

int __popcll(std::uint64_t bits) { return std::popcount(bits); }
int __clzll(std::uint64_t bits) { return std::countl_zero(bits); }
int __ffsll(std::uint64_t bits) { return bits == 0 ? 0 : std::countr_zero(bits) + 1; }

#define ATOMIC(name, after)           \
  template <class T>                  \
  T name(T* element, T value) {       \
    const T old = *element;           \
    *element = static_cast<T>(after); \
    return old;                       \
  }
ATOMIC(atomicAdd, old + value)
ATOMIC(atomicMin, std::min(old, value))
ATOMIC(atomicMax, std::max(old, value))
ATOMIC(atomicAnd, old& value)
ATOMIC(atomicOr, old | value)
ATOMIC(atomicXor, old ^ value)
ATOMIC(atomicExch, value)
template <class T>
T atomicCAS(T* element, T expected, T value) {
  const T old = *element;
  *element = old == expected ? value : old;
  return old;
}

float __fmul_rn(float x, float y) { return x * y; }
double __dmul_rn(double x, double y) { return x * y; }
float rsqrtf(float x) { return 1 / std::sqrt(x); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
float sinpif(float x) { return std::sin(static_cast<float>(M_PI) * x); }
double sinpi(double x) { return std::sin(M_PI * x); }
float cospif(float x) { return std::cos(static_cast<float>(M_PI) * x); }
double cospi(double x) { return std::cos(M_PI * x); }

}  // namespace

// Reads a register of the device: whether blocks are turned (docs/decisions.md, 87). They are not.
asm(".macro mov.u32 to, from\n xorl \\to, \\to\n.endm");
#define __CUDACC_RTC__
#define __global__
#define __shared__ thread_local
#define __align__(nbytes) __attribute__((aligned(nbytes)))
#define _Float16 half_of_cuda  // needs instructions of PTX
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "usmx/kernel.hpp"
#pragma GCC diagnostic pop

namespace usmx::builtins {
thread_local char local_memory[4096] __attribute__((aligned(128)));
}

namespace {

constexpr std::size_t group_sizes[] = {1, 5, 32, 48, 100};

/// The kernel for `groups` groups of that size.
template <class Kernel>
void run(std::size_t groups, std::size_t size, const Kernel& kernel) {
  gridDim = {static_cast<unsigned>(groups), 1, 1};
  for (unsigned k = 0; k < groups; ++k) {
    group({k, 0, 0}, {static_cast<unsigned>(size), 1, 1}, kernel).run();
  }
}

/// Small numbers, of which sums are exact.
template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> all;
  for (std::size_t k = 0; k < count; ++k) {
    all.push_back(static_cast<T>(k * 7 % 5));
  }
  return all;
}

template <class T>
class kernel_cuda_test : public testing::Test {};
using types = testing::Types<signed char, unsigned short, int, unsigned long, float, double>;
TYPED_TEST_SUITE(kernel_cuda_test, types);

/// What the kernel makes of numbers, `part` of them together, against a function of these.
template <class T, class Kernel, class Expected>
void expect_of_parts(std::size_t part_size, const Kernel& kernel, const Expected& expected) {
  for (const std::size_t size : group_sizes) {
    const std::vector<T> x = numbers<T>(2 * size);
    std::vector<T> y(x.size());
    run(2, size, [&] {
      const auto at = static_cast<std::size_t>(usmx::global_id());
      y[at] = kernel(x[at]);
    });
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t in_group = k % size / part_size * part_size;
      const std::size_t begin = k / size * size + in_group;
      const std::size_t end = begin + std::min(part_size, size - in_group);
      const T* const first = x.data();
      EXPECT_EQ(y[k], expected(first + begin, first + end, first + k))
          << "work item " << k << " of groups of " << size;
    }
  }
}

TYPED_TEST(kernel_cuda_test, groups_and_warps_put_values_together) {
  using T = TypeParam;
  constexpr std::size_t whole = 4096;
  const auto sum = [](const T* first, const T* last, const T*) {
    return std::accumulate(first, last, T{});
  };
  const auto least = [](const T* first, const T* last, const T*) {
    return *std::min_element(first, last);
  };
  const auto most = [](const T* first, const T* last, const T*) {
    return *std::max_element(first, last);
  };
  const auto up_to = [](const T* first, const T*, const T* own) {
    return std::accumulate(first, own + 1, T{});
  };
  const auto before = [](const T* first, const T*, const T* own) {
    return std::accumulate(first, own, T{});
  };
  expect_of_parts<T>(whole, [](T x) { return usmx::group_reduce_add(x); }, sum);
  expect_of_parts<T>(whole, [](T x) { return usmx::group_reduce_min(x); }, least);
  expect_of_parts<T>(whole, [](T x) { return usmx::group_reduce_max(x); }, most);
  expect_of_parts<T>(whole, [](T x) { return usmx::group_inclusive_scan_add(x); }, up_to);
  expect_of_parts<T>(whole, [](T x) { return usmx::group_exclusive_scan_add(x); }, before);
  expect_of_parts<T>(32, [](T x) { return usmx::subgroup_reduce_add(x); }, sum);
  expect_of_parts<T>(32, [](T x) { return usmx::subgroup_reduce_min(x); }, least);
  expect_of_parts<T>(32, [](T x) { return usmx::subgroup_reduce_max(x); }, most);
  expect_of_parts<T>(32, [](T x) { return usmx::subgroup_inclusive_scan_add(x); }, up_to);
  expect_of_parts<T>(32, [](T x) { return usmx::subgroup_exclusive_scan_add(x); }, before);
}

TYPED_TEST(kernel_cuda_test, work_items_of_a_warp_exchange_values) {
  using T = TypeParam;
  expect_of_parts<T>(
      32, [](T x) { return usmx::subgroup_shuffle(x, 0); },
      [](const T* first, const T*, const T*) { return *first; });
  expect_of_parts<T>(
      32, [](T x) { return usmx::subgroup_shuffle_down(x, 3); },
      [](const T*, const T* last, const T* own) { return last - own > 3 ? own[3] : *own; });
  expect_of_parts<T>(
      32, [](T x) { return usmx::subgroup_shuffle_up(x, 2); },
      [](const T* first, const T*, const T* own) { return own - first >= 2 ? own[-2] : *own; });
  expect_of_parts<T>(
      32, [](T x) { return usmx::subgroup_shuffle_xor(x, 5); },
      [](const T* first, const T* last, const T* own) {
        const std::ptrdiff_t partner = (own - first) ^ 5;
        return partner < last - first ? first[partner] : *own;
      });
}

TYPED_TEST(kernel_cuda_test, atomic_operations_change_one_element) {
  using T = TypeParam;
  std::array<T, 8> x{1, 2, 3, 4, 5, 6, 7, 8};
  for (const std::size_t k : {1U, 2U, 3U, 6U}) {
    T& element = x[k];
    const auto was = [&](T found, T before, T now) {
      EXPECT_EQ(found, before);
      EXPECT_EQ(element, now);
    };
    element = 5;
    was(usmx::atomic_add(element, 3), 5, 8);
    was(usmx::atomic_min(element, 6), 8, 6);
    was(usmx::atomic_min(element, 9), 6, 6);
    was(usmx::atomic_max(element, 12), 6, 12);
    was(usmx::atomic_max(element, 3), 12, 12);
    was(usmx::atomic_exchange(element, 7), 12, 7);
    was(usmx::atomic_compare_exchange(element, T(6), 1), 7, 7);
    was(usmx::atomic_compare_exchange(element, T(7), 10), 7, 10);
    if constexpr (std::is_integral_v<T>) {
      was(usmx::atomic_and(element, 6), 10, 2);
      was(usmx::atomic_or(element, 5), 2, 7);
      was(usmx::atomic_xor(element, 3), 7, 4);
    }
    element = static_cast<T>(k + 1);
  }
  EXPECT_EQ(x, (std::array<T, 8>{1, 2, 3, 4, 5, 6, 7, 8}));  // the others as they were
}

TEST(kernel_cuda, votes_are_of_the_group_and_of_the_warp) {
  std::vector<int> votes(200);
  run(2, 100, [&] {
    const auto at = static_cast<std::size_t>(usmx::global_id());
    const int of_group = usmx::group_any(at == 70) + 2 * usmx::group_all(at != 70);
    votes[at] = of_group + 4 * usmx::subgroup_any(at == 70) + 8 * usmx::subgroup_all(at != 70);
  });
  for (std::size_t k = 0; k < votes.size(); ++k) {
    EXPECT_EQ(votes[k], (k < 100 ? 1 : 2) + (k >= 64 && k < 96 ? 4 : 8)) << k;
  }
}

TEST(kernel_cuda, places_of_three_dimensions_and_of_warps) {
  gridDim = {1, 1, 1};
  std::vector<std::string> found;
  group({0, 0, 0}, {4, 3, 5}, [&] {
    const auto [i, j, k] = usmx::global_id<3>();
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%ld %ld %ld: %d of %d, %d of %d", i, j, k,
                  usmx::subgroup_local_id(), usmx::subgroup_size(), usmx::subgroup_id(),
                  usmx::subgroup_count());
    found.emplace_back(text.data());
  }).run();
  ASSERT_EQ(found.size(), 60U);
  EXPECT_EQ(found[0], "0 0 0: 0 of 32, 0 of 2");
  EXPECT_EQ(found[31], "2 1 3: 31 of 32, 0 of 2");
  EXPECT_EQ(found[59], "4 2 3: 27 of 28, 1 of 2");
}

TEST(kernel_cuda, memory_of_a_group_is_shared) {
  std::vector<int> y(96);
  run(2, 48, [&] {
    usmx::local_array<int, 48> one;
    usmx::local_array<int, 2, 3, 8> three;
    usmx::local_memory<int> asked_for{};
    const std::uint64_t offset_nbytes = 128;  // as the host sets it
    std::memcpy(static_cast<void*>(&asked_for), &offset_nbytes, sizeof offset_nbytes);
    const auto l = static_cast<int>(usmx::local_id());
    one[l] = l;
    three[l / 24][l / 8 % 3][l % 8] = 100 * l;
    asked_for[l] = 10000 * l;
    usmx::barrier();
    const int other = 47 - l;
    y[static_cast<std::size_t>(usmx::global_id())] =
        one[other] + three.data()[other] + asked_for.data()[other];
  });
  for (int k = 0; k < 96; ++k) {
    EXPECT_EQ(y[static_cast<std::size_t>(k)], 10101 * (47 - k % 48));
  }
}

TEST(kernel_cuda, printf_writes_what_c_writes) {
  testing::internal::CaptureStdout();
  run(1, 1, [] { usmx::printf("%d %.1f %s|", static_cast<short>(-3), 2.5F, "text"); });
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "-3 2.5 text|");
}

}  // namespace

#endif
