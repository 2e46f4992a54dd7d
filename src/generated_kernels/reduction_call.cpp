#include "generated_kernels/call.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "generated_kernels/kernel_family.hpp"
#include "generated_kernels/reduction_loops.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

namespace detail {

/// A type of values that are reduced.
struct value_type {
  /// The parameter that has this type; none for a type that does not vary, which has the name.
  std::optional<std::size_t> index;
  std::string name = {};
};

}  // namespace detail

struct reduction_kernel::implementation {
  implementation(std::string_view inputs, std::string_view outputs,
                 reduction_expressions expressions, const generation_options& options);

  /// The types of the values in C++.
  detail::reduction_types types(std::span<const held_dtype> types) const {
    return {written(result, types), block ? written(*block, types) : std::string()};
  }

  bool has_identity;
  detail::reduction_uses uses;
  detail::kernel_family family;
  detail::value_type result;
  std::optional<detail::value_type> block;

 private:
  /// A type as the source names it: by one of the library's names, or the preamble's.
  std::string written(const detail::value_type& type, std::span<const held_dtype> types) const {
    return type.index ? family.type_name(*type.index, types[*type.index]) : type.name;
  }
};

namespace {

using reduction = detail::reduction_loops;
using detail::division;

using detail::loop_dimension;
using detail::operand_loop;

detail::reduction_form form_of(const reduction& call) {
  detail::reduction_form form{call.is_outer,
                              call.is_whole,
                              call.kept_dimensions(),
                              call.reduced_dimensions(),
                              call.lanes,
                              {}};
  const operand_loop& across = call.is_outer ? call.kept : call.reduced;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const auto item = static_cast<std::ptrdiff_t>(call.inputs[i].used.type().itemsize());
    form.steps[i] = across.ndim == 0 ? detail::step::adjacent  // to nothing
                                     : detail::step_of(across.dimensions().back(), i, item);
  }
  return form;
}

// ---- launching

launch_sizes inner_sizes(std::int64_t results, const reduction& call, const division& by) {
  return {2,
          {static_cast<std::size_t>(results), static_cast<std::size_t>(by.parts) * call.lanes, 1},
          std::array<std::size_t, 3>{1, call.lanes, 1}};
}

launch_sizes outer_sizes(std::int64_t results, const reduction& call, const division& by) {
  const auto columns = static_cast<std::size_t>(call.kept.dimensions().back().extent);
  const std::size_t rows = static_cast<std::size_t>(results) / columns;
  const std::size_t width = std::min<std::size_t>(1024, std::bit_ceil(columns));
  return {2,
          {rows * static_cast<std::size_t>(by.parts), detail::rounded_up(columns, width), 1},
          std::array<std::size_t, 3>{1, width, 1}};
}

launch_sizes end_sizes(std::int64_t results) {
  constexpr std::size_t group = 64;
  const std::size_t width = std::min(group, std::bit_ceil(static_cast<std::size_t>(results)));
  return {1,
          {detail::rounded_up(static_cast<std::size_t>(results), width), 1, 1},
          std::array<std::size_t, 3>{width, 1, 1}};
}

/// The arguments of the second kernel besides the loop: the number of results, of their parts and
/// of their elements.
using result_sizes = std::array<std::int64_t, 3>;

/// The values between the two kernels, of the type that was compiled.
detail::passed_parameter passed_values(parameter_form form) {
  return {"usmx_parts", {form, type_code::structured, 0, 1, "values"}};
}

void require_few_dimensions(const std::string& kernel, const reduction& call) {
  const std::size_t found = std::max(call.kept.ndim, call.reduced.ndim);
  if (found > detail::max_kernel_loop_dimensions) {
    throw value_error(detail::message(kernel, ": expected an array that has at most ",
                                      detail::max_kernel_loop_dimensions,
                                      " dimensions once neighbours are joined, found ", found));
  }
}

void require_few_items(const std::string& kernel, const launch_sizes& sizes) {
  constexpr std::size_t most = std::size_t{1} << 31;  // the runtime counts them in an int
  if (sizes.global[0] >= most / std::max<std::size_t>(sizes.global[1], 1)) {
    throw value_error(detail::message(kernel, ": expected less than ", most, " work items, found ",
                                      sizes.global[0], " x ", sizes.global[1]));
  }
}

