#include "usmx/compute/joining.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/joining.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "copy/copy.hpp"
#include "copy/join.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/index_item.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

using std::ptrdiff_t;
using extents = std::vector<ptrdiff_t>;

dtype joined_type(std::string_view function, std::span<const array> arrays) {
  if (arrays.front().type().is_structured() ||
      std::ranges::any_of(arrays, [](const array& x) { return x.type().is_structured(); })) {
    if (!std::ranges::all_of(arrays,
                             [&](const array& x) { return x.type() == arrays.front().type(); })) {
      throw type_error(
          detail::message(function, ": structured elements of different types cannot be joined"));
    }
    return arrays.front().type();
  }
  std::vector<operand_kind> kinds;
  for (const array& each : arrays) {
    kinds.push_back({each.type().code(), false});
  }
  return nearest_supported(common_type(kinds),
                           support_of(private_queue(arrays.front()).get_device()));
}

usm_kind joined_kind(std::span<const array> arrays) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared}) {
    if (std::ranges::any_of(arrays, [&](const array& x) { return x.kind() == kind; })) {
      return kind;
    }
  }
  return usm_kind::host;
}

void require_same_queue(std::string_view function, std::span<const array> arrays) {
  if (arrays.empty()) {
    throw value_error(detail::message(function, ": expected one array at least, found none"));
  }
  const std::vector<kernel_argument> all(arrays.begin(), arrays.end());
  detail::common_queue(function, all);
}

array new_c_order(const array& beside, std::span<const ptrdiff_t> shape, dtype type,
                  usm_kind kind) {
  return new_array(layout::c_order(shape), type, private_queue(beside), kind, 0,
                   first_use::in_order);
}

void copy_without_waiting(const array& source, const array& destination) {
  detail::copy_in_order(source, destination);
}

array joined(std::string_view function, std::span<const array> arrays, std::size_t axis) {
  array made = new_c_order(arrays.front(), joined_shape(function, arrays, axis),
                           joined_type(function, arrays), joined_kind(arrays));
  join(arrays, made, axis, copy_without_waiting);
  return made;
}

array repeated(const array& x, const repetition& how) {
  array made = new_c_order(x, how.shape, x.type(), x.kind());
  spread(x, how, made, copy_without_waiting);
  return made;
}

/// Moves elements by shifts from 0 to below the extents, which are of axes with elements.
array rolled(const array& x, const extents& shifts) {
  array made = new_c_order(x, x.shape(), x.type(), x.kind());
  if (x.size() == 0) {
    return made;
  }
  // Each axis has two parts, which change places.
  std::vector<index_item> from(shifts.size(), range());
  std::vector<index_item> to = from;
  const auto copy_parts = [&](const auto& self, std::size_t axis) -> void {
    if (axis == shifts.size()) {
      detail::copy_in_order(with_layout(x, subscript(x.layout(), from)),
                            with_layout(made, subscript(made.layout(), to)));
      return;
    }
    const ptrdiff_t extent = x.shape()[axis];
    const ptrdiff_t shift = shifts[axis];
    from[axis] = range(0, extent - shift);
    to[axis] = range(shift, extent);
    self(self, axis + 1);
    if (shift != 0) {
      from[axis] = range(extent - shift, extent);
      to[axis] = range(0, shift);
      self(self, axis + 1);
    }
  };
  copy_parts(copy_parts, 0);
  return made;
}

/// Takes the first shifts out of all: each one doubles the number of copies.
extents few_of(extents& all) {
  constexpr int most = 4;
  extents found(all.size(), 0);
  int count = 0;
  for (std::size_t k = 0; k < all.size() && count < most; ++k) {
    count += all[k] != 0 ? 1 : 0;
    found[k] = std::exchange(all[k], 0);
  }
  return found;
}

void require_count(std::string_view function, ptrdiff_t count) {
  if (count < 0) {
    throw value_error(detail::message(function, ": counts must not be negative, found ", count));
  }
}

/// Appends an axis, unless it has one index only: of these there could be more than a layout has.
void append(repetition& how, ptrdiff_t narrow, ptrdiff_t wide) {
  if (wide != 1) {
    how.narrow.push_back(narrow);
    how.wide.push_back(wide);
  }
}

}  // namespace

extents joined_shape(std::string_view function, std::span<const array> parts, std::size_t axis) {
  extents shape(parts.front().shape().begin(), parts.front().shape().end());
  for (const array& each : parts.subspan(1)) {
    const std::span<const ptrdiff_t> other = each.shape();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (other.size() != shape.size() || (k != axis && other[k] != shape[k])) {
        throw value_error(detail::message(function, ": shapes must differ in axis ", axis,
                                          " only, found ", tuple_text(parts.front().shape()),
                                          " and ", tuple_text(other)));
      }
    }
    shape[axis] = checked_add(shape[axis], other[axis], "concat: an extent");
  }
  return shape;
}

