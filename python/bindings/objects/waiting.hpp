// Calls of the library that may wait: work on memory, and new memory for Python's objects, which
// the bindings allocate nowhere else. No thread may wait while it holds the interpreter lock,
// because dpctl and dpnp need the lock before their work can end. So calls that return at once keep
// the lock, and all others release it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "internals.hpp"
#include "support/errors.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/array/array.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {

// ---- work on memory

/// Returns the result of `work()`, which is work of the library that orders itself and may wait.
/// Fast path: short work is tried with the interpreter lock, and begun anew without it if it would
/// have to wait. Releasing the lock takes longer than short work, and if another thread computes,
/// the lock comes back after 5 ms (docs/decisions.md, 25).
template <class Work>
decltype(auto) ordered(bool is_short, const Work& work) {
  look_for_peers();
  if (is_short) {
    try {
      const internal::no_waiting while_locked;
      return work();
    } catch (const internal::would_wait&) {
      // Nothing has been done yet.
    }
  }
  const without_interpreter_lock unlocked;
  return work();
}

/// Whether the host copies so many bytes in less time than it takes to release the lock, and no
/// wait is known to be necessary. Finding that out by trying would take microseconds.
inline bool is_short(const array& a) {
  constexpr std::size_t small_nbytes = std::size_t{16} << 10;
  return a.nbytes() <= small_nbytes && internal::is_ready_for_host(a);
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

/// Returns what `hand_out()` returns, which lets others have the array's memory, as soon as they
/// may read it. Another thread may submit work between the wait and the moment at which others are
/// said to have the memory: so what is pending then is waited for, too (src/array/submission.cpp).
template <class HandOut>
auto handed_out_ready(const array& a, const HandOut& hand_out) {
  wait_for(a);
  auto result = hand_out();
  if (detail::may_have_pending_work(a.owner()->data(), a.owner()->nbytes())) {
    const without_interpreter_lock unlocked;
    internal::wait_for_known_work(a);
  }
  return result;
}

// ---- new memory

using internal::first_use;

/// Allocates memory, without the interpreter lock if that may wait. The caller holds the
/// interpreter lock, or has a noted_call_site. Use `first_use::in_order` only if everything that
/// follows orders itself after the work that is pending on the bytes.
inline std::shared_ptr<buffer> make_memory(std::size_t nbytes, usm_kind kind,
                                           const sycl::queue& queue, first_use use,
                                           std::size_t alignment = 0) {
  using internal::new_buffer;
  if (auto made = new_buffer::try_to_allocate(nbytes, kind, queue, alignment, use)) {
    return made;
  }
  const noted_call_site here;
  const without_interpreter_lock unlocked;
  return new_buffer::allocate(nbytes, queue, kind, alignment, use);
}

/// Makes a new array in memory of make_memory(). The elements are not set.
inline array make_array(layout where, dtype type, const sycl::queue& queue, usm_kind kind,
                        first_use use, std::size_t alignment = 0) {
  auto memory =
      make_memory(internal::nbytes_of_new_array(where, type), kind, queue, use, alignment);
  return internal::unchecked_array(std::move(memory), type, std::move(where), false);
}

}  // namespace usmx::bindings
