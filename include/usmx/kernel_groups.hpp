// Common work of the work items of a group, or of a sub-group: reductions, scans, votes and
// exchanges. Every work item of the group has to come to each call. Device code only:
// <usmx/kernel.hpp> includes it.
//
// A sub-group is the part of a work group that a device runs in step: a warp of CUDA, 16 or more
// work items on CPUs. Values are numbers; those of 1 and 2 bytes are exchanged as wider ones.
#pragma once

#include <usmx/kernel_math.hpp>

#ifndef __CUDACC_RTC__
#define USMX_WORK_ITEM_VARIABLE(name) \
  extern __attribute__((sycl_device, const)) unsigned __spirv_BuiltIn##name();
USMX_WORK_ITEM_VARIABLE(SubgroupLocalInvocationId)
USMX_WORK_ITEM_VARIABLE(SubgroupSize)
USMX_WORK_ITEM_VARIABLE(SubgroupId)
USMX_WORK_ITEM_VARIABLE(NumSubgroups)
#undef USMX_WORK_ITEM_VARIABLE
#endif

namespace usmx {

/// The index of the work item in its sub-group.
inline int subgroup_local_id() {
  return static_cast<int>(__spirv_BuiltInSubgroupLocalInvocationId());
}
/// The number of work items of the sub-group.
inline int subgroup_size() { return static_cast<int>(__spirv_BuiltInSubgroupSize()); }
/// The index of the sub-group in its work group.
inline int subgroup_id() { return static_cast<int>(__spirv_BuiltInSubgroupId()); }
/// The number of sub-groups of the work group.
inline int subgroup_count() { return static_cast<int>(__spirv_BuiltInNumSubgroups()); }

namespace detail {

// The scopes and the operations of SPIR-V.
inline constexpr int of_group = 2;
inline constexpr int of_subgroup = 3;
inline constexpr int reduction = 0;
inline constexpr int inclusive_scan = 1;
inline constexpr int exclusive_scan = 2;

template <class T>
constexpr auto travelling_number() {
  static_assert(is_number<T>, "groups put numbers together");
  if constexpr (is_floating<T>) {
    return computed<T>();
  } else if constexpr (sizeof(T) < 8) {
    return chosen<__is_signed(T), int, unsigned>();
  } else {
    return chosen<__is_signed(T), long, unsigned long>();
  }
}
/// The type in which a number travels.
template <class T>
using travelling = decltype(travelling_number<T>());

#define USMX_TOGETHER(name, of_floating, of_signed, of_unsigned)                    \
  template <int Scope, int Operation, class T>                                      \
  inline T name(T value) {                                                          \
    const auto travels = static_cast<travelling<T>>(value);                         \
    if constexpr (is_floating<T>) {                                                 \
      return static_cast<T>(__spirv_Group##of_floating(Scope, Operation, travels)); \
    } else if constexpr (__is_signed(T)) {                                          \
      return static_cast<T>(__spirv_Group##of_signed(Scope, Operation, travels));   \
    } else {                                                                        \
      return static_cast<T>(__spirv_Group##of_unsigned(Scope, Operation, travels)); \
    }                                                                               \
  }
USMX_TOGETHER(added, FAdd, IAdd, IAdd)
USMX_TOGETHER(smallest, FMin, SMin, UMin)
USMX_TOGETHER(largest, FMax, SMax, UMax)
#undef USMX_TOGETHER

}  // namespace detail

// The sum, the smallest and the largest value of the group, the same for all of its work items; and
// the sum of the values up to a work item's own, with it or without it.
#define USMX_OF_GROUPS(prefix, scope)                                                     \
  template <class T>                                                                      \
  inline T prefix##_reduce_add(T value) {                                                 \
    return detail::added<detail::scope, detail::reduction>(value);                        \
  }                                                                                       \
  template <class T>                                                                      \
  inline T prefix##_reduce_min(T value) {                                                 \
    return detail::smallest<detail::scope, detail::reduction>(value);                     \
  }                                                                                       \
  template <class T>                                                                      \
  inline T prefix##_reduce_max(T value) {                                                 \
    return detail::largest<detail::scope, detail::reduction>(value);                      \
  }                                                                                       \
  template <class T>                                                                      \
  inline T prefix##_inclusive_scan_add(T value) {                                         \
    return detail::added<detail::scope, detail::inclusive_scan>(value);                   \
  }                                                                                       \
  template <class T>                                                                      \
  inline T prefix##_exclusive_scan_add(T value) {                                         \
    return detail::added<detail::scope, detail::exclusive_scan>(value);                   \
  }                                                                                       \
  /* Whether it holds for one of the work items, and for all. */                          \
  inline bool prefix##_any(bool holds) { return __spirv_GroupAny(detail::scope, holds); } \
  inline bool prefix##_all(bool holds) { return __spirv_GroupAll(detail::scope, holds); }
USMX_OF_GROUPS(group, of_group)
USMX_OF_GROUPS(subgroup, of_subgroup)
#undef USMX_OF_GROUPS

/// The value of the work item at that index of the sub-group.
template <class T>
inline T subgroup_shuffle(T value, int index) {
  return static_cast<T>(__spirv_SubgroupShuffleINTEL(static_cast<detail::travelling<T>>(value),
                                                     static_cast<unsigned>(index)));
}
/// The value of the work item `distance` indices further on; its own one, if there is none.
template <class T>
inline T subgroup_shuffle_down(T value, int distance) {
  const int index = subgroup_local_id() + distance;
  return subgroup_shuffle(value, index < subgroup_size() ? index : subgroup_local_id());
}
/// The value of the work item `distance` indices before; its own one, if there is none.
template <class T>
inline T subgroup_shuffle_up(T value, int distance) {
  const int index = subgroup_local_id() - distance;
  return subgroup_shuffle(value, index >= 0 ? index : subgroup_local_id());
}
/// The value of the work item whose index differs in the bits of `mask`; its own one, if there is
/// none.
template <class T>
inline T subgroup_shuffle_xor(T value, int mask) {
  const int index = subgroup_local_id() ^ mask;
  return subgroup_shuffle(value, index < subgroup_size() ? index : subgroup_local_id());
}

}  // namespace usmx