void join(std::span<const array> parts, const array& result, std::size_t axis, part_copier copy) {
  if (is_for_join(parts, result) && join_by_kernels(parts, result, static_cast<int>(axis))) {
    return;
  }
  std::vector<index_item> part(axis + 1, range());
  ptrdiff_t first = 0;
  for (const array& each : parts) {
    const ptrdiff_t end = first + each.shape()[axis];
    part.back() = range(first, end);
    copy(each, with_layout(result, subscript(result.layout(), part)));
    first = end;
  }
}

repetition repeated_along(const array& x, std::size_t axis, ptrdiff_t count) {
  require_count("repeat", count);
  repetition how;
  for (std::size_t k = 0; k < x.shape().size(); ++k) {
    const ptrdiff_t extent = x.shape()[k];
    how.shape.push_back(k == axis ? checked_multiply(extent, count, "repeat: an extent") : extent);
    append(how, extent, extent);
    if (k == axis) {
      append(how, 1, count);
    }
  }
  return how;
}

repetition tiled(const array& x, std::span<const ptrdiff_t> counts) {
  const std::size_t own = x.shape().size();
  const std::size_t ndim = std::max(own, counts.size());
  repetition how;
  for (std::size_t k = 0; k < ndim; ++k) {
    const ptrdiff_t count = k + counts.size() < ndim ? 1 : counts[k + counts.size() - ndim];
    const ptrdiff_t extent = k + own < ndim ? 1 : x.shape()[k + own - ndim];
    require_count("tile", count);
    how.shape.push_back(checked_multiply(extent, count, "tile: an extent"));
    append(how, 1, count);
    append(how, extent, extent);
  }
  return how;
}

void spread(const array& x, const repetition& how, const array& result, part_copier copy) {
  if (result.size() != 0) {
    copy(with_layout(x, broadcast(*reshaped(x.layout(), how.narrow), how.wide)),
         with_layout(result, layout::c_order(how.wide)));
  }
}

}  // namespace internal

array concat(std::span<const array> arrays, std::optional<std::ptrdiff_t> axis) {
  require_usable_process();
  internal::require_same_queue("concat", arrays);
  if (!axis) {
    std::vector<array> flat;
    std::ranges::transform(arrays, std::back_inserter(flat), internal::flattened);
    return internal::joined("concat", flat, 0);
  }
  if (arrays.front().ndim() == 0) {
    throw value_error("arrays without dimensions cannot be joined: usmx::stack joins them");
  }
  const int along = normalized_axis(*axis, arrays.front().ndim());
  return internal::joined("concat", arrays, static_cast<std::size_t>(along));
}

array stack(std::span<const array> arrays, std::ptrdiff_t axis) {
  require_usable_process();
  internal::require_same_queue("stack", arrays);
  std::vector<array> apart;
  for (const array& each : arrays) {
    if (!std::ranges::equal(each.shape(), arrays.front().shape())) {
      throw value_error(detail::message("stack: expected one shape, found ",
                                        tuple_text(arrays.front().shape()), " and ",
                                        tuple_text(each.shape())));
    }
    apart.push_back(internal::with_layout(each, expanded(each.layout(), std::array{axis})));
  }
  const int along = normalized_axis(axis, apart.front().ndim());
  return internal::joined("stack", apart, static_cast<std::size_t>(along));
}

array repeat(const array& given, std::ptrdiff_t count, std::optional<std::ptrdiff_t> axis) {
  require_usable_process();
  const array x = axis ? given : internal::flattened(given);
  const auto along = static_cast<std::size_t>(normalized_axis(axis.value_or(0), x.ndim()));
  return internal::repeated(x, internal::repeated_along(x, along, count));
}

array tile(const array& x, const std::vector<std::ptrdiff_t>& counts) {
  require_usable_process();
  return internal::repeated(x, internal::tiled(x, counts));
}

array roll(const array& x, const std::vector<std::ptrdiff_t>& shifts,
           const std::vector<std::ptrdiff_t>& axes) {
  require_usable_process();
  if (shifts.size() != axes.size()) {
    throw value_error(detail::message("roll: expected a shift for each of ", axes.size(),
                                      " axes, found ", shifts.size()));
  }
  std::vector<std::ptrdiff_t> total(x.shape().size(), 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(normalized_axis(axes[k], x.ndim()));
    const std::ptrdiff_t extent = x.shape()[axis];
    if (extent != 0) {
      const std::ptrdiff_t shift = shifts[k] % extent;
      const std::ptrdiff_t forward = shift < 0 ? shift + extent : shift;
      total[axis] -= total[axis] < extent - forward ? -forward : extent - forward;
    }
  }
  array made = x;
  do {
    made = internal::rolled(made, internal::few_of(total));
  } while (std::ranges::any_of(total, [](std::ptrdiff_t each) { return each != 0; }));
  return made;
}

array roll(const array& x, std::ptrdiff_t shift, std::optional<std::ptrdiff_t> axis) {
  if (axis) {
    return roll(x, std::vector{shift}, std::vector{*axis});
  }
  const std::vector<std::ptrdiff_t> shape(x.shape().begin(), x.shape().end());
  return roll(internal::flattened(x), std::vector{shift}, std::vector<std::ptrdiff_t>{0})
      .reshaped(shape);
}

}  // namespace usmx::inline v1
