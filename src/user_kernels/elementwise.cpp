#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "array/array_internal.hpp"
#include "copy/arguments.hpp"
#include "copy/plan.hpp"
#include "runtime/queues_internal.hpp"
#include "user_kernels/arguments.hpp"
#include "user_kernels/elementwise_internal.hpp"
#include "user_kernels/generated_arguments.hpp"
#include "user_kernels/launch.hpp"
#include "user_kernels/operand_loop.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy_async.hpp"

namespace usmx::inline v1 {

struct internal::elementwise_call::implementation {
  /// One array among the arguments.
  struct operand {
    std::size_t place;  // among the parameters
    array used;
    bool is_output;
    /// What the result is copied to, when it overlaps other arguments.
    std::optional<array> copied_to;
  };

  const kernel_signature& signature;
  std::span<const kernel_argument> arguments;
  bool uses_index;
  std::vector<operand> operands;
  detail::operand_loop loop;
  detail::loop_form chosen;
  std::string form;
};

namespace {

using implementation = internal::elementwise_call::implementation;
using operand = implementation::operand;

std::vector<operand> operands_of(const kernel_signature& signature,
                                 std::span<const kernel_argument> arguments,
                                 std::span<const std::ptrdiff_t> shape) {
  std::vector<operand> all;
  all.reserve(arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto* a = std::get_if<const array*>(&arguments[k].value());
    if (a == nullptr) {
      continue;
    }
    detail::require_suitable(signature, k, **a);
    const bool is_output = signature.parameters[k].form == parameter_form::pointer;
    if (is_output) {
      detail::require_shape(signature, k, **a, shape);
    }
    all.push_back({k, detail::broadcast_to(**a, shape), is_output, std::nullopt});
  }
  return all;
}

/// Whether elements share bytes: fewer bytes than they have.
bool is_crowded(const array_view& view) {
  return detail::bytes_of(view.origin(), view.layout(), view.type().itemsize()).nbytes() <
         view.nbytes();
}

/// Whether a kernel that writes `output` may change elements of the other array before it reads or
/// after it writes them there.
bool disturbs(const operand& output, const operand& other) {
  const array_view from = internal::private_view(other.used);
  const array_view to = internal::private_view(output.used);
  const detail::copy_plan plan =
      detail::make_plan(to.shape(), detail::end_of(from), detail::end_of(to));
  return may_overlap(plan) && (other.is_output || !is_in_place(plan) || is_crowded(to));
}

/// Outputs that disturb inputs, or outputs before them, get new memory.
void separate_outputs(std::vector<operand>& all) {
  for (std::size_t k = 0; k < all.size(); ++k) {
    operand& output = all[k];
    if (!output.is_output) {
      continue;
    }
    const auto is_disturbed = [&](const operand& other) {
      const bool is_compared = !other.is_output || other.place < output.place;
      return is_compared && disturbs(output, other);
    };
    if (std::ranges::any_of(all, is_disturbed)) {
      output.copied_to = output.used;
    }
  }
  for (operand& output : all) {
    if (output.copied_to) {
      const array& to = *output.copied_to;
      output.used =
          internal::new_array(compact_like(to.layout()), to.type(), internal::private_queue(to),
                              to.kind(), 0, internal::first_use::in_order);
    }
  }
}

/// The arrays, and then the index, which counts the elements in C order.
void choose_loop(implementation& call, std::span<const std::ptrdiff_t> shape) {
  std::array<detail::loop_operand, detail::max_operands> sides;
  std::size_t count = 0;
  std::size_t leading = 0;
  for (const operand& each : call.operands) {
    leading = each.is_output && !call.operands[leading].is_output ? count : leading;
    sides[count++] = {each.used.strides(), static_cast<std::ptrdiff_t>(each.used.type().itemsize()),
                      !each.is_output};
  }
  layout index;
  if (call.uses_index) {
    index = layout::c_order(shape);
    sides[count++] = {index.strides(), 1, false};
  }
  const std::span<const detail::loop_operand> all(sides.data(), count);
  set_loop(call.loop, shape, all, leading);
  call.chosen = choose_form(call.loop, all);
  call.form = to_string(call.chosen, count);
}

// ---- launching

/// A part of the loop that one launch does: its dimensions, and where it begins.
struct loop_part {
  std::span<const detail::loop_dimension> dimensions;
  std::array<std::ptrdiff_t, detail::max_operands> offsets;
};

/// The runtime counts work items in an int.
constexpr std::ptrdiff_t most_items = INT_MAX / 2;

/// Calls `launch(part)` for parts with few enough dimensions and elements, which together are all.
template <class Launch>
void for_each_part(const loop_part& all, std::size_t count, const Launch& launch) {
  const bool is_deep = all.dimensions.size() > detail::max_kernel_loop_dimensions;
  if (!is_deep && detail::items_of(all.dimensions) <= most_items) {
    return launch(all);
  }
  // A copy of the dimensions, of which the outermost one has a part.
  std::vector<detail::loop_dimension> dimensions(all.dimensions.begin(), all.dimensions.end());
  detail::loop_dimension& outermost = dimensions.front();
  const std::ptrdiff_t inner = detail::items_of(all.dimensions.subspan(1));
  const std::ptrdiff_t most =
      is_deep ? 1 : std::max<std::ptrdiff_t>(most_items / std::max<std::ptrdiff_t>(inner, 1), 1);
  for (std::ptrdiff_t begin = 0; begin < all.dimensions[0].extent; begin += most) {
    outermost.extent = std::min(most, all.dimensions[0].extent - begin);
    loop_part part{std::span(dimensions).subspan(outermost.extent == 1 ? 1 : 0), all.offsets};
    for (std::size_t i = 0; i < count; ++i) {
      part.offsets[i] += begin * outermost.strides[i];
    }
    for_each_part(part, count, launch);
  }
}

std::size_t extent_at(const loop_part& part, std::size_t from_the_end) {
  const std::size_t ndim = part.dimensions.size();
  return from_the_end > ndim
             ? 1
             : static_cast<std::size_t>(part.dimensions[ndim - from_the_end].extent);
}

/// Work items beside each other take elements beside each other, and each takes one.
launch_sizes sizes_of_rows(const loop_part& part, std::size_t group) {
  const std::size_t columns = extent_at(part, 1);
  const std::size_t rows = static_cast<std::size_t>(detail::items_of(part.dimensions)) / columns;
  const std::size_t width = std::min(group, std::bit_ceil(columns));
  const std::size_t height = std::min(group / width, std::bit_ceil(rows));
  return {2,
          {detail::rounded_up(rows, height), detail::rounded_up(columns, width), 1},
          std::array<std::size_t, 3>{height, width, 1}};
}

launch_sizes sizes_of_tiles(const loop_part& part, std::size_t edge) {
  const std::size_t columns = extent_at(part, 1);
  const std::size_t rows = extent_at(part, 2);
  const std::size_t outer =
      static_cast<std::size_t>(detail::items_of(part.dimensions)) / columns / rows;
  return {2,
          {outer * (detail::rounded_up(rows, edge) / edge), detail::rounded_up(columns, edge), 1},
          std::array<std::size_t, 3>{1, edge, 1}};
}

launch_sizes sizes_of(const loop_part& part, const detail::loop_form& form, std::size_t group) {
  return form.kind == detail::loop_kind::tiles ? sizes_of_tiles(part, form.edge)
                                               : sizes_of_rows(part, group);
}

}  // namespace

namespace internal {

elementwise_call::elementwise_call(const kernel_signature& signature,
                                   std::span<const kernel_argument> arguments,
                                   std::span<const std::ptrdiff_t> shape, bool uses_index)
    : parts_(new implementation{
          signature, arguments, uses_index, operands_of(signature, arguments, shape), {}, {}, {}}) {
  separate_outputs(parts_->operands);
  choose_loop(*parts_, shape);
}

elementwise_call::~elementwise_call() = default;

const std::string& elementwise_call::form() const noexcept { return parts_->form; }

sycl::event elementwise_call::launch(const kernel& generated, const sycl::queue& queue,
                                     std::span<const sycl::event> after) const {
  const implementation& call = *parts_;
  const std::size_t parameters = call.arguments.size();
  std::vector<detail::argument_bytes> bytes(parameters + (call.uses_index ? 2 : 1));
  std::vector<detail::array_use> uses;
  uses.reserve(call.operands.size());
  for (const operand& each : call.operands) {
    detail::require_context(call.signature, each.place, each.used, generated.context());
    uses.push_back({&each.used, each.is_output ? detail::access::write : detail::access::read});
  }
  for (std::size_t k = 0; k < parameters; ++k) {
    if (!std::holds_alternative<const array*>(call.arguments[k].value())) {
      bytes[k] =
          detail::checked_argument(call.signature, k, call.arguments[k], generated.context());
    }
  }
  for (const operand& each : call.operands) {
    if (each.copied_to) {  // the kernel may read it, and need not write all of it
      copy_async(*each.copied_to, each.used);
    }
  }
  const std::size_t count = call.loop.count;
  sycl::event last;
  const std::size_t group = detail::fast_group_size(generated);
  const auto launch_part = [&](const loop_part& part) {
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      bytes[call.operands[i].place].address =
          first_element(call.operands[i].used) + part.offsets[i];
    }
    if (call.uses_index) {
      const std::int64_t first = part.offsets[count - 1];
      std::memcpy(bytes[parameters].number.data(), &first, sizeof first);
    }
    const detail::packed_loop words =
        detail::packed(part.dimensions, count, call.chosen.dimensions);
    bytes.back().structure = words.data();
    last = detail::launch_checked(generated, sizes_of(part, call.chosen, group), bytes, uses, queue,
                                  after);
  };
  for_each_part({call.loop.dimensions(), call.loop.offsets}, count, launch_part);
  for (const operand& each : call.operands) {
    if (each.copied_to) {
      last = copy_async(each.used, *each.copied_to);
    }
  }
  return last;
}

}  // namespace internal

}  // namespace usmx::inline v1
