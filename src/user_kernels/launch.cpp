#include "user_kernels/launch.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <sstream>
#include <utility>
#include <variant>

#include <sycl/kernel_bundle.hpp>

#include "array/array.hpp"
#include "kernels/compile/program.hpp"
#include "runtime/queues.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::detail {
namespace {

std::string sizes_text(const std::array<std::size_t, 3>& sizes, int dimensions) {
  std::string text = "(";
  for (int k = 0; k < dimensions; ++k) {
    text += message(k == 0 ? "" : ", ", sizes[static_cast<std::size_t>(k)]);
  }
  return text + (dimensions == 1 ? ",)" : ")");
}

std::span<const std::size_t> first(const std::array<std::size_t, 3>& sizes, int dimensions) {
  return std::span(sizes).first(static_cast<std::size_t>(dimensions));
}

/// The largest divisor that is at most `limit`: powers of two first, which devices like best.
std::size_t divisor_up_to(std::size_t size, std::size_t limit) {
  std::size_t power = 1;
  while (power * 2 <= limit && size % (power * 2) == 0) {
    power *= 2;
  }
  for (std::size_t k = std::min(size, limit); k > power; --k) {
    if (size % k == 0) {
      return k;
    }
  }
  return power;
}

/// The sizes of a group, which is one row of the innermost dimension unless the kernel requires
/// others.
std::array<std::size_t, 3> chosen_local(const std::array<std::size_t, 3>& global, int dimensions,
                                        const launch_limits& limits) {
  constexpr std::size_t most = 1024;
  if (limits.required[0] != 0) {
    return limits.required;
  }
  std::array<std::size_t, 3> local{1, 1, 1};
  const auto inner = static_cast<std::size_t>(dimensions) - 1;
  local[inner] =
      divisor_up_to(global[inner], std::min({most, limits.group_size, limits.group_sizes[inner]}));
  return local;
}

void require_few_groups(const kernel_signature& signature, const launch_sizes& sizes,
                        const launch_limits& limits) {
  const auto inner = static_cast<std::size_t>(sizes.dimensions) - 1;
  std::array<std::size_t, 3> groups{};
  for (std::size_t k = 0; k <= inner; ++k) {
    groups[k] = sizes.global[k] / (*sizes.local)[k];
  }
  std::array<std::size_t, 3> in_order = groups;
  if (sizes.dimensions == 2 && groups[0] > groups[1]) {
    std::swap(in_order[0], in_order[1]);
  }
  const auto others = std::span(in_order).first(inner);
  if (in_order[inner] > limits.groups_along_one ||
      std::ranges::any_of(others, [&](std::size_t n) { return n > limits.groups_along_others; })) {
    throw value_error(message(to_string(signature), ": expected at most ", limits.groups_along_one,
                              " work groups along ",
                              sizes.dimensions == 2 ? "one" : "the innermost", " dimension and ",
                              limits.groups_along_others, " along each of the others, found ",
                              sizes_text(groups, sizes.dimensions)));
  }
}

}  // namespace

launch_limits limits_of(const sycl::kernel& kernel, const sycl::device& device, int dimensions) {
  namespace info = sycl::info;
  namespace specific = sycl::info::kernel_device_specific;
  launch_limits limits{kernel.get_info<specific::work_group_size>(device),
                       {},
                       device.get_info<info::device::local_mem_size>(),
                       {},
                       SIZE_MAX,
                       SIZE_MAX,
                       1024};
  const auto per_dimension = device.get_info<info::device::max_work_item_sizes<3>>();
  const auto required = kernel.get_info<specific::compile_work_group_size>(device);
  // The innermost dimension of an nd_range is the last in per_dimension, and the first in required.
  for (int k = 0; k < dimensions; ++k) {
    const auto at = static_cast<std::size_t>(k);
    limits.group_sizes[at] = per_dimension[3 - dimensions + k];
    limits.required[at] = required[dimensions - 1 - k];
  }
  return limits;
}

