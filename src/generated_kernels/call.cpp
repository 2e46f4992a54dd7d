#include "generated_kernels/call.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <ranges>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "base/process.hpp"
#include "copy/copy.hpp"
#include "generated_kernels/kernel_family.hpp"
#include "layout/layout.hpp"
#include "memory/pending_work.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const kernel_signature& signature, std::size_t index,
                         const Parts&... parts) {
  throw value_error(message(parameter_text(signature, index), parts...));
}

}  // namespace

void require_suitable(const kernel_signature& signature, std::size_t index, const array& a) {
  const kernel_parameter& parameter = signature.parameters[index];
  if (a.owner() == nullptr) {
    refuse(signature, index, "expected an array in USM, found one without memory");
  }
  if (parameter.form == parameter_form::pointer && a.readonly()) {
    throw read_only_error(message(parameter_text(signature, index),
                                  "expected an array that can be written, found a read-only one"));
  }
  if (reinterpret_cast<std::uintptr_t>(internal::first_element(a)) % parameter.alignment != 0) {
    refuse(signature, index, "expected an address that is a multiple of ", parameter.alignment,
           ", found ", static_cast<const void*>(internal::first_element(a)));
  }
}

void require_in_reach(const kernel_signature& signature, std::size_t index, const array& a,
                      const kernel_home& home) {
  if (const auto reason = reason_against(a, home)) {
    refuse(signature, index, *reason);
  }
}

void require_shape(const kernel_signature& signature, std::size_t index, const array& a,
                   std::span<const std::ptrdiff_t> shape) {
  if (!std::ranges::equal(a.shape(), shape)) {
    refuse(signature, index, "expected an array of shape ", tuple_text(shape), ", found ",
           tuple_text(a.shape()));
  }
}

std::vector<std::ptrdiff_t> common_shape(std::string_view function,
                                         std::span<const array* const> arrays) {
  std::vector<std::span<const std::ptrdiff_t>> shapes(arrays.size());
  std::ranges::transform(arrays, shapes.begin(), [](const array* a) { return a->shape(); });
  return common_shape(function, shapes);
}

std::vector<std::ptrdiff_t> common_shape(std::string_view function,
                                         std::span<const std::span<const std::ptrdiff_t>> shapes) {
  std::size_t ndim = 0;
  for (const std::span<const std::ptrdiff_t> shape : shapes) {
    ndim = std::max(ndim, shape.size());
  }
  std::vector<std::ptrdiff_t> extents(ndim, 1);
  for (const std::span<const std::ptrdiff_t> shape : shapes) {
    for (std::size_t k = 0; k < shape.size(); ++k) {
      std::ptrdiff_t& extent = extents[ndim - shape.size() + k];
      if (shape[k] != 1 && extent != 1 && shape[k] != extent) {
        throw value_error(
            message(function, ": arguments must have shapes that can be broadcast together, found ",
                    listed(shapes, [](auto each) { return tuple_text(each); })));
      }
      extent = shape[k] != 1 ? shape[k] : extent;
    }
  }
  return extents;
}

usm_kind common_kind(std::span<const array* const> arrays) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    if (std::ranges::any_of(arrays, [&](const array* each) { return each->kind() == kind; })) {
      return kind;
    }
  }
  return usm_kind::device;
}

namespace {

/// Whether an array's axes lie in memory as those of another. Axes of one element have no position
/// in memory.
bool has_axes_as(const layout& a, const layout& b) {
  for (std::size_t k = 0; k < a.shape().size(); ++k) {
    if (a.shape()[k] > 1 && a.strides()[k] != b.strides()[k]) {
      return false;
    }
  }
  return true;
}

}  // namespace

layout common_layout(std::span<const array* const> arrays, std::span<const std::ptrdiff_t> shape) {
  const layout c_order = layout::c_order(shape);
  std::optional<layout> common;
  for (const array* a : arrays) {
    if (!std::ranges::equal(a->shape(), shape)) {
      continue;
    }
    layout own =
        a->layout().is_c_contiguous() ? c_order : compact_like(a->layout(), element_order::keep);
    if (common && !has_axes_as(*common, own)) {
      return c_order;
    }
    common = std::move(own);
  }
  return common ? *common : c_order;
}

