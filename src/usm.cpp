#include "usmx/usm.hpp"

#include <algorithm>

#include <sycl/usm/usm_pointer_info.hpp>

#include "context_state.hpp"
#include "usm_backend.hpp"
#include "usm_checks.hpp"
#include "usmx/error.hpp"
#include "usmx/registry.hpp"
#include "usmx/runtime.hpp"

namespace usmx {
namespace {

usm_kind to_kind(sycl::usm::alloc kind) noexcept {
  switch (kind) {
    case sycl::usm::alloc::device:
      return usm_kind::device;
    case sycl::usm::alloc::shared:
      return usm_kind::shared;
    case sycl::usm::alloc::host:
      return usm_kind::host;
    case sycl::usm::alloc::unknown:
      break;
  }
  return usm_kind::unknown;
}

class generic_backend final : public detail::allocation_backend {
 public:
  explicit generic_backend(const sycl::context& context) : context_(context) {}

  allocation_info query(const void* pointer) const override {
    return {.kind = to_kind(sycl::get_pointer_type(pointer, context_))};
  }
  sycl::device owner(const void* pointer) const override {
    return sycl::get_pointer_device(pointer, context_);
  }

 private:
  sycl::context context_;
};

/// A context knows no memory of others.
allocation_info seen_from(const registered_block& block, const sycl::context& context) {
  return block.context == context ? allocation_info{block.kind, block.base, block.nbytes, true}
                                  : allocation_info{};
}

[[noreturn]] void throw_not_usm(const void* pointer, const sycl::context& context) {
  throw value_error(detail::message("pointer ", pointer, " is not USM memory of ",
                                    describe(context),
                                    ": expected a live device, shared or host allocation of that "
                                    "context, found none"));
}

}  // namespace

std::unique_ptr<detail::allocation_backend> detail::make_generic_backend(
    const sycl::context& context) {
  return std::make_unique<generic_backend>(context);
}

allocation_info detail::query_allocation(const void* pointer, const context_state& state) {
  if (const auto block = registry::find(pointer)) {
    return seen_from(*block, state.context());
  }
  return state.allocations().query(pointer);
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
  return detail::state_of(context)->allocations().owner(pointer);
}

usm_kind check_access(const void* pointer, std::size_t nbytes, const sycl::context& context) {
  return detail::check_access(pointer, nbytes, *detail::state_of(context));
}

usm_kind detail::check_access(const void* pointer, std::size_t nbytes, const context_state& state) {
  if (pointer == nullptr) {
    throw_not_usm(pointer, state.context());
  }
  const auto block = registry::find(pointer);
  if (!block) {
    const usm_kind kind = state.allocations().kind_around(pointer, nbytes);
    if (kind != usm_kind::unknown) {
      return kind;
    }
  }
  const allocation_info found =
      block ? seen_from(*block, state.context()) : state.allocations().query(pointer);
  if (found.kind == usm_kind::unknown) {
    throw_not_usm(pointer, state.context());
  }
  if (!found.extent_known) {
    return found.kind;
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
  return found.kind;
}

void check_device(const void* pointer, usm_kind kind, const sycl::queue& queue) {
  if (kind == usm_kind::host) {
    return;  // host memory belongs to the whole context
  }
  const auto [state, has_only_device] = detail::state_of(queue);
  if (has_only_device) {
    return;
  }
  const sycl::device mine = queue.get_device();
  const sycl::device owner = state->allocations().owner(pointer);
  for (sycl::device d = mine;; d = d.get_info<sycl::info::device::parent_device>()) {
    if (d == owner) {
      return;
    }
    if (d.get_info<sycl::info::device::partition_type_property>() ==
        sycl::info::partition_property::no_partition) {
      break;
    }
  }
  throw value_error(detail::message(name(kind), " pointer ", pointer, " belongs to device ",
                                    describe(owner), ", expected the queue's device ",
                                    describe(mine), " or its parent"));
}

bool host_may_touch(usm_kind kind, const sycl::device& device) {
  return is_host_accessible(kind) || kind == usm_kind::unknown ||
         (device.is_cpu() && device.get_backend() == sycl::backend::opencl);
}

}  // namespace usmx
