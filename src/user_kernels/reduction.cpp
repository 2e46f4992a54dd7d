#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "array/array_internal.hpp"
#include "user_kernels/arguments.hpp"
#include "user_kernels/generated_arguments.hpp"
#include "user_kernels/launch.hpp"
#include "user_kernels/operand_loop.hpp"
#include "user_kernels/reduction_internal.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

struct internal::reduction_call::implementation {
  struct side {
    std::size_t place;  // among the parameters
    array used;
  };

  const kernel_signature& signature;
  std::span<const kernel_argument> arguments;
  dtype result;
  std::vector<side> inputs;
  std::vector<side> outputs;
  detail::operand_loop kept;     // of inputs and outputs
  detail::operand_loop reduced;  // of inputs
  std::ptrdiff_t reduced_count;  // elements of one result
  bool is_outer;
  std::string form;

  std::size_t kept_dimensions() const noexcept { return std::max<std::size_t>(kept.ndim, 1); }
  std::size_t reduced_dimensions() const noexcept { return std::max<std::size_t>(reduced.ndim, 1); }
};

namespace {

using reduction = internal::reduction_call::implementation;
using detail::loop_dimension;
using detail::operand_loop;

// ---- arrays and loops

void add_sides(reduction& call, const internal::reduction_axes& axes) {
  std::vector<std::ptrdiff_t> result_shape;
  for (std::size_t k = 0; k < axes.shape.size(); ++k) {
    if (!axes.reduced[k]) {
      result_shape.push_back(axes.shape[k]);
    } else if (axes.are_kept) {
      result_shape.push_back(1);
    }
  }
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const auto* a = std::get_if<const array*>(&call.arguments[k].value());
    if (a == nullptr) {
      continue;
    }
    detail::require_suitable(call.signature, k, **a);
    if (call.signature.parameters[k].form == parameter_form::pointer) {
      detail::require_shape(call.signature, k, **a, result_shape);
      call.outputs.push_back({k, **a});
    } else {
      call.inputs.push_back({k, detail::broadcast_to(**a, axes.shape)});
    }
  }
}

/// The entries of an array's axes that are reduced, or are not.
std::vector<std::ptrdiff_t> chosen_entries(std::span<const std::ptrdiff_t> entries,
                                           std::span<const bool> reduced, bool wanted) {
  std::vector<std::ptrdiff_t> chosen;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (reduced[k] == wanted) {
      chosen.push_back(entries[k]);
    }
  }
  return chosen;
}

/// The loops walk through memory as the first input lies in it.
void set_loops(reduction& call, const internal::reduction_axes& axes) {
  std::vector<std::vector<std::ptrdiff_t>> strides;  // kept ones, then reduced ones
  for (const bool wanted : {false, true}) {
    for (const reduction::side& each : call.inputs) {
      strides.push_back(chosen_entries(each.used.strides(), axes.reduced, wanted));
    }
    for (const reduction::side& each : call.outputs) {
      if (!wanted) {
        const auto all = each.used.strides();
        strides.push_back(axes.are_kept ? chosen_entries(all, axes.reduced, false)
                                        : std::vector<std::ptrdiff_t>(all.begin(), all.end()));
      }
    }
  }
  std::vector<detail::loop_operand> sides;
  const auto add_all = [&](std::span<const reduction::side> all, bool is_read) {
    for (const reduction::side& each : all) {
      sides.push_back({strides[sides.size()],
                       static_cast<std::ptrdiff_t>(each.used.type().itemsize()), is_read});
    }
  };
  add_all(call.inputs, true);
  add_all(call.outputs, false);
  add_all(call.inputs, true);
  const std::size_t kept_count = call.inputs.size() + call.outputs.size();
  const std::span<const detail::loop_operand> all(sides);
  set_loop(call.kept, chosen_entries(axes.shape, axes.reduced, false), all.first(kept_count), 0);
  const std::vector<std::ptrdiff_t> reduced_shape = chosen_entries(axes.shape, axes.reduced, true);
  call.reduced_count = 1;
  for (const std::ptrdiff_t extent : reduced_shape) {
    call.reduced_count *= extent;
  }
  if (call.reduced_count == 0) {  // nothing is read
    call.reduced.ndim = 0;
    call.reduced.count = call.inputs.size();
    std::ranges::fill(std::span(call.reduced.offsets).first(call.reduced.count), 0);
  } else {
    set_loop(call.reduced, reduced_shape, all.subspan(kept_count), 0);
  }
}

std::ptrdiff_t innermost_stride(const operand_loop& loop) {
  return loop.ndim == 0 ? 0 : std::abs(loop.dimensions().back().strides[0]);
}

