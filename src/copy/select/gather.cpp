#include "copy/select/selection.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/process.hpp"
#include "base/threads.hpp"
#include "copy/convert.hpp"
#include "copy/copy.hpp"
#include "copy/select/index_blocks.hpp"
#include "copy/staging.hpp"
#include "layout/layout.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

/// Joins neighbouring dimensions that are one run on both sides.
void join_rest(std::vector<rest_dimension>& rest) {
  for (std::size_t k = rest.size(); k > 1; --k) {
    rest_dimension& outer = rest[k - 2];
    const rest_dimension& inner = rest[k - 1];
    if (outer.linear_stride == inner.linear_stride * inner.extent &&
        outer.indexed_stride == inner.indexed_stride * inner.extent) {
      outer = {outer.extent * inner.extent, inner.linear_stride, inner.indexed_stride};
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k - 1));
    }
  }
}

/// The largest item that kernels move and that the transfer's items are multiples of, aligned as
/// kernels require.
std::size_t item_for(const transfer& moved, std::span<const std::ptrdiff_t> scales) {
  auto bits = reinterpret_cast<std::uintptr_t>(moved.linear) |
              reinterpret_cast<std::uintptr_t>(moved.indexed) |
              static_cast<std::uintptr_t>(moved.linear_step);
  for (const std::ptrdiff_t scale : scales) {
    bits |= static_cast<std::uintptr_t>(scale);
  }
  for (const rest_dimension& d : moved.rest) {
    bits |= static_cast<std::uintptr_t>(d.linear_stride | d.indexed_stride);
  }
  std::size_t item = 16;
  while (moved.item_nbytes % item != 0 || bits % std::min<std::size_t>(item, 8) != 0) {
    item /= 2;
  }
  return item;
}

struct kernel_move {
  std::size_t item;
  kernels::selected_walk walk;
};

/// Returns the move as kernels take it; nothing if no array selects, or there are too many
/// dimensions.
std::optional<kernel_move> to_kernel_move(transfer moved, std::int64_t positions,
                                          std::span<const std::ptrdiff_t> scales) {
  const std::size_t item = item_for(moved, scales);
  join_rest(moved.rest);
  if (moved.item_nbytes != item) {
    const auto step = static_cast<std::ptrdiff_t>(item);
    moved.rest.push_back({static_cast<std::ptrdiff_t>(moved.item_nbytes / item), step, step});
  }
  if (scales.empty() || moved.rest.size() > kernels::max_rest_dimensions) {
    return std::nullopt;
  }
  kernels::selected_walk walk{};
  walk.count = positions;
  walk.rest = 1;
  walk.linear_step = moved.linear_step;
  walk.indexed_step = scales.size() == 1 ? scales[0] : 1;
  for (const rest_dimension& d : moved.rest) {
    walk.rest_dimensions[walk.rest_count++] = {d.extent, d.linear_stride, d.indexed_stride};
    walk.rest *= d.extent;
  }
  walk.rest_first = !moved.rest.empty() &&
                    std::abs(moved.rest.back().linear_stride) < std::abs(moved.linear_step);
  return kernel_move{item, walk};
}

std::int64_t count_of_positions(const selection& selected) {
  std::int64_t count = 1;
  for (const std::ptrdiff_t extent : selected.common_shape()) {
    count *= extent;
  }
  return count;
}

/// A flag that kernels of a chain read, and set if they find an integer outside of its axis, and
/// its copy, which the host reads.
struct outside_flag {
  std::uint32_t* found;
  std::uint32_t* told;
};

/// The integers of one array as a list of positions; none if kernels cannot read them in the form
/// that they have.
std::optional<kernels::position_list> integers_as_they_are(const kernel_chain& chain,
                                                           const axis_index& index) {
  const array_view& list = index.elements;
  const bool is_short = list.type() == type_code::int32;
  if ((!is_short && list.type() != type_code::int64) || !list.layout().is_c_contiguous() ||
      reinterpret_cast<std::uintptr_t>(list.data()) % list.type().alignment() != 0 ||
      !chain.reaches(list)) {
    return std::nullopt;
  }
  return kernels::position_list{list.data(), is_short, index.extent};
}

