#include "copy/select/kernel_chain.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include <sycl/backend.hpp>
#include <sycl/interop_handle.hpp>

#include "copy/copy_internal.hpp"
#include "copy/kernel.hpp"
#include "copy/select/index_blocks.hpp"
#include "runtime/waiting.hpp"

namespace usmx::inline v1::detail {

bool reached_by_kernels(const array_view& view, const sycl::queue& queue) {
  return view.kind() != usm_kind::unknown && view.device() == queue.get_device() &&
         view.context() == queue.get_context();
}

std::optional<kernel_chain> kernel_chain::on(const sycl::queue& queue) {
  std::shared_ptr<device_kernels> kernels = kernels_of(queue);
  // Where one kernel of the group is, all are.
  const bool usable = kernels->has_host_memory() && kernels->find(gather_kernel(1)) != nullptr;
  return usable ? std::optional(kernel_chain(std::move(kernels), queue)) : std::nullopt;
}

kernel_chain::kernel_chain(kernel_chain&& other) noexcept
    : kernels_(std::move(other.kernels_)),
      queue_(other.queue_),
      memory_(std::move(other.memory_)),
      runs_(std::move(other.runs_)),
      last_(std::exchange(other.last_, {})) {}

kernel_chain::~kernel_chain() {
  try {
    wait_for_all(last_);
  } catch (...) {
    // Who waited was told; here an exception is on its way already.
  }
}

std::byte* kernel_chain::memory(std::int64_t count, dtype type, usm_kind kind) {
  const std::array<std::ptrdiff_t, 1> shape{count};
  return internal::first_element(
      memory_.emplace_back(empty(layout::c_order(shape), type, queue_, kind)));
}

std::uint32_t* kernel_chain::zeros(std::int64_t count) {
  auto* const result = numbers<std::uint32_t>(count);
  constexpr std::int64_t set_by_lane = 16;
  run(
      select_kernel("usmx_zero"), count,
      [&](std::int64_t per_group) { return std::tuple(result, count, per_group); }, set_by_lane);
  return result;
}

array_view kernel_chain::reached(const array_view& view) {
  if (reaches(view)) {
    return view;
  }
  const array_view copy = compact(each_once(view), view.type());
  return copy.with_layout_unchecked(broadcast(copy.layout(), view.shape()));
}

array_view kernel_chain::compact(const array_view& view, dtype type) {
  const array_view copy = internal::private_view(
      memory_.emplace_back(empty(layout::c_order(view.shape()), type, queue_, usm_kind::device)));
  internal::copy_elements(view, copy);
  return copy;
}

bool kernel_chain::add_places(const copy_plan& plan, const kernels::place_rule& rule,
                              std::uint32_t* outside) {
  auto runs = places_by_kernel(plan, rule, outside, *kernels_);
  if (runs) {
    std::ranges::move(*runs, std::back_inserter(runs_));
  }
  return runs.has_value();
}

void kernel_chain::submit() {
  if (runs_.empty()) {
    return;
  }
  // Shared, since the runtime copies the command.
  const auto runs = std::make_shared<const std::vector<kernel_run>>(std::exchange(runs_, {}));
  last_.reserve(1);  // a kernel that is submitted must not be lost for want of memory
  const auto submitted = [&](const auto& command) {
    last_ = {submit_to(queue_, [&](sycl::queue& to) { return to.submit(command); })};
  };
  if (!std::holds_alternative<cuda_run>(runs->front())) {
    for (const kernel_run& run : *runs) {
      submitted([&](sycl::handler& handler) {
        handler.depends_on(last_);
        std::get<runtime_run>(run)(handler);
      });
    }
    return;
  }
  submitted([&](sycl::handler& handler) {
    handler.ext_codeplay_enqueue_native_command([runs](sycl::interop_handle interop) {
      const CUstream stream = interop.get_native_queue<sycl::backend::ext_oneapi_cuda>();
      for (const kernel_run& run : *runs) {
        std::get<cuda_run>(run)(stream);
      }
    });
  });
}

void kernel_chain::wait() {
  submit();
  wait_for_all(std::exchange(last_, {}));
}

}  // namespace usmx::inline v1::detail