/// Where a result has few elements beside each other, or results lie closer together than what they
/// are made of.
bool is_outer(const reduction& call) {
  constexpr std::ptrdiff_t few = 16;
  if (call.kept.ndim == 0) {
    return false;
  }
  const bool is_short = call.reduced.ndim == 0 || call.reduced.dimensions().back().extent < few;
  return is_short || innermost_stride(call.kept) < innermost_stride(call.reduced);
}

/// The work items of a group that share the elements of one result.
std::size_t lanes_of(const reduction& call) {
  constexpr std::size_t most = 64;
  const std::ptrdiff_t columns =
      call.reduced.ndim == 0 ? 1 : call.reduced.dimensions().back().extent;
  return std::min(most, std::bit_ceil(static_cast<std::size_t>(columns)));
}

std::string form_of(const reduction& call) {
  std::string text =
      detail::message(call.is_outer ? "outer " : "inner ", call.kept_dimensions(), ' ',
                      call.reduced_dimensions(), ' ', call.is_outer ? 1 : lanes_of(call), ' ');
  const operand_loop& across = call.is_outer ? call.kept : call.reduced;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const auto item = static_cast<std::ptrdiff_t>(call.inputs[i].used.type().itemsize());
    text +=
        static_cast<char>(across.ndim == 0 ? detail::step::repeated
                                           : detail::step_of(across.dimensions().back(), i, item));
  }
  return text;
}

// ---- how the elements are divided

/// What the first kernel gets besides the loops: see python/usmx/_reduction.py.
struct part_sizes {
  std::int64_t lines_per_part;
  std::int64_t columns_per_part;
  std::int64_t column_parts;
};

/// How the elements of one result are divided: first into lines, which are all dimensions but the
/// innermost one. No part is empty.
struct division {
  part_sizes sizes;
  std::int64_t parts;
};

std::int64_t parts_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// How many parts each result has at most. Depends on the shape only, so that results do.
std::int64_t most_parts(std::int64_t results, std::int64_t elements, bool is_outer) {
  constexpr std::int64_t enough_items = 262144;
  constexpr std::int64_t enough_groups = 256;
  constexpr std::int64_t most = 1024;
  const std::int64_t wanted = is_outer
                                  ? std::min(parts_up(elements, 64), enough_items / results)
                                  : std::min(parts_up(elements, 16384), enough_groups / results);
  return std::clamp<std::int64_t>(wanted, 1, most);
}

division divided(const operand_loop& reduced, std::int64_t parts) {
  const std::int64_t columns = reduced.ndim == 0 ? 1 : reduced.dimensions().back().extent;
  const std::int64_t lines = items_of(reduced.dimensions()) / columns;
  if (lines >= parts) {
    const std::int64_t per_part = parts_up(lines, parts);
    return {{per_part, columns, 1}, parts_up(lines, per_part)};
  }
  const std::int64_t wanted = parts_up(columns, parts_up(parts, lines));
  constexpr std::int64_t group = 64;
  const std::int64_t per_part = parts_up(wanted, group) * group;
  const std::int64_t column_parts = parts_up(columns, per_part);
  return {{1, per_part, column_parts}, lines * column_parts};
}

// ---- launching

launch_sizes inner_sizes(std::int64_t results, const reduction& call, const division& by) {
  const std::size_t lanes = lanes_of(call);
  return {2,
          {static_cast<std::size_t>(results), static_cast<std::size_t>(by.parts) * lanes, 1},
          std::array<std::size_t, 3>{1, lanes, 1}};
}

launch_sizes outer_sizes(std::int64_t results, const reduction& call, const division& by) {
  const auto columns = static_cast<std::size_t>(call.kept.dimensions().back().extent);
  const std::size_t rows = static_cast<std::size_t>(results) / columns;
  const std::size_t width = std::min<std::size_t>(1024, std::bit_ceil(columns));
  return {2,
          {rows * static_cast<std::size_t>(by.parts), detail::rounded_up(columns, width), 1},
          std::array<std::size_t, 3>{1, width, 1}};
}

/// What the second kernel gets besides the loop: the number of results and of their parts.
using result_sizes = std::array<std::int64_t, 2>;

void require_few_dimensions(const reduction& call) {
  const std::size_t found = std::max(call.kept.ndim, call.reduced.ndim);
  if (found > detail::max_kernel_loop_dimensions) {
    throw value_error(detail::message(call.signature.name, ": expected an array that has at most ",
                                      detail::max_kernel_loop_dimensions,
                                      " dimensions once neighbours are joined, found ", found));
  }
}

