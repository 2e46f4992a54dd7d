// A copy as a value: nested loops over bytes, the innermost last, in the simplest form. host.hpp
// and copy.cpp run them. No SYCL here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iosfwd>
#include <span>

#include "layout/loops.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/for_each.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// The arrays of a copy's loop.
enum copy_operand : std::size_t { source_side, destination_side };

using copy_dimension = strided_dimension<2>;

/// One end of a copy: the address of element zero, and the strides as multiples of `item` bytes.
struct copy_end {
  std::byte* data;
  dtype type;
  std::span<const std::ptrdiff_t> strides;
  std::ptrdiff_t item;
};

/// A copy of at least one element: its loop, whose offsets the addresses contain.
struct copy_plan : strided_loop<2> {
  copy_plan(const copy_end& from, const copy_end& to) noexcept
      : source(from.data),
        destination(to.data),
        source_type(from.type),
        destination_type(to.type) {}

  const std::byte* source;
  std::byte* destination;
  dtype source_type;
  dtype destination_type;

  bool converts() const noexcept { return source_type != destination_type; }
  /// Whether the innermost dimension is a run of adjacent items on both sides (or there is one
  /// item), and the bytes stay as they are.
  bool has_rows() const noexcept;
  /// Whether the copy is one such run.
  bool is_whole() const noexcept { return ndim <= 1 && has_rows(); }
  /// The bytes of the destination's innermost run.
  std::size_t row_nbytes() const noexcept;
};

/// Plans the copy of every element between two arrays of that shape, which has elements. The plan
/// has no dimensions of length 1. It walks the destination upwards, with its longest stride
/// outermost, and joins dimensions that are one run on both sides. If the destination repeats an
/// element by a stride of 0, the source's last element for it is copied.
copy_plan make_plan(std::span<const std::ptrdiff_t> shape, const copy_end& source,
                    const copy_end& destination);

/// Whether a byte may belong to both sides. False only if the sides are known to be apart, or to be
/// interleaved as even and odd items, fields or columns are.
bool may_overlap(const copy_plan&) noexcept;

/// Whether there is nothing to do, because the source is the destination.
bool is_in_place(const copy_plan&) noexcept;

/// Writes the plan as "float32 -> float64: 4 x (4 -> 8)": extent x (source stride -> destination
/// stride), in bytes.
std::ostream& operator<<(std::ostream&, const copy_plan&);

/// Calls `body(source, destination)` once for each index of the dimensions.
template <class Body>
void for_each_index(std::span<const copy_dimension> dimensions, const std::byte* source,
                    std::byte* destination, const Body& body) {
  for_each_index(
      dimensions.size(), [&](std::size_t k) { return dimensions[k].extent; },
      [&](std::size_t k, std::ptrdiff_t steps) {
        source += dimensions[k].strides[source_side] * steps;
        destination += dimensions[k].strides[destination_side] * steps;
      },
      [&](std::span<const std::ptrdiff_t>) { body(source, destination); });
}

}  // namespace usmx::inline v1::detail
