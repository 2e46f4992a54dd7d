#include "ownership/scoped_resource.hpp"

#include <atomic>

#include "runtime/scopes.hpp"

namespace usmx::inline v1 {
namespace {

std::atomic<internal::scoped_resource_function> resource_in_scope = nullptr;

}  // namespace

void internal::set_scoped_resource_function(scoped_resource_function function) noexcept {
  resource_in_scope.store(function, std::memory_order_release);
}

std::optional<any_resource> internal::scoped_resource(const sycl::queue& queue, usm_kind kind) {
  if (!scopes_live()) {
    return std::nullopt;
  }
  const auto ask = resource_in_scope.load(std::memory_order_acquire);
  return ask == nullptr ? std::nullopt : ask(queue, kind);
}

}  // namespace usmx::inline v1
