#include "generated_kernels/generated_arguments.hpp"

#include <algorithm>

#include "array/array.hpp"
#include "copy/copy.hpp"
#include "layout/layout.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/element_order.hpp"

namespace usmx::inline v1::detail {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const kernel_signature& signature, std::size_t place,
                         const Parts&... parts) {
  throw value_error(detail::message(to_string(signature), ", argument ", place + 1, " (",
                                    to_string(signature.parameters[place]), "): ", parts...));
}

}  // namespace

void require_suitable(const kernel_signature& signature, std::size_t place, const array& a) {
  const kernel_parameter& parameter = signature.parameters[place];
  if (a.owner() == nullptr) {
    refuse(signature, place, "expected an array in USM, found one without memory");
  }
  if (parameter.form == parameter_form::pointer && a.readonly()) {
    throw read_only_error(detail::message(to_string(signature), ", argument ", place + 1, " (",
                                          to_string(parameter),
                                          "): expected an array that can be written, found a "
                                          "read-only one"));
  }
  if (reinterpret_cast<std::uintptr_t>(internal::first_element(a)) % parameter.alignment != 0) {
    refuse(signature, place, "expected an address that is a multiple of ", parameter.alignment,
           ", found ", static_cast<const void*>(internal::first_element(a)));
  }
}

void require_context(const kernel_signature& signature, std::size_t place, const array& a,
                     const sycl::context& context) {
  if (internal::private_queue(a).get_context() != context) {
    refuse(signature, place,
           "expected memory of the kernel's context, found an array of another context");
  }
}

void require_shape(const kernel_signature& signature, std::size_t place, const array& a,
                   std::span<const std::ptrdiff_t> shape) {
  if (!std::ranges::equal(a.shape(), shape)) {
    refuse(signature, place, "expected an array of shape ", tuple_text(shape), ", found ",
           tuple_text(a.shape()));
  }
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

void copy_to_separate(std::span<const separate_output> all) {
  for (const separate_output& each : all) {
    copy_in_order(each.given, each.made);
  }
}

void copy_from_separate(std::span<const separate_output> all, std::vector<sycl::event>& events) {
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

}  // namespace usmx::inline v1::detail
