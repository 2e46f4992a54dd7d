#include "generated_kernels/call.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <ranges>
#include <utility>

#include "array/array.hpp"
#include "copy/copy.hpp"
#include "copy/plan.hpp"
#include "generated_kernels/kernel_family.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

struct elementwise_kernel::implementation {
  implementation(std::string_view inputs, std::string_view outputs, std::string operation,
                 generation_options options)
      : uses_index(detail::uses_name("i", operation)),
        family(inputs, outputs, {{"operation", detail::ended_statements("operation", operation)}},
               std::move(options)) {}

  bool uses_index;
  detail::kernel_family family;
};

namespace detail {

struct elementwise_operand {
  std::size_t index;  // among the parameters
  array used;
  bool is_output;
};

/// The loop of a call, and the form and the types that the kernel has to be generated for.
struct elementwise_loop {
  operand_loop loop;
  loop_form form;
};

}  // namespace detail

namespace {

using detail::elementwise_loop;
using operand = detail::elementwise_operand;

operand operand_at(const kernel_signature& signature, std::size_t index, const array& a,
                   std::span<const std::ptrdiff_t> shape) {
  detail::require_suitable(signature, index, a);
  const bool is_output = signature.parameters[index].form == parameter_form::pointer;
  if (is_output) {
    detail::require_shape(signature, index, a, shape);
  }
  return {index, detail::broadcast_to(a, shape), is_output};
}

/// Whether a kernel that writes `output` may change elements of the other array before it reads or
/// after it writes them there.
bool disturbs(const operand& output, const operand& other) {
  const array_view from = internal::private_view(other.used);
  const array_view to = internal::private_view(output.used);
  const detail::copy_plan plan =
      detail::make_plan(to.shape(), detail::end_of(from), detail::end_of(to));
  return may_overlap(plan) && (other.is_output || !is_in_place(plan) || detail::is_crowded(to));
}

/// Gives new memory to outputs that disturb inputs, or outputs before them, and to those that
/// overlap a raw input, of which any element may be read at any time.
std::vector<detail::separate_output> separate_outputs(std::vector<operand>& all,
                                                      std::span<const array* const> raw_inputs) {
  std::vector<std::size_t> separated;
  for (std::size_t k = 0; k < all.size(); ++k) {
    operand& output = all[k];
    if (!output.is_output) {
      continue;
    }
    const auto is_disturbed = [&](const operand& other) {
      const bool is_compared = !other.is_output || other.index < output.index;
      return is_compared && disturbs(output, other);
    };
    const auto overlaps = [&](const array* raw) {
      return may_overlap(internal::private_view(*raw), internal::private_view(output.used));
    };
    if (std::ranges::any_of(all, is_disturbed) || std::ranges::any_of(raw_inputs, overlaps)) {
      separated.push_back(k);
    }
  }
  std::vector<detail::separate_output> outputs;
  for (const std::size_t k : separated) {
    outputs.push_back({all[k].used, detail::new_like(all[k].used)});
    all[k].used = outputs.back().made;
  }
  return outputs;
}

/// The loop over the arrays and then over the index, which counts the elements in C order.
elementwise_loop loop_of(std::span<const operand> operands, std::span<const std::ptrdiff_t> shape,
                         bool uses_index, const sycl::device& device) {
  std::array<detail::loop_operand, detail::max_operands> sides;
  std::size_t count = 0;
  std::size_t leading = 0;
  for (const operand& each : operands) {
    leading = each.is_output && !operands[leading].is_output ? count : leading;
    sides[count++] = {each.used.strides(), static_cast<std::ptrdiff_t>(each.used.type().itemsize()),
                      !each.is_output};
  }
  layout index;
  if (uses_index || count == 0) {
    index = layout::c_order(shape);
    sides[count++] = {index.strides(), 1, false};
  }
  const std::span<const detail::loop_operand> all(sides.data(), count);
  elementwise_loop made;
  set_loop(made.loop, shape, all, leading);
  made.form = choose_form(made.loop, all, device.is_cpu() ? 1 : 4);
  return made;
}

// ---- launching

/// A part of the loop for one launch: its dimensions, and its beginning.
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
  // The outermost dimension of this copy is divided into parts.
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

/// The sizes of a launch whose work items beside each other take elements beside each other,
/// `batch` of them each.
launch_sizes sizes_of_rows(const loop_part& part, std::size_t batch, std::size_t group) {
  const std::size_t columns = extent_at(part, 1);
  const std::size_t rows = static_cast<std::size_t>(detail::items_of(part.dimensions)) / columns;
  const std::size_t items = detail::rounded_up(columns, batch) / batch;
  const std::size_t width = std::min(group, std::bit_ceil(items));
  const std::size_t height = std::min(group / width, std::bit_ceil(rows));
  return {2,
          {detail::rounded_up(rows, height), detail::rounded_up(items, width), 1},
          std::array<std::size_t, 3>{height, width, 1}};
}

launch_sizes sizes_of_tiles(const loop_part& part, std::size_t edge, std::size_t height) {
  const std::size_t columns = extent_at(part, 1);
  const std::size_t rows = extent_at(part, 2);
  const std::size_t outer =
      static_cast<std::size_t>(detail::items_of(part.dimensions)) / columns / rows;
  return {2,
          {outer * (detail::rounded_up(rows, edge) / edge) * height,
           detail::rounded_up(columns, edge), 1},
          std::array<std::size_t, 3>{height, edge, 1}};
}

launch_sizes sizes_of(const loop_part& part, const detail::loop_form& form, std::size_t group) {
  return form.kind == detail::loop_kind::tiles ? sizes_of_tiles(part, form.edge, form.batch)
                                               : sizes_of_rows(part, form.batch, group);
}

std::vector<detail::array_use> uses_of(std::span<const operand> operands,
                                       const kernel_signature& signature,
                                       const detail::kernel_home& home) {
  std::vector<detail::array_use> uses;
  uses.reserve(operands.size());
  for (const operand& each : operands) {
    detail::require_in_reach(signature, each.index, each.used, home);
    uses.push_back({&each.used, each.is_output ? detail::access::write : detail::access::read});
  }
  return uses;
}

}  // namespace

