// New memory for Python's objects: the one way to make some. What is free is taken with the
// interpreter lock held; whatever may wait, for the driver or for work that needs that lock, runs
// without it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "support/call_site.hpp"
#include "support/interpreter_lock.hpp"
#include "usmx/array/array_internal.hpp"

namespace usmx::bindings {

using internal::first_use;

/// `first_use::in_order` only where all that follows orders itself after what is pending on the
/// bytes. To be called with the interpreter lock, or after noted_call_site without it.
inline array make_array(layout where, dtype type, const sycl::queue& queue, usm_kind kind,
                        first_use use, std::size_t alignment = 0) {
  if (auto made = internal::try_new_array(where, type, queue, kind, alignment, use)) {
    return *std::move(made);
  }
  const noted_call_site here;
  const without_interpreter_lock unlocked(PyGILState_Check() != 0);
  return internal::new_array(std::move(where), type, queue, kind, alignment, use);
}

/// The same as bytes.
inline std::shared_ptr<buffer> make_memory(std::size_t nbytes, usm_kind kind,
                                           const sycl::queue& queue, first_use use,
                                           std::size_t alignment = 0) {
  using internal::new_buffer;
  if (auto made = new_buffer::try_to_allocate(nbytes, kind, queue, alignment, use)) {
    return made;
  }
  const noted_call_site here;
  const without_interpreter_lock unlocked(PyGILState_Check() != 0);
  return new_buffer::allocate(nbytes, kind, queue, alignment, use);
}

}  // namespace usmx::bindings