/// The integers of the key's only array as a list of positions, in which some may count from the
/// end. A kernel checks them, unless they come from a mask. None if the key has other arrays or
/// kernels cannot read the integers in the form that they have.
std::optional<kernels::position_list> positions_as_they_are(kernel_chain& chain,
                                                            const selection& selected,
                                                            const outside_flag& outside) {
  if (selected.indices().size() != 1) {
    return std::nullopt;
  }
  const auto positions = integers_as_they_are(chain, selected.indices()[0]);
  if (positions && !selected.is_unique()) {
    const std::int64_t count = selected.indices()[0].elements.size();
    constexpr std::int64_t per_lane = 4;
    chain.run(
        select_kernel(positions->are_short != 0 ? "usmx_check_i4" : "usmx_check_i8"), count,
        [&](std::int64_t per_group) {
          return std::tuple(positions->numbers, count, per_group, positions->extent, outside.found);
        },
        per_lane);
  }
  return positions;
}

/// The indices that the each_index items of a key add to every position of the list. Returns
/// nothing if there are too many dimensions.
std::optional<kernels::own_indices> own_indices_of(const selection& selected,
                                                   std::span<const std::ptrdiff_t> scales) {
  kernels::own_indices own{};
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const axis_index& index = selected.indices()[k];
    if (!index.is_each || index.extent == 1) {
      continue;
    }
    std::int64_t divisor = 1;
    const std::span<const std::ptrdiff_t> strides = index.elements.strides();
    for (std::size_t d = strides.size(); d > 0 && strides[d - 1] == 0; --d) {
      divisor *= selected.common_shape()[d - 1];
    }
    kernels::own_index* const last = own.count == 0 ? nullptr : &own.each[own.count - 1];
    if (last != nullptr && last->divisor == divisor * index.extent &&
        last->scale == scales[k] * index.extent) {
      *last = {divisor, last->extent * index.extent, scales[k]};  // neighbours count on
    } else if (own.count == kernels::max_own_indices) {
      return std::nullopt;
    } else {
      own.each[own.count++] = {divisor, index.extent, scales[k]};
    }
  }
  return own;
}

/// A list with one number for each element of the common shape: the sum of the integers, each
/// counted from the start of its axis and multiplied by its scale. None if kernels cannot read the
/// integers.
std::optional<kernels::position_list> find_positions(kernel_chain& chain, const selection& selected,
                                                     std::span<const std::ptrdiff_t> scales,
                                                     const outside_flag& outside) {
  if (const auto positions = positions_as_they_are(chain, selected, outside)) {
    return positions;
  }
  const auto own = own_indices_of(selected, scales);
  if (!own) {
    return std::nullopt;
  }
  auto* const positions = chain.numbers<std::int64_t>(count_of_positions(selected));
  const layout compact = layout::c_order(selected.common_shape());
  constexpr auto number = static_cast<std::ptrdiff_t>(sizeof *positions);
  const copy_end to{reinterpret_cast<std::byte*>(positions), type_code::int64, compact.strides(),
                    number};
  kernels::position_rule rule{.scale = 0, .extent = 0, .first = 1, .own = *own, .list = positions};
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const axis_index& index = selected.indices()[k];
    if (index.is_each) {
      continue;
    }
    const array_view from = chain.reached(index.elements);
    const copy_plan plan = make_plan(selected.common_shape(), end_of(from), to);
    rule.scale = scales[k];
    rule.extent = index.extent;
    if (!chain.add_positions(plan, rule, outside.found)) {
      return std::nullopt;
    }
    rule.first = 0;
  }
  if (rule.first != 0) {
    return std::nullopt;
  }
  return kernels::position_list{positions, false, 0};
}

/// Consecutive numbers for all positions of the axes that arrays select along.
struct numbering {
  std::vector<std::ptrdiff_t> scales;
  std::int64_t count = 1;
};
numbering number_positions(const selection& selected) {
  numbering result;
  for (const axis_index& index : selected.indices()) {
    for (std::ptrdiff_t& scale : result.scales) {
      scale *= index.extent;
    }
    result.scales.push_back(1);
    result.count *= index.extent;
  }
  return result;
}

/// The items that a lane moves: several, so that it waits for them together.
constexpr std::int64_t moved_by_lane = 4;

