// Telling the observer: usmx/memory/memory_observer.hpp. Private to the library.
#pragma once

#include <atomic>

#include "usmx/memory/memory_observer.hpp"

namespace usmx::inline v1::detail {

extern std::atomic<const memory_observer*> current_memory_observer;

/// To be asked before an event is made: while nobody observes, this is all that it costs.
inline bool memory_is_observed() noexcept {
  return current_memory_observer.load(std::memory_order_relaxed) != nullptr;
}

/// No lock of the memory's may be held.
void tell_memory_observer(const memory_event&) noexcept;

}  // namespace usmx::inline v1::detail
