// Calls of the library that may wait. What runs with the interpreter lock held must not wait: dpctl
// and dpnp need the lock before their work can end.
#pragma once

#include <cstddef>

#include "internals.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/peers_queues.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {

/// Gives what `work()` gives, which is work of the library that orders itself and may wait. Short
/// work is tried with the interpreter lock first, and begun anew without it if it would have to
/// wait: letting the lock go takes longer, and where another thread computes, it comes back after 5
/// ms.
template <class Work>
decltype(auto) ordered(bool is_short, const Work& work) {
  look_for_peers();
  if (is_short) {
    try {
      const internal::no_waiting while_locked;
      return work();
    } catch (const internal::would_wait&) {
      // Nothing was done yet.
    }
  }
  const without_interpreter_lock unlocked;
  return work();
}

/// Whether the host does so much, and more, in less time than letting the lock go takes, and there
/// is nothing to wait for as far as is known: to find that out by trying takes microseconds.
inline bool is_short(const array& a) {
  constexpr std::size_t small_nbytes = std::size_t{16} << 10;
  return a.nbytes() <= small_nbytes && !a.may_be_busy() &&
         host_may_touch(a.kind(), internal::private_queue(a).get_device());
}

/// Waits for the work on an array's elements, or on the bytes of a buffer.
void wait_for(auto& memory) {
  require_usable_process();
  look_for_peers();
  if (memory.may_be_busy()) {
    const without_interpreter_lock unlocked;
    memory.wait();
  }
}

}  // namespace usmx::bindings
