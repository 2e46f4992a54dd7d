// Counts how often some memory was given back.
#pragma once

#include <atomic>
#include <memory>

#include "usmx/memory/release_action.hpp"

namespace support {

class release_counter {
 public:
  int value() const { return *count_; }
  /// For adopt: frees nothing, the test owns the memory.
  auto deleter() const {
    return [count = count_](void*) { ++*count; };
  }
  usmx::detail::release_action action() const {
    return usmx::detail::release_action::of(nullptr, deleter());
  }

 private:
  std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace support
