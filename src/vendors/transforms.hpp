// Rules that the calls of all libraries of Fourier transforms have in common, and the axes
// of a transform as plans have them. Private to the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/messages.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "vendors/fourier.hpp"

namespace usmx::inline v1::internal {

/// An axis of a transform, or one along which transforms are repeated.
struct transform_axis {
  std::ptrdiff_t extent;
  std::ptrdiff_t input;  // strides, in elements
  std::ptrdiff_t output;

  friend bool operator==(const transform_axis&, const transform_axis&) = default;
};

/// The types of a transform, which its arrays must have.
struct transform_types {
  bool is_double;
  bool is_real;
};

inline transform_types types_of(const fourier_call& call) {
  const type_code forward = (call.is_forward ? call.input : call.output).type().code();
  const type_code backward = (call.is_forward ? call.output : call.input).type().code();
  const bool is_double = backward == type_code::complex128;
  const bool is_real = forward == (is_double ? type_code::float64 : type_code::float32);
  if ((!is_double && backward != type_code::complex64) || (!is_real && forward != backward)) {
    throw type_error(
        detail::message("no transform is from ", call.input.type(), " to ", call.output.type()));
  }
  return {is_double, is_real};
}

/// The axes along which transforms are repeated, joined where they follow each other in memory.
inline std::vector<transform_axis> repeated_axes(const fourier_call& call) {
  std::vector<transform_axis> all;
  for (int k = 0; k < call.input.ndim(); ++k) {
    const transform_axis next{call.input.extent(k), call.input.stride(k), call.output.stride(k)};
    if (next.extent == 1 || std::ranges::count(call.axes, k) > 0) {
      continue;
    }
    if (!all.empty() && all.back().input == next.input * next.extent &&
        all.back().output == next.output * next.extent) {
      all.back() = {all.back().extent * next.extent, next.input, next.output};
    } else {
      all.push_back(next);
    }
  }
  return all;
}

inline void require_shapes(const fourier_call& call, bool is_real) {
  const array& longer = call.is_forward ? call.input : call.output;
  const array& shorter = call.is_forward ? call.output : call.input;
  std::vector<std::ptrdiff_t> expected(longer.shape().begin(), longer.shape().end());
  for (const int axis : call.axes) {
    if (axis < 0 || axis >= longer.ndim() || std::ranges::count(call.axes, axis) > 1) {
      throw value_error(detail::message("a transform has no axis ", axis, ", or has it twice"));
    }
  }
  if (call.axes.empty() || call.axes.size() > max_transform_axes) {
    throw value_error(
        detail::message("expected 1 to ", max_transform_axes, " axes, found ", call.axes.size()));
  }
  if (is_real) {
    std::ptrdiff_t& last = expected[static_cast<std::size_t>(call.axes.back())];
    last = last / 2 + 1;
  }
  if (longer.size() == 0 || !std::ranges::equal(expected, shorter.shape())) {
    throw value_error(detail::message("expected elements, and an array of shape ",
                                      tuple_text(expected), ", found ",
                                      tuple_text(shorter.shape())));
  }
  if (!call.output.layout().is_c_contiguous() || call.output.readonly()) {
    throw value_error("results must be in C order and writable");
  }
}

/// Calls `body` with the offsets of each repetition beyond those of the plan, in elements.
template <class Body>
void for_each_repetition(std::span<const transform_axis> axes, std::ptrdiff_t input,
                         std::ptrdiff_t output, const Body& body) {
  if (axes.empty()) {
    body(input, output);
    return;
  }
  const transform_axis& first = axes.front();
  for (std::ptrdiff_t k = 0; k < first.extent; ++k) {
    for_each_repetition(axes.subspan(1), input + k * first.input, output + k * first.output, body);
  }
}

}  // namespace usmx::inline v1::internal