/// The memory between the two kernels.
array new_parts(std::int64_t count, std::size_t part_nbytes, const sycl::queue& queue) {
  const std::array shape{std::max<std::ptrdiff_t>(count, 1) *
                         static_cast<std::ptrdiff_t>(part_nbytes)};
  return internal::new_array(layout::c_order(shape), uint8, queue, usm_kind::device, 0,
                             internal::first_use::in_order);
}

detail::argument_bytes address_of(std::byte* address) { return {{}, nullptr, address, {}}; }
detail::argument_bytes structure_at(const void* bytes) { return {{}, bytes, nullptr, {}}; }

}  // namespace

namespace internal {

reduction_call::reduction_call(const reduction_kernel& kernel,
                               std::span<const kernel_argument> arguments,
                               const reduction_axes& axes, std::optional<dtype> wanted)
    : generated_call(kernel.shared_->family, arguments, wanted),
      kernel_(*kernel.shared_),
      are_kept_(axes.are_kept) {
  const std::vector<const array*> arrays = operands(false);
  if (arrays.empty()) {
    throw type_error(family_.name() + ": at least one input must be an array");
  }
  shape_ = detail::common_shape(family_.name(), arrays);
  reduced_ = detail::reduced_flags(axes.axes.value(), shape_.size());
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    if (reduced_[k] != 0 && shape_[k] == 0 && !kernel_.has_identity) {
      throw value_error(detail::message(family_.name(),
                                        " has no identity: expected axes with elements, found ",
                                        "shape ", tuple_text(shape_)));
    }
  }
  output_layout_ = layout::c_order(detail::result_shape(shape_, reduced_, are_kept_));
}

reduction_call::~reduction_call() = default;

/// The plan of a call: its loops, as the kernels get them, and the memory between two kernels.
struct reduction_call::plan {
  reduction loops;
  std::vector<detail::separate_output> separated;
  std::int64_t results;
  detail::packed_loop kept;
  detail::packed_loop reduced;
  division by;
  std::optional<array> parts;  // none if there is one kernel
  std::optional<detail::view_checks> checks;

  detail::argument_bytes parts_address() const { return address_of(first_element(*parts)); }
};

namespace {

/// Gives new memory to outputs that overlap others before them or raw inputs, or whose own elements
/// share bytes: work items write all outputs at once. Inputs that are not raw have been read by
/// then.
std::vector<detail::separate_output> separate_overlapping(std::span<reduction::side> outputs,
                                                          std::span<const array* const> raw) {
  std::vector<std::size_t> separated;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const array_view view = private_view(outputs[k].used);
    const auto overlaps = [&](const reduction::side& other) {
      return may_overlap(view, private_view(other.used));
    };
    const auto holds = [&](const array* each) { return may_overlap(view, private_view(*each)); };
    if (detail::is_crowded(view) || std::ranges::any_of(outputs.first(k), overlaps) ||
        std::ranges::any_of(raw, holds)) {
      separated.push_back(k);
    }
  }
  std::vector<detail::separate_output> made;
  for (const std::size_t k : separated) {
    made.push_back({outputs[k].used, detail::new_like(outputs[k].used)});
    outputs[k].used = made.back().made;
  }
  return made;
}

}  // namespace

bool reduction_call::writes_what_it_reads(const detail::reduction_loops& loops) const {
  for (std::size_t k = 0; k < family_.input_count(); ++k) {
    const array* a = array_at(k);
    const auto shares = [&](const reduction::side& output) {
      return may_overlap(private_view(*a), private_view(output.used));
    };
    if (a != nullptr && std::ranges::any_of(loops.outputs, shares)) {
      return true;
    }
  }
  return false;
}

