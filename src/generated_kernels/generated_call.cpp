#include "generated_kernels/generated_call.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "base/process.hpp"
#include "generated_kernels/kernel_family.hpp"
#include "memory/pending_work.hpp"
#include "user_kernels/arguments.hpp"
#include "user_kernels/view_report.hpp"
#include "usmx/base/error.hpp"

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
    : family_(family), arguments_(arguments.begin(), arguments.end()) {
  const std::size_t most = family.parameters().size();
  if (arguments.size() != family.input_count() && arguments.size() != most) {
    throw type_error(detail::message(family.name(), " takes ", family.input_count(),
                                     " inputs, and may be followed by ", family.output_count(),
                                     " outputs, found ", arguments.size(), " arguments"));
  }
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
  for (std::size_t k = 0; k < end; ++k) {
    if (array_at(k) != nullptr && !is_raw(k)) {
      found.push_back(array_at(k));
    }
  }
  return found;
}

std::vector<std::ptrdiff_t> generated_call::common_shape(
    std::span<const array* const> arrays) const {
  std::size_t ndim = 0;
  for (const array* a : arrays) {
    ndim = std::max(ndim, a->shape().size());
  }
  std::vector<std::ptrdiff_t> extents(ndim, 1);
  for (const array* a : arrays) {
    const std::span<const std::ptrdiff_t> shape = a->shape();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      std::ptrdiff_t& extent = extents[ndim - shape.size() + k];
      if (shape[k] != 1 && extent != 1 && shape[k] != extent) {
        std::string shapes;
        for (const array* each : arrays) {
          shapes += (shapes.empty() ? "" : ", ") + tuple_text(each->shape());
        }
        throw value_error(detail::message(
            family_.name(), ": arguments must have shapes that can be broadcast together, found ",
            shapes));
      }
      extent = shape[k] != 1 ? shape[k] : extent;
    }
  }
  return extents;
}

sycl::event generated_call::event_of(const std::vector<sycl::event>& run,
                                     const sycl::queue& queue) {
  const detail::runtime_call call;
  return detail::event_of_all(run, queue.get_context());
}

std::string generated_call::raw_forms() const {
  std::string text;
  for (std::size_t k = 0; k < arguments_.size(); ++k) {
    if (is_raw(k)) {
      text += array_at(k)->layout().is_c_contiguous() ? " c" : " s";
    }
  }
  return text;
}

void generated_call::require_structure(std::size_t k, const kernel_signature& compiled,
                                       std::size_t place) const {
  const detail::generated_parameter& parameter = family_.parameters()[k];
  if (!parameter.is_structure) {
    return;
  }
  const array& a = *array_at(k);
  const kernel_parameter& found = compiled.parameters[place];
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
  if (family_.checks_indices() && !raw_forms().empty()) {
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
  usm_kind best = usm_kind::unknown;
  for (const usm_kind kind : {usm_kind::host, usm_kind::shared, usm_kind::device}) {
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      best = array_at(k) != nullptr && array_at(k)->kind() == kind ? kind : best;
    }
  }
  return best == usm_kind::unknown ? usm_kind::device : best;
}

void generated_call::set_output(std::size_t output, const array& made) {
  own_.push_back(made);
  arguments_[family_.input_count() + output] = kernel_argument(own_.back());
}

}  // namespace usmx::inline v1::internal