/// Divides the slots into windows that fit the cache. Measured on an H100, whose cache holds 50 MB:
/// 4 million numbers that go to random ones of 16 million slots take 121 us in windows of 4 million
/// slots, and 199 us in a single window, although the positions are read once for each window. More
/// than a few windows cost more than they save.
kernels::slot_windows windows_for(const kernel_chain& chain, std::int64_t slots,
                                  std::int64_t count) {
  constexpr std::int64_t window = std::int64_t{4} << 20;
  constexpr std::int64_t most_windows = 6;
  constexpr std::int64_t by_group = kernels::selection_lanes * moved_by_lane;
  constexpr std::int64_t most_groups = std::int64_t{1} << 20;
  const std::int64_t groups = ceiling_of(count, by_group);
  const bool pays = chain.shape() == kernel_shape::tiled && slots > window &&
                    slots <= most_windows * window && groups <= most_groups;
  return pays ? kernels::slot_windows{ceiling_of(slots, window), window, groups}
              : kernels::slot_windows{1, slots, 0};
}

/// Finds, for each slot, 1 + the number of the last of `count` positions that is this slot; 0 if
/// none is.
const std::uint32_t* find_last(kernel_chain& chain, const kernels::position_list& positions,
                               std::int64_t count, std::int64_t slots,
                               const outside_flag& outside) {
  std::uint32_t* const last = chain.zeros(slots);
  const kernels::slot_windows windows = windows_for(chain, slots, count);
  const std::int64_t launched = windows.groups == 0 ? count
                                                    : windows.count * windows.groups *
                                                          kernels::selection_lanes * moved_by_lane;
  chain.run(
      select_kernel("usmx_find_last"), launched,
      [&](std::int64_t per_group) {
        return std::tuple(positions, last, windows, count, per_group,
                          static_cast<const std::uint32_t*>(outside.found));
      },
      moved_by_lane);
  return last;
}

/// Whether no position occurs twice, or it makes no difference.
bool needs_no_owners(const selection& selected, const kernels::selected_walk& walk) {
  return selected.is_unique() || walk.linear_step == 0 || walk.count == 1;
}

/// Whether the kernel walks through the slots and not through the positions: for single items that
/// go to about as many slots, selected by one array of integers. Measured on an H100, that takes a
/// quarter of the time.
bool is_walked_by_slots(const selection& selected, const kernels::selected_walk& walk) {
  constexpr std::int64_t slots_per_position = 8;
  return walk.rest == 1 && selected.indices().size() == 1 &&
         selected.indices()[0].extent / slots_per_position <= walk.count;
}

/// Finds which item is written where several lead to one position: the last.
kernels::position_owners find_owners(kernel_chain& chain, const selection& selected,
                                     const kernels::selected_walk& walk,
                                     const kernels::position_list& moved,
                                     const outside_flag& outside) {
  if (needs_no_owners(selected, walk)) {
    return kernels::position_owners{};
  }
  const numbering numbered = number_positions(selected);
  const auto positions = numbered.scales.size() == 1
                             ? std::optional(moved)
                             : find_positions(chain, selected, numbered.scales, outside);
  return kernels::position_owners{
      *positions, find_last(chain, *positions, walk.count, numbered.count, outside)};
}

/// Throws index_error for the integer outside of its axis that the kernels have found.
[[noreturn]] void throw_outside(const selection& selected) {
  selected.check();
  // The check finds nothing only if another thread has corrected the integers meanwhile.
  throw index_error("an index changed while it was used");
}

/// Waits for the kernels. Throws index_error if they have found an integer outside of its axis.
void finish(kernel_chain& chain, const std::uint32_t& told, const selection& selected) {
  chain.wait();
  if (told != 0) {
    throw_outside(selected);
  }
}

/// The scales that make positions of integers. With one array, the positions are the integers
/// themselves.
std::vector<std::ptrdiff_t> scales_of_positions(std::span<const std::ptrdiff_t> scales) {
  return scales.size() == 1 ? std::vector<std::ptrdiff_t>{1}
                            : std::vector<std::ptrdiff_t>(scales.begin(), scales.end());
}

