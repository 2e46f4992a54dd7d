// Who is told of memory as it comes and goes: a profiler. A file of the same is written by
// USMX_MEMORY_LOG in the environment, or for one resource by resources/logging.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

enum class memory_action : std::uint8_t { allocate, free, failure };

/// Who asked: a buffer, so the program; a pool, of the resource below it; somebody, of a
/// logging_resource.
enum class memory_source : std::uint8_t { buffer, pool, resource };

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

struct memory_event {
  memory_action action;
  memory_source source;
  usm_kind kind;
  /// As it was asked for.
  std::size_t nbytes;
  /// Null of a failure. Of an allocation it is told after the block is there, of a free before the
  /// block goes.
  const std::byte* address;
  /// One of the memory's context and device.
  const sycl::queue& queue;
  /// When it happened. Events of several threads may be told in another order.
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

/// The function is called on any thread, one of the runtime's included, with or without Python's
/// interpreter lock, for which it must not wait. No lock of usmx's memory is held: it may allocate
/// and free, and is told of that, too. What the event refers to is there during the call.
struct memory_observer {
  void (*function)(void* context, const memory_event&) noexcept;
  void* context;
};

/// Tells it everything from here on; null: nobody. Gives the one before, null or USMX_MEMORY_LOG's,
/// to which the new one may hand events on. The observer stays valid to the end of the process:
/// another thread may be about to call it.
USMX_API const memory_observer* set_memory_observer(const memory_observer*) noexcept;

}  // namespace usmx::inline v1
