// A function that usmx calls for each allocation and each free, for example for a profiler. The
// variable USMX_MEMORY_LOG of the environment writes the same events to a file, and
// usmx::logging_resource does so for one resource.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// The action that a memory event tells.
enum class memory_action : std::uint8_t {
  allocate,  ///< A block was allocated.
  free,      ///< A block is about to be freed.
  failure    ///< An allocation failed.
};

/// The part of a program that asked for the memory.
enum class memory_source : std::uint8_t {
  buffer,   ///< A buffer, and so the program.
  pool,     ///< A pool, which asked the resource below it.
  resource  ///< Anybody who used a logging_resource.
};

/// The name of an action: "allocate", "free" or "failure". The string lives for ever.
constexpr std::string_view name(memory_action action) noexcept {
  switch (action) {
    case memory_action::allocate:
      return "allocate";
    case memory_action::free:
      return "free";
    case memory_action::failure:
      break;
  }
  return "failure";
}

/// The name of a source: "buffer", "pool" or "resource". The string lives for ever.
constexpr std::string_view name(memory_source source) noexcept {
  switch (source) {
    case memory_source::buffer:
      return "buffer";
    case memory_source::pool:
      return "pool";
    case memory_source::resource:
      break;
  }
  return "resource";
}

/// An allocation, a free or a failure.
struct memory_event {
  /// The action.
  memory_action action;
  /// The part of the program that asked for the memory.
  memory_source source;
  /// The kind of memory.
  usm_kind kind;
  /// The number of bytes that were asked for.
  std::size_t nbytes;
  /// The block, or null for a failure. It exists during the call: usmx tells an allocation after it
  /// was made, and a free before the block goes.
  const std::byte* address;
  /// A queue of the memory's context and device.
  const sycl::queue& queue;
  /// The time of the event. Events of several threads may arrive in another order.
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

/// A function that takes memory events. Any thread may call it, even one of the runtime's own, with
/// or without Python's interpreter lock: the function must not wait for this lock. usmx holds none
/// of its memory's locks during the call, so the function may allocate and free. It gets these
/// events, too. The event and what it refers to are valid during the call only.
struct memory_observer {
  /// The function, which gets the observer's `context` and the event. If it is null, it is told
  /// nothing.
  void (*function)(void* context, const memory_event&) noexcept;
  /// Anything that the function needs. usmx only passes it on.
  void* context;
};

/// Sets the observer of all memory events from now on. Null stops the events. Returns the previous
/// observer, to which the new one may pass events on; it may be null or that of USMX_MEMORY_LOG.
/// The caller owns the observer and keeps it until the process ends, because another thread may be
/// about to call it.
USMX_API const memory_observer* set_memory_observer(const memory_observer*) noexcept;

}  // namespace usmx::inline v1
