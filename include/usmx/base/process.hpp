// Forked processes, and threads that may call the SYCL runtime. This header does not need SYCL.
// Next: runtime/.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Throws fork_error in a forked child: a process that was forked after usmx had used the SYCL
/// runtime. Every function that needs the runtime throws it there, too. Memory that the child lets
/// go is leaked.
USMX_API void require_usable_process();

/// Tells usmx that the calling thread belongs to the program. If such a thread releases memory on
/// which no work is left, usmx frees it at once. Any other thread may belong to the SYCL runtime
/// and must not call it, so usmx frees that memory later (class buffer has the rules). Most
/// functions that call the runtime, and every new buffer, do this for the calling thread.
USMX_API void note_user_thread() noexcept;
/// Whether usmx knows that the calling thread belongs to the program.
USMX_API bool is_user_thread() noexcept;

namespace detail {

/// Marks a call into the runtime that may take long. The end of the process waits for it, for a few
/// seconds at most. Once that end has begun, every thread but the one that ends the process stops
/// in the constructor for good. So a Python thread must release the interpreter lock first.
class USMX_API runtime_call {
 public:
  /// Throws fork_error in a forked child.
  runtime_call();
  runtime_call(const runtime_call&) = delete;
  runtime_call& operator=(const runtime_call&) = delete;
  ~runtime_call();
};

}  // namespace detail
}  // namespace usmx::inline v1
