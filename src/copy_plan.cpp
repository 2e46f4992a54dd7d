#include "copy_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <utility>

namespace usmx::detail {
namespace {

void add_dimensions(copy_plan& plan, std::span<const std::ptrdiff_t> shape, const copy_end& source,
                    const copy_end& destination) {
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] != 1) {
      plan.all_dimensions[plan.ndim++] = {shape[k], source.strides[k] * source.unit,
                                          destination.strides[k] * destination.unit};
    }
  }
}

/// Walks the destination upwards, its longest stride outermost.
void put_in_order(copy_plan& plan) {
  for (copy_dimension& d : plan.dimensions()) {
    if (d.destination_stride < 0) {
      plan.source += d.source_stride * (d.extent - 1);
      plan.destination += d.destination_stride * (d.extent - 1);
      d.source_stride = -d.source_stride;
      d.destination_stride = -d.destination_stride;
    }
  }
  // An insertion sort: stable, without memory of its own, and most copies are nearly in order.
  const std::span<copy_dimension> all = plan.dimensions();
  for (std::size_t k = 1; k < all.size(); ++k) {
    for (std::size_t i = k; i > 0 && all[i - 1].destination_stride < all[i].destination_stride;
         --i) {
      std::swap(all[i - 1], all[i]);
    }
  }
}

/// Joins neighbours that are one run on both sides.
void merge(copy_plan& plan) {
  std::size_t merged = 0;
  for (const copy_dimension& inner : plan.dimensions()) {
    if (merged > 0) {
      copy_dimension& outer = plan.all_dimensions[merged - 1];
      if (outer.source_stride == inner.source_stride * inner.extent &&
          outer.destination_stride == inner.destination_stride * inner.extent) {
        outer = {outer.extent * inner.extent, inner.source_stride, inner.destination_stride};
        continue;
      }
    }
    plan.all_dimensions[merged++] = inner;
  }
  plan.ndim = merged;
}

struct byte_range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

byte_range range_of(const copy_plan& plan, const std::byte* first, std::size_t itemsize,
                    std::ptrdiff_t copy_dimension::* stride) {
  auto begin = reinterpret_cast<std::uintptr_t>(first);
  std::uintptr_t end = begin + itemsize;
  for (const copy_dimension& d : plan.dimensions()) {
    const std::ptrdiff_t reach = d.*stride * (d.extent - 1);
    (reach < 0 ? begin : end) += static_cast<std::uintptr_t>(reach);
  }
  return {begin, end};
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
  const byte_range source =
      range_of(plan, plan.source, plan.source_type.itemsize(), &copy_dimension::source_stride);
  const byte_range destination = range_of(plan, plan.destination, plan.destination_type.itemsize(),
                                          &copy_dimension::destination_stride);
  return source.begin < destination.end && destination.begin < source.end;
}

std::ostream& operator<<(std::ostream& out, const copy_plan& plan) {
  out << plan.source_type << " -> " << plan.destination_type << ':';
  for (const copy_dimension& d : plan.dimensions()) {
    out << ' ' << d.extent << " x (" << d.source_stride << " -> " << d.destination_stride << ')';
  }
  return out;
}

}  // namespace usmx::detail
