// Arrays that are copied into a new one, next to each other or several times: for both languages.
// Not installed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// Copies a part of a result: copy_for_call(), or a function that never waits.
using part_copier = void (&)(const array& source, const array& destination);

/// The shape of arrays next to each other along an axis. Throws value_error for shapes that differ
/// elsewhere, overflow_error.
USMX_API std::vector<std::ptrdiff_t> joined_shape(std::string_view function,
                                                  std::span<const array> parts, std::size_t axis);

/// Copies arrays on one queue next to each other along an axis of the result, which is in C order
/// and has their joined shape: several by one kernel where that is faster.
USMX_API void join(std::span<const array> parts, const array& result, std::size_t axis,
                   part_copier copy);

/// How the elements of an array are repeated: after its axes and the result's were split, the
/// narrow ones are broadcast to the wide ones.
struct repetition {
  std::vector<std::ptrdiff_t> shape;  ///< The result's.
  std::vector<std::ptrdiff_t> narrow;
  std::vector<std::ptrdiff_t> wide;
};

/// Repeats each index of an axis. Throws value_error for a negative count, overflow_error.
USMX_API repetition repeated_along(const array& x, std::size_t axis, std::ptrdiff_t count);
/// Repeats all elements along the last axes, or new ones before these. Throws as repeated_along().
USMX_API repetition tiled(const array& x, std::span<const std::ptrdiff_t> counts);

/// Copies elements to all their positions in a result in C order.
USMX_API void spread(const array& x, const repetition& how, const array& result, part_copier copy);

}  // namespace usmx::inline v1::internal
