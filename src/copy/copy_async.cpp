#include "usmx/copy/copy.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "array/array.hpp"
#include "array/submission.hpp"
#include "base/process.hpp"
#include "copy/copy.hpp"
#include "copy/host.hpp"
#include "copy/kernels.hpp"
#include "copy/plan.hpp"
#include "copy/staging.hpp"
#include "memory/pending_work.hpp"
#include "memory/reclaim.hpp"
#include "runtime/devices.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "runtime/queues.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1 {
namespace {

using detail::access;
using detail::byte_range;
using detail::copy_plan;
using detail::end_of;
using detail::overtaking;
using detail::pending_event;
using detail::side_memory;
using detail::submission;

/// The most bytes that are copied at once if the memory is idle: starting a command takes longer.
constexpr std::size_t quick_nbytes = std::size_t{64} << 10;

sycl::event complete_event() { return {}; }

/// The queue that others see in place of the array's: by waiting for it, they wait for the
/// asynchronous work on the array as well.
const sycl::queue& queue_of(const array& a) {
  return internal::presented_queue(internal::private_queue(a));
}

bool is_quick(const copy_plan& plan, std::size_t nbytes) {
  return nbytes <= quick_nbytes && !may_overlap(plan);
}

bool is_memcpy(const copy_plan& plan) {
  return plan.is_whole() && !plan.converts() && !may_overlap(plan);
}

/// Whether the driver's memcpy can make the copy on that queue; a kernel makes all other copies.
bool may_memcpy(const array& source, const array& destination, const sycl::queue& queue) {
  const sycl::device device = queue.get_device();
  return detail::traits_of(queue.get_backend()).memcpy_crosses_devices ||
         (internal::private_queue(source).get_device() == device &&
          internal::private_queue(destination).get_device() == device);
}

bool is_in_reach(const array& a, const sycl::queue& queue) {
  return detail::is_in_reach(queue, internal::first_element(a), a.kind(),
                             internal::private_queue(a));
}

side_memory side_of(const array& a) { return {internal::first_element(a), a.kind(), queue_of(a)}; }

sycl::event start_memcpy(const copy_plan& plan, const submission& with) {
  return detail::start_memcpy(plan.destination, plan.source, plan.row_nbytes(), with.queue(),
                              with.before());
}

/// Starts a copy on the stream of the queue, for less than half of a command's price. Returns
/// nothing if no kernel can make it.
std::optional<pending_event> start_on_stream(const copy_plan& plan, bool by_memcpy,
                                             const submission& with) {
  if (by_memcpy) {
    const detail::cuda::used_stream stream(with.queue());
    detail::cuda::hold_up(stream.get(), with.before());
    detail::cuda::copy_on(stream.get(), plan.destination, plan.source, plan.row_nbytes());
  } else if (!detail::copy_on_stream(plan, with.queue(), with.before())) {
    return std::nullopt;
  }
  const pending_event started(with.queue());
  with.announce(started);
  return started;
}

/// Returns nothing, and starts no copy, where commands of the queue cannot make it.
std::optional<pending_event> start(const sycl::queue& queue, const copy_plan& plan,
                                   const array& source, const array& destination,
                                   overtaking by_others, std::span<const sycl::event> after = {}) {
  const bool by_memcpy = is_memcpy(plan) && may_memcpy(source, destination, queue);
  if (may_overlap(plan) || internal::private_queue(source).get_context() != queue.get_context() ||
      !(by_memcpy || (is_in_reach(source, queue) && is_in_reach(destination, queue)))) {
    return std::nullopt;
  }
  if (by_memcpy) {
    allow_direct_copy(side_of(source), side_of(destination));
  }
  submission with(queue, by_others);
  with.use(destination, access::write);
  with.use(source, access::read);
  with.follow(after);
  const bool is_asked_for_event = by_others == overtaking::left_to_caller;
  if (!is_asked_for_event && with.may_start_on_stream()) {
    return start_on_stream(plan, by_memcpy, with);
  }
  auto started = by_memcpy ? std::optional(start_memcpy(plan, with))
                           : detail::copy_by_kernel(plan, queue, with.before());
  return started ? std::optional<pending_event>(with.announce(*std::move(started))) : std::nullopt;
}

struct adjacent_bytes {
  std::byte* destination;
  const std::byte* source;
  std::size_t nbytes;
};

/// Starts a memcpy between an array and host memory, which `owner` keeps, after these events, too.
/// `made` says in which way the copy uses the array.
sycl::event start_with_host(const sycl::queue& queue, const adjacent_bytes& bytes, const array& usm,
                            access made, std::shared_ptr<const void> owner,
                            std::span<const sycl::event> after = {}) {
  const bool is_upload = made == access::write;
  const byte_range host =
      detail::range_of(is_upload ? bytes.source : bytes.destination, bytes.nbytes);
  detail::deferred_release kept{
      .range = host, .queue = queue, .release = detail::holding(std::move(owner))};
  submission with(queue, overtaking::left_to_caller);
  with.use(usm, made);
  with.use(host, is_upload ? access::read : access::write);
  with.follow(after);
  sycl::event started = with.announce(detail::start_memcpy(
      bytes.destination, bytes.source, bytes.nbytes, with.queue(), with.before()));
  detail::release_later(std::move(kept));
  return started;
}

sycl::event start_with_host(const copy_plan& plan, const array& usm, access made,
                            std::shared_ptr<const void> owner) {
  return start_with_host(queue_of(usm), {plan.destination, plan.source, plan.row_nbytes()}, usm,
                         made, std::move(owner));
}

/// Returns nothing, and starts nothing, if no kernel can make the fill.
std::optional<sycl::event> start_fill(const sycl::queue& queue, const array& destination,
                                      const std::byte* element,
                                      std::span<const sycl::event> after = {}) {
  if (!is_in_reach(destination, queue)) {
    return std::nullopt;
  }
  const array_view to = internal::private_view(destination);
  const copy_plan plan = make_plan(to.shape(), end_of(to), end_of(to));
  submission with(queue, overtaking::left_to_caller);
  with.use(destination, access::write);
  with.follow(after);
  auto started = detail::fill_by_kernel(plan, element, with.queue(), with.before());
  return started ? std::optional(with.announce(*std::move(started))) : std::nullopt;
}

pending_event start_copy(const array& source, const array& destination, overtaking by_others);

/// Starts a copy between devices whose kernels do not reach both sides, by way of memory that lives
/// until the copy is done. Returns nothing if there is not enough memory: then the copy has to be
/// made in another way.
std::optional<pending_event> start_by_halves(const array& source, const array& destination,
                                             overtaking by_others) {
  const array_view from = internal::private_view(source);
  const array_view to = internal::private_view(destination);
  try {
    detail::halfway way = detail::halfway_of(to.shape(), end_of(from), end_of(to));
    const sycl::queue& queue = internal::private_queue(way.is_packed ? destination : source);
    const array between = empty(std::move(way.order), to.type(), queue, usm_kind::device);
    start_copy(source, between, overtaking::left_to_caller);
    return start_copy(between, destination, by_others);
  } catch (const allocation_error&) {
    return std::nullopt;
  }
}

bool is_between_devices(const array& source, const array& destination) {
  const sycl::queue& from = internal::private_queue(source);
  const sycl::queue& to = internal::private_queue(destination);
  return from.get_device() != to.get_device() && from.get_context() == to.get_context() &&
         !host_may_touch(source.kind(), from.get_device()) &&
         !host_may_touch(destination.kind(), to.get_device());
}

pending_event start_copy(const array& source, const array& destination, overtaking by_others) {
  const array_view from = internal::private_view(source);
  const array_view to = internal::private_view(destination);
  detail::require_copyable(from, to);
  if (to.size() == 0) {
    return pending_event(complete_event());
  }
  const detail::runtime_call call;
  detail::release_finished();
  const copy_plan plan = make_plan(to.shape(), end_of(from), end_of(to));
  if (is_in_place(plan)) {
    return pending_event(complete_event());
  }
  if (internal::is_ready_for_host(source) && internal::is_ready_for_host(destination) &&
      is_quick(plan, to.nbytes())) {
    detail::copy_on_host(plan);
    return pending_event(complete_event());
  }
  const sycl::queue* const queue =
      is_memcpy(plan) ? &queue_of(destination)
                      : queue_for_kernels(plan, side_of(source), side_of(destination));
  if (queue != nullptr) {
    if (auto started = start(*queue, plan, source, destination, by_others)) {
      return *started;
    }
  } else if (is_between_devices(source, destination)) {
    if (auto started = start_by_halves(source, destination, by_others)) {
      return *started;
    }
  }
  copy(source, destination);
  return pending_event(complete_event());
}

}  // namespace

