// Waiting for the work on some memory, and which copies are worth letting the interpreter lock go.
#pragma once

#include <cstddef>

#include "support/interpreter_lock.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {

/// Waits for the work on an array's elements, or on the bytes of a buffer, without the interpreter
/// lock if that may take time.
void wait_for(auto& memory) {
  require_usable_process();
  if (memory.may_be_busy()) {
    const without_interpreter_lock unlocked;
    memory.wait();
  }
}

/// Whether a copy to or from an array may wait, or take so long that other threads should run
/// meanwhile. Small copies are shorter than letting the lock go: where another thread computes, it
/// comes back after 5 ms.
inline bool is_worth_unlocking(const array& a) {
  constexpr std::size_t small_nbytes = std::size_t{16} << 10;
  return a.nbytes() > small_nbytes || a.may_be_busy() ||
         !host_may_touch(a.kind(), a.owner()->queue().get_device());
}

}  // namespace usmx::bindings
