#include "usmx/copy/copy_async.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/process_state.hpp"
#include "copy/arguments.hpp"
#include "copy/host.hpp"
#include "copy/kernel.hpp"
#include "copy/plan.hpp"
#include "copy/queue.hpp"
#include "copy/staging.hpp"
#include "memory/deferred_release.hpp"
#include "runtime/completion.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx {
namespace {

using detail::copy_plan;
using detail::end_of;
using events = std::vector<sycl::event>;

/// Up to so many bytes idle memory is copied at once: starting a command takes longer.
constexpr std::size_t quick_nbytes = std::size_t{64} << 10;

sycl::event complete_event() { return {}; }

bool is_for_the_host_now(const array& a) {
  return !a.owner()->may_be_busy() && host_may_touch(a.kind(), a.queue().get_device());
}

bool is_quick(const copy_plan& plan, std::size_t nbytes) {
  return nbytes <= quick_nbytes && !may_overlap(plan);
}

bool is_memcpy(const copy_plan& plan) {
  return plan.is_whole() && !plan.converts() && !may_overlap(plan);
}

/// What new work on `queue` has to wait for, so that it comes after all the work on an array. Waits
/// for what others submitted to an out-of-order queue: no barrier there is sure to come after
/// commands that still wait for a host task (docs/decisions.md).
void append_work_on(const array& a, const sycl::queue& queue, events& before) {
  const events recorded = a.owner()->recorded_events();
  before.insert(before.end(), recorded.begin(), recorded.end());
  if (!a.owner()->others_may_work()) {
    return;
  }
  if (!a.queue().is_in_order()) {
    wait_for_queue(a.queue());
  } else if (a.queue() != queue && !detail::is_known_empty(a.queue())) {
    before.push_back(sycl::queue(a.queue()).ext_oneapi_submit_barrier());
  }
}

events work_on(const array& a) {
  events before;
  append_work_on(a, a.queue(), before);
  return before;
}

/// Announces work that has been started; where that fails, it is waited for.
void record_on(const array& a, sycl::event& started) {
  try {
    a.record(started);
  } catch (...) {
    started.wait();
    throw;
  }
}

sycl::event start_memcpy(const copy_plan& plan, const sycl::queue& queue, const events& before) {
  return detail::start_memcpy(plan.destination, plan.source, plan.row_nbytes(), queue, before);
}

/// None, and no copy started, where commands of the destination's queue cannot do it.
std::optional<sycl::event> start(const copy_plan& plan, const array& source,
                                 const array& destination) {
  const sycl::queue& queue = destination.queue();
  if (may_overlap(plan) || source.queue().get_context() != queue.get_context()) {
    return std::nullopt;
  }
  events before = work_on(destination);
  if (source.owner() != destination.owner()) {
    append_work_on(source, queue, before);
  }
  return is_memcpy(plan) ? start_memcpy(plan, queue, before)
                         : detail::copy_by_kernel(plan, queue, before);
}

/// A memcpy between an array and host memory.
sycl::event start_with_host(const copy_plan& plan, const array& usm,
                            std::shared_ptr<const void> owner) {
  detail::deferred_release kept{{}, {}, detail::holding(std::move(owner))};
  kept.events.reserve(1);  // nothing may fail once it is read or written
  sycl::event started = start_memcpy(plan, usm.queue(), work_on(usm));
  record_on(usm, started);
  kept.events.push_back(started);
  detail::release_later(std::move(kept));
  return started;
}

}  // namespace

sycl::event copy_async(const array& source, const array& destination) {
  const array_view from = source.private_view();
  const array_view to = destination.private_view();
  detail::require_copyable(from, to);
  if (to.size() == 0) {
    return complete_event();
  }
  const detail::runtime_call call;
  detail::release_finished();
  const copy_plan plan = make_plan(to.shape(), end_of(from), end_of(to));
  if (is_in_place(plan)) {
    return complete_event();
  }
  if (is_for_the_host_now(source) && is_for_the_host_now(destination) &&
      is_quick(plan, to.nbytes())) {
    detail::copy_on_host(plan);
    return complete_event();
  }
  if (auto started = start(plan, source, destination)) {
    record_on(source, *started);
    record_on(destination, *started);
    return *started;
  }
  source.wait();
  destination.wait();
  copy(from, to);
  return complete_event();
}

sycl::event copy_from_host_async(const host_array& source, const array& destination,
                                 std::shared_ptr<const void> owner) {
  const array_view to = destination.private_view();
  detail::require_copyable(source, to);
  if (to.size() == 0) {
    return complete_event();
  }
  const detail::runtime_call call;
  detail::release_finished();
  const copy_plan plan = make_plan(to.shape(), end_of(source), end_of(to));
  if (is_for_the_host_now(destination) && is_quick(plan, to.nbytes())) {
    detail::copy_on_host(plan);
    return complete_event();
  }
  if (is_memcpy(plan)) {
    return start_with_host(plan, destination, std::move(owner));
  }
  if (!may_overlap(plan)) {
    if (const auto staged =
            detail::staging_for_commands(layout::c_order(to.shape()), to.type(), to.queue())) {
      copy_from_host(source, staged->private_view());
      return copy_async(*staged, destination);
    }
  }
  destination.wait();
  copy_from_host(source, to);
  return complete_event();
}

sycl::event copy_to_host_async(const array& source, const host_array& destination,
                               std::shared_ptr<const void> owner) {
  const array_view from = source.private_view();
  detail::require_copyable(from, destination);
  if (from.size() == 0) {
    return complete_event();
  }
  const detail::runtime_call call;
  detail::release_finished();
  const copy_plan plan = make_plan(from.shape(), end_of(from), end_of(destination));
  if (is_for_the_host_now(source) && is_quick(plan, from.nbytes())) {
    detail::copy_on_host(plan);
    return complete_event();
  }
  if (is_memcpy(plan)) {
    return start_with_host(plan, source, std::move(owner));
  }
  source.wait();
  copy_to_host(from, destination);
  return complete_event();
}

sycl::event fill_async(const array& destination, const std::byte* element) {
  const array_view to = destination.private_view();
  detail::require_fillable(to);
  if (to.size() == 0) {
    return complete_event();
  }
  const detail::runtime_call call;
  detail::release_finished();
  if (is_for_the_host_now(destination) && to.nbytes() <= quick_nbytes) {
    fill(to, element);
    return complete_event();
  }
  const copy_plan plan = make_plan(to.shape(), end_of(to), end_of(to));
  if (auto started = detail::fill_by_kernel(plan, element, to.queue(), work_on(destination))) {
    record_on(destination, *started);
    return *started;
  }
  if (const auto one = detail::staging_for_commands(layout(), to.type(), to.queue())) {
    std::memcpy(one->data(), element, to.type().itemsize());
    return copy_async(one->with_layout(broadcast(one->layout(), to.shape())), destination);
  }
  destination.wait();
  fill(to, element);
  return complete_event();
}

}  // namespace usmx
