#include "usmx/array/submit.hpp"

#include "array/array_internal.hpp"
#include "array/submission.hpp"
#include "base/process_state.hpp"
#include "ownership/deferred_release.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {
namespace {

using detail::access;
using detail::submission;
using events = std::vector<sycl::event>;

void require_writable(const array_list& writes) {
  for (const auto& each : writes.items()) {
    if (each.get().readonly()) {
      throw read_only_error("an array that work writes must be writable, found a read-only one");
    }
  }
}

void require_context(const array_list& arrays, const sycl::context& context) {
  for (const auto& each : arrays.items()) {
    if (each.get().memory().context() != context) {
      throw value_error(
          "the queue of work on an array must be of the array's context, found another");
    }
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

submission checked(const sycl::queue& queue, const array_list& reads, const array_list& writes) {
  require_writable(writes);
  const sycl::context context = queue.get_context();
  require_context(reads, context);
  require_context(writes, context);
  detail::release_finished();
  submission work(queue);
  use(work, reads, writes);
  return work;
}

}  // namespace

sycl::event submit(const sycl::queue& queue, const array_list& reads, const array_list& writes,
                   const std::function<sycl::event(const events&)>& start) {
  const detail::runtime_call call;
  return checked(queue, reads, writes).start(start);
}

sycl::event submit(const sycl::queue& queue, const array_list& reads, const array_list& writes,
                   const std::function<void(sycl::handler&)>& command) {
  const detail::runtime_call call;
  return checked(queue, reads, writes).start_command(command);
}

events pending_events(const array_list& reads, const array_list& writes) {
  require_writable(writes);
  const detail::runtime_call call;
  submission work;
  use(work, reads, writes);
  return work.before();
}

}  // namespace usmx::inline v1