namespace internal {

elementwise_call::elementwise_call(const elementwise_kernel& kernel,
                                   std::span<const kernel_argument> arguments,
                                   std::optional<dtype> wanted,
                                   const std::optional<std::vector<std::ptrdiff_t>>& shape)
    : generated_call(kernel.shared_->family, arguments, wanted), kernel_(*kernel.shared_) {
  const std::vector<const array*> arrays = operands(true);
  const std::vector<std::ptrdiff_t> extents =
      arrays.empty() && shape ? *shape : detail::common_shape(family_.name(), arrays);
  if (arrays.empty() && !shape && has_raw_arrays()) {
    throw value_error(family_.name() + ": expected a size, since all arrays are raw, found none");
  }
  if (shape && *shape != extents) {
    throw value_error(detail::message(family_.name(), ": expected the size of the arrays, ",
                                      tuple_text(extents), ", found ", tuple_text(*shape)));
  }
  output_layout_ = detail::common_layout(arrays, extents);
}

elementwise_call::~elementwise_call() = default;

/// The plan of a call: the arrays of its loop, and its form.
struct elementwise_call::plan {
  std::vector<operand> operands;
  std::vector<detail::separate_output> separated;
  bool has_index;
  elementwise_loop loop;
};

/// Gives new memory to each raw output that overlaps inputs, arrays that the loop writes, or raw
/// outputs before it: any of its elements may be written at any time.
void elementwise_call::separate_raw_outputs() {
  const auto overlaps = [&](std::size_t k, std::size_t other) {
    const bool is_compared = other < k || (other != k && !is_raw(other));
    return is_compared && array_at(other) != nullptr &&
           may_overlap(private_view(*array_at(k)), private_view(*array_at(other)));
  };
  std::vector<std::size_t> overlapping;
  for (std::size_t k = family_.input_count(); k < arguments_.size(); ++k) {
    // An output that is read-only is refused later.
    const bool may_be_written = is_raw(k) && !array_at(k)->readonly();
    const auto others = std::views::iota(std::size_t{0}, arguments_.size());
    if (may_be_written && std::ranges::any_of(others, [&](auto o) { return overlaps(k, o); })) {
      overlapping.push_back(k);
    }
  }
  for (const std::size_t k : overlapping) {
    const array& given = *array_at(k);
    separated_.push_back({given, detail::new_like(given)});
    set_output(k - family_.input_count(), separated_.back().made);
  }
}

elementwise_call::plan elementwise_call::make_plan(const sycl::device& device) const {
  plan made{{}, {}, false, {}};
  made.operands.reserve(arguments_.size());
  std::vector<const array*> raw_inputs;
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    const array* a = array_at(k);
    if (a != nullptr && !is_raw(k)) {
      made.operands.push_back(operand_at(typed_->signature, k, *a, output_layout_.shape()));
    } else if (a != nullptr && !is_output(k)) {
      raw_inputs.push_back(a);
    }
  }
  made.separated = separate_outputs(made.operands, raw_inputs);
  made.has_index = kernel_.uses_index || made.operands.empty();
  made.loop = loop_of(made.operands, output_layout_.shape(), made.has_index, device);
  return made;
}