/// Moves items by kernels of the chain, as planned for the indexed side. `run(kernel_move,
/// positions, outside)` adds the kernel that moves; it returns false if it cannot.
template <class Run>
bool move_by_kernels(kernel_chain& chain, const transfer& planned, const array_view& indexed,
                     const selection& selected, const Run& run) {
  const std::vector<std::ptrdiff_t> scales = scales_of(indexed, selected);
  const auto move = to_kernel_move(planned, count_of_positions(selected), scales);
  if (!move) {
    return false;
  }
  const outside_flag outside{chain.zeros(1), chain.told<std::uint32_t>()};
  const auto positions = find_positions(chain, selected, scales_of_positions(scales), outside);
  if (!positions || !run(*move, *positions, outside)) {
    return false;
  }
  finish(chain, *outside.told, selected);
  return true;
}

template <class... More>
void run_move(kernel_chain& chain, kernel_id kernel, const kernel_move& move, const transfer& of,
              const kernels::position_list& positions, const outside_flag& outside,
              const More&... more) {
  chain.run(
      kernel, move.walk.count * move.walk.rest,
      [&](std::int64_t per_group) {
        kernels::selected_walk walk = move.walk;
        walk.per_group = per_group;
        return std::tuple(of.linear, of.indexed, positions, walk,
                          static_cast<const std::uint32_t*>(outside.found), outside.told, more...);
      },
      moved_by_lane);
}

void run_slots(kernel_chain& chain, std::int64_t slots, const kernel_move& move, const transfer& of,
               const kernels::position_list& positions, const outside_flag& outside) {
  const std::uint32_t* const last = find_last(chain, positions, move.walk.count, slots, outside);
  chain.run(
      slots_kernel(move.item), slots,
      [&](std::int64_t per_group) {
        kernels::selected_walk walk = move.walk;
        walk.per_group = per_group;
        return std::tuple(of.linear, of.indexed, last, slots, walk,
                          static_cast<const std::uint32_t*>(outside.found), outside.told);
      },
      moved_by_lane);
}

/// Returns false if kernels cannot find which item is written where several lead to one position.
bool run_scatter(kernel_chain& chain, const selection& selected, const kernel_move& move,
                 const transfer& of, const kernels::position_list& positions,
                 const outside_flag& outside) {
  if (!needs_no_owners(selected, move.walk)) {
    if (move.walk.count >= std::int64_t{UINT32_MAX}) {
      return false;
    }
    if (is_walked_by_slots(selected, move.walk)) {
      run_slots(chain, selected.indices()[0].extent, move, of, positions, outside);
      return true;
    }
  }
  run_move(chain, scatter_kernel(move.item), move, of, positions, outside,
           find_owners(chain, selected, move.walk, positions, outside));
  return true;
}

/// The arguments that the kernels usmx_take_* need for a key with one array of integers, besides
/// each_index items.
struct integers_of_key {
  kernels::position_list list;
  kernels::own_indices own;
  std::ptrdiff_t scale;
};

/// Returns the arguments; nothing if the key has not exactly one array of integers, or kernels
/// cannot read its integers in the form that they have.
std::optional<integers_of_key> integers_of(const kernel_chain& chain, const selection& selected,
                                           std::span<const std::ptrdiff_t> scales) {
  const std::span<const axis_index> indices = selected.indices();
  const auto found = std::ranges::find(indices, false, &axis_index::is_each);
  if (std::ranges::count(indices, false, &axis_index::is_each) != 1) {
    return std::nullopt;
  }
  const auto list = integers_as_they_are(chain, *found);
  const auto own = own_indices_of(selected, scales);
  if (!list || !own) {
    return std::nullopt;
  }
  return integers_of_key{*list, *own, scales[static_cast<std::size_t>(found - indices.begin())]};
}

/// Gathers by one kernel, which checks the integers as it uses them. Returns false, with nothing
/// done, if the kernel cannot.
bool take_by_kernel(kernel_chain& chain, const transfer& planned, const array_view& source,
                    const selection& selected) {
  const std::vector<std::ptrdiff_t> scales = scales_of(source, selected);
  const auto move = to_kernel_move(planned, count_of_positions(selected), scales);
  const auto integers = integers_of(chain, selected, scales);
  if (!move || !integers) {
    return false;
  }
  auto* const told = chain.told<std::uint32_t>();
  *told = 0;
  chain.run(
      take_kernel(move->item), move->walk.count * move->walk.rest,
      [&](std::int64_t per_group) {
        kernels::selected_walk walk = move->walk;
        walk.per_group = per_group;
        walk.indexed_step = integers->scale;
        return std::tuple(planned.linear, planned.indexed, integers->list, integers->own, walk,
                          told);
      },
      moved_by_lane);
  finish(chain, *told, selected);
  return true;
}

}  // namespace

