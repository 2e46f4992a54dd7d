// What the life of the process and its threads asks of callers. No SYCL here. Next: runtime/.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// Throws fork_error in a child that was forked after usmx had used the runtime. Whatever needs the
/// runtime does so too; letting memory go leaks it there instead.
USMX_API void require_usable_process();

/// A thread that has called usmx is somebody's own, and memory that it lets go is freed at once. On
/// any other, perhaps one of the runtime's, it is freed later (see buffer). This says that the
/// calling thread is somebody's own.
USMX_API void note_user_thread() noexcept;
USMX_API bool is_user_thread() noexcept;

namespace detail {

/// Marks a call into the runtime that takes a while: the end of the process waits for it. After
/// that has begun, threads other than the one that ends the process stop here for good; a thread
/// of Python's must have let the interpreter lock go before.
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