launch_sizes checked_sizes(const kernel_signature& signature, const launch_sizes& sizes,
                           const launch_limits& limits) {
  const int dimensions = sizes.dimensions;
  const auto refuse = [&](const auto&... parts) {
    throw value_error(message(to_string(signature), ": ", parts...));
  };
  if (dimensions < 1 || dimensions > 3) {
    refuse("expected sizes of 1 to 3 dimensions, found ", dimensions);
  }
  for (auto k = static_cast<std::size_t>(dimensions); k < 3; ++k) {
    if (sizes.global[k] > 1 || (sizes.local && (*sizes.local)[k] > 1)) {
      refuse("expected .dimensions = ", k + 1, " with so many sizes, found ", dimensions);
    }
  }
  if (signature.dimensions != 0 && signature.dimensions != dimensions) {
    refuse("expected sizes of ", signature.dimensions,
           signature.dimensions == 1 ? " dimension" : " dimensions", ", as in the kernel, found ",
           dimensions);
  }
  launch_sizes chosen = sizes;
  if (!chosen.local) {
    chosen.local = chosen_local(sizes.global, dimensions, limits);
  }
  const std::array<std::size_t, 3>& local = *chosen.local;
  if (limits.required[0] != 0 &&
      !std::ranges::equal(first(local, dimensions), first(limits.required, dimensions))) {
    refuse("expected the local size ", sizes_text(limits.required, dimensions),
           ", which the kernel requires, found ", sizes_text(local, dimensions));
  }
  std::size_t group_size = 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); ++k) {
    if (local[k] == 0 || sizes.global[k] % local[k] != 0) {
      refuse("expected a local size that divides the global size ",
             sizes_text(sizes.global, dimensions), ", found ", sizes_text(local, dimensions));
    }
    if (local[k] > limits.group_sizes[k] ||
        __builtin_mul_overflow(group_size, local[k], &group_size) ||
        group_size > limits.group_size) {
      refuse("expected a local size of at most ", limits.group_size,
             " work items, and in each dimension at most ",
             sizes_text(limits.group_sizes, dimensions), ", found ", sizes_text(local, dimensions));
    }
  }
  require_few_groups(signature, chosen, limits);
  return chosen;
}

namespace {

/// Different queues of one device are told apart by their hash, as in Python.
std::string described(const sycl::queue& queue) {
  std::ostringstream text;
  text << "<queue on '" << filter_string(queue.get_device()) << "', "
       << (queue.is_in_order() ? "in order" : "out of order") << "> (0x" << std::hex
       << std::hash<sycl::queue>()(queue) << ')';
  return std::move(text).str();
}

}  // namespace

const sycl::queue* common_queue(std::string_view kernel,
                                std::span<const kernel_argument> arguments) {
  const sycl::queue* common = nullptr;
  std::size_t first_index = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto* const* used = std::get_if<const array*>(&arguments[k].value());
    if (used == nullptr) {
      continue;
    }
    const sycl::queue& found = internal::presented_queue(internal::private_queue(**used));
    if (common != nullptr && found != *common) {
      throw placement_error(message(
          kernel, ": arguments must be on the same queue, found argument ", first_index + 1, " on ",
          described(*common), " and argument ", k + 1, " on ", described(found),
          "; usmx::clone(array, queue) moves an array, or a queue says where the kernel runs"));
    }
    first_index = common == nullptr ? k : first_index;
    common = &found;
  }
  return common;
}

namespace {

/// The report, laid out as in include/usmx/kernel.hpp.
struct alignas(64) view_report {
  std::uint32_t is_taken;
  std::int32_t line;
  std::int64_t parameter;
  std::array<std::int64_t, 8> indices;
  std::int32_t index_count;
  std::array<char, 108> file;
};
static_assert(sizeof(view_report) == 192);

/// The bytes of a report, with room for an element of any view behind it.
std::size_t nbytes_for(const kernel_signature& signature) {
  std::size_t element = 0;
  for (const kernel_parameter& each : signature.parameters) {
    if (is_view(each.form)) {
      element = std::max(element, each.size + each.alignment);
    }
  }
  return sizeof(view_report) + element;
}

view_report& report_in(const array& memory) {
  return *reinterpret_cast<view_report*>(internal::first_element(memory));
}

std::string source_position(const view_report& found) {
  return message(shown_file(std::string_view(found.file.data())), ':', found.line, ": ");
}

array new_report(const kernel_signature& signature, const sycl::queue& queue) {
  const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(nbytes_for(signature))};
  array memory = empty(layout::c_order(shape), uint8, queue, usm_kind::host, alignof(view_report));
  std::memset(internal::first_element(memory), 0, memory.nbytes());
  return memory;
}

}  // namespace

view_checks::view_checks(const kernel_signature& signature, const sycl::queue& queue)
    : signature_(signature), memory_(new_report(signature, queue)) {}

void view_checks::add_to(argument_bytes& view, std::size_t index) const {
  view.view.push_back(reinterpret_cast<std::intptr_t>(&report_in(memory_)));
  view.view.push_back(static_cast<std::int64_t>(index));
}

void view_checks::require_none(std::vector<sycl::event> done,
                               std::span<const kernel_argument> arguments) const {
  wait_interruptibly_for_all(std::move(done));
  const view_report& found = report_in(memory_);
  if (found.is_taken == 0) {
    return;
  }
  const auto index = static_cast<std::size_t>(found.parameter);
  const array& used = *std::get<const array*>(arguments[index].value());
  const std::string where = parameter_text(signature_, index) + source_position(found);
  if (found.index_count < used.ndim()) {  // an element of a raw array in C order
    throw index_error(message(where, "expected an index inside size ", used.size(), ", found ",
                              found.indices[0]));
  }
  const std::vector<std::ptrdiff_t> indices(found.indices.begin(),
                                            found.indices.begin() + used.ndim());
  throw index_error(message(where, "expected indices inside shape ", tuple_text(used.shape()),
                            ", found ", tuple_text(indices)));
}

}  // namespace usmx::inline v1::detail
