#include <atomic>
#include <cstdlib>
#include <string_view>

#include "base/messages.hpp"
#include "memory/registry.hpp"
#include "runtime/devices.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1 {
namespace {

[[noreturn]] void throw_not_usm(const void* pointer, const sycl::context& context) {
  throw value_error(detail::message("pointer ", pointer, " is not USM memory of ",
                                    describe(context),
                                    ": expected a live device, shared or host allocation of that "
                                    "context, found none"));
}

}  // namespace

allocation_info detail::query_allocation(const void* pointer, const context_state& state) {
  if (const auto own = registry::find(pointer, state.context())) {
    return *own;
  }
  return pooled_ranges::contains(pointer) ? allocation_info{} : state.driver().query(pointer);
}

allocation_info query_allocation(const void* pointer, const sycl::context& context) {
  require_usable_process();
  return pointer == nullptr ? allocation_info{}
                            : detail::query_allocation(pointer, *detail::state_of(context));
}

usm_kind pointer_kind(const void* pointer, const sycl::context& context) {
  return query_allocation(pointer, context).kind;
}

sycl::device pointer_device(const void* pointer, const sycl::context& context) {
  if (pointer_kind(pointer, context) == usm_kind::unknown) {
    throw_not_usm(pointer, context);
  }
  return detail::state_of(context)->driver().owner(pointer);
}

usm_kind check_access(const void* pointer, std::size_t nbytes, const sycl::context& context) {
  return detail::check_access(pointer, nbytes, *detail::state_of(context)).kind;
}

detail::checked_memory detail::check_access(const void* pointer, std::size_t nbytes,
                                            const context_state& state) {
  if (pointer == nullptr) {
    throw_not_usm(pointer, state.context());
  }
  std::shared_ptr<buffer> own;
  const auto block = registry::find(pointer, state.context(), &own);
  if (!block) {
    if (pooled_ranges::contains(pointer)) {
      throw_not_usm(pointer, state.context());
    }
    const usm_kind kind = state.driver().kind_around(pointer, nbytes);
    if (kind != usm_kind::unknown) {
      return {kind, nullptr};
    }
  }
  const allocation_info found = block ? *block : state.driver().query(pointer);
  if (found.kind == usm_kind::unknown) {
    throw_not_usm(pointer, state.context());
  }
  if (!found.bounds_known) {
    return {found.kind, nullptr};
  }
  if (nbytes > available_from(pointer, found)) {
    const auto* first = static_cast<const std::byte*>(pointer);
    throw value_error(detail::message(
        "bytes ", pointer, " to ", static_cast<const void*>(first + (nbytes - 1)),
        " (first and last) are not all inside the ", name(found.kind),
        " allocation they start in, which is ", static_cast<const void*>(found.base), " to ",
        static_cast<const void*>(found.base + (found.nbytes - 1)), " (", found.nbytes,
        " bytes) of ", describe(state.context())));
  }
  const bool is_all_there = own && own->holds(pointer, nbytes);
  return {found.kind, is_all_there ? std::move(own) : nullptr};
}

void check_device(const void* pointer, usm_kind kind, const sycl::queue& queue) {
  if (kind == usm_kind::host) {
    return;  // host memory belongs to the whole context
  }
  const detail::queue_state known = detail::state_of(queue);
  if (known.has_only_device) {
    return;
  }
  const sycl::device mine = queue.get_device();
  const sycl::device owner = known.of_context->driver().owner(pointer);
  if (detail::is_within(mine, [&](const sycl::device& device) { return device == owner; })) {
    return;
  }
  throw value_error(detail::message(name(kind), " pointer ", pointer, " belongs to device ",
                                    describe(owner), ", expected the queue's device ",
                                    describe(mine), " or its parent"));
}

namespace {

std::atomic<bool> all_devices_are_remote = false;

}  // namespace

void internal::count_all_devices_as_remote(bool on) noexcept {
  all_devices_are_remote.store(on, std::memory_order_relaxed);
}

bool is_remote(const sycl::device& device) {
  return all_devices_are_remote.load(std::memory_order_relaxed) || !device.is_cpu() ||
         !detail::traits_of(device.get_backend()).host_reaches_memory_of_cpus;
}

bool host_may_touch(usm_kind kind, const sycl::device& device) {
  return is_host_accessible(kind) || kind == usm_kind::unknown || !is_remote(device);
}

namespace {

using internal::host_access;

std::atomic<host_access>& host_access_now() {
  static std::atomic<host_access> now = [] {
    const char* const text = std::getenv("USMX_HOST_ACCESS");
    const std::string_view asked = text == nullptr ? "reached" : text;
    if (asked != "reached" && asked != "strict") {
      detail::warn(detail::message("USMX_HOST_ACCESS must be 'reached' or 'strict', found '", asked,
                                   "': the host gets views of all memory that it reaches"));
    }
    return asked == "strict" ? host_access::strict : host_access::reached;
  }();
  return now;
}

}  // namespace

host_access internal::set_host_access(host_access wanted) {
  return host_access_now().exchange(wanted, std::memory_order_relaxed);
}

bool internal::host_may_view(usm_kind kind, const sycl::device& device) {
  return is_host_accessible(kind) ||
         (host_access_now().load(std::memory_order_relaxed) == host_access::reached &&
          host_may_touch(kind, device));
}

}  // namespace usmx::inline v1
