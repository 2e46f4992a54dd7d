// Generated kernels of the library's own, by numbers. Not installed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace usmx::inline v1::internal {

/// Kernels, each made when it is first asked for, and never destroyed: a program may compute up to
/// its end. Thread-safe.
template <class Kernel, std::size_t count>
class made_kernels {
 public:
  /// The kernel of that number, which `make()` makes.
  template <class Make>
  const Kernel& at(std::size_t number, const Make& make) {
    std::atomic<const Kernel*>& slot = all_[number];
    const Kernel* known = slot.load(std::memory_order_acquire);
    if (known == nullptr) {
      auto fresh = std::make_unique<const Kernel>(make());
      if (slot.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) {
        known = fresh.release();
      }
    }
    return *known;
  }

 private:
  std::array<std::atomic<const Kernel*>, count> all_{};
};

}  // namespace usmx::inline v1::internal