sycl::event internal::memcpy_async(const sycl::queue& queue, const array& destination,
                                   const host_memory& source, std::span<const sycl::event> after) {
  const array_view to = private_view(destination);
  detail::require_writable(to, detail::destination_of_copies);
  require_context(queue, destination);
  const detail::runtime_call call;
  detail::release_finished();
  return start_with_host(queue, {to.origin(), source.first, to.nbytes()}, destination,
                         access::write, source.owner, after);
}

sycl::event internal::memcpy_async(const sycl::queue& queue, const host_memory& destination,
                                   const array& source, std::span<const sycl::event> after) {
  require_context(queue, source);
  const detail::runtime_call call;
  detail::release_finished();
  return start_with_host(queue,
                         {destination.first, internal::first_element(source), source.nbytes()},
                         source, access::read, destination.owner, after);
}

std::optional<sycl::event> internal::memcpy_async(const sycl::queue& queue,
                                                  const array& destination, const array& source,
                                                  std::span<const sycl::event> after) {
  const array_view from = private_view(source);
  const array_view to = private_view(destination);
  detail::require_copyable(from, to);
  require_context(queue, source);
  require_context(queue, destination);
  const detail::runtime_call call;
  detail::release_finished();
  const auto started = start(queue, make_plan(to.shape(), end_of(from), end_of(to)), source,
                             destination, overtaking::left_to_caller, after);
  return started ? std::optional(started->event()) : std::nullopt;
}