void require_few_items(const reduction& call, const launch_sizes& sizes) {
  constexpr std::size_t most = std::size_t{1} << 31;  // the runtime counts them in an int
  if (sizes.global[0] >= most / std::max<std::size_t>(sizes.global[1], 1)) {
    throw value_error(detail::message(call.signature.name, ": expected less than ", most,
                                      " work items, found ", sizes.global[0], " x ",
                                      sizes.global[1]));
  }
}

}  // namespace

namespace internal {

reduction_call::reduction_call(const kernel_signature& signature,
                               std::span<const kernel_argument> arguments,
                               const reduction_axes& axes, dtype result)
    : parts_(new implementation{signature, arguments, result, {}, {}, {}, {}, 0, false, {}}) {
  add_sides(*parts_, axes);
  set_loops(*parts_, axes);
  require_few_dimensions(*parts_);
  parts_->is_outer = is_outer(*parts_);
  parts_->form = form_of(*parts_);
}

reduction_call::~reduction_call() = default;

const std::string& reduction_call::form() const noexcept { return parts_->form; }

sycl::event reduction_call::launch(const kernel& make_parts, const kernel& put_together,
                                   const sycl::queue& queue,
                                   std::span<const sycl::event> after) const {
  using detail::argument_bytes;
  const implementation& call = *parts_;
  const std::int64_t results = detail::items_of(call.kept.dimensions());
  const bool is_empty = call.reduced_count == 0;
  const division by =
      is_empty ? division{{}, 0}
               : divided(call.reduced, most_parts(results, call.reduced_count, call.is_outer));
  const array parts =
      new_array(layout::c_order(std::array{std::max<std::ptrdiff_t>(results * by.parts, 1)}),
                call.result, queue, usm_kind::device, 0, first_use::in_order);
  const detail::packed_loop kept =
      detail::packed(call.kept.dimensions(), call.kept.count, call.kept_dimensions());
  const argument_bytes all_parts{{}, nullptr, first_element(parts)};
  std::vector<sycl::event> before(after.begin(), after.end());
  if (!is_empty) {
    std::vector<argument_bytes> bytes;
    std::vector<detail::array_use> uses;
    std::size_t input = 0;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      if (call.signature.parameters[k].form == parameter_form::value) {
        bytes.push_back(
            detail::checked_argument(call.signature, k, call.arguments[k], make_parts.context()));
      } else if (input < call.inputs.size() && call.inputs[input].place == k) {
        const array& used = call.inputs[input].used;
        detail::require_context(call.signature, k, used, make_parts.context());
        bytes.push_back(
            {{},
             nullptr,
             first_element(used) + call.kept.offsets[input] + call.reduced.offsets[input]});
        uses.push_back({&used, detail::access::read});
        ++input;
      }
    }
    const detail::packed_loop reduced =
        detail::packed(call.reduced.dimensions(), call.reduced.count, call.reduced_dimensions());
    bytes.push_back(all_parts);
    uses.push_back({&parts, detail::access::write});
    bytes.push_back({{}, kept.data(), nullptr});
    bytes.push_back({{}, reduced.data(), nullptr});
    bytes.push_back({{}, &by.sizes, nullptr});
    const launch_sizes sizes =
        call.is_outer ? outer_sizes(results, call, by) : inner_sizes(results, call, by);
    require_few_items(call, sizes);
    before = {detail::launch_checked(make_parts, sizes, bytes, uses, queue, after)};
  }
  std::vector<argument_bytes> bytes;
  std::vector<detail::array_use> uses;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const array& used = call.outputs[i].used;
    detail::require_context(call.signature, call.outputs[i].place, used, put_together.context());
    bytes.push_back({{}, nullptr, first_element(used) + call.kept.offsets[call.inputs.size() + i]});
    uses.push_back({&used, detail::access::write});
  }
  bytes.push_back(all_parts);
  uses.push_back({&parts, detail::access::read});
  bytes.push_back({{}, kept.data(), nullptr});
  const result_sizes sizes{results, by.parts};
  bytes.push_back({{}, &sizes, nullptr});
  constexpr std::size_t group = 64;
  const std::size_t width = std::min(group, std::bit_ceil(static_cast<std::size_t>(results)));
  const launch_sizes items{1,
                           {detail::rounded_up(static_cast<std::size_t>(results), width), 1, 1},
                           std::array<std::size_t, 3>{width, 1, 1}};
  return detail::launch_checked(put_together, items, bytes, uses, queue, before);
}

}  // namespace internal

}  // namespace usmx::inline v1
