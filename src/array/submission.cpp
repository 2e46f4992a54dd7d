#include "array/submission.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/process.hpp"
#include "memory/reclaim.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "runtime/queues.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1::detail {

void submission::use(byte_range bytes, access made) { use(bytes, made, nullptr); }

void submission::use(byte_range bytes, access made, const array* of) {
  parts_.push_back({bytes, made, pending_work_before(bytes, made, stream_number_), of});
  follow(parts_.back().earlier.events);
}

void submission::use(const array& a, access made) {
  if (const auto bytes = range_of(a.memory().data(), a.type(), a.layout())) {
    internal::buffer_access::settle_ended_leases(*a.owner(), queue_);
    use(*bytes, made, &a);
    follow_others(a);
  }
}

/// Makes the work come after events. A command that comes after a host task is on no stream before
/// the task ends. So if work may start on streams, host tasks are waited for.
void submission::follow(std::span<const sycl::event> events) {
  const bool are_on_streams =
      queue_ != nullptr && traits_of(queue_->get_backend()).in_order_queues_are_streams;
  for (const sycl::event& each : events) {
    if (are_on_streams && !internal::backend_of(each)) {
      wait_unlocked(each);
    } else {
      before_.push_back(each);
    }
  }
}

void submission::follow_others(const array& a) {
  const bool host_reads = is_host_accessible(a.kind());
  for (const internal::partner& other : internal::partners(a.memory())) {
    if (std::ranges::find(partners_, other.queue) == partners_.end()) {
      follow_partner(other, host_reads);
      partners_.push_back(other.queue);
    }
  }
}

void submission::follow_partner(const internal::partner& other, bool host_reads) {
  const bool is_same_queue = queue_ != nullptr && other.queue == *queue_;
  if (!is_same_queue && queue_ != nullptr) {
    is_beside_partner_ = is_beside_partner_ || other.reads_events ||
                         internal::peers_queue_beside(*queue_) == other.queue;
  }
  // A wait on another queue, for work that comes after the partner's events, hangs as long as host
  // tasks of the partner wait for them, with OpenCL's CPU driver (docs/decisions.md, 121).
  if (other.reads_events && (is_same_queue || queue_ == nullptr)) {
    if (const auto events = unfinished_work_of_partner(other.queue)) {
      return follow(*events);
    }
  }
  const bool is_in_order = other.queue.is_in_order();
  may_be_overtaken_ = may_be_overtaken_ || !is_in_order || !is_same_queue || host_reads;
  if (!is_in_order) {
    internal::wait_interruptibly(other.queue);
  } else if (!is_same_queue && !is_known_empty(other.queue)) {
    before_.push_back(submit_barrier(other.queue));
  }
}

bool submission::has_host_views() const {
  return std::ranges::any_of(parts_,
                             [](const part& each) { return has_host_view(each.bytes, each.made); });
}

bool submission::has_new_partners() const {
  const auto is_new = [&](const internal::partner& each) {
    return std::ranges::find(partners_, each.queue) == partners_.end();
  };
  return std::ranges::any_of(parts_, [&](const part& each) {
    return each.of != nullptr && each.of->memory().others_may_work() &&
           std::ranges::any_of(internal::partners(each.of->memory()), is_new);
  });
}

// Other threads may take the memory meanwhile. They first say that they have it, and then look for
// unfinished work. Here it is the other way round: so one of the two sees the other.
sycl::event submission::announce(sycl::event started) const {
  announce(site_ == work_site::on_the_queue ? pending_event(started, *queue_)
                                            : pending_event(started));
  return started;
}

void submission::announce(const pending_event& done) const {
  for (const part& each : parts_) {
    add_pending_work(each.bytes, each.made, done, each.earlier, *queue_);
  }
  const bool is_waited_for =
      overtaking_ == overtaking::prevented && (may_be_overtaken_ || has_host_views());
  if (is_waited_for || is_beside_partner_ || has_new_partners()) {
    return wait_unlocked(done.event());
  }
  for (const sycl::queue& each : partners_) {
    tell_partner(each, done.event(), true);
  }
}

bool submission::may_start_on_stream() const {
  return stream_number_ != 0 && traits_of(queue_->get_backend()).in_order_queues_are_streams &&
         !internal::cached_queues_exposed() && internal::is_cached_queue(*queue_);
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {
namespace {

using detail::access;
using detail::submission;
using detail::work_site;
using events = std::vector<sycl::event>;

void require_writable(const array_list& writes) {
  for (const auto& each : writes.items()) {
    if (each.get().readonly()) {
      throw read_only_error("an array that work writes must be writable, found a read-only one");
    }
  }
}

void require_context(const sycl::queue& queue, const array_list& arrays) {
  for (const auto& each : arrays.items()) {
    internal::require_context(queue, each.get());
  }
}

void use(submission& work, const array_list& reads, const array_list& writes) {
  for (const auto& each : writes.items()) {
    work.use(each.get(), access::write);
  }
  for (const auto& each : reads.items()) {
    work.use(each.get(), access::read);
  }
}

submission checked(const sycl::queue& queue, const array_list& reads, const array_list& writes,
                   work_site runs) {
  require_writable(writes);
  require_context(queue, reads);
  require_context(queue, writes);
  detail::release_finished();
  submission work(queue, detail::overtaking::prevented, runs);
  use(work, reads, writes);
  return work;
}

}  // namespace

sycl::event submit(const sycl::queue& queue, const array_list& reads, const array_list& writes,
                   const std::function<sycl::event(const events&)>& start) {
  std::ignore = detail::required(start, "submit", "a function that starts work");
  const detail::runtime_call call;
  return checked(queue, reads, writes, work_site::as_caller_likes).start(start);
}

sycl::event submit(const sycl::queue& queue, const array_list& reads, const array_list& writes,
                   const std::function<void(sycl::handler&)>& command) {
  std::ignore = detail::required(command, "submit", "a function that makes a command");
  const detail::runtime_call call;
  return checked(queue, reads, writes, work_site::on_the_queue).start_command(command);
}

events pending_events(const array_list& reads, const array_list& writes) {
  require_writable(writes);
  const detail::runtime_call call;
  submission work;
  use(work, reads, writes);
  return work.before();
}

}  // namespace usmx::inline v1
