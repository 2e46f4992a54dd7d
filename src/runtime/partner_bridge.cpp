#include "runtime/partner_bridge.hpp"

#include <atomic>

#include "runtime/waits.hpp"

namespace usmx::inline v1 {

namespace {

std::atomic<const internal::partner_bridge*> bridge = nullptr;

}  // namespace

void internal::set_partner_bridge(const partner_bridge* functions) noexcept {
  bridge.store(functions, std::memory_order_release);
}

void internal::wait_for_submitted(const sycl::event& event) { detail::wait_for(event); }

std::optional<std::vector<sycl::event>> detail::unfinished_work_of_partner(
    const sycl::queue& queue) {
  const auto* there = bridge.load(std::memory_order_acquire);
  return there == nullptr ? std::nullopt : there->unfinished_work(queue);
}

void detail::tell_partner(const sycl::queue& queue, const sycl::event& event, bool is_own) {
  if (const auto* there = bridge.load(std::memory_order_acquire)) {
    there->tell(queue, event, is_own);
  }
}

void detail::wait_unlocked(const sycl::event& event) {
  const auto* there = bridge.load(std::memory_order_acquire);
  if (there == nullptr) {
    wait_for(event);
  } else {
    there->wait(event);
  }
}

}  // namespace usmx::inline v1