reduction_call::plan reduction_call::make_plan(const sycl::device& device) const {
  plan made{};
  reduction& loops = made.loops;
  std::vector<const array*> raw;
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    const array* a = array_at(k);
    if (a != nullptr && is_raw(k)) {
      raw.push_back(a);
    }
    if (a == nullptr || is_raw(k)) {
      continue;
    }
    detail::require_suitable(typed_->signature, k, *a);
    if (is_output(k)) {
      detail::require_shape(typed_->signature, k, *a, output_layout_.shape());
      loops.outputs.push_back({k, *a});
    } else {
      loops.inputs.push_back({k, detail::broadcast_to(*a, shape_)});
    }
  }
  made.separated = separate_overlapping(loops.outputs, raw);
  loops.has_index = kernel_.uses.has_index;
  set_loops(loops, {shape_, reduced_, are_kept_});
  require_few_dimensions(family_.name(), loops);
  loops.has_blocks = kernel_.block.has_value();
  share_out(loops, device);
  made.by = loops.reduced_count == 0 ? division{{}, 0} : division_of(loops);
  // One kernel writes results while it reads.
  loops.is_whole = made.by.parts == 1 && !writes_what_it_reads(loops);
  made.results = detail::items_of(loops.kept.dimensions());
  made.kept = detail::packed(loops.kept.dimensions(), loops.kept.count, loops.kept_dimensions());
  made.reduced =
      detail::packed(loops.reduced.dimensions(), loops.reduced.count, loops.reduced_dimensions());
  return made;
}

void reduction_call::add_outputs(const plan& how, const usmx::kernel& kernel,
                                 std::vector<detail::argument_bytes>& bytes,
                                 std::vector<detail::array_use>& uses) const {
  const reduction& loops = how.loops;
  for (std::size_t i = 0; i < loops.outputs.size(); ++i) {
    const array& used = loops.outputs[i].used;
    detail::require_in_reach(typed_->signature, loops.outputs[i].index, used,
                             detail::home_of(kernel));
    require_structure(loops.outputs[i].index, kernel.signature(), bytes.size());
    bytes.push_back(address_of(first_element(used) + loops.kept.offsets[loops.inputs.size() + i]));
    uses.push_back({&used, detail::access::write});
  }
}

detail::pending_event reduction_call::launch_first(const plan& how, const usmx::kernel& kernel,
                                                   const sycl::queue& queue,
                                                   std::span<const sycl::event> after) const {
  const reduction& loops = how.loops;
  std::vector<detail::argument_bytes> bytes;
  std::vector<detail::array_use> uses;
  std::size_t input = 0;
  for (std::size_t k = 0; k < family_.input_count(); ++k) {
    const array* a = array_at(k);
    if (a == nullptr || is_raw(k)) {
      bytes.push_back(
          detail::checked_argument(typed_->signature, k, arguments_[k], detail::home_of(kernel)));
      if (is_raw(k) && how.checks) {
        how.checks->add_to(bytes.back(), k);
      }
    } else {
      detail::require_in_reach(typed_->signature, k, *a, detail::home_of(kernel));
      bytes.push_back(address_of(first_element(loops.inputs[input].used) +
                                 loops.kept.offsets[input] + loops.reduced.offsets[input]));
      ++input;
    }
    if (a != nullptr) {
      require_structure(k, kernel.signature(), k);
      uses.push_back({a, detail::access::read});
    }
  }
  if (how.checks) {
    uses.push_back(how.checks->use());
  }
  if (loops.is_whole) {
    add_outputs(how, kernel, bytes, uses);
  } else {
    uses.push_back({&*how.parts, detail::access::write});
    bytes.push_back(how.parts_address());
  }
  const std::int64_t first_index = loops.reduced.offsets[loops.reduced.count - 1];
  if (loops.has_index) {
    bytes.push_back(structure_at(&first_index));
  }
  bytes.push_back(structure_at(how.kept.data()));
  bytes.push_back(structure_at(how.reduced.data()));
  bytes.push_back(structure_at(&how.by.sizes));
  const launch_sizes sizes = loops.is_outer ? outer_sizes(how.results, loops, how.by)
                                            : inner_sizes(how.results, loops, how.by);
  require_few_items(family_.name(), sizes);
  return detail::launch_checked(kernel, sizes, bytes, uses, queue, after);
}

