#include "compute/rows.hpp"

#include <algorithm>
#include <array>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/promotion.hpp"
#include "compute/table.hpp"
#include "copy/copy.hpp"
#include "memory/buffer.hpp"
#include "runtime/queues.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/base/error.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::internal {

void require_plain(std::string_view function, dtype type) {
  if (type.is_structured()) {
    throw type_error(detail::message(function,
                                     " is not defined for structured elements: it is for a field "
                                     "of the array"));
  }
}

void require_output(std::string_view function, const array& out, dtype type,
                    std::span<const std::ptrdiff_t> shape, const sycl::queue& queue) {
  if (out.type().is_structured() || !is_same_kind(type, out.type())) {
    throw type_error(detail::message(function, ": a result of type ", type.name(),
                                     " cannot be written to an array of type ", out.type()));
  }
  if (!std::ranges::equal(out.shape(), shape)) {
    throw value_error(detail::message(function, ": out must have shape ", tuple_text(shape),
                                      ", found ", tuple_text(out.shape())));
  }
  if (private_queue(out) != queue) {
    throw value_error(detail::message(function, ": out must be on the queue of the array"));
  }
  if (out.readonly()) {
    throw read_only_error(detail::message(function, ": out is read-only"));
  }
}

array with_axis_last(const array& a, int axis) {
  return axis == a.ndim() - 1
             ? a
             : with_layout(a, moved_axes(a.layout(), std::array{std::ptrdiff_t{axis}},
                                         std::array{std::ptrdiff_t{-1}}));
}

layout of_rows(std::span<const std::ptrdiff_t> shape, int axis) {
  return moved_axes(layout::c_order(shape), std::array{std::ptrdiff_t{-1}},
                    std::array{std::ptrdiff_t{axis}});
}

array rows_for_kernels(const array& a) {
  if (a.type() == bool_) {
    const array made = new_beside(a, a.shape(), bool_);
    compute("not_equal", {a, false}, {.outputs = {made}});
    return made;
  }
  return in_c_order(a);
}

array in_type(const array& a, dtype type) {
  if (a.type() == type) {
    return a;
  }
  array made =
      new_array(compact_like(a.layout()), type, private_queue(a), a.kind(), 0, first_use::in_order);
  copy_for_call(a, made);
  return made;
}

array in_c_order(const array& a) {
  if (a.layout().is_c_contiguous()) {
    return a;
  }
  array made = new_beside(a, a.shape(), a.type());
  copy_for_call(a, made);
  return made;
}

array flattened(const array& a) {
  const array in_order = in_c_order(a);
  return with_layout(in_order, layout::c_order(std::array{a.size()}, in_order.layout().offset()));
}

rows_on_host::rows_on_host(const array& a) {
  if (a.layout().is_c_contiguous() && a.type() != bool_) {
    first_ = first_element(a);
    return;
  }
  copied_.resize(a.nbytes());
  first_ = copied_.data();
  const layout in_order = layout::c_order(a.shape());
  std::vector<std::ptrdiff_t> steps(in_order.strides().begin(), in_order.strides().end());
  for (std::ptrdiff_t& each : steps) {
    each *= static_cast<std::ptrdiff_t>(a.type().itemsize());
  }
  copy_elements(private_view(a), host_array{copied_.data(), a.type(), a.shape(), steps});
  if (a.type() == bool_) {
    std::ranges::transform(copied_, copied_.begin(),
                           [](std::byte each) { return std::byte{each != std::byte{0}}; });
  }
}

array new_beside(const array& a, std::span<const std::ptrdiff_t> shape, dtype type) {
  return new_array(layout::c_order(shape), type, private_queue(a), a.kind(), 0,
                   first_use::in_order);
}

bool is_of_cpu(const array& a) {
  const sycl::device device = private_queue(a).get_device();
  return device.is_cpu() && support_of(device).fp64;
}

bool is_ready_on_cpu(const array& a) { return is_of_cpu(a) && is_ready_for_host(a); }

bool has_groups_in_step(const array& a, row_sharing how) {
  return how == row_sharing::by_groups || !private_queue(a).get_device().is_cpu();
}

namespace {

/// Adds the files that a text includes by name.
void add_included(std::string_view text,
                  std::vector<std::pair<std::string, std::string>>& headers) {
  constexpr std::string_view directive = "#include \"";
  for (std::size_t at = text.find(directive); at != text.npos; at = text.find(directive, at)) {
    at += directive.size();
    const std::string_view name = text.substr(at, text.find('"', at) - at);
    headers.emplace_back(name, device_text(name));
  }
}

}  // namespace

std::vector<kernel> compile_device_text(const sycl::queue& queue, std::string_view file,
                                        std::span<const std::string> names,
                                        std::span<const std::pair<std::string, std::string>> macros,
                                        const std::function<void(std::chrono::seconds)>& progress) {
  const std::string text(device_text(file));
  std::string preamble = detail::message("#include <usmx/kernel.hpp>\nusing namespace usmx;\n",
                                         device_text("device_functions.hpp"), "\n");
  for (const auto& [name, value] : macros) {
    preamble += detail::message("#define ", name, ' ', value, '\n');
  }
  compile_options options{.progress = progress};
  add_included(text, options.headers);
  options.headers.emplace_back("preamble", std::move(preamble));
  return kernel::compile(queue, text, names, options);
}

void launch_items(const kernel& of, const sycl::queue& queue, std::ptrdiff_t items,
                  std::ptrdiff_t group, std::initializer_list<kernel_argument> arguments) {
  launch_sizes sizes{.global = {static_cast<std::size_t>(items)}};
  if (group != 0) {
    sizes.local = {static_cast<std::size_t>(group)};
  }
  detail::launch_of_library(of, sizes, std::span(arguments.begin(), arguments.size()), queue);
}

void launch_parts(const kernel& of, const sycl::queue& queue, std::ptrdiff_t items,
                  std::initializer_list<kernel_argument> arguments) {
  launch_items(of, queue, items, queue.get_device().is_cpu() ? 1 : 0, arguments);
}

}  // namespace usmx::inline v1::internal