array broadcast_to(const array& a, std::span<const std::ptrdiff_t> shape) {
  return std::ranges::equal(a.shape(), shape)
             ? a
             : internal::with_layout(a, broadcast(a.layout(), shape));
}

bool is_crowded(const array_view& view) {
  return bytes_of(view.origin(), view.layout(), view.type().itemsize()).nbytes() < view.nbytes();
}

array new_like(const array& a) {
  return internal::new_array(compact_like(a.layout()), a.type(), internal::private_queue(a),
                             a.kind(), 0, internal::first_use::in_order);
}

std::vector<sycl::event> events_of(const started_work& all) {
  std::vector<sycl::event> events;
  std::ranges::transform(all, std::back_inserter(events), &pending_event::event);
  return events;
}

void copy_to_separate(std::span<const separate_output> all) {
  for (const separate_output& each : all) {
    copy_in_order(each.given, each.made);
  }
}

void copy_from_separate(std::span<const separate_output> all, started_work& events) {
  for (const separate_output& each : all) {
    events.push_back(copy_in_order(each.made, each.given));
  }
}

packed_loop packed(std::span<const loop_dimension> dimensions, std::size_t count,
                   std::size_t kernel_dimensions) {
  packed_loop words;  // the kernel takes the first ones
  const std::size_t missing = kernel_dimensions - dimensions.size();
  std::fill_n(words.begin(), missing, 1);
  std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(kernel_dimensions), missing * count, 0);
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const std::size_t at = missing + k;
    words[at] = dimensions[k].extent;
    std::ranges::copy(std::span(dimensions[k].strides).first(count),
                      words.begin() + static_cast<std::ptrdiff_t>(kernel_dimensions + at * count));
  }
  return words;
}

std::ptrdiff_t items_of(std::span<const loop_dimension> dimensions) noexcept {
  std::ptrdiff_t items = 1;
  for (const loop_dimension& d : dimensions) {
    items *= d.extent;
  }
  return items;
}

namespace {

/// Whether tiles pay. An element that all rows repeat is read once.
bool is_better_in_tiles(const loop_dimension& rows, const loop_dimension& columns, std::size_t i) {
  return rows.strides[i] != 0 && is_transposed(rows, columns, i);
}

/// The dimension along which an operand that is read has its elements closest together, if that is
/// not the innermost one. The first such operand decides.
std::optional<std::size_t> rows_of_tiles(const operand_loop& loop,
                                         std::span<const loop_operand> operands) {
  const std::span<const loop_dimension> all = loop.dimensions();
  for (std::size_t i = 0; i < loop.count; ++i) {
    std::size_t nearest = all.size() - 1;
    for (std::size_t k = 0; k < all.size(); ++k) {
      nearest = is_better_in_tiles(all[k], all[nearest], i) ? k : nearest;
    }
    if (operands[i].is_read && nearest != all.size() - 1) {
      return nearest;
    }
  }
  return std::nullopt;
}

constexpr std::size_t smallest_tile_edge = 16;
/// The local memory that each device has for variables: CUDA's devices have the least.
constexpr std::size_t most_local_nbytes = 49152;

std::size_t tiles_nbytes(std::size_t edge, std::size_t element_nbytes) {
  return edge * (edge + 1) * element_nbytes;
}

/// The edge of tiles, from 64 down to 16: the tiles of all operands should fit into a processor's
/// nearest cache.
std::size_t tile_edge(std::size_t element_nbytes) {
  constexpr std::size_t most_nbytes = 32768;
  std::size_t edge = 64;
  while (edge > smallest_tile_edge && tiles_nbytes(edge, element_nbytes) > most_nbytes) {
    edge /= 2;
  }
  return edge;
}

}  // namespace

step step_of(const loop_dimension& columns, std::size_t operand, std::ptrdiff_t item) noexcept {
  const std::ptrdiff_t stride = columns.strides[operand];
  if (stride == item) {
    return step::adjacent;
  }
  if (stride == 0) {
    return step::repeated;
  }
  if (stride == 2 * item) {
    return step::every_other;
  }
  return std::abs(stride) <= INT_MAX / columns.extent ? step::near : step::strided;
}

