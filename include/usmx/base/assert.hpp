// The check of preconditions, for host code and SYCL kernels. This header does not need SYCL.
#pragma once

#include <cassert>

#if !defined(USMX_ASSERT)
/// Checks a precondition, in host code and in kernels. It is the standard `assert`, which NDEBUG
/// turns off, unless the program defines another one before it includes a header of usmx.
#define USMX_ASSERT(condition) assert(condition)
#endif
