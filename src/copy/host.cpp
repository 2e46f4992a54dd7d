#include "copy/host.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include "copy/block_kernels.hpp"
#include "copy/convert.hpp"
#include "copy/host/index_space.hpp"
#include "copy/host/rows.hpp"
#include "copy/host/tiles.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The dimension in which the source has its smallest step; the innermost one of equal ones.
std::size_t source_innermost(std::span<const copy_dimension> dimensions) noexcept {
  std::size_t found = dimensions.size() - 1;
  const auto step = [&](std::size_t k) { return std::abs(dimensions[k].source_stride); };
  for (std::size_t k = dimensions.size(); k-- > 0;) {
    // Repeated items (a step of 0) are no runs: what else there is, is nearer to being one.
    if (step(k) != 0 && (step(found) == 0 || step(k) < step(found))) {
      found = k;
    }
  }
  return found;
}

/// A run of few adjacent items that is as long as a number is moved like one.
bool is_one_item(const copy_plan& plan, const copy_dimension& d) noexcept {
  const auto itemsize = static_cast<std::ptrdiff_t>(plan.source_type.itemsize());
  return !plan.converts() && d.source_stride == itemsize && d.destination_stride == itemsize &&
         d.extent <= 16 && can_transpose(static_cast<std::size_t>(d.extent * itemsize));
}

bool repeats_one_element(const copy_plan& plan) noexcept {
  return std::ranges::all_of(plan.dimensions(),
                             [](const copy_dimension& d) { return d.source_stride == 0; });
}

/// One conversion for all elements.
void convert_and_repeat(copy_plan plan, const host_thresholds& thresholds) noexcept {
  std::array<std::byte, 16> element;  // as large as the largest plain type
  conversion(plan.source_type, plan.destination_type).strided(plan.source, 0, element.data(), 0, 1);
  plan.source = element.data();
  plan.source_type = plan.destination_type;
  copy_on_host(plan, thresholds);
}

}  // namespace

void copy_on_host(const copy_plan& plan, const host_thresholds& thresholds) noexcept {
  if (plan.converts() && repeats_one_element(plan)) {
    return convert_and_repeat(plan, thresholds);
  }
  std::span<const copy_dimension> dimensions = plan.dimensions();
  std::size_t itemsize = plan.destination_type.itemsize();
  if (dimensions.size() > 1 && is_one_item(plan, dimensions.back())) {
    itemsize *= static_cast<std::size_t>(dimensions.back().extent);
    dimensions = dimensions.first(dimensions.size() - 1);
  }
  index_space outer;
  if (dimensions.empty()) {
    const auto step = static_cast<std::ptrdiff_t>(itemsize);
    const copy_dimension single{1, step, step};
    return copy_rows(plan, outer, single, itemsize, thresholds);
  }
  const std::size_t along = dimensions.size() - 1;
  const std::size_t across = source_innermost(dimensions);
  for (std::size_t k = 0; k < along; ++k) {
    if (k != across) {
      outer.add(dimensions[k]);
    }
  }
  if (across == along) {
    copy_rows(plan, outer, dimensions[along], itemsize, thresholds);
  } else {
    copy_tiles(plan, outer, dimensions[across], dimensions[along], itemsize, thresholds);
  }
}

}  // namespace usmx::inline v1::detail
