// The part of the checks of locks (docs/concurrency.md) that usmx's Python module takes part in: it
// owns the outermost lock, Python's. Not installed.
#pragma once

#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

#ifdef USMX_CHECK_LOCKS

/// The function says whether the calling thread has the interpreter lock. From then on the process
/// is aborted if a thread waits in the driver with that lock.
USMX_API void set_interpreter_check(bool (*has_interpreter_lock)() noexcept) noexcept;

/// To be called before the interpreter lock is taken: aborts the process if the thread holds a lock
/// of the library.
USMX_API void require_no_library_lock() noexcept;

#else

inline void require_no_library_lock() noexcept {}

#endif

}  // namespace usmx::inline v1::internal