loop_form choose_form(operand_loop& loop, std::span<const loop_operand> operands,
                      std::size_t batch) {
  loop_form form{loop_kind::flat, 1, 0, batch, {}};
  if (loop.ndim == 0) {
    std::ranges::fill(std::span(form.steps).first(loop.count), step::adjacent);
    return form;
  }
  const loop_dimension& columns = loop.dimensions().back();
  for (std::size_t i = 0; i < loop.count; ++i) {
    form.steps[i] = step_of(columns, i, operands[i].item);
  }
  if (loop.ndim == 1) {
    const auto is_flat = [](step each) { return each == step::adjacent || each == step::repeated; };
    if (std::ranges::all_of(std::span(form.steps).first(loop.count), is_flat)) {
      return form;
    }
  }
  form.kind = loop_kind::rows;
  form.dimensions = std::clamp<std::size_t>(loop.ndim, 2, max_kernel_loop_dimensions);
  const std::optional<std::size_t> rows = rows_of_tiles(loop, operands);
  if (!rows) {
    return form;
  }
  const auto first = loop.dimensions().begin() + static_cast<std::ptrdiff_t>(*rows);
  std::rotate(first, first + 1, loop.dimensions().end() - 1);
  loop_form tiles = form;
  std::size_t element_nbytes = 0;
  for (std::size_t i = 0; i < loop.count; ++i) {
    const loop_dimension& rows_of_all = loop.all_dimensions[loop.ndim - 2];
    if (operands[i].is_read && is_better_in_tiles(rows_of_all, columns, i)) {
      const bool is_adjacent = rows_of_all.strides[i] == operands[i].item;
      tiles.steps[i] = is_adjacent ? step::transposed : step::turned;
      element_nbytes += static_cast<std::size_t>(operands[i].item);
    }
  }
  if (tiles_nbytes(smallest_tile_edge, element_nbytes) > most_local_nbytes) {
    return form;
  }
  tiles.kind = loop_kind::tiles;
  tiles.edge = tile_edge(element_nbytes);
  return tiles;
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {
namespace {

/// Gives the array a shape that a usmx::view can have: 1 to 8 dimensions.
array as_raw(const std::string& kernel, const std::string& name, const array& a) {
  constexpr std::size_t most = 8;
  const auto ndim = static_cast<std::size_t>(a.ndim());
  if (ndim >= 1 && ndim <= most) {
    return a;
  }
  const std::optional<layout> flat = reshaped(a.layout(), std::array{a.size()});
  if (!flat) {
    throw value_error(detail::message(kernel, ": raw argument ", detail::quoted(name),
                                      " must have at most ", most,
                                      " dimensions, or elements in one row, found ", ndim));
  }
  return with_layout(a, *flat);
}

bool is_missing(const kernel_argument& argument) {
  const auto* found = std::get_if<kernel_argument::unsuitable>(&argument.value());
  return found != nullptr && found->what.empty();
}

}  // namespace

generated_call::generated_call(const detail::kernel_family& family,
                               std::span<const kernel_argument> arguments,
                               std::optional<dtype> wanted)
    : family_(family) {
  const std::size_t most = family.parameters().size();
  if (arguments.size() != family.input_count() && arguments.size() != most) {
    throw type_error(detail::message(family.name(), " takes ", family.input_count(),
                                     " inputs, and may be followed by ", family.output_count(),
                                     " outputs, found ", arguments.size(), " arguments"));
  }
  arguments_.reserve(most);
  arguments_.assign(arguments.begin(), arguments.end());
  arguments_.resize(most, kernel_argument(kernel_argument::unsuitable{}));
  check_kinds();
  set_raw_arrays();
  typed_ = family.typed_for(arguments_, wanted);
}

generated_call::~generated_call() = default;

const array* generated_call::array_at(std::size_t k) const noexcept {
  const auto* found = std::get_if<const array*>(&arguments_[k].value());
  return found == nullptr ? nullptr : *found;
}

bool generated_call::is_raw(std::size_t k) const { return family_.parameters()[k].is_raw; }

bool generated_call::is_output(std::size_t k) const { return k >= family_.input_count(); }

void generated_call::check_kinds() const {
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    const bool is_made = is_output(k) && !is_raw(k) && is_missing(arguments_[k]);
    const bool may_be_number = !is_output(k) && !is_raw(k) && !family_.parameters()[k].is_structure;
    if (array_at(k) != nullptr || is_made || (may_be_number && arguments_[k].is_number())) {
      continue;
    }
    throw type_error(detail::message(
        family_.name(), ": argument ", detail::quoted(family_.parameters()[k].name), " must be ",
        may_be_number ? "an array in USM or a number" : "an array in USM", ", found ",
        is_missing(arguments_[k]) ? "none" : detail::description(arguments_[k])));
  }
}

void generated_call::set_raw_arrays() {
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    if (is_raw(k)) {
      own_.push_back(as_raw(family_.name(), family_.parameters()[k].name, *array_at(k)));
      arguments_[k] = kernel_argument(own_.back());
    }
  }
}

