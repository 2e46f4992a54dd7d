// New memory for Python's objects; the bindings allocate nowhere else. Takes a free block with the
// interpreter lock held. Anything that may wait, for the driver or for work that needs that lock,
// runs without it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "internals.hpp"
#include "support/call_site.hpp"
#include "support/interpreter_lock.hpp"

namespace usmx::bindings {

using internal::first_use;

/// Returns the result of `try_now()`, or else that of `make()`, which may wait. To be called with
/// the interpreter lock, or without it while a noted_call_site lives.
template <class TryNow, class Make>
auto make_memory_object(const TryNow& try_now, const Make& make) {
  if (auto made = try_now()) {
    return made;
  }
  const noted_call_site here;
  const without_interpreter_lock unlocked(PyGILState_Check() != 0);
  return decltype(try_now())(make());
}

/// Use `first_use::in_order` only if everything that follows orders itself after the work that is
/// pending on the bytes.
inline array make_array(layout where, dtype type, const sycl::queue& queue, usm_kind kind,
                        first_use use, std::size_t alignment = 0) {
  return *make_memory_object(
      [&] { return internal::try_new_array(where, type, queue, kind, alignment, use); },
      [&] { return internal::new_array(std::move(where), type, queue, kind, alignment, use); });
}

/// The same as bytes.
inline std::shared_ptr<buffer> make_memory(std::size_t nbytes, usm_kind kind,
                                           const sycl::queue& queue, first_use use,
                                           std::size_t alignment = 0) {
  using internal::new_buffer;
  return make_memory_object(
      [&] { return new_buffer::try_to_allocate(nbytes, kind, queue, alignment, use); },
      [&] { return new_buffer::allocate(nbytes, kind, queue, alignment, use); });
}

}  // namespace usmx::bindings