detail::pending_event reduction_call::launch_end(const plan& how, const usmx::kernel& put_together,
                                                 const sycl::queue& queue,
                                                 std::span<const sycl::event> after) const {
  const reduction& loops = how.loops;
  std::vector<detail::argument_bytes> bytes;
  std::vector<detail::array_use> uses;
  for (std::size_t k = 0; k < family_.input_count(); ++k) {  // numbers and raw arrays
    const array* a = array_at(k);
    if (a == nullptr || is_raw(k)) {
      bytes.push_back(detail::checked_argument(typed_->signature, k, arguments_[k],
                                               detail::home_of(put_together)));
    }
    if (is_raw(k)) {
      require_structure(k, put_together.signature(), bytes.size() - 1);
      uses.push_back({a, detail::access::read});
      if (how.checks) {
        how.checks->add_to(bytes.back(), k);
      }
    }
  }
  add_outputs(how, put_together, bytes, uses);
  uses.push_back({&*how.parts, detail::access::read});
  if (how.checks) {
    uses.push_back(how.checks->use());
  }
  bytes.push_back(how.parts_address());
  bytes.push_back(structure_at(how.kept.data()));
  const result_sizes sizes{how.results, how.by.parts, loops.reduced_count};
  bytes.push_back(structure_at(&sizes));
  return detail::launch_checked(put_together, end_sizes(how.results), bytes, uses, queue, after);
}

std::vector<detail::passed_parameter> reduction_call::passed_to_first(const plan& how) const {
  const reduction& loops = how.loops;
  std::vector<detail::passed_parameter> passed;
  for (std::size_t k = 0; k < (loops.is_whole ? arguments_.size() : family_.input_count()); ++k) {
    passed.push_back(family_.passed(*typed_, k));
  }
  if (!loops.is_whole) {
    passed.push_back(passed_values(parameter_form::pointer));
  }
  if (loops.has_index) {
    passed.push_back(detail::passed_index());
  }
  passed.push_back(detail::passed_loop("usmx_kept", loops.kept.count, loops.kept_dimensions()));
  passed.push_back(
      detail::passed_loop("usmx_reduced", loops.reduced.count, loops.reduced_dimensions()));
  passed.push_back(detail::passed_structure("usmx_sizes", sizeof(detail::part_sizes)));
  return passed;
}

std::vector<detail::passed_parameter> reduction_call::passed_to_end(const plan& how) const {
  const reduction& loops = how.loops;
  std::vector<detail::passed_parameter> passed;
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    if (is_output(k) || is_raw(k) || array_at(k) == nullptr) {
      passed.push_back(family_.passed(*typed_, k));
    }
  }
  passed.push_back(passed_values(parameter_form::const_pointer));
  passed.push_back(detail::passed_loop("usmx_kept", loops.kept.count, loops.kept_dimensions()));
  passed.push_back(detail::passed_structure("usmx_sizes", sizeof(result_sizes)));
  return passed;
}

detail::started_work reduction_call::run(const sycl::queue& queue,
                                         const generated_call_options& options) {
  if (output_layout_.size() == 0) {
    return {options.after.begin(), options.after.end()};
  }
  plan how = make_plan(queue.get_device());
  const detail::reduction_types types = kernel_.types(typed_->types);
  const detail::reduction_form form = form_of(how.loops);
  const held_kernels kernels =
      family_.kernels_for(typed_, {form, raw_in_c_order()}, queue, options, [&] {
        const std::string name = family_.source_name();
        std::vector<detail::generated_kernel> passed{{name, passed_to_first(how)}};
        if (!how.loops.is_whole) {
          passed.push_back({name + "_end", passed_to_end(how)});
        }
        return detail::generated_source{
            detail::reduction_source(name, family_.source_parameters(*typed_, arguments_), form,
                                     types, kernel_.uses),
            std::move(passed)};
      });
  const usmx::kernel& first = (*kernels)[0];
  if (!how.loops.is_whole) {
    const std::size_t nbytes = first.signature().parameters[family_.input_count()].size;
    how.parts = new_parts(how.results * how.by.parts, nbytes, queue);
  }
  if (auto checks = index_checks(queue)) {
    how.checks.emplace(*std::move(checks));
  }
  detail::copy_to_separate(how.separated);
  detail::started_work events;
  if (how.loops.is_whole) {
    events.push_back(launch_first(how, first, queue, options.after));
  } else {
    if (how.loops.reduced_count != 0) {
      launch_first(how, first, queue, options.after);
    }
    events.push_back(launch_end(how, (*kernels)[1], queue, options.after));
  }
  detail::copy_from_separate(how.separated, events);
  if (how.checks) {
    how.checks->require_none(detail::events_of(events), arguments_);
  }
  return events;
}

}  // namespace internal

