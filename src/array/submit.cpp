#include "usmx/array/submit.hpp"

#include <tuple>

#include "array/array_internal.hpp"
#include "array/submission.hpp"
#include "base/process_state.hpp"
#include "memory/deferred_release.hpp"
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

submission checked(const sycl::queue& queue, const array_list& reads, const array_list& writes) {
  require_writable(writes);
  require_context(queue, reads);
  require_context(queue, writes);
  detail::release_finished();
  submission work(queue);
  use(work, reads, writes);
  return work;
}

}  // namespace

sycl::event submit(const sycl::queue& queue, const array_list& reads, const array_list& writes,
                   const std::function<sycl::event(const events&)>& start) {
  std::ignore = detail::required(start, "submit", "a function that starts work");
  const detail::runtime_call call;
  return checked(queue, reads, writes).start(start);
}

sycl::event submit(const sycl::queue& queue, const array_list& reads, const array_list& writes,
                   const std::function<void(sycl::handler&)>& command) {
  std::ignore = detail::required(command, "submit", "a function that makes a command");
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