held_kernels elementwise_call::generated_for(const plan& how, const sycl::queue& queue,
                                             const generated_call_options& options) const {
  return family_.kernels_for(typed_, {how.loop.form, raw_in_c_order()}, queue, options, [&] {
    const std::string name = family_.source_name();
    std::vector<detail::passed_parameter> passed;
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      passed.push_back(family_.passed(*typed_, k));
    }
    if (how.has_index) {
      passed.push_back(detail::passed_index());
    }
    passed.push_back(
        detail::passed_loop("usmx_loop", how.loop.loop.count, how.loop.form.dimensions));
    return detail::generated_source{
        detail::elementwise_source(name, family_.source_parameters(*typed_, arguments_),
                                   how.loop.form, how.has_index),
        {{name, std::move(passed)}}};
  });
}

detail::started_work elementwise_call::launch(const plan& how, const usmx::kernel& generated,
                                              const sycl::queue& queue,
                                              std::span<const sycl::event> after) const {
  detail::started_work events;
  // There is one entry for each parameter, then the index, if there is one, and the loop.
  std::vector<detail::argument_bytes> bytes(arguments_.size() + (how.has_index ? 2 : 1));
  std::vector<detail::array_use> uses =
      uses_of(how.operands, typed_->signature, detail::home_of(generated));
  const std::optional<detail::view_checks> checks = index_checks(queue);
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    if (array_at(k) == nullptr || is_raw(k)) {
      bytes[k] =
          detail::checked_argument(typed_->signature, k, arguments_[k], detail::home_of(generated));
    }
    if (array_at(k) != nullptr) {
      require_structure(k, generated.signature(), k);
    }
    if (is_raw(k)) {
      uses.push_back({array_at(k), is_output(k) ? detail::access::write : detail::access::read});
      if (checks) {
        checks->add_to(bytes[k], k);
      }
    }
  }
  if (checks) {
    uses.push_back(checks->use());
  }
  const std::size_t count = how.loop.loop.count;
  const std::size_t group = detail::fast_group_size(generated);
  const auto launch_part = [&](const loop_part& part) {
    for (std::size_t i = 0; i < how.operands.size(); ++i) {
      const operand& each = how.operands[i];
      bytes[each.index].address = first_element(each.used) + part.offsets[i];
    }
    if (how.has_index) {
      const std::int64_t first = part.offsets[count - 1];
      std::memcpy(bytes[arguments_.size()].number.data(), &first, sizeof first);
    }
    const detail::packed_loop words =
        detail::packed(part.dimensions, count, how.loop.form.dimensions);
    bytes.back().structure = words.data();
    events.push_back(detail::launch_checked(generated, sizes_of(part, how.loop.form, group), bytes,
                                            uses, queue, after));
  };
  detail::copy_to_separate(how.separated);
  detail::copy_to_separate(separated_);
  for_each_part({how.loop.loop.dimensions(), how.loop.loop.offsets}, count, launch_part);
  detail::copy_from_separate(how.separated, events);
  detail::copy_from_separate(separated_, events);
  if (checks) {
    checks->require_none(detail::events_of(events), arguments_);
  }
  return events;
}

detail::started_work elementwise_call::run(const sycl::queue& queue,
                                           const generated_call_options& options) {
  if (output_layout_.size() == 0) {
    return {options.after.begin(), options.after.end()};
  }
  separate_raw_outputs();
  const plan how = make_plan(queue.get_device());
  return launch(how, generated_for(how, queue, options)->front(), queue, options.after);
}

}  // namespace internal

// ---- the kernel

elementwise_kernel::elementwise_kernel(std::string_view inputs, std::string_view outputs,
                                       std::string operation, generation_options options)
    : shared_(std::make_shared<const implementation>(inputs, outputs, std::move(operation),
                                                     std::move(options))) {}

const std::string& elementwise_kernel::name() const noexcept { return shared_->family.name(); }
std::size_t elementwise_kernel::input_count() const noexcept {
  return shared_->family.input_count();
}
std::size_t elementwise_kernel::output_count() const noexcept {
  return shared_->family.output_count();
}

namespace {

detail::started_call start(const elementwise_kernel& kernel, const detail::kernel_family& family,
                           std::span<const kernel_argument> inputs,
                           const generated_call_options& options,
                           const std::optional<std::vector<std::ptrdiff_t>>& shape) {
  const detail::complete_call arguments(family, inputs, options);
  internal::elementwise_call call(kernel, arguments.all(), options.type, shape);
  return arguments.start(call);
}

}  // namespace

std::vector<array> elementwise_kernel::call(
    std::span<const kernel_argument> inputs, const generated_call_options& options,
    const std::optional<std::vector<std::ptrdiff_t>>& shape) const {
  return start(*this, shared_->family, inputs, options, shape).outputs;
}

generated_result elementwise_kernel::submit(
    std::span<const kernel_argument> inputs, const generated_call_options& options,
    const std::optional<std::vector<std::ptrdiff_t>>& shape) const {
  return start(*this, shared_->family, inputs, options, shape).with_event();
}

array elementwise_kernel::only(std::vector<array> outputs) const {
  return detail::only_output(name(), std::move(outputs));
}

}  // namespace usmx::inline v1