// ---- the kernel

namespace {

detail::value_type named_value_type(const char* what, const std::string& name,
                                    std::span<const detail::generated_parameter> parameters,
                                    const std::string& preamble) {
  if (name.size() == 1) {
    const auto named = std::ranges::find(parameters, name, &detail::generated_parameter::type);
    if (named != parameters.end()) {
      return {static_cast<std::size_t>(named - parameters.begin())};
    }
  }
  if (const std::optional<dtype> known = detail::named_type(name)) {
    return {std::nullopt, detail::cpp_name(*known)};
  }
  if (!detail::is_of_preamble(name, preamble)) {
    throw value_error(detail::message(
        what,
        " must be the name of a type, the type of a parameter, or one of the preamble's, "
        "found ",
        detail::quoted(name)));
  }
  return {std::nullopt, name};
}

}  // namespace

reduction_kernel::implementation::implementation(std::string_view inputs, std::string_view outputs,
                                                 reduction_expressions expressions,
                                                 const generation_options& options)
    : has_identity(expressions.identity.find_first_not_of(" \t\r\n") != std::string::npos),
      uses{detail::uses_name("i", expressions.map),
           detail::uses_name("n", expressions.map) || detail::uses_name("n", expressions.post_map)},
      family(inputs, outputs,
             {{"map_expr", detail::ended_expression("map_expr", expressions.map)},
              {"reduce_expr", detail::ended_expression("reduce_expr", expressions.reduce)},
              {"post_map_expr", detail::ended_statements("post_map_expr", expressions.post_map)},
              {"identity", detail::ended_expression("identity", expressions.identity)}},
             options) {
  const std::span<const detail::generated_parameter> all = family.parameters();
  for (std::size_t k = 0; k < all.size(); ++k) {
    uses.has_count = uses.has_count && all[k].name != "n";  // then `n` is the parameter
    if (all[k].name == "a" || all[k].name == "b") {
      throw value_error(detail::message("parameters must not use the name ",
                                        detail::quoted(all[k].name),
                                        ", which is that of values to reduce"));
    }
    if (k >= family.input_count() && all[k].is_raw) {
      throw value_error(detail::message("outputs of a reduction must not be raw, found ",
                                        detail::quoted(all[k].name)));
    }
  }
  result = expressions.type.empty()
               ? detail::value_type{family.input_count()}
               : named_value_type("reduce_type", expressions.type, all, options.preamble);
  if (!expressions.block_type.empty()) {
    block = named_value_type("block_type", expressions.block_type, all, options.preamble);
  }
}

reduction_kernel::reduction_kernel(std::string_view inputs, std::string_view outputs,
                                   reduction_expressions expressions, generation_options options)
    : shared_(std::make_shared<const implementation>(inputs, outputs, std::move(expressions),
                                                     options)) {}

const std::string& reduction_kernel::name() const noexcept { return shared_->family.name(); }
std::size_t reduction_kernel::input_count() const noexcept { return shared_->family.input_count(); }
std::size_t reduction_kernel::output_count() const noexcept {
  return shared_->family.output_count();
}

namespace {

detail::started_call start(const reduction_kernel& kernel, const detail::kernel_family& family,
                           std::span<const kernel_argument> inputs, const reduction_axes& axes,
                           const generated_call_options& options) {
  const detail::complete_call arguments(family, inputs, options);
  internal::reduction_call call(kernel, arguments.all(), axes, options.type);
  return arguments.start(call);
}

}  // namespace

std::vector<array> reduction_kernel::call(std::span<const kernel_argument> inputs,
                                          const reduction_axes& axes,
                                          const generated_call_options& options) const {
  return start(*this, shared_->family, inputs, axes, options).outputs;
}

generated_result reduction_kernel::submit(std::span<const kernel_argument> inputs,
                                          const reduction_axes& axes,
                                          const generated_call_options& options) const {
  return start(*this, shared_->family, inputs, axes, options).with_event();
}

array reduction_kernel::only(std::vector<array> outputs) const {
  return detail::only_output(name(), std::move(outputs));
}

}  // namespace usmx::inline v1
