#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "copy/arguments.hpp"
#include "copy/copy_internal.hpp"
#include "copy/select/gather_paths.hpp"
#include "copy/select/kernel_chain.hpp"
#include "copy/select/transfer.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

/// Neighbours that are one run on both sides become one.
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

/// The largest item that kernels move of which the transfer's items consist, aligned as they ask.
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

/// A transfer as kernels take it.
struct kernel_move {
  std::size_t item;
  kernels::selected_walk walk;
};

/// None if no array selects, or there are too many dimensions.
std::optional<kernel_move> to_kernel_move(transfer moved, std::int64_t places,
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
  walk.count = places;
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

std::int64_t count_of_places(const selection& selected) {
  std::int64_t count = 1;
  for (const std::ptrdiff_t extent : selected.common_shape()) {
    count *= extent;
  }
  return count;
}

/// The coordinates of a mask of one dimension, which are places as they are; null if that is not
/// what selects.
const std::int64_t* places_of_mask(const kernel_chain& chain, const selection& selected) {
  if (!selected.is_unique() || selected.indices().size() != 1) {
    return nullptr;
  }
  const array_view& list = selected.indices()[0].elements;
  return chain.reaches(list) ? reinterpret_cast<const std::int64_t*>(list.data()) : nullptr;
}

/// One number for each element of the common shape: the sum of the integers, each counted from the
/// start of its axis and multiplied by its scale. Null if kernels cannot read the integers.
const std::int64_t* find_places(kernel_chain& chain, const selection& selected,
                                std::span<const std::ptrdiff_t> scales, std::uint32_t* outside) {
  if (const auto* places = places_of_mask(chain, selected)) {
    return places;
  }
  auto* const places = chain.numbers<std::int64_t>(count_of_places(selected));
  const layout compact = layout::c_order(selected.common_shape());
  constexpr auto number = static_cast<std::ptrdiff_t>(sizeof *places);
  const copy_end to{reinterpret_cast<std::byte*>(places), type_code::int64, compact.strides(),
                    number};
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const axis_index& index = selected.indices()[k];
    const array_view from = chain.reached(index.elements);
    const copy_plan plan = make_plan(selected.common_shape(), end_of(from), to);
    if (!chain.add_places(plan, {scales[k], index.extent, k == 0}, outside)) {
      return nullptr;
    }
  }
  return places;
}

/// Consecutive numbers for all places of the axes that arrays select along.
struct numbering {
  std::vector<std::ptrdiff_t> scales;
  std::int64_t count = 1;
};
numbering number_places(const selection& selected) {
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

/// Who writes where several places are the same. None if kernels cannot find out.
std::optional<kernels::place_owners> find_owners(kernel_chain& chain, const selection& selected,
                                                 const kernels::selected_walk& walk,
                                                 std::uint32_t* outside) {
  if (selected.is_unique() || walk.linear_step == 0 || walk.count == 1) {
    return kernels::place_owners{};
  }
  if (walk.count >= std::int64_t{UINT32_MAX}) {
    return std::nullopt;
  }
  const numbering numbered = number_places(selected);
  const std::int64_t* const places = find_places(chain, selected, numbered.scales, outside);
  std::uint32_t* const last = chain.zeros(numbered.count);
  chain.run(select_kernel("usmx_find_last"), walk.count, [&](std::int64_t per_group) {
    return std::tuple(places, last, walk.count, per_group,
                      static_cast<const std::uint32_t*>(outside));
  });
  return kernels::place_owners{places, last};
}

/// Where integers are outside of their axes, as the kernels have said.
[[noreturn]] void throw_outside(const selection& selected) {
  selected.check();
  // Only where somebody changes the integers meanwhile: what was bad is good now.
  throw index_error("an index changed while it was used");
}

/// Where there is one array, its places are the integers themselves.
std::vector<std::ptrdiff_t> scales_of_places(std::span<const std::ptrdiff_t> scales) {
  return scales.size() == 1 ? std::vector<std::ptrdiff_t>{1}
                            : std::vector<std::ptrdiff_t>(scales.begin(), scales.end());
}

/// Moves by kernels of the chain, as planned for the indexed side. `run(kernel_move, places,
/// outside)` runs the kernel that moves; false if it cannot.
template <class Run>
bool move_by_kernels(kernel_chain& chain, const transfer& planned, const array_view& indexed,
                     const selection& selected, const Run& run) {
  const std::vector<std::ptrdiff_t> scales = scales_of(indexed, selected);
  const auto move = to_kernel_move(planned, count_of_places(selected), scales);
  if (!move) {
    return false;
  }
  std::uint32_t* const outside = chain.zeros(1);
  const std::int64_t* const places =
      find_places(chain, selected, scales_of_places(scales), outside);
  if (places == nullptr || !run(*move, places, outside)) {
    return false;
  }
  if (chain.read(outside) != 0) {
    throw_outside(selected);
  }
  return true;
}

template <class... More>
void run_move(kernel_chain& chain, kernel_id kernel, const kernel_move& move, const transfer& of,
              const std::int64_t* places, const std::uint32_t* outside, const More&... more) {
  chain.run(kernel, move.walk.count * move.walk.rest, [&](std::int64_t per_group) {
    kernels::selected_walk walk = move.walk;
    walk.per_group = per_group;
    return std::tuple(of.linear, of.indexed, places, walk, outside, more...);
  });
}

}  // namespace

bool gather_by_kernels(const array_view& source, const selection& selected,
                       const array_view& destination) {
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
    if (!gather_by_kernels(source, selected, gathered)) {
      return false;
    }
    internal::copy_elements(gathered, destination);
    return true;
  }
  return move_by_kernels(*chain, *planned, source, selected,
                         [&](const kernel_move& move, const auto* places, auto* outside) {
                           run_move(*chain, gather_kernel(move.item), move, *planned, places,
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
                         [&](const kernel_move& move, const auto* places, auto* outside) {
                           const auto owners = find_owners(*chain, selected, move.walk, outside);
                           if (owners) {
                             run_move(*chain, scatter_kernel(move.item), move, *planned, places,
                                      outside, *owners);
                           }
                           return owners.has_value();
                         });
}

}  // namespace usmx::inline v1::detail
