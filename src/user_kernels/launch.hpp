// The launch of a kernel: whether its arguments suit its parameters, and the bytes that it gets;
// how many work items, checked; the order of all work on its arrays; and what kernels that were
// compiled for debugging report of accesses outside of a view. Private to the library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel.hpp>
#include <sycl/queue.hpp>

#include "array/submission.hpp"
#include "usmx/array/array.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// A number of any type: complex128 has 16 bytes.
using number_bytes = std::array<std::byte, 16>;

/// The bytes that a kernel gets for a parameter that is no local memory.
struct argument_bytes {
  number_bytes number;
  /// The bytes of a structure; null for a number and a pointer.
  const void* structure;
  void* address;
  /// The words of a view: the address, the extents and the strides, as in include/usmx/kernel.hpp.
  std::vector<std::int64_t> view = {};
};

inline bool is_view(parameter_form form) noexcept {
  return form == parameter_form::view || form == parameter_form::const_view;
}

/// The bytes of a view that is not checked: those of a device_view.
inline std::size_t view_nbytes(const kernel_parameter& view) noexcept {
  return sizeof(void*) + 2 * sizeof(std::ptrdiff_t) * static_cast<std::size_t>(view.ndim);
}

inline bool is_written(parameter_form form) noexcept {
  return form == parameter_form::pointer || form == parameter_form::view;
}

/// Describes an argument for messages: "a number".
std::string description(const kernel_argument&);

/// The beginning of each message: "axpy(float, const float*), argument 1 (float): ".
std::string parameter_text(const kernel_signature&, std::size_t index);

struct kernel_home {
  const sycl::context& context;
  const sycl::device& device;
};
inline kernel_home home_of(const kernel& of) noexcept { return {of.context(), of.device()}; }

/// Why kernels that run there cannot use the memory of an array; nothing if they can.
std::optional<std::string> reason_against(const array&, const kernel_home&);

/// Throws value_error or type_error, with the signature, the argument's index and what was found,
/// unless the argument suits the parameter at `index`.
argument_bytes checked_argument(const kernel_signature&, std::size_t index, const kernel_argument&,
                                const kernel_home&);

/// Throws value_error unless there are as many arguments as parameters.
void require_count(const kernel_signature&, std::size_t found);

/// Throws type_error unless these, without names, are the kernel's parameters.
void require_parameters(const kernel_signature&, std::span<const kernel_parameter> found);

/// The size in bytes of a local_memory argument. Throws as checked_argument() does.
std::size_t checked_local_nbytes(const kernel_signature&, std::size_t index,
                                 const kernel_argument&);

/// The limits of a launch, by the device and the kernel. Sizes are in the order of launch_sizes.
struct launch_limits {
  std::size_t group_size;
  std::array<std::size_t, 3> group_sizes;
  std::size_t local_nbytes;
  /// The size of a group that the kernel was compiled for; zeros if it takes any.
  std::array<std::size_t, 3> required;
  /// The most groups along one dimension, which is the innermost of three and any of two, and along
  /// each of the others.
  std::size_t groups_along_one;
  std::size_t groups_along_others;
  /// The size of a group in which kernels that only pass through memory are fastest.
  std::size_t fast_group_size;
};

launch_limits limits_of(const sycl::kernel&, const sycl::device&, int dimensions);

/// Throws value_error unless the kernel can run with these sizes. Those that were left open are
/// chosen.
launch_sizes checked_sizes(const kernel_signature&, const launch_sizes&, const launch_limits&);

/// Whether there is no work item.
inline bool has_no_work(const launch_sizes& sizes) noexcept {
  const auto global = std::span(sizes.global).first(static_cast<std::size_t>(sizes.dimensions));
  return std::ranges::find(global, 0U) != global.end();
}

struct array_use {
  const array* used;
  access made;
};

/// The queue of the arrays among the arguments of a call, as others see it; null if there are none.
/// Throws placement_error for arrays on two queues.
const sycl::queue* common_queue(std::string_view kernel, std::span<const kernel_argument>);

/// The queue of some work, and the events that it comes after beside the work on its arrays.
struct launch_order {
  const sycl::queue& queue;
  std::span<const sycl::event> after;
  overtaking by_others = overtaking::prevented;
};

/// Work on the arrays that is not started yet, after all that it must come after.
inline submission submission_of(const launch_order& order, std::span<const array_use> uses) {
  submission work(order.queue, order.by_others);
  work.reserve(uses.size());
  for (const array_use& use : uses) {
    work.use(*use.used, use.made);
  }
  work.follow(order.after);
  return work;
}

/// Submits a command to a queue, in the order of all work on the arrays (array/submission.hpp).
/// `command(handler, before)` puts it into a handler, which depends on the events already.
template <class Command>
sycl::event submit_in_order(const launch_order& order, std::span<const array_use> uses,
                            const Command& command) {
  const submission work = submission_of(order, uses);
  return work.start_command([&](sycl::handler& handler) { command(handler, work.before()); });
}

std::size_t fast_group_size(const kernel&) noexcept;

/// Runs a kernel with arguments that are known to suit, one for each parameter and none in local
/// memory, on a queue of its context and device. Throws value_error for sizes that do not suit.
pending_event launch_checked(const kernel&, const launch_sizes&, std::span<const argument_bytes>,
                             std::span<const array_use>, const sycl::queue&,
                             std::span<const sycl::event> after);

/// Runs a kernel of the library's own, of which nobody asks for the event. Does what
/// kernel::launch() does.
void launch_of_library(const kernel&, const launch_sizes&, std::span<const kernel_argument>,
                       const sycl::queue&);

/// The report of one launch, or of several that are one call. The kernels' work items write the
/// first bad access to it.
class view_checks {
 public:
  /// Allocates it where the kernel and the host can write.
  view_checks(const kernel_signature&, const sycl::queue&);

  /// Completes the bytes of the view that is the parameter at `index`.
  void add_to(argument_bytes& view, std::size_t index) const;
  /// The kernel writes it.
  array_use use() const noexcept { return {&memory_, access::write}; }
  /// Waits for the launches. Throws index_error if there was a bad access.
  void require_none(std::vector<sycl::event> done,
                    std::span<const kernel_argument> arguments) const;

 private:
  const kernel_signature& signature_;
  array memory_;
};

}  // namespace usmx::inline v1::detail