bool gather_by_kernels(const array_view& source, const selection& selected,
                       const array_view& destination, destination_memory memory) {
  if (!reached_by_kernels(source, source.queue()) ||
      !reached_by_kernels(destination, source.queue())) {
    return false;
  }
  std::optional<kernel_chain> chain = kernel_chain::on(source.queue());
  if (!chain) {
    return false;
  }
  const std::optional<transfer> planned = plan_transfer(source, selected, destination);
  if (!planned) {
    const array result = empty(layout::c_order(destination.shape()), destination.type(),
                               source.queue(), usm_kind::device);
    const array_view gathered = internal::private_view(result);
    if (!gather_by_kernels(source, selected, gathered, destination_memory::fresh)) {
      return false;
    }
    internal::copy_elements(gathered, destination);
    return true;
  }
  if (memory == destination_memory::fresh && take_by_kernel(*chain, *planned, source, selected)) {
    return true;
  }
  return move_by_kernels(*chain, *planned, source, selected,
                         [&](const kernel_move& move, const auto& positions, const auto& outside) {
                           run_move(*chain, gather_kernel(move.item), move, *planned, positions,
                                    outside);
                           return true;
                         });
}

bool scatter_by_kernels(const array_view& values, const selection& selected,
                        const array_view& destination) {
  if (!reached_by_kernels(destination, destination.queue())) {
    return false;
  }
  std::optional<kernel_chain> chain = kernel_chain::on(destination.queue());
  if (!chain) {
    return false;
  }
  const array_view from = chain->reached(values);
  std::optional<transfer> planned = plan_transfer(destination, selected, from);
  if (!planned) {
    planned = plan_transfer(destination, selected, chain->compact(from, from.type()));
  }
  return move_by_kernels(*chain, *planned, destination, selected,
                         [&](const kernel_move& move, const auto& positions, const auto& outside) {
                           return run_scatter(*chain, selected, move, *planned, positions, outside);
                         });
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {
namespace {

void require_type(const array_view& found, const array_view& expected) {
  if (found.type() != expected.type()) {
    throw value_error(detail::message("elements to be moved must be of type ", expected.type(),
                                      ", found ", found.type()));
  }
}

void require_assignable(const array_view& destination) {
  detail::require_writable(destination, "assignment destination");  // NumPy's words
}

void require_shape(const array_view& destination, const selection& selected) {
  if (!std::ranges::equal(destination.shape(), selected.shape())) {
    throw value_error(detail::message("destination must have the shape of what is selected, ",
                                      tuple_text(selected.shape()), ", found ",
                                      tuple_text(destination.shape())));
  }
}

/// Calls `body` with the selection, or with a copy whose integers the host may touch.
template <class Body>
void with_host_integers(const selection& selected, const Body& body) {
  selected.is_on_host() ? body(selected) : body(selected.on_host());
}

bool overlap(const array_view& a, const array_view& b) {
  const auto bytes_of = [](const array_view& view) {
    return detail::bytes_of(view.origin(), view.layout(), view.type().itemsize());
  };
  return overlap(bytes_of(a), bytes_of(b));
}

}  // namespace

void detail::gather_on_host(const array_view& source, const selection& selected,
                            const array_view& destination) {
  const std::optional<transfer> moved = plan_transfer(source, selected, destination);
  if (!moved) {
    const internal::staging result(destination);
    gather_on_host(source, selected, result.view());
    return internal::copy_elements(result.view(), destination);
  }
  move_to_linear(*moved, source, selected, destination.nbytes());
}

void detail::scatter_on_host(const array_view& values, const selection& selected,
                             const array_view& destination) {
  const std::optional<transfer> moved = plan_transfer(destination, selected, values);
  if (!moved) {
    return scatter_on_host(internal::staging::fetched(values).view(), selected, destination);
  }
  move_to_indexed(*moved, destination, selected);
}

void detail::gather_staged(const array_view& source, const selection& selected,
                           const array_view& destination) {
  const internal::staging result(destination);
  gather_on_host(internal::staging::fetched(source).view(), selected, result.view());
  internal::copy_elements(result.view(), destination);
}

void detail::scatter_staged(const array_view& values, const selection& selected,
                            const array_view& destination) {
  const internal::staging changed = internal::staging::fetched(destination);
  scatter_on_host(internal::staging::fetched(values).view(), selected, changed.view());
  internal::copy_elements(changed.view(), destination);
}

namespace {

bool gather_by_mask(const array_view& source, const selection& selected,
                    const array_view& destination) {
  detail::mask_scan* const mask = detail::only_mask(selected);
  return mask != nullptr && mask->gather(source, destination);
}

bool scatter_by_mask(const array_view& values, const selection& selected,
                     const array_view& destination) {
  detail::mask_scan* const mask = detail::only_mask(selected);
  return mask != nullptr && mask->scatter(values, destination);
}

/// Whether one element in the host's memory goes to all true positions by a kernel: then they need
/// not be counted.
bool fills_by_mask(const array_view& values, const selection& selected,
                   const array_view& destination) {
  detail::mask_scan* const mask = detail::only_mask(selected);
  return mask != nullptr && !mask->is_on_host() && values.size() == 1 && values.ndim() <= 1 &&
         (values.kind() == usm_kind::unknown || detail::touched_by_host(values)) &&
         !overlap(mask->mask(), destination);
}

void gather_ordered(const array& source, const selection& selected, const array& destination,
                    detail::destination_memory memory) {
  const array_view from = internal::private_view(source);
  const array_view to = internal::private_view(destination);
  require_type(to, from);
  require_assignable(to);
  require_shape(to, selected);
  if (to.size() == 0) {
    return selected.check();
  }
  const detail::runtime_call call;
  detail::wait_before(source, detail::access::read);
  detail::wait_before(destination, detail::access::write);
  const array_view part = from.with_layout_unchecked(selected.basic());
  if (gather_by_mask(part, selected, to)) {
    return;
  }
  if (detail::touched_by_host(part) && detail::touched_by_host(to)) {
    with_host_integers(
        selected, [&](const selection& reached) { detail::gather_on_host(part, reached, to); });
  } else if (!detail::gather_by_kernels(part, selected, to, memory)) {
    detail::gather_staged(part, selected.on_host(), to);
  }
}

/// Scatters values that are finished: no work on them is pending.
void scatter_view(const array_view& values, selection& selected, const array_view& part) {
  selected.keep_from(part);
  if (overlap(values, part)) {
    return scatter_view(internal::staging::fetched(values).view(), selected, part);
  }
  const array_view source =
      values.with_layout_unchecked(broadcast_assigned(values.layout(), selected.shape()));
  if (scatter_by_mask(source, selected, part)) {
    return;
  }
  if (detail::touched_by_host(source) && detail::touched_by_host(part)) {
    with_host_integers(selected, [&](const selection& reached) {
      detail::scatter_on_host(source, reached, part);
    });
  } else if (!detail::scatter_by_kernels(source, selected, part)) {
    detail::scatter_staged(source, selected.on_host(), part);
  }
}

/// Scatters values. `wait()` waits for the work before them.
template <class Wait>
void scatter_ordered(const array_view& values, selection& selected, const array& destination,
                     const Wait& wait) {
  const array_view to = internal::private_view(destination);
  require_assignable(to);
  require_type(values, to);
  if (fills_by_mask(values, selected, to)) {
    const detail::runtime_call call;
    wait();
    detail::wait_before(destination, detail::access::write);
    if (detail::only_mask(selected)->fill(values.data(), to)) {
      return;
    }
  }
  const layout spread = broadcast_assigned(values.layout(), selected.shape());
  if (spread.size() == 0) {
    return selected.check();
  }
  if (detail::touched_by_host(to)) {  // elsewhere the integers are checked where they are
    selected.check();
  }
  const detail::runtime_call call;
  wait();
  detail::wait_before(destination, detail::access::write);
  scatter_view(values, selected, to.with_layout_unchecked(selected.basic()));
}

}  // namespace

void gather(const array& source, const selection& selected, const array& destination) {
  gather_ordered(source, selected, destination, detail::destination_memory::given);
}

void internal::gather_to_fresh(const array& source, const selection& selected,
                               const array& destination) {
  gather_ordered(source, selected, destination, detail::destination_memory::fresh);
}

namespace {

/// Copies the rows of `nbytes` that the indices name; false if one is outside.
template <class Index, class Size>
bool take_rows(const std::byte* rows, std::ptrdiff_t extent, const Index* indices,
               std::ptrdiff_t count, std::byte* to, Size nbytes) {
  const auto row = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(nbytes));
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const std::ptrdiff_t index = indices[k];
    if (index >= extent || index < -extent) {
      return false;
    }
    std::memcpy(to + k * row, rows + (index < 0 ? index + extent : index) * row, nbytes);
  }
  return true;
}

}  // namespace

