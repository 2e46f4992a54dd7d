// Telling the observer: usmx/memory/memory_observer.hpp. Private to the library.
#pragma once

#include <atomic>

#include "usmx/memory/memory_observer.hpp"

namespace usmx::inline v1::detail {

extern std::atomic<const memory_observer*> current_memory_observer;

/// To be asked before an event is made, so that memory that nobody observes costs only this.
inline bool memory_is_observed() noexcept {
  return current_memory_observer.load(std::memory_order_relaxed) != nullptr;
}

/// To be called without any lock of the library.
void tell_memory_observer(const memory_event&) noexcept;

}  // namespace usmx::inline v1::detail
