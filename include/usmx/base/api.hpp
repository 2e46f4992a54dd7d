// Marks and checks that every header of usmx needs: which names libusmx.so exports, which of them
// go, and the check of preconditions, for host code and SYCL kernels. This header does not need
// SYCL.
#pragma once

#include <cassert>

/// Marks the functions and classes that libusmx.so exports. All other symbols of the library are
/// hidden.
#define USMX_API [[gnu::visibility("default")]]

/// Marks a public name that a later release removes: the compiler warns who uses it. `since` is the
/// release that says so first, as "0.2". `instead` says what to use, as "usmx::copy".
/// docs/compatibility.md says how long the name stays.
#define USMX_DEPRECATED(since, instead) \
  [[deprecated("since usmx " since ": use " instead " instead")]]

// The check of preconditions, for host code and SYCL kernels.

#if !defined(USMX_ASSERT)
/// Checks a precondition, in host code and in kernels. It is the standard `assert`, which NDEBUG
/// turns off, unless the program defines another one before it includes a header of usmx.
#define USMX_ASSERT(condition) assert(condition)
#endif
