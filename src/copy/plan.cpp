#include "copy/plan.hpp"

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <ostream>

#include "layout/layout.hpp"

namespace usmx::inline v1::detail {
namespace {

void add_dimensions(copy_plan& plan, std::span<const std::ptrdiff_t> shape, const copy_end& source,
                    const copy_end& destination) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) {
      continue;
    }
    const std::ptrdiff_t source_stride = source.strides[k] * source.unit;
    const std::ptrdiff_t destination_stride = destination.strides[k] * destination.unit;
    if (destination_stride == 0) {  // of what goes to one position the last remains
      plan.source += source_stride * (shape[k] - 1);
    } else {
      plan.all_dimensions[plan.ndim++] = {shape[k], source_stride, destination_stride};
    }
  }
}

/// Sorts the dimensions so that the destination is walked upwards, its longest stride outermost.
void put_in_order(copy_plan& plan) {
  for (copy_dimension& d : plan.dimensions()) {
    if (d.destination_stride < 0) {
      plan.source += d.source_stride * (d.extent - 1);
      plan.destination += d.destination_stride * (d.extent - 1);
      d.source_stride = -d.source_stride;
      d.destination_stride = -d.destination_stride;
    }
  }
  put_longest_first(plan.dimensions(),
                    [](const copy_dimension& d) { return d.destination_stride; });
}

/// Joins neighbouring dimensions that are one run on both sides.
void merge(copy_plan& plan) {
  plan.ndim = join_runs(plan.dimensions(), [](copy_dimension& outer, const copy_dimension& inner) {
    const bool is_run = outer.source_stride == inner.source_stride * inner.extent &&
                        outer.destination_stride == inner.destination_stride * inner.extent;
    if (is_run) {
      outer = {outer.extent * inner.extent, inner.source_stride, inner.destination_stride};
    }
    return is_run;
  });
}

using stride_of = std::ptrdiff_t copy_dimension::*;

/// The bytes from the lowest to the highest one that the dimensions with steps shorter than `limit`
/// reach from an item. `begin` is negative or 0.
struct span_of_bytes {
  std::ptrdiff_t begin;
  std::ptrdiff_t end;
};

span_of_bytes span_below(const copy_plan& plan, std::size_t itemsize, stride_of stride,
                         std::ptrdiff_t limit) {
  span_of_bytes span{0, static_cast<std::ptrdiff_t>(itemsize)};
  for (const copy_dimension& d : plan.dimensions()) {
    if (std::abs(d.*stride) < limit) {
      const std::ptrdiff_t reach = d.*stride * (d.extent - 1);
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
    for (const std::ptrdiff_t step : {d.source_stride, d.destination_stride}) {
      if (std::abs(step) >= limit) {
        period = std::gcd(period, step);
      }
    }
  }
  const span_of_bytes source =
      span_below(plan, plan.source_type.itemsize(), &copy_dimension::source_stride, limit);
  const span_of_bytes destination = span_below(plan, plan.destination_type.itemsize(),
                                               &copy_dimension::destination_stride, limit);
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
                         stride_of stride) {
  const span_of_bytes span = span_below(plan, type.itemsize(), stride, PTRDIFF_MAX);
  return bytes_from(first, span.begin, span.end);
}

bool ranges_meet(const copy_plan& plan) {
  return overlap(bytes_of_side(plan, plan.source, plan.source_type, &copy_dimension::source_stride),
                 bytes_of_side(plan, plan.destination, plan.destination_type,
                               &copy_dimension::destination_stride));
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
  return inner.source_stride == item && inner.destination_stride == item;
}

std::size_t copy_plan::row_nbytes() const noexcept {
  const std::size_t itemsize = destination_type.itemsize();
  return ndim == 0 ? itemsize
                   : itemsize * static_cast<std::size_t>(all_dimensions[ndim - 1].extent);
}

copy_plan make_plan(std::span<const std::ptrdiff_t> shape, const copy_end& source,
                    const copy_end& destination) {
  copy_plan plan(source, destination);
  add_dimensions(plan, shape, source, destination);
  put_in_order(plan);
  merge(plan);
  return plan;
}

bool may_overlap(const copy_plan& plan) noexcept {
  if (!ranges_meet(plan)) {
    return false;
  }
  for (const copy_dimension& d : plan.dimensions()) {
    for (const std::ptrdiff_t step : {d.source_stride, d.destination_stride}) {
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
           return d.source_stride == d.destination_stride;
         });
}

std::ostream& operator<<(std::ostream& out, const copy_plan& plan) {
  out << plan.source_type << " -> " << plan.destination_type << ':';
  for (const copy_dimension& d : plan.dimensions()) {
    out << ' ' << d.extent << " x (" << d.source_stride << " -> " << d.destination_stride << ')';
  }
  return out;
}

}  // namespace usmx::inline v1::detail
