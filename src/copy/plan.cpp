#include "copy/plan.hpp"

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <ostream>

#include "layout/layout.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The bytes from the lowest to the highest one that the dimensions with steps shorter than `limit`
/// reach from an item. `begin` is negative or 0.
struct span_of_bytes {
  std::ptrdiff_t begin;
  std::ptrdiff_t end;
};

span_of_bytes span_below(const copy_plan& plan, std::size_t itemsize, copy_operand side,
                         std::ptrdiff_t limit) {
  span_of_bytes span{0, static_cast<std::ptrdiff_t>(itemsize)};
  for (const copy_dimension& d : plan.dimensions()) {
    if (std::abs(d.strides[side]) < limit) {
      const std::ptrdiff_t reach = d.strides[side] * (d.extent - 1);
      (reach < 0 ? span.begin : span.end) += reach;
    }
  }
  return span;
}

/// Whether blocks of both sides, which repeat at multiples of `period` bytes, never meet. All steps
/// of `limit` bytes and more are multiples of the period.
bool blocks_are_apart(const copy_plan& plan, std::ptrdiff_t limit) {
  std::ptrdiff_t period = 0;
  for (const copy_dimension& d : plan.dimensions()) {
    for (const std::ptrdiff_t step : d.strides) {
      if (std::abs(step) >= limit) {
        period = std::gcd(period, step);
      }
    }
  }
  const span_of_bytes source = span_below(plan, plan.source_type.itemsize(), source_side, limit);
  const span_of_bytes destination =
      span_below(plan, plan.destination_type.itemsize(), destination_side, limit);
  const std::ptrdiff_t source_length = source.end - source.begin;
  const std::ptrdiff_t destination_length = destination.end - destination.begin;
  const auto apart =
      static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(plan.destination) -
                                  reinterpret_cast<std::uintptr_t>(plan.source));
  std::ptrdiff_t distance = (apart + destination.begin - source.begin) % period;
  distance += distance < 0 ? period : 0;
  return distance >= source_length && distance + destination_length <= period;
}

byte_range bytes_of_side(const copy_plan& plan, const std::byte* first, dtype type,
                         copy_operand side) {
  const span_of_bytes span = span_below(plan, type.itemsize(), side, PTRDIFF_MAX);
  return bytes_from(first, span.begin, span.end);
}

bool ranges_meet(const copy_plan& plan) {
  return overlap(bytes_of_side(plan, plan.source, plan.source_type, source_side),
                 bytes_of_side(plan, plan.destination, plan.destination_type, destination_side));
}

}  // namespace

bool copy_plan::has_rows() const noexcept {
  if (converts()) {
    return false;
  }
  if (ndim == 0) {
    return true;
  }
  const auto item = static_cast<std::ptrdiff_t>(source_type.itemsize());
  const copy_dimension& inner = all_dimensions[ndim - 1];
  return inner.strides[source_side] == item && inner.strides[destination_side] == item;
}

std::size_t copy_plan::row_nbytes() const noexcept {
  const std::size_t itemsize = destination_type.itemsize();
  return ndim == 0 ? itemsize
                   : itemsize * static_cast<std::size_t>(all_dimensions[ndim - 1].extent);
}

copy_plan make_plan(std::span<const std::ptrdiff_t> shape, const copy_end& source,
                    const copy_end& destination) {
  copy_plan plan(source, destination);
  std::array<std::ptrdiff_t, max_ndim> lengths;
  const std::span extents(lengths.data(), shape.size());
  std::ranges::copy(shape, extents.begin());
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (destination.strides[k] == 0) {  // of what goes to one position the last remains
      plan.source += source.strides[k] * source.item * (extents[k] - 1);
      extents[k] = 1;
    }
  }
  const std::array ends{source, destination};
  set_loop(plan, extents, std::span<const copy_end>(ends), destination_side);
  plan.source += plan.offsets[source_side];
  plan.destination += plan.offsets[destination_side];
  return plan;
}

bool may_overlap(const copy_plan& plan) noexcept {
  if (!ranges_meet(plan)) {
    return false;
  }
  for (const copy_dimension& d : plan.dimensions()) {
    for (const std::ptrdiff_t step : d.strides) {
      if (step != 0 && blocks_are_apart(plan, std::abs(step))) {
        return false;
      }
    }
  }
  return true;
}

bool is_in_place(const copy_plan& plan) noexcept {
  return !plan.converts() && plan.source == plan.destination &&
         std::ranges::all_of(plan.dimensions(), [](const copy_dimension& d) {
           return d.strides[source_side] == d.strides[destination_side];
         });
}

std::ostream& operator<<(std::ostream& out, const copy_plan& plan) {
  out << plan.source_type << " -> " << plan.destination_type << ':';
  for (const copy_dimension& d : plan.dimensions()) {
    out << ' ' << d.extent << " x (" << d.strides[source_side] << " -> "
        << d.strides[destination_side] << ')';
  }
  return out;
}

}  // namespace usmx::inline v1::detail
