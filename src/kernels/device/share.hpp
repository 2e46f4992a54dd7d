// How the work items of a kernel share elements in a row. Device code.
#pragma once

#include <cstdint>

#include "selection.hpp"
#include "strided.hpp"

namespace usmx::inline v1::kernels {

/// The share of one work item in `count` elements, of which a work group takes `per_group`.
struct share {
  std::int64_t first;
  std::int64_t end;
  std::int64_t step;
};
inline share share_of(std::int64_t count, std::int64_t per_group) {
  const lanes lane{};
  const std::int64_t begin = group_id<2>() * per_group;
  return {begin + lane.first, smaller(begin + per_group, count), lane.count};
}

/// The same for each window of slots, one after the other: groups near each other look at all
/// elements, and use those of their window.
struct windowed_share {
  share items;
  std::int64_t first_slot;
  std::int64_t end_slot;

  bool contains(std::int64_t slot) const { return slot >= first_slot && slot < end_slot; }
};
inline windowed_share share_of_window(std::int64_t count, std::int64_t per_group,
                                      const slot_windows& windows) {
  const lanes lane{};
  const std::int64_t window = windows.groups == 0 ? 0 : group_id<2>() / windows.groups;
  const std::int64_t begin = (group_id<2>() - window * windows.groups) * per_group;
  return {{begin + lane.first, smaller(begin + per_group, count), lane.count},
          window * windows.slots,
          (window + 1) * windows.slots};
}

}  // namespace usmx::inline v1::kernels