std::optional<array> internal::take_few(const array& source, const array& indices) {
  constexpr std::ptrdiff_t most_indices = std::ptrdiff_t{256} << 10;
  constexpr std::ptrdiff_t most_nbytes = std::ptrdiff_t{4} << 20;
  constexpr std::ptrdiff_t task_nbytes = std::ptrdiff_t{256} << 10;
  const bool is_short = indices.type() == type_code::int32;
  if ((!is_short && indices.type() != type_code::int64) || source.ndim() == 0 ||
      private_queue(indices) != private_queue(source) || indices.size() > most_indices ||
      source.size() == 0 || indices.ndim() == 0 || source.ndim() - 1 + indices.ndim() > max_ndim ||
      !source.layout().is_c_contiguous() || !indices.layout().is_c_contiguous()) {
    return std::nullopt;
  }
  const std::ptrdiff_t extent = source.extent(0);
  const std::size_t row =
      static_cast<std::size_t>(source.size() / extent) * source.type().itemsize();
  const auto are_ready = [&] { return is_ready_for_host(source) && is_ready_for_host(indices); };
  if (row > static_cast<std::size_t>(most_nbytes) ||
      static_cast<std::ptrdiff_t>(row) * indices.size() > most_nbytes || !are_ready()) {
    return std::nullopt;
  }
  std::vector<std::ptrdiff_t> shape(indices.shape().begin(), indices.shape().end());
  shape.insert(shape.end(), source.shape().begin() + 1, source.shape().end());
  array made = new_array(layout::c_order(shape), source.type(), private_queue(source),
                         source.kind(), 0, first_use::at_once);
  if (!is_ready_for_host(made) || !are_ready()) {  // another thread may have begun work meanwhile
    return std::nullopt;
  }
  const std::ptrdiff_t count = indices.size();
  const std::ptrdiff_t tasks =
      std::max<std::ptrdiff_t>(count * static_cast<std::ptrdiff_t>(row) / task_nbytes, 1);
  std::atomic<bool> are_inside = true;
  detail::with_item_size(row, [&](auto nbytes) {
    const auto take = [&]<class Index>(std::type_identity<Index>) {
      const auto* all = reinterpret_cast<const Index*>(first_element(indices));
      detail::for_each_task(tasks, [&](std::ptrdiff_t task) {
        const std::ptrdiff_t begin = count * task / tasks;
        const std::ptrdiff_t end = count * (task + 1) / tasks;
        std::byte* const to = first_element(made) + begin * static_cast<std::ptrdiff_t>(row);
        if (!take_rows(first_element(source), extent, all + begin, end - begin, to, nbytes)) {
          are_inside = false;
        }
      });
    };
    is_short ? take(std::type_identity<std::int32_t>()) : take(std::type_identity<std::int64_t>());
  });
  return are_inside ? std::optional(std::move(made)) : std::nullopt;
}

void scatter(const array& values, selection selected, const array& destination) {
  scatter_ordered(internal::private_view(values), selected, destination,
                  [&] { detail::wait_before(values, detail::access::read); });
}

void scatter(const array_view& values, selection selected, const array& destination) {
  detail::require_host_memory("scatter", values);
  scatter_ordered(values, selected, destination, [] {});
}

}  // namespace usmx::inline v1
