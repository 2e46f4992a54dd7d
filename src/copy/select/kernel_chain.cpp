#include "copy/select/kernel_chain.hpp"

#include <array>
#include <utility>

#include "copy/copy_internal.hpp"
#include "copy/kernel.hpp"
#include "copy/queue.hpp"
#include "copy/select/index_blocks.hpp"
#include "runtime/waiting.hpp"

namespace usmx::inline v1::detail {

bool reached_by_kernels(const array_view& view, const sycl::queue& queue) {
  return view.kind() != usm_kind::unknown && view.device() == queue.get_device() &&
         view.context() == queue.get_context();
}

std::optional<kernel_chain> kernel_chain::on(const sycl::queue& queue) {
  device_kernels& kernels = kernels_of(queue);
  // Where one kernel of the group is, all are.
  return kernels.find(gather_kernel(1)) == nullptr ? std::nullopt
                                                   : std::optional(kernel_chain(kernels, queue));
}

kernel_chain::kernel_chain(kernel_chain&& other) noexcept
    : kernels_(other.kernels_),
      queue_(other.queue_),
      memory_(std::move(other.memory_)),
      last_(std::exchange(other.last_, {})) {}

kernel_chain::~kernel_chain() {
  try {
    wait();
  } catch (...) {
    // Who waited was told; here an exception is on its way already.
  }
}

std::byte* kernel_chain::memory(std::int64_t count, dtype type) {
  const std::array<std::ptrdiff_t, 1> shape{count};
  return internal::first_element(
      memory_.emplace_back(empty(layout::c_order(shape), type, queue_, usm_kind::device)));
}

std::uint32_t* kernel_chain::zeros(std::int64_t count) {
  auto* const result = numbers<std::uint32_t>(count);
  const std::size_t nbytes = static_cast<std::size_t>(count) * sizeof *result;
  last_ = {submit_to(queue_, [&](sycl::queue& to) { return to.memset(result, 0, nbytes, last_); })};
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
  auto done = places_by_kernel(plan, rule, outside, *kernels_, queue_, last_);
  if (done) {
    last_ = {*std::move(done)};
  }
  return done.has_value();
}

void kernel_chain::copy_to_host(void* to, const void* from, std::size_t nbytes) {
  last_ = {start_memcpy(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), nbytes,
                        queue_, last_)};
  wait();
}

void kernel_chain::wait() { wait_for_all(std::exchange(last_, {})); }

}  // namespace usmx::inline v1::detail