std::vector<const array*> generated_call::operands(bool with_outputs) const {
  std::vector<const array*> found;
  const std::size_t end = with_outputs ? arguments_.size() : family_.input_count();
  found.reserve(end);
  for (std::size_t k = 0; k < end; ++k) {
    if (array_at(k) != nullptr && !is_raw(k)) {
      found.push_back(array_at(k));
    }
  }
  return found;
}

sycl::event generated_call::event_of(const detail::started_work& run, const sycl::queue& queue) {
  const detail::runtime_call call;
  return detail::event_of_all(detail::events_of(run), queue.get_context());
}

bool generated_call::has_raw_arrays() const {
  const auto all = std::views::iota(std::size_t{0}, arguments_.size());
  return std::ranges::any_of(all, [&](std::size_t k) { return is_raw(k); });
}

std::uint32_t generated_call::raw_in_c_order() const {
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    if (is_raw(k) && array_at(k)->layout().is_c_contiguous()) {
      bits |= std::uint32_t{1} << k;
    }
  }
  return bits;
}

void generated_call::require_structure(std::size_t k, const kernel_signature& compiled,
                                       std::size_t index) const {
  const detail::generated_parameter& parameter = family_.parameters()[k];
  if (!parameter.is_structure) {
    return;
  }
  const array& a = *array_at(k);
  const kernel_parameter& found = compiled.parameters[index];
  const std::string beginning =
      detail::message(family_.name(), ": argument ", detail::quoted(parameter.name));
  if (found.size != a.type().itemsize()) {
    throw type_error(detail::message(beginning, " must have elements of ", found.size,
                                     " bytes, as ", parameter.type, " has, found ",
                                     a.type().itemsize(), " bytes: ", a.type()));
  }
  if (reinterpret_cast<std::uintptr_t>(first_element(a)) % found.alignment != 0) {
    throw value_error(detail::message(beginning, " must have an address that is a multiple of ",
                                      found.alignment, ", as ", parameter.type, " needs, found ",
                                      static_cast<const void*>(first_element(a))));
  }
}

std::optional<detail::view_checks> generated_call::index_checks(const sycl::queue& queue) const {
  std::optional<detail::view_checks> checks;
  if (family_.checks_indices() && has_raw_arrays()) {
    checks.emplace(typed_->signature, queue);
  }
  return checks;
}

bool generated_call::lacks_output(std::size_t output) const {
  return array_at(family_.input_count() + output) == nullptr;
}

dtype generated_call::output_type(std::size_t output) const {
  return typed_->types[family_.input_count() + output];
}

usm_kind generated_call::output_kind() const {
  std::vector<const array*> arrays;
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    if (array_at(k) != nullptr) {
      arrays.push_back(array_at(k));
    }
  }
  return detail::common_kind(arrays);
}

void generated_call::set_output(std::size_t output, const array& made) {
  own_.push_back(made);
  arguments_[family_.input_count() + output] = kernel_argument(own_.back());
}

}  // namespace usmx::inline v1::internal