std::optional<sycl::event> internal::fill_async(const sycl::queue& queue, const array& destination,
                                                const std::byte* element,
                                                std::span<const sycl::event> after) {
  detail::require_fillable(private_view(destination), element);
  require_context(queue, destination);
  const detail::runtime_call call;
  detail::release_finished();
  return start_fill(queue, destination, element, after);
}

void internal::memcpy_on_host(std::byte* destination, const std::byte* source, std::size_t nbytes) {
  const detail::runtime_call call;
  detail::wait_for_pending_work(detail::range_of(destination, nbytes), access::write);
  detail::wait_for_pending_work(detail::range_of(source, nbytes), access::read);
  std::memmove(destination, source, nbytes);
}

sycl::event copy_async(const array& source, const array& destination) {
  return start_copy(source, destination, overtaking::left_to_caller).event();
}

detail::pending_event detail::copy_in_order(const array& source, const array& destination) {
  return start_copy(source, destination, overtaking::prevented);
}

void internal::copy_for_call(const array& source, const array& destination) {
  if (host_reaches(destination)) {
    copy(source, destination);
  } else {
    detail::copy_in_order(source, destination);
  }
}

sycl::event copy_from_host_async(const host_array& source, const array& destination,
                                 std::shared_ptr<const void> owner) {
  const array_view to = internal::private_view(destination);
  detail::require_copyable(source, to);
  if (to.size() == 0) {
    return complete_event();
  }
  const detail::runtime_call call;
  detail::release_finished();
  const copy_plan plan = make_plan(to.shape(), end_of(source), end_of(to));
  if (internal::is_ready_for_host(destination) && is_quick(plan, to.nbytes())) {
    detail::copy_on_host(plan);
    return complete_event();
  }
  if (is_memcpy(plan)) {
    return start_with_host(plan, destination, access::write, std::move(owner));
  }
  if (!may_overlap(plan)) {
    if (const auto staged =
            detail::staging_for_commands(layout::c_order(to.shape()), to.type(), to.queue())) {
      copy_from_host(source, *staged);
      return copy_async(*staged, destination);
    }
  }
  copy_from_host(source, destination);
  return complete_event();
}

sycl::event copy_to_host_async(const array& source, const host_array& destination,
                               std::shared_ptr<const void> owner) {
  const array_view from = internal::private_view(source);
  detail::require_copyable(from, destination);
  if (from.size() == 0) {
    return complete_event();
  }
  const detail::runtime_call call;
  detail::release_finished();
  const copy_plan plan = make_plan(from.shape(), end_of(from), end_of(destination));
  if (internal::is_ready_for_host(source) && is_quick(plan, from.nbytes())) {
    detail::copy_on_host(plan);
    return complete_event();
  }
  if (is_memcpy(plan)) {
    return start_with_host(plan, source, access::read, std::move(owner));
  }
  copy_to_host(source, destination);
  return complete_event();
}

sycl::event fill_async(const array& destination, const std::byte* element) {
  const array_view to = internal::private_view(destination);
  detail::require_fillable(to, element);
  if (to.size() == 0) {
    return complete_event();
  }
  const detail::runtime_call call;
  detail::release_finished();
  if (internal::is_ready_for_host(destination) && to.nbytes() <= quick_nbytes) {
    fill(destination, element);
    return complete_event();
  }
  if (auto started = start_fill(queue_of(destination), destination, element)) {
    return *std::move(started);
  }
  if (const auto one = detail::staging_for_commands(layout(), to.type(), to.queue())) {
    std::memcpy(internal::first_element(*one), element, to.type().itemsize());
    return copy_async(internal::with_layout(*one, broadcast(one->layout(), to.shape())),
                      destination);
  }
  fill(destination, element);
  return complete_event();
}

}  // namespace usmx::inline v1
